"""Positions of draughts in two words, and the positions after every turn.

Bits are those of the rules. Word one: the pieces of the side to move in bits 0 to 34, and above them the
kings of the first 29 bits. Word two: the other side's pieces, the remaining kings in bits 35 to 40, the side
to move in bit 41; in a list of positions also its number in order of generation (bits 42 to 47) and its rank
(48 and up). A list is in the memory of `engine.kernels.transposition`, at its ply.
"""

from __future__ import annotations

from engine.kernels.intrinsics import load, lowest_index, popcount, shift_right, store
from engine.kernels.jit import inlined, kernel
from engine.kernels.transposition import HISTORY, LIST_WORDS, LISTS, SIDE_SQUARES

FIELD = (1 << 35) - 1
KEY = (1 << 42) - 1
"""Of word two: without number and rank."""
BOARD = FIELD & ~(1 << 8 | 1 << 17 | 1 << 26)
FIRST_ROW, LAST_ROW = 0xF, 0xF << 31
NUMBER, RANK = 42, 48
MOST_TURNS = 64
BEST_RANK = (1 << 14) - 1
NONE = -1


@inlined
def kings_of(one: int, two: int) -> int:
    return shift_right(one, 35) | (two >> 35 & 63) << 29


@inlined
def side_of(two: int) -> int:
    return two >> 41 & 1


@inlined
def first_word(own: int, kings: int) -> int:
    return own | kings << 35


@inlined
def second_word(other: int, kings: int, side: int) -> int:
    return other | kings >> 29 << 35 | side << 41


@inlined
def shifted(bits: int, way: int) -> int:
    """Move bits one step: ways 0 and 1 lead down, 2 and 3 back up."""
    places = 4 + (way & 1)
    return bits >> places if way & 2 else bits << places


@inlined
def jumpers(own: int, other: int, kings: int, side: int) -> int:
    """Return the pieces of the side that can jump."""
    free = BOARD & ~(own | other)
    found = 0
    for way in range(4):
        movers = own if way >> 1 == side else own & kings
        found |= movers & shifted(other & shifted(free, way ^ 2), way ^ 2)
    return found


@inlined
def list_at(ply: int, memory: int) -> int:
    """Return the address of the list of that ply."""
    return memory + 8 * (LISTS + ply * LIST_WORDS)


@inlined
def _add(own: int, other: int, kings: int, side: int, rank: int, count: int, place: int) -> int:
    """Insert the position after a turn into the list, highest rank first; return the number of positions."""
    one = first_word(other, kings)
    two = second_word(own, kings, 1 - side)
    for known in range(count):
        if load(place, 2 * known) == one and load(place, 2 * known + 1) & KEY == two:
            return count
    if count == MOST_TURNS:
        return count
    at = count
    while at > 0 and load(place, 2 * at - 1) >> RANK < rank:
        store(place, 2 * at, load(place, 2 * at - 2))
        store(place, 2 * at + 1, load(place, 2 * at - 1))
        at -= 1
    store(place, 2 * at, one)
    store(place, 2 * at + 1, two | count << NUMBER | rank << RANK)
    return count + 1


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def _jumps(
    piece: int, own: int, other: int, taken: int, kings: int, is_king: int, side: int, hint: int, count: int,
    place: int,
) -> int:  # fmt: skip
    """Add the turns of a jumping piece; own and kings are without it, other is with the pieces taken."""
    last = FIRST_ROW if side else LAST_ROW
    is_over = True
    for way in range(4):
        if is_king == 0 and way >> 1 != side:
            continue
        jumped = shifted(piece, way) & other & ~taken
        after = shifted(jumped, way) & BOARD & ~(own | other)
        if after:
            is_over = False
            if is_king == 0 and after & last:
                rank = BEST_RANK if count == hint else popcount(taken) + 2
                left = ~(taken | jumped)
                count = _add(own | after, other & left, kings & left | after, side, rank, count, place)
            else:
                count = _jumps(after, own, other, taken | jumped, kings, is_king, side, hint, count, place)
    if is_over and taken:
        rank = BEST_RANK if count == hint else popcount(taken)
        crowned = piece if is_king else 0
        count = _add(own | piece, other & ~taken, kings & ~taken | crowned, side, rank, count, place)
    return count


@kernel("int64(int64, int64, int64, int64, int64)")
def generate(one: int, two: int, hint: int, ply: int, memory: int) -> int:
    """List the positions after every turn, best first; return their number. hint: the best one's number."""
    own = one & FIELD
    other = two & FIELD
    kings = kings_of(one, two)
    side = side_of(two)
    place = list_at(ply, memory)
    count = 0
    left = jumpers(own, other, kings, side)
    if left:
        while left:
            piece = left & -left
            left ^= piece
            count = _jumps(
                piece,
                own ^ piece,
                other,
                0,
                kings & ~piece,
                int(kings & piece != 0),
                side,
                hint,
                count,
                place,
            )
        return count
    free = BOARD & ~(own | other)
    last = FIRST_ROW if side else LAST_ROW
    for way in range(4):
        targets = shifted(own if way >> 1 == side else own & kings, way) & free
        while targets:
            to = targets & -targets
            targets ^= to
            piece = shifted(to, way ^ 2)
            after = kings ^ piece ^ to if kings & piece else kings | (to & last)
            rank = min(load(memory, HISTORY + side * SIDE_SQUARES + lowest_index(to)) >> 2, BEST_RANK - 1)
            rank = BEST_RANK if count == hint else rank
            count = _add(own ^ piece ^ to, other, after, side, rank, count, place)
    return count


@kernel("int64(int64, int64, int64, int64, int64)")
def count_lines(one: int, two: int, depth: int, ply: int, memory: int) -> int:
    """Return the number of lines of `depth` >= 1 turns."""
    count = generate(one, two, NONE, ply, memory)
    if depth == 1:
        return count
    place = list_at(ply, memory)
    lines = 0
    for index in range(count):
        lines += count_lines(
            load(place, 2 * index), load(place, 2 * index + 1) & KEY, depth - 1, ply + 1, memory
        )
    return lines
