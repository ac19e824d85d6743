"""Connect Four with an even number of rows: two strategies that bound a position's score without search.

Boards and shapes are those of `engine.kernels.lines`, rows counted from 0 at the bottom; "even rows" are 0,
2, 4 ..., "odd rows" 1, 3, 5 ... The first player is the one who placed the first stone of the game.

A score of k means that the side to move wins with its k-th stone from the end (its last stone is the
first from the end), -k that it loses to the other's k-th stone from the end, 0 a draw. (The convention of
Pascal Pons, Solving Connect 4.)
"""

from __future__ import annotations

from engine.games.connect_four.kernels.context import STOPPED
from engine.kernels.intrinsics import lowest_index
from engine.kernels.jit import inlined
from engine.kernels.lines import BOARD, BOTTOM, STRIDE, K, Shape, has_line, line_along

NO_BOUND = 99
"""Higher than any score."""

_LINES_COUNTED = 18
"""The number of squares before the end at which lines are counted; measured, and without effect on scores."""
_EVERY_OTHER = 0x5555555555555555


@inlined
def even_rows(shape: Shape) -> int:
    return shape[BOTTOM] * (_EVERY_OTHER & ((1 << (shape[STRIDE] - 1)) - 1))


@inlined
def claim_even_bound(own: int, mask: int, shape: Shape) -> int:
    """Return an upper bound of the score if the first player is to move, else nothing meaningful.

    Claim: the second player can get every empty square of the odd rows except those that can be played
    right now. Proof: call a column odd if it holds an odd number of stones; its next square is then in an
    odd row. The first player is to move, so the number of stones is even, and so is the number of odd
    columns. The second player answers a stone in an even row right above it, which is always free, since the
    number of rows is even. A stone of the first player in an odd row must be the next square of a column
    that has been odd from the start; then another odd column is left, since their number was even, and the
    second player answers there. After each answer the number of odd columns is even, and these have not been
    touched. So the squares lost to this strategy are at most the next squares of the odd columns.
    of the odd columns.

    The first player then gets no other squares than the rest. If those hold no line, he cannot win: the
    score is at most 0. If in addition the squares that the second player has and will get hold a line, he
    wins at the latest when the last square of that line is filled, so the score is at most -1. For a
    horizontal line the squares above that last one are then still empty, and for every two of them the second
    player has another stone left: with 6 rows at most -3 for a line in row 1, and -2 in row 3.
    """
    playable = mask + shape[BOTTOM]
    claimed = (own ^ mask) | (shape[BOARD] & ~even_rows(shape) & ~mask & ~playable)
    if has_line(shape[BOARD] ^ claimed, shape):
        return NO_BOUND
    stride = shape[STRIDE]
    level = line_along(claimed, shape[K], stride)
    if level:
        if level & shape[BOTTOM] << 1:
            return -1 - ((stride - 3) >> 1)
        if level & shape[BOTTOM] << 3:
            return -1 - max((stride - 5) >> 1, 0)
        return -1  # or less on boards of eight rows and more, where it is rare
    steep = line_along(claimed, shape[K], stride - 1) | line_along(claimed, shape[K], stride + 1)
    return -1 if steep else 0


@inlined
def odd_threat_bound(own: int, mask: int, threats: int, shape: Shape) -> int:
    """Return an upper bound of the score if the second player is to move, else nothing meaningful.

    threats: the squares that complete a line for the first player. Let x be one of them, in an even row and
    not playable right now. Claim: the first player can make sure to get x, unless the game ends before; and
    until then the second player gets no other empty squares than

      (1) outside the column of x: those of even rows, and those playable right now;
      (2) in the column of x, below x: those of odd rows, and the one playable right now.

    Proof: call a column odd if it holds an odd number of stones, and let m be the number of odd columns
    other than x's. The second player is to move, so the number of stones is odd.

    State A, x's column is odd, hence m even. The first player answers
      - a stone outside in an even row: right above it, which is free, since the number of rows is even. m is
        as before.
      - a stone outside in an odd row, which was the next square of an odd column: in another odd column
        outside; there is one, since m is even. m falls by 2.
      - a stone in x's column, at an odd row below x: right above it. That is x, and wins, or still below x.
    Each answer leads to state A again.

    State B, x's column is even, hence m odd. x is in an even row and not playable, so two or more squares
    below it are empty. The first player answers
      - a stone outside in an even row: right above it. State B.
      - a stone outside in an odd row: in another odd column outside if there is one, which is state B
        with m less by 2; if that was the last, with the next square of x's column: state A, m = 0.
      - the next square of x's column: in an odd column outside; there is one, since m is odd.
        State A.

    So outside, the first player leaves the other no square of an odd row except the first one of a column
    that was odd from the start, which is playable right now; that is (1). In x's column the second player
    gets its next square at most in state B, and otherwise squares of odd rows; that is (2). The first player
    always has an answer, and the squares outside run out, so in the end x is his.

    If his own stones and the squares of (1) and (2) hold no line for the second player, he loses, at the
    latest to the stone on x, so the score is at most -1. The squares above x are then still empty, an odd
    number: for every two of them the first player has another stone left. With 6 rows that is at most -2 for
    x in row 2.
    """
    bound = NO_BOUND
    stride = shape[STRIDE]
    playable = (mask + shape[BOTTOM]) & shape[BOARD]
    empty = shape[BOARD] ^ mask
    evens = even_rows(shape)
    left = threats & evens & ~playable
    while left:
        threat = left & -left
        left ^= threat
        square = lowest_index(threat)
        row = square % stride
        column = ((1 << (stride - 1)) - 1) << (square - row)
        outside = empty & ~column
        below = empty & column & (threat - 1)
        if not has_line(
            own | outside & evens | outside & playable | below & ~evens | below & playable, shape
        ):
            bound = min(bound, -1 - ((stride - 2 - row) >> 1))
    return bound


@inlined
def strategic_bound(own: int, mask: int, threats: int, n: int, shape: Shape) -> int:
    """Return an upper bound of the score without search. threats: winning squares of the side not to move."""
    if shape[STRIDE] & 1 == 0:  # an odd number of rows
        return NO_BOUND
    if n & 1 == 0:
        return claim_even_bound(own, mask, shape)
    if threats & even_rows(shape):
        return odd_threat_bound(own, mask, threats, shape)
    return NO_BOUND


@inlined
def least_strategic_bound(shape: Shape) -> int:
    """Return the lowest bound that a strategy can give."""
    return -1 - ((shape[STRIDE] - 3) >> 1)


@inlined
def static_bound(own: int, mask: int, threats: int, alpha: int, n: int, squares: int, shape: Shape) -> int:
    """Return a bound of the score on the right side of alpha that needs no search, else STOPPED."""
    board = shape[BOARD]
    if n >= squares - _LINES_COUNTED:  # a side without a line even if it got every empty square cannot win
        if alpha >= 0:
            if not has_line(board ^ own ^ mask, shape):
                return 0
        elif not has_line(board ^ own, shape):
            return 0
    if alpha >= least_strategic_bound(shape):
        bound = strategic_bound(own, mask, threats, n, shape)
        if bound <= alpha:
            return bound
    return STOPPED
