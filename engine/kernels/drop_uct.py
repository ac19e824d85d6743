"""Monte Carlo tree search on boards of any size into which discs drop, see `engine.kernels.drops`."""

from __future__ import annotations

from engine.kernels.control import Rules, rules_of
from engine.kernels.drops import (
    after,
    completes,
    copy_next,
    drop,
    is_full,
    landing,
    mover,
    open_columns,
    place_of,
    sensible,
)
from engine.kernels.intrinsics import lowest_index
from engine.kernels.jit import inlined
from engine.kernels.uct import DRAWN, MOVER_WON, OPEN, next_random, random_bit, uct_kernel

LONGEST_GAME = 144
"""12 x 12."""


@inlined
def _play_out(ply: int, key: int, random: int, rules: Rules) -> tuple[int, int]:  # noqa: ARG001
    """Play a random game from here: (1 if the side to move wins, -1 if it loses, 0), random state."""
    place = copy_next(place_of(ply, rules), rules)
    sign = 1
    while not is_full(place, rules):
        tried = sensible(place, open_columns(place, rules), rules)
        column = lowest_index(tried)
        if tried & (tried - 1) == 0 and completes(place, landing(place, column, rules), mover(place), rules):
            return sign, random
        random = next_random(random)
        column = lowest_index(random_bit(tried, random))
        drop(place, landing(place, column, rules), column, mover(place), rules)
        sign = -sign
    return 0, random


@inlined
def _moves(ply: int, key: int, rules: Rules) -> int:  # noqa: ARG001
    place = place_of(ply, rules)
    return sensible(place, open_columns(place, rules), rules)


@inlined
def _status_after(ply: int, key: int, move: int, rules: Rules) -> int:  # noqa: ARG001
    place = place_of(ply, rules)
    if completes(place, landing(place, lowest_index(move), rules), mover(place), rules):
        return MOVER_WON
    left = open_columns(place, rules)
    is_last = left == move and landing(place, lowest_index(move), rules) % rules[0] == rules[0] - 2
    return DRAWN if is_last else OPEN


search = uct_kernel(
    "drops",
    LONGEST_GAME,
    rules_of=rules_of,
    moves=_moves,
    status_after=_status_after,
    after=after,
    play_out=_play_out,
)
"""See `uct.uct_kernel`; a state is (place, key)."""
