"""The search of Pop Out for its strongest players; see `engine.kernels.game_search`.

States and squares are those of `search`, the square is a move's code, and the RULES of the context are the
shape. Any move may lead back to an earlier position, and one that comes again counts as a draw.
"""

from __future__ import annotations

from engine.games.pop_out.kernels.search import after, pops
from engine.kernels.control import rules_of
from engine.kernels.game_search import QUIET, RETURNS, add_move, game_search_kernel
from engine.kernels.heuristic_values import WIN
from engine.kernels.intrinsics import lowest_index
from engine.kernels.jit import inlined
from engine.kernels.lines import CENTRE, evaluate, has_line, winning_squares
from engine.kernels.lines import moves as drops

_NEVER = 1 << 20
"""No number of plies without a drop is a draw."""


@inlined
def _known(own: int, mask: int, ply: int, memory: int) -> tuple[bool, int, int]:
    """The side that has just moved wins if both have a line; a drop that wins needs no search."""
    shape = rules_of(memory)
    if has_line(own ^ mask, shape):
        return True, ply - WIN, 0
    if has_line(own, shape):
        return True, WIN - ply, 0
    if drops(mask, shape) & winning_squares(own, mask, shape):
        return True, WIN - ply - 1, 0
    return False, 0, WIN - ply


@inlined
def _is_calm(own: int, mask: int, memory: int) -> bool:  # noqa: ARG001
    return True


@inlined
def _estimate(own: int, mask: int, memory: int) -> int:
    """The window heuristic from both sides' view, so that it is the same for both."""
    shape = rules_of(memory)
    return evaluate(own, own ^ mask, shape) - evaluate(own ^ mask, own, shape)


@inlined
def _list_moves(own: int, mask: int, hint: int, ply: int, memory: int) -> int:
    """List drops in the centre, then other drops, then pops; against a threat, only what helps."""
    shape = rules_of(memory)
    free = drops(mask, shape)
    threats = free & winning_squares(own ^ mask, mask, shape)
    wanted = threats if threats else free
    count = 0
    for group in range(3):
        left = (
            wanted & shape[CENTRE]
            if group == 0
            else wanted & ~shape[CENTRE]
            if group == 1
            else pops(own, shape)
        )
        while left:
            move = left & -left
            left ^= move
            theirs, remaining = after(own, mask, move, shape)
            about = lowest_index(move) | QUIET | RETURNS
            count = add_move(theirs, remaining, about, 0, hint, count, ply, memory)
    return count


search = game_search_kernel(
    "pop_out_deepening",
    known=_known,
    is_calm=_is_calm,
    estimate=_estimate,
    list_moves=_list_moves,
    longest_quiet=_NEVER,
)
