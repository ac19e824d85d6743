"""A match as an animated GIF: every move with its mark, and at the end the winning line; it runs once."""

from __future__ import annotations

import io
from collections.abc import Sequence

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

CELL = 64
"""The width of a cell in pixels."""

_COLOURS = 48
_FRAME_MS, _END_MS = 700, 3500


def draw_replay(game: Game, start: State, moves: Sequence[Move], theme: Theme = Theme.CLASSIC) -> bytes:
    """Return a GIF with one frame per position, about 450 pixels wide; raises IllegalMove.

    Offered boards stay far below MAX_BYTES; a GIF that does not is halved in size.
    """
    frames = frames_of(game, start, moves, theme)
    pieces = palette_of(spec_of(game.key), theme).pieces
    marked = (WHITE, *(colour for piece in pieces for colour in (piece.fill, piece.accent)))
    gif = _encode(frames, marked)
    while len(gif) > MAX_BYTES:
        frames = [frame.reduce(2) for frame in frames]
        gif = _encode(frames, marked)
    return gif


def frames_of(game: Game, start: State, moves: Sequence[Move], theme: Theme) -> list[Image.Image]:
    """Return the frames; pasting only the changed tiles takes a tenth of the time."""
    spec, state = spec_of(game.key), start
    if is_plane(spec):
        frames = [draw_plane(spec, theme, state, Marks(), CELL)]
        for move in moves:
            after = state.play(move)
            frames.append(draw_plane(spec, theme, after, marks_after(game, state, move, after), CELL))
            state = after
        return frames
    tiles: list[list[Tile]] = grid_of(spec, theme, state, Marks())
    frames = [paste(tiles, CELL)]
    for move in moves:
        after = state.play(move)
        before, tiles = tiles, grid_of(spec, theme, after, marks_after(game, state, move, after))
        state = after
        frames.append(paste(tiles, CELL, before=before, over=frames[-1]))
    return frames


def _encode(frames: Sequence[Image.Image], marked: Sequence[Colour]) -> bytes:
    """Encode the frames with one palette, so that unchanged pixels cost nothing."""
    sample = frames[-1].copy()
    # Marks are small, and rare colours would not get a place in the palette.
    for place, colour in enumerate(marked):
        sample.paste(colour, (0, 8 * place, sample.width, 8 * place + 8))
    palette = sample.quantize(_COLOURS, dither=Image.Dither.NONE)
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    gif = io.BytesIO()
    durations = [_FRAME_MS] * (len(small) - 1) + [_END_MS]
    # Without a loop it runs once and stays on its last frame.
    small[0].save(gif, "GIF", save_all=True, append_images=small[1:], duration=durations, optimize=False)
    return gif.getvalue()
