"""The result of a day's puzzle: its marks, and the line that is shared."""

from __future__ import annotations

from typing import Any

import pytest

from bot.domain.puzzle import Status
from bot.ui.sharing import SHARE, What
from tests.bot.table import Table, buttons_of, line_of, parts_of, text_of
from tests.bot.ui.test_puzzle import attempt_of, solve, wrong

pytestmark = [pytest.mark.simcord(settle_timeout=20), pytest.mark.slow]

MARKS = "🟩 the best move · 🟨 keeps the win · 🟥 loses it"


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test, since each counts attempts."""
    return own_table


async def opened(table: Table, person: Any = None) -> Any:
    """Today's puzzle, which is Daily 1 in the simulated Discord."""
    return (await (person or table.ada).slash(table.games, "puzzle daily")).response


async def test_a_solved_puzzle_of_the_day_is_shared_in_one_press_without_its_solution(table: Table) -> None:
    message = await opened(table)
    await solve(table, message)
    attempt = await attempt_of(table)
    count = len(attempt.marks)
    line = f"Daily 1 · Dots and Boxes · {count} move{'s' * (count > 1)} · {'🟩' * count} · first day"
    assert attempt.status is Status.SOLVED
    assert f"**{line}**\n-# {MARKS}" in text_of(message)
    assert list(buttons_of(message)) == ["Next puzzle", "Remind me daily", "Share"]
    (posted,) = (await table.ada.click(message, label="Share")).followups
    assert text_of(posted) == f"{line}\n-# Shared by Ada"
    assert list(buttons_of(posted)) == ["Solve it"]
    assert not [part for part in parts_of(posted) if part["type"] in (12, 13)]
    assert "already" in await table.refused(table.ada.click(message, label="Share"))
    theirs = await table.ben.click(posted, label="Solve it")
    assert "Only one move wins" in text_of(theirs.response)


async def test_a_missed_puzzle_of_the_day_is_shared_too_also_when_it_is_opened_again(table: Table) -> None:
    message = await opened(table)
    await table.ada.click(message, label=await wrong(table))
    again = await opened(table)
    for shown in (message, again):
        assert "**Daily 1 · Dots and Boxes · 🟥 · not today**" in text_of(shown)
    (posted,) = (await table.ada.click(again, label="Share")).followups
    assert text_of(posted).startswith("Daily 1 · Dots and Boxes · 🟥 · not today\n")


async def test_a_puzzle_that_is_not_finished_is_not_shared(table: Table) -> None:
    message = await opened(table)
    await table.ada.click(message, label=await wrong(table))
    await table.ada.slash(table.games, "puzzle play", game="connect-four")
    assert not (await attempt_of(table, 2)).is_over
    (early,) = (await table.forge(table.ada, message, SHARE(What.PUZZLE, 2))).followups
    assert early.flags.ephemeral
    assert "You can share the result once you have finished" in line_of(early)
