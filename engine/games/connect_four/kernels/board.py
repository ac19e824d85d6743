"""Connect Four's standard board as compile-time constants; `engine.kernels.lines` draws it."""

from __future__ import annotations

from engine.kernels.jit import inlined
from engine.kernels.lines import Shape

BOTTOM = sum(1 << 7 * column for column in range(7))
COLUMN = 0b111111
SQUARES = 42
BOARD = BOTTOM * COLUMN
FOUR: Shape = (7, 4, BOTTOM, BOARD, COLUMN << 7 * 3, 1)
"""The shape, see `engine.kernels.lines`."""


@inlined
def mirrored(bits: int) -> int:
    """Return the board, or a sum of boards, with its columns in reverse order."""
    return (
        (bits & 127) << 42
        | (bits & 127 << 7) << 28
        | (bits & 127 << 14) << 14
        | bits & 127 << 21
        | (bits >> 14) & 127 << 14
        | (bits >> 28) & 127 << 7
        | (bits >> 42) & 127
    )
