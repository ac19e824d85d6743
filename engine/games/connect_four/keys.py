"""Keys of Connect Four positions on 6 x 7, equal for a position and its mirror image.

A key is own + mask + (the bottom square of every column), as in the solver's table, of the position or its
mirror image, whichever is smaller.
"""

from __future__ import annotations

_BOTTOM = sum(1 << 7 * column for column in range(7))


def key_of(own: int, mask: int) -> tuple[int, bool]:
    """Return (the key, whether it is that of the mirror image)."""
    key = own + mask + _BOTTOM
    image = sum((key >> 7 * column & 127) << 7 * (6 - column) for column in range(7))
    return min(key, image), image < key
