"""Every position of Pop Out on small boards, solved backwards.

`python -m bench.pop_out_solved [4x4 5x4 …]`. Boards are rows x columns, with four in a row. A position is
won if some move leads to a lost one, and lost if every move leads to a won one. The others are draws: neither
side can force a line, and a position that keeps coming back ends the game. A shortest win never repeats a
position, so the values hold without a history.

A position's code has rows + 1 bits a column, the first column lowest, the bottom disc lowest within it. A 1
is a disc of the side to move, a 0 one of the other side. A 1 stands above the discs: an empty column is 1.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from engine.score import Score

F = TypeVar("F", bound=Callable[..., Any])
Values = npt.NDArray[np.int8]

BOARDS = ("4x4", "5x4", "4x5", "6x4")
LONGEST = 126
"""In plies; int8 holds no longer way to the end."""


def _compiled(function: F) -> F:
    return cast(F, numba.njit(cache=True)(function))


@_compiled
def split(code: int, stride: int, columns: int) -> tuple[int, int]:
    """Return the discs of the side to move and all discs, (-1, -1) if the code is none of a position."""
    own, mask = 0, 0
    for column in range(columns):
        shift = stride * column
        bits = code >> shift & ((1 << stride) - 1)
        if bits == 0:
            return -1, -1
        discs = 0
        while bits >> 1 > discs:
            discs = discs << 1 | 1
        own |= (bits & discs) << shift
        mask |= discs << shift
    return own, mask


@_compiled
def _has_line(discs: int, stride: int, k: int) -> bool:
    for step in (1, stride - 1, stride, stride + 1):
        run = discs
        for distance in range(1, k):
            run &= discs >> step * distance
        if run:
            return True
    return False


@_compiled
def _prepare(values: Values, moves: Values, rows: int, columns: int, k: int) -> int:
    """Enter the finished games in `values`, the number of moves of the others; return how many positions."""
    stride = rows + 1
    bottom = 0
    for column in range(columns):
        bottom |= 1 << stride * column
    positions = 0
    for code in range(len(values)):
        own, mask = split(code, stride, columns)
        if own < 0:
            continue
        positions += 1
        if _has_line(own ^ mask, stride, k):  # the side that moved wins, even if both have a line
            values[code] = -1
        elif _has_line(own, stride, k):
            values[code] = 1
        else:
            for column in range(columns):
                is_open = not mask >> stride * column + rows - 1 & 1
                moves[code] += is_open + (own >> stride * column & 1)
    return positions


@_compiled
def _spread(values: Values, moves: Values, plies: int, rows: int, columns: int) -> int:
    """Decide what follows from the positions decided in that many plies; return how many follow."""
    stride = rows + 1
    full = (1 << rows) - 1
    bottom = 0
    for column in range(columns):
        bottom |= 1 << stride * column
    found = 0
    for code in range(len(values)):
        value = values[code]
        if abs(value) != plies + 1:
            continue
        own, mask = split(code, stride, columns)
        theirs = own ^ mask
        for column in range(2 * columns):
            shift = stride * (column >> 1)
            discs, mine = mask >> shift & full, theirs >> shift & full
            if column & 1:  # back from a pop
                if discs >> rows - 1:
                    continue
                before, mine_before = discs << 1 | 1, mine << 1 | 1
            else:  # back from a drop
                before = discs >> 1
                top = discs ^ before
                if not mine & top:
                    continue
                mine_before = mine ^ top
            earlier = (mask ^ (discs ^ before) << shift) + (theirs ^ (mine ^ mine_before) << shift) + bottom
            if values[earlier]:
                continue
            moves[earlier] -= 1
            if value < 0:
                values[earlier] = plies + 2
                found += 1
            elif moves[earlier] == 0:
                values[earlier] = -plies - 2
                found += 1
    return found


def solved(rows: int, columns: int, k: int = 4) -> tuple[Values, int]:
    """Return (the value of each code, the number of positions); columns >= k, so there is always a move.

    A value of 1 + n means a win in n plies, -1 - n a loss in n plies, 0 a draw, or a code of no position.
    """
    values = np.zeros(1 << (rows + 1) * columns, np.int8)
    moves = np.zeros_like(values)
    positions = _prepare(values, moves, rows, columns, k)
    for plies in range(LONGEST):
        if not _spread(values, moves, plies, rows, columns):
            return values, positions
    raise OverflowError(f"some games on {rows}x{columns} last longer than {LONGEST} plies")


def score_of(value: int) -> Score:
    """Return the value as a score of the side to move."""
    if value == 0:
        return Score.drawn()
    return Score.won(value - 1) if value > 0 else Score.lost(-value - 1)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.pop_out_solved", description=__doc__)
    parser.add_argument("board", nargs="*", default=BOARDS, help="rows x columns")
    print("| board | positions | the empty board | won | lost | drawn | longest win, plies | s |")
    print("|---|---|---|---|---|---|---|---|")
    for board in parser.parse_args().board:
        rows, columns = map(int, board.split("x"))
        started = time.process_time()
        values, positions = solved(rows, columns)
        seconds = time.process_time() - started
        start = score_of(int(values[sum(1 << (rows + 1) * column for column in range(columns))]))
        won, lost = int(np.count_nonzero(values > 0)), int(np.count_nonzero(values < 0))
        shares = (f"{100 * part / positions:.1f} %" for part in (won, lost, positions - won - lost))
        cells = (board, f"{positions:,}", start, *shares, int(values.max()) - 1, f"{seconds:.1f}")
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


if __name__ == "__main__":
    main()
