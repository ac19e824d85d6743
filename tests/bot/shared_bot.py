"""A bot that the tests of a module share: its start takes longer than most of them.

A module shares one by naming `shared_table` as its `table`. A test that needs a bot of its own there takes
`own_table`: if it restarts the bot, sets its clock ahead, or counts what is in the whole database.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

if TYPE_CHECKING:
    from tests.bot.table import Table


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that share a bot in its event loop."""
    for item in items:
        if "shared_table" in getattr(item, "fixturenames", ()) and item.get_closest_marker("asyncio"):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Any, ...]]:
    """simcord, the bot, its database and its clock."""
    from tests.bot.patience import PatientEnv
    from tests.bot.table import SkippingClock, new_bot

    database = tmp_path_factory.mktemp("shared") / "discade.db"
    clock = SkippingClock()
    bot = new_bot(database, clock)
    env = PatientEnv(bot)
    await env.start()
    yield env, bot, database, clock
    await bot.close()
    await env.shutdown()


@pytest.fixture
def shared_env(shared_bot: tuple[Any, ...]) -> Any:
    """A value of its own, for simcord sets the clock of a test by the environment among its fixtures."""
    return shared_bot[0]


@pytest_asyncio.fixture(loop_scope="module")
async def shared_table(shared_bot: tuple[Any, ...], shared_env: Any) -> AsyncIterator[Table]:
    """A new server with new people, where the bot has been at work elsewhere."""
    import sqlalchemy as sa

    from bot.store.matches import matches
    from tests.bot.table import seat_people

    env, (_, bot, _, clock) = shared_env, shared_bot
    env.backend.http_requests.clear()
    table = seat_people(*shared_bot)
    async with bot.parts.stores.database.reading() as connection:
        table.first_match += await connection.scalar(sa.select(sa.func.max(matches.c.id))) or 0
    ahead = clock.ahead
    yield table
    env._raise_errors_since(env._errors_acknowledged)
    assert table.bot is bot, "a test that restarts the bot takes own_table"
    assert clock.ahead == ahead, "a test that sets the clock ahead takes own_table"
