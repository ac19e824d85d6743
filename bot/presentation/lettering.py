"""The font of pictures, Cairo 3.130, which covers all of the bot's languages, including Persian."""

from __future__ import annotations

import functools
from io import BytesIO
from pathlib import Path

from PIL import ImageFont, features

_WEIGHT, _SLANT = 450, 0
_JOINED = range(0x0590, 0x0900)
"""Right-to-left scripts; most of their letters change shape next to others."""


@functools.cache
def _font_file() -> bytes:
    return (Path(__file__).parent / "font" / "Cairo.ttf").read_bytes()


def letters(size: float) -> ImageFont.FreeTypeFont:
    """Return the font in that size; a new one per picture, because several threads draw pictures."""
    font = ImageFont.truetype(BytesIO(_font_file()), size)
    font.set_variation_by_axes([_WEIGHT, _SLANT])
    return font


@functools.cache
def _known() -> ImageFont.FreeTypeFont:
    return letters(20)


@functools.cache
def _is_known(letter: str) -> bool:
    font = _known()
    return letter.isspace() or bytes(font.getmask(letter)) != bytes(font.getmask("\uffff"))


def can_write(text: str) -> bool:
    """Whether a picture can display the text: the font has its letters, and Pillow can join them if needed.

    Joining requires the system's FriBiDi library.
    """
    if any(ord(letter) in _JOINED for letter in text) and not features.check("raqm"):
        return False
    return all(letter == "\u200c" or _is_known(letter) for letter in text)
