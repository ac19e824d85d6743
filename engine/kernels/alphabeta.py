"""Minimax, alpha-beta, and alpha-beta with blunders: one search, compiled for each game.

A state is two int64, `one` and `other`, whose meaning each game defines (see its kernels), as well as its
`rules`, which are read from the context once per state. All values are those of the side to move.
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
    """Compile the search for one game.

    game: its name, for the cache of compiled code. All parts are `inlined`:

    - rules_of(context): the constants of the game that the other parts need
    - moves(one, other, rules): the squares that may be taken; none if only a pass is legal
    - after(one, other, move, rules): the next state, from the other side's view; `move` is one bit, or none
      for a pass
    - ending(one, other, moves, distance, rules): whether the game is over, and its value
    - estimate(one, other, side, rules): the heuristic value of a state that is not over
    - subtlety(one, other, move, rules): how easily the move is missed, see `blundering`
    """

    def search(
        one: int, other: int, depth: int, alpha: int, beta: int, distance: int, side: int, context: int
    ) -> int:
        """Return the value of the state, searched to `depth` plies including passes.

        distance: plies since the root, which make faster wins worth more. side: 1 if the root's player is
        to move, else -1. context: see `control`.

        With PRUNES the value is exact between alpha and beta, a value <= alpha is an upper bound, one >= beta
        a lower bound (Knuth and Moore, An Analysis of Alpha-Beta Pruning, 1975, fail-soft); without PRUNES,
        alpha and beta must be the infinities. With BLUNDER_RATES, the chances of missing a move 0, 1, 2 ...
        plies after the root's own, missed moves do not exist in the search; a pass is never missed. A state
        in which no move is seen has its estimate, as at depth 0.
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
                    # A move that is not better than the best so far needs no exact value.
                    floor = max(alpha, best) if load(context, PRUNES) else alpha
                    mine, theirs = after(one, other, move, rules)
                    value = -search(mine, theirs, depth - 1, -beta, -floor, distance + 1, -side, context)
                    if has_stopped(context):
                        return 0
                    if value > best:
                        best = value
                        if value >= beta:
                            return value  # beta cutoff: the other side avoids this state
                        if value > alpha:
                            update_pv(distance, lowest_index(move), context)
        if best == -INFINITY:
            counters = load(context, COUNTERS)
            store(counters, CUT, load(counters, CUT) + 1)
            return estimate(one, other, side, rules)
        return best

    return kernel("int64(int64, int64, int64, int64, int64, int64, int64, int64)", game)(search)
