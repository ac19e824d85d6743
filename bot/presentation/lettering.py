"""The letters of pictures: one font for every language that the bot speaks, Persian among them."""

from __future__ import annotations

import functools
from importlib.resources import files
from io import BytesIO

from PIL import ImageFont, features

_WEIGHT, _SLANT = 450, 0
_JOINED = range(0x0590, 0x0900)
"""Letters that are written from right to left, most of which change their shapes with their neighbours."""


@functools.cache
def _font_file() -> bytes:
    folder = files("fontpkg_cairo") / "files"
    return next(file for file in folder.iterdir() if file.name.endswith(".ttf")).read_bytes()


def letters(size: float) -> ImageFont.FreeTypeFont:
    """The font in that size; a new one for each picture, since pictures are drawn in several threads."""
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
    """Whether a picture can show the text: the font has its letters, and Pillow joins those that are joined.

    For that it needs FriBiDi, which it looks for on the machine.
    """
    if any(ord(letter) in _JOINED for letter in text) and not features.check("raqm"):
        return False
    return all(letter == "\u200c" or _is_known(letter) for letter in text)
