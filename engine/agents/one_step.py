"""The one-step agent: makes every move in its head, likes one of the positions best, looks no further."""

from __future__ import annotations

import random
import time

from engine.core import Choice, Limit, Move, Player, SearchInfo, State, is_opening, moves_of
from engine.games import spec_of_state

WON, LOSES_AT_ONCE = 1_000_000, -1_000


class OneStepAgent:
    """One-move lookahead, ties broken at random; plain Python, no kernel.

    What looks best, the game's heuristic says (`SearchSpec.heuristic`): in games of k in a row a sum over all
    windows of k cells, where discs are counted one of corners, replies and discs. Without one the agent wins
    where it can at once, and leaves the other side as few ways to as it can.
    """

    def __init__(self, seed: int = 0, varied: int = 0) -> None:
        """varied: 1 for a player who in the opening takes what looks nearly best for as good."""
        self._rng = random.Random(seed)
        self._is_varied = bool(varied)

    def choose(self, state: State, limit: Limit) -> Choice:  # noqa: ARG002 (an instant needs no limit)
        """A legal move; raises EngineError when the game is over."""
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
    """How the state looks to the player who has just moved; raises EngineError for an unknown game."""
    spec = spec_of_state(state)
    return glance(state, mover) if spec.search.heuristic is None else spec.search.heuristic(state, mover)


def glance(state: State, mover: Player) -> float:
    """For any game: a won one, and else how many ways the other side has to win at once."""
    outcome = state.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else WON if outcome.winner is mover else -WON
    # Not where the same side moves again.
    if state.to_move is mover:
        return 0
    return LOSES_AT_ONCE * sum(_wins(state, move) for move in state.legal_moves())


def _wins(state: State, move: Move) -> bool:
    outcome = state.play(move).outcome()
    return outcome is not None and outcome.winner is state.to_move
