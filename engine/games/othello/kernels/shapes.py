"""The patterns of squares in the Othello evaluation, and the numbering of their contents.

A shape is a list of squares; its eight images under the board's symmetries are its instances, and all
instances share one set of weights (Michael Buro, "Experiments with Multi-ProbCut and a New High-Quality
Evaluation Function for Othello", 1997; "Improving heuristic mini-max search by supervised learning",
2002). Contents are read as a number in base 3, the first square the highest digit: 0 empty, 1 black, 2 white.

    edge + X       square 3 x 3     corner 2 x 5     triangle
    0 1 2 3 …      0 1 2            0 1 2 3 4        0 1 3 6
      8     9      3 4 5            5 6 7 8 9        2 4 7
                   6 7 8                             5 8
                                                     9

A content and its mirror image share a weight if the shape is symmetric: `PACKED` maps each content to its
weight.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

_SHAPES = (
    "a1 b1 c1 d1 e1 f1 g1 h1 b2 g2",
    "a1 b1 c1 a2 b2 c2 a3 b3 c3",
    "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2",
    "a1 b1 a2 c1 b2 a3 d1 c2 b3 a4",
    "a2 b2 c2 d2 e2 f2 g2 h2",
    "a3 b3 c3 d3 e3 f3 g3 h3",
    "a4 b4 c4 d4 e4 f4 g4 h4",
    "a1 b2 c3 d4 e5 f6 g7 h8",
    "a2 b3 c4 d5 e6 f7 g8",
    "a3 b4 c5 d6 e7 f8",
    "a4 b5 c6 d7 e8",
)

Squares = tuple[int, ...]
_Symmetry = Callable[[int, int], tuple[int, int]]
_SYMMETRIES: tuple[_Symmetry, ...] = (
    lambda x, y: (x, y),
    lambda x, y: (7 - x, y),
    lambda x, y: (x, 7 - y),
    lambda x, y: (7 - x, 7 - y),
    lambda x, y: (y, x),
    lambda x, y: (7 - y, x),
    lambda x, y: (y, 7 - x),
    lambda x, y: (7 - y, 7 - x),
)


def _squares(names: str) -> Squares:
    return tuple("abcdefgh".index(name[0]) + 8 * (int(name[1]) - 1) for name in names.split())


def _image(squares: Squares, symmetry: _Symmetry) -> Squares:
    return tuple(x + 8 * y for x, y in (symmetry(square % 8, square // 8) for square in squares))


def _instances(squares: Squares) -> list[Squares]:
    """Return the images, one for each distinct set of squares."""
    found: dict[frozenset[int], Squares] = {}
    for symmetry in _SYMMETRIES:
        image = _image(squares, symmetry)
        found.setdefault(frozenset(image), image)
    return list(found.values())


def _mirror(squares: Squares) -> Sequence[int]:
    """Return the index of each square's digit in the mirror image; the identity for an asymmetric shape."""
    for symmetry in _SYMMETRIES:
        image = _image(squares, symmetry)
        if image != squares and set(image) == set(squares):
            return [image.index(square) for square in squares]
    return range(len(squares))


SHAPES = tuple(_squares(names) for names in _SHAPES)
INSTANCES = tuple((shape, image) for shape, squares in enumerate(SHAPES) for image in _instances(squares))
"""(index of the shape, squares in the shape's order)."""
FEATURES = len(INSTANCES)
LANES = 48
"""The length of a row of features; those beyond FEATURES stay 0."""

OFFSETS = np.concatenate([[0], np.cumsum([3 ** len(squares) for squares in SHAPES])]).astype(np.int64)
"""The index of each shape's first content among all contents; the last one is their total number."""
CONTENTS = int(OFFSETS[-1])
FEATURE_OFFSETS = np.array([OFFSETS[shape] for shape, _ in INSTANCES], np.int64)


def _digits(squares: Squares) -> npt.NDArray[np.int64]:
    """Return the digit of each square: one row per square, one column per content."""
    contents = np.arange(3 ** len(squares))
    return np.array([contents // 3**power % 3 for power in reversed(range(len(squares)))])


def _numbers(digits: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    number: Any = np.zeros(digits.shape[1], np.int64)
    for row in digits:
        number = 3 * number + row
    return np.asarray(number, np.int64)


def _numbering() -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], int]:
    packed, swapped = np.zeros(CONTENTS, np.int32), np.zeros(CONTENTS, np.int32)
    used = 0
    for squares, offset in zip(SHAPES, OFFSETS, strict=False):
        digits = _digits(squares)
        mirrored = _numbers(digits[_mirror(squares)])
        own = np.minimum(mirrored, np.arange(len(mirrored)))
        kinds, place = np.unique(own, return_inverse=True)
        part = slice(offset, offset + len(mirrored))
        packed[part] = used + place
        swapped[part] = offset + _numbers((3 - digits) % 3)
        used += len(kinds)
    return packed, swapped, used


PACKED, SWAPPED, WEIGHTS = _numbering()
"""content -> its weight; content -> the content with the colours exchanged; the number of weights."""


def _increments() -> npt.NDArray[np.int16]:
    table = np.zeros((64, LANES), np.int16)
    for feature, (_, squares) in enumerate(INSTANCES):
        for power, square in enumerate(reversed(squares)):
            table[square, feature] = 3**power
    return table


INCREMENTS = _increments()
"""[square, feature]: the increment of a black disc; a white one adds twice as much."""

PHASES = 20
SQUARES_A_PHASE = 3


def phase_of(empties: int) -> int:
    """0 at the start of the game to 19 at its end, by the number of empty squares, 0 to 60."""
    return min(PHASES - 1, max(0, (60 - empties) // SQUARES_A_PHASE))
