"""Pictures of boards that are no lattice of squares: hexagons, pits, edges, dark squares.

The ground of a board is drawn once. Pieces, numbers and marks are small pictures pasted onto it, so that the
frames of an animation cost little.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from PIL import Image

from bot.domain.look import Theme
from bot.presentation.canvas import Box, Canvas
from bot.presentation.colour import BLACK, WHITE, Colour, contrast, mixed
from bot.presentation.position import Marks
from bot.presentation.tiles.grid import mark_of, threats_at
from bot.presentation.tiles.palette import Kind, Palette, palette_of
from bot.presentation.tiles.tile import Cell, Ground, Loose, Mark, Threatened, image
from engine.core import Player, State
from engine.games.drawing import HEXAGON_RADIUS, extent_of, label_spots, labels_of
from engine.games.spec import BoardCell, Border, GameSpec, Piece

_SCALE = 3
_LINE = 0.035
_RIM, _FRAME = 0.2, 0.72
"""Around the board, in cells: without coordinates and with them."""

_WIDE = 8
"""Units of a board's width below which it is enlarged, at most twice."""

_PIECES = {"pit": 0.8, "store": 0.8, "box": 0.5}
"""The size of a piece in cells of these shapes; elsewhere 1."""

_ROUND = ("pit", "store")


def is_plane(spec: GameSpec) -> bool:
    """Whether the game's boards are drawn by this module, not composed of tiles."""
    return spec.look.places is not None


def draw_plane(
    spec: GameSpec, theme: Theme, state: State, marks: Marks, side: int, *, has_frame: bool = True
) -> Image.Image:
    """Return the board.

    side: pixels per unit of its plane; more if the board is small. has_frame: with its coordinates, if any.
    """
    board = _Board(spec, theme, state, side, has_frame=has_frame)
    for cell in marks.left:
        board.shade(cell)
    for cell, piece in sorted(board.pieces.items()):
        board.put(cell, piece, mark_of(cell, marks))
    for cell in marks.hints:
        if cell not in board.pieces:
            board.paste_loose(cell, Cell(board.ground_of(cell), None, Mark.LEGAL))
    for cell in {threat.cell for threat in marks.threats} - {marks.best}:
        board.paste_loose(cell, Threatened(board.ground_of(cell), threats_at(board.palette, cell, marks)))
    if marks.last is not None and not marks.line:
        board.mark_last(marks.last)
    if marks.best is not None:
        board.suggest(marks.best, state.to_move)
    return board.image


