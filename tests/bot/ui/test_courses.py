"""Storms and streaks in the interface: messages, presses and rights."""

from __future__ import annotations

import re
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.course import STORM_TIME, Course, CourseKind
from bot.domain.preferences import Preferences, ServerSettings
from engine.analysis.puzzles import Puzzle, puzzles
from engine.core import Move, replay
from tests.bot.made_once import locked
from tests.bot.table import Table, buttons_of, parts_of, text_of


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test: they count records and set clocks ahead."""
    return own_table


async def begun(
    table: Table, kind: str = "storm", game: str | None = "connect-four", person: Any = None
) -> Any:
    """Start a course and return its message."""
    options = {"kind": kind} | ({} if game is None else {"game": game})
    answer = await (person or table.ada).slash(table.games, "puzzle storm", **options)
    assert answer.ephemeral
    return answer.response


async def waiting(table: Table, number: int = 1) -> tuple[Course, Puzzle]:
    found = await table.bot.services.courses.course(number)
    return found, puzzles()[found.puzzle]


def label(puzzle: Puzzle, move: Move) -> str:
    return puzzle.rules.move_name(puzzle.state, move)


async def press(
    table: Table, message: Any, *, right: bool = True, number: int = 1, person: Any = None
) -> Any:
    """Answer the current puzzle and return the bot's response."""
    _, puzzle = await waiting(table, number)
    move = next(move for move in puzzle.state.legal_moves() if (move == puzzle.best) is right)
    name, person = label(puzzle, move), person or table.ada
    if name not in buttons_of(message):
        await person.click(message, label=name[0])  # of a large board the column comes first
    return await person.click(message, label=name)


@pytest.mark.slow
async def test_a_storm_is_private_and_its_clock_starts_with_the_first_answer(
    table: Table,
) -> None:
    message = await begun(table)
    text = text_of(message)
    assert "### ⚡ Puzzle storm: Connect Four" in text
    assert "3 minutes from your first answer on; a wrong one costs 10 seconds" in text
    assert "★☆☆☆☆ very easy" in text
    assert table.games.history(viewer=table.ben) == []
    await table.skip(hours=1)
    await press(table, message)
    text = text_of(message)
    assert "was right." in text
    assert "1 solved · time’s up <t:" in text


async def test_a_wrong_answer_shows_the_right_move_and_the_storm_continues(table: Table) -> None:
    message = await begun(table)
    first, puzzle = await waiting(table)
    await press(table, message, right=False)
    assert f"was wrong: **column {label(puzzle, puzzle.best)}** wins." in text_of(message)
    after, _ = await waiting(table)
    assert (after.solved, after.missed) == (0, 1)
    assert after.puzzle != first.puzzle
    await press(table, message)
    assert "1 solved" in text_of(message)


async def test_a_verdict_names_its_puzzle_and_the_end_shows_what_was_missed(table: Table) -> None:
    message = await begun(table)
    await press(table, message)
    _, missed = await waiting(table)
    await press(table, message, right=False)
    text = text_of(message)
    best = f"**column {label(missed, missed.best)}** wins."
    assert re.search(rf"Puzzle 2: ❌ .*{re.escape(best)}\n+\*\*Puzzle 3\*\*", text), text
    await table.restart()
    await table.ada.click(message, label="Stop")
    (menu,) = (part for part in parts_of(message) if part["type"] == 3)
    assert [(one["value"], one["label"]) for one in menu["options"]] == [
        ("1", "Puzzle 2 · Connect Four ★☆☆☆☆ very easy")
    ]
    shown = await table.ada.select(message, ["1"])
    assert shown.ephemeral
    assert f"Puzzle 2: {best}" in text_of(shown.response)
    assert "🔹" in text_of(shown.response), "the right move is marked on the board"
    bens = await begun(table, person=table.ben)
    for person, seen, value in ((table.ben, bens, "1"), (table.ada, message, "0"), (table.ada, message, "x")):
        await table.refused(table.forge(person, seen, menu["custom_id"], [value]))


