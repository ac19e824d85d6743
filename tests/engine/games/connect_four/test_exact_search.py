"""The solver's scores are exact: against a plain solver, against the proofs' claims, against known facts."""

from __future__ import annotations

import random
from functools import cache

import numpy as np
import pytest

from engine.games.connect_four import ConnectFourState
from engine.games.connect_four.exact_solver import ConnectFourSolver
from engine.games.connect_four.kernels import board, bounds
from engine.games.connect_four.kernels import transposition as table
from engine.games.connect_four.kernels.board import FOUR
from engine.games.connect_four.kernels.exact_search import is_over
from engine.kernels import lines
from tests.engine.games.connect_four.plain_connect_four import PlainSolver, random_position, seed
from tests.engine.kernels.calling import called

winning_squares, mirrored = called(lines.winning_squares), called(board.mirrored)
claim_even_bound, odd_threat_bound = called(bounds.claim_even_bound), called(bounds.odd_threat_bound)
keep, find = called(table.keep), called(table.find)
lower_of, upper_of = called(table.lower_of), called(table.upper_of)


@cache
def plain() -> PlainSolver:
    return PlainSolver()


def random_states(count: int, least: int, most: int, seed: int) -> list[ConnectFourState]:
    """States that are not over, with `least` to `most` stones."""
    rng = random.Random(seed)
    states: list[ConnectFourState] = []
    while len(states) < count:
        state = ConnectFourState()
        for _ in range(rng.randint(least, most)):
            moves = state.legal_moves()
            if not moves:
                break
            state = state.play(rng.choice(moves))
        if state.outcome() is None and state.ply >= least:
            states.append(state)
    return states


def by_the_rules(state: ConnectFourState) -> int:
    """The score, by trying everything on the game itself."""
    outcome = state.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else -((44 - state.ply) // 2)
    return max(-by_the_rules(state.play(move)) for move in state.legal_moves())


def test_a_game_is_over_where_the_rules_allow_no_move_on_full_boards_too() -> None:
    rng, has_been_full = random.Random(5), False
    for _ in range(1500):
        state = ConnectFourState()
        while state.legal_moves():
            assert not is_over(state.own, state.mask)
            state = state.play(rng.choice(state.legal_moves()))
        assert is_over(state.own, state.mask)
        has_been_full |= state.ply == 42
    assert has_been_full


@pytest.mark.slow
@pytest.mark.parametrize("least", [34, 36, 38, 40])
def test_late_scores_agree_with_a_search_by_the_rules(least: int) -> None:
    solver = ConnectFourSolver()
    for state in random_states(40, least, 41, least):
        assert solver.solve(state) == by_the_rules(state)


@pytest.mark.parametrize(
    ("least", "most", "count"),
    [
        pytest.param(30, 38, 300, marks=pytest.mark.slow),
        (25, 29, 200),
        (21, 24, 50),
        pytest.param(30, 38, 2000, marks=pytest.mark.slow),
        pytest.param(25, 29, 1500, marks=pytest.mark.slow),
        pytest.param(21, 24, 250, marks=pytest.mark.slow),
        pytest.param(18, 20, 40, marks=pytest.mark.slow),
    ],
)
def test_scores_agree_with_a_plain_solver(least: int, most: int, count: int) -> None:
    solver = ConnectFourSolver()
    for state in random_states(count, least, most, least):
        assert solver.solve(state) == plain().score(state.own, state.mask), f"\n{state}"


@pytest.mark.slow
@pytest.mark.parametrize("count", [50_000, pytest.param(150_000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("side", "promised"), [(0, (0, -1, -2, -3)), (1, (-1, -2))])
def test_the_strategic_bounds_hold(side: int, promised: tuple[int, ...], count: int) -> None:
    """Each bound without search is compared with the exact score, with any threats of either side."""
    kept = dict.fromkeys(promised, 0)
    seed(side)
    for i in range(count):
        own, mask = random_position(22 + side + 2 * (i % 6), i % 10 / 10)
        if side == 0:
            bound = claim_even_bound(own, mask, FOUR)
        else:
            bound = odd_threat_bound(own, mask, winning_squares(own ^ mask, mask, FOUR), FOUR)
        if bound != bounds.NO_BOUND:
            assert plain().score(own, mask) <= bound, f"own {own:#x} mask {mask:#x}"
            kept[bound] += 1
    assert min(kept.values()) >= count // 15_000, f"each kind of promise is put to the test: {kept}"


def test_winning_squares_agree_with_the_rules() -> None:
    for state in random_states(400, 8, 36, 3):
        expected = 0
        for square in range(49):
            if square % 7 < 6 and not state.mask >> square & 1:
                stones = state.own | 1 << square
                moved = ConnectFourState(own=state.opponent, mask=state.mask | 1 << square)
                assert moved.opponent == stones
                outcome = moved.outcome()
                expected |= (outcome is not None and bool(outcome.line)) << square
        assert winning_squares(state.own, state.mask, FOUR) == expected


def test_the_first_player_wins_with_the_last_stone_after_the_best_first_move() -> None:
    """1.d1 wins (James D. Allen; Victor Allis, 1988), and 444442 is one of the longest defences."""
    state = ConnectFourState()
    for column in (3, 3, 3, 3, 3, 1):
        state = state.play(column)
    assert ConnectFourSolver().solve(state) == 1


def test_every_move_is_scored_and_the_best_is_one_of_them() -> None:
    solver = ConnectFourSolver()
    for state in random_states(150, 22, 40, 11):
        scores = solver.analyze(state)
        best = solver.best(state)
        assert scores is not None
        assert best is not None
        assert tuple(scores) == state.legal_moves()
        for move, score in scores.items():
            after = state.play(move)
            if after.outcome() is None:
                assert score == -plain().score(after.own, after.mask)
            else:
                assert score == -by_the_rules(after)
        move, score = best
        equals = [column for column in scores if scores[column] == max(scores.values())]
        assert score == max(scores.values())
        assert move == min(equals, key=lambda column: (abs(column - 3), column))


def test_a_small_table_changes_no_score() -> None:
    """Entries overwrite each other all the time; none may be taken for another's."""
    small = ConnectFourSolver(table_bits=6)
    for state in random_states(300, 22, 30, 13):
        assert small.solve(state) == plain().score(state.own, state.mask)


def test_a_mirror_image_has_its_columns_in_reverse_order() -> None:
    for state in random_states(200, 0, 41, 17):
        assert mirrored(mirrored(state.mask)) == state.mask
        image = ConnectFourState(own=mirrored(state.own), mask=mirrored(state.mask), ply=state.ply)
        assert sorted(image.cells(), key=str) == sorted(state.cells(), key=str)
        assert image.legal_moves() == tuple(sorted(6 - move for move in state.legal_moves()))


@pytest.mark.slow
def test_a_table_entry_returns_the_stored_bounds() -> None:
    memory = np.zeros(4, np.int64)
    place = memory.ctypes.data
    for key, lower, upper in ((board.BOTTOM, -21, 21), ((1 << 49) - 1, -1, 3)):
        keep(place, 2, key, lower, upper, 1000)
        found = find(place, 2, key)
        assert (lower_of(found), upper_of(found)) == (lower, upper)
    assert find(place, 2, 12345) == 0
