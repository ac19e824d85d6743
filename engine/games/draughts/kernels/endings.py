"""Retrograde analysis of the endings of up to four pieces.

The table has one byte per ending: 0 for a draw, else 1 + the plies until the end, which are odd if the side
to move wins. Endings are turned so that the side to move moves down, and sorted by the numbers of pieces of
both sides, then by the places of its pieces, of the others, and by the kings among them.
"""

from __future__ import annotations

from engine.games.draughts.kernels.moves import (
    BOARD,
    FIELD,
    FIRST_ROW,
    LAST_ROW,
    first_word,
    generate,
    jumpers,
    kings_of,
    second_word,
    shifted,
    side_of,
)
from engine.kernels.game_search import NONE, list_at
from engine.kernels.intrinsics import load, lowest_index, popcount, shift_right
from engine.kernels.jit import Bytes, inlined, kernel

MOST_PIECES = 4
ENDINGS = 9_273_344
_SUBSETS = (1, 32, 496, 4960)
"""The number of subsets of the squares with 0 to 3 elements."""
_STARTS = (0, 0, 0, 0, 0, 0, 4_096, 4_194_304, 0, 131_072, 258_048, 0, 0, 6_733_824)
"""The first ending with n own and m other pieces, at 4 * n + m."""


@inlined
def _turned(bits: int) -> int:
    """Turn a board with few pieces upside down."""
    found = 0
    while bits:
        found |= 1 << 34 - lowest_index(bits)
        bits &= bits - 1
    return found


@inlined
def _subset(bits: int) -> int:
    """Return the rank of at most three squares among the subsets of their size."""
    found = 0
    size = 0
    while bits:
        square = lowest_index(bits) - lowest_index(bits) // 9
        size += 1
        if size == 1:
            found += square
        elif size == 2:
            found += square * (square - 1) // 2
        else:
            found += square * (square - 1) * (square - 2) // 6
        bits &= bits - 1
    return found


@kernel("int64(int64, int64)")
def ending_of(one: int, two: int) -> int:
    """Return the number of the ending, which has up to four pieces, at least one of each side."""
    own = one & FIELD
    other = two & FIELD
    kings = kings_of(one, two)
    if side_of(two):
        own = _turned(own)
        other = _turned(other)
        kings = _turned(kings)
    mine = popcount(own)
    theirs = popcount(other)
    found = (_subset(own) * _SUBSETS[theirs] + _subset(other)) << mine + theirs
    place = 0
    for pieces in (own, other):
        while pieces:
            found += (kings & pieces & -pieces != 0) << place
            pieces &= pieces - 1
            place += 1
    return _STARTS[4 * mine + theirs] + found


@inlined
def _next_subset(squares: int) -> int:
    """Return the next larger number with as many bits."""
    low = squares & -squares
    carried = squares + low
    return carried | (squares ^ carried) // low >> 2


@inlined
def _spread(squares: int) -> int:
    """Convert bits of squares to those of the rules."""
    return squares & 0xFF | (squares & 0xFF00) << 1 | (squares & 0xFF0000) << 2 | (squares & 0xFF000000) << 3


@kernel("int64(int8[::1], int64, int64)")
def _known(table: Bytes, one: int, two: int) -> int:
    return 1 if one & FIELD == 0 else table[ending_of(one, two)]


@kernel("int64(int8[::1], int64, int64, int64)")
def _first_value(table: Bytes, one: int, two: int, memory: int) -> int:
    """Return the byte of an ending that is over, or that leads to fewer pieces; else 0."""
    count = generate(one, two, NONE, 0, memory)
    if count == 0:
        return 1
    if jumpers(one & FIELD, two & FIELD, kings_of(one, two), side_of(two)) == 0:
        return 0
    place = list_at(0, memory)
    won = 0
    lost = 0
    for index in range(count):
        value = _known(table, load(place, 3 * index), load(place, 3 * index + 1))
        if value & 1:
            won = value + 1 if won == 0 else min(won, value + 1)
        elif value == 0:
            lost = -1
        elif lost >= 0:
            lost = max(lost, value + 1)
    return won if won else max(lost, 0)


@kernel("boolean(int8[::1], int64, int64, int64, int64)")
def _is_lost(table: Bytes, one: int, two: int, most: int, memory: int) -> bool:
    """Whether every turn lets the other side win within the byte `most`."""
    count = generate(one, two, NONE, 0, memory)
    place = list_at(0, memory)
    for index in range(count):
        value = _known(table, load(place, 3 * index), load(place, 3 * index + 1))
        if value == 0 or value & 1 or value > most:
            return False
    return True


@kernel("int64(int8[::1], int64, int64, int64, int64, int64)")
def _tell_previous(table: Bytes, own: int, other: int, kings: int, value: int, memory: int) -> int:
    """Value the endings from which a step of the other side leads here; return their greatest byte, or 0."""
    free = BOARD & ~(own | other)
    found = 0
    for way in range(4):
        # A man of the other side moves up, so it came from below, and a new king as well.
        movers = other if way < 2 else other & kings
        sources = shifted(movers, way) & free
        while sources:
            source = sources & -sources
            sources ^= source
            piece = shifted(source, way ^ 2)
            was_king = int(kings & piece != 0)
            for as_king in range(2):
                if as_king > was_king or (
                    as_king == 0 and (way >= 2 or (was_king and not piece & FIRST_ROW))
                ):
                    continue
                before = kings & ~piece | (source if as_king else 0)
                mine = other ^ piece ^ source
                if jumpers(mine, own, before, 1):
                    continue
                one = first_word(mine, before)
                two = second_word(own, before, 1)
                at = ending_of(one, two)
                if table[at] == 0 and (value & 1 or _is_lost(table, one, two, value, memory)):
                    table[at] = value + 1
                    found = value + 1
    return found


@kernel("int64(int8[::1], int64, int64, int64)")
def fill(table: Bytes, pieces: int, value: int, memory: int) -> int:
    """Work on all endings of that number of pieces; return the greatest byte written.

    value: 0 to value those that are over or lead to fewer pieces; else the byte of the endings whose
    predecessors are valued.
    """
    top = 0
    for mine in range(1, pieces):
        theirs = pieces - mine
        at = _STARTS[4 * mine + theirs]
        squares = (1 << mine) - 1
        for _ in range(_SUBSETS[mine]):
            own = _spread(squares)
            squares = _next_subset(squares)
            others = (1 << theirs) - 1
            for _ in range(_SUBSETS[theirs]):
                other = _spread(others)
                others = _next_subset(others)
                # `at` counts all combinations in the order of `ending_of`, impossible ones included: two
                # pieces on a square here, a man on its last row below.
                for crowns in range(1 << pieces):
                    if table[at] == value and not own & other:
                        kings = 0
                        place = 0
                        for side in (own, other):
                            while side:
                                kings |= side & -side if crowns >> place & 1 else 0
                                side &= side - 1
                                place += 1
                        if value:
                            top = max(top, _tell_previous(table, own, other, kings, value, memory))
                        elif not (own & LAST_ROW | other & FIRST_ROW) & ~kings:
                            table[at] = _first_value(
                                table, first_word(own, kings), second_word(other, kings, 0), memory
                            )
                            top = max(top, table[at])
                    at += 1
    return top


@inlined
def value_of_ending(table: int, one: int, two: int) -> int:
    """Return the byte of the ending; table: the address."""
    at = ending_of(one, two)
    return shift_right(load(table, at >> 3), 8 * (at & 7)) & 255
