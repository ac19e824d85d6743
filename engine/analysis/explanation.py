"""Why a move is good, as keys that a catalogue puts into words: read off the board, not out of a search."""

from __future__ import annotations

from engine.core import Move, State
from engine.games import spec_of_state
from engine.games.reasons import Reason, Why

__all__ = ["Reason", "Why", "reasons"]


def reasons(state: State, move: Move, instead_of: Move | None = None) -> tuple[Reason, ...]:
    """What the move does in this state, the most telling first; () when nothing strikes the eye.

    instead_of: a move that an evaluator holds to be worse; then also what this one does better.
    """
    outcome = state.play(move).outcome()
    if outcome is not None and outcome.winner is state.to_move:
        return (Reason(Why.WINS),)
    if len(state.legal_moves()) == 1:
        return (Reason(Why.ONLY_MOVE),)
    order = list(Why)
    spec = spec_of_state(state)
    found = [*spec.teach.reasons(state, move)]
    if instead_of is not None:
        found += spec.teach.differences(state, move, instead_of)
    return tuple(sorted(found, key=lambda reason: order.index(reason.why)))
