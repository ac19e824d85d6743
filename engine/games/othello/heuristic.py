"""Othello's heuristic in plain Python: the value of a position, and reasons for a move."""

from __future__ import annotations

from engine.core import Move, Player
from engine.games.othello.kernels.heuristic_values import CORNER, DISC, MOBILITY
from engine.games.othello.rules import OthelloState
from engine.games.reasons import Reason, Why
from engine.kernels.heuristic_values import WIN


def othello_value(state: OthelloState, mover: Player) -> int:
    """Return the value for the player who has just moved: corners, mobility, discs, a won game.

    Replies of the other side count against it. The weights are those of the compiled searches.
    """
    cells = state.cells()
    discs = cells.count(mover) - cells.count(mover.other)
    outcome = state.outcome()
    if outcome is not None:
        if outcome.winner is None:
            return 0
        return discs + (WIN if outcome.winner == mover else -WIN)
    size = state.size
    held = [cells[cell] for cell in (0, size - 1, size * (size - 1), size * size - 1)]
    corners = held.count(mover) - held.count(mover.other)
    replies = sum(move != size * size for move in state.legal_moves())
    return CORNER * corners - MOBILITY * replies + DISC * discs


_FEW = 4


def othello_reasons(state: OthelloState, move: Move) -> list[Reason]:
    """Return what the move does: takes a corner, keeps the turn, leaves few replies."""
    after = state.play(move)
    size, found = state.size, []
    if move in (0, size - 1, size * (size - 1), size * size - 1):
        found.append(Reason(Why.CORNER))
    replies = after.legal_moves()
    if replies == (after.pass_move,):
        found.append(Reason(Why.KEEPS_TURN))
    elif 0 < len(replies) <= _FEW:
        found.append(Reason(Why.FEW_REPLIES, len(replies)))
    return found
