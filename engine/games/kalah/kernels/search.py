"""The search of Kalah for the seeds that are still to be stored; see `engine.kernels.game_search`.

A state is (own, theirs): the pits of the side to move and of the other, each in the order of sowing,
PIT_BITS a pit, and above them the number of pits of a side. Its value, the difference between the seeds that
both sides will store from now on, does not depend on the stores. It lies between less and plus all seeds in
play, which cuts off many lines (Irving, Donkers and Uiterwijk, "Solving Kalah", 2000, section 4).
"""

from __future__ import annotations

from engine.kernels.game_search import AGAIN, GAIN, QUIET, add_move, game_search_kernel
from engine.kernels.intrinsics import shift_right
from engine.kernels.jit import inlined

PIT_BITS = 7
SIDE_BITS = 48
_PIT, _SIDE = (1 << PIT_BITS) - 1, (1 << SIDE_BITS) - 1
_AGAIN_RANK = 128
"""Above the rank of any number of seeds."""


@inlined
def _total(side: int) -> int:
    """Return the seeds in all pits of a side."""
    total = 0
    while side:
        total += side & _PIT
        side = shift_right(side, PIT_BITS)
    return total


@inlined
def _after(own: int, theirs: int, pit: int, pits: int) -> tuple[int, int, int, bool]:
    """Return the own pits, the other side's, the seeds stored, and whether the same side moves again."""
    seeds = shift_right(own, PIT_BITS * pit) & _PIT
    own -= seeds << PIT_BITS * pit
    gained = 0
    place = pit
    while seeds > 0:
        seeds -= 1
        place = 0 if place == 2 * pits else place + 1
        if place < pits:
            own += 1 << PIT_BITS * place
        elif place == pits:
            gained += 1
        else:
            theirs += 1 << PIT_BITS * (place - pits - 1)
    if place < pits and shift_right(own, PIT_BITS * place) & _PIT == 1:
        across = PIT_BITS * (pits - 1 - place)
        taken = shift_right(theirs, across) & _PIT
        own -= 1 << PIT_BITS * place
        theirs -= taken << across
        gained += 1 + taken
    return own, theirs, gained, place == pits


@inlined
def _known(own: int, theirs: int, ply: int, memory: int) -> tuple[bool, int, int]:  # noqa: ARG001
    mine = _total(own & _SIDE)
    others = _total(theirs & _SIDE)
    return mine == 0 or others == 0, mine - others, mine + others


@inlined
def _is_calm(own: int, theirs: int, memory: int) -> bool:  # noqa: ARG001
    return True


@inlined
def _estimate(own: int, theirs: int, memory: int) -> int:  # noqa: ARG001
    """A quarter of the difference of the seeds on both sides."""
    return (_total(own & _SIDE) - _total(theirs & _SIDE)) // 4


@inlined
def _list_moves(own: int, theirs: int, hint: int, ply: int, memory: int) -> int:
    """List the moves: those that move again first, then those that gain most, from the last pit on."""
    pits = own >> SIDE_BITS
    size = pits << SIDE_BITS
    count = 0
    for number in range(pits):
        pit = pits - 1 - number
        if shift_right(own, PIT_BITS * pit) & _PIT == 0:
            continue
        mine, others, gained, again = _after(own & _SIDE, theirs & _SIDE, pit, pits)
        mine |= size
        others |= size
        about = pit | gained << GAIN
        if again:
            count = add_move(mine, others, about | AGAIN, gained + _AGAIN_RANK, hint, count, ply, memory)
        else:
            about |= QUIET if gained < 2 else 0
            count = add_move(others, mine, about, gained, hint, count, ply, memory)
    return count


search = game_search_kernel(
    "kalah", known=_known, is_calm=_is_calm, estimate=_estimate, list_moves=_list_moves
)