class _Board:
    def __init__(self, spec: GameSpec, theme: Theme, state: State, side: int, *, has_frame: bool) -> None:
        self.palette = palette_of(spec, theme)
        self.places = spec.places_under(state)
        self.pieces: Mapping[int, Piece] = spec.pieces_of(state)
        left, top, right, _ = extent_of(self.places)
        self._side = side = round(side * min(2, max(1, _WIDE / (right - left))))
        self._has_labels = any(labels_of(self.places))
        margin = _FRAME if has_frame and self._has_labels else _RIM
        self._left, self._top = left - margin, top - margin
        borders = spec.borders_under(state)
        self.image = _ground(self.palette, self.places, borders, side, margin).copy()

    def ground_of(self, cell: int) -> Ground:
        under = _under(self.palette, self.places[cell])
        kind = Kind.PAPER if self.palette.kind is Kind.PAPER else Kind.SQUARES
        return Ground(kind, under, self.palette.line, None)

    def put(self, cell: int, piece: Piece, mark: Mark) -> None:
        place = self.places[cell]
        if piece.count is not None:
            self._number(place, piece)
        elif place.shape == "edge":
            owner = piece.owner
            self._edge(place, self.palette.line if owner is None else self.palette.pieces[owner].fill, mark)
        elif piece.owner is None:
            self._paste(place, _text("#", self._side, _ink(_under(self.palette, place))))
        else:
            if place.shape == "box":
                self._claim(place, self.palette.pieces[piece.owner].fill)
            look = self.palette.pieces[piece.owner]
            self.paste_loose(cell, Cell(self.ground_of(cell), look, mark), is_king=piece.kind == "king")
            if piece.label:
                self._paste(place, _text(piece.label, round(self._side * 0.4), _ink(look.fill)))

    def paste_loose(self, cell: int, loose: Cell | Threatened, *, is_king: bool = False) -> None:
        size = round(self._side * _PIECES.get(self.places[cell].shape, 1))
        self._paste(self.places[cell], image(Loose(loose, is_king), size))

    def shade(self, cell: int) -> None:
        """Show that the last move's piece was on the cell; a pit has a ring instead."""
        if self.places[cell].shape in _ROUND:
            self.mark_last(cell)
            return
        self._paste(self.places[cell], _panel(*self._size(self.places[cell], 0.12), 0.12, WHITE, 90))

    def mark_last(self, cell: int) -> None:
        """Mark the last move where no piece carries the mark: a pit, an edge, an empty cell."""
        place, piece = self.places[cell], self.pieces.get(cell)
        if place.shape in _ROUND:
            width, height = self._size(place, -0.02)
            self._paste(place, _outline(width, height, WHITE, self._side))
        elif place.shape == "edge" and piece is not None:
            self._paste(place, _outline(*self._bar(place, 0.34), WHITE, self._side))

    def suggest(self, cell: int, mover: Player) -> None:
        place, look = self.places[cell], self.palette.pieces[mover]
        if place.shape in _ROUND or cell in self.pieces:
            self._paste(place, _outline(*self._size(place, -0.02), look.fill, self._side))
        elif place.shape == "edge":
            under = _under(self.palette, place)
            self._paste(place, _panel(*self._bar(place, 0.16), 0.08, mixed(look.fill, under, 0.35), 255))
        else:
            self.paste_loose(cell, Cell(self.ground_of(cell), look, Mark.GHOST))

    def _number(self, place: BoardCell, piece: Piece) -> None:
        under = _under(self.palette, place)
        if piece.owner is not None:
            fill = self.palette.pieces[piece.owner].fill
            self._paste(place, _outline(*self._size(place, 0.06), fill, self._side))
        ink = _ink(under) if piece.count else mixed(_ink(under), under, 0.6)
        lower = 0 if place.shape == "store" or self._has_labels else -0.07
        self._paste(place, _text(str(piece.count), round(self._side * 0.44), ink), lower)

    def _edge(self, place: BoardCell, fill: Colour, mark: Mark) -> None:
        faded = mixed(fill, _under(self.palette, place), 0.5) if mark is Mark.DIM else fill
        self._paste(place, _panel(*self._bar(place, 0.16), 0.08, faded, 255))

    def _claim(self, place: BoardCell, fill: Colour) -> None:
        faded = mixed(fill, _under(self.palette, place), 0.45)
        self._paste(place, _panel(*self._size(place, 0.1), 0.12, faded, 255))

    def _size(self, place: BoardCell, inset: float) -> tuple[int, int]:
        """Return the width and the height of a cell in pixels, less the inset on each side."""
        width, height = (size - 2 * inset for size in (place.width, place.height))
        return round(width * self._side), round(height * self._side)

    def _bar(self, place: BoardCell, width: float) -> tuple[int, int]:
        """Return the size of a drawn edge in pixels."""
        long, short = round(max(place.width, place.height) * self._side), round(width * self._side)
        return (long, short) if place.width > place.height else (short, long)

    def _paste(self, place: BoardCell, picture: Image.Image, lower: float = 0) -> None:
        x, y = (place.x - self._left) * self._side, (place.y + lower - self._top) * self._side
        self.image.paste(picture, (round(x - picture.width / 2), round(y - picture.height / 2)), picture)


def _under(palette: Palette, place: BoardCell) -> Colour:
    """Return the colour of an empty cell."""
    light, dark = palette.squares
    match place.shape:
        case "light":
            return light
        case "dark":
            return dark
        case "pit" | "store":
            return mixed(palette.board, BLACK, 0.35) if palette.hole is None else palette.hole
        case _:
            return palette.ground


def _ink(under: Colour) -> Colour:
    return WHITE if contrast(WHITE, under) > contrast(BLACK, under) else BLACK


@lru_cache(maxsize=32)
def _ground(
    palette: Palette,
    places: Sequence[BoardCell],
    borders: Sequence[Border],
    side: int,
    margin: float,
) -> Image.Image:
    """Return the board without pieces, shared by all callers."""
    left, top, right, bottom = extent_of(places)
    width, height = (round((size + margin + _RIM) * side) for size in (right - left, bottom - top))
    pen = _Pen(width, height, palette, _around(palette, places), (left - margin, top - margin), side)
    for place in places:
        pen.cell(place)
    for border in borders:
        pen.border(border)
    if margin == _FRAME:
        pen.labels(places)
    elif not any(labels_of(places)):
        pen.names(places)
    return pen.image.reduce(_SCALE)


def _around(palette: Palette, places: Sequence[BoardCell]) -> Colour:
    """Return the colour between and around the cells."""
    shapes = {place.shape for place in places}
    return palette.ground if "edge" in shapes else palette.board if "pit" in shapes else palette.frame


