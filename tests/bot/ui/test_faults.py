"""Features besides matches while Discord or the database fails: kind refusals, and no lasting damage.

The database is locked, or Discord refuses, has troubles, or says that what was meant is gone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest
from simcord.backend.errors import SetupError

from bot.domain.preferences import ServerSettings, Threads
from bot.store.check import Checker
from tests.bot.made_once import locked
from tests.bot.table import Table, buttons_of, line_of
from tests.bot.ui import test_champions, test_coach, test_courses, test_events, test_share, test_welcome

pytestmark = pytest.mark.sqlite

ALL = ("/channels/*", "/guilds/*", "/webhooks/*")
TROUBLES: dict[str, tuple[tuple[str, ...], int, int]] = {
    "has troubles": (ALL, 500, 0),
    "refuses": (ALL, 403, 50013),
    "says the thread is archived": (ALL, 400, 50083),
    "says the message is gone": (ALL, 404, 10008),
    "says the channel is gone": (ALL, 404, 10003),
    "no longer knows the press": (("/webhooks/*",), 404, 10015),
    "does not take the answer": (("/interactions/*",), 404, 10062),
    "has troubles with the answer": (("/interactions/*",), 500, 0),
}

Deed = Callable[[], Awaitable[Any]]
"""An action during the fault, repeated after it; returns the answer, if there was one."""


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test: what went wrong in one is made good later, in the midst of another."""
    return own_table


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.parts.BUSY_PRESS_SECONDS", 0.05)


@contextmanager
def trouble(table: Table, name: str) -> Iterator[None]:
    if name == "locked":
        with locked(table.database):
            yield
        return
    paths, status, code = TROUBLES[name]
    for path in paths:
        table.env.inject_error("*", path, status=status, code=code, message="No", times=None)
    yield
    table.env.backend.faults.clear()


async def storm(table: Table) -> Deed:
    return lambda: table.ada.slash(table.games, "puzzle storm", game="connect-four")


async def answer_in_a_storm(table: Table) -> Deed:
    message = await test_courses.begun(table)
    return lambda: test_courses.press(table, message)


async def wrong_answer_in_a_streak(table: Table) -> Deed:
    message = await test_courses.begun(table, "streak")

    async def answer() -> Any:
        if "Try again" in buttons_of(message):
            return await table.ada.click(message, label="Try again")
        return await test_courses.press(table, message, right=False)

    return answer


async def coach(table: Table) -> Deed:
    await test_coach.coached(table, position="a1b1a2b2")

    async def move() -> Any:
        board = table.board()  # another one, where the first was gone
        return await table.ada.click(board, label=next(iter(free(board))))

    return move


async def panel(table: Table) -> Deed:
    return lambda: table.ada.slash(table.games, "play")


async def start_from_the_panel(table: Table) -> Deed:
    async def start() -> Any:
        opened = (await table.ada.slash(table.games, "play")).response
        return await table.ada.click(opened, label="Start")

    return start


async def thread(table: Table) -> Deed:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(threads=Threads.ALWAYS))
    options = {"game": "connect-four", "level": "pip", "first": "me", "rated": True}
    return lambda: table.ada.slash(table.games, "play", **options)


async def message_to_play_from(table: Table) -> Deed:
    boss = test_welcome.manager(table)

    async def choose() -> Any:
        opened = await table.settings(boss, "play")
        return await boss.select(opened, [table.games], custom_id="d1:g:panel")

    return choose


async def event(table: Table) -> Deed:
    await test_events.wanted(table)
    await table.ada.slash(table.games, "tournament create", game="tic-tac-toe", name="Cup", sign_up=3600)

    return lambda: table.env.advance_time(40)


async def role(table: Table) -> Deed:
    made = table.guild.create_role("Champion")
    await table.bot.services.settings.save(table.guild.id, ServerSettings(winner_role=made.id))
    await test_champions.won_by(table, table.ben)

    return lambda: table.env.advance_time(250)


async def greeting(table: Table) -> Deed:
    table.bot.parts.settings = replace(table.bot.parts.settings, greets=True)

    async def join() -> None:
        table.bot.dispatch("guild_join", table.bot.get_guild(table.guild.id))
        await table.env.settle()

    return join


async def share(table: Table) -> Deed:
    board = await test_share.finished(table)
    private = (await table.ada.click(board, label="Review")).response
    return lambda: table.ada.click(private, label="Share")


def free(board: Any) -> list[str]:
    """The squares of a board of buttons that can be taken."""
    return [label for label, is_free in buttons_of(board).items() if is_free and len(label) == 2]


SUBJECTS = (
    storm, answer_in_a_storm, wrong_answer_in_a_streak, coach, panel, start_from_the_panel, thread,
    message_to_play_from, event, role, greeting, share,
)  # fmt: skip

NAMES = ["locked", *TROUBLES]


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.__name__)
@pytest.mark.parametrize("name", NAMES)
async def test_faults_are_reported_kindly_and_pass(
    table: Table, caplog: pytest.LogCaptureFixture, subject: Callable[[Table], Awaitable[Deed]], name: str
) -> None:
    deed = await subject(table)
    with trouble(table, name):
        # Without an answer there is nothing to press.
        with suppress(AssertionError, SetupError):
            assert_kind(await deed())
        await table.env.settle()
    await table.env.advance_time(15)
    assert_kind(await deed())
    assert not [record for record in caplog.records if record.exc_info or record.levelname == "ERROR"]
    assert (await Checker(table.bot.parts.stores.database).check()).problems == ()


def assert_kind(answer: Any) -> None:
    """Nothing that was said calls it a mistake of ours."""
    said = () if answer is None else (answer.response, *answer.followups)
    for message in said:
        if message is not None and "Something broke" in line_of(message):
            raise RuntimeError(line_of(message))
