"""Draughts in Discord: the piece, then its target; compulsory jumps; kings in the text of the board."""

from __future__ import annotations

import pytest

from bot.presentation.text import draw_text
from engine.core import Player
from tests.bot.table import Table, buttons_of, text_of
from tests.engine.games.draughts.test_rules import position


async def test_a_piece_is_pressed_and_then_its_target(table: Table) -> None:
    board = await table.pair(game="draughts")
    assert list(buttons_of(board))[:4] == ["9", "10", "11", "12-16"]
    opened = (await table.ada.click(board, label="11")).response
    assert list(buttons_of(opened))[:3] == ["11-15", "11-16", "Another piece"]
    played = (await table.ada.click(opened, label="11-15")).response
    assert "Ada played **11-15**" in text_of(played)


@pytest.mark.slow
async def test_a_jump_is_compulsory_and_the_refusal_says_so(table: Table) -> None:
    await table.pair(game="draughts")
    await table.ada.slash(table.games, "move", to="11-15")
    await table.ben.slash(table.games, "move", to="22-18")
    assert list(buttons_of(table.board()))[:1] == ["15x22"]
    said = await table.refused(table.ada.slash(table.games, "move", to="9-13"))
    assert "You can take a piece, so you have to. You can play 15x22." in said
    await table.ada.click(table.board(), label="15x22")
    assert "Ada played **15x22**" in text_of(table.board())


def test_kings_and_squares_are_told_apart_in_emoji() -> None:
    lines = draw_text("draughts", position("B1 5 / W32 28", Player.SECOND)).splitlines()
    board = "\n".join(lines)
    assert [board.count(emoji) for emoji in ("🤎", "🟤", "💛", "🟡", "🟩", "⬜")] == [1, 1, 1, 1, 28, 32]
