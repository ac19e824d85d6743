"""Colours, and contrast between them according to WCAG 2.2."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

BLACK: Colour = (0, 0, 0)
WHITE: Colour = (255, 255, 255)

LEAST_MIDDLE, MOST_MIDDLE = 0.23, 0.285
"""Relative luminances between which a colour is 3:1 away from white and from the lightest of Discord's dark
grounds, a container in the theme *ash* (about #393A41), so that one tile serves all four."""


def rgb(colour: str) -> Colour:
    """Return the colour of `#RRGGBB`."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def mixed(one: Colour, other: Colour, share: float) -> Colour:
    """Return a mixture with that share of `other`: 0 is `one`, 1 is `other`."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def luminance(colour: Colour) -> float:
    """Return the relative luminance, 0 to 1."""
    red, green, blue = (_linear(part / 255) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Colour, other: Colour) -> float:
    """Return the contrast ratio of two colours, 1 (none) to 21."""
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@cache
def middling(colour: Colour) -> Colour:
    """Return the nearest shade that is visible on light and dark backgrounds; the colour itself if it is."""
    if luminance(colour) > MOST_MIDDLE:
        return _first(colour, BLACK, lambda found: found <= MOST_MIDDLE)
    return _first(colour, WHITE, lambda found: found >= LEAST_MIDDLE)


def _first(colour: Colour, towards: Colour, is_reached: Callable[[float], bool]) -> Colour:
    shades = (mixed(colour, towards, step / 100) for step in range(101))
    return next(shade for shade in shades if is_reached(luminance(shade)))


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
