"""Gomoku's search: alpha-beta over the moves that shapes recommend, and wins by continuous fours.

The board is padded, so that no loop along a line has to check for the edge: cell (row, column) of n × n is
`(row + 4) * (n + 4) + column + 4`, and holds EMPTY, FIRST, SECOND or EDGE.

The discs on the nine cells of a line around a cell, with a disc added on it, form a shape: FIVE; OPEN_FOUR,
which two cells complete; FOUR, which one does; OPEN_THREE, which can become an open four; THREE; OPEN_TWO; or
NOTHING. `codes` holds, for each side, direction and cell, the eight neighbours as digits of a number in base
3 (0 empty, 1 own, 2 the other side's or beyond the edge), the nearest in the middle; `table` holds the shape
of each such number. `marks` holds, for each side and cell, the sum of its four lines: their values, and above
that the counts of the four best shapes. A disc changes one digit of 32 numbers per side; nothing else is
updated.

The other arrays: `squares`, the cells of the board; `scores`, the move list of each ply; `lines`, the
principal variation from each ply on, its length in the last place. Values are those of the side to move; a
won game is worth WIN less one per ply until then.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.kernels.control import INFINITY, has_stopped, must_stop
from engine.kernels.heuristic_values import WIN
from engine.kernels.jit import Bytes, Ints, inlined, kernel

EMPTY, FIRST, SECOND, EDGE = range(4)
NOTHING, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(7)
REACH = 4
CODES = 3**8
LONGEST = 64
"""The longest line in plies, including forced replies."""
MOST_CELLS = 225
_FORK = 3
"""Kinds of a cell: below FORK nothing that wins soon; a fork makes two threats; then four, won, five."""
_FOUR_KIND, _WON_KIND, _FIVE_KIND = 4, 5, 6

Shorts = npt.NDArray[np.int16]
Codes = npt.NDArray[np.int16]
"""By side, direction and cell."""
Marks = npt.NDArray[np.int32]
"""By side and cell."""

_VALUES = (0, 8, 10, 40, 46, 300, 2000)
"""The value of a shape to its owner, for move ordering and for estimates."""
_WORTH = (1 << 16) - 1
_OPEN_THREES, _FOURS, _OPEN_FOURS, _FIVES = 16, 19, 22, 25
_SUMS = (
    _VALUES[NOTHING],
    _VALUES[OPEN_TWO],
    _VALUES[THREE],
    _VALUES[OPEN_THREE] + (1 << _OPEN_THREES),
    _VALUES[FOUR] + (1 << _FOURS),
    _VALUES[OPEN_FOUR] + (1 << _OPEN_FOURS),
    _VALUES[FIVE] + (1 << _FIVES),
)
_POWERS = (3**7, 3**6, 3**5, 3**4, 3**3, 3**2, 3, 1)
_ARGS = "int8[::1], int16[:, :, ::1], int32[:, ::1], int8[::1], int16[::1], int32[:, ::1], int16[:, ::1]"


@inlined
def _digit(held: int, side: int) -> int:
    return 0 if held == EMPTY else 1 if held == side + 1 else 2


@inlined
def _set(cells: Bytes, codes: Codes, marks: Marks, table: Bytes, cell: int, held: int, stride: int) -> None:
    """Put or remove a disc and update all cells whose lines contain it."""
    before = cells[cell]
    cells[cell] = held
    for side in range(2):
        change = _digit(held, side) - _digit(before, side)
        for direction in range(4):
            step = 1 if direction == 0 else stride + direction - 2
            for place in range(8):
                # The first digit is the neighbour four cells back: from there, the disc is four ahead.
                there = cell + (REACH - place if place < REACH else REACH - 1 - place) * step
                code = codes[side, direction, there]
                changed = code + change * _POWERS[place]
                codes[side, direction, there] = changed
                marks[side, there] += _SUMS[table[changed]] - _SUMS[table[code]]


@inlined
def _kind(mark: int) -> int:
    """Return the best kind of shape that a disc would make."""
    if mark >> _FIVES:
        return _FIVE_KIND
    fours = mark >> _FOURS & 7
    if mark >> _OPEN_FOURS & 7 or fours > 1:
        return _WON_KIND
    if fours:
        return _FOUR_KIND
    return _FORK if mark >> _OPEN_THREES & 7 > 1 else 0


@inlined
def _worth(mark: int) -> int:
    return mark & _WORTH


@kernel("void(int8[::1], int16[:, :, ::1], int32[:, ::1], int8[::1], int64, int64, int64)")
def put(cells: Bytes, codes: Codes, marks: Marks, table: Bytes, cell: int, held: int, stride: int) -> None:
    """Set a cell to FIRST, SECOND or EMPTY; before the first disc, the border cells to EDGE."""
    _set(cells, codes, marks, table, cell, held, stride)


@kernel(f"int64({_ARGS}, int64, int64, int64, int64, int64)")
def win_by_fours(
    cells: Bytes,
    codes: Codes,
    marks: Marks,
    table: Bytes,
    squares: Shorts,
    scores: npt.NDArray[np.int32],
    lines: Shorts,
    stride: int,
    side: int,
    ply: int,
    deepest: int,
    context: int,
) -> int:
    """Return the plies of a win by fours that must all be answered; 0 if there is none.

    The result is proved: each answer is the only one. The winning move is left in `lines[ply, 0]`.
    """
    if must_stop(context):
        return 0
    mine = -1
    theirs = -1
    for index in range(len(squares)):
        cell = squares[index]
        if cells[cell] != EMPTY:
            continue
        if _kind(marks[side - 1, cell]) == _FIVE_KIND:
            mine = cell
        if _kind(marks[2 - side, cell]) == _FIVE_KIND:
            theirs = cell
    if mine >= 0:
        lines[ply, 0] = mine
        return 1
    if ply >= deepest or ply >= LONGEST - 2:
        return 0
    for index in range(len(squares)):
        cell = squares[index]
        if cells[cell] != EMPTY or (theirs >= 0 and cell != theirs):
            continue
        kind = _kind(marks[side - 1, cell])
        if kind != _FOUR_KIND and kind != _WON_KIND:
            continue
        _set(cells, codes, marks, table, cell, side, stride)
        answers = 0
        answer = -1
        is_lost = False
        for other in range(len(squares)):
            there = squares[other]
            if cells[there] == EMPTY:
                if _kind(marks[side - 1, there]) == _FIVE_KIND:
                    answers += 1
                    answer = there
                if _kind(marks[2 - side, there]) == _FIVE_KIND:
                    is_lost = True
        plies = 0
        if not is_lost and answers > 1:
            plies = 3
        elif not is_lost and answers == 1:
            _set(cells, codes, marks, table, answer, 3 - side, stride)
            further = win_by_fours(
                cells, codes, marks, table, squares, scores, lines, stride, side, ply + 2, deepest, context
            )
            plies = further + 2 if further else 0
            _set(cells, codes, marks, table, answer, EMPTY, stride)
        _set(cells, codes, marks, table, cell, EMPTY, stride)
        if plies:
            lines[ply, 0] = cell
            return plies
        if has_stopped(context):
            return 0
    return 0


@inlined
def _keep_best(row: Ints, found: int, cell: int, score: int, width: int) -> int:
    """Insert a move into those kept, best first, at most `width`; return their number.

    row: cells at even indices, scores at odd ones.
    """
    if found == width:
        if row[2 * found - 1] >= score:
            return found
        found -= 1
    place = found
    while place > 0 and row[2 * place - 1] < score:
        row[2 * place] = row[2 * place - 2]
        row[2 * place + 1] = row[2 * place - 1]
        place -= 1
    row[2 * place] = cell
    row[2 * place + 1] = score
    return found + 1


@kernel(f"int64({_ARGS}, int64, int64, int64, int64, int64, int64, int64, int64)")
def search(
    cells: Bytes,
    codes: Codes,
    marks: Marks,
    table: Bytes,
    squares: Shorts,
    scores: npt.NDArray[np.int32],
    lines: Shorts,
    stride: int,
    side: int,
    depth: int,
    alpha: int,
    beta: int,
    ply: int,
    width: int,
    context: int,
) -> int:
    """Return the value for the side to move, `depth` plies deep, without counting forced replies.

    Only the `width` best-ranked moves of each state are searched, or all that answer an open three.
    """
    if must_stop(context):
        return 0
    lines[ply, LONGEST - 1] = 0
    other = 3 - side
    my_worth = 0
    their_worth = 0
    free = 0
    must = -1
    threats = 0
    won = -1
    has_open_three = False
    for index in range(len(squares)):
        cell = squares[index]
        if cells[cell] != EMPTY:
            continue
        free += 1
        mine = _kind(marks[side - 1, cell])
        theirs = _kind(marks[other - 1, cell])
        my_worth += _worth(marks[side - 1, cell])
        their_worth += _worth(marks[other - 1, cell])
        if mine == _FIVE_KIND:
            lines[ply, 0] = cell
            lines[ply, LONGEST - 1] = 1
            return WIN - ply - 1
        if theirs == _FIVE_KIND:
            threats += 1
            must = cell
        if mine == _WON_KIND:
            won = cell
        if theirs == _WON_KIND:
            has_open_three = True
    if free == 0:
        return 0
    if threats == 0 and won >= 0:
        lines[ply, 0] = won
        lines[ply, LONGEST - 1] = 1
        return WIN - ply - 3
    if (depth <= 0 and threats == 0) or ply >= LONGEST - 4:
        return my_worth + my_worth // 4 - their_worth
    row = scores[ply]
    found = 0
    if threats:
        row[0] = must
        found = 1
    else:
        for index in range(len(squares)):
            cell = squares[index]
            if cells[cell] != EMPTY:
                continue
            mine = _kind(marks[side - 1, cell])
            theirs = _kind(marks[other - 1, cell])
            if has_open_three and mine < _FOUR_KIND and theirs < _FOUR_KIND:
                continue
            score = 2 * _worth(marks[side - 1, cell]) + _worth(marks[other - 1, cell])
            if score or free == len(squares):
                score += 200 * (mine >= _FORK) + 100 * (theirs >= _FORK)
                room = MOST_CELLS if has_open_three else width
                found = _keep_best(row, found, cell, score, room)
    if found == 0:
        return my_worth + my_worth // 4 - their_worth
    best = -INFINITY
    deeper = depth if threats else depth - 1
    for place in range(found):
        cell = row[2 * place]
        _set(cells, codes, marks, table, cell, side, stride)
        floor = max(alpha, best)
        value = -search(
            cells, codes, marks, table, squares, scores, lines, stride, other, deeper, -beta, -floor,
            ply + 1, width, context,
        )  # fmt: skip
        _set(cells, codes, marks, table, cell, EMPTY, stride)
        if has_stopped(context):
            return 0
        if value > best:
            best = value
            length = lines[ply + 1, LONGEST - 1]
            lines[ply, 0] = cell
            for i in range(length):
                lines[ply, 1 + i] = lines[ply + 1, i]
            lines[ply, LONGEST - 1] = min(length + 1, LONGEST - 4)
            if value >= beta:
                break
    return best
