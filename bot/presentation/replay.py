"""A match as an animated GIF: every move with its mark, and at the end the winning line; it runs once."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence

from PIL import Image

from bot.domain.look import Theme
from bot.presentation.colour import WHITE, Colour
from bot.presentation.picture import paste
from bot.presentation.plane import draw_plane, is_plane
from bot.presentation.position import Marks, marks_after
from bot.presentation.tiles.grid import grid_of
from bot.presentation.tiles.palette import palette_of
from bot.presentation.tiles.tile import Tile
from engine.core import Game, Move, State
from engine.games import spec_of

MAX_BYTES = 1 << 20

MOST_FRAMES = 300
"""A longer match is shown in steps of several moves: a frame takes up to 1 MB until the GIF is written."""

CELL = 64
"""The width of a cell in pixels."""

_COLOURS = 48
_FRAME_MS, _END_MS = 700, 3500

Position = tuple[State, Marks]


def draw_replay(game: Game, start: State, moves: Sequence[Move], theme: Theme = Theme.CLASSIC) -> bytes:
    """Return a GIF of the match, about 450 pixels wide; raises IllegalMove.

    Offered boards stay far below MAX_BYTES; a GIF that does not is halved in size.
    """
    positions, factor = positions_of(game, start, moves), 1
    gif = _encoded(game, positions, theme, factor)
    while len(gif) > MAX_BYTES:
        factor *= 2
        gif = _encoded(game, positions, theme, factor)
    return gif


def positions_of(game: Game, start: State, moves: Sequence[Move]) -> list[Position]:
    """Return the positions to show with their marks: all of them, or every n-th if they are too many.

    The first and the last one are always among them. Raises IllegalMove.
    """
    every = max(1, -(-len(moves) // (MOST_FRAMES - 1)))
    found, state = [(start, Marks())], start
    for ply, move in enumerate(moves, start=1):
        after = state.play(move)
        if (len(moves) - ply) % every == 0:
            found.append((after, marks_after(game, state, move, after)))
        state = after
    return found


def frames_of(game: Game, positions: Sequence[Position], theme: Theme) -> Iterator[Image.Image]:
    """Yield a frame for each position; pasting only the changed tiles takes a tenth of the time."""
    spec = spec_of(game.key)
    if is_plane(spec):
        yield from (draw_plane(spec, theme, state, marks, CELL) for state, marks in positions)
        return
    before: list[list[Tile]] | None = None
    frame: Image.Image | None = None
    for state, marks in positions:
        tiles = grid_of(spec, theme, state, marks)
        frame = paste(tiles, CELL, before=before, over=frame)
        before = tiles
        yield frame


def _encoded(game: Game, positions: Sequence[Position], theme: Theme, factor: int) -> bytes:
    """Encode the frames, smaller by the factor, with one palette, so that unchanged pixels cost nothing.

    They are drawn one after another: all frames of a long match would fill the memory.
    """
    (last,) = frames_of(game, positions[-1:], theme)
    sample = last.reduce(factor)
    pieces = palette_of(spec_of(game.key), theme).pieces
    marked: Sequence[Colour] = (WHITE, *(colour for piece in pieces for colour in (piece.fill, piece.accent)))
    # Marks are small, and rare colours would not get a place in the palette.
    for place, colour in enumerate(marked):
        sample.paste(colour, (0, 8 * place, sample.width, 8 * place + 8))
    palette = sample.quantize(_COLOURS, dither=Image.Dither.NONE)
    small = (
        frame.reduce(factor).quantize(palette=palette, dither=Image.Dither.NONE)
        for frame in frames_of(game, positions, theme)
    )
    gif = io.BytesIO()
    durations = [_FRAME_MS] * (len(positions) - 1) + [_END_MS]
    # Without a loop it runs once and stays on its last frame.
    next(small).save(gif, "GIF", save_all=True, append_images=small, duration=durations, optimize=False)
    return gif.getvalue()
