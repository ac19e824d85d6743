"""Explanations of good moves, as keys of catalogue texts, derived from the board and not from a search."""

from __future__ import annotations

from engine.core import Move, State
from engine.games import spec_of_state
from engine.games.reasons import Reason, Why

__all__ = ["Reason", "Why", "reasons"]


def reasons(state: State, move: Move, instead_of: Move | None = None) -> tuple[Reason, ...]:
    """Return what the move does in this state, the strongest reason first; () if there is nothing to say.

    instead_of: a move that an evaluator rates worse; adds the advantages over it.
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
