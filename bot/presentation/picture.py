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

CELL = 72
"""Pixels a cell is wide in the finished picture."""

_SCALE = 4
_MARGIN = 40
_PAD = 14

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


_STYLES = {
    "connect-four": _Style(
        board=(37, 99, 214), edge=(26, 72, 166), hole=(22, 44, 96),
        discs=((226, 54, 60), (250, 204, 48)), rims=((178, 32, 42), (212, 158, 22)),
        accent=(255, 255, 255), has_letters=False,
    ),
    "othello": _Style(
        board=(31, 128, 82), edge=(20, 92, 58), hole=None,
        discs=((28, 30, 34), (244, 245, 240)), rims=((8, 9, 11), (204, 206, 198)),
        accent=(240, 78, 70), has_letters=True,
    ),
    "tic-tac-toe": _Style(
        board=(246, 241, 230), edge=(122, 116, 104), hole=None,
        discs=((214, 62, 62), (44, 104, 190)), rims=((214, 62, 62), (44, 104, 190)),
        accent=(255, 222, 128), has_letters=True, is_pencil=True,
    ),
}  # fmt: skip


_BLUE_AND_ORANGE = (((0, 114, 178), (230, 159, 0)), ((0, 84, 138), (184, 122, 0)))
"""Discs and rims that every common kind of colour blindness tells apart (Okabe and Ito, 2008)."""

_SHRINK = {Size.SMALL: 6, Size.NORMAL: _SCALE, Size.LARGE: 3}
"""How many drawn pixels make one of the finished picture, by size."""


def _style(game_key: str, theme: Theme) -> _Style:
    style = _STYLES.get(game_key, _STYLES["othello"])
    if theme is Theme.DARK and not style.is_pencil:
        return replace(style, board=(38, 41, 50), edge=(24, 26, 32), hole=style.hole and (16, 17, 22),
                       discs=_dark_discs(style), page=(12, 13, 16))  # fmt: skip
    if theme is Theme.DARK:
        return replace(
            style, board=(38, 41, 50), edge=(120, 126, 140), accent=(90, 76, 30), page=(12, 13, 16),
            discs=((240, 100, 96), (106, 164, 245)),
        )  # fmt: skip
    if theme is Theme.COLOUR_BLIND and style.hole is not None:
        discs, rims = _BLUE_AND_ORANGE
        return replace(
            style, board=(70, 74, 84), edge=(46, 49, 57), hole=(24, 26, 31), discs=discs, rims=rims
        )
    if theme is Theme.COLOUR_BLIND and not style.is_pencil:
        return replace(style, board=(58, 112, 158), edge=(36, 76, 112))
    return replace(style, has_symbols=theme in (Theme.SHAPES, Theme.LETTERS) and not style.is_pencil)


def _dark_discs(style: _Style) -> tuple[Colour, Colour]:
    """Black discs would vanish on a black board."""
    return style.discs if style.hole is not None else ((142, 88, 190), style.discs[1])


def disc_colours(game_key: str, theme: Theme = Theme.CLASSIC) -> tuple[Colour, Colour]:
    """The colours of both sides' discs, by Player."""
    return _style(game_key, theme).discs


def accent_colour(game_key: str, theme: Theme = Theme.CLASSIC) -> Colour:
    """The colour of the last move's mark and of the winning line."""
    return _style(game_key, theme).accent


def draw_picture(game_key: str, state: State, marks: Marks | None = None, look: Look = CLASSIC) -> bytes:
    """The board as the bytes of a PNG, with its coordinates around it.

    Width and height in the usual size: CELL pixels a cell, and a margin of 54 pixels on each side.
    """
    image = draw_large(game_key, state, marks, look.theme)
    shrink = _SHRINK[look.size]
    small = image.resize((image.width // shrink, image.height // shrink), Image.Resampling.LANCZOS)
    png = io.BytesIO()
    # Few colours are used: a palette makes the file a third of its size.
    small.quantize(256, dither=Image.Dither.NONE).save(png, "PNG", optimize=True)
    return png.getvalue()


def draw_large(
    game_key: str, state: State, marks: Marks | None = None, theme: Theme = Theme.CLASSIC
) -> Image.Image:
    """The board four times as wide and high as `draw_picture` usually makes it, to be scaled down."""
    style = _style(game_key, theme)
    marked = marks or Marks()
    around = (_MARGIN + _PAD) * _SCALE
    size = CELL * _SCALE
    width, height = state.columns * size + 2 * around, state.rows * size + 2 * around
    image = Image.new("RGB", (width, height), style.page)
    pen = ImageDraw.Draw(image)
    frame = (around, around, width - around, height - around)
    _draw_board(pen, style, frame, state, size)
    _draw_coordinates(pen, style, frame, state, size)
    for index, player in enumerate(state.cells()):
        row, column = divmod(index, state.columns)
        left, top = around + column * size, around + row * size
        _draw_cell(pen, style, (left, top, left + size, top + size), player, index, marked)
    if len(marked.line) > 1 and not style.is_pencil:
        _draw_line(pen, style, [_centre(index, state.columns, around, size) for index in marked.line], size)
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


def _draw_line(
    pen: ImageDraw.ImageDraw, style: _Style, centres: list[tuple[float, float]], size: int
) -> None:
    """A ring around every winning disc and a dot on it; both are seen on dark and on light discs."""
    for centre in centres:
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


def _centre(index: int, columns: int, around: int, size: int) -> tuple[float, float]:
    row, column = divmod(index, columns)
    return around + (column + 0.5) * size, around + (row + 0.5) * size


def _around(centre: tuple[float, float], radius: float) -> Box:
    x, y = centre
    return x - radius, y - radius, x + radius, y + radius
