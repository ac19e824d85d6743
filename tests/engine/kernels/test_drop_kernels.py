"""The kernels for boards of any size agree with the twins, on boards small and large."""

from __future__ import annotations

import random

import pytest

from engine.core import Limit
from engine.games.connect_four.large_board import LargeBoard
from engine.kernels import drop_search
from engine.kernels.control import INFINITY
from engine.kernels.root_search import RootSearch
from engine.kernels.running import running
from engine.kernels.uct_tree import UctTree
from tests.engine.kernels.kernel_twins import LineTwin, Uct
from tests.engine.kernels.kernel_twins import minimax as twin_minimax
from tests.engine.kernels.test_line_kernels import random_position, state_of
from tests.slow_cases import mark_slow

BOARDS = ("3x3x3", "6x7x4", "8x8x4", "10x10x5", "7x12x7", "12x12x8")


def board_of(twin: LineTwin) -> LargeBoard:
    state = state_of(twin)
    assert state.rows == twin.rows
    return LargeBoard.of(state)  # type: ignore[arg-type]  # these twins drop their discs


def whole_value(search: RootSearch, depth: int) -> int:
    """Of the root itself, which `RootSearch` only has its moves' values of."""
    return drop_search.search(0, 0, depth, -INFINITY, INFINITY, 0, 1, search.place)


@pytest.mark.parametrize("board", BOARDS)
def test_minimax_and_alphabeta_return_the_twins_value(board: str) -> None:
    rng = random.Random(board)
    for _ in range(12):
        twin = random_position(board, rng)
        depth = rng.randrange(4) if twin.columns < 10 else rng.randrange(3)
        expected, states = twin_minimax(twin, depth)
        prepared = board_of(twin)
        for prunes in (False, True):
            with running(Limit()) as run:
                assert whole_value(prepared.plain_search(run, prunes=prunes), depth) == expected
                assert run.nodes == states or prunes


@pytest.mark.parametrize("board", BOARDS)
def test_the_value_of_a_move_is_that_of_the_state_after_it(board: str) -> None:
    rng = random.Random(board)
    for _ in range(20):
        twin = random_position(board, rng)
        prepared = board_of(twin)
        with running(Limit()) as run:
            search = prepared.plain_search(run)
            values = {
                square: search.value(square, 3, -INFINITY) for group in prepared.groups for square in group
            }
            assert sorted(values) == [square // twin.stride for square in twin.moves()]
            assert max(values.values()) == whole_value(search, 3)


@pytest.mark.parametrize("board", mark_slow(BOARDS, lambda board: board != "3x3x3"))
def test_the_monte_carlo_tree_is_the_twins_visit_for_visit(board: str) -> None:
    rng = random.Random(board)
    for simulations in (1, 10, 60, 200 if board in BOARDS[:3] else 90):  # the twin takes its time
        twin = random_position(board, rng, 25)
        seed = rng.getrandbits(62)
        tree = UctTree.with_room_for(simulations, twin.columns)
        with running(Limit(nodes=simulations)) as run:
            board_of(twin).simulate(1.0, 64, seed, run, tree)
        grown = [
            (int(tree.square[child]), int(tree.visits[child]), int(tree.gain[child]))
            for child in tree.children_of(0)
        ]
        expected = Uct(twin, simulations, 1.0, seed).visits()
        assert grown == [(square // twin.stride, visits, gain) for square, visits, gain in expected]
        assert run.nodes == simulations
