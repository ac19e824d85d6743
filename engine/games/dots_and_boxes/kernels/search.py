"""The search of Dots and Boxes: alpha-beta with a transposition table for the boxes that are still open.

A state is the drawn lines as bits; its value is the difference between the boxes that both sides will close
from now on, for the side to move, whoever owns the closed ones. `around` has the four lines of each box as
bits, `beside` two numbers for each line: the boxes next to it, -1 for none.

Joseph Barker and Richard Korf, "Solving Dots-And-Boxes" (AAAI 2012), describe the rules of chains used here:
a box that can be closed is closed at once, except for the last two of a chain with an open end and the last
four of a closed one, which may be left by drawing the line behind them; and all lines of a chain are alike.

The table is that of `engine.kernels.transposition`. An entry of depth EXACT contains no estimate.
"""

from __future__ import annotations

from engine.kernels.control import COUNTERS, CUT, INFINITY, has_stopped, must_stop
from engine.kernels.intrinsics import load, lowest_index, popcount, store
from engine.kernels.jit import Words, inlined, kernel
from engine.kernels.transposition import LOWER, UPPER, bucket_of, place_of, remember

EXACT = 1000
"""The depth of proved values in the table; larger than that of any search."""
_KNOWN, _SAFE = 1 << 30, 1 << 20
_ARRAYS = "int64[::1], int64[::1]"


@inlined
def _missing(drawn: int, box: int, around: Words) -> int:
    """Return the lines around the box that are not drawn; none for no box (-1)."""
    return 0 if box < 0 else int(around[box]) & ~drawn


@inlined
def _across(line: int, box: int, beside: Words) -> int:
    """Return the box on the other side of the line, or -1."""
    return int(beside[2 * line + 1] if beside[2 * line] == box else beside[2 * line])


@inlined
def _closes(drawn: int, line: int, around: Words, beside: Words) -> int:
    """Return how many boxes the line closes."""
    bit = 1 << line
    return int(_missing(drawn, beside[2 * line], around) == bit) + int(
        _missing(drawn, beside[2 * line + 1], around) == bit
    )


@inlined
def _is_safe(drawn: int, line: int, around: Words, beside: Words) -> bool:
    """Whether the other side can close no box after the line is drawn, if it could close none before."""
    one = _missing(drawn, beside[2 * line], around)
    other = _missing(drawn, beside[2 * line + 1], around)
    return popcount(one) != 2 and popcount(other) != 2


@inlined
def _captures(drawn: int, around: Words, beside: Words) -> tuple[int, int]:
    """Return the line to draw while a box can be closed, and the line that leaves it; -1 for none.

    If there is only the first one, it is best.
    """
    take = -1
    leave = -1
    is_long = False
    for box in range(len(around)):
        open_lines = _missing(drawn, box, around)
        if popcount(open_lines) != 1:
            continue
        line = lowest_index(open_lines)
        second = _across(line, box, beside)
        rest = _missing(drawn, second, around) & ~open_lines
        if popcount(rest) != 1:
            return line, -1  # a single box, or two that this line closes
        behind = lowest_index(rest)
        third = _across(behind, second, beside)
        further = _missing(drawn, third, around) & ~rest
        is_closed_chain = False
        if third >= 0 and popcount(further) < 2:
            if further == 0:
                return line, -1  # three boxes in a row, open at both ends
            fourth = _across(lowest_index(further), third, beside)
            if _missing(drawn, fourth, around) != further:
                return line, -1  # more boxes follow
            is_closed_chain = True
        if take >= 0 and (is_closed_chain or not is_long) and (lowest_index(rest) != leave):
            return line, -1  # another chain remains to be left
        if take < 0 or is_long:
            if take >= 0:
                return take, -1
            take = line
            leave = behind
            is_long = is_closed_chain
    return take, leave


