"""Claims of exactness beside the true value of a position, which an oracle finds in another way.

A score claims a range of values: one value if it is exact, all wins if it proves the winner alone, everything
if it is an estimate. It is refuted if no value of its range can be the true one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from engine.core import Game, Limit, Move, State
from engine.score import Evaluation, Evaluator, Score, final_score, score_of_move

Oracle = Callable[[str, Sequence[str]], Score | None]
"""Returns the true value of a position for its side to move, from the board's name and the names of the moves
from its start; None where that would take too long. A range, such as "no win within four plies", is
`Score.between(Score.lost(5), Score.won(5))`. It is never asked about finished games."""

LIMITS = (Limit(nodes=5), Limit(nodes=30), Limit(nodes=300), Limit(depth=8), Limit(nodes=20_000))
"""Of searches that are soon interrupted, of a quick look, and of one that reaches the end if it is near."""

_SOONEST = 10_000.0
"""Above the plies of any game."""


def is_refuted(claim: Score, truth: Score) -> bool:
    """Whether the score claims anything that cannot be true; both have the same viewpoint."""
    (low, high), (least, most) = _range(claim), _range(truth)
    return high < least or low > most


def refuted(
    evaluator: Evaluator, state: State, limit: Limit, truth: Score, after: Mapping[Move, Score]
) -> Iterator[str]:
    """Yield the evaluator's claims about the state that are not true.

    truth: the state's value. after: the true scores of its moves, as far as they are known.
    """
    yield from _refuted("solve", evaluator.solve(state, limit), truth, after)
    yield from _refuted("evaluate", evaluator.evaluate(state, limit), truth, after)
    yield from _refuted("evaluate_moves", evaluator.evaluate_moves(state, limit), truth, after)


def truths(
    oracle: Oracle, rules: Game, board: str, state: State, moves: Sequence[str]
) -> tuple[Score | None, dict[Move, Score]]:
    """Return the true value of the state after the moves of these names, and the true scores of its moves."""
    truth, after = oracle(board, moves), dict[Move, Score]()
    for move in state.legal_moves() if truth is not None else ():
        following = state.play(move)
        is_over = following.outcome() is not None
        value = final_score(following) if is_over else oracle(board, (*moves, rules.move_name(state, move)))
        if value is not None:
            after[move] = score_of_move(state, following, value).earlier()
    return truth, after


def _refuted(asked: str, found: Evaluation, truth: Score, after: Mapping[Move, Score]) -> Iterator[str]:
    if is_refuted(found.score, truth):
        yield f"{asked} says {found.score!r}, the truth is {truth!r}"
    best = None if found.best is None else after.get(found.best)
    if best is not None and is_refuted(found.score, best):
        yield f"{asked} says {found.score!r}, and its best move {found.best} has {best!r}"
    for move, score in found.moves.items():
        if move in after and is_refuted(score, after[move]):
            yield f"{asked} says {score!r} of move {move}, the truth is {after[move]!r}"


def _range(score: Score) -> tuple[float, float]:
    """Return the least and the greatest value that the score allows: points, or wins by their speed."""
    if score.bounds is not None:
        return _range(score.bounds[0])[0], _range(score.bounds[1])[1]
    if score.result is None:
        return -math.inf, math.inf
    if score.result == 0:
        return 0.0, 0.0
    if score.exact and score.discs is not None:
        return float(score.discs), float(score.discs)
    if score.exact and score.plies is not None:
        value = score.result * (_SOONEST - score.plies)
        return value, value
    return (0.5, math.inf) if score.result > 0 else (-math.inf, -0.5)
