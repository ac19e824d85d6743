"""Moves, flips, stability and perft of the vector kernels, beside the rules written out."""

from __future__ import annotations

import random

import pytest

from engine.games.othello.kernels.endgame import stable_discs
from engine.games.othello.kernels.perft import count_lines, legal_squares, turned_discs
from engine.games.othello.kernels.tables import stable_on_edge, turned_on_line
from engine.games.othello.kernels.vectors import RAYS_DOWN, RAYS_UP, flips_anywhere, signed
from engine.games.othello.position import Position
from engine.kernels.jit import kernel
from tests.engine.games.othello.positions import START, bits, random_twin, state_of
from tests.engine.kernels.kernel_twins import PASS, OthelloTwin

# Aart Bik, "Computer Reversi Page", section "Perft for Reversi" (aartbik.com/MISC/reversi.html).
PERFT = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284]


@kernel("int64(int64, int64, int64)")
def turned_anywhere(square: int, own: int, opposing: int) -> int:
    return flips_anywhere(square, own, opposing)


def positions(size: int, count: int = 150) -> list[OthelloTwin]:
    rng = random.Random(size)
    return [random_twin(size, rng, rng.randrange(1, size * size - 4)) for _ in range(count)]


def test_the_rays_match_the_drawing() -> None:
    # e4 is bit 28; lanes: east, south-west, south, south-east, and the same backwards.
    assert RAYS_UP[28][0] == bits({29, 30, 31})
    assert RAYS_UP[28][1] == bits({35, 42, 49, 56})
    assert RAYS_UP[28][3] == bits({37, 46, 55})
    assert RAYS_DOWN[28][2] == bits({20, 12, 4})


@pytest.mark.parametrize("size", [pytest.param(8, marks=pytest.mark.slow), 6])
def test_moves_and_flips_agree_with_the_rules(size: int) -> None:
    for twin in positions(size):
        here = Position.of(state_of(twin))
        free = legal_squares(here.own, here.opposing, here.empties)
        assert free == signed(bits(set(twin.placements())))
        for square in range(64):
            if here.empties >> square & 1:
                turned = signed(bits(twin.flips(square)))
                assert turned_discs(square, here.own, here.opposing) == turned
                assert turned_anywhere(square, here.own, here.opposing) == turned


@pytest.mark.parametrize("depth", range(1, 11))
def test_perft_is_the_published_count(depth: int) -> None:
    here = Position.of(state_of(START))
    assert count_lines(here.own, here.opposing, here.empties, depth) == PERFT[depth - 1]


def test_perft_of_the_small_board_agrees_with_the_rules() -> None:
    def count(twin: OthelloTwin, depth: int) -> int:
        moves = twin.moves()
        return 1 if depth == 0 or not moves else sum(count(twin.play(move), depth - 1) for move in moves)

    twin = OthelloTwin(6, START.own, START.other)
    here = Position.of(state_of(twin))
    for depth in range(1, 6):
        assert count_lines(here.own, here.opposing, here.empties, depth) == count(twin, depth)


def can_be_turned(twin: OthelloTwin, square: int, seen: set[OthelloTwin]) -> bool:
    """Whether some order of moves, of either side at any time, turns the disc of `twin.own` there."""
    if twin in seen:
        return False
    seen.add(twin)
    if square not in twin.own:
        return True
    for move in twin.moves():
        if move != PASS and can_be_turned(twin.play(move).swapped(), square, seen):
            return True
    other = twin.swapped()
    return any(can_be_turned(other.play(move), square, seen) for move in other.placements())


@pytest.mark.slow
@pytest.mark.parametrize("size", [8, 6])
def test_no_order_of_moves_turns_a_stable_disc(size: int) -> None:
    """Either side may move at any time here, which includes every real continuation."""
    rng = random.Random(size)
    found = 0
    for _ in range(40):
        twin = random_twin(size, rng, rng.randrange(1, 6))
        here = Position.of(state_of(twin))
        stable = stable_discs(here.own, here.opposing, here.empties) & (1 << 64) - 1
        assert stable & ~bits(twin.own) == 0
        found += stable.bit_count()
        for square in twin.own:
            if stable >> square & 1:
                assert not can_be_turned(twin, square, set())
    assert found > 200


def test_a_corner_and_its_neighbours_along_the_edge_are_stable() -> None:
    # a1, b1, a2, b2 are mine; b2 needs c1 or a3 for its fourth line.
    own = bits({0, 1, 8, 9})
    other = bits({18})
    empties = signed(~(own | other))
    assert stable_discs(own, other, empties) == bits({0, 1, 8})
    assert stable_discs(own | 1 << 2, other, empties & ~(1 << 2)) == bits({0, 1, 2, 8, 9})


def test_an_edge_disc_is_stable_only_if_no_move_on_the_edge_can_turn_it() -> None:
    assert stable_on_edge(0b0000_0001, 0) == 0b0000_0001  # a corner
    assert stable_on_edge(0b0000_0010, 0) == 0  # beside an empty corner
    assert stable_on_edge(0b1010_1010, 0b0101_0101) == 0b1111_1111  # full
    assert turned_on_line(3, 0b0000_0001, 0b0000_0110) == 0b0000_0110
