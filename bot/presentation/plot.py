"""How a match went, as a PNG: above the middle the first player was better off, below it the second."""

from __future__ import annotations

import io
from collections.abc import Collection, Sequence

from PIL import Image, ImageDraw, ImageFont

from bot.domain.look import Theme
from bot.presentation.colour import Colour
from bot.presentation.picture import disc_colours

WIDTH, HEIGHT = 720, 220
_SCALE = 2
_LEFT, _RIGHT, _TOP, _BOTTOM = 16, 16, 14, 30
_PAGE, _GROUND, _MIDDLE, _INK, _HERE, _FAULT = (
    (30, 33, 41),
    (88, 94, 108),
    (140, 146, 160),
    (206, 211, 221),
    (255, 255, 255),
    (222, 82, 222),
)
_REACH, _DOT_REACH = 0.96, 0.84
"""How much of the height a won game takes, and how far out dots are drawn."""


def draw_plot(
    game_key: str,
    values: Sequence[float | None],
    here: int,
    faults: Collection[int],
    exact_from: int | None,
    theme: Theme = Theme.CLASSIC,
) -> bytes:
    """values: what the first player could expect before each ply and at the end, -1 to 1; None: not known.

    here: the ply that a line marks. faults: plies whose moves gave much away, marked by dots. exact_from:
    the ply from which on everything is proved; what lies before is paler.
    """
    plot = _Plot(max(1, len(values) - 1))
    plot.pen.rectangle(plot.box(0, plot.plies, 1, -1), _GROUND)
    colours = disc_colours(game_key, theme)
    for ply, value in enumerate(values[:-1]):
        following = values[ply + 1]
        if value is not None and following is not None:
            is_exact = exact_from is not None and ply >= exact_from
            plot.draw_step(ply, following, colours[0 if following > 0 else 1], is_exact)
    plot.pen.line((*plot.point(0, 0), *plot.point(plot.plies, 0)), _MIDDLE, _SCALE)
    for ply in faults:
        value = values[ply + 1]
        if value is not None:
            x, y = plot.point(ply + 0.5, value * _DOT_REACH)
            radius = 5 * _SCALE
            box = (x - radius, y - radius, x + radius, y + radius)
            plot.pen.ellipse(box, _FAULT, _PAGE, _SCALE)
    if here:
        plot.pen.rectangle(plot.box(here - 1, here, 1, -1), outline=_HERE, width=2 * _SCALE)
    plot.write_numbers()
    return plot.png()


class _Plot:
    """The picture under way, twice as large as it will be."""

    def __init__(self, plies: int) -> None:
        self.plies = plies
        self._image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), _PAGE)
        self.pen = ImageDraw.Draw(self._image)

    def point(self, ply: float, value: float) -> tuple[float, float]:
        width, height = WIDTH - _LEFT - _RIGHT, HEIGHT - _TOP - _BOTTOM
        x = _LEFT + width * ply / self.plies
        return x * _SCALE, (_TOP + height * (1 - value) / 2) * _SCALE

    def box(self, first: float, last: float, high: float, low: float) -> tuple[float, float, float, float]:
        return (*self.point(first, high), *self.point(last, low))

    def draw_step(self, ply: int, value: float, colour: Colour, is_exact: bool) -> None:
        high, low = max(value, 0.0) * _REACH, min(value, 0.0) * _REACH
        if not is_exact:
            colour = _between(colour, _GROUND)
        self.pen.rectangle(self.box(ply, ply + 1, high, low), colour)

    def write_numbers(self) -> None:
        font = ImageFont.load_default(size=15 * _SCALE)
        every = next(step for step in (1, 2, 5, 10, 20, 50, 100) if self.plies / step <= 14)
        for ply in range(every, self.plies + 1, every):
            x, _ = self.point(ply - 0.5, 0)
            self.pen.text((x, (HEIGHT - _BOTTOM / 2) * _SCALE), str(ply), _INK, font, anchor="mm")

    def png(self) -> bytes:
        png = io.BytesIO()
        self._image.reduce(_SCALE).save(png, "PNG")
        return png.getvalue()


def _between(colour: Colour, other: Colour) -> Colour:
    red, green, blue = ((a + b) // 2 for a, b in zip(colour, other, strict=True))
    return red, green, blue
