"""Connect Four on any board: whether a position's score is above a bound, as exact as on 6 x 7.

The search is that of `null_window`, with the board as an argument instead of a constant. Boards and shapes
are those of `engine.kernels.lines`.

`context` is the address of an int64 array:

    0 .. 5       as in `engine.games.connect_four.kernels.context`
    6, 7         the numbers of squares and of columns
    16 .. 21     the shape
    24 ..        move lists of the states on the current line, 32 words a ply, as rank << 6 | square

An entry of the table has two words, and a bucket two entries: the key, and

    16 .. 10 lower    9 .. 3 upper    2 .. 0 work       bounds are stored + 64

The key, own + mask + bottom, is unique and never 0: in each column it has a bit right above the highest
stone, and below that bit the own stones.
"""

from __future__ import annotations

from engine.games.connect_four.kernels.context import SCATTER, SHIFT, work_of
from engine.games.connect_four.kernels.null_window import null_window_kernel
from engine.kernels.control import rules_of
from engine.kernels.intrinsics import load, lowest_index, shift_right, store
from engine.kernels.jit import inlined
from engine.kernels.lines import BOTTOM, STRIDE, Shape

SQUARES, COLUMNS = 6, 7
_LISTS = 24
_LIST_WORDS = 32
CONTEXT_WORDS = _LISTS + 65 * _LIST_WORDS
ENTRY_WORDS = 2

_OFFSET = 64


@inlined
def _mirrored(bits: int, shape: Shape, columns: int) -> int:
    """Return the board, or a sum of boards, with its columns in reverse order."""
    stride = shape[STRIDE]
    column = (1 << stride) - 1
    image = 0
    for _ in range(columns):
        image = image << stride | bits & column
        bits = shift_right(bits, stride)
    return image


@inlined
def _board_of(context: int) -> tuple[Shape, int, int]:
    return rules_of(context), load(context, SQUARES), load(context, COLUMNS)


@inlined
def _column_at(i: int, stride: int, columns: int) -> int:
    return stride * (columns - 1 - (i >> 1) if i & 1 else i >> 1)


@inlined
def _key(own: int, mask: int, n: int, context: int) -> int:
    """Return the position's key in the table; in the first half of the game its mirror image shares it."""
    shape = rules_of(context)
    key = own + mask + shape[BOTTOM]
    if 2 * n < load(context, SQUARES):
        key = min(key, _mirrored(key, shape, load(context, COLUMNS)))
    return key


@inlined
def _slot(key: int, context: int) -> int:
    """Return the offset of the key's bucket in the table."""
    return 2 * ENTRY_WORDS * shift_right(key * SCATTER, load(context, SHIFT) + 1)


@inlined
def _find(table: int, slot: int, key: int) -> int:
    """Return the entry of the key, or 0."""
    if load(table, slot) == key:
        return load(table, slot + 1)
    if load(table, slot + 2) == key:
        return load(table, slot + 3)
    return 0


@inlined
def _lower(entry: int) -> int:
    return (entry >> 10) - _OFFSET


@inlined
def _upper(entry: int) -> int:
    return (entry >> 3 & 127) - _OFFSET


@inlined
def _keep(table: int, slot: int, key: int, lower: int, upper: int, nodes: int) -> None:
    """Store the bounds: in the first entry if it has the same key or took less work, else in the second."""
    work = work_of(nodes)
    entry = (lower + _OFFSET) << 10 | (upper + _OFFSET) << 3 | work
    if load(table, slot) == key or work >= load(table, slot + 1) & 7:
        if load(table, slot) != key and load(table, slot + 2) == key:
            store(table, slot + 2, 0)  # a key never has two entries
        store(table, slot, key)
        store(table, slot + 1, entry)
    else:
        store(table, slot + 2, key)
        store(table, slot + 3, entry)


@inlined
def _no_moves(n: int, context: int) -> tuple[int, int]:
    """Return the addresses of the first move and of the end of the list."""
    room = context + 8 * (_LISTS + _LIST_WORDS * n)
    return room, room


@inlined
def _inserted(moves: tuple[int, int], rank: int, move: int, context: int) -> tuple[int, int]:  # noqa: ARG001
    first, place = moves
    end = place + 8
    while place > first and load(place, -1) >> 6 <= rank:
        store(place, 0, load(place, -1))
        place -= 8
    store(place, 0, rank << 6 | lowest_index(move))
    return first, end


@inlined
def _next_move(moves: tuple[int, int], context: int) -> tuple[int, tuple[int, int]]:  # noqa: ARG001
    first, end = moves
    if first == end:
        return 0, moves
    return 1 << (load(first, 0) & 63), (first + 8, end)


null_window = null_window_kernel(
    "any",
    board_of=_board_of,
    column_at=_column_at,
    key_of=_key,
    slot_of=_slot,
    find=_find,
    lower_of=_lower,
    upper_of=_upper,
    keep=_keep,
    no_moves=_no_moves,
    inserted=_inserted,
    next_move=_next_move,
)
"""Is the score above alpha? See `null_window.null_window_kernel`; moves are listed in the context."""
