"""Matches between agents: speeds, stopping, another match, and no buttons for players."""

from __future__ import annotations

from typing import Any

import pytest

from bot.domain.look import Theme
from bot.domain.match import Pace
from bot.domain.preferences import Preferences
from bot.domain.result import End, Result
from tests.bot.table import Table, buttons_of, text_of

SPEEDS = {"Slow": True, "Normal": True, "Full speed": True}
MOVE = 61
"""Seconds in which a move is made at the normal speed of tests."""


async def watched(table: Table, game: str = "tic-tac-toe", **options: str) -> Any:
    levels = {"first_level": "pip", "second_level": "pip"}
    return (await table.ada.slash(table.games, "watch", game=game, **{**levels, **options})).response


async def number_of_moves(table: Table, match_id: int = 1) -> int:
    return len((await table.bot.services.matches.match(match_id)).timed_moves)


@pytest.mark.parametrize("game", ["tic-tac-toe", "connect-four", "othello"])
async def test_a_match_of_agents_has_only_buttons_for_watchers(table: Table, game: str) -> None:
    board = await watched(table, game)
    assert buttons_of(board) == {**SPEEDS, "Board style": True, "Stop": True}


@pytest.mark.slow
async def test_two_agents_play_move_by_move_and_a_button_starts_another_match(table: Table) -> None:
    board = await watched(table)
    before = text_of(board)
    await table.env.advance_time(MOVE)
    assert text_of(board) != before
    for _ in range(9):
        await table.env.advance_time(MOVE)
    assert "wins" in text_of(board) or "A draw" in text_of(board)
    assert buttons_of(board) == {"Another": True, "Review": True, "Replay": True}

    again = (await table.ben.click(board, label="Another")).response
    first, second = (
        (await table.bot.services.matches.match(table.first_match)),
        (await table.bot.services.matches.match(table.first_match + 1)),
    )
    assert second.seats == first.seats[::-1]
    assert second.begun_by == table.ben.id
    assert buttons_of(again) == {**SPEEDS, "Board style": True, "Stop": True}
    assert "already started" in await table.refused(table.ada.click(board, label="Another"))


async def test_another_one_swaps_the_sides(own_table: Table) -> None:
    board = await watched(own_table, first_level="pip", second_level="otto")
    await own_table.ada.click(board, label="Stop")
    await own_table.ada.click(board, label="Another")
    assert [seat.level for seat in (await own_table.bot.services.matches.match(2)).seats] == ["otto", "pip"]


@pytest.mark.slow
async def test_the_speed_is_chosen_in_the_command_and_changed_by_all(own_table: Table) -> None:
    board = await watched(own_table, speed="slow")
    await own_table.env.advance_time(2 * MOVE)
    assert await number_of_moves(own_table) == 0
    await own_table.eve.click(board, label="Normal")
    # The move is due by now, without the rest of the slow pause.
    await own_table.env.advance_time(1)
    assert await number_of_moves(own_table) == 1
    await own_table.eve.click(board, label="Full speed")
    await own_table.env.advance_time(5)
    assert (await own_table.bot.services.matches.match(own_table.first_match)).is_over
    assert "wins" in text_of(board) or "A draw" in text_of(board)


async def test_the_speed_survives_a_restart_and_so_do_the_buttons(own_table: Table) -> None:
    board = await watched(own_table)
    await own_table.ben.click(board, label="Slow")
    await own_table.restart()
    assert (await own_table.bot.services.matches.match(1)).pace is Pace.SLOW
    await own_table.ben.click(board, label="Normal")
    assert (await own_table.bot.services.matches.match(1)).pace is Pace.NORMAL


@pytest.mark.slow
async def test_only_its_starter_stops_a_match_of_agents(own_table: Table) -> None:
    board = await watched(own_table)
    assert "Only whoever started" in await own_table.refused(own_table.ben.click(board, label="Stop"))
    await own_table.ada.click(board, label="Stop")
    assert (await own_table.bot.services.matches.match(own_table.first_match)).result == Result(
        None, End.STOPPED
    )
    assert "Stopped" in text_of(board)
    assert buttons_of(board) == {"Another": True}
    await own_table.env.advance_time(2 * MOVE)
    assert await number_of_moves(own_table) == 0


async def test_a_match_of_agents_has_the_look_of_its_starter(table: Table) -> None:
    await table.bot.services.settings.prefer(table.ada.id, Preferences(theme=Theme.LETTERS))
    board = await watched(table, "connect-four")
    assert "X" in text_of(board)


async def test_people_do_not_set_the_pace_of_their_own_match(own_table: Table) -> None:
    await own_table.pair()
    with pytest.raises(Exception, match="not_watched"):
        await own_table.bot.services.playing.set_pace(1, own_table.person(own_table.ada), Pace.QUICK)
