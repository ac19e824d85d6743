"""Boards of any size into which discs drop, for kernels to inline; used if a board exceeds 64 bits.

A position is an array of words, one per cell, columns from bottom to top with a frame around them; for 2 x 3:

     3   7  11  15  19
     2   6  10  14  18      cells:   6 10 14
     1   5   9  13  17               5  9 13
     0   4   8  12  16

A cell holds 0, or FIRST or SECOND for the owner of its disc. The frame holds other numbers: below each column
its number of discs plus HEIGHT; in the corner the total number of discs plus HEIGHT; above that, the cell of
the last disc (0: none yet). The frame never equals a disc, so no line crosses it.

A search keeps one position per ply, in consecutive places: playing copies a position to the next place and
drops the disc there, so no move is ever undone. The state that `alphabeta` and `uct` pass on is (index of the
place, xor of all discs' keys); moves are bits of columns.

The `rules` of a search, see `control`, are (stride, columns, k, places, windows, window count): rows + 2,
..., the address of the first place, the address of (first cell, step) of every k cells in a row.
"""

from __future__ import annotations

from engine.kernels.control import Rules
from engine.kernels.heuristic_values import CENTRE_DISC, ONE_SHORT, OPPOSING_ONE_SHORT, TWO_SHORT
from engine.kernels.intrinsics import load, store
from engine.kernels.jit import inlined

STRIDE, COLUMNS, K, PLACES, WINDOWS, WINDOW_COUNT = range(6)
FIRST, SECOND, HEIGHT = 1, 2, 8
LAST = 1
"""The index of the word with the cell that was taken last."""
KEY_FACTOR = 0x1E3779B97F4A7C15


@inlined
def place_of(ply: int, rules: Rules) -> int:
    """Return the address of the position `ply` plies from the search's root."""
    return rules[PLACES] + 8 * ply * rules[STRIDE] * (rules[COLUMNS] + 2)


@inlined
def mover(place: int) -> int:
    """Return the side to move."""
    return FIRST + (load(place, 0) & 1)


@inlined
def is_full(place: int, rules: Rules) -> bool:
    return load(place, 0) - HEIGHT == (rules[STRIDE] - 2) * rules[COLUMNS]


@inlined
def landing(place: int, column: int, rules: Rules) -> int:
    """Return the cell that a disc dropped into the column takes; part of the frame if the column is full."""
    bottom = (column + 1) * rules[STRIDE]
    return bottom + load(place, bottom) - HEIGHT + 1


@inlined
def completes(place: int, cell: int, disc: int, rules: Rules) -> bool:
    """Whether this disc in this cell is, or would be, part of a line of k or more."""
    stride = rules[STRIDE]
    for step in (1, stride - 1, stride, stride + 1):
        length = 1
        here = cell + step
        while load(place, here) == disc:
            length += 1
            here += step
        here = cell - step
        while load(place, here) == disc:
            length += 1
            here -= step
        if length >= rules[K]:
            return True
    return False


@inlined
def open_columns(place: int, rules: Rules) -> int:
    """Return the columns that are not full, as bits."""
    free = 0
    for column in range(rules[COLUMNS]):
        if load(place, (column + 1) * rules[STRIDE]) - HEIGHT < rules[STRIDE] - 2:
            free |= 1 << column
    return free


@inlined
def drop(place: int, cell: int, column: int, disc: int, rules: Rules) -> None:
    """Put the disc into the column's landing cell."""
    bottom = (column + 1) * rules[STRIDE]
    store(place, cell, disc)
    store(place, bottom, load(place, bottom) + 1)
    store(place, 0, load(place, 0) + 1)
    store(place, LAST, cell)


@inlined
def copy_next(place: int, rules: Rules) -> int:
    """Copy the position to the next place; return its address."""
    words = rules[STRIDE] * (rules[COLUMNS] + 2)
    for i in range(words):
        store(place, words + i, load(place, i))
    return place + 8 * words


@inlined
def after(ply: int, key: int, column: int, rules: Rules) -> tuple[int, int]:
    """Return the state after the side to move has dropped a disc into the column."""
    place = copy_next(place_of(ply, rules), rules)
    cell = landing(place, column, rules)
    disc = mover(place)
    drop(place, cell, column, disc, rules)
    return ply + 1, key ^ (2 * cell + disc) * KEY_FACTOR


@inlined
def has_ended(place: int, rules: Rules) -> bool:
    """Whether the last move made a line."""
    last = load(place, LAST)
    return last != 0 and completes(place, last, load(place, last), rules)


@inlined
def sensible(place: int, free: int, rules: Rules) -> int:
    """Return the columns worth trying: a win, else an answer to a threat, else moves that do not give a win.

    As in `line_uct` (Teytaud and Teytaud, 2010).
    """
    own = mover(place)
    opposing = FIRST + SECOND - own
    answer = 0
    safe = 0
    for column in range(rules[COLUMNS]):
        if free >> column & 1:
            cell = landing(place, column, rules)
            if completes(place, cell, own, rules):
                return 1 << column
            # One threat is enough to know: of two, no answer stops both.
            if answer == 0 and completes(place, cell, opposing, rules):
                answer = 1 << column
            # The disc lets the other side drop one on top of it, except in the highest cell.
            is_highest = cell % rules[STRIDE] == rules[STRIDE] - 2
            if is_highest or not completes(place, cell + 1, opposing, rules):
                safe |= 1 << column
    if answer:
        return answer
    return safe if safe else free


@inlined
def evaluate(place: int, mine: int, rules: Rules) -> int:
    """The window heuristic of `lines.evaluate`, from the view of the side `mine`."""
    value = 0
    k = rules[K]
    for i in range(rules[WINDOW_COUNT]):
        cell = load(rules[WINDOWS], 2 * i)
        step = load(rules[WINDOWS], 2 * i + 1)
        own = 0
        opposing = 0
        for _ in range(k):
            disc = load(place, cell)
            own += disc == mine
            opposing += disc != mine and disc != 0
            cell += step
        if opposing == 0:
            value += ONE_SHORT * (own == k - 1) + TWO_SHORT * (own == k - 2)
        elif own == 0 and opposing == k - 1:
            value += OPPOSING_ONE_SHORT
    for column in range((rules[COLUMNS] - 1) // 2, rules[COLUMNS] // 2 + 1):
        for row in range(1, rules[STRIDE] - 1):
            value += CENTRE_DISC * (load(place, (column + 1) * rules[STRIDE] + row) == mine)
    return value
