"""Tiles and their pictures; a tile contains everything that its picture depends on.

So equal tiles have equal pictures, and a tile's digest identifies its picture without drawing it. Different
releases of Pillow may smooth an edge differently; the digest does not depend on that.
"""

from __future__ import annotations

import enum
import hashlib
import io
import math
from dataclasses import dataclass, replace
from functools import lru_cache

from PIL import Image

from bot.presentation.canvas import Box, Canvas
from bot.presentation.colour import BLACK, WHITE, Colour, contrast, middling, mixed
from bot.presentation.tiles.palette import Kind, Piece, Shape

DRAWING = 2
"""Increased whenever the code below draws something differently: then the emoji are uploaded again."""

SIDE = 128
"""The size of an emoji in pixels, as Discord recommends."""

_SCALE = 4
_PIXEL = 1 / _SCALE
"""A pixel of the enlarged drawing."""

_CENTRE = SIDE / 2

_GOLD: Colour = (246, 200, 60)

_RIM: Colour = (138, 144, 156)
"""Around a piece in a line of text; visible on every background."""


class Mark(enum.StrEnum):
    """A mark on a cell. It adds to the piece and never replaces it."""

    PLAIN = "plain"
    LAST = "last"
    """Played last."""
    WON = "won"
    """Belongs to the winning line."""
    DIM = "dim"
    """Does not belong to the winning line of a finished game."""
    TURNED = "turned"
    """Changed sides with the last move."""
    GHOST = "ghost"
    """A suggested move."""
    LEGAL = "legal"
    """An empty cell with a legal move."""


@dataclass(frozen=True, slots=True)
class Ground:
    """A cell without its piece. arms: the lines from a crossing, of `udlr`; star: a dot on it."""

    kind: Kind
    board: Colour
    line: Colour
    hole: Colour | None
    arms: str = ""
    star: bool = False

    @property
    def under(self) -> Colour:
        """The colour beneath a piece."""
        return self.board if self.hole is None else self.hole


@dataclass(frozen=True, slots=True)
class Cell:
    ground: Ground
    piece: Piece | None = None
    mark: Mark = Mark.PLAIN


@dataclass(frozen=True, slots=True)
class Sign:
    """A threat: its side by shape and colour; is_filled: that side gets the cell."""

    shape: Shape
    colour: Colour
    is_filled: bool


