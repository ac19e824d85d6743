"""The message of the day's puzzle: who has solved it so far, and what became of yesterday's."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any
from zlib import crc32

import pytest

from bot.domain.outgoing import Fate
from bot.domain.person import Person
from bot.domain.preferences import ServerSettings
from bot.domain.puzzle import AnswerMark, Status
from tests.bot.table import Table, text_of

pytestmark = [pytest.mark.simcord(settle_timeout=20), pytest.mark.slow]

BEST, KEEPS, LOSES = AnswerMark


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test, since each sets the clock."""
    return own_table


async def posted(table: Table) -> Any:
    """The day's message, whose server has chosen midnight."""
    wish = ServerSettings(puzzle_channel=table.games.id, puzzle_hour=0)
    await table.bot.services.settings.save(table.guild.id, wish)
    await table.reconcile()
    return table.games.history()[-1]


async def answers(table: Table, name: str, *marks: AnswerMark, guild_id: int | None = None) -> int:
    """Somebody answers today's puzzle so; returns their id."""
    person = Person(1000 + crc32(name.encode()), name)
    attempt = await table.bot.services.puzzles.daily(person, guild_id or table.guild.id)
    status = Status.FAILED if LOSES in marks else Status.SOLVED
    ended = replace(attempt, status=status, ended_at=table.clock(), marks=marks, version=1)
    await table.bot.parts.stores.puzzles.save_attempt(attempt, ended)
    return person.user_id


async def counted(table: Table) -> None:
    """Lets the time pass after which the solvers are counted again."""
    table.clock.ahead += timedelta(seconds=20)
    await table.reconcile()


async def next_day(table: Table) -> None:
    table.clock.ahead += timedelta(days=1)
    for _ in range(2):
        await table.reconcile()


def newest(table: Table) -> str:
    return text_of(table.games.history()[-1])


async def test_the_message_names_who_has_solved_it_in_the_server_the_best_first(table: Table) -> None:
    await posted(table)
    assert "So far" not in newest(table)
    await answers(table, "Dan", BEST, KEEPS)
    await answers(table, "Ada", BEST, BEST)
    await answers(table, "Cleo", BEST, LOSES)
    await answers(table, "Ben", BEST, BEST)
    await answers(table, "Eve", BEST, guild_id=77)
    await counted(table)
    assert (
        "**So far**\n🟩🟩 **Ada** · first day\n🟩🟩 **Ben** · first day\n🟩🟨 **Dan** · first day"
        in newest(table)
    )
    assert not {"Cleo", "Eve"} & set(newest(table).replace("*", "").split())
    assert len(table.games.history()) == 1


async def test_eight_are_named_and_the_others_counted_in_one_edit(table: Table) -> None:
    message = await posted(table)
    for number in range(11):
        await answers(table, f"P{number}", BEST)
    edits = len(table.writes("PATCH", f"*/messages/{message.id}"))
    await counted(table)
    assert newest(table).count("🟩 **P") == 8
    assert "\n-# and 3 more" in newest(table)
    await answers(table, "Ada", BEST)
    for _ in range(5):
        await table.reconcile()  # within twenty seconds
    assert len(table.writes("PATCH", f"*/messages/{message.id}")) == edits + 1


async def test_the_next_message_has_yesterday_s_figures_and_the_server_s_streak(table: Table) -> None:
    first = await posted(table)
    for day in range(2):
        for name, marks in {"Ada": (BEST,), "Ben": (KEEPS,), "Cleo": (LOSES,)}.items():
            await answers(table, name, *marks)
        if day:
            await answers(table, "Dan", BEST)
        await next_day(table)
    line = (
        "-# Yesterday’s was tried by 4 people here and solved on the first try by 3. "
        "Best: **Ada** and **Dan** 🟩. This server’s streak is 2 days."
    )
    assert line in newest(table)
    assert len(table.games.history()) == 3
    assert "🟩 **Ada** · first day\n🟨 **Ben** · first day" in text_of(table.games.history()[0])
    assert "🟩 **Ada** · day 2\n" in text_of(table.games.history()[1])
    notes = await table.bot.parts.stores.outgoing.of("daily")
    assert [note.message_id for note in notes] == [table.games.history()[-1].id]
    assert first.id == table.games.history()[0].id


async def test_the_streak_of_a_server_counts_its_own_people_alone(table: Table) -> None:
    await posted(table)
    await answers(table, "Ada", BEST, guild_id=77)
    await next_day(table)
    await answers(table, "Ada", BEST)
    await next_day(table)
    assert "Best: **Ada** 🟩." in newest(table)
    assert "streak" not in newest(table)
    await answers(table, "Ada", BEST)
    await counted(table)
    assert "🟩 **Ada** · day 3" in newest(table)


async def test_a_deleted_message_stays_away_until_the_next_day(table: Table) -> None:
    message = await posted(table)
    await message.delete()
    await answers(table, "Ada", BEST)
    await counted(table)
    await table.restart()
    await counted(table)
    assert table.games.history() == []
    assert [note.fate for note in await table.bot.parts.stores.outgoing.of("daily")] == [Fate.GIVEN_UP]
    await next_day(table)
    assert "Best: **Ada** 🟩." in newest(table)
    assert len(table.games.history()) == 1


async def test_a_message_that_may_not_be_edited_for_now_is_edited_later(table: Table) -> None:
    message = await posted(table)
    await answers(table, "Ada", BEST)
    refusal = {"status": 403, "code": 50001, "message": "Missing Access"}
    table.env.inject_error("PATCH", f"/channels/*/messages/{message.id}", times=1, **refusal)
    await counted(table)
    assert "So far" not in newest(table)
    await table.soon(lambda: "🟩 **Ada** · first day" in newest(table))
    assert "🟩 **Ada** · first day" in newest(table)


async def test_who_deletes_their_data_disappears_from_the_message(table: Table) -> None:
    await posted(table)
    ada = await answers(table, "Ada", BEST)
    await answers(table, "Ben", BEST)
    await counted(table)
    assert "Ada" in newest(table)
    await table.bot.services.privacy.delete(Person(ada, "Ada"))
    await counted(table)
    assert "Ada" not in newest(table)
    assert "Ben" in newest(table)


async def test_the_message_comes_at_the_hour_of_the_server_s_time_zone(table: Table) -> None:
    wish = ServerSettings(puzzle_channel=table.games.id, puzzle_hour=9, puzzle_zone="America/New_York")
    await table.bot.services.settings.save(table.guild.id, wish)
    table.clock.ahead += timedelta(hours=13, minutes=50)  # Discord's day begins at midnight, in winter
    await table.reconcile()
    assert table.games.history() == []
    table.clock.ahead += timedelta(minutes=20)
    await table.reconcile()
    assert len(table.games.history()) == 1
