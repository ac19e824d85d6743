"""One telling position of each game, for pictures in rules and documents."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from bot.presentation.position import Marks, marks_of
from engine.core import Move, State
from engine.games import game as game_of


@dataclass(frozen=True, slots=True)
class Example:
    state: State
    marks: Marks


_MOVES = MappingProxyType(
    {
        "connect-four": "6 7 3 4 5 2 5 5 5 4 3 2 5 7 4 3 3",
        "othello": "d3 c3 f5 d2 d1 e1 f1 e3 e2 f3 c2 c1 b1 c5 f4 f2 c4 c6 g1 b4 g3 g4 d6 h2",
        "tic-tac-toe": "b2 b1 a2 c2 a1 a3 c3",
    }
)
"""Connect Four and Tic-tac-toe end with the winning move; Othello stops in the middle."""


def example(game_key: str) -> Example:
    """The game's example with everything marked that can be; raises UnknownName."""
    game = game_of(game_key)
    state = start = game.start()
    moves: list[Move] = []
    for name in _MOVES.get(game_key, "").split():
        moves.append(game.parse_move(state, name))
        state = state.play(moves[-1])
    return Example(state, marks_of(game, start, moves, hints=True))
