"""Positions up to symmetry, to find those of running rated matches in which help is refused."""

from __future__ import annotations

from collections.abc import Sequence

from engine.core import Player, State
from engine.games.symmetry import images_of


def can_help_at(state: State, asked: Sequence[State]) -> bool:
    """Return whether information about the asked positions, the last one at hand, helps at `state`.

    It does at the same position and one move later; of the last one also one move earlier, since an
    explanation tells of the replies. Rotated and mirrored positions are the same.
    """
    asked_later = _later(asked[-1]) if asked else []
    return _have_image([state, *_later(state)], asked) or _have_image([state], asked_later)


def _later(state: State) -> list[State]:
    return [state.play(move) for move in state.legal_moves()]


def _have_image(states: Sequence[State], others: Sequence[State]) -> bool:
    """Whether a position is an image of another one; only those with as many discs are compared.

    The images of the fewer ones are made, since that takes longest.
    """
    counted = [[(_discs(state), state) for state in each] for each in (states, others)]
    counts = {count for count, _ in counted[0]} & {count for count, _ in counted[1]}
    near = ([state for count, state in each if count in counts] for each in counted)
    few, many = sorted(near, key=len)
    images = {image for state in few for image in images_of(state)}
    return any(next(images_of(state)) in images for state in many)


def _discs(state: State) -> tuple[int, int]:
    cells = state.cells()
    return cells.count(Player.FIRST), cells.count(Player.SECOND)
