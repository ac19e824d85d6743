"""Gomoku's board as the compiled searches see it, in one array of int64.

The board is padded, so that no loop along a line has to check for the edge: cell (row, column) of n × n is
`(row + 4) * (n + 4) + column + 4`, and holds EMPTY, FIRST, SECOND or EDGE. Squares are the rules' numbers.

The discs on the nine cells of a line around a cell, with a disc added on it, form a shape: FIVE; OPEN_FOUR,
which two cells complete; FOUR, which one does; OPEN_THREE, which can become an open four; THREE; OPEN_TWO; or
NOTHING. For each direction and cell, a code holds the eight neighbours, two bits each, those before the cell
first. The table of shapes turns a code into a part of the cell's mark: FIRST's in the lower half, SECOND's in
the upper half. A mark is the sum over a cell's four lines: the values of its shapes and, above them, the
counts of the four best shapes. A disc changes one neighbour of 32 cells; nothing else is updated.

The memory starts with the search's context, see `engine.kernels.control`; the functions take its address.
The other words: the addresses of the tables, the position's key (Zobrist, A New Hashing Method, 1970), the
estimates of the position for each side to move, the empty squares as bits, and for each side and each of the
kinds FIVES to THREES the squares on which a disc would make that shape, occupied ones included.

ESTIMATES holds FIRST's estimate in the lower half and SECOND's in the upper half. Each is a sum over the
empty squares: the table WORTHS gives what the shapes of one side on a square add to both estimates, by the
sum of their values.
"""

from __future__ import annotations

from engine.kernels.control import CONTEXT_WORDS
from engine.kernels.intrinsics import load, lowest_index, popcount, shift_right, store
from engine.kernels.jit import inlined, kernel

EMPTY, FIRST, SECOND, EDGE = range(4)
NOTHING, OPEN_TWO, THREE, OPEN_THREE, FOUR, OPEN_FOUR, FIVE = range(7)
FIVES, WINS, FOURS, THREES = range(4)
"""Kinds of squares: five; an open four or two fours; a four of any kind; an open three."""
REACH = 4
LONGEST = 64
"""The longest line in plies, including forced replies."""
SQUARES = 225
WORDS = 4
ROOM = 640

STRIDE, SHAPES, WORTHS, KEY, TABLE, TABLE_MASK, PROOFS, PROOFS_MASK, FOURS_LEFT, ESTIMATES = range(
    CONTEXT_WORDS, CONTEXT_WORDS + 10
)
FREE = ESTIMATES + 1
KINDS = FREE + WORDS
CELL_OF = KINDS + 2 * 4 * WORDS
SQUARE_OF = CELL_OF + SQUARES
CELLS = SQUARE_OF + ROOM
MARKS = CELLS + ROOM
CODES = MARKS + ROOM
ZOBRIST = CODES + 4 * ROOM
LINE = ZOBRIST + 2 * SQUARES
PV = LINE + LONGEST
LISTS = PV + LONGEST * LONGEST
LIST_WORDS = 2 * SQUARES + 2
MEMORY_WORDS = LISTS + LONGEST * LIST_WORDS

VALUE_BITS = 16
SUMS = 1 << 13
"""Above the sum of the values of any four shapes. WORTHS has so many words for FIRST, then for SECOND."""
OPEN_THREES, SIMPLE_FOURS, OPEN_FOURS, FIVE_COUNT = 16, 19, 22, 25
_VALUE = (1 << VALUE_BITS) - 1
_COUNTS = ((1 << 28) - (1 << VALUE_BITS)) * (1 + (1 << 32))


@inlined
def mark_of(memory: int, side: int, square: int) -> int:
    """Return the side's half of the square's mark."""
    mark = load(memory, MARKS + load(memory, CELL_OF + square))
    return shift_right(mark, 32) if side == SECOND else mark & 0xFFFFFFFF


@inlined
def value_of(mark: int) -> int:
    return mark & _VALUE


@inlined
def estimate(memory: int, side: int) -> int:
    """Return the estimate for the side, which is to move."""
    both = load(memory, ESTIMATES)
    first = (both & 0xFFFFFFFF ^ 0x80000000) - 0x80000000  # the lower half has a sign
    return first if side == FIRST else both - first >> 32


