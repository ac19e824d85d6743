"""The games of tests/example_package in Discord: whole matches, and everything around them."""

from __future__ import annotations

import io
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from PIL import Image

from bot.services.reviews import Reviews
from engine.core import Player
from tests.bot.table import Table, buttons_of, text_of

BREAKTHROUGH, KALAH = "little-breakthrough", "little-kalah"
RACE = ("c4c3", "a2a3", "c3d2", "e2e3", "d2c1")
"""The first man of the first side is on the last row after five moves."""


def moves_offered(board: Any) -> list[str]:
    """The labels of buttons for moves and for choices before them."""
    return [name for name, is_open in buttons_of(board).items() if is_open and name[0].islower()]


async def press(actor: Any, board: Any, name: str) -> Any:
    """Press the man where he has several targets, then the move."""
    if name not in buttons_of(board):
        board = (await actor.click(board, label=name[:2])).response
    return (await actor.click(board, label=name)).response


async def race(table: Table, **options: Any) -> Any:
    board = await table.pair(game=BREAKTHROUGH, **options)
    for ply, name in enumerate(RACE):
        await press((table.ada, table.ben)[ply % 2], table.board(), name)
    return board


async def test_a_man_is_pressed_and_then_his_target(table: Table) -> None:
    board = await table.pair(game=BREAKTHROUGH)
    assert moves_offered(board) == ["a4", "b4", "c4", "d4", "e4"]
    opened = (await table.ada.click(board, label="c4")).response
    assert opened.id == board.id
    assert moves_offered(opened) == ["c4b3", "c4c3", "c4d3"]
    assert text_of(opened).count("🔹") == 3, "his targets are marked"
    again = (await table.ada.click(opened, label="Another piece")).response
    assert moves_offered(again) == ["a4", "b4", "c4", "d4", "e4"]
    opened = (await table.ada.click(again, label="d4")).response
    assert "Ada is to move" in await table.refused(table.ben.click(opened, label="d4d3"))
    assert "Ada is to move" in await table.refused(table.ben.click(opened, label="Another piece"))
    played = (await table.ada.click(opened, label="d4d3")).response
    assert "Ada played **d4d3**" in text_of(played)
    assert moves_offered(played) == ["a2", "b2", "c2", "d2", "e2"]


async def test_a_choice_that_was_made_before_a_restart_still_leads_on(table: Table) -> None:
    board = await table.pair(game=BREAKTHROUGH)
    opened = (await table.ada.click(board, label="c4")).response
    await table.restart()
    back = (await table.ada.click(opened, label="Another piece")).response
    await table.restart()
    played = await press(table.ada, back, "c4b3")
    assert "Ada played **c4b3**" in text_of(played)


async def test_a_choice_on_an_old_board_is_refused(table: Table) -> None:
    board = await table.pair(game=BREAKTHROUGH)
    await table.ada.slash(table.games, "move", to="c4c3")
    said = await table.refused(table.forge(table.ben, board, "d1:mc:1:0:442.1"))
    assert "board" in said
    assert moves_offered(table.board()) == ["a2", "b2", "c2", "d2", "e2"]


async def test_two_people_play_to_the_end_and_look_back(table: Table) -> None:
    board = await race(table)
    text = text_of(board)
    assert "Ada played **d2c1**" in text
    assert "**Ada wins**" in text
    reviews = Reviews(table.bot.services.search, later_seconds=0.1)
    table.bot.services = replace(table.bot.services, reviews=reviews)
    review = (await table.ben.click(board, label="Review")).response
    assert "### Review: Little Breakthrough" in text_of(review)
    assert review.attachments
    replayed = (await table.ada.click(board, label="Replay")).response
    assert "".join(RACE) in text_of(replayed)
    gif = await replayed.attachments[0].read()
    assert getattr(Image.open(io.BytesIO(gif)), "n_frames", 1) == len(RACE) + 1


