"""A canvas for shapes and text, drawn at a multiple of its size and scaled down to smooth edges."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import TypeAlias

from PIL import Image, ImageDraw, ImageFont

from bot.presentation.colour import Colour

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""

PAGE: Colour = (30, 33, 41)
PANEL: Colour = (42, 46, 56)
GRID: Colour = (66, 71, 84)
INK: Colour = (232, 235, 241)
FAINT: Colour = (160, 166, 180)
EMPTY: Colour = (72, 77, 90)

Font: TypeAlias = ImageFont.FreeTypeFont | ImageFont.ImageFont


class Canvas:
    """A picture in progress. All arguments are in final pixels; `image` is `scale` times as large.

    ground: the colour it starts with; None: transparent.
    """

    def __init__(
        self,
        width: int,
        height: int,
        font: Callable[[float], Font] = ImageFont.load_default,
        *,
        scale: int = 2,
        ground: Colour | None = PAGE,
    ) -> None:
        self.size = width, height
        self.scale = scale
        mode, colour = ("RGBA", (0, 0, 0, 0)) if ground is None else ("RGB", ground)
        self.image = Image.new(mode, (width * scale, height * scale), colour)
        self._pen = ImageDraw.Draw(self.image)
        self._font = font
        self._fonts: dict[float, Font] = {}

    def panel(self, box: Box, colour: Colour = PANEL, radius: float = 12) -> None:
        self._pen.rounded_rectangle(self._scaled(box), radius * self.scale, colour)

    def outline(self, box: Box, colour: Colour, width: float, radius: float) -> None:
        pixels = max(1, round(width * self.scale))
        self._pen.rounded_rectangle(self._scaled(box), radius * self.scale, outline=colour, width=pixels)

    def block(self, box: Box, colour: Colour) -> None:
        self._pen.rectangle(self._scaled(box), colour)

    def frame(self, box: Box, colour: Colour, width: float) -> None:
        self._pen.rectangle(self._scaled(box), outline=colour, width=round(width * self.scale))

    def ellipse(
        self, box: Box, colour: Colour | None, *, outline: Colour | None = None, width: float = 1
    ) -> None:
        self._pen.ellipse(self._scaled(box), colour, outline, round(width * self.scale))

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        self.ellipse((x - radius, y - radius, x + radius, y + radius), colour)

    def ring(self, x: float, y: float, radius: float, share: float, colour: Colour, width: float) -> None:
        """Draw a ring with that share of it filled, clockwise from the top."""
        box = self._scaled((x - radius, y - radius, x + radius, y + radius))
        self._pen.arc(box, 0, 360, EMPTY, int(width * self.scale))
        if share > 0:
            self._pen.arc(box, -90, -90 + 360 * share, colour, int(width * self.scale))

    def line(self, points: Sequence[tuple[float, float]], colour: Colour, width: float) -> None:
        scaled = [(x * self.scale, y * self.scale) for x, y in points]
        self._pen.line(scaled, colour, int(width * self.scale), joint="curve")

    def shape(self, points: Sequence[tuple[float, float]], colour: Colour) -> None:
        self._pen.polygon([(x * self.scale, y * self.scale) for x, y in points], colour)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: Colour = INK,
        *,
        anchor: str = "mm",
        stroke: float = 0,
    ) -> None:
        """stroke: added to the width of the letters' lines, for fonts without a bold weight."""
        self._pen.text(
            (x * self.scale, y * self.scale),
            text,
            colour,
            self._sized(size),
            anchor=anchor,
            stroke_width=round(stroke * self.scale),
            stroke_fill=colour,
        )

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
        """Draw the text, smaller if it would be wider than `width`."""
        wide = self.width_of(text, size)
        self.text(x, y, text, size if wide <= width else size * width / wide, colour, anchor=anchor)

    def width_of(self, text: str, size: float) -> float:
        return self._pen.textlength(text, self._sized(size)) / self.scale

    def _sized(self, size: float) -> Font:
        if size not in self._fonts:
            self._fonts[size] = self._font(size * self.scale)
        return self._fonts[size]

    def star(self, x: float, y: float, radius: float, colour: Colour) -> None:
        # The corners of a five-pointed star in a unit circle, outer and inner ones alternating.
        corners = (
            (0.0, -1.0), (0.24, -0.32), (0.95, -0.31), (0.38, 0.12), (0.59, 0.81),
            (0.0, 0.4), (-0.59, 0.81), (-0.38, 0.12), (-0.95, -0.31), (-0.24, -0.32),
        )  # fmt: skip
        self.shape([(x + dx * radius, y + dy * radius) for dx, dy in corners], colour)

    def picture(self, image: Image.Image, x: float, y: float, width: float, height: float) -> None:
        """Paste the image around the point, as large as fits into the space."""
        scale = min(width / image.width, height / image.height) * self.scale
        small = image.resize(
            (round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS
        )
        self.image.paste(
            small, (round(x * self.scale - small.width / 2), round(y * self.scale - small.height / 2))
        )

    def png(self) -> bytes:
        png = io.BytesIO()
        # A palette would make the file a little smaller, but choosing its colours takes ten times as long.
        self.image.reduce(self.scale).save(png, "PNG")
        return png.getvalue()

    def _scaled(self, box: Box) -> Box:
        left, top, right, bottom = (edge * self.scale for edge in box)
        return left, top, right, bottom
