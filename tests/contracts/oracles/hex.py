"""Hex on a board of any size: a text of cells, X joins top and bottom and begins, O left and right."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from engine.score import Score

MOST_EMPTY = 8
WIN = 1_000
NEAR = ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (1, -1))


@cache
def beside(size: int) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(
            (row + down) * size + column + right
            for down, right in NEAR
            if 0 <= row + down < size and 0 <= column + right < size
        )
        for row in range(size)
        for column in range(size)
    )


def has_joined(cells: str, mark: str, size: int) -> bool:
    """Whether the mark's edges are joined."""
    one, other = (range(size), range(size * size - size, size * size))
    if mark == "O":
        one, other = range(0, size * size, size), range(size - 1, size * size, size)
    waiting = [at for at in one if cells[at] == mark]
    seen = set(waiting)
    while waiting:
        at = waiting.pop()
        if at in other:
            return True
        new = [near for near in beside(size)[at] if cells[near] == mark and near not in seen]
        seen.update(new)
        waiting += new
    return False


@cache
def value(cells: str, mover: str, size: int) -> int:
    """Return WIN less the plies until the mover wins, the same less than 0 if the mover loses."""
    other = "O" if mover == "X" else "X"
    if has_joined(cells, other, size):
        return -WIN
    free = [at for at, cell in enumerate(cells) if cell == "."]
    best = max(-value(cells[:at] + mover + cells[at + 1 :], other, size) for at in free)
    return best - 1 if best > 0 else best + 1


@cache
def wins(cells: str, mover: str, size: int) -> bool:
    """Whether the mover wins, which is known sooner than in how many plies."""
    other = "O" if mover == "X" else "X"
    if has_joined(cells, other, size):
        return False
    free = [at for at, cell in enumerate(cells) if cell == "."]
    middle = sorted(free, key=lambda at: abs(2 * (at // size) - size + 1) + abs(2 * (at % size) - size + 1))
    return any(not wins(cells[:at] + mover + cells[at + 1 :], other, size) for at in middle)


def truth(
    board: str, moves: Sequence[str], most_empty: int = MOST_EMPTY, most_for_winner: int = 12
) -> Score | None:
    size = int(board.partition("x")[0])
    cells = ["."] * (size * size)
    for number, name in enumerate(moves):
        if name == "swap":
            at = cells.index("X")
            cells[at], cells[at % size * size + at // size] = ".", "O"
        else:
            cells["abcdefghijk".index(name[0]) + size * (int(name[1:]) - 1)] = "XO"[number % 2]
    here, mover = "".join(cells), "XO"[len(moves) % 2]
    empty = here.count(".")
    if len(moves) < 2 or empty > max(most_empty, most_for_winner if size < 5 else 0):
        return None
    for known in (value, wins):
        if known.cache_info().currsize > 500_000:
            known.cache_clear()
    if empty > most_empty:
        return Score.won() if wins(here, mover, size) else Score.lost()
    found = value(here, mover, size)
    return Score.won(WIN - found) if found > 0 else Score.lost(WIN + found)
