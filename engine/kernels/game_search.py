"""The search of every game that is not solved and has none of its own.

Principal variation search with a transposition table, killers, history and late-move reductions; see
Marsland, "A Review of Game-Tree Pruning" (ICCA Journal 9(1), 1986). A state is two int64 and belongs to the
side to move, as do all values. The memory is that of `transposition`; a game's constants are in the RULES of
its context.

A move list has three words an entry: the state after the move, and what is known about the move:

    0 .. 7    its code, by which the table, killers and history know it
    8 .. 15   the points that it gains at once
    16 .. 19  AGAIN: the same side moves on; FREE: it costs no depth; QUIET: no capture or the like;
              RETURNS: an earlier position may come again after it
    24 ..     its rank
"""

from __future__ import annotations

from collections.abc import Callable

from engine.kernels.control import (
    BEFORE,
    COUNTERS,
    CUT,
    INFINITY,
    PATH,
    REDUCES,
    begin_pv,
    has_stopped,
    must_stop,
    update_pv,
)
from engine.kernels.heuristic_values import DECIDED
from engine.kernels.intrinsics import load, store
from engine.kernels.jit import inlined, kernel
from engine.kernels.transposition import (
    CODES,
    DEPTH_BITS,
    EXACT_DEPTH,
    HISTORY,
    KILLERS,
    LIST_WORDS,
    LISTS,
    LONGEST,
    LOWER,
    UPPER,
    bucket_of,
    place_of,
    remember,
)

NONE = -1
GAIN, RANK = 8, 24
AGAIN, FREE, QUIET, RETURNS = 1 << 16, 1 << 17, 1 << 18, 1 << 19
_OWN_RANK = 18
KILLER_RANK, BEST_RANK = 1 << 17, 1 << 30 | 1 << 17
"""Of killers, among moves of one rank of the game's own, and of the table's move. History stays below."""
_MOST_HISTORY = 16
_FULL_MOVES, _FULL_DEPTH = 3, 3
"""The number of first moves that are never reduced, and the least depth at which others are."""

Kernel = Callable[[int, int, int, int, int, int, int, int], int]


@inlined
def list_at(ply: int, memory: int) -> int:
    """Return the address of the list of that ply."""
    return memory + 8 * (LISTS + ply * LIST_WORDS)


@inlined
def code_of(about: int) -> int:
    return about & (CODES - 1)


@inlined
def add_move(one: int, two: int, about: int, rank: int, hint: int, count: int, ply: int, memory: int) -> int:
    """Insert the state after a move into the ply's list, highest rank first; return the new number of moves.

    about: without rank. rank: the game's own, from 0; quiet moves of one rank follow killers and history.
    """
    code = code_of(about)
    rank <<= _OWN_RANK
    if code == hint:
        rank = BEST_RANK
    elif about & QUIET:
        killers = KILLERS + 2 * ply
        is_killer = load(memory, killers) == code + 1 or load(memory, killers + 1) == code + 1
        rank += KILLER_RANK if is_killer else load(memory, HISTORY + code)
    place = list_at(ply, memory)
    at = 3 * count
    while at > 0 and load(place, at - 1) >> RANK < rank:
        for word in range(3):
            store(place, at + word, load(place, at + word - 3))
        at -= 3
    store(place, at, one)
    store(place, at + 1, two)
    store(place, at + 2, about | rank << RANK)
    return count + 1


@inlined
def _learn(code: int, depth: int, ply: int, memory: int) -> None:
    """Remember that a quiet move refuted a line."""
    killers = KILLERS + 2 * ply
    if load(memory, killers) != code + 1:
        store(memory, killers + 1, load(memory, killers))
        store(memory, killers, code + 1)
    known = load(memory, HISTORY + code)
    bonus = min(depth * depth, 1 << 10)
    store(memory, HISTORY + code, known + bonus - (known * bonus >> _MOST_HISTORY))


@inlined
def never_missed(one: int, two: int, child: int, after: int, about: int, ply: int, memory: int) -> bool:  # noqa: ARG001
    return False


