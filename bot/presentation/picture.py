"""A position as a PNG picture: shapes only, drawn four times too large and scaled down to smooth them.

Pillow's own font has digits and letters but no emoji; the only words in a picture are coordinates.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass, replace

from PIL import Image, ImageDraw, ImageFont

from bot.domain.look import CLASSIC, Look, Size, Theme
from bot.presentation.position import Marks
from engine.core import Player, State
from engine.games import spec_of
from engine.games.spec import GameSpec, Layout, Told

CELL = 72
"""Pixels a cell is wide in the finished picture."""

_SCALE = 4
_MARGIN = 40
_PAD = 14
_SIZE = CELL * _SCALE
_AROUND = (_MARGIN + _PAD) * _SCALE

Colour = tuple[int, int, int]
Box = tuple[float, float, float, float]


_PAGE: Colour = (30, 33, 41)
_INK: Colour = (196, 202, 214)


@dataclass(frozen=True, slots=True)
class _Style:
    """The colours of one game; pairs are indexed by Player.

    has_symbols: a cross or a ring on every disc, for who cannot tell colours apart.
    """

    board: Colour
    edge: Colour
    hole: Colour | None
    discs: tuple[Colour, Colour]
    rims: tuple[Colour, Colour]
    accent: Colour
    has_letters: bool
    is_pencil: bool = False
    page: Colour = _PAGE
    has_symbols: bool = False


_BLUE_AND_ORANGE = (((0, 114, 178), (230, 159, 0)), ((0, 84, 138), (184, 122, 0)))
"""Discs and rims that every common kind of colour blindness tells apart (Okabe and Ito, 2008)."""

_SHRINK = {Size.SMALL: 6, Size.NORMAL: _SCALE, Size.LARGE: 3}
"""How many drawn pixels make one of the finished picture, by size."""


def rgb(colour: str) -> Colour:
    """The colour of `#RRGGBB`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _classic(spec: GameSpec) -> _Style:
    paint = spec.paint
    return _Style(
        board=rgb(paint.board),
        edge=rgb(paint.edge),
        hole=None if paint.hole is None else rgb(paint.hole),
        discs=(rgb(paint.discs[0]), rgb(paint.discs[1])),
        rims=(rgb(paint.rims[0]), rgb(paint.rims[1])),
        accent=rgb(paint.accent),
        has_letters=spec.layout is not Layout.COLUMNS,
        is_pencil=spec.told_by is Told.SHAPE,
    )


def _style(game_key: str, theme: Theme) -> _Style:
    spec = spec_of(game_key)
    style = _classic(spec)
    if theme is Theme.DARK:
        return _dark(style, spec.told_by)
    if theme is Theme.COLOUR_BLIND and spec.told_by is Told.COLOUR:
        discs, rims = _BLUE_AND_ORANGE
        hole = style.hole and (24, 26, 31)
        return replace(style, board=(70, 74, 84), edge=(46, 49, 57), hole=hole, discs=discs, rims=rims)
    if theme is Theme.COLOUR_BLIND and spec.told_by is Told.BRIGHTNESS:
        return replace(style, board=(58, 112, 158), edge=(36, 76, 112))
    return replace(style, has_symbols=theme in (Theme.SHAPES, Theme.LETTERS) and not style.is_pencil)


def _dark(style: _Style, told_by: Told) -> _Style:
    page = (12, 13, 16)
    if told_by is Told.SHAPE:
        return replace(
            style, board=(38, 41, 50), edge=(120, 126, 140), accent=(90, 76, 30), page=page,
            discs=((240, 100, 96), (106, 164, 245)),
        )  # fmt: skip
    # Black discs would vanish on a black board.
    discs = ((142, 88, 190), style.discs[1]) if told_by is Told.BRIGHTNESS else style.discs
    hole = style.hole and (16, 17, 22)
    return replace(style, board=(38, 41, 50), edge=(24, 26, 32), hole=hole, discs=discs, page=page)


