"""Perft: the number of lines of play, the standard check of a move generator.

Published counts treat games that end early in different ways; each game is counted like its published counts:
see `counting_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine.core import State
from engine.games import spec_of_state

OnProgress = Callable[[int, int, int], None]

_PIECES = 500
"""The number of parts of a long count: enough to show its progress, and to stop it."""

_PIECE_DEPTH = 4
"""The minimum depth of a part: faster counts need no progress."""


@dataclass(frozen=True, slots=True)
class Counting:
    """How lines are counted. keeps_ended: a finished game counts as one line at every greater depth."""

    keeps_ended: bool

    @property
    def rule(self) -> str:
        """The same in words, for people."""
        if self.keeps_ended:
            return "a pass is a move; a game that ends sooner is one line"
        return "a game that ends sooner is not counted"


def counting_of(state: State) -> Counting:
    """Return how the published counts of the state's game count lines."""
    return Counting(spec_of_state(state).search.keeps_ended)


def perft(state: State, depth: int, on_progress: OnProgress | None = None) -> int:
    """Return the number of lines of `depth` >= 0 moves from `state`, as in `counting_of`.

    on_progress: called with (parts done, parts in total, lines counted so far) after each part of a long
    count. Some games are counted by a kernel, which compiles on first use.
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
    """Count lines, without those that ended sooner."""
    if depth == 0:
        return 1
    moves = state.legal_moves()
    if depth == 1:
        return len(moves)
    return sum(_count(state.play(move), depth - 1) for move in moves)
