"""Move groups: a heading of their own and words of their own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.table import Table, parts_of, text_of

GREY, BLUE = 2, 1


def moves_of(message: Any) -> list[tuple[str, int, str]]:
    """Return emoji and label, style and move of every enabled move button, in order."""
    return [
        (
            (part.get("emoji") or {}).get("name", "") + part.get("label", ""),
            part["style"],
            part["custom_id"].split(":")[-1],
        )
        for part in parts_of(message)
        if part["type"] == 2 and part["custom_id"].startswith("d1:m:") and not part.get("disabled")
    ]


async def press(actor: Any, board: Any, move: str) -> Any:
    (custom_id,) = (
        part["custom_id"]
        for part in parts_of(board)
        if part.get("custom_id", "").startswith("d1:m:") and part["custom_id"].endswith(f":{move}")
    )
    return (await actor.click(board, custom_id=custom_id)).response


@pytest.mark.slow
async def test_pops_have_their_own_colour_and_heading_below_the_columns(table: Table) -> None:
    board = await table.pair(game="pop-out")
    assert moves_of(board) == [(str(column + 1), GREY, str(column)) for column in range(7)]
    assert "pop your own" not in text_of(board)
    await press(table.ada, board, "3")
    await press(table.ben, table.board(), "4")
    board = table.board()
    assert "⏏️ Or pop your own disc out at the bottom of a column:" in text_of(board)
    assert moves_of(board)[7:] == [("⏏️4", BLUE, "10")]


@pytest.mark.slow
async def test_a_pressed_pop_is_described_as_a_pop(table: Table) -> None:
    board = await table.pair(game="pop-out")
    for actor, move in ((table.ada, "3"), (table.ben, "3"), (table.ada, "10")):
        await press(actor, table.board(), move)
    board = table.board()
    assert "Ada popped the bottom disc out of column **4**" in text_of(board)
    assert "Ben** to move" in text_of(board)
    assert moves_of(board)[7:] == [("⏏️4", BLUE, "10")]


@pytest.mark.slow
async def test_a_pop_can_be_typed_and_an_illegal_one_is_refused_with_a_reason(table: Table) -> None:
    await table.pair(game="pop-out")
    said = await table.refused(table.ada.slash(table.games, "move", to="p1"))
    assert said == (
        "p1 isn’t possible: the disc at the bottom of that column isn’t yours. "
        "You can play 1, 2, 3, 4, 5, 6, 7."
    )
    await table.ada.slash(table.games, "move", to="1")
    await table.ben.slash(table.games, "move", to="2")
    offered = await table.ada.autocomplete(table.games, "move", "to", "p")
    assert [choice["value"] for choice in offered] == ["p1"]
    await table.ada.slash(table.games, "move", to="p1")
    assert "column **1**" in text_of(table.board())


@pytest.mark.slow
async def test_the_same_position_for_the_third_time_is_a_draw(table: Table) -> None:
    await table.pair(game="pop-out")
    for move in ("3", "2", "10", "9", "3", "2", "10", "9"):
        actor = table.ada if move in ("3", "10") else table.ben
        await press(actor, table.board(), move)
    assert "**A draw**: the same position for the third time." in text_of(table.board())