def game_search_kernel(
    game: str,
    *,
    known: Callable[[int, int, int, int], tuple[bool, int, int]],
    is_calm: Callable[[int, int, int], bool],
    estimate: Callable[[int, int, int], int],
    list_moves: Callable[[int, int, int, int, int], int],
    is_missed: Callable[[int, int, int, int, int, int, int], bool] = never_missed,
    longest_quiet: int = 0,
) -> Kernel:
    """Compile the search for one game.

    game: its name, for the cache of compiled code. The parts get the state, then `ply` from the root:

    - known(one, two, ply, memory): whether the value is known, the value, and a bound of every value
    - is_calm(one, two, memory): whether a state may be estimated; others are searched on at any depth
    - estimate(one, two, memory): the heuristic value of a calm state
    - list_moves(one, two, hint, ply, memory): list the moves with `add_move`, return their number; a side
      that has none has lost. hint: the code of the table's move, or NONE
    - is_missed(one, two, child, after, about, ply, memory): whether an inattentive player misses the move
    - longest_quiet: plies of moves that RETURN until a draw; 0 for a game in which no position comes again
    """
    can_repeat = longest_quiet > 0

    def search(
        one: int, two: int, depth: int, alpha: int, beta: int, ply: int, since: int, memory: int
    ) -> int:
        """Return the value of a state, fail-soft, searched `depth` plies beyond calm.

        since: the first position of the path that could occur again; one that does counts as a draw. CUT
        counts the estimates, those behind the table's values included: without any, the value is proved.
        """
        if must_stop(memory):
            return 0
        begin_pv(ply, memory)
        is_known, value, most = known(one, two, ply, memory)
        if is_known:
            return value
        if alpha >= most:
            return most
        if beta <= -most:
            return -most
        here = load(memory, BEFORE) + ply
        path = load(memory, PATH)
        if can_repeat:
            # Two steps of each side are the shortest way back to a position.
            for earlier in range(here - 4, since - 1, -2):
                if load(path, 2 * earlier) == one and load(path, 2 * earlier + 1) == two:
                    return 0
            store(path, 2 * here, one)
            store(path, 2 * here + 1, two)
        counters = load(memory, COUNTERS)
        if (depth <= 0 and is_calm(one, two, memory)) or ply >= LONGEST:
            store(counters, CUT, load(counters, CUT) + 1)
            return estimate(one, two, memory)
        is_selective = load(memory, REDUCES) != 0
        hint = NONE
        bucket = bucket_of(one, two, memory)
        place = place_of(one, two, bucket, memory)
        if place >= 0:
            about = load(memory, place + 3)
            hint = (about >> 2 & 255) - 1
            searched = about >> 10 & DEPTH_BITS
            # Without reductions, values are those of minimax at the same depth, or proved.
            if searched == max(depth, 0) or searched == EXACT_DEPTH or (searched > depth and is_selective):
                value = load(memory, place + 2)
                # The table counts a win's plies from the position, the search from the root.
                value -= ply if value > DECIDED else -ply if value < -DECIDED else 0
                kind = about & 3
                if kind == 0 or (kind == LOWER and value >= beta) or (kind == UPPER and value <= alpha):
                    if searched != EXACT_DEPTH:
                        store(counters, CUT, load(counters, CUT) + 1)
                    return value
        count = list_moves(one, two, hint, ply, memory)
        if count == 0:
            return -most
        if can_repeat and here - since >= longest_quiet:
            return 0
        list_place = list_at(ply, memory)
        cut_before = load(counters, CUT)
        reduces = is_selective and depth >= _FULL_DEPTH
        best = -INFINITY
        chosen = NONE
        floor = alpha
        for index in range(count):
            child = load(list_place, 3 * index)
            after = load(list_place, 3 * index + 1)
            about = load(list_place, 3 * index + 2)
            if is_missed(one, two, child, after, about, ply, memory):
                continue
            gain = about >> GAIN & 255
            below = depth if about & FREE else depth - 1
            start = since if about & RETURNS else here + 1
            # From the cheapest question to the dearest: reduced, at full depth, with the whole window.
            less = 0
            if reduces and index >= _FULL_MOVES and about & QUIET and not about >> RANK & KILLER_RANK:
                less = 1 + int(index >= 2 * _FULL_MOVES) + int(depth >= 3 * _FULL_DEPTH)
            is_whole = chosen == NONE
            while True:
                ceiling = beta if is_whole else floor + 1
                if about & AGAIN:
                    value = gain + search(
                        child, after, below - less, floor - gain, ceiling - gain, ply + 1, start, memory
                    )
                else:
                    value = gain - search(
                        child, after, below - less, gain - ceiling, gain - floor, ply + 1, start, memory
                    )
                if has_stopped(memory):
                    return 0
                if is_whole or value <= floor or (less == 0 and value >= beta):
                    break
                is_whole = less == 0
                less = 0
            if value > best:
                best = value
                chosen = code_of(about)
                if value > floor:
                    floor = value
                    update_pv(ply, chosen, memory)
                if value >= beta:
                    if about & QUIET and depth > 0:
                        _learn(chosen, depth, ply, memory)
                    break
        if chosen == NONE:  # every move was missed
            return estimate(one, two, memory)
        searched = EXACT_DEPTH if not can_repeat and load(counters, CUT) == cut_before else max(depth, 0)
        kind = LOWER if best >= beta else UPPER if best <= alpha else 0
        kept = best + ply if best > DECIDED else best - ply if best < -DECIDED else best
        remember(one, two, searched, kept, kind, chosen, bucket, memory)
        return best

    return kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64)", game)(search)
