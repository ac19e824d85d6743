"""The one-step agent: tries every move and chooses the position it likes best, without looking further."""

from __future__ import annotations

import random
import time

from engine.core import Choice, Limit, Move, Player, SearchInfo, State, is_opening, moves_of
from engine.games import spec_of_state

WON, LOSES_AT_ONCE = 1_000_000, -1_000


class OneStepAgent:
    """One-move look-ahead with ties broken at random; plain Python, no kernel.

    The game's heuristic (`SearchSpec.heuristic`) values the positions: in games of k in a row a sum over all
    windows of k cells, in games that count discs one of corners, replies and discs. Without a heuristic, the
    agent wins if it can, and otherwise leaves the other side as few immediate wins as possible.
    """

    def __init__(self, seed: int = 0, varied: int = 0) -> None:
        """varied: 1 for a player who treats nearly best moves in the opening as equal."""
        self._rng = random.Random(seed)
        self._is_varied = bool(varied)

    def choose(self, state: State, limit: Limit) -> Choice:  # noqa: ARG002 (it needs no limit)
        """Return a legal move; raises EngineError if the game is over."""
        started = time.perf_counter()
        scores = [(move, float(value_of(state.play(move), state.to_move))) for move in moves_of(state)]
        best = max(score for _, score in scores)
        margin = spec_of_state(state).search.opening_margin if self._is_varied and is_opening(state) else 0
        move = self._rng.choice([move for move, score in scores if score >= best - margin])
        info = SearchInfo(
            score=best,
            depth=1,
            nodes=len(scores),
            seconds=time.perf_counter() - started,
            pv=(move,),
            move_scores=tuple(scores),
        )
        return Choice(move, info)


def value_of(state: State, mover: Player) -> float:
    """Return the value of a state for the player who has just moved; raises EngineError for unknown games."""
    spec = spec_of_state(state)
    return quick_value(state, mover) if spec.search.heuristic is None else spec.search.heuristic(state, mover)


def quick_value(state: State, mover: Player) -> float:
    """Return a value for any game: a win, or the number of the other side's immediate wins, negative."""
    outcome = state.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else WON if outcome.winner is mover else -WON
    # Not if the same side moves again.
    if state.to_move is mover:
        return 0
    return LOSES_AT_ONCE * sum(_wins(state, move) for move in state.legal_moves())


def _wins(state: State, move: Move) -> bool:
    outcome = state.play(move).outcome()
    return outcome is not None and outcome.winner is state.to_move
