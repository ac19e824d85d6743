"""Scores of solvers in people's words: `wins in 5`, `loses in 12`, `wins by 6`, `draw`.

Where lines decide, a score counts the stones that the winner has left: +k, the side to move wins with its
k-th stone from the end; -k, it loses to the other side's k-th stone from the end. People count from now:
`wins in 5` means with the fifth of the winner's own moves, the next one included, if both sides play their
best. Where discs decide, a score is the difference of discs at the end.
"""

from __future__ import annotations

CONNECT_FOUR_SQUARES = 42
"""Of the usual board, 6 x 7."""
TIC_TAC_TOE_SQUARES = 9


def moves_to_win(score: int, ply: int, squares: int = CONNECT_FOUR_SQUARES) -> int | None:
    """How many moves the winner still makes, the winning one included; None for a draw.

    score: of the position after `ply` moves, or of one of the moves in it, for the side to move.
    squares: of the board. Raises ValueError for a score that no position of that ply can have.
    """
    if score == 0:
        return None
    # The side to move places the stones of ply, ply + 2 ...: the extra one, if their number is odd.
    stones_left = (squares + (1 if score > 0 else 0) - ply) // 2
    moves = stones_left - abs(score) + 1
    if not 1 <= moves <= stones_left:
        raise ValueError(f"no position of ply {ply} has the score {score}")
    return moves


def label(score: int, ply: int, squares: int = CONNECT_FOUR_SQUARES) -> str:
    """`wins in n`, `loses in n` or `draw`, of the side to move after `ply` moves; raises ValueError."""
    moves = moves_to_win(score, ply, squares)
    if moves is None:
        return "draw"
    return f"{'wins' if score > 0 else 'loses'} in {moves}"


def disc_label(discs: int) -> str:
    """`wins by n`, `loses by n` or `draw`, of the side to move, n being discs."""
    if discs == 0:
        return "draw"
    return f"{'wins' if discs > 0 else 'loses'} by {abs(discs)}"


def winner_label(discs: int) -> str:
    """`wins`, `loses` or `draw`, where by how many discs is not known."""
    return "draw" if discs == 0 else "wins" if discs > 0 else "loses"


def estimate_label(discs: int) -> str:
    """`about n ahead`, `about n behind` or `about even`: nothing is proved."""
    if discs == 0:
        return "about even"
    return f"about {abs(discs)} {'ahead' if discs > 0 else 'behind'}"


def undecided_label(plies: int) -> str:
    """`undecided for n plies`: nobody can force a win sooner; what comes later is not known."""
    return f"undecided for {plies} plies"
