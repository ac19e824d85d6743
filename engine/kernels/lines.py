"""Boards with k in a row: moves, lines, threats and the window heuristic, for kernels to inline.

Connect Four on any board and Tic-tac-toe share one layout, columns from bottom to top with one sentinel
above each (`stride` = rows + 1), here for 6 x 7:

     6 13 20 27 34 41 48     <- sentinels, always empty
     5 12 19 26 33 40 47
     4 11 18 25 32 39 46
     3 10 17 24 31 38 45
     2  9 16 23 30 37 44
     1  8 15 22 29 36 43
     0  7 14 21 28 35 42

Steps of 1, stride - 1, stride and stride + 1 lead up, down-right, right and up-right. A line that leaves the
board meets a sentinel first, so none wraps around an edge. On a board of exactly 64 bits the sentinel above
the last column is bit 63, so stones never make an int64 negative.

A `shape` is the tuple (stride, k, bottom, board, centre, drops): the bottom squares, all squares, the squares
worth 3 to their owner, and 1 if discs drop (0: any empty square may be taken). It is the `rules` of a search,
see `control`.
"""

from __future__ import annotations

from engine.kernels.control import Rules
from engine.kernels.heuristic_values import CENTRE_DISC, ONE_SHORT, OPPOSING_ONE_SHORT, TWO_SHORT
from engine.kernels.intrinsics import popcount
from engine.kernels.jit import inlined

STRIDE, K, BOTTOM, BOARD, CENTRE, DROPS = range(6)
WORD_BITS = 64
LARGE_STRIDE = 20
"""From this stride on, four in a row may be longer than the word."""

Shape = Rules


@inlined
def moves(mask: int, shape: Shape) -> int:
    """Return the squares that may be taken."""
    if shape[DROPS]:
        return (mask + shape[BOTTOM]) & shape[BOARD]
    return shape[BOARD] ^ mask


@inlined
def line_along(stones: int, k: int, step: int) -> int:
    """Return the first square of every k in a row along the step."""
    if (k - 1) * step >= WORD_BITS:  # longer than the board; the shifts below would be undefined
        return 0
    pairs = stones & (stones >> step)
    if k == 3:
        return pairs & (stones >> 2 * step)
    fours = pairs & (pairs >> 2 * step)
    if k == 4:
        return fours
    if k == 5:
        return fours & (stones >> 4 * step)
    return fours & (fours >> 2 * step)


@inlined
def has_line(stones: int, shape: Shape) -> bool:
    """Whether k of these stones are in a row (k from 3 to 6)."""
    stride = shape[STRIDE]
    k = shape[K]
    return (
        line_along(stones, k, 1)
        | line_along(stones, k, stride - 1)
        | line_along(stones, k, stride)
        | line_along(stones, k, stride + 1)
    ) != 0


@inlined
def _gaps_along(stones: int, k: int, step: int) -> int:
    """Return the squares where one more stone completes k along `step`, whether or not they are empty."""
    if (k - 1) * step >= WORD_BITS:
        return 0
    below = stones << step
    above = stones >> step
    below2 = below & (stones << 2 * step)
    above2 = above & (stones >> 2 * step)
    if k == 3:
        return below2 | (below & above) | above2
    below3 = below2 & (stones << 3 * step)
    above3 = above2 & (stones >> 3 * step)
    if k == 4:
        return below3 | (below2 & above) | (below & above2) | above3
    below4 = below3 & (stones << 4 * step)
    above4 = above3 & (stones >> 4 * step)
    if k == 5:
        return below4 | (below3 & above) | (below2 & above2) | (below & above3) | above4
    below5 = below4 & (stones << 5 * step)
    above5 = above4 & (stones >> 5 * step)
    return below5 | (below4 & above) | (below3 & above2) | (below2 & above3) | (below & above4) | above5


@inlined
def _gaps_of_four(stones: int, step: int) -> int:
    """As `_gaps_along` for k = 4, if no shift reaches beyond the word."""
    below = stones << step
    above = stones >> step
    return (below & (stones << 2 * step) & ((stones << 3 * step) | above)) | (
        above & (stones >> 2 * step) & ((stones >> 3 * step) | below)
    )


@inlined
def winning_squares(stones: int, mask: int, shape: Shape) -> int:
    """Return the empty squares that would complete k in a row for the owner of these stones.

    `<<` may push bits past the board; the last line removes them, as well as gaps on sentinels.
    """
    stride = shape[STRIDE]
    k = shape[K]
    free = shape[BOARD] ^ mask
    if k == 4 and stride < LARGE_STRIDE:
        gaps = (
            ((stones << 1) & (stones << 2) & (stones << 3) if shape[DROPS] else _gaps_of_four(stones, 1))
            | _gaps_of_four(stones, stride - 1)
            | _gaps_of_four(stones, stride)
            | _gaps_of_four(stones, stride + 1)
        )
        return gaps & free
    gaps = (
        _gaps_along(stones, k, 1)
        | _gaps_along(stones, k, stride - 1)
        | _gaps_along(stones, k, stride)
        | _gaps_along(stones, k, stride + 1)
    )
    return gaps & free


@inlined
def _holds(ones: int, twos: int, fours: int, count: int) -> int:
    """Return the windows whose three bit planes spell `count` (0 to 7)."""
    return (ones if count & 1 else ~ones) & (twos if count & 2 else ~twos) & (fours if count & 4 else ~fours)


@inlined
def _windows_along(mine: int, theirs: int, k: int, step: int, board: int) -> int:
    if (k - 1) * step >= WORD_BITS:
        return 0
    # One window starts at each bit. Adding k shifted boards column-wise, as three bit planes per side, counts
    # the stones of all windows at once.
    windows = board
    ones = twos = fours = 0
    their_ones = their_twos = their_fours = 0
    for i in range(k):
        shift = i * step
        windows &= board >> shift
        stone = mine >> shift
        carry = ones & stone
        ones ^= stone
        fours ^= twos & carry
        twos ^= carry
        stone = theirs >> shift
        carry = their_ones & stone
        their_ones ^= stone
        their_fours ^= their_twos & carry
        their_twos ^= carry
    open_to_me = windows & _holds(their_ones, their_twos, their_fours, 0)
    open_to_them = windows & _holds(ones, twos, fours, 0)
    return (
        ONE_SHORT * popcount(open_to_me & _holds(ones, twos, fours, k - 1))
        + TWO_SHORT * popcount(open_to_me & _holds(ones, twos, fours, k - 2))
        + OPPOSING_ONE_SHORT * popcount(open_to_them & _holds(their_ones, their_twos, their_fours, k - 1))
    )


@inlined
def evaluate(mine: int, theirs: int, shape: Shape) -> int:
    """The window heuristic, from the view of the owner of `mine`; not symmetric.

    Over all windows of k squares in a row: 5 for each with k - 1 of mine and one empty square, 2 for k - 2
    of mine and two empty, -4 for k - 1 of theirs and one empty; and 3 for each of mine in the centre. (The
    classic heuristic adds 100 for a full window of mine; here a full window has ended the game and is worth
    WIN.) At most 64 x 4 x 5 + 64 x 3, far below WIN.
    """
    stride = shape[STRIDE]
    k = shape[K]
    board = shape[BOARD]
    return (
        _windows_along(mine, theirs, k, 1, board)
        + _windows_along(mine, theirs, k, stride - 1, board)
        + _windows_along(mine, theirs, k, stride, board)
        + _windows_along(mine, theirs, k, stride + 1, board)
        + CENTRE_DISC * popcount(mine & shape[CENTRE])
    )