@inlined
def _worth(worths: int, mark: int) -> int:
    """Return what an empty square with that mark adds to both estimates."""
    return load(worths, mark & _VALUE) + load(worths, SUMS + (mark >> 32 & _VALUE))


@inlined
def kind_word(memory: int, side: int, kind: int, word: int) -> int:
    """Return 64 squares on which the side would make a shape of that kind, empty ones only."""
    offset = KINDS + 4 * WORDS * (side - 1) + WORDS * kind + word
    return load(memory, offset) & load(memory, FREE + word)


@inlined
def count_of(memory: int, side: int, kind: int) -> int:
    """Return the number of empty squares of that kind."""
    found = 0
    for word in range(WORDS):
        found += popcount(kind_word(memory, side, kind, word))
    return found


@inlined
def first_of(memory: int, side: int, kind: int) -> int:
    """Return an empty square of that kind; -1 if there is none."""
    for word in range(WORDS):
        bits = kind_word(memory, side, kind, word)
        if bits:
            return 64 * word + lowest_index(bits)
    return -1


@inlined
def has(memory: int, side: int, kind: int, square: int) -> bool:
    """Whether the empty square is of that kind."""
    return shift_right(kind_word(memory, side, kind, square >> 6), square & 63) & 1 != 0


@inlined
def _mark_kinds(memory: int, side: int, square: int, half: int) -> None:
    """Set or clear the square's bit of each kind."""
    fours = half >> SIMPLE_FOURS & 7
    opened = half >> OPEN_FOURS & 7
    word = KINDS + 4 * WORDS * (side - 1) + (square >> 6)
    bit = 1 << (square & 63)
    five = load(memory, word) & ~bit
    store(memory, word, five | bit if half >> FIVE_COUNT else five)
    word += WORDS
    wins = load(memory, word) & ~bit
    store(memory, word, wins | bit if opened or fours > 1 else wins)
    word += WORDS
    four = load(memory, word) & ~bit
    store(memory, word, four | bit if opened or fours else four)
    word += WORDS
    three = load(memory, word) & ~bit
    store(memory, word, three | bit if half >> OPEN_THREES & 7 else three)


@kernel("void(int64, int64, int64)")
def put(memory: int, square: int, held: int) -> None:
    """Put FIRST's or SECOND's disc on an empty square, or remove it (EMPTY)."""
    cell = load(memory, CELL_OF + square)
    before = load(memory, CELLS + cell)
    mark = load(memory, MARKS + cell)
    worths = load(memory, WORTHS)
    worth = _worth(worths, mark)
    estimates = load(memory, ESTIMATES) + (-worth if before == EMPTY else worth)
    word = FREE + (square >> 6)
    store(memory, word, load(memory, word) ^ (1 << (square & 63)))
    disc = held + before - 1
    store(memory, KEY, load(memory, KEY) ^ load(memory, ZOBRIST + SQUARES * disc + square))
    store(memory, CELLS + cell, held)
    change = held - before
    shapes = load(memory, SHAPES)
    for direction in range(4):
        step = 1 if direction == 0 else load(memory, STRIDE) + direction - 2
        codes = CODES + ROOM * direction
        for place in range(8):
            # The first neighbour is four cells back: from there, the disc is four ahead.
            there = cell + (REACH - place if place < REACH else REACH - 1 - place) * step
            holds = load(memory, CELLS + there)
            if holds == EDGE:
                continue
            code = load(memory, codes + there)
            changed = code + (change << 2 * place)
            store(memory, codes + there, changed)
            old = load(shapes, code)
            new = load(shapes, changed)
            if old == new:
                continue
            old_mark = load(memory, MARKS + there)
            new_mark = old_mark + new - old
            store(memory, MARKS + there, new_mark)
            if holds == EMPTY:
                estimates += _worth(worths, new_mark) - _worth(worths, old_mark)
            if (old_mark ^ new_mark) & _COUNTS:
                where = load(memory, SQUARE_OF + there)
                _mark_kinds(memory, FIRST, where, new_mark & 0xFFFFFFFF)
                _mark_kinds(memory, SECOND, where, shift_right(new_mark, 32))
    store(memory, ESTIMATES, estimates)
