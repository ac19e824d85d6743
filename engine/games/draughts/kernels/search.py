"""The search of draughts: exact endings, jumps searched to their end; see `engine.kernels.game_search`.

The first of the RULES of the context is the address of the endings, or 0, the second that of the fitted
worths, or 0; see `tools.draughts_train`. Zeros on its path stand for the positions of the game that may occur
again.

Worths are int16, and those of the side that moves down. Each is two: on a full board, and on an empty one; in
between they are mixed.

    0    MAN       a man
    2    TEMPO     being to move
    4    KINGS     a king on each square
    68   TERNARY   no worths: for each of 256 numbers, its bits read to the base three
    324  PATTERNS  the men on each of nine overlapping squares of 4 x 4, from the upper left
"""

from __future__ import annotations

from engine.games.draughts.kernels.endings import MOST_PIECES, value_of_ending
from engine.games.draughts.kernels.moves import FIELD, generate, jumpers, kings_of, side_of
from engine.kernels.blundering import PLAIN, is_unseen
from engine.kernels.control import BLUNDER_RATES, RULES, SEED
from engine.kernels.game_search import game_search_kernel
from engine.kernels.heuristic_values import WIN
from engine.kernels.intrinsics import load, load_half, lowest_index, popcount
from engine.kernels.jit import inlined

ENDINGS, WORTHS = RULES, RULES + 1
MAN, TEMPO, KINGS, TERNARY, PATTERNS = 0, 2, 4, 68, 324
PATTERN_SIZE = 3**8
MOST_MEN = 24
QUIET_PLIES = 80
_CENTRE = 1 << 10 | 1 << 11 | 1 << 14 | 1 << 15 | 1 << 19 | 1 << 20 | 1 << 23 | 1 << 24
_GUARDS = (1 << 0 | 1 << 2, 1 << 32 | 1 << 34)
"""Squares 1 and 3, 30 and 32: two men there keep kings out."""
_HALVES = (FIELD & ~((1 << 18) - 1), (1 << 17) - 1)
SINGLE_JUMP, DOUBLE_JUMP = PLAIN // 2, 2 * PLAIN
"""How easily an inattentive player misses a jump; see `engine.kernels.blundering`."""


@inlined
def _worth(own: int, kings: int, side: int) -> int:
    men = own & ~kings
    crowned = own & kings
    value = 100 * popcount(men) + 140 * popcount(crowned)
    value += 3 * popcount(men & _CENTRE) + 5 * popcount(crowned & _CENTRE)
    value += 3 * popcount(men & _HALVES[side])
    if men & _GUARDS[side] == _GUARDS[side]:
        value += 12
    return value


@inlined
def _eight(bits: int) -> int:
    """Gather the squares of the lowest 4 x 4."""
    return bits & 3 | bits >> 2 & 12 | bits >> 5 & 48 | bits >> 7 & 192


@inlined
def _fitted(own: int, other: int, kings: int, side: int, worths: int) -> int:
    down = other if side else own
    up = own if side else other
    men = down & ~kings
    others = up & ~kings
    full = 0
    empty = 0
    at = PATTERNS
    for row in range(3):
        for column in range(3):
            here = 9 * row + column
            pattern = load_half(worths, TERNARY + _eight(men >> here))
            pattern += 2 * load_half(worths, TERNARY + _eight(others >> here))
            full += load_half(worths, at + 2 * pattern)
            empty += load_half(worths, at + 2 * pattern + 1)
            at += 2 * PATTERN_SIZE
    lead = popcount(men) - popcount(others)
    full += lead * load_half(worths, MAN)
    empty += lead * load_half(worths, MAN + 1)
    while kings:
        bit = lowest_index(kings)
        square = bit - bit // 9
        sign = 1 if down >> bit & 1 else -1
        place = KINGS + 2 * (square if sign > 0 else 31 - square)
        full += sign * load_half(worths, place)
        empty += sign * load_half(worths, place + 1)
        kings &= kings - 1
    if side:
        full = -full
        empty = -empty
    full += load_half(worths, TEMPO)
    empty += load_half(worths, TEMPO + 1)
    pieces = popcount(own | other)
    return (pieces * full + (MOST_MEN - pieces) * empty) // MOST_MEN


@inlined
def _estimate(one: int, two: int, memory: int) -> int:
    """Return the estimate for the side to move; the side ahead likes exchanges."""
    own = one & FIELD
    other = two & FIELD
    kings = kings_of(one, two)
    side = side_of(two)
    worths = load(memory, WORTHS)
    if worths:
        return _fitted(own, other, kings, side, worths)
    lead = _worth(own, kings, side) - _worth(other, kings, 1 - side)
    return lead + lead // (popcount(own | other) + 2) + 3


@inlined
def _known(one: int, two: int, ply: int, memory: int) -> tuple[bool, int, int]:
    own = one & FIELD
    endings = load(memory, ENDINGS)
    if own == 0:
        return True, ply - WIN, 0
    if endings and popcount(own | two & FIELD) <= MOST_PIECES:
        byte = value_of_ending(endings, one, two)
        # The byte is 1 + the plies until the end; an even number of plies means that this side loses.
        value = 0 if byte == 0 else ply + byte - 1 - WIN if byte & 1 else WIN - ply - byte + 1
        return True, value, 0
    return False, 0, WIN - ply


@inlined
def _is_calm(one: int, two: int, memory: int) -> bool:  # noqa: ARG001
    return jumpers(one & FIELD, two & FIELD, kings_of(one, two), side_of(two)) == 0


@inlined
def _is_missed(one: int, two: int, child: int, after: int, about: int, ply: int, memory: int) -> bool:  # noqa: ARG001
    rates = load(memory, BLUNDER_RATES)
    if rates == 0:
        return False
    own = one & FIELD
    taken = popcount(two & FIELD) - popcount(child & FIELD)
    subtlety = PLAIN if taken == 0 else SINGLE_JUMP if taken == 1 else DOUBLE_JUMP
    to = after & FIELD & ~own
    moved = to if to else own & -own
    return is_unseen(one, two, moved, load(rates, ply), subtlety, load(memory, SEED))


search = game_search_kernel(
    "draughts",
    known=_known,
    is_calm=_is_calm,
    estimate=_estimate,
    list_moves=generate,
    is_missed=_is_missed,
    longest_quiet=QUIET_PLIES,
)
