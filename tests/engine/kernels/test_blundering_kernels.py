"""The model of an inattentive player: the kernels agree with a plain-Python twin on every missed move."""

from __future__ import annotations

import random

import numpy as np
import pytest

from engine.agents.boards import board_of
from engine.core import Limit
from engine.games.othello.kernels import plain_search
from engine.kernels import line_search
from engine.kernels.blundering import CERTAIN, PLAIN
from engine.kernels.control import INFINITY
from engine.kernels.running import running
from tests.engine.games.othello import test_kernels as othello_positions
from tests.engine.kernels import test_line_kernels as line_positions
from tests.engine.kernels.kernel_twins import PASS, WORD, LineTwin, OthelloTwin, minimax
from tests.engine.kernels.test_line_kernels import BOARDS

FACTORS = (0x1E3779B97F4A7C15, 0x3BB67AE8584CAA73)


def is_unseen(one: int, other: int, square: int, rate: int, subtlety: int, seed: int) -> bool:
    mixed = (seed ^ one) * FACTORS[0] & WORD
    mixed = (mixed ^ mixed >> 29 ^ other) * FACTORS[1] & WORD
    mixed = (mixed ^ mixed >> 31 ^ square) * FACTORS[0] & WORD
    return 4 * (mixed >> 48) < rate * subtlety


def bits(squares: frozenset[int]) -> int:
    return sum(1 << square for square in squares)


def seen_by_twin(
    twin: LineTwin | OthelloTwin, depth: int, rates: list[int], seed: int, distance: int = 0
) -> int:
    final = twin.final_value(distance)
    if final is not None:
        return final
    own, other = bits(twin.own), bits(twin.other)
    second = own | other if isinstance(twin, LineTwin) else other
    seen = [
        square
        for square in (twin.moves() if depth else [])
        if square == PASS or not is_unseen(own, second, square, rates[distance], twin.subtlety(square), seed)
    ]
    if not seen:
        return twin.estimate()
    return max(-seen_by_twin(twin.play(square), depth - 1, rates, seed, distance + 1) for square in seen)


def line_seen_by_kernel(twin: LineTwin, depth: int, rates: list[int], seed: int) -> int:
    board = line_positions.line_board(twin)
    with running(Limit()) as run:
        search = board.plain_search(run, rates=np.array(rates, np.int64), seed=seed)
        window = (-INFINITY, INFINITY)
        return line_search.search(board.own, board.mask, depth, *window, 0, 1, search.place)


def othello_seen_by_kernel(twin: OthelloTwin, depth: int, rates: list[int], seed: int) -> int:
    board = othello_positions.othello_board(twin)
    with running(Limit()) as run:
        search = board.plain_search(run, rates=np.array(rates, np.int64), seed=seed)
        window = (-INFINITY, INFINITY)
        return plain_search.search(board.own, board.opposing, depth, *window, 0, 1, search.place)


@pytest.mark.parametrize("board", BOARDS)
def test_in_a_row_the_kernel_sees_the_same_moves_as_the_twin(board: str) -> None:
    rng = random.Random(board)
    for _ in range(25):
        twin = line_positions.random_position(board, rng)
        depth = rng.randrange(4 if twin.columns < 10 else 3)
        rates = [rng.choice((0, CERTAIN // 5, CERTAIN // 2, CERTAIN)) for _ in range(5)]
        seed = rng.getrandbits(62)
        assert line_seen_by_kernel(twin, depth, rates, seed) == seen_by_twin(twin, depth, rates, seed)


@pytest.mark.parametrize("size", [8, 6])
def test_in_othello_the_kernel_sees_the_same_moves_as_the_twin(size: int) -> None:
    rng = random.Random(size)
    for _ in range(25):
        twin = othello_positions.random_position(size, rng)
        depth = rng.randrange(4)
        rates = [rng.choice((0, CERTAIN // 5, CERTAIN // 2, CERTAIN)) for _ in range(5)]
        seed = rng.getrandbits(62)
        assert othello_seen_by_kernel(twin, depth, rates, seed) == seen_by_twin(twin, depth, rates, seed)


@pytest.mark.slow
def test_with_a_rate_of_zero_it_agrees_with_minimax() -> None:
    rng = random.Random(1)
    for _ in range(20):
        line = line_positions.random_position("6x7x4", rng)
        disc = othello_positions.random_position(8, rng)
        assert line_seen_by_kernel(line, 3, [0] * 4, 1) == minimax(line, 3)[0]
        assert othello_seen_by_kernel(disc, 3, [0] * 4, 1) == minimax(disc, 3)[0]


@pytest.mark.parametrize("percent", [5, 30, 75])
def test_moves_are_missed_at_the_given_rate(percent: int) -> None:
    rng = random.Random(percent)
    missed = sum(
        is_unseen(
            rng.getrandbits(49), rng.getrandbits(49), rng.randrange(49), CERTAIN * percent // 100, PLAIN, seed
        )
        for seed in range(20_000)
    )
    assert abs(missed / 20_000 - percent / 100) < 0.02


@pytest.mark.parametrize("board", BOARDS)
def test_in_a_row_the_root_agrees_with_the_kernel(board: str) -> None:
    rng = random.Random(board)
    for _ in range(40):
        twin = line_positions.random_position(board, rng)
        if twin.result() is None:
            root = board_of(line_positions.state_of(twin))
            assert [root.subtlety(square) for square in twin.moves()] == list(
                map(twin.subtlety, twin.moves())
            )


@pytest.mark.parametrize("size", [8, 6])
def test_in_othello_the_root_agrees_with_the_kernel(size: int) -> None:
    rng = random.Random(size)
    for _ in range(40):
        twin = othello_positions.random_position(size, rng)
        moves = [square for square in twin.moves() if square != PASS]
        if moves:
            root = board_of(othello_positions.state_of(twin))
            assert [root.subtlety(square) for square in moves] == list(map(twin.subtlety, moves))
