"""An engine for CheckerBoard as a program that is asked by lines: `python bench/checkerboard.py LIBRARY`.

Such engines for draughts are libraries with the function `getmove` (Martin Fierz, "CheckerBoard API",
fierz.ch/cbdeveloper.htm); this process loads one, so that its crash ends no match. A line `0.1 b SQUARES`
asks for a move in 0.1 s of the side b or w; the answer is `= w SQUARES`, the position after it. SQUARES are 1
to 32: b and w men, B and W kings, `.` free. The library finds its files in its own folder.
"""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from pathlib import Path

_PIECES = {".": 0, "w": 5, "b": 6, "W": 9, "B": 10}
_NAMES = {0: ".", 1: ".", **{number: name for name, number in _PIECES.items()}}
_COLOURS = {"w": 1, "b": 2}
_TEXT, _MOVE = 1024, 4096
"""Bytes for the engine's text, and more than it needs to describe its move."""


def _place(square: int) -> tuple[int, int]:
    """Return CheckerBoard's column and row of a square from 0."""
    row, place = divmod(square, 4)
    return 2 * (3 - place) + row % 2, row


def answer(getmove: Callable[..., object], question: str, is_first: bool) -> str:
    """Return the engine's answer to a question; is_first: of a game."""
    seconds, side, squares = question.split()
    board = ((ctypes.c_int * 8) * 8)()
    for square, name in enumerate(squares):
        column, row = _place(square)
        board[column][row] = _PIECES[name]
    getmove(
        ctypes.byref(board),
        _COLOURS[side],
        float(seconds),
        ctypes.create_string_buffer(_TEXT),
        ctypes.byref(ctypes.c_int(0)),
        int(is_first),
        0,
        ctypes.create_string_buffer(_MOVE),
    )
    after = "".join(_NAMES[board[column][row]] for column, row in map(_place, range(32)))
    return f"= {'w' if side == 'b' else 'b'} {after}"


def main() -> None:
    path = Path(sys.argv[1]).absolute()
    os.chdir(path.parent)
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # Whatever the engine prints is no answer.
    getmove = ctypes.CDLL(str(path)).getmove
    getmove.argtypes = [
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_double,
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_void_p,
    ]
    is_first = True
    for question in sys.stdin:
        print(answer(getmove, question, is_first), file=answers)
        is_first = False


if __name__ == "__main__":
    main()
