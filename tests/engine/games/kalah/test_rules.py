"""Kalah: sowing, moving again, captures, the end of the game, and the published lines of best play."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from engine.core import BoardError, EndReason, IllegalMove, NotationError, Outcome, Player, replay
from engine.games import game, spec_of
from engine.games.kalah import KalahState
from engine.games.kalah.rules import as_kalah
from engine.games.notation import parse_moves
from engine.games.perft import perft
from engine.games.reasons import Reason, Why
from engine.score import Score, final_score
from tests.engine.games.kalah import plain_kalah as plain

RULES, SPEC = game("kalah"), spec_of("kalah")
PERFT = json.loads((Path(__file__).parents[3] / "data" / "perft.json").read_text("utf-8"))["kalah"]

BEST_GAMES = {
    "4x1": (2, "32-32-1"),
    "4x2": (6, "3-3-230-231-1323"),
    "4x3": (8, "13-1-032-2-3-0-1320-3-0-2"),
    "5x3": (8, "24-3-3-03-41-1-04342-3-3-2-2-4-414342-3"),
    "5x4": (12, "12-04-03-2-20-41-1-42-32-3-2-40-0-1"),
    "6x3": (2, "4-5-35-250-2-154-451535452-53-3-54-2"),
    "6x4": (10, "25-10-3-3-5153-1-4-5-045-4-535452-53-4-1-3-2-0-54-1-3"),
    "6x5": (12, "12-02-05-2-4-51-53-3-45-20-3-2-2-345-5-4-351-0-54-1-52-354-4-254-3-3"),
}
"""Irving, Donkers and Uiterwijk (2000), table 9: the lead and a line of best play. Pits count from 0, and a
dash is the end of a turn."""


def at(pits: str, mover: Player = Player.FIRST, stores: tuple[int, int] = (0, 0)) -> KalahState:
    """Return the state with these seeds: the lower row from the left, then the upper row from the right."""
    return KalahState(tuple(map(int, pits.split())), stores, mover)


def test_a_last_seed_in_the_own_store_moves_again() -> None:
    after = RULES.start().play(2)
    assert str(after) == " 0 |  4  4  4  4  4  4 |\n   |  4  4  0  5  5  5 |  1"
    assert after.to_move is Player.FIRST
    assert after.play(5).to_move is Player.SECOND


def test_seeds_go_past_the_other_sides_store() -> None:
    after = at("0 0 0 0 0 9  1 1 1 1 1 1").play(5)
    assert after.pits == (1, 0, 0, 0, 0, 0, 2, 2, 2, 2, 0, 2), "the ninth falls into b and takes k"
    assert after.stores == (1 + 1 + 2, 0)


def test_a_last_seed_in_an_own_empty_pit_captures_the_pit_opposite() -> None:
    after = at("1 0 0 0 0 1  0 0 0 0 7 2").play(0)
    assert after.pits == (0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 2)
    assert after.stores == (8, 0)
    alone = at("1 0 0 0 0 1  1 0 0 0 0 0").play(0)
    assert alone.stores == (1, 0), "it is captured even if the pit opposite is empty"
    there = at("0 1 0 0 0 2  1 0 0 0 0 3").play(5)
    assert there.pits[6] == 2, "nothing is captured on the other side"


def test_a_round_ends_in_the_pit_it_started_from() -> None:
    after = at("0 0 13 0 0 0  1 1 1 1 1 1").play(2)
    assert after.stores == (1 + 1 + 2, 0)
    assert after.pits[2] == 0


def test_the_seeds_left_belong_to_their_side() -> None:
    over = at("0 0 0 0 0 1  2 0 3 0 0 0", stores=(20, 22)).play(5)
    assert over.outcome() == Outcome(Player.SECOND, EndReason.POINTS, points=(21, 27))
    assert not any(over.pits)
    assert final_score(over) == Score.by_discs(-6)
    even = at("0 0 0 0 0 1  0 0 3 0 0 0", stores=(23, 21)).play(5)
    assert even.outcome() == Outcome(None, EndReason.POINTS, points=(24, 24))


def test_only_own_pits_with_seeds_can_be_sown() -> None:
    state = at("0 1 0 0 0 1  1 1 0 0 0 0")
    assert [RULES.move_name(state, move) for move in state.legal_moves()] == ["b", "f"]
    for name in "ag":
        with pytest.raises(IllegalMove) as refused:
            RULES.parse_move(state, name)
        assert refused.value.reason == "no_seeds"
    for text in ("m", "3", "ab", ""):
        with pytest.raises(NotationError):
            RULES.parse_move(state, text)
    for board in ("7x4", "4x3", "6x7", "6", "6x0"):
        with pytest.raises(BoardError):
            RULES.start(board)


@pytest.mark.parametrize("board", BEST_GAMES)
def test_a_published_line_is_legal_and_ends_as_published(board: str) -> None:
    lead, line = BEST_GAMES[board]
    state = KalahState.of(int(board[0]), int(board[2]))
    for number, turn in enumerate(line.split("-")):
        for pit in turn:
            assert state.to_move == number % 2
            state = state.play(int(pit) + number % 2 * int(board[0]))
    outcome = state.outcome()
    assert outcome is not None
    assert outcome.points is not None
    assert outcome.points[0] - outcome.points[1] == lead


def test_lines_are_counted_as_by_the_plain_rules() -> None:
    state, board = RULES.start(PERFT["board"]), plain.start(6, 4)
    for depth, lines in enumerate(PERFT["sequences"][:5]):
        assert lines == perft(state, depth) == plain.count_lines(board, depth)


@pytest.mark.parametrize("board", ["1x4", "2x5", "4x3", "6x4", "6x6"])
def test_random_games_are_those_of_the_plain_rules(board: str) -> None:
    rng = Random(board)
    for _ in range(30):
        size = int(board[0]), int(board[2])
        state, other = KalahState.of(*size), plain.start(*size)
        while not plain.is_over(other):
            first = state.to_move * int(board[0])
            moves = plain.moves(other)
            assert state.legal_moves() == tuple(first + pit for pit in moves)
            pit, mover = rng.choice(moves), state.to_move
            state = state.play(first + pit)
            other, goes_on = plain.made(other, pit)
            if not goes_on:
                other = (*other[2:], *other[:2])
            if not plain.is_over(other):
                assert state.to_move is (mover if goes_on else mover.other)
        own, store, theirs, their_store = other
        ends = (store + sum(own), their_store + sum(theirs))
        mover = mover if goes_on else mover.other
        assert state.stores == (ends if mover is Player.FIRST else ends[::-1])
        assert state.legal_moves() == ()


def test_letters_go_round_the_board_as_the_seeds_do() -> None:
    places = SPEC.places_of("6x4")
    rows = [sorted((p.column, p.name) for p in places if p.row == row) for row in (0, 1)]
    assert "".join(name for _, name in rows[0]) == "store 2lkjihg"
    assert "".join(name for _, name in rows[1]) == "abcdefstore 1"


def test_each_pit_shows_its_seeds_and_each_store_its_own() -> None:
    state = as_kalah(replay(RULES.start(), parse_moves(RULES, None, "cfg")))
    pieces = SPEC.pieces_of(state)
    assert {cell: piece.count for cell, piece in pieces.items() if cell < 12} == {
        pit: seeds for pit, seeds in enumerate(state.pits) if seeds
    }
    assert [(pieces[cell].owner, pieces[cell].count) for cell in (12, 13)] == [(0, 2), (1, 0)]
    assert SPEC.points_of(state) == (2, 0)


def test_reasons_count_the_captured_seeds_and_name_another_move() -> None:
    state = at("1 0 0 0 1 1  0 0 0 0 7 2")
    assert SPEC.teach.reasons(state, 0) == [Reason(Why.TAKES_SEEDS, 8)]
    assert SPEC.teach.reasons(state, 4) == []
    assert SPEC.teach.reasons(state, 5) == [Reason(Why.MOVES_AGAIN)]
    threatened = at("0 6 0 0 0 2  0 0 0 1 0 2")
    assert SPEC.teach.differences(threatened, 1, 5) == [Reason(Why.KEEPS_SEEDS, 7)]
    assert SPEC.teach.differences(threatened, 5, 1) == []
