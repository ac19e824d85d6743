"""Minimax, alpha-beta and alpha-beta that blunders: one search, each game's moves compiled into it.

A state is two int64, `one` and `other`; what they mean is the game's business (see its kernels), and so are
its `rules`, read from the context once a state. All values are those of the side to move.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.kernels.blundering import is_unseen
from engine.kernels.control import (
    BLUNDER_RATES,
    COUNTERS,
    CUT,
    GROUPS,
    INFINITY,
    ORDER,
    PASS,
    PRUNES,
    SEED,
    begin_pv,
    has_stopped,
    must_stop,
    update_pv,
)
from engine.kernels.intrinsics import load, lowest_index, store
from engine.kernels.jit import kernel

Kernel = Callable[[int, int, int, int, int, int, int, int], int]


def alphabeta_kernel(
    game: str,
    *,
    rules_of: Callable[[int], Any],
    moves: Callable[[int, int, Any], int],
    after: Callable[[int, int, int, Any], tuple[int, int]],
    ending: Callable[[int, int, int, int, Any], tuple[bool, int]],
    estimate: Callable[[int, int, int, Any], int],
    subtlety: Callable[[int, int, int, Any], int],
) -> Kernel:
    """The search of one game, compiled.

    game: its name, for the cache of compiled code. All parts are `inlined`:

    - rules_of(context): what else the parts want to know of the game
    - moves(one, other, rules): the squares that may be taken, none where only a pass is left
    - after(one, other, move, rules): the state for the other side once `move`, one bit or none for a pass, is
      made
    - ending(one, other, moves, distance, rules): whether the game is over, and its value
    - estimate(one, other, side, rules): the heuristic of a state that is not
    - subtlety(one, other, move, rules): how easily the move is overlooked, see `blundering`
    """

    def search(
        one: int, other: int, depth: int, alpha: int, beta: int, distance: int, side: int, context: int
    ) -> int:
        """The value of the state, every line looked at to `depth` plies, passes counted.

        distance: plies since the search's root, so that quicker wins are worth more. side: 1 when the root's
        player is to move here, else -1. context: see `control`.

        With PRUNES the value is exact between alpha and beta, one <= alpha an upper bound of the true value,
        one >= beta a lower bound (Knuth and Moore, An Analysis of Alpha-Beta Pruning, 1975, fail-soft);
        without, alpha and beta are the infinities. With BLUNDER_RATES, the chances of missing a move 0, 1, 2
        ... plies after the root's own, what is overlooked is not there; a pass always is. A state in which
        no move is seen has its estimate, as at the end of the depth.
        """
        if must_stop(context):
            return 0
        begin_pv(distance, context)
        rules = rules_of(context)
        free = moves(one, other, rules)
        is_over, value = ending(one, other, free, distance, rules)
        if is_over:
            return value
        best = -INFINITY
        if depth > 0:
            if free == 0:
                passed, passing = after(one, other, free, rules)
                value = -search(passed, passing, depth - 1, -beta, -alpha, distance + 1, -side, context)
                update_pv(distance, PASS, context)
                return value
            rates = load(context, BLUNDER_RATES)
            rate = load(rates, distance) if rates else 0
            for i in range(load(context, GROUPS)):
                left = free & load(load(context, ORDER), i)
                while left:
                    move = left & -left
                    left ^= move
                    if rate:
                        missed = subtlety(one, other, move, rules)
                        if is_unseen(one, other, move, rate, missed, load(context, SEED)):
                            continue
                    # What is not better than the best so far need not be known exactly.
                    floor = max(alpha, best) if load(context, PRUNES) else alpha
                    mine, theirs = after(one, other, move, rules)
                    value = -search(mine, theirs, depth - 1, -beta, -floor, distance + 1, -side, context)
                    if has_stopped(context):
                        return 0
                    if value > best:
                        best = value
                        if value >= beta:
                            return value  # the other side will not let it come to this state
                        if value > alpha:
                            update_pv(distance, lowest_index(move), context)
        if best == -INFINITY:
            counters = load(context, COUNTERS)
            store(counters, CUT, load(counters, CUT) + 1)
            return estimate(one, other, side, rules)
        return best

    return kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64)", game)(search)
