"""The course of a match as a PNG: above the middle the first player was better off, below it the second."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import count

from bot.domain.look import Theme
from bot.presentation.canvas import PAGE, Box, Canvas
from bot.presentation.colour import Colour
from bot.presentation.picture import disc_colours

WIDTH, HEIGHT = 720, 132
_LEFT, _RIGHT, _TOP, _BOTTOM = 16, 16, 14, 30
_GROUND, _MIDDLE, _INK, _HERE, _FAULT = (
    (88, 94, 108),
    (140, 146, 160),
    (206, 211, 221),
    (255, 255, 255),
    (222, 82, 222),
)
_WON_HEIGHT, _DOT_HEIGHT = 0.96, 0.84
"""The share of the half's height that a won game reaches, and at which the dot of a won game is drawn."""

_MOST_NUMBERS = 14
"""Plies that are numbered below the plot."""


def draw_plot(
    game_key: str,
    values: Sequence[float | None],
    here: int,
    faults: Collection[int],
    exact_from: int | None,
    theme: Theme = Theme.CLASSIC,
) -> bytes:
    """Return the PNG of a match.

    values: the first player's expectation before each ply and at the end, -1 to 1; None: unknown. here: the
    ply to mark with a frame. faults: plies of bad moves, marked by dots. exact_from: the ply from which on
    everything is proved; earlier plies are paler.
    """
    canvas, axes = Canvas(WIDTH, HEIGHT), _PlotAxes(max(1, len(values) - 1))
    canvas.block(axes.box(0, axes.plies, 1, -1), _GROUND)
    colours = disc_colours(game_key, theme)
    for ply, value in enumerate(values[:-1]):
        following = values[ply + 1]
        if value is not None and following is not None:
            is_exact = exact_from is not None and ply >= exact_from
            # A bar is one move: its value is the one after it, and both must be known.
            colour = colours[0 if following > 0 else 1]
            high, low = max(following, 0.0) * _WON_HEIGHT, min(following, 0.0) * _WON_HEIGHT
            canvas.block(axes.box(ply, ply + 1, high, low), colour if is_exact else _between(colour, _GROUND))
    canvas.line((axes.point(0, 0), axes.point(axes.plies, 0)), _MIDDLE, 1)
    for ply in faults:
        value = values[ply + 1]
        if value is not None:
            x, y = axes.point(ply + 0.5, value * _DOT_HEIGHT)
            canvas.ellipse((x - 5, y - 5, x + 5, y + 5), _FAULT, outline=PAGE)
    if here:
        canvas.frame(axes.box(here - 1, here, 1, -1), _HERE, 2)
    # Every ply, or every 2nd, 5th, 10th, 20th ...: the first distance with few enough numbers.
    steps = (digit * 10**zeros for zeros in count() for digit in (1, 2, 5))
    every = next(step for step in steps if axes.plies / step <= _MOST_NUMBERS)
    for ply in range(every, axes.plies + 1, every):
        x, _ = axes.point(ply - 0.5, 0)
        canvas.text(x, HEIGHT - _BOTTOM / 2, str(ply), 15, _INK)
    return canvas.png()


class _PlotAxes:
    """Maps plies and values, 1 to -1, to pixels."""

    def __init__(self, plies: int) -> None:
        self.plies = plies

    def point(self, ply: float, value: float) -> tuple[float, float]:
        width, height = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
        return _LEFT + width * ply / self.plies, _TOP + height * (1 - value) / 2

    def box(self, first: float, last: float, high: float, low: float) -> Box:
        return (*self.point(first, high), *self.point(last, low))


def _between(colour: Colour, other: Colour) -> Colour:
    red, green, blue = ((a + b) // 2 for a, b in zip(colour, other, strict=True))
    return red, green, blue
