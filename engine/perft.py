"""Perft: how many ways of playing on there are, the standard check of a move generator."""

from __future__ import annotations

from engine.core import State


def perft(state: State, depth: int) -> int:
    """The number of sequences of exactly `depth` legal moves from `state`; passes count as moves.

    A game that ends earlier contributes nothing to the deeper counts.
    """
    if depth == 0:
        return 1
    moves = state.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(perft(state.play(move), depth - 1) for move in moves)