@inlined
def _choices(drawn: int, around: Words, beside: Words) -> int:
    """Return the lines worth drawing when no box can be closed: one for each chain, and all others."""
    lines = ((1 << len(beside) // 2) - 1) & ~drawn
    seen = 0
    for start in range(len(around)):
        if seen >> start & 1 or popcount(_missing(drawn, start, around)) != 2:
            continue
        seen |= 1 << start
        length = 1
        chosen = -1
        both = _missing(drawn, start, around)
        for end in range(2):
            line = lowest_index(both) if end == 0 else lowest_index(both & (both - 1))
            box = start
            while True:
                following = _across(line, box, beside)
                if following >= 0 and popcount(_missing(drawn, following, around)) != 2:
                    break  # the line also belongs to a box that is in no chain
                lines &= ~(1 << line)
                if following < 0:
                    if chosen < 0:
                        chosen = line
                    break
                if length == 1:
                    chosen = line
                if seen >> following & 1:
                    break
                seen |= 1 << following
                length += 1
                line = lowest_index(_missing(drawn, following, around) & ~(1 << line))
                box = following
        if chosen >= 0:
            lines |= 1 << chosen
    return lines


@inlined
def _estimate(drawn: int, around: Words, beside: Words) -> int:
    """Return the boxes of a plain ending: safe lines in order, then the shortest chain each time."""
    value = 0
    sign = 1
    full = (1 << len(beside) // 2) - 1
    while drawn != full:
        line, _ = _captures(drawn, around, beside)
        if line >= 0:
            value += sign * _closes(drawn, line, around, beside)
            drawn |= 1 << line
            continue
        best = -1
        shortest = 1 << 20
        choices = _choices(drawn, around, beside)
        while choices:
            line = lowest_index(choices)
            choices &= choices - 1
            if _is_safe(drawn, line, around, beside):
                best = line
                break
            given = drawn | 1 << line
            length = 0
            while True:
                taken, _ = _captures(given, around, beside)
                if taken < 0:
                    break
                length += _closes(given, taken, around, beside)
                given |= 1 << taken
            if length < shortest:
                best = line
                shortest = length
        drawn |= 1 << best
        sign = -sign
    return value


@kernel(f"UniTuple(int64, 2)(int64, {_ARRAYS})")
def captures(drawn: int, around: Words, beside: Words) -> tuple[int, int]:
    """Return what `_captures` does, for Python."""
    return _captures(drawn, around, beside)


@kernel(f"int64(int64, {_ARRAYS}, int64, int64, int64, int64)")
def search(drawn: int, around: Words, beside: Words, depth: int, alpha: int, beta: int, memory: int) -> int:
    """Return the value for the side to move, `depth` plies deep, without counting forced captures."""
    if must_stop(memory):
        return 0
    counters = load(memory, COUNTERS)
    open_boxes = 0
    for box in range(len(around)):
        open_boxes += int(around[box] & ~drawn != 0)
    if alpha >= open_boxes:
        return open_boxes
    if beta <= -open_boxes or open_boxes == 0:
        return -open_boxes
    take, leave = _captures(drawn, around, beside)
    if take >= 0 and leave < 0:
        gained = _closes(drawn, take, around, beside)
        return gained + search(
            drawn | 1 << take, around, beside, depth, alpha - gained, beta - gained, memory
        )
    if depth <= 0:
        store(counters, CUT, load(counters, CUT) + 1)
        return _estimate(drawn, around, beside)
    bucket = bucket_of(drawn, len(beside), memory)
    place = place_of(drawn, len(beside), bucket, memory)
    known = -1
    if place >= 0:
        packed = load(memory, place + 3)
        known = (packed >> 2 & 0xFF) - 1
        if packed >> 10 == depth or packed >> 10 == EXACT:
            value = load(memory, place + 2)
            kind = packed & 3
            if kind == 0 or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha):
                if packed >> 10 != EXACT:
                    store(counters, CUT, load(counters, CUT) + 1)
                return value
    cut_before = load(counters, CUT)
    best = -INFINITY
    best_line = -1
    floor = alpha
    left = (1 << take | 1 << leave) if take >= 0 else _choices(drawn, around, beside)
    while left:
        chosen = -1
        chosen_rank = -1
        rest = left
        while rest:
            line = lowest_index(rest)
            rest &= rest - 1
            is_safe = take < 0 and _is_safe(drawn, line, around, beside)
            rank = (_KNOWN if line == known else 0) + (_SAFE if is_safe else 0) + int(line == take)
            if rank > chosen_rank:
                chosen = line
                chosen_rank = rank
        left &= ~(1 << chosen)
        gained = _closes(drawn, chosen, around, beside)
        after = drawn | 1 << chosen
        if gained:
            value = gained + search(after, around, beside, depth, floor - gained, beta - gained, memory)
        else:
            value = -search(after, around, beside, depth - 1, -beta, -floor, memory)
        if has_stopped(memory):
            return 0
        if value > best:
            best = value
            best_line = chosen
            floor = max(floor, value)
            if best >= beta:
                break
    if load(counters, CUT) == cut_before:
        depth = EXACT
    kind = UPPER if best <= alpha else LOWER if best >= beta else 0
    remember(drawn, len(beside), depth, best, kind, best_line, bucket, memory)
    return best
