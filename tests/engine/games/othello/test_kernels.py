"""The Othello kernels agree with their plain-Python twins, on both boards."""

from __future__ import annotations

import random

import pytest

from engine.agents.boards import board_of
from engine.core import Limit
from engine.games.othello import OthelloState
from engine.games.othello.kernels import plain_search
from engine.games.othello.search_board import OthelloBoard
from engine.kernels.control import INFINITY
from engine.kernels.running import running
from engine.kernels.uct_tree import UctTree
from tests.engine.kernels.kernel_twins import PASS, OthelloTwin, Uct
from tests.engine.kernels.kernel_twins import minimax as twin_minimax
from tests.slow_cases import mark_slow

SIZES = [8, 6]
START = {"own": frozenset({28, 35}), "other": frozenset({27, 36})}


def random_position(size: int, rng: random.Random, most: int = 70) -> OthelloTwin:
    """Some moves into a random game that is not over."""
    twin = OthelloTwin(size, **START)
    for _ in range(rng.randrange(most)):
        following = twin.play(rng.choice(twin.moves()))
        if not following.moves():
            break
        twin = following
    return twin


def bits(squares: frozenset[int]) -> int:
    return sum(1 << square for square in squares)


def signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def state_of(twin: OthelloTwin) -> OthelloState:
    return OthelloState(twin.size, bits(twin.own), bits(twin.other))


def othello_board(twin: OthelloTwin) -> OthelloBoard:
    board = board_of(state_of(twin))
    assert isinstance(board, OthelloBoard)
    return board


def test_the_test_positions_use_the_sign_bit() -> None:
    corner_taken = OthelloTwin(8, frozenset({63, 54}), frozenset({45}))
    assert plain_search.legal_squares(signed(bits(corner_taken.own)), 1 << 45, -1) == 1 << 36


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_moves_flips_and_values_agree_with_the_twin(size: int) -> None:
    rng = random.Random(size)
    for _ in range(200):
        twin = random_position(size, rng)
        board = othello_board(twin)
        own, other = board.own, board.opposing
        free = frozenset(twin.placements())
        assert plain_search.legal_squares(own, other, board.frame) == signed(bits(free))
        for square in free:
            turned = plain_search.flipped_discs(signed(1 << square), own, other)
            assert turned == signed(bits(frozenset(twin.flips(square))))
        with running(Limit()) as run:
            search = board.plain_search(run)
            value = plain_search.search(own, other, 0, -INFINITY, INFINITY, 0, 1, search.place)
        assert value == twin.estimate()


@pytest.mark.parametrize("size", mark_slow(SIZES, lambda size: size == 8))
def test_minimax_and_alphabeta_return_the_twins_value(size: int) -> None:
    rng = random.Random(size)
    for _ in range(40):
        twin = random_position(size, rng)
        depth = rng.randrange(3)
        board = othello_board(twin)
        expected, states = twin_minimax(twin, depth)
        with running(Limit()) as run:
            for prunes in (False, True):
                search = board.plain_search(run, prunes=prunes)
                boards, window = (board.own, board.opposing), (-INFINITY, INFINITY)
                assert plain_search.search(*boards, depth, *window, 0, 1, search.place) == expected
                assert run.nodes == states or prunes


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
def test_alphabeta_bounds_the_value_from_the_side_of_a_narrow_window(size: int) -> None:
    rng = random.Random(size)
    for _ in range(200):
        board = othello_board(random_position(size, rng))
        with running(Limit()) as run:
            plain, pruned = (board.plain_search(run, prunes=prunes) for prunes in (False, True))
            boards = (board.own, board.opposing)
            value = plain_search.search(*boards, 4, -INFINITY, INFINITY, 0, 1, plain.place)
            alpha = value + rng.randrange(-12, 12)
            bound = plain_search.search(*boards, 4, alpha, alpha + 1, 0, 1, pruned.place)
        assert (value <= bound <= alpha) if value <= alpha else (alpha < bound <= value)


@pytest.mark.parametrize("size", mark_slow(SIZES, lambda size: size == 8))
def test_the_monte_carlo_tree_is_the_twins_visit_for_visit(size: int) -> None:
    rng = random.Random(size)
    for simulations, most in ((1, 20), (30, 20), (60, 50), (300, 60), (40, 70)):
        twin = random_position(size, rng, most)
        seed = rng.getrandbits(62)
        tree = UctTree.with_room_for(simulations, 33)
        with running(Limit(nodes=simulations)) as run:
            othello_board(twin).simulate(1.0, 64, seed, run, tree)
        grown = [
            (int(tree.square[child]), int(tree.visits[child]), int(tree.gain[child]))
            for child in tree.children_of(0)
        ]
        assert grown == Uct(twin, simulations, 1.0, seed).visits()


def test_a_forced_pass_is_a_move_of_the_tree() -> None:
    rng = random.Random(3)
    twin = random_position(6, rng)
    while twin.moves() != [PASS]:
        twin = random_position(6, rng)
    tree = UctTree.with_room_for(50, 33)
    with running(Limit(nodes=50)) as run:
        othello_board(twin).simulate(1.0, 64, 1, run, tree)
    assert [int(tree.square[child]) for child in tree.children_of(0)] == [PASS]
    assert tree.visits[1] == 50
