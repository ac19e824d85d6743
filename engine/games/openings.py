"""Balanced openings: moves from which both sides can hold, with the figures that say so.

A file has one opening a line: its moves as `notation` writes them, a value for whoever moves next, how that
is known, and figures of the game's own. `4433 0 exact 2/7 3/7` is a proved draw, in which 2 of 7 moves keep
it, and after each of them 3 of 7 replies at most; `f5d6c3d3c4f4e6b3 -1 depth-22` is judged a disc behind by a
search of 22 plies.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from engine.core import Move
from engine.games import spec_of
from engine.games.notation import parse_moves


@dataclass(frozen=True, slots=True)
class Opening:
    """moves: from the start of the game's usual board. figures: the rest of its line."""

    moves: tuple[Move, ...]
    figures: str


def balanced_openings(game_key: str, board: str | None = None) -> tuple[Opening, ...]:
    """Those of the game on that board (None: the usual one); () where none are known. Raises UnknownName."""
    rules = spec_of(game_key).rules
    return _openings(game_key) if board in (None, rules.boards[0]) else ()


def has_openings(game_key: str, board: str | None = None) -> bool:
    """Whether there is a file of them for the game on that board, of which nothing is read."""
    spec = spec_of(game_key)
    return spec.play.openings is not None and board in (None, spec.rules.boards[0])


@cache
def _openings(game_key: str) -> tuple[Opening, ...]:
    spec = spec_of(game_key)
    if spec.play.openings is None:
        return ()
    found = []
    for line in spec.play.openings.read_text("ascii").splitlines():
        moves, _, figures = line.partition(" ")
        found.append(Opening(parse_moves(spec.rules, None, moves), figures))
    return tuple(found)
