"""Games that look unlike ours, for tests of drawings: hexagons, pits with counts, edges, and kings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.core import Player, State
from engine.games import SPECS
from engine.games.spec import BoardCell, GameSpec, Glyphs, Layout, LookSpec, Piece
from tests.engine.games import breakthrough

FIRST, SECOND = Player


def _hexagons(_board: str) -> Sequence[BoardCell]:
    return [
        BoardCell(
            column + row / 2 + 0.5, 0.866 * row + 0.6, row, column, f"{'abc'[column]}{row + 1}", "", "hexagon"
        )
        for row in range(3)
        for column in range(3)
    ]


HEXAGONS = replace(
    SPECS["tic-tac-toe"], look=LookSpec(places=_hexagons, layout=Layout.SQUARES, glyphs=Glyphs(empty="🔘"))
)
"""Tic-tac-toe on hexagons."""


def _pits(_board: str) -> Sequence[BoardCell]:
    lower = [BoardCell(at + 1.5, 1.5, 1, at + 1, "abc"[at], "", "pit") for at in range(3)]
    upper = [BoardCell(3.5 - at, 0.5, 0, 3 - at, "def"[at], "", "pit") for at in range(3)]
    stores = [
        BoardCell(4.5, 1, 1, 4, "", "", "store", 1, 2),
        BoardCell(0.5, 1, 0, 0, "", "", "store", 1, 2),
    ]
    return [*lower, stores[0], *upper, stores[1]]


def _seeds(_state: State) -> dict[int, Piece]:
    counts = (4, 0, 6, 12, 1, 10, 3, 7)
    owners = (FIRST,) * 4 + (SECOND,) * 4
    return {at: Piece("seeds", owners[at], "", count) for at, count in enumerate(counts)}


PITS = replace(SPECS["tic-tac-toe"], look=LookSpec(places=_pits, pieces=_seeds))
"""Two rows of three pits, and two stores."""


def _edges(_board: str) -> Sequence[BoardCell]:
    found = []
    for row in range(5):
        for column in range(5):
            shape = ("dot", "edge", "edge", "box")[row % 2 * 2 + column % 2]
            wide, high = (1 if column % 2 else 0.4), (1 if row % 2 else 0.4)
            name = "" if shape == "dot" else f"{'abcde'[column]}{row + 1}"
            found.append(BoardCell(column / 2 + 0.2, row / 2 + 0.2, row, column, name, "", shape, wide, high))
    return sorted(found, key=lambda place: ("edge", "box", "dot").index(place.shape))


def _drawn_edges(_state: State) -> dict[int, Piece]:
    places = {(place.row, place.column): at for at, place in enumerate(_edges(""))}
    drawn = {(0, 1): FIRST, (1, 0): SECOND, (1, 2): FIRST, (2, 1): SECOND, (2, 3): FIRST}
    return {
        **{places[spot]: Piece("bar", owner) for spot, owner in drawn.items()},
        places[1, 1]: Piece("claim", SECOND),
    }


EDGES = replace(SPECS["tic-tac-toe"], look=LookSpec(places=_edges, pieces=_drawn_edges))
"""Two by two boxes with their edges; one box is taken."""


def _checks(_board: str) -> Sequence[BoardCell]:
    return [
        BoardCell(
            column + 0.5,
            row + 0.5,
            row,
            column,
            f"{'abcdef'[column]}{row + 1}" if (row + column) % 2 else "",
            shape="dark" if (row + column) % 2 else "light",
        )
        for row in range(6)
        for column in range(6)
    ]


def _kings(state: State) -> dict[int, Piece]:
    owners = enumerate(state.cells())
    return {
        at: Piece("king" if at in (6, 29) else "", owner)
        for at, owner in owners
        if owner and at % 12 in (0, 5, 6)
    } | {at: Piece("", FIRST) for at in (25, 27)}


KINGS: GameSpec = replace(
    breakthrough.SPEC,
    look=replace(
        breakthrough.SPEC.look,
        places=_checks,
        pieces=_kings,
        glyphs=Glyphs(kinds={"king": ("👑", "🤴")}, shapes={"dark": "🟫"}),
    ),
)
"""Dark and light squares with a few men and kings."""
