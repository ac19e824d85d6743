"""Othello: a board is a text with a border, X is black and begins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.score import Score

MOST_EMPTY = 7


def start(size: int) -> str:
    """Return the rows from the top, each with a border cell `#` before it, between two border rows."""
    rows = [["."] * size for _ in range(size)]
    middle = size // 2
    rows[middle - 1][middle - 1] = rows[middle][middle] = "O"
    rows[middle - 1][middle] = rows[middle][middle - 1] = "X"
    border = "#" * (size + 1)
    return border + "".join("#" + "".join(row) for row in rows) + border + "#"


def turned(cells: str, at: int, mover: str, size: int) -> list[int]:
    """Return the discs that turn if the mover plays there."""
    other, found = "O" if mover == "X" else "X", list[int]()
    stride = size + 1
    for step in (1, -1, stride, -stride, stride + 1, -stride - 1, stride - 1, 1 - stride):
        run, here = list[int](), at + step
        while cells[here] == other:
            run.append(here)
            here += step
        if cells[here] == mover:
            found += run
    return found


def placed(cells: str, at: int, mover: str, size: int) -> str | None:
    """Return the board after the disc; None if it turns nothing."""
    changed = turned(cells, at, mover, size) if cells[at] == "." else []
    board = list(cells)
    for cell in (at, *changed):
        board[cell] = mover
    return "".join(board) if changed else None


def lead(cells: str, mover: str) -> int:
    """Return the mover's discs less the other side's, with empty squares for the winner."""
    own = cells.count(mover)
    ahead = own - (cells.count("X") + cells.count("O") - own)
    return ahead + cells.count(".") * ((ahead > 0) - (ahead < 0))


@cache
def value(cells: str, mover: str, size: int, low: int = -65, high: int = 65) -> int:
    """Return the lead at the end, for the mover: exact between low and high, else a bound."""
    other, best, can_move = "O" if mover == "X" else "X", low, False
    for at in (at for at, cell in enumerate(cells) if cell == "."):
        after = placed(cells, at, mover, size)
        if after is not None:
            can_move = True
            best = max(best, -value(after, other, size, -high, -best))
            if best >= high:
                break
    if can_move:
        return best
    has_reply = any(placed(cells, at, other, size) for at, cell in enumerate(cells) if cell == ".")
    return -value(cells, other, size, -high, -low) if has_reply else lead(cells, mover)


def truth(board: str, moves: Sequence[str], most_empty: int = MOST_EMPTY) -> Score | None:
    size = int(board.partition("x")[0])
    cells, mover = start(size), "X"
    for name in moves:
        if name != "pass":
            at = int(name[1:]) * (size + 1) + "abcdefgh".index(name[0]) + 1
            after = placed(cells, at, mover, size)
            assert after is not None, f"{name} turns nothing"
            cells = after
        mover = "O" if mover == "X" else "X"
    if cells.count(".") > most_empty:
        return None
    if value.cache_info().currsize > 500_000:
        value.cache_clear()
    return Score.by_discs(value(cells, mover, size))