async def test_a_course_judges_no_position_of_the_persons_rated_match(table: Table) -> None:
    message = await begun(table)
    _, puzzle = await waiting(table)
    rated = await table.pair()
    for index, move in enumerate(puzzle.moves):
        await (table.ada, table.ben)[index % 2].click(rated, label=label_at(puzzle, index, move))
    refused = await table.refused(press(table, message))
    assert "within a move of your rated match" in refused
    assert (await waiting(table))[0].number == 0


def label_at(puzzle: Puzzle, ply: int, move: Move) -> str:
    state = replay(puzzle.rules.start(puzzle.rules.boards[0]), puzzle.moves[:ply])
    return puzzle.rules.move_name(state, move)


@pytest.mark.slow
async def test_when_the_time_is_up_the_message_shows_the_result_by_itself(table: Table) -> None:
    message = await begun(table)
    for _ in range(3):
        await press(table, message)
    for _ in range(8):
        await table.skip(seconds=20)  # a longer leap would be a machine that slept, which is made up for
    text = text_of(message)
    assert "**3** puzzles solved, 0 missed." in text
    assert "🏆 **3**: your best ever!" in text
    assert list(buttons_of(message)) == ["Try again", "Share"]
    await table.ada.click(message, label="Try again")
    assert "3 minutes from your first answer on" in text_of(message)
    assert (await waiting(table, 2))[0].to_beat == 3


@pytest.mark.slow
@pytest.mark.sqlite
async def test_a_storms_clock_stops_while_the_database_rejects_writes(table: Table) -> None:
    message = await begun(table)
    await press(table, message)
    async with table.bot.parts.stores.database.writing() as connection:
        await connection.execute(sa.text("PRAGMA busy_timeout = 20"))
    with locked(table.database):
        for _ in range(10):
            await table.skip(seconds=20)
    await table.skip(seconds=5)
    assert "1 solved" in text_of(message), "three minutes are over, but nobody could answer in them"
    for _ in range(9):
        await table.skip(seconds=20)
    assert "**1** puzzle solved, 0 missed." in text_of(message)


@pytest.mark.slow
async def test_a_storm_goes_on_after_a_restart(table: Table) -> None:
    message = await begun(table)
    await press(table, message)
    await table.restart()
    await press(table, message)
    assert "2 solved" in text_of(message)
    again = await begun(table)
    assert "2 solved" in text_of(again)


@pytest.mark.slow
async def test_a_storm_that_ran_at_a_restart_ends_without_a_press(table: Table) -> None:
    message = await begun(table)
    await press(table, message)
    await table.restart()
    for _ in range(10):
        await table.skip(seconds=20)
    found = await table.bot.parts.stores.courses.course(1)
    assert found is not None
    assert found.is_over
    await press(table, message)
    assert "**1** puzzle solved, 0 missed." in text_of(message)


async def test_an_answer_after_the_end_does_not_count(table: Table) -> None:
    message = await begun(table)
    await press(table, message)
    table.clock.ahead += STORM_TIME
    await press(table, message)
    assert "**1** puzzle solved, 0 missed." in text_of(message)


@pytest.mark.slow
async def test_a_repeated_press_answers_once_and_shows_the_current_state(table: Table) -> None:
    message = await begun(table)
    _, puzzle = await waiting(table)
    custom_id = f"d1:qm:1:0:{puzzle.best}"
    for _ in range(2):
        await table.forge(table.ada, message, custom_id)
    assert (await waiting(table))[0].number == 1
    assert "1 solved" in text_of(message)


async def test_other_people_cannot_answer_or_end_a_course(table: Table) -> None:
    await begun(table, "streak")
    bens = await begun(table, "streak", person=table.ben)
    _, puzzle = await waiting(table)
    for custom_id in (f"d1:qm:1:0:{puzzle.best}", "d1:qa:1:stop"):
        await table.refused(table.forge(table.ben, bens, custom_id))
    assert (await waiting(table))[0].number == 0


