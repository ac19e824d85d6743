"""Perft: how many lines of play there are, the standard check of a move generator.

Games differ in what their published counts do with a game that ends early, and each is counted as its own
are: `counting_of` says how, `perft` follows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.core import State
from engine.games import spec_of_state

OnProgress = Callable[[int, int, int], None]

_PIECES = 500
"""A long count is made in about so many pieces: often enough to show its progress, or to be stopped."""

_PIECE_DEPTH = 4
"""A piece is never less deep: what is quicker than that needs no progress."""


@dataclass(frozen=True, slots=True)
class Counting:
    """How lines are counted. keeps_ended: a game that has ended stays one line, at every greater depth."""

    keeps_ended: bool

    @property
    def rule(self) -> str:
        """The same in words, for people."""
        if self.keeps_ended:
            return "a pass is a move; a game that ends sooner is one line"
        return "a game that ends sooner is not counted"


def counting_of(state: State) -> Counting:
    """How the lines of the state's game are counted, which is how its published counts are made."""
    return Counting(spec_of_state(state).search.keeps_ended)


def perft(state: State, depth: int, on_progress: OnProgress | None = None) -> int:
    """The number of lines of `depth` >= 0 moves from `state`, as `counting_of` the state says.

    on_progress: called with (pieces done, pieces in all, lines counted so far) after each piece of a long
    count. Some games are counted by a kernel, which compiles when it is first used.
    """
    keeps_ended = counting_of(state).keeps_ended
    total = 0
    pieces = [state]
    while depth > _PIECE_DEPTH and 0 < len(pieces) < _PIECES:
        total += keeps_ended * sum(not piece.legal_moves() for piece in pieces)
        pieces = [piece.play(move) for piece in pieces for move in piece.legal_moves()]
        depth -= 1
    count = spec_of_state(state).search.count_lines or _count
    for done, piece in enumerate(pieces, 1):
        total += count(piece, depth)
        if on_progress is not None:
            on_progress(done, len(pieces), total)
    return total


def _count(state: State, depth: int) -> int:
    """Without lines that ended sooner."""
    if depth == 0:
        return 1
    moves = state.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(_count(state.play(move), depth - 1) for move in moves)
