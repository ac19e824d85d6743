"""Counting lines of play: by each game's own rule for games that end early, in pieces, with progress."""

from __future__ import annotations

from random import Random

import pytest

from engine.core import State
from engine.games import game
from engine.games.perft import counting_of, perft


def counted_by_hand(state: State, depth: int, *, keeps_ended: bool) -> int:
    if depth == 0:
        return 1
    moves = state.legal_moves()
    if not moves:
        return int(keeps_ended)
    return sum(counted_by_hand(state.play(move), depth - 1, keeps_ended=keeps_ended) for move in moves)


def near_the_end(key: str, board: str, plies: int, seed: int) -> State:
    rng, state = Random(seed), game(key).start(board)
    while state.ply < plies and state.legal_moves():
        state = state.play(rng.choice(state.legal_moves()))
    return state


@pytest.mark.parametrize(
    ("key", "board", "plies"),
    [
        pytest.param("othello", "6x6", 25, marks=pytest.mark.slow),
        pytest.param("othello", "8x8", 53, marks=pytest.mark.slow),
        ("connect-four", "6x7x4", 30),
    ],
)
def test_games_that_end_early_are_counted_by_the_games_rule(key: str, board: str, plies: int) -> None:
    for seed in range(8):
        state = near_the_end(key, board, plies, seed)
        keeps_ended = counting_of(state).keeps_ended
        assert keeps_ended is (key == "othello")
        for depth in range(9):
            assert perft(state, depth) == counted_by_hand(state, depth, keeps_ended=keeps_ended)


def test_the_count_of_a_finished_game_never_changes() -> None:
    over = near_the_end("othello", "8x8", 70, 1)
    assert [perft(over, depth) for depth in range(8)] == [1] * 8


def test_a_long_count_reports_its_progress() -> None:
    told: list[tuple[int, int, int]] = []
    total = perft(game("othello").start(), 9, lambda *progress: told.append(progress))
    pieces = len(told)
    assert total == 3_005_288
    assert pieces > 100
    assert [done for done, _, _ in told] == list(range(1, pieces + 1))
    assert {most for _, most, _ in told} == {pieces}
    assert told[-1][2] == total
