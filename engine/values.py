"""Scores of the Connect Four solver in people's words: `wins in 5`, `loses in 12`, `draw`.

A score counts the stones that the winner has left: +k, the side to move wins with its k-th stone from the
end; -k, it loses to the other side's k-th stone from the end. People count from now: `wins in 5` means
with the fifth of the winner's own moves, the next one included, if both sides play their best.
"""

from __future__ import annotations

SQUARES = 42
"""Of the 6 x 7 board, the only one that is solved."""


def moves_to_win(score: int, ply: int) -> int | None:
    """How many moves the winner still makes, the winning one included; None for a draw.

    score: of the position after `ply` moves, or of one of the moves in it, for the side to move.
    Raises ValueError for a score that no position of that ply can have.
    """
    if score == 0:
        return None
    # The side to move places the stones of ply, ply + 2 ...: the extra one, if their number is odd.
    stones_left = (SQUARES + (1 if score > 0 else 0) - ply) // 2
    moves = stones_left - abs(score) + 1
    if not 1 <= moves <= stones_left:
        raise ValueError(f"no position of ply {ply} has the score {score}")
    return moves


def label(score: int, ply: int) -> str:
    """`wins in n`, `loses in n` or `draw`, of the side to move after `ply` moves; raises ValueError."""
    moves = moves_to_win(score, ply)
    if moves is None:
        return "draw"
    return f"{'wins' if score > 0 else 'loses'} in {moves}"
