"""The search of Dots and Boxes for the boxes that are still open; see `engine.kernels.game_search`.

A state is the drawn lines as bits, and a word that tells boards of different sizes apart; its value is the
difference between the boxes that both sides will close from now on, for the side to move, whoever owns the
closed ones. The RULES of the context are the addresses of two arrays and the numbers of boxes and of lines:
`around` has the four lines of each box as bits, `beside` two numbers for each line: the boxes next to it, -1
for none.

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
"""

from __future__ import annotations

from engine.kernels.control import Rules, rules_of
from engine.kernels.game_search import AGAIN, FREE, GAIN, QUIET, add_move, game_search_kernel
from engine.kernels.intrinsics import load, lowest_index, popcount
from engine.kernels.jit import inlined, kernel

_CHAIN, _SHARED, _CLOSED = 0, 1, 2
"""The ranks of what can be left: an open chain, one that ends at the same box as another, a closed chain. The
highest is taken first."""
_AROUND, _BESIDE, _BOXES, _LINES = range(4)
"""The places of the rules."""


@inlined
def _missing(drawn: int, box: int, rules: Rules) -> int:
    """Return the lines around the box that are not drawn; none for no box (-1)."""
    return 0 if box < 0 else load(rules[_AROUND], box) & ~drawn


@inlined
def _across(line: int, box: int, rules: Rules) -> int:
    """Return the box on the other side of the line, or -1."""
    return load(rules[_BESIDE], 2 * line + int(load(rules[_BESIDE], 2 * line) == box))


@inlined
def _closes(drawn: int, line: int, rules: Rules) -> int:
    """Return how many boxes the line closes."""
    bit = 1 << line
    return int(_missing(drawn, load(rules[_BESIDE], 2 * line), rules) == bit) + int(
        _missing(drawn, load(rules[_BESIDE], 2 * line + 1), rules) == bit
    )


@inlined
def _is_safe(drawn: int, line: int, rules: Rules) -> bool:
    """Whether the other side can close no box after the line is drawn, if it could close none before."""
    one = _missing(drawn, load(rules[_BESIDE], 2 * line), rules)
    other = _missing(drawn, load(rules[_BESIDE], 2 * line + 1), rules)
    return popcount(one) != 2 and popcount(other) != 2


@inlined
def _captures(drawn: int, rules: Rules) -> tuple[int, int]:
    """Return the line to draw while a box can be closed, and the line that leaves it; -1 for none.

    If there is only the first one, it is best; else one of the two is: see the module's three rules.
    """
    take, leave, rank = -1, -1, -1
    structures = 0
    ends = 0
    for box in range(rules[_BOXES]):
        open_lines = _missing(drawn, box, rules)
        if popcount(open_lines) != 1:
            continue
        line = lowest_index(open_lines)
        second = _across(line, box, rules)
        rest = _missing(drawn, second, rules) & ~open_lines
        if popcount(rest) != 1:
            return line, -1  # rule 1: a single box, or two that this line closes
        behind = lowest_index(rest)
        third = _across(behind, second, rules)
        further = _missing(drawn, third, rules) & ~rest
        own_rank = _CHAIN
        if third >= 0 and popcount(further) < 2:
            if further == 0:
                return line, -1  # rule 1: a closed chain of three
            fourth = _across(lowest_index(further), third, rules)
            if _missing(drawn, fourth, rules) != further:
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
def _choices(drawn: int, rules: Rules) -> int:
    """Return the lines worth drawing when no box can be closed: one for each chain, and all others."""
    lines = ((1 << rules[_LINES]) - 1) & ~drawn
    seen = 0
    for start in range(rules[_BOXES]):
        if seen >> start & 1 or popcount(_missing(drawn, start, rules)) != 2:
            continue
        seen |= 1 << start
        length = 1
        chosen = -1
        both = _missing(drawn, start, rules)
        for end in range(2):
            line = lowest_index(both) if end == 0 else lowest_index(both & (both - 1))
            box = start
            while True:
                following = _across(line, box, rules)
                if following >= 0 and popcount(_missing(drawn, following, rules)) != 2:
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
                line = lowest_index(_missing(drawn, following, rules) & ~(1 << line))
                box = following
        if chosen >= 0:
            lines |= 1 << chosen
    return lines


@inlined
def _plain_ending(drawn: int, rules: Rules) -> int:
    """Return the lead of a plain ending: safe lines in order, then the shortest chain each time."""
    value = 0
    sign = 1
    full = (1 << rules[_LINES]) - 1
    while drawn != full:
        line, _ = _captures(drawn, rules)
        if line >= 0:
            value += sign * _closes(drawn, line, rules)
            drawn |= 1 << line
            continue
        best = -1
        shortest = 1 << 20
        choices = _choices(drawn, rules)
        while choices:
            line = lowest_index(choices)
            choices &= choices - 1
            if _is_safe(drawn, line, rules):
                best = line
                break
            given = drawn | 1 << line
            length = 0
            while True:
                taken, _ = _captures(given, rules)
                if taken < 0:
                    break
                length += _closes(given, taken, rules)
                given |= 1 << taken
            if length < shortest:
                best = line
                shortest = length
        drawn |= 1 << best
        sign = -sign
    return value


@kernel("UniTuple(int64, 2)(int64, int64)")
def captures(drawn: int, memory: int) -> tuple[int, int]:
    """Return what `_captures` does, for Python."""
    return _captures(drawn, rules_of(memory))


@inlined
def _known(drawn: int, board: int, ply: int, memory: int) -> tuple[bool, int, int]:  # noqa: ARG001
    rules = rules_of(memory)
    open_boxes = 0
    for box in range(rules[_BOXES]):
        open_boxes += int(_missing(drawn, box, rules) != 0)
    return open_boxes == 0, 0, open_boxes


@inlined
def _is_calm(drawn: int, board: int, memory: int) -> bool:  # noqa: ARG001
    """Whether there is anything to choose: forced captures are not."""
    take, leave = _captures(drawn, rules_of(memory))
    return take < 0 or leave >= 0


@inlined
def _estimate(drawn: int, board: int, memory: int) -> int:  # noqa: ARG001
    return _plain_ending(drawn, rules_of(memory))


@inlined
def _list_moves(drawn: int, board: int, hint: int, ply: int, memory: int) -> int:
    rules = rules_of(memory)
    take, leave = _captures(drawn, rules)
    left = _choices(drawn, rules) if take < 0 else 1 << take | (0 if leave < 0 else 1 << leave)
    count = 0
    while left:
        line = lowest_index(left)
        left &= left - 1
        gained = _closes(drawn, line, rules)
        is_safe = take < 0 and _is_safe(drawn, line, rules)
        about = line | gained << GAIN | (AGAIN | FREE if gained else 0) | (QUIET if take < 0 else 0)
        rank = 1 if is_safe or line == take else 0
        count = add_move(drawn | 1 << line, board, about, rank, hint, count, ply, memory)
    return count


search = game_search_kernel(
    "dots_and_boxes", known=_known, is_calm=_is_calm, estimate=_estimate, list_moves=_list_moves
)
