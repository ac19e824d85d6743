"""A whole match as an animated GIF: every move with its mark, at the end the winning line."""

from __future__ import annotations

import io
from collections.abc import Sequence

from PIL import Image

from bot.domain.look import Theme
from bot.presentation.picture import Colour, LargeBoard, accent_colour
from bot.presentation.position import Marks
from engine.core import Game, Move, Player, State

MOST_BYTES = 1 << 20
_SHRINK = 6
"""How many times smaller than drawn."""
_COLOURS = 48
_FRAME_MS, _END_MS = 700, 3500

Cell = tuple[Player | None, bool, bool]
"""What stands on a cell, whether it was the last move, and whether it belongs to the winning line."""


def draw_replay(game: Game, start: State, moves: Sequence[Move], theme: Theme = Theme.CLASSIC) -> bytes:
    """The bytes of a GIF, one frame a position, about 450 pixels wide; raises IllegalMove.

    Boards that are offered stay far below MOST_BYTES; should one not, it is halved in size.
    """
    frames = frames_of(game, start, moves, theme)
    accent = accent_colour(game.key, theme)
    gif = _encode(frames, accent)
    while len(gif) > MOST_BYTES:
        frames = [frame.reduce(2) for frame in frames]
        gif = _encode(frames, accent)
    return gif


def frames_of(game: Game, start: State, moves: Sequence[Move], theme: Theme) -> list[Image.Image]:
    """Each is the one before with the cells that have changed drawn anew, which is a tenth of the work."""
    state, marks = start, Marks()
    board = LargeBoard(game.key, state, theme)
    image = board.empty.reduce(_SHRINK)
    before: list[Cell] = []
    frames = []
    for move in (None, *moves):
        if move is not None:
            last = game.cell_of(state, move)
            state = state.play(move)
            outcome = state.outcome()
            marks = Marks(last, () if outcome is None else outcome.line)
        now: list[Cell] = [
            (player, index == marks.last, index in marks.line) for index, player in enumerate(state.cells())
        ]
        image = image.copy()
        for index, new in enumerate(now):
            if not before or before[index] != new:
                left, top = board.corner_of(index)
                cell = board.cell(index, new[0], marks).reduce(_SHRINK)
                image.paste(cell, (left // _SHRINK, top // _SHRINK))
        frames.append(image)
        before = now
    return frames


def _encode(frames: Sequence[Image.Image], accent: Colour) -> bytes:
    """One palette for all frames, so that a pixel that stays the same costs nothing."""
    sample = frames[-1].copy()
    # Marks are small, and a small colour would not get a place in the palette.
    sample.paste(accent, (0, 0, sample.width, sample.height // 20))
    palette = sample.quantize(_COLOURS, dither=Image.Dither.NONE)
    small = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    gif = io.BytesIO()
    durations = [_FRAME_MS] * (len(small) - 1) + [_END_MS]
    small[0].save(
        gif, "GIF", save_all=True, append_images=small[1:], duration=durations, loop=0, optimize=False
    )
    return gif.getvalue()