class _Pen(Canvas):
    """Draws the ground; lengths are units of the plane."""

    def __init__(
        self,
        width: int,
        height: int,
        palette: Palette,
        around: Colour,
        origin: tuple[float, float],
        side: int,
    ) -> None:
        super().__init__(width, height, scale=_SCALE, ground=around)
        self._palette, self._around = palette, around
        self._origin, self._side = origin, side

    def cell(self, place: BoardCell) -> None:
        line, under = self._palette.line, _under(self._palette, place)
        match place.shape:
            case "hexagon":
                self.shape(self._corners(place, HEXAGON_RADIUS), line)
                self.shape(self._corners(place, HEXAGON_RADIUS - _LINE), under)
            case "pit" | "store":
                radius = min(place.width, place.height) / 2 * self._side
                self.panel(self._box(place, 0.03), line, radius)
                self.panel(self._box(place, 0.06), under, radius)
            case "edge":
                is_flat = place.width > place.height
                inset = (place.height if is_flat else place.width) / 2 - 0.03
                box = self._box(place, inset)
                reach = inset * self._side
                left, top, right, bottom = box
                # The inset makes the edge thin; lengthways it is taken back, so that edges meet at the dots.
                ends = (left - reach, top, right + reach, bottom)
                self.block(
                    ends if is_flat else (left, top - reach, right, bottom + reach),
                    mixed(self._around, _ink(self._around), 0.35),
                )
            case "dot":
                self.disc(*self._point(place.x, place.y), 0.09 * self._side, _ink(self._around))
            case "box":  # shows the ground until a piece lies there
                pass
            case "dark" | "light":
                self.block(self._box(place, 0), under)
            case _:
                self.block(self._box(place, 0), line)
                self.block(self._box(place, _LINE / 2), self._palette.board)
                if self._palette.hole is not None:
                    self.disc(*self._point(place.x, place.y), 0.45 * self._side, under)

    def border(self, border: Border) -> None:
        points = [self._point(x, y) for x, y in border.points]
        self.line(points, self._palette.pieces[border.owner].fill, 0.14 * self._side)
        for x, y in (points[0], points[-1]):
            self.disc(x, y, 0.07 * self._side, self._palette.pieces[border.owner].fill)

    def labels(self, places: Sequence[BoardCell]) -> None:
        """Write the coordinates at the upper and left edge, or beside each slanted row of hexagons."""
        (columns, rows), (above, beside) = labels_of(places), label_spots(places)
        ink, size = _ink(self._around), 0.36 * self._side
        for column, text in columns.items():
            x, y = above[column]
            self.text(*self._point(x, y - 0.36), text, size, ink, stroke=0.5)
        for row, text in rows.items():
            x, y = beside[row]
            self.text(*self._point(x - 0.36, y), text, size, ink, stroke=0.5)

    def names(self, places: Sequence[BoardCell]) -> None:
        """Write short names into the cells of boards without coordinates."""
        for place in places:
            under = _under(self._palette, place)
            ink = mixed(_ink(under), under, 0.25)
            size = (0.18 if place.shape == "dark" else 0.22) * self._side
            if place.shape == "dark" and len(place.name) <= 2:
                corner = self._point(place.x - place.width / 2 + 0.03, place.y - place.height / 2 + 0.03)
                self.text(*corner, place.name, size, ink, anchor="la")
            elif place.shape == "pit" and len(place.name) <= 2:
                self.text(*self._point(place.x, place.y + 0.23), place.name, size, ink)

    def _corners(self, place: BoardCell, radius: float) -> list[tuple[float, float]]:
        angles = (math.pi / 6 + math.pi / 3 * corner for corner in range(6))
        return [
            self._point(place.x + radius * math.cos(angle), place.y + radius * math.sin(angle))
            for angle in angles
        ]

    def _box(self, place: BoardCell, inset: float) -> Box:
        wide, high = place.width / 2 - inset, place.height / 2 - inset
        return (
            *self._point(place.x - wide, place.y - high),
            *self._point(place.x + wide, place.y + high),
        )

    def _point(self, x: float, y: float) -> tuple[float, float]:
        left, top = self._origin
        return (x - left) * self._side, (y - top) * self._side


@lru_cache(maxsize=256)
def _panel(width: int, height: int, radius: float, colour: Colour, opacity: int) -> Image.Image:
    """radius: as a share of the longer side."""
    canvas = Canvas(width, height, scale=_SCALE, ground=None)
    canvas.panel((0, 0, width, height), colour, radius * max(width, height))
    found = canvas.image.reduce(_SCALE)
    if opacity < 255:
        found.putalpha(found.getchannel("A").point(lambda alpha: alpha * opacity // 255))
    return found


@lru_cache(maxsize=256)
def _outline(width: int, height: int, colour: Colour, side: int) -> Image.Image:
    """Return a rounded outline with a dark seam, so that it is seen on any ground."""
    canvas = Canvas(width, height, scale=_SCALE, ground=None)
    canvas.outline((0, 0, width, height), BLACK, 0.09 * side, min(width, height) / 2)
    inset = 0.015 * side
    canvas.outline(
        (inset, inset, width - inset, height - inset), colour, 0.06 * side, min(width, height) / 2 - inset
    )
    return canvas.image.reduce(_SCALE)


@lru_cache(maxsize=256)
def _text(text: str, size: int, colour: Colour) -> Image.Image:
    canvas = Canvas(2 * size, 2 * size, scale=_SCALE, ground=None)
    canvas.text(size, size, text, size, colour, stroke=size / 40)
    return canvas.image.reduce(_SCALE)
