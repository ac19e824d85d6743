"""The themes of an Othello puzzle: what its only winning move does to corners, edges, regions and replies."""

from __future__ import annotations

from dataclasses import replace

from engine.core import Move
from engine.games.othello.differences import beside, corners, corners_beside, empty_regions, replies
from engine.games.othello.rules import OthelloState
from engine.games.puzzle_themes import PuzzleTheme


def themes(state: OthelloState, best: Move) -> list[PuzzleTheme]:
    """best: the only winning move, not a pass."""
    after, size, found = state.play(best), state.size, []
    if best in corners(state):
        found.append(PuzzleTheme.CORNER)
    elif 0 in divmod(best, size) or size - 1 in divmod(best, size):
        found.append(PuzzleTheme.EDGE)
        if _is_wedge(state, best):
            found.append(PuzzleTheme.WEDGE)
    if any(state.cells()[corner] is None for corner in corners_beside(state, best)):
        found.append(PuzzleTheme.X_SQUARE)
    # A corner that the other side could take before is no sacrifice.
    turned = replace(state, own=state.opponent, opponent=state.own, to_move=state.to_move.other)
    if (set(after.legal_moves()) - set(turned.legal_moves())) & set(corners(state)):
        found.append(PuzzleTheme.SACRIFICE)
    # The other side moves next. With all regions even it begins each, and this side moves last there.
    if len(empty_regions(state)) > 1 and all(len(region) % 2 == 0 for region in empty_regions(after)):
        found.append(PuzzleTheme.PARITY)
    left = replies(after)
    if after.legal_moves() == (after.pass_move,):
        found.append(PuzzleTheme.NO_REPLY)
    elif 0 < left < min(replies(state.play(move)) for move in state.legal_moves() if move != best):
        found.append(PuzzleTheme.MOBILITY)
    return found


def _is_wedge(state: OthelloState, move: Move) -> bool:
    """Whether the move has discs of the other side on both sides along its edge, before and after it."""
    size, cells = state.size, state.play(move).cells()
    axis = (0, 1) if move // size in (0, size - 1) else (1, 0)
    around = [beside(move, axis, sign, size) for sign in (1, -1)]
    return all(cell is not None and cells[cell] is state.to_move.other for cell in around)
