"""Positions up to symmetry, to find those of running rated matches in which help is refused."""

from __future__ import annotations

from collections.abc import Hashable

from bot.domain.match import Match
from engine.core import State


def shape_of(state: State) -> Hashable:
    """Return a key that is equal for positions that differ only by rotating or mirroring the board.

    In games without such symmetry, such as Connect Four, different positions hardly ever share a key.
    """
    cells, columns = state.cells(), state.columns
    grid = tuple(tuple(cells[start : start + columns]) for start in range(0, len(cells), columns))
    turned = [grid]
    for _ in range(3):
        turned.append(tuple(zip(*turned[-1][::-1], strict=True)))
    looks = [one for look in turned for one in (look, look[::-1])]
    return state.to_move, min(looks, key=repr)


def secrets_of(match: Match) -> frozenset[Hashable]:
    """Return the positions in which the players of a match get no help: its own, and each one move later."""
    later = (match.state.play(move) for move in match.state.legal_moves())
    return frozenset(map(shape_of, (match.state, *later)))