def disc_colours(game_key: str, theme: Theme = Theme.CLASSIC) -> tuple[Colour, Colour]:
    """The colours of both sides' discs, by Player."""
    return _style(game_key, theme).discs


def ground_colour(game_key: str) -> Colour:
    """The colour of the board."""
    return _style(game_key, Theme.CLASSIC).board


def accent_colour(game_key: str, theme: Theme = Theme.CLASSIC) -> Colour:
    """The colour of the last move's mark and of the winning line."""
    return _style(game_key, theme).accent


def draw_picture(game_key: str, state: State, marks: Marks | None = None, look: Look = CLASSIC) -> bytes:
    """The board as the bytes of a PNG, with its coordinates around it.

    Width and height in the usual size: CELL pixels a cell, and a margin of 54 pixels on each side.
    """
    small = draw_large(game_key, state, marks, look.theme).reduce(_SHRINK[look.size])
    png = io.BytesIO()
    # Few colours are used: a palette makes the file less than half as large.
    small.quantize(256, dither=Image.Dither.NONE).save(png, "PNG")
    return png.getvalue()


def draw_large(
    game_key: str, state: State, marks: Marks | None = None, theme: Theme = Theme.CLASSIC
) -> Image.Image:
    """The board four times as wide and high as `draw_picture` usually makes it, to be scaled down."""
    drawn = LargeBoard(game_key, state, theme)
    image = drawn.empty.copy()
    for index, player in enumerate(state.cells()):
        image.paste(drawn.cell(index, player, marks or Marks()), drawn.corner_of(index))
    return image


class LargeBoard:
    """An empty board and its cells, whatever stands on them, four times too large.

    empty: the board without discs. Nothing of a cell reaches out of it, so a picture is made of them.
    """

    def __init__(self, game_key: str, state: State, theme: Theme = Theme.CLASSIC) -> None:
        style = self._style = _style(game_key, theme)
        self._columns = state.columns
        width, height = state.columns * _SIZE + 2 * _AROUND, state.rows * _SIZE + 2 * _AROUND
        self.empty = Image.new("RGB", (width, height), style.page)
        pen = ImageDraw.Draw(self.empty)
        frame = (_AROUND, _AROUND, width - _AROUND, height - _AROUND)
        _draw_board(pen, style, frame, state, _SIZE)
        _draw_coordinates(pen, style, frame, state, _SIZE)

    def corner_of(self, index: int) -> tuple[int, int]:
        """Where the cell's upper left corner is, in pixels of the large board."""
        row, column = divmod(index, self._columns)
        return _AROUND + column * _SIZE, _AROUND + row * _SIZE

    def cell(self, index: int, player: Player | None, marks: Marks) -> Image.Image:
        """The cell with that player's disc, or with none."""
        left, top = self.corner_of(index)
        image = self.empty.crop((left, top, left + _SIZE, top + _SIZE))
        pen = ImageDraw.Draw(image)
        _draw_cell(pen, self._style, (0, 0, _SIZE, _SIZE), player, index, marks)
        if index in marks.line and len(marks.line) > 1 and not self._style.is_pencil:
            _draw_won(pen, self._style, (_SIZE / 2, _SIZE / 2), _SIZE)
        return image


def _draw_board(pen: ImageDraw.ImageDraw, style: _Style, frame: Box, state: State, size: int) -> None:
    left, top, right, bottom = frame
    pad = _PAD * _SCALE
    pen.rounded_rectangle(
        (left - pad, top - pad, right + pad, bottom + pad), radius=pad * 1.6, fill=style.edge
    )
    pen.rounded_rectangle(
        (left - pad * 0.55, top - pad * 0.55, right + pad * 0.55, bottom + pad * 0.55),
        radius=pad * 1.2,
        fill=style.board,
    )
    if style.hole is not None:
        return
    width = 2 * _SCALE if not style.is_pencil else 5 * _SCALE
    inner = 1 if style.is_pencil else 0
    for column in range(inner, state.columns + 1 - inner):
        pen.line((left + column * size, top, left + column * size, bottom), style.edge, width)
    for row in range(inner, state.rows + 1 - inner):
        pen.line((left, top + row * size, right, top + row * size), style.edge, width)
    if not style.is_pencil:
        for row in (2, state.rows - 2):
            for column in (2, state.columns - 2):
                pen.ellipse(_around((left + column * size, top + row * size), 5 * _SCALE), style.edge)


