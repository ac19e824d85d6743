"""A typical position of each game, for pictures in rules and documents."""

from __future__ import annotations

from dataclasses import dataclass

from bot.presentation.position import Marks, marks_of
from engine.core import Move, State
from engine.games import spec_of


@dataclass(frozen=True, slots=True)
class Example:
    state: State
    marks: Marks


def example(game_key: str) -> Example:
    """Return the game's example position with all its marks; raises UnknownName."""
    spec = spec_of(game_key)
    game = spec.rules
    state = start = game.start()
    moves: list[Move] = []
    for name in spec.look.picture_moves.split():
        moves.append(game.parse_move(state, name))
        state = state.play(moves[-1])
    return Example(state, marks_of(game, start, moves, hints=True))
