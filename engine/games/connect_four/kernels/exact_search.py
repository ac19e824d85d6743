"""Connect Four on 6 x 7, solved: the exact score of any position, by null-window searches.

The board is that of `board`, a score means what `bounds` says; see `null_window` for the rest.
"""

from __future__ import annotations

from engine.games.connect_four.kernels.board import BOTTOM, COLUMN, FOUR, SQUARES
from engine.games.connect_four.kernels.context import STOPPED
from engine.games.connect_four.kernels.move_ordering import RANK_SHIFT, Ranked, inserted
from engine.games.connect_four.kernels.null_window import null_window_kernel
from engine.games.connect_four.kernels.transposition import find, keep, key_of, lower_of, slot_of, upper_of
from engine.kernels.intrinsics import popcount
from engine.kernels.jit import Words, inlined, kernel
from engine.kernels.lines import Shape, has_line, winning_squares

ILLEGAL = -1000
"""Returned instead of a score for a full column."""
UNKNOWN = -2000
"""Stands for the score of a column until it is found."""

MOST = 21
"""No score is higher: a win with the side's very first stone."""
LEAST = -MOST

LAST = SQUARES - 1
"""The number of stones before the last move."""

# Moves of one side: what is decided within so many is looked for first; with few stones, within more.
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


null_window = null_window_kernel(
    "6x7",
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
"""Is the score above alpha? See `null_window.null_window_kernel`; moves are kept in registers."""


@inlined
def _wins_now(own: int, mask: int) -> bool:
    return (winning_squares(own, mask, FOUR) & (mask + BOTTOM)) != 0


@kernel("int64(int64, int64, int64, int64, int64)")
def _between(own: int, mask: int, low: int, high: int, context: int) -> int:
    """The score of a position without an immediate win, known to be low at least and high at most."""
    n = popcount(mask)
    if n < _SOON_UNTIL:
        # Is it decided soon? That takes a shallow search, since lines too long for it are cut.
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
        # Who wins, if anyone, is asked first: it says most, and costs least. Then the scores nearer to 0,
        # which are more frequent; a short part of the way leaves little to the dear ones beyond.
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


@kernel("int64(int64, int64, int64, int64)")
def solve(own: int, mask: int, least: int, context: int) -> int:
    """The score of a position that is not won yet, for the side to move; STOPPED when told to end.

    least: a score that the position is known to reach, such as that of a position before it; LEAST if none.
    """
    n = popcount(mask)
    if n > LAST:
        return 0
    if _wins_now(own, mask):
        return (43 - n) >> 1
    low = -((42 - n) >> 1)
    if least >= low:  # often it is no more than that, so that one search settles it
        low = null_window(own, mask, least, context)
        if low <= least or low == STOPPED:
            return max(low, least)
    return _between(own, mask, low, (41 - n) >> 1, context)


@kernel("void(int64, int64, int64, int64, int64[::1])")
def analyze(own: int, mask: int, most: int, context: int, scores: Words) -> None:
    """Writes each column's score for the side to move: ILLEGAL when full, STOPPED when told to end.

    most: a score that no column exceeds, such as the position's own where that is known. Only columns whose
    score is UNKNOWN before are looked at.
    """
    n = popcount(mask)
    for column in range(7):
        if scores[column] != UNKNOWN:
            continue
        move = (mask + (1 << 7 * column)) & COLUMN << 7 * column
        if move == 0:
            scores[column] = ILLEGAL
        elif has_line(own | move, FOUR):
            scores[column] = (43 - n) >> 1
        elif n == LAST:
            scores[column] = 0
        elif _wins_now(own ^ mask, mask | move):
            scores[column] = -((42 - n) >> 1)
        else:
            least = max(-most, -((41 - n) >> 1))
            score = _between(own ^ mask, mask | move, least, (40 - n) >> 1, context)
            scores[column] = score if score == STOPPED else -score


@kernel("int64(int64, int64, int64, int64, int64)")
def best_column(own: int, mask: int, score: int, order: int, context: int) -> int:
    """The first column that keeps the position's `score`; STOPPED when told to end.

    order: the seven columns, a byte each, the first in the lowest.
    """
    n = popcount(mask)
    for i in range(7):
        column = order >> 8 * i & 255
        move = (mask + (1 << 7 * column)) & COLUMN << 7 * column
        if move == 0:
            continue
        after = mask | move
        if has_line(own | move, FOUR):
            return column
        if _wins_now(own ^ mask, after):
            if -((42 - n) >> 1) == score:
                return column
        elif n == LAST:
            return column
        else:
            value = null_window(own ^ mask, after, -score, context)
            if value == STOPPED:
                return STOPPED
            if -value >= score:
                return column
    return STOPPED
