"""Positions that are the same to whoever asks for help: turned, mirrored, or reached by other moves."""

from __future__ import annotations

from collections.abc import Hashable

from bot.domain.match import Match
from engine.core import State


def shape_of(state: State) -> Hashable:
    """The same for all positions that differ by turning or mirroring the board alone.

    Where a game does not look alike from every side, that hardly ever takes two positions for one.
    """
    cells, columns = state.cells(), state.columns
    grid = tuple(tuple(cells[start : start + columns]) for start in range(0, len(cells), columns))
    turned = [grid]
    for _ in range(3):
        turned.append(tuple(zip(*turned[-1][::-1], strict=True)))
    looks = [one for look in turned for one in (look, look[::-1])]
    return state.to_move, min(looks, key=repr)


def secrets_of(match: Match) -> frozenset[Hashable]:
    """What nobody tells the players of a match while it stands there: its position, and each a move later."""
    later = (match.state.play(move) for move in match.state.legal_moves())
    return frozenset(map(shape_of, (match.state, *later)))
