"""The board of every game as data for a web page."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime
from random import Random

import pytest

from bot.domain.location import Web
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.presentation.web_board import description, description_of, position_of
from engine.core import Player
from engine.games import GAMES, spec_of
from engine.games.conformance import playout
from engine.games.spec import BoardCell, Border, Piece
from tests.engine.games.shapes import HEXAGONS, KINGS, PITS

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEATS = (Seat("Ada", user_id=1), Seat("Ben", user_id=2))
BOARDS = [(key, board) for key, rules in GAMES.items() for board in rules.boards]


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_the_description_has_every_cell_and_colour(key: str, board: str) -> None:
    start, found = GAMES[key].start(board), description_of(key, board)
    cells = found["cells"]
    assert len(cells) >= len(start.cells())
    assert len({(cell["row"], cell["column"]) for cell in cells}) == len(cells)
    assert any(cell.get("name") or cell.get("zone") for cell in cells)
    if spec_of(key).look.places is None:
        assert all(cell.get("name") or cell.get("zone") for cell in cells)
        assert found["box"] == [0, 0, start.columns, start.rows]
    assert len(found["palettes"]) == 5
    assert all(len(palette["pieces"]) == 2 for palette in found["palettes"].values())
    assert json.loads(json.dumps(found)) == found


def test_the_side_that_begins_near_the_lower_edge_is_told() -> None:
    near = {key: description_of(key, rules.boards[0]).get("near") for key, rules in GAMES.items()}
    assert near == dict.fromkeys(GAMES) | {"kalah": 0, "draughts": 1}


def test_boards_that_differ_have_different_digests() -> None:
    assert len({description_of(key, board)["digest"] for key, board in BOARDS}) == len(BOARDS)


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_each_legal_move_is_reached_by_exactly_one_press(key: str, board: str) -> None:
    spec, cells = spec_of(key), description_of(key, board)["cells"]
    touched = {*range(len(cells)), *(cell["zone"] for cell in cells if "zone" in cell)}
    match = Match.begin(key, board, SEATS, Web("en"), NOW)
    for state, move in playout(spec, board, Random(5)):
        found = position_of(match, state.to_move)
        moves = found["moves"]
        assert [one["move"] for one in moves] == list(state.legal_moves())
        presses = [tuple(one.get("press", [one["move"]])) for one in moves]
        assert all(set(press) <= touched for press in presses)
        reached = Counter(
            press or (one.get("group"), one["name"]) for press, one in zip(presses, moves, strict=True)
        )
        assert set(reached.values()) == {1}
        assert {one["group"] for one in moves if "group" in one} == set(found["groups"])
        match = match.play(1 + state.to_move, move, NOW)
    final = position_of(match, match.to_move)
    owners = {piece["at"]: Player(piece["side"]) for piece in final["pieces"]}
    assert owners == {at: owner for at, owner in enumerate(match.state.cells()) if owner is not None}
    assert "moves" not in final


def test_only_the_side_that_may_move_gets_the_moves() -> None:
    match = Match.begin("othello", "8x8", SEATS, Web("en"), NOW)
    assert "moves" in position_of(match, Player.FIRST)
    assert "moves" not in position_of(match, Player.SECOND)
    assert "moves" not in position_of(match, None)


def test_a_game_can_have_hexagons_counts_and_moves_of_two_presses() -> None:
    spec = spec_of("othello")
    hexagons = [
        BoardCell(column + row / 2, 0.87 * row, row, column, "h", "", "hexagon")
        for row in range(8)
        for column in range(8)
    ]
    look = replace(
        spec.look,
        places=lambda _board: hexagons,
        pieces=lambda _state: {7: Piece("seeds", None, "", 12)},
        press=lambda _state, move: (0, move),
    )
    own = replace(spec, look=look)
    found = description(own, "8x8")
    assert found["box"] == pytest.approx([-0.5, -0.577, 11.5, 7.245], abs=0.001)
    assert {cell["shape"] for cell in found["cells"]} == {"hexagon"}
    state = own.rules.start("8x8")
    assert own.pieces_of(state)[7].count == 12
    assert own.press_of(state, 19) == (0, 19)


def test_coordinates_stand_beside_slanted_rows_and_at_the_edge_of_others() -> None:
    slanted = description(HEXAGONS, "3x3")["labels"]
    assert [(one["text"], one["x"]) for one in slanted] == [
        *(("a", 0.5), ("b", 1.5), ("c", 2.5)),
        *(("1", 0.0), ("2", 0.5), ("3", 1.0)),
    ]
    assert {one["x"] for one in description(KINGS, "6x6")["labels"] if "row" in one} == {0}
    assert description(PITS, "3x3")["labels"] == []


def test_the_description_has_the_coloured_sides_and_squares_of_a_board() -> None:
    border = Border(Player.SECOND, ((0, 0), (0, 2.5)))
    found = description(replace(KINGS, look=replace(KINGS.look, borders=lambda _board: [border])), "6x6")
    assert found["borders"] == [{"side": 1, "points": [[0, 0], [0, 2.5]]}]
    assert all(len(palette["squares"]) == 2 for palette in found["palettes"].values())
