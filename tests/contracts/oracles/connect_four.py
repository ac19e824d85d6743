"""Connect Four on any board: columns are texts from bottom to top, X is to move."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from engine.score import Score

MOST_EMPTY = 9
WIN = 1_000
Columns = tuple[str, ...]
SWAP = str.maketrans("XO", "OX")


@cache
def line_of(mark: str, k: int, rows: int) -> re.Pattern[str]:
    """Return the pattern of k marks in a row, in columns that are joined with one empty cell between."""
    gaps = (0, rows - 1, rows, rows + 1)
    return re.compile("|".join(f"{mark}(?:.{{{gap}}}{mark}){{{k - 1}}}" for gap in gaps))


def has_line(columns: Columns, mark: str, k: int, rows: int) -> bool:
    cells = "".join(column.ljust(rows + 1, ".") for column in columns)
    return line_of(mark, k, rows).search(cells) is not None


def dropped(columns: Columns, at: int) -> Columns:
    """Return the columns after X drops a disc, from the view of the other side, which is X then."""
    changed = (*columns[:at], columns[at] + "X", *columns[at + 1 :])
    return tuple(column.translate(SWAP) for column in changed)


def wins_at_once(columns: Columns, k: int, rows: int) -> bool:
    open_columns = [at for at, column in enumerate(columns) if len(column) < rows]
    return any(has_line(dropped(columns, at), "O", k, rows) for at in open_columns)


@cache
def value(columns: Columns, k: int, rows: int) -> int:
    """Return WIN less the plies until X wins, the same less than 0 if X loses, 0 for a draw."""
    if has_line(columns, "O", k, rows):
        return -WIN
    open_columns = [at for at, column in enumerate(columns) if len(column) < rows]
    values = [-value(dropped(columns, at), k, rows) for at in open_columns]
    best = max(values, default=0)
    return best - (best > 0) + (best < 0)


def score_of(found: int) -> Score:
    if found == 0:
        return Score.drawn()
    return Score.won(WIN - found) if found > 0 else Score.lost(WIN + found)


def score_of_stones(stones: int, empty: int) -> Score:
    """Return a score in stones: k wins with the k-th of the side's own stones, counted from the end."""
    if stones == 0:
        return Score.drawn()
    own = (empty + 1) // 2 if stones > 0 else empty // 2
    moves = own - abs(stones) + 1
    return Score.won(2 * moves - 1) if stones > 0 else Score.lost(2 * moves)


def truth(board: str, moves: Sequence[str], most_empty: int = MOST_EMPTY) -> Score | None:
    rows, width, k = map(int, board.split("x"))
    if rows * width - len(moves) > most_empty:
        return None
    columns: Columns = ("",) * width
    for name in moves:
        columns = dropped(columns, int(name) - 1)
    if value.cache_info().currsize > 500_000:
        value.cache_clear()
    return score_of(value(columns, k, rows))
