"""The search of Dots and Boxes: alpha-beta with a transposition table for the boxes that are still open.

A state is the drawn lines as bits; its value is the difference between the boxes that both sides will close
from now on, for the side to move, whoever owns the closed ones. `around` has the four lines of each box as
bits, `beside` two numbers for each line: the boxes next to it, -1 for none.

Joseph Barker and Richard Korf, "Solving Dots-And-Boxes" (AAAI 2012), describe the rules of chains used here;
Berlekamp, Conway and Guy, "Winning Ways", chapter 16, the positions as strings and coins. A box is an end if
it lacks one line. From an end follow the boxes that lack two. Behind them is the edge of the board or a box
that lacks more, and the chain is open; or another end, and it is closed.

Which lines are tried while a box can be closed, and why these suffice:

1. An end of any other chain than an open one of two boxes or a closed one of four is taken at once. A quiet
   line instead lets the other side take it: the same position, two boxes worse. A capture instead changes
   places with this one. If it turns the end into one of the exceptions, it is a neighbour at the same box or
   the other end of a closed five, and both captures lead to the same position but for its reflection. Cutting
   behind the first two boxes gives away what may be given later, after the boxes in front were taken.
2. If there is nothing but one such exception, it is taken or left, by the line that cuts it into pairs. Other
   lines are worse as in 1.
3. If there are several, one is taken. Let N boxes be closed in a row before a side has to draw another line,
   and v be the value after them. Taking all is worth N + v, and leaving the last k is worth N - 2 k - v, so
   leaving any earlier is worse, and the last one should be cheap: an open chain (k = 2), not a closed one
   (k = 4). A chain stays open while its boxes are joined to the edge, to a loop or to lines that no capture
   reaches. Boxes that are joined to none of them are a tree whose tips all are such chains; the last four of
   a tree are a closed chain. So closed chains are taken first, then chains that end at the same box as
   another, and then the others: a tree with three tips or more has two at the same box.

If no box can be closed, one line of each chain is tried. In three boxes or more, and in loops, all lines lead
to the same N, v and k. In two, the middle line leaves the other side no choice, and in one both lines are
alike.

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
_CHAIN, _SHARED, _CLOSED = 0, 1, 2
"""The ranks of what can be left: an open chain, one that ends at the same box as another, a closed chain. The
highest is taken first."""
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

    If there is only the first one, it is best; else one of the two is: see the module's three rules.
    """
    take, leave, rank = -1, -1, -1
    structures = 0
    ends = 0
    for box in range(len(around)):
        open_lines = _missing(drawn, box, around)
        if popcount(open_lines) != 1:
            continue
        line = lowest_index(open_lines)
        second = _across(line, box, beside)
        rest = _missing(drawn, second, around) & ~open_lines
        if popcount(rest) != 1:
            return line, -1  # rule 1: a single box, or two that this line closes
        behind = lowest_index(rest)
        third = _across(behind, second, beside)
        further = _missing(drawn, third, around) & ~rest
        own_rank = _CHAIN
        if third >= 0 and popcount(further) < 2:
            if further == 0:
                return line, -1  # rule 1: a closed chain of three
            fourth = _across(lowest_index(further), third, beside)
            if _missing(drawn, fourth, around) != further:
                return line, -1  # rule 1: more boxes follow
            if behind == leave:
                continue  # the other end of the same closed chain
            own_rank = _CLOSED
        elif third >= 0:
            if ends >> third & 1:
                own_rank = _SHARED
            ends |= 1 << third
        structures += 1
        if own_rank > rank:
            take, leave, rank = line, behind, own_rank
    return take, leave if structures == 1 else -1


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
    board = int(around[len(around) - 1])  # the last box has other lines on every size of board
    bucket = bucket_of(drawn, board, memory)
    place = place_of(drawn, board, bucket, memory)
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
    remember(drawn, board, depth, best, kind, best_line, bucket, memory)
    return best
