"""A position as a PNG picture, composed of the same tiles as boards in text."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image

from bot.domain.look import CLASSIC, Look, Size, Theme
from bot.presentation.canvas import Canvas
from bot.presentation.colour import Colour
from bot.presentation.plane import draw_plane, is_plane
from bot.presentation.position import Marks
from bot.presentation.tiles.grid import MAX_TILES, grid_of, is_whole
from bot.presentation.tiles.palette import palette_of
from bot.presentation.tiles.tile import Tile, image
from engine.core import State
from engine.games import spec_of
from engine.games.spec import Distinction, GameSpec

CELL = 56
"""The width of a cell in pixels, in the normal size."""

_CELLS = {Size.SMALL: 40, Size.NORMAL: CELL, Size.LARGE: 72}

_DRAWN = 128
"""The width of a cell in pixels in pictures that are scaled down later."""

_CROWDED = 12
"""From this number of rows or columns on, large pictures have normal cells: Discord displays no wider
ones."""

_HIGHEST = {Size.SMALL: 330, Size.NORMAL: 360, Size.LARGE: 392}
_WIDEST = 556
"""Pixels of a displayed picture's height, so that a window of 800 pixels shows the board and its buttons; and
of the width to which the demo scales wider pictures. Discord documents nowhere how large it displays them."""


def is_picture(game_key: str, state: State, look: Look) -> bool:
    """Whether the board is displayed as a picture: in the large size, if it is too large for text or no
    lattice of squares, and while its tiles are being uploaded.
    """
    if look.theme is Theme.LETTERS:
        return False
    spec = spec_of(game_key)
    if look.size is Size.LARGE or max(state.rows, state.columns) > MAX_TILES or is_plane(spec):
        return True
    return look.emoji.is_coming and not is_whole(spec, look)


def disc_colours(game_key: str, theme: Theme = Theme.CLASSIC) -> tuple[Colour, Colour]:
    """Return the colours of both sides' discs, by Player."""
    first, second = palette_of(spec_of(game_key), theme).pieces
    return first.fill, second.fill


def ground_colour(game_key: str) -> Colour:
    """Return the colour of the board."""
    palette = palette_of(spec_of(game_key))
    return palette.ground if palette.hole is not None and palette.board == palette.line else palette.board


def draw_icon(canvas: Canvas, x: float, y: float, size: float, game: str) -> None:
    """Draw a tiny board of the game around the point."""
    half, colours, ground = size / 2, disc_colours(game), ground_colour(game)
    canvas.panel((x - half, y - half, x + half, y + half), ground, size / 5)
    if spec_of(game).look.distinguished_by is Distinction.SHAPE:
        arm, width = size * 0.17, size * 0.09
        for sign in (1, -1):
            middle = x - size * 0.22
            canvas.line(((middle - arm, y - sign * arm), (middle + arm, y + sign * arm)), colours[0], width)
        canvas.disc(x + size * 0.22, y, size * 0.19, colours[1])
        canvas.disc(x + size * 0.22, y, size * 0.10, ground)
        return
    for index, (dx, dy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
        canvas.disc(x + dx * size * 0.21, y + dy * size * 0.21, size * 0.17, colours[index % 2])


def draw_picture(game_key: str, state: State, marks: Marks | None = None, look: Look = CLASSIC) -> bytes:
    """Return the board as a PNG, with its coordinates on a frame.

    The size: CELL pixels per cell in the normal size, plus one row and one column for the frame.
    """
    return draw_board(spec_of(game_key), state, marks, look)


def draw_board(spec: GameSpec, state: State, marks: Marks | None = None, look: Look = CLASSIC) -> bytes:
    """Return the same for a game that may be in no registry."""
    side = _CELLS[look.size]
    if max(state.rows, state.columns) >= _CROWDED:
        side = min(side, CELL)
    found = _drawn(spec, state, marks, look.theme, side)
    displayed = found.height * min(1, _WIDEST / found.width)
    highest = _HIGHEST[look.size]
    if displayed > highest:
        found = _drawn(spec, state, marks, look.theme, side * highest // found.height)
    png = io.BytesIO()
    # The picture has few colours: a palette makes the file a third of its size.
    found.quantize(256, dither=Image.Dither.NONE).save(png, "PNG", optimize=True)
    return png.getvalue()


def draw_large(
    game_key: str, state: State, marks: Marks | None = None, theme: Theme = Theme.CLASSIC
) -> Image.Image:
    """Return the board with 128 pixels per cell, to be scaled down."""
    return _drawn(spec_of(game_key), state, marks, theme, _DRAWN)


def draw_cells(
    game_key: str, state: State, marks: Marks | None = None, theme: Theme = Theme.CLASSIC
) -> Image.Image:
    """Return the same without coordinates."""
    spec = spec_of(game_key)
    if is_plane(spec):
        return draw_plane(spec, theme, state, marks or Marks(), _DRAWN, has_frame=False)
    found = draw_large(game_key, state, marks, theme)
    left = found.width - state.columns * _DRAWN
    top = found.height - state.rows * _DRAWN
    return found.crop((left, top, found.width, found.height))


def paste(
    tiles: Sequence[Sequence[Tile]],
    side: int,
    *,
    before: Sequence[Sequence[Tile]] | None = None,
    over: Image.Image | None = None,
) -> Image.Image:
    """Return a picture of the tiles, `side` pixels each.

    before, over: another grid of the same size and its picture; unchanged tiles are reused from it.
    """
    found = Image.new("RGB", (len(tiles[0]) * side, len(tiles) * side)) if over is None else over.copy()
    for row, line in enumerate(tiles):
        for column, tile in enumerate(line):
            if before is None or before[row][column] != tile:
                found.paste(image(tile, side), (column * side, row * side))
    return found


def _drawn(spec: GameSpec, state: State, marks: Marks | None, theme: Theme, side: int) -> Image.Image:
    if is_plane(spec):
        return draw_plane(spec, theme, state, marks or Marks(), side)
    return paste(grid_of(spec, theme, state, marks or Marks()), side)
