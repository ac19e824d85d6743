"""Boards as text: which cell stands where in a grid of characters or emoji, and plain drawings of states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from engine.core import Player, State
from engine.games.spec import BoardCell, Piece

_MARKS = {None: ".", Player.FIRST: "X", Player.SECOND: "O"}

_COORDINATES = re.compile(r"([a-z])([0-9]+)", re.ASCII)

HEXAGON_RADIUS = 3**-0.5

_EMPTY = {"light": " ", "box": " ", "dot": "o", "pit": "0", "store": "0"}


def drawn(state: State) -> str:
    """Return one line of text per row, top row first; X moves first. For tests and logs."""
    cells = state.cells()
    return "\n".join(
        " ".join(_MARKS[cell] for cell in cells[start : start + state.columns])
        for start in range(0, len(cells), state.columns)
    )


@dataclass(frozen=True, slots=True)
class SheetLine:
    """A row of a board. label: its coordinate, or "". shift: how many half cells it stands to the right.

    cells: by column, numbers in `GameSpec.places_of`; None is a gap.
    """

    label: str
    shift: int
    cells: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A board laid out as text. labels: the coordinates of the columns; () if there are none."""

    labels: tuple[str, ...]
    lines: tuple[SheetLine, ...]

    @property
    def has_coordinates(self) -> bool:
        return bool(self.labels) or any(line.label for line in self.lines)


@lru_cache(maxsize=64)
def sheet_of(places: Sequence[BoardCell]) -> Sheet:
    """Return where the cells stand. A row of hexagons is shifted as their `x` says."""
    top, left = min(place.row for place in places), min(place.column for place in places)
    width = max(place.column for place in places) - left + 1
    cells: dict[int, list[int | None]] = {}
    shifts: dict[int, int] = {}
    for cell, place in enumerate(places):
        cells.setdefault(place.row, [None] * width)[place.column - left] = cell
        if place.shape == "hexagon":
            shifts[place.row] = round(2 * (place.x - place.column))
    least = min(shifts.values(), default=0)
    columns, rows = labels_of(places)
    lines = (
        SheetLine(rows.get(row, ""), shifts.get(row, least) - least, tuple(cells[row]))
        for row in range(top, max(cells) + 1)
        if row in cells
    )
    return Sheet(tuple(columns.get(left + at, "") for at in range(width)) if columns else (), tuple(lines))


def labels_of(places: Iterable[BoardCell]) -> tuple[dict[int, str], dict[int, str]]:
    """Return the coordinates of the columns and of the rows, from zones or from names such as b8.

    Empty if names are not made of coordinates. Boxes and stores need none: no move names them.
    """
    columns: dict[int, str] = {}
    rows: dict[int, str] = {}
    for place in places:
        if is_seen_only(place) or place.shape in ("box", "store"):
            continue
        found = _COORDINATES.fullmatch(place.name)
        if not found and not place.zone:
            return {}, {}
        column, row = (place.zone, "") if found is None else found.groups()
        if columns.setdefault(place.column, column) != column or rows.setdefault(place.row, row) != row:
            return {}, {}
    return columns, rows


Spots = dict[int, tuple[float, float]]


def label_spots(places: Sequence[BoardCell]) -> tuple[Spots, Spots]:
    """Return the points above each column and on the left of each row beside which coordinates stand.

    They are on the board's edge, or at the first cell of a row or a column of hexagons.
    """
    left, top, *_ = extent_of(places)
    above: Spots = {}
    beside: Spots = {}
    for place in sorted(places, key=lambda place: (place.y, place.x)):
        is_slanted = place.shape == "hexagon"
        above.setdefault(place.column, (place.x, place.y - HEXAGON_RADIUS if is_slanted else top))
        beside.setdefault(place.row, (place.x - place.width / 2 if is_slanted else left, place.y))
    return above, beside


def piece_text(sheet: Sheet, place: BoardCell, piece: Piece, marks: tuple[str, str]) -> str:
    """Return a piece in few characters: a number, or its side's mark, twice for a king.

    A drawn edge is a line. A number has the cell's name before it if the board has no coordinates.
    """
    if piece.count is not None:
        return _pit_text(sheet, place, str(piece.count))
    if piece.kind == "bar":
        return "-" if place.width > place.height else "|"
    own = "#" if piece.owner is None else marks[piece.owner]
    return own + piece.label if piece.label else own * (2 if piece.kind == "king" else 1)


def empty_text(sheet: Sheet, place: BoardCell) -> str:
    """Return an empty cell: a character, or its name if the board has dark squares and no coordinates."""
    if place.shape == "dark" and not sheet.has_coordinates and 0 < len(place.name) <= 2:
        return place.name
    if place.shape == "pit":
        return _pit_text(sheet, place, _EMPTY["pit"])
    return _EMPTY.get(place.shape, ".")


def _pit_text(sheet: Sheet, place: BoardCell, count: str) -> str:
    return count if sheet.has_coordinates or len(place.name) != 1 else f"{place.name}:{count}"


def is_seen_only(place: BoardCell) -> bool:
    """Whether no move touches the cell."""
    return not (place.name or place.zone)


def extent_of(places: Sequence[BoardCell]) -> tuple[float, float, float, float]:
    """Return the left, upper, right and lower edge of everything that the cells cover."""
    halves = [(place, place.width / 2, max(place.height / 2, _reach(place))) for place in places]
    return (
        min(place.x - half for place, half, _ in halves),
        min(place.y - half for place, _, half in halves),
        max(place.x + half for place, half, _ in halves),
        max(place.y + half for place, _, half in halves),
    )


def _reach(place: BoardCell) -> float:
    """Return how far a hexagon's corners are from its middle."""
    return HEXAGON_RADIUS if place.shape == "hexagon" else 0.0