async def test_moves_are_typed_completed_and_refused_in_their_notation(table: Table) -> None:
    await table.pair(game=BREAKTHROUGH)
    offered = await table.ada.autocomplete(table.games, "move", "to", "c4")
    assert [choice["value"] for choice in offered] == ["c4b3", "c4c3", "c4d3"]
    assert "a1" in await table.refused(table.ada.slash(table.games, "move", to="a1b2"))
    await table.ada.slash(table.games, "move", to="c4c3")
    assert "Ada played **c4c3**" in text_of(table.board())


async def test_a_hint_names_the_move_and_an_undo_brings_the_man_back(table: Table) -> None:
    board = await table.pair(game=BREAKTHROUGH, rated=False)
    for ply, name in enumerate(RACE[:4]):
        await press((table.ada, table.ben)[ply % 2], table.board(), name)
    hint = (await table.ada.slash(table.games, "review hint")).response
    assert "**d2" in text_of(hint)
    await table.ben.click(board, label="Undo")
    await table.ada.click(board, label="Allow")
    assert "**Ben** to move" in text_of(board)


@pytest.mark.parametrize("key", [BREAKTHROUGH, KALAH])
async def test_a_match_against_an_agent_goes_on_to_its_end(table: Table, key: str) -> None:
    board = await table.start(game=key, level="pip")
    rng = Random(5)
    for _ in range(200):
        board = table.board()
        if "Rematch" in buttons_of(board):
            break
        board = (await table.ada.click(board, label=rng.choice(moves_offered(board)))).response
    text = text_of(board)
    assert "**Ada wins**" in text or "**Pip wins**" in text or "**A draw**" in text


async def test_in_kalah_a_side_moves_again_and_is_told_why(table: Table) -> None:
    board = await table.pair(game=KALAH, clock=300)
    assert moves_offered(board) == ["a", "b", "c", "d"]
    pings = len(table.writes("POST", "/channels/*/messages"))
    await table.ada.click(board, label="b")
    text = text_of(board)
    assert "Ada played **b**" in text
    assert "**Ada** to move" in text
    assert "The last seed fell into the store: the same side moves again." in text
    assert moves_offered(board) == ["a", "c", "d"]
    assert len(table.calls()) <= 1
    assert len(table.writes("POST", "/channels/*/messages")) == pings, "Ada is at the board already"
    await table.ada.click(board, label="a")
    assert "**Ben** to move" in text_of(board)
    assert moves_offered(board) == ["e", "f", "g", "h"]
    assert [call.split(",")[0] for call in table.calls()] == [table.ben.mention]


async def test_an_agent_answers_twice_in_a_row_and_both_are_taken_back(table: Table) -> None:
    await table.start(game=KALAH, level="pip", rated=False)
    rng, match = Random(2), await table.bot.services.matches.match(1)
    before = match.moves
    while match.movers[-2:] != (Player.SECOND, Player.SECOND):
        before = match.moves
        await table.ada.click(table.board(), label=rng.choice(moves_offered(table.board())))
        match = await table.bot.services.matches.match(1)
        assert match.to_move is Player.FIRST, "the agent moves until it is the person's turn"
    await table.ada.click(table.board(), label="Undo")
    assert (await table.bot.services.matches.match(1)).moves == before


async def test_a_whole_match_of_kalah_is_reviewed_and_replayed(table: Table) -> None:
    board = await table.pair(game=KALAH)
    rng, plies = Random(3), 0
    while "Rematch" not in buttons_of(table.board()):
        match = await table.bot.services.matches.match(1)
        actor = (table.ada, table.ben)[match.to_move]
        await actor.click(table.board(), label=rng.choice(moves_offered(table.board())))
        plies += 1
    match = await table.bot.services.matches.match(1)
    assert any(one is other for one, other in zip(match.movers, match.movers[1:], strict=False))
    assert len(match.moves) == plies
    assert match.counts
    assert match.rating_changes
    reviews = Reviews(table.bot.services.search, later_seconds=0.1)
    table.bot.services = replace(table.bot.services, reviews=reviews)
    review = (await table.ben.click(board, label="Review")).response
    assert "### Review: Little Kalah" in text_of(review)
    replayed = (await table.ada.click(board, label="Replay")).response
    gif = await replayed.attachments[0].read()
    assert getattr(Image.open(io.BytesIO(gif)), "n_frames", 1) == plies + 1