def _draw_coordinates(pen: ImageDraw.ImageDraw, style: _Style, frame: Box, state: State, size: int) -> None:
    font = ImageFont.load_default(size=24 * _SCALE)
    left, top, _, _ = frame
    off = (_PAD + _MARGIN / 2 + 1) * _SCALE
    for column in range(state.columns):
        name = chr(ord("a") + column) if style.has_letters else str(column + 1)
        pen.text((left + (column + 0.5) * size, top - off), name, _INK, font, anchor="mm")
    if style.has_letters:
        for row in range(state.rows):
            pen.text((left - off, top + (row + 0.5) * size), str(row + 1), _INK, font, anchor="mm")


def _draw_cell(
    pen: ImageDraw.ImageDraw, style: _Style, box: Box, player: Player | None, index: int, marks: Marks
) -> None:
    left, top, right, bottom = box
    centre = ((left + right) / 2, (top + bottom) / 2)
    size = right - left
    is_marked = index == marks.last or index in marks.line
    if style.is_pencil:
        if is_marked:
            inset = 6 * _SCALE
            pen.rounded_rectangle(
                (left + inset, top + inset, right - inset, bottom - inset), 10 * _SCALE, style.accent
            )
        if player is not None:
            _PENCIL[player](pen, centre, size, style.discs[player])
        elif index in marks.hints:
            pen.ellipse(_around(centre, size * 0.08), style.edge)
        return
    if style.hole is not None:
        pen.ellipse(_around(centre, size * 0.43), style.edge)
        pen.ellipse(_around(centre, size * 0.40), style.hole)
    if player is not None:
        pen.ellipse(_around(centre, size * 0.40), style.rims[player])
        pen.ellipse(_around(centre, size * 0.33), style.discs[player])
        if style.has_symbols:
            light = sum(style.discs[player]) > 3 * 128
            _PENCIL[player](pen, centre, size * 0.7, (20, 22, 26) if light else (255, 255, 255))
        if index == marks.last and not marks.line:
            pen.ellipse(_around(centre, size * 0.10), style.accent)
    elif index in marks.hints:
        radius = size * 0.15
        pen.ellipse(_around(centre, radius), outline=(226, 240, 230), width=3 * _SCALE)


def _draw_won(pen: ImageDraw.ImageDraw, style: _Style, centre: tuple[float, float], size: int) -> None:
    """A ring around a winning disc and a dot on it; both are seen on dark and on light discs."""
    pen.ellipse(_around(centre, size * 0.41), outline=style.accent, width=5 * _SCALE)
    pen.ellipse(_around(centre, size * 0.09), style.accent)


def _cross(pen: ImageDraw.ImageDraw, centre: tuple[float, float], size: float, colour: Colour) -> None:
    x, y = centre
    arm, width = size * 0.26, int(size * 0.11)
    for sign in (1, -1):
        ends = ((x - arm, y - sign * arm), (x + arm, y + sign * arm))
        pen.line(ends, colour, width)
        for end in ends:
            pen.ellipse(_around(end, width / 2), colour)


def _nought(pen: ImageDraw.ImageDraw, centre: tuple[float, float], size: float, colour: Colour) -> None:
    pen.ellipse(_around(centre, size * 0.32), outline=colour, width=int(size * 0.11))


_PENCIL: tuple[Callable[[ImageDraw.ImageDraw, tuple[float, float], float, Colour], None], ...] = (
    _cross,
    _nought,
)


def _around(centre: tuple[float, float], radius: float) -> Box:
    x, y = centre
    return x - radius, y - radius, x + radius, y + radius
