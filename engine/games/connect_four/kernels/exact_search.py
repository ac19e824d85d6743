"""Connect Four on 6 x 7, solved: the exact score of any position by null-window searches.

`board` describes the board, `bounds` the score, and `null_window` the search.
"""

from __future__ import annotations

from functools import partial

from engine.games.connect_four.kernels.board import BOTTOM, FOUR, SQUARES
from engine.games.connect_four.kernels.context import BUSY, STOPPED
from engine.games.connect_four.kernels.move_ordering import RANK_SHIFT, Ranked, inserted
from engine.games.connect_four.kernels.null_window import null_window_kernel
from engine.games.connect_four.kernels.transposition import find, keep, key_of, lower_of, slot_of, upper_of
from engine.kernels.intrinsics import load, popcount
from engine.kernels.jit import inlined, kernel
from engine.kernels.lines import BOARD, Shape, has_line, winning_squares

MAX_SCORE = 21
"""A win with the side's first stone."""
MIN_SCORE = -MAX_SCORE

LAST = SQUARES - 1
"""The number of stones before the last move of the game."""

# First searched: wins and losses within this number of a side's moves; more of them with few stones.
_SOON = 4
_SOON_EARLY = 7
_EARLY = 15
_SOON_UNTIL = 29

_COLUMNS = 7
_LOWEST_SQUARES = sum(7 * column << 8 * i for i, column in enumerate((0, 6, 1, 5, 2, 4, 3)))


@inlined
def _board_of(context: int) -> tuple[Shape, int, int]:  # noqa: ARG001
    return FOUR, SQUARES, _COLUMNS


@inlined
def _column_at(i: int, stride: int, columns: int) -> int:  # noqa: ARG001
    return _LOWEST_SQUARES >> 8 * i & 255


@inlined
def _key_of(own: int, mask: int, n: int, context: int) -> int:  # noqa: ARG001
    return key_of(own, mask, n)


@inlined
def _no_moves(n: int, context: int) -> Ranked:  # noqa: ARG001
    return 0, 0, 0, 0, 0, 0, 0


@inlined
def _inserted(moves: Ranked, rank: int, move: int, context: int) -> Ranked:  # noqa: ARG001
    return inserted(moves, rank << RANK_SHIFT | move)


@inlined
def _next_move(moves: Ranked, context: int) -> tuple[int, Ranked]:  # noqa: ARG001
    first, second, third, fourth, fifth, sixth, seventh = moves
    return first & ((1 << RANK_SHIFT) - 1), (second, third, fourth, fifth, sixth, seventh, 0)


_null_window_kernel = partial(
    null_window_kernel,
    board_of=_board_of,
    column_at=_column_at,
    key_of=_key_of,
    slot_of=slot_of,
    find=find,
    lower_of=lower_of,
    upper_of=upper_of,
    keep=keep,
    no_moves=_no_moves,
    inserted=_inserted,
    next_move=_next_move,
)
_alone = _null_window_kernel("6x7")
_by_two = _null_window_kernel("6x7 by two", below=_alone)


@inlined
def null_window(own: int, mask: int, alpha: int, context: int) -> int:
    """Whether the score is above alpha, see `null_window.null_window_kernel`; moves are kept in registers."""
    return _by_two(own, mask, alpha, context) if load(context, BUSY) else _alone(own, mask, alpha, context)


@inlined
def _wins_now(own: int, mask: int) -> bool:
    return (winning_squares(own, mask, FOUR) & (mask + BOTTOM)) != 0


@kernel("boolean(int64, int64)")
def is_over(own: int, mask: int) -> bool:
    """Whether the side that moved last has a line, or the board is full."""
    return mask == FOUR[BOARD] or has_line(own ^ mask, FOUR)


@kernel("int64(int64, int64, int64, int64, int64)")
def solve(own: int, mask: int, low: int, high: int, context: int) -> int:
    """Return the score for the side to move of a position without a line; STOPPED when told to end.

    low, high: known bounds of the score; a score below low is returned as low. If high = low + 1, only
    whether the score is above low is searched, and the result is a lower bound.
    """
    n = popcount(mask)
    if n > LAST:
        return 0
    if _wins_now(own, mask):
        return (43 - n) >> 1
    low, high = max(low, -((42 - n) >> 1)), min(high, (41 - n) >> 1)
    if n < _SOON_UNTIL:
        # A decision within a few moves takes only a shallow search, since longer lines are cut.
        soon = _SOON_EARLY if n < _EARLY else _SOON
        for near in (((41 - n) >> 1) - soon, soon - ((42 - n) >> 1)):
            if low <= near < high:
                value = null_window(own, mask, near, context)
                if value == STOPPED:
                    return STOPPED
                if value <= near:
                    high = value
                else:
                    low = value
    part = 2 if n < _EARLY else 3
    while low < high:
        # The sign of the score comes first: it says most and costs least. Then the scores near 0, which are
        # the most frequent; small steps rarely reach the expensive ones far from 0.
        if low <= 0 < high:
            middle = 0
        elif low <= -1 < high:
            middle = -1
        elif low > 0:
            middle = low + ((high - low) >> part)
        else:
            middle = high - 1 - ((high - 1 - low) >> part)
        value = null_window(own, mask, middle, context)
        if value == STOPPED:
            return STOPPED
        if value <= middle:
            high = value
        else:
            low = value
    return low