@dataclass(frozen=True, slots=True)
class Threatened:
    """An empty cell that would win, with one sign or two. For pictures only, so it has no emoji."""

    ground: Ground
    signs: tuple[Sign, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """A coordinate on the frame, or an empty piece of it; lit: of the last move."""

    frame: Colour
    ink: Colour
    text: str = ""
    lit: bool = False


@dataclass(frozen=True, slots=True)
class Icon:
    """A piece without a cell, for lines of text and buttons."""

    shape: Shape
    fill: Colour

    @classmethod
    def of(cls, piece: Piece) -> Icon:
        return cls(piece.shape, piece.fill)


@dataclass(frozen=True, slots=True)
class Loose:
    """What lies on a cell, without its ground. For pictures only, so it has no emoji."""

    cell: Cell | Threatened
    is_king: bool = False


Tile = Cell | Threatened | Label | Icon | Loose


@lru_cache(maxsize=4096)
def digest(tile: Tile) -> str:
    """Return 64 hexadecimal digits that identify the picture."""
    return hashlib.sha256(f"{DRAWING} {tile!r}".encode()).hexdigest()


@lru_cache(maxsize=1024)
def image(tile: Tile, side: int = SIDE) -> Image.Image:
    """Return the picture, shared by all callers, `side` pixels wide and high; icons and
    loose pieces are transparent.
    """
    pen = _TileCanvas()
    match tile:
        case Cell():
            _GROUNDS[tile.ground.kind](pen, tile)
            _draw_contents(pen, tile)
        case Threatened():
            _GROUNDS[tile.ground.kind](pen, Cell(tile.ground))
            _draw_threats(pen, tile)
        case Loose():
            _draw_loose(pen, tile)
        case Label():
            _draw_label(pen, tile)
        case Icon():
            _draw_icon(pen, tile)
    return pen.image.resize((side, side), Image.Resampling.BOX if side == SIDE else Image.Resampling.LANCZOS)


def png(tile: Tile) -> bytes:
    """Return the emoji as a PNG of 128 by 128 pixels, a few kilobytes."""
    found = image(tile)
    file = io.BytesIO()
    (found if isinstance(tile, Icon) else found.convert("RGB")).save(file, "PNG", optimize=True)
    return file.getvalue()


class _TileCanvas(Canvas):
    """A canvas of one emoji, with shapes around its centre. Right and bottom edges exclude the last pixel."""

    def __init__(self) -> None:
        super().__init__(SIDE, SIDE, scale=_SCALE, ground=None)

    def fill(self, colour: Colour) -> None:
        self.box(0, 0, SIDE, SIDE, colour)

    def box(
        self, left: float, top: float, right: float, bottom: float, colour: Colour, radius: float = 0
    ) -> None:
        self.panel((left, top, right - _PIXEL, bottom - _PIXEL), colour, radius)

    def centred_disc(self, radius: float, colour: Colour, x: float = 0) -> None:
        """x: the offset to the right of the centre, as in `diamond`."""
        self.ellipse(_around(radius, x), colour)

    def circle(self, radius: float, width: float, colour: Colour) -> None:
        """radius: of its outer edge."""
        self.ellipse(_around(radius), None, outline=colour, width=width)

    def diamond(self, reach: float, colour: Colour, x: float = 0) -> None:
        corners = ((0.0, -reach), (reach, 0.0), (0.0, reach), (-reach, 0.0))
        self.shape([(_CENTRE + x + right, _CENTRE + down) for right, down in corners], colour)

    def cross(self, arm: float, width: float, colour: Colour) -> None:
        for sign in (1, -1):
            ends = ((_CENTRE - arm, _CENTRE - sign * arm), (_CENTRE + arm, _CENTRE + sign * arm))
            self.line(ends, colour, round(width * _SCALE) / _SCALE)
            for x, y in ends:
                self.disc(x, y, width / 2, colour)

    def label(self, text: str, size: float, colour: Colour) -> None:
        self.text(_CENTRE, _CENTRE, text, size, colour, stroke=2.4)  # Pillow's font has no bold weight


def _around(radius: float, x: float = 0) -> Box:
    left, right = _CENTRE + x - radius, _CENTRE + x + radius - _PIXEL
    return left, _CENTRE - radius, right, _CENTRE + radius - _PIXEL


def _draw_label(pen: _TileCanvas, label: Label) -> None:
    pen.fill(label.frame)
    if label.lit:
        pen.box(14, 14, SIDE - 14, SIDE - 14, label.ink, 26)
    if label.text:
        pen.label(label.text, 78 if len(label.text) == 1 else 62, label.frame if label.lit else label.ink)


def _draw_icon(pen: _TileCanvas, piece: Icon) -> None:
    if piece.shape in (Shape.CROSS, Shape.RING):
        _draw_piece(pen, piece.shape, middling(piece.fill), 56)
        return
    outer = 61 if piece.shape is Shape.DISC else 50
    _draw_piece(pen, piece.shape, _RIM, outer)
    _draw_piece(pen, piece.shape, piece.fill, outer - (9 if piece.shape is Shape.DISC else 11))


def _draw_loose(pen: _TileCanvas, tile: Loose) -> None:
    if isinstance(tile.cell, Threatened):
        _draw_threats(pen, tile.cell)
        return
    piece, mark = tile.cell.piece, tile.cell.mark
    if piece is None or not tile.is_king:
        _draw_contents(pen, tile.cell)
        return
    _draw_contents(pen, replace(tile.cell, mark=Mark.PLAIN) if mark is Mark.LAST else tile.cell)
    if mark is not Mark.GHOST:
        _draw_crown(pen, piece, is_last=mark is Mark.LAST)


def _draw_crown(pen: _TileCanvas, piece: Piece, *, is_last: bool) -> None:
    """Draw a crown of five corners; the last move has a ring around it, since the crown hides a dot."""
    ink = BLACK if contrast(piece.fill, BLACK) > contrast(piece.fill, WHITE) else WHITE
    if is_last:
        pen.circle(43, 5, piece.accent)
    corners = ((-25, 20), (-29, -13), (-12, 3), (0, -22), (12, 3), (29, -13), (25, 20), (-25, 20))
    outline = [(_CENTRE + x, _CENTRE + y) for x, y in corners]
    pen.shape(outline, _GOLD if contrast(_GOLD, piece.fill) > 2 else ink)
    pen.line(outline, ink, 4)


def _draw_contents(pen: _TileCanvas, cell: Cell) -> None:
    under, piece = cell.ground.under, cell.piece
    if piece is None:
        if cell.mark is Mark.LEGAL:
            pen.centred_disc(11, _seen_on(under))
    elif cell.ground.kind is Kind.PAPER:
        _draw_written(pen, piece, cell.mark, under)
    elif cell.mark is Mark.GHOST:
        _draw_piece(pen, piece.shape, _outline(piece.fill, under), 46)
        _draw_piece(pen, piece.shape, under, 46 - (12 if piece.shape is Shape.DISC else 17))
    else:
        _draw_lying(pen, piece, cell)


def _draw_threats(pen: _TileCanvas, tile: Threatened) -> None:
    """Draw signs side by side; the ground is visible inside those that are not filled."""
    under = tile.ground.under
    places = (0,) if len(tile.signs) == 1 else (-25, 25)
    for sign, x in zip(tile.signs, places, strict=True):
        reach = 23 if sign.shape is Shape.DISC else 28
        draw = pen.centred_disc if sign.shape is Shape.DISC else pen.diamond
        colour = _outline(sign.colour, under)
        draw(reach, colour, x)
        if not sign.is_filled:
            draw(reach - (8 if sign.shape is Shape.DISC else 11), under, x)


def _draw_lying(pen: _TileCanvas, piece: Piece, cell: Cell) -> None:
    """Draw a disc or a stone with its mark."""
    under, mark, in_hole = cell.ground.under, cell.mark, cell.ground.kind is Kind.HOLES
    radius = 47 if in_hole else 51
    fill, rim = piece.fill, piece.rim
    if mark is Mark.DIM:
        fill, rim = _faded(fill, under, 0.42), mixed(rim, under, 0.5)
    # Rings around the piece come first, marks on it last: each covers what was drawn before.
    if mark is Mark.WON:
        pen.centred_disc(62, WHITE if contrast(WHITE, under) > 2 else BLACK)
        pen.centred_disc(54, _dark_of(under))
    elif mark is Mark.LAST and in_hole:
        pen.circle(58, 8, WHITE)
    _draw_piece(pen, piece.shape, rim, radius)
    _draw_piece(pen, piece.shape, fill, radius - (5 if piece.shape is Shape.DISC else 7))
    if mark is Mark.LAST and not in_hole:
        pen.centred_disc(15, piece.accent)
    elif mark is Mark.TURNED:
        pen.circle(
            25, 5, mixed(fill, WHITE if contrast(fill, WHITE) > contrast(fill, BLACK) else BLACK, 0.45)
        )


def _draw_written(pen: _TileCanvas, piece: Piece, mark: Mark, under: Colour) -> None:
    """Draw a cross or a nought; it keeps its colour as the last move."""
    if mark is Mark.WON:
        pen.box(0, 0, SIDE, SIDE, piece.fill)
        _draw_piece(pen, piece.shape, under, 50)
    elif mark is Mark.GHOST:
        _draw_piece(pen, piece.shape, _faded(piece.fill, under, 0.4), 32)
    else:
        _draw_piece(pen, piece.shape, _faded(piece.fill, under, 0.5) if mark is Mark.DIM else piece.fill, 50)


def _draw_piece(pen: _TileCanvas, shape: Shape, colour: Colour, radius: float) -> None:
    match shape:
        case Shape.DISC:
            pen.centred_disc(radius, colour)
        case Shape.DIAMOND:
            pen.diamond(radius * 1.2, colour)
        case Shape.CROSS:
            pen.cross(radius * 0.62, radius * 0.36, colour)
        case Shape.RING:
            pen.circle(radius * 0.82, radius * 0.34, colour)


def _holes(pen: _TileCanvas, cell: Cell) -> None:
    pen.fill(cell.ground.board)
    if contrast(cell.ground.board, cell.ground.under) < 3:
        pen.centred_disc(61, cell.ground.line)
    pen.centred_disc(58, cell.ground.under)


def _squares(pen: _TileCanvas, cell: Cell) -> None:
    """Draw half of the lines around the cell."""
    pen.fill(cell.ground.line)
    pen.box(2.5, 2.5, SIDE - 2.5, SIDE - 2.5, cell.ground.board)


def _points(pen: _TileCanvas, cell: Cell) -> None:
    pen.fill(cell.ground.board)
    middle, half, line = SIDE / 2, 2.5, cell.ground.line
    if "u" in cell.ground.arms:
        pen.box(middle - half, 0, middle + half, middle + half, line)
    if "d" in cell.ground.arms:
        pen.box(middle - half, middle - half, middle + half, SIDE, line)
    if "l" in cell.ground.arms:
        pen.box(0, middle - half, middle + half, middle + half, line)
    if "r" in cell.ground.arms:
        pen.box(middle - half, middle - half, SIDE, middle + half, line)
    if cell.ground.star:
        pen.centred_disc(10, line)


def _paper(pen: _TileCanvas, cell: Cell) -> None:
    pen.fill(cell.ground.board)
    under = cell.ground.under
    pen.box(4, 4, SIDE - 4, SIDE - 4, mixed(under, WHITE, 0.22) if cell.mark is Mark.LAST else under, 14)


_GROUNDS = {Kind.HOLES: _holes, Kind.SQUARES: _squares, Kind.POINTS: _points, Kind.PAPER: _paper}


def _seen_on(ground: Colour) -> Colour:
    """Return a subtle shade of the ground that is still visible on it."""
    ink = BLACK if contrast(ground, BLACK) > contrast(ground, WHITE) else WHITE
    shades = (mixed(ground, ink, step / 20) for step in range(21))
    return next((shade for shade in shades if contrast(shade, ground) >= 3.6), ink)


def _outline(fill: Colour, under: Colour) -> Colour:
    return fill if contrast(fill, under) >= 3 else _seen_on(under)


def _faded(fill: Colour, under: Colour, share: float) -> Colour:
    """Return the colour mixed with that share of the ground, or with less where it would be hard to see."""
    shades = (mixed(fill, under, share * step / 20) for step in range(20, 0, -1))
    return next((shade for shade in shades if contrast(shade, under) >= 3), fill)


def _dark_of(ground: Colour) -> Colour:
    return mixed(ground, BLACK, 0.5)


_WORDS: dict[str, Colour] = {
    "red": (222, 58, 66), "yellow": (250, 214, 66), "black": (26, 29, 35), "white": (248, 248, 243),
    "purple": (163, 110, 234), "blue": (0, 114, 178), "sky": (90, 190, 245), "orange": (230, 159, 0),
}  # fmt: skip

_SHAPES = {Shape.DIAMOND: "_diamond", Shape.CROSS: "_cross", Shape.RING: "_ring"}

_EMPTY = {Kind.HOLES: "empty", Kind.SQUARES: "free", Kind.PAPER: "blank"}

_EDGES = {"u": "top", "d": "bottom", "l": "left", "r": "right"}

_MARKS = {Mark.LAST: "_last", Mark.WON: "_win", Mark.TURNED: "_turned", Mark.GHOST: "_hint"}


def word(tile: Tile) -> str:
    """Return the tile in words, of `a-z0-9_`: the name of its emoji, which screen readers read aloud."""
    match tile:
        case Label(text=text, lit=lit):
            return f"_{text}" + "_last" * lit if text else "corner"
        case Threatened():
            return "threat"
        case Cell(piece=None, mark=mark, ground=ground):
            return "legal" if mark is Mark.LEGAL else _EMPTY.get(ground.kind) or _point_word(ground)
        case Cell(piece=Piece(shape=shape, fill=fill), mark=mark):
            return _colour_word(fill) + _SHAPES.get(shape, "") + _MARKS.get(mark, "")
        case Icon(shape=shape, fill=fill):
            return _colour_word(fill) + _SHAPES.get(shape, "") + "_piece"
    raise TypeError(f"no tile: {tile!r}")


def _point_word(ground: Ground) -> str:
    edges = [name for arm, name in _EDGES.items() if arm not in ground.arms]
    return "star" if ground.star else "_".join(edges) or "point"


def _colour_word(fill: Colour) -> str:
    return min(_WORDS, key=lambda name: math.dist(_WORDS[name], fill))
