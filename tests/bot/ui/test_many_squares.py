"""A board of 225 squares: two presses reach any square, and swap2 has buttons."""

from __future__ import annotations

from typing import Any

import pytest

from bot.presentation.text import draw_text
from engine.games import game
from tests.bot.table import Table, buttons_of, text_of

# Shorter than the minute for which some tasks sleep; simcord would wait for them.
LETTERS = "abcdefghijklmno"


async def press(actor: Any, board: Any, square: str) -> Any:
    """Press the column, then the square."""
    opened = (await actor.click(board, label=square[0])).response
    return (await actor.click(opened, label=square)).response


@pytest.mark.slow
async def test_a_move_takes_a_press_on_the_column_and_one_on_the_square(table: Table) -> None:
    board = await table.pair(game="gomoku")
    assert list(buttons_of(board))[:15] == list(LETTERS)
    opened = (await table.ada.click(board, label="h")).response
    assert list(buttons_of(opened))[:16] == [*(f"h{row}" for row in range(1, 16)), "Another column"]
    back = (await table.ada.click(opened, label="Another column")).response
    assert list(buttons_of(back))[:15] == list(LETTERS)
    played = await press(table.ada, back, "h8")
    assert "Ada played **h8**" in text_of(played)
    assert list(buttons_of(played))[:15] == list(LETTERS)


async def test_only_free_squares_of_a_column_can_be_pressed_and_none_moves(table: Table) -> None:
    board = await table.pair(game="gomoku")
    await press(table.ada, board, "h8")
    opened = (await table.ben.click(table.board(), label="h")).response
    squares = {name: is_open for name, is_open in buttons_of(opened).items() if name[1:].isdigit()}
    assert list(squares) == [f"h{row}" for row in range(1, 16)]
    assert [name for name, is_open in squares.items() if not is_open] == ["h8"]


@pytest.mark.slow
async def test_only_the_player_to_move_can_open_a_column(table: Table) -> None:
    board = await table.pair(game="gomoku")
    said = await table.refused(table.ben.click(board, label="h"))
    assert "Ada" in said
    assert list(buttons_of(table.board()))[:15] == list(LETTERS)


@pytest.mark.slow
async def test_squares_can_be_typed(table: Table) -> None:
    await table.pair(game="gomoku")
    offered = await table.ada.autocomplete(table.games, "move", "to", "h1")
    assert [choice["value"] for choice in offered] == ["h1", "h10", "h11", "h12", "h13", "h14", "h15"]
    await table.ada.slash(table.games, "move", to="h8")
    assert "Ada played **h8**" in text_of(table.board())


@pytest.mark.slow
async def test_swap2_is_played_by_buttons_and_says_whose_disc_is_next(table: Table) -> None:
    board = await table.pair(game="gomoku", board="15x15-swap2")
    assert "### Gomoku, 15×15, swap2" in text_of(board)
    assert "Swap2 opening: Ada places discs of both colours, now 🟤." in text_of(board)
    await press(table.ada, board, "h8")
    assert "now 🟡." in text_of(table.board())
    await press(table.ada, table.board(), "i9")
    await press(table.ada, table.board(), "j8")
    board = table.board()
    text = text_of(board)
    assert "Swap2" not in text
    assert "🔄 Or swap colours" in text
    assert "➕ Or add one more disc of each colour" in text
    assert "Ben** to move" in text
    swapped = (await table.ben.click(board, label="swap")).response
    assert "Ben took the other colour: all discs have changed sides" in text_of(swapped)
    assert "Ada** to move" in text_of(swapped)
    assert "swap" not in buttons_of(swapped)


@pytest.mark.slow
async def test_two_under_swap2_says_that_the_discs_change_sides_and_the_side_with_fewer_moves_next(
    table: Table,
) -> None:
    board = await table.pair(game="gomoku", board="9x9-swap2")
    for square in ("e5", "d5", "f6"):
        await press(table.ada, table.board(), square)
    added = (await table.ben.click(table.board(), label="two")).response
    assert "all discs have changed sides, and Ben adds one of each colour, now 🟤." in text_of(added)
    for square in ("a1", "b1"):
        board = await press(table.ben, table.board(), square)
    drawn = text_of(board)
    assert "🟤 **Ada** to move" in drawn
    assert (drawn.count("🟡") + drawn.count("🟨"), "🔄 Or swap colours" in drawn) == (3 + 1, True)


async def test_against_an_agent_a_match_under_swap2_goes_on_after_the_three(table: Table) -> None:
    await table.start(game="gomoku", board="9x9-swap2", level="hana")
    for square in ("e5", "d5", "f6"):
        await press(table.ada, table.board(), square)
    assert "Ada** to move" in text_of(table.board())


def test_rows_of_a_large_board_are_in_small_print_and_numbered_alike() -> None:
    lines = draw_text("gomoku", game("gomoku").start()).splitlines()
    assert len(lines) == 16
    assert all(line.startswith("-# `") for line in lines)
    assert [line[3:7] for line in lines[1:]] == [f"`{row:02}`" for row in range(1, 16)]
    assert {line.count("🟩") for line in lines[1:]} == {15}
