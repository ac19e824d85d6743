"""Minimax, alpha-beta and blundering for dropping discs on boards of any size, see `engine.kernels.drops`."""

from __future__ import annotations

from engine.kernels.alphabeta import alphabeta_kernel
from engine.kernels.blundering import PLAIN
from engine.kernels.control import Rules, rules_of
from engine.kernels.drops import (
    FIRST,
    SECOND,
    evaluate,
    has_ended,
    is_full,
    mover,
    open_columns,
    place_of,
)
from engine.kernels.drops import after as after_column
from engine.kernels.heuristic_values import WIN
from engine.kernels.intrinsics import lowest_index
from engine.kernels.jit import inlined


@inlined
def _moves(ply: int, key: int, rules: Rules) -> int:  # noqa: ARG001
    return open_columns(place_of(ply, rules), rules)


@inlined
def _after(ply: int, key: int, move: int, rules: Rules) -> tuple[int, int]:
    return after_column(ply, key, lowest_index(move), rules)


@inlined
def _ending(ply: int, key: int, free: int, distance: int, rules: Rules) -> tuple[bool, int]:  # noqa: ARG001
    place = place_of(ply, rules)
    if has_ended(place, rules):
        return True, distance - WIN
    return is_full(place, rules), 0


@inlined
def _estimate(ply: int, key: int, side: int, rules: Rules) -> int:  # noqa: ARG001
    """The window heuristic from the root player's view; it is not symmetric, so the side matters."""
    place = place_of(ply, rules)
    own = mover(place)
    return evaluate(place, own, rules) if side > 0 else -evaluate(place, FIRST + SECOND - own, rules)


@inlined
def _subtlety(ply: int, key: int, move: int, rules: Rules) -> int:  # noqa: ARG001
    return PLAIN


search = alphabeta_kernel(
    "drops",
    rules_of=rules_of,
    moves=_moves,
    after=_after,
    ending=_ending,
    estimate=_estimate,
    subtlety=_subtlety,
)
"""See `alphabeta.alphabeta_kernel`; a state is (place, key)."""