@pytest.mark.slow
async def test_a_streak_gets_harder_until_the_first_mistake_and_its_record_is_in_the_standing(
    table: Table,
) -> None:
    message = await begun(table, "streak")
    assert "the first mistake ends it" in text_of(message)
    grades = []
    for _ in range(7):
        grades.append((await waiting(table))[1].grade)
        await press(table, message)
    assert grades == [1] * 5 + [2] * 2
    _, missed = await waiting(table)
    await press(table, message, right=False)
    text = text_of(message)
    assert f"**column {label(missed, missed.best)}** wins." in text
    assert "🔹" in text, "the right move is shown"
    assert "**7** puzzles solved, 1 missed." in text
    assert list(buttons_of(message)) == ["Try again", "Share"]
    standing = text_of((await table.ada.slash(table.games, "puzzle standing")).response)
    assert "🔥 Puzzle streak: Connect Four: best **7**, today 7." in standing
    assert "haven’t answered a puzzle yet" in standing, "courses rate nobody"


@pytest.mark.slow
async def test_a_storm_of_every_game_has_squares_columns_and_cells_to_press(table: Table) -> None:
    message = await begun(table, game=None)
    assert "### ⚡ Puzzle storm\n" in text_of(message)
    games = set()
    for _ in range(13):
        _, puzzle = await waiting(table)
        games.add(puzzle.game)
        await press(table, message)
    assert len(games) > 1


@pytest.mark.slow
async def test_the_leaderboard_of_storms_covers_today_or_all_time(table: Table) -> None:
    message = await begun(table)
    for _ in range(2):
        await press(table, message)
    await table.ada.click(message, label="Stop")
    await table.skip(days=1)
    board = (await table.ben.slash(table.games, "leaderboard", kind="storm", game="connect-four")).response
    assert "### ⚡ Puzzle storm, this server, all time" in text_of(board)
    assert "1. **Ada** · 2 solved" in text_of(board)
    await table.ben.click(board, label="Today")
    assert "Nobody is on this board yet" in text_of(board)
    await table.restart()
    await table.ben.click(board, label="All time")
    assert "**Ada** · 2 solved" in text_of(board)
    copy = await table.ada.click(board, label="Today")
    assert copy.ephemeral


@pytest.mark.slow
async def test_leaderboards_of_all_servers_name_only_people_who_agreed(table: Table) -> None:
    message = await begun(table)
    await press(table, message)
    options = {"kind": "storm_today", "game": "connect-four", "scope": "everywhere"}
    board = (await table.ben.slash(table.games, "leaderboard", **options)).response
    assert "Ada" not in text_of(board)
    await table.bot.services.settings.prefer(table.ada.id, Preferences(is_listed=True))
    board = (await table.ben.slash(table.games, "leaderboard", **options)).response
    assert "1. **Ada** · 1 solved" in text_of(board)
    await table.bot.services.settings.save(table.guild.id, ServerSettings(is_closed=True))
    assert "isn’t on global leaderboards" in await table.refused(
        table.ben.slash(table.games, "leaderboard", **options)
    )
    await table.refused(table.ben.click(board, label="All time"))


async def test_courses_start_only_in_the_servers_channels_for_matches(table: Table) -> None:
    other = table.guild.create_text_channel("quiet")
    await table.bot.services.settings.save(
        table.guild.id, ServerSettings(play_channels=frozenset({table.games.id}))
    )
    for kind in CourseKind:
        assert f"<#{table.games.id}>" in await table.refused(
            table.ada.slash(other, "puzzle storm", kind=kind)
        )


@pytest.mark.slow
async def test_a_result_is_shared_once_and_only_when_it_is_over(table: Table) -> None:
    message = await begun(table)
    await press(table, message)
    assert "Share" not in buttons_of(message)
    await table.refused(table.forge(table.ada, message, "d1:sx:course:1"))
    await table.ada.click(message, label="Stop")
    await table.ada.click(message, label="Share")
    (posted,) = table.games.history(viewer=table.ben)
    text = text_of(posted)
    assert "### ⚡ Puzzle storm: Connect Four\n**1** puzzle solved, 0 missed." in text
    assert "Ada" in text
    assert "your best" not in text
    await table.refused(table.ada.click(message, label="Share"))
