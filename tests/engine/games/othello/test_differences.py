"""The differences between two Othello moves are true on the boards after them."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from engine.analysis.explanation import reasons
from engine.core import Limit
from engine.games import game
from engine.games.othello import OthelloState
from engine.games.othello.differences import differences, has_even_regions, safe_discs
from engine.games.othello.evaluator import OthelloEvaluator
from engine.games.othello.kernels.patterns import UNIT
from engine.games.othello.kernels.shapes import phase_of
from engine.games.othello.position import Position
from engine.games.othello.searcher import Searcher, weights_for
from engine.games.othello.sight import seen
from engine.games.reasons import Reason, Why
from engine.kernels.running import running
from tests.engine.games.othello.positions import random_twin, state_of
from tests.engine.kernels.kernel_twins import OthelloTwin


def random_state(rng: random.Random, most: int = 50) -> OthelloState:
    return state_of(random_twin(8, rng, rng.randint(4, most)))


@pytest.mark.slow
@pytest.mark.parametrize("count", [150, pytest.param(3_000, marks=pytest.mark.slow)])
def test_safe_discs_are_never_turned_over(count: int) -> None:
    rng, safe_ones = random.Random(1), 0
    for _ in range(count):
        state = random_state(rng, 30)
        safe, owner = safe_discs(state), state.to_move.other
        safe_ones += len(safe)
        here = state
        while here.legal_moves():
            here = here.play(rng.choice(here.legal_moves()))
            cells = here.cells()
            assert all(cells[cell] is owner for cell in safe), f"\n{state}{here}"
    assert safe_ones > count


@pytest.mark.slow
@pytest.mark.parametrize("count", [400, pytest.param(5_000, marks=pytest.mark.slow)])
def test_every_difference_agrees_with_the_rules(count: int) -> None:
    rng, said = random.Random(2), Counter[Why]()
    for _ in range(count):
        state = random_state(rng)
        move, other = rng.choice(state.legal_moves()), rng.choice(state.legal_moves())
        for reason in differences(state, move, other):
            said[reason.why] += 1
            after, instead = state.play(move).legal_moves(), state.play(other).legal_moves()
            if reason.why is Why.KEEPS_CORNER:
                assert reason.cell in {0, 7, 56, 63}
                assert reason.cell in instead
                assert reason.cell not in after
            elif reason.why is Why.FEWER_REPLIES:
                placed = [sum(reply != 64 for reply in replies) for replies in (instead, after)]
                assert reason.number == placed[0] - placed[1] >= 3
            elif reason.why is Why.EVEN_REGIONS:
                assert state.play(move).cells().count(None) % 2 == 0
            elif reason.why is Why.X_SQUARE:
                assert reason.cell == other
                assert state.cells()[{9: 0, 14: 7, 49: 56, 54: 63}[other]] is None
            elif reason.why is Why.TEMPO:
                assert reason.number == in_hand(state, move) >= in_hand(state, other) + 3
    assert set(said) == set(AGREES), said


def in_hand(state: OthelloState, move: int) -> int:
    """How many empty squares the mover could take then, and the other side could not, on a plain board."""
    twin = OthelloTwin(8, squares(state.own), squares(state.opponent)).play(move)
    own = OthelloTwin(8, twin.other, twin.own)
    return len(set(own.placements()) - set(twin.placements()))


def squares(board: int) -> frozenset[int]:
    return frozenset(square for square in range(64) if board >> square & 1)


AGREES = {
    Why.KEEPS_CORNER: 0.78,
    Why.X_SQUARE: 0.75,
    Why.SAFE_DISCS: 0.73,
    Why.FEWER_REPLIES: 0.78,
    Why.TEMPO: 0.78,
    Why.EVEN_REGIONS: 0.73,
}
"""The minimum frequency with which the solver prefers the move, by kind of reason, for any two moves: without
the agreement of the patterns that is required in addition. For two random moves it is 0.45."""


def endings(games: int) -> Iterator[OthelloState]:
    """Positions of 9 to 12 empty squares from games in which the patterns' favourite is played, mostly."""
    rng = random.Random(8)
    for _ in range(games):
        state = game("othello").start()
        assert isinstance(state, OthelloState)
        for _ in range(60):
            legal = state.legal_moves()
            if not legal:
                break
            if 9 <= state.cells().count(None) <= 12 and len(legal) > 2:
                yield state
            is_careless = rng.random() < 0.3
            afters = {move: seen(state.play(move)).sum() for move in ([] if is_careless else legal)}
            state = state.play(min(afters, key=afters.__getitem__) if afters else rng.choice(legal))


@pytest.mark.slow
@pytest.mark.parametrize("games", [90, pytest.param(1_500, marks=pytest.mark.slow)])
def test_the_solver_agrees_with_each_reason_as_often_as_documented(games: int) -> None:
    evaluator, rng = OthelloEvaluator(), random.Random(9)
    agreed, said, positions = Counter[Why](), Counter[Why](), 0
    for state in endings(games):
        scores = {
            move: found.discs or 0 for move, found in evaluator.evaluate_moves(state, Limit()).moves.items()
        }
        positions += 1
        pairs = list(itertools.permutations(scores, 2))
        for move, other in rng.sample(pairs, min(16, len(pairs))):
            for reason in differences(state, move, other):
                said[reason.why] += 1
                agreed[reason.why] += scores[move] > scores[other]
    assert positions > 3 * games
    for why, least in AGREES.items():
        assert said[why] > games // 2, why
        assert agreed[why] / said[why] > least, why


def test_the_patterns_values_add_up_to_the_evaluation() -> None:
    rng, searcher = random.Random(4), Searcher(weights_for(8), 10)
    for _ in range(50):
        state = random_state(rng)
        position = Position.of(state)
        with running(Limit()) as run:
            searcher.begin(run)
            constant = weights_for(8).for_black(phase_of(state.cells().count(None)))[-1] / UNIT
            assert seen(state).sum() + constant == pytest.approx(searcher.evaluate(position))


@pytest.mark.slow
def test_no_difference_is_given_unless_the_patterns_favour_the_move() -> None:
    rng, silent = random.Random(6), 0
    for _ in range(150):
        state = random_state(rng)
        move, other = rng.choice(state.legal_moves()), rng.choice(state.legal_moves())
        if state.pass_move in (move, other) or move == other:
            continue
        gained = float((seen(state.play(other)) - seen(state.play(move))).sum())
        if gained < 2:
            silent += 1
            assert differences(state, move, other) == []
    assert silent > 30


def test_regions_that_touch_at_a_corner_are_one() -> None:
    full = (1 << 64) - 1
    together, apart = (1 << 0) | (1 << 9), (1 << 0) | (1 << 63)
    assert has_even_regions(OthelloState(8, full & ~together, 0))
    assert not has_even_regions(OthelloState(8, full & ~apart, 0))


def test_differences_require_another_move() -> None:
    rng = random.Random(5)
    while True:
        state = random_state(rng)
        move, other = rng.choice(state.legal_moves()), rng.choice(state.legal_moves())
        found = differences(state, move, other)
        if found and len(state.legal_moves()) > 1:
            break
    against: set[Reason] = set(reasons(state, move, instead_of=other))
    assert set(found) <= against
    assert not set(found) & set(reasons(state, move))
