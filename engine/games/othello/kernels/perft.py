"""Perft for Othello: the number of lines of play, counted in compiled code."""

from __future__ import annotations

from engine.games.othello.kernels.vectors import flips_of, moves_of
from engine.kernels.intrinsics import lowest_index, popcount
from engine.kernels.jit import kernel


@kernel("int64(int64, int64, int64, int64)")
def count_lines(own: int, opposing: int, empties: int, depth: int) -> int:
    """Count the lines of `depth` >= 1 moves; passes are moves, and a game that ends sooner is one line."""
    moves = moves_of(own, opposing) & empties
    if moves == 0:
        if depth == 1 or moves_of(opposing, own) & empties == 0:
            return 1
        return count_lines(opposing, own, empties, depth - 1)
    if depth == 1:
        return popcount(moves)
    total = 0
    while moves:
        square = lowest_index(moves)
        moves &= moves - 1
        turned = flips_of(square, own, opposing)
        bit = 1 << square
        total += count_lines(opposing ^ turned, own ^ turned | bit, empties ^ bit, depth - 1)
    return total


@kernel("int64(int64, int64, int64)")
def legal_squares(own: int, opposing: int, empties: int) -> int:
    """Return the empty squares where the owner of `own` may play."""
    return moves_of(own, opposing) & empties


@kernel("int64(int64, int64, int64)")
def turned_discs(square: int, own: int, opposing: int) -> int:
    """Return the discs that a disc of `own` on the empty square with that index turns over."""
    return flips_of(square, own, opposing)
