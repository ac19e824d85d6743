"""Every win and loss that Gomoku proves is checked by a plain, slow solver that shares no code with it.

It knows the fives of a 9 x 9 board and tries every move and every answer. Deeper wins are followed with the
moves that Gomoku plays, against every answer, until the plain solver sees their end.
"""

from __future__ import annotations

from functools import reduce
from itertools import product
from operator import or_
from random import Random

import pytest

from engine.core import Limit, State
from engine.games import game
from engine.games.gomoku.evaluator import GomokuEvaluator
from engine.score import Evaluation, Score

SIZE = 9
LINES = tuple(
    sum(1 << (row + step * down) * SIZE + column + step * right for step in range(5))
    for row, column in product(range(SIZE), repeat=2)
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
    if row + 4 * down < SIZE and 0 <= column + 4 * right < SIZE
)
BOARD = (1 << SIZE * SIZE) - 1

MOVES = 3
"""Own moves within which the plain solver finds a win by itself."""


def each(squares: int) -> list[int]:
    return [1 << place for place in range(SIZE * SIZE) if squares >> place & 1]


def fives(mine: int, theirs: int) -> int:
    """The squares on which I complete a five."""
    gaps = [line & ~mine for line in LINES if not line & theirs]
    return reduce(or_, (gap for gap in gaps if gap.bit_count() == 1), 0)


def wins_within(moves: int, mine: int, theirs: int) -> bool:
    """Whether I, who am to move, make a five with at most so many moves of mine, whatever the answers."""
    if fives(mine, theirs):
        return True
    # Without a five of mine, theirs must be stopped; one that is left is made next.
    stops = fives(theirs, mine) or BOARD & ~(mine | theirs)
    return moves > 1 and stops.bit_count() > 0 and any(
        not fives(theirs, mine | move)
        # A move after which I could not even win if they passed is no threat.
        and wins_within(moves - 1, mine | move, theirs)
        and all(
            wins_within(moves - 1, mine | move, theirs | answer)
            for answer in each(BOARD & ~(mine | theirs | move))
        )
        for move in each(stops)
    )  # fmt: skip


def state_of(mine: int, theirs: int) -> State:
    """The position with me to move, reached by moves in turn; they have as many discs or one more."""
    sides, state = (each(theirs), each(mine)), game("gomoku").start("9x9")
    for left in range(len(sides[0]) + len(sides[1]), 0, -1):
        state = state.play(sides[(left + 1) % 2].pop().bit_length() - 1)
    return state


def asked(mine: int, theirs: int) -> Evaluation:
    return GomokuEvaluator().evaluate(state_of(mine, theirs), Limit(nodes=600_000))


def holds(mine: int, theirs: int) -> bool:
    """Whether Gomoku wins for the side to move against every answer, as it says."""
    if wins_within(2, mine, theirs):
        return True
    evaluation = asked(mine, theirs)
    if evaluation.score.result != 1:
        return False
    after = mine | 1 << evaluation.line[0]
    return not fives(theirs, after) and all(
        holds(after, theirs | answer) for answer in each(BOARD & ~(after | theirs))
    )


def fastest(mine: int, theirs: int) -> int | None:
    """The plies of the fastest win, if it takes at most MOVES moves."""
    return next((2 * moves - 1 for moves in range(1, MOVES + 1) if wins_within(moves, mine, theirs)), None)


def placed(rng: Random) -> tuple[int, int]:
    """As many discs of both sides around the middle, none of them five in a row."""
    squares = [row * SIZE + column for row in range(1, 8) for column in range(1, 8)]
    while True:
        chosen = rng.sample(squares, 2 * rng.choice((4, 5, 6)))
        mine, theirs = (sum(1 << place for place in chosen[side::2]) for side in (0, 1))
        if not any(line & side == line for line in LINES for side in (mine, theirs)):
            return mine, theirs


def proved(rng: Random, result: int) -> tuple[int, int, Score]:
    """A random position with that result, which Gomoku proves, and its score."""
    while True:
        mine, theirs = placed(rng)
        score = asked(mine, theirs).score
        if score.result == result:
            return mine, theirs, score


def check_won(mine: int, theirs: int, score: Score) -> None:
    assert holds(mine, theirs)
    plies = fastest(mine, theirs)
    slow, fast = (bound.plies for bound in score.bounds) if score.bounds else (score.plies, score.plies)
    if plies is None:
        assert slow is None or slow >= 2 * MOVES + 1
    else:
        assert fast is None or fast <= plies
        assert slow is None or slow >= plies


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_a_proved_win_holds_against_every_answer(seed: int) -> None:
    check_won(*proved(Random(seed), 1))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_a_proved_loss_holds_against_every_move(seed: int) -> None:
    mine, theirs, _ = proved(Random(seed), -1)
    assert fastest(mine, theirs) is None
    assert all(holds(theirs, mine | move) for move in each(BOARD & ~(mine | theirs)))


def test_every_win_within_two_moves_and_no_other_is_proved_at_a_glance_with_its_length() -> None:
    rng, lengths = Random(5), list[int | None]()
    while len(lengths) < 30:
        mine, theirs = placed(rng)
        score = GomokuEvaluator().evaluate(state_of(mine, theirs), Limit(depth=1)).score
        plies = next((2 * moves - 1 for moves in (1, 2) if wins_within(moves, mine, theirs)), None)
        assert plies == (score.plies if score.plies in (1, 3) else None)
        lengths.append(plies)
    assert {3, None} <= set(lengths)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_each_move_that_is_proved_to_win_or_to_lose_does_so_against_every_answer(seed: int) -> None:
    rng, results = Random(seed), set[int | None]()
    while not {1, -1} <= results:
        mine, theirs = placed(rng)
        scores = GomokuEvaluator().evaluate_moves(state_of(mine, theirs), Limit(nodes=20_000)).moves
        for number, score in scores.items():
            results.add(score.result)
            after = mine | 1 << number
            if score.result == -1:
                assert holds(theirs, after)
            elif score.result == 1 and not any(line & after == line for line in LINES):
                assert not fives(theirs, after)
                assert all(holds(after, theirs | answer) for answer in each(BOARD & ~(after | theirs)))
