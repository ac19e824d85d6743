"""A canvas for pictures of numbers and shapes, drawn too large and scaled down to smooth them."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont

from bot.presentation.colour import Colour
from bot.presentation.picture import disc_colours, ground_colour
from engine.games import spec_of
from engine.games.spec import Distinction

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

PAGE: Colour = (30, 33, 41)
PANEL: Colour = (42, 46, 56)
GRID: Colour = (66, 71, 84)
INK: Colour = (232, 235, 241)
FAINT: Colour = (160, 166, 180)
EMPTY: Colour = (72, 77, 90)

_SCALE = 2

Font: TypeAlias = ImageFont.FreeTypeFont | ImageFont.ImageFont


class Canvas:
    """The picture under way, twice as large as it will be; everything is told in final pixels."""

    def __init__(
        self, width: int, height: int, font: Callable[[float], Font] = ImageFont.load_default
    ) -> None:
        self.size = width, height
        self._image = Image.new("RGB", (width * _SCALE, height * _SCALE), PAGE)
        self._pen = ImageDraw.Draw(self._image)
        self._font = font
        self._fonts: dict[float, Font] = {}

    def panel(self, box: Box, colour: Colour = PANEL, radius: float = 12) -> None:
        self._pen.rounded_rectangle(_scaled(box), radius * _SCALE, colour)

    def block(self, box: Box, colour: Colour) -> None:
        self._pen.rectangle(_scaled(box), colour)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        self._pen.ellipse(_scaled((x - radius, y - radius, x + radius, y + radius)), colour)

    def ring(self, x: float, y: float, radius: float, share: float, colour: Colour, width: float) -> None:
        """A ring, the share of it filled clockwise from the top."""
        box = _scaled((x - radius, y - radius, x + radius, y + radius))
        self._pen.arc(box, 0, 360, EMPTY, int(width * _SCALE))
        if share > 0:
            self._pen.arc(box, -90, -90 + 360 * share, colour, int(width * _SCALE))

    def line(self, points: Sequence[tuple[float, float]], colour: Colour, width: float) -> None:
        scaled = [(x * _SCALE, y * _SCALE) for x, y in points]
        self._pen.line(scaled, colour, int(width * _SCALE), joint="curve")

    def shape(self, points: Sequence[tuple[float, float]], colour: Colour) -> None:
        self._pen.polygon([(x * _SCALE, y * _SCALE) for x, y in points], colour)

    def text(
        self, x: float, y: float, text: str, size: float, colour: Colour = INK, *, anchor: str = "mm"
    ) -> None:
        self._pen.text((x * _SCALE, y * _SCALE), text, colour, self._sized(size), anchor=anchor)

    def fitted(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        width: float,
        colour: Colour = INK,
        *,
        anchor: str = "mm",
    ) -> None:
        """The text, as much smaller as it takes to be no wider."""
        wide = self.width_of(text, size)
        self.text(x, y, text, size if wide <= width else size * width / wide, colour, anchor=anchor)

    def width_of(self, text: str, size: float) -> float:
        return self._pen.textlength(text, self._sized(size)) / _SCALE

    def _sized(self, size: float) -> Font:
        if size not in self._fonts:
            self._fonts[size] = self._font(size * _SCALE)
        return self._fonts[size]

    def star(self, x: float, y: float, radius: float, colour: Colour) -> None:
        # Corners of a five-pointed star in a unit circle, outer and inner by turns.
        corners = (
            (0.0, -1.0), (0.24, -0.32), (0.95, -0.31), (0.38, 0.12), (0.59, 0.81),
            (0.0, 0.4), (-0.59, 0.81), (-0.38, 0.12), (-0.95, -0.31), (-0.24, -0.32),
        )  # fmt: skip
        self.shape([(x + dx * radius, y + dy * radius) for dx, dy in corners], colour)

    def icon(self, x: float, y: float, size: float, game: str) -> None:
        """A tiny board of the game around the point."""
        half, colours, ground = size / 2, disc_colours(game), ground_colour(game)
        self.panel((x - half, y - half, x + half, y + half), ground, size / 5)
        if spec_of(game).look.distinguished_by is Distinction.SHAPE:
            arm, width = size * 0.17, size * 0.09
            for sign in (1, -1):
                middle = x - size * 0.22
                self.line(((middle - arm, y - sign * arm), (middle + arm, y + sign * arm)), colours[0], width)
            self.disc(x + size * 0.22, y, size * 0.19, colours[1])
            self.disc(x + size * 0.22, y, size * 0.10, ground)
            return
        for index, (dx, dy) in enumerate(((-1, -1), (1, -1), (1, 1), (-1, 1))):
            self.disc(x + dx * size * 0.21, y + dy * size * 0.21, size * 0.17, colours[index % 2])

    def picture(self, image: Image.Image, x: float, y: float, width: float, height: float) -> None:
        """The image around the point, as large as fits into the space."""
        scale = min(width / image.width, height / image.height) * _SCALE
        small = image.resize(
            (round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS
        )
        self._image.paste(small, (round(x * _SCALE - small.width / 2), round(y * _SCALE - small.height / 2)))

    def png(self) -> bytes:
        png = io.BytesIO()
        # A palette would make it a little smaller, and choosing its colours takes ten times as long.
        self._image.reduce(_SCALE).save(png, "PNG")
        return png.getvalue()


def _scaled(box: Box) -> Box:
    left, top, right, bottom = (edge * _SCALE for edge in box)
    return left, top, right, bottom
