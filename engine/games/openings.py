"""Balanced openings: moves that leave the game even, with the figures that support it.

A file has one opening per line: its moves in the form of `notation`, a score for the side to move, its
source, and figures of the game's own. `4433 0 exact 2/7 3/7` is a proved draw, kept by 2 of 7 moves, and
after each of them by at most 3 of 7 replies; `f5d6c3d3c4f4e6b3 -1 depth-22` is one disc behind according to a
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
    """moves: from the start of the game's default board. figures: the rest of its line."""

    moves: tuple[Move, ...]
    figures: str


def balanced_openings(game_key: str, board: str | None = None) -> tuple[Opening, ...]:
    """Return the openings on that board (None: the default); () if there are none. Raises UnknownName."""
    rules = spec_of(game_key).rules
    return _openings(game_key) if board in (None, rules.boards[0]) else ()


def has_openings(game_key: str, board: str | None = None) -> bool:
    """Whether the game has a file of openings for that board; it is not read."""
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
