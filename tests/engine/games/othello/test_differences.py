"""What is said for one move of Othello against another is so on the boards that they lead to."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from engine.analysis.explanation import reasons
from engine.games.othello import OthelloState
from engine.games.othello.differences import differences, has_even_regions, safe_discs
from engine.games.reasons import Reason, Why
from tests.engine.games.othello.positions import random_twin, state_of


def random_state(rng: random.Random, most: int = 50) -> OthelloState:
    return state_of(random_twin(8, rng, rng.randint(4, most)))


@pytest.mark.parametrize("count", [150, pytest.param(3_000, marks=pytest.mark.slow)])
def test_what_is_called_safe_is_never_turned_over_however_the_game_goes_on(count: int) -> None:
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


@pytest.mark.parametrize("count", [400, pytest.param(5_000, marks=pytest.mark.slow)])
def test_every_difference_is_one_that_the_rules_count_too(count: int) -> None:
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
    assert set(said) == {Why.KEEPS_CORNER, Why.SAFE_DISCS, Why.FEWER_REPLIES, Why.EVEN_REGIONS}, said


def test_regions_that_touch_at_a_corner_are_one() -> None:
    full = (1 << 64) - 1
    together, apart = (1 << 0) | (1 << 9), (1 << 0) | (1 << 63)
    assert has_even_regions(OthelloState(8, full & ~together, 0))
    assert not has_even_regions(OthelloState(8, full & ~apart, 0))


def test_a_reason_against_another_move_comes_with_that_move_alone() -> None:
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
