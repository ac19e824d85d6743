"""Positions of draughts in two words, and the positions after every turn.

Bits are those of the rules. Word one: the pieces of the side to move in bits 0 to 34, and above them the
kings of the first 29 bits. Word two: the other side's pieces, the remaining kings in bits 35 to 40, the side
to move in bit 41. Lists are those of `engine.kernels.game_search`. The code of a step: 4 * the bit it leads
to + its way; that of a jump: JUMPS + its number in order of generation.
"""

from __future__ import annotations

from engine.kernels.game_search import FREE, QUIET, RETURNS, add_move, list_at
from engine.kernels.intrinsics import load, lowest_index, popcount, shift_right, store
from engine.kernels.jit import inlined, kernel

FIELD = (1 << 35) - 1
BOARD = FIELD & ~(1 << 8 | 1 << 17 | 1 << 26)
FIRST_ROW, LAST_ROW = 0xF, 0xF << 31
MOST_TURNS = 64
JUMPS = 160


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
def _add_jump(
    own: int, other: int, kings: int, side: int, taken: int, hint: int, count: int, ply: int, memory: int
) -> int:
    """List the position after a jump that takes so many pieces, unless another way led there."""
    one = first_word(other, kings)
    two = second_word(own, kings, 1 - side)
    place = list_at(ply, memory)
    for known in range(count):
        if load(place, 3 * known) == one and load(place, 3 * known + 1) == two:
            return count
    if count == MOST_TURNS:
        return count
    return add_move(one, two, JUMPS + count, taken, hint, count, ply, memory)


@kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def _jumps(
    piece: int, own: int, other: int, taken: int, kings: int, is_king: int, side: int, hint: int, count: int,
    ply: int, memory: int,
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
                left = ~(taken | jumped)
                crowned = kings & left | after
                rank = popcount(taken) + 2
                count = _add_jump(own | after, other & left, crowned, side, rank, hint, count, ply, memory)
            else:
                count = _jumps(
                    after, own, other, taken | jumped, kings, is_king, side, hint, count, ply, memory
                )
    if is_over and taken:
        crowned = kings & ~taken | (piece if is_king else 0)
        rank = popcount(taken)
        count = _add_jump(own | piece, other & ~taken, crowned, side, rank, hint, count, ply, memory)
    return count


@kernel("int64(int64, int64, int64, int64, int64)")
def generate(one: int, two: int, hint: int, ply: int, memory: int) -> int:
    """List the positions after every turn, best first; return their number. hint: the best one's code."""
    own = one & FIELD
    other = two & FIELD
    kings = kings_of(one, two)
    side = side_of(two)
    count = 0
    left = jumpers(own, other, kings, side)
    while left:
        piece = left & -left
        left ^= piece
        is_king = int(kings & piece != 0)
        count = _jumps(piece, own ^ piece, other, 0, kings & ~piece, is_king, side, hint, count, ply, memory)
    if count == 0:
        free = BOARD & ~(own | other)
        last = FIRST_ROW if side else LAST_ROW
        for way in range(4):
            targets = shifted(own if way >> 1 == side else own & kings, way) & free
            while targets:
                to = targets & -targets
                targets ^= to
                piece = shifted(to, way ^ 2)
                is_king = int(kings & piece != 0)
                after = kings ^ piece ^ to if is_king else kings | (to & last)
                about = 4 * lowest_index(to) + way | QUIET | (RETURNS if is_king else 0)
                mine = second_word(own ^ piece ^ to, after, 1 - side)
                count = add_move(first_word(other, after), mine, about, 0, hint, count, ply, memory)
    if count == 1:  # a forced turn is free
        place = list_at(ply, memory)
        store(place, 2, load(place, 2) | FREE)
    return count


@kernel("int64(int64, int64, int64, int64, int64)")
def count_lines(one: int, two: int, depth: int, ply: int, memory: int) -> int:
    """Return the number of lines of `depth` >= 1 turns."""
    count = generate(one, two, -1, ply, memory)
    if depth == 1:
        return count
    place = list_at(ply, memory)
    lines = 0
    for index in range(count):
        lines += count_lines(load(place, 3 * index), load(place, 3 * index + 1), depth - 1, ply + 1, memory)
    return lines
