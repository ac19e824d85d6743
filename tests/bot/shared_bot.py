"""A bot that the tests of a module share: its start takes longer than most of them.

In tests/bot/ui every module shares one; another does by naming `shared_table` as its `table`. A test that
sets the bot's clock ahead, stops its jobs, or counts what is in the whole database takes `own_table`.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import pytest_asyncio

if TYPE_CHECKING:
    from bot.app import Discade
    from tests.bot.table import SkippingClock, Table


@dataclass
class SharedBot:
    """bot: the one that runs now, for a test may have restarted it."""

    env: Any
    bot: Discade
    database: Path
    clock: SkippingClock


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that share a bot in its event loop."""
    for item in items:
        if "shared_table" in getattr(item, "fixturenames", ()) and item.get_closest_marker("asyncio"):
            item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared_bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[SharedBot]:
    from tests.bot.patience import PatientEnv
    from tests.bot.table import SkippingClock, new_bot

    database = tmp_path_factory.mktemp("shared") / "discade.db"
    clock = SkippingClock()
    bot = new_bot(database, clock)
    env = PatientEnv(bot)
    await env.start()
    shared = SharedBot(env, bot, database, clock)
    yield shared
    await shared.bot.close()
    await env.shutdown()


@pytest.fixture
def shared_env(shared_bot: SharedBot) -> Any:
    """A value of its own, for simcord sets the clock of a test by the environment among its fixtures."""
    return shared_bot.env


@pytest_asyncio.fixture(loop_scope="module")
async def shared_table(shared_bot: SharedBot, shared_env: Any) -> AsyncIterator[Table]:
    """A new server with new people, where the bot has been at work elsewhere."""
    import sqlalchemy as sa

    from bot.store.match_rows import matches
    from tests.bot.table import seat_people

    env, clock = shared_env, shared_bot.clock
    env.backend.http_requests.clear()
    env.backend.faults.clear()
    shared_bot.bot.parts.rng.seed(7)
    table = seat_people(env, shared_bot.bot, shared_bot.database, clock)
    async with table.bot.parts.stores.database.reading() as connection:
        table.first_match += await connection.scalar(sa.select(sa.func.max(matches.c.id))) or 0
    ahead = clock.ahead
    with _as_it_was(table.bot):
        yield table
    shared_bot.bot = table.bot
    env._raise_errors_since(env._errors_acknowledged)
    assert clock.ahead == ahead, "a test that sets the clock ahead takes own_table"
    jobs = table.bot._jobs
    assert jobs is not None
    assert not any(job.done() for job in jobs._tasks), "a test that stops the jobs takes own_table"


@contextmanager
def _as_it_was(bot: Discade) -> Iterator[None]:
    """Put back after a test what it has set in the bot: the next one has the same bot."""
    settings, services, web = bot.parts.settings, bot.services, bot.services.web
    of_web = web.url, web.has_activity
    yield
    bot.parts.settings, bot.services = settings, services
    web.url, web.has_activity = of_web
