"""Tic-tac-toe: a board is a text of nine cells, X begins."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.score import Score

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


@cache
def outcome(cells: str) -> tuple[int, int]:
    """Return (1, 0 or -1 for the side to move, the plies until the end) with best play of both sides."""
    mover, other = "XO" if cells.count(".") % 2 else "OX"
    if any(all(cells[int(at)] == other for at in line) for line in LINES):
        return -1, 0
    free = [at for at in range(9) if cells[at] == "."]
    after = [outcome(cells[:at] + mover + cells[at + 1 :]) for at in free]
    ends = [(-result, plies + 1) for result, plies in after]
    return max(ends, key=lambda end: (end[0], -end[0] * end[1]), default=(0, 0))


def truth(_board: str, moves: Sequence[str]) -> Score:
    cells = ["."] * 9
    for number, name in enumerate(moves):
        cells["abc".index(name[0]) + 3 * int(name[1]) - 3] = "XO"[number % 2]
    result, plies = outcome("".join(cells))
    return Score.drawn() if result == 0 else Score.won(plies) if result > 0 else Score.lost(plies)
