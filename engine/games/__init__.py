"""The games there are: one explicit line each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from engine.core import Game, UnknownName
from engine.games.connect_four import ConnectFour
from engine.games.othello import Othello
from engine.games.tic_tac_toe import TicTacToe

GAMES: Mapping[str, Game] = MappingProxyType(
    {game.key: game for game in (ConnectFour(), Othello(), TicTacToe())}
)


def game(key: str) -> Game:
    """The game of that key; raises UnknownName."""
    if key not in GAMES:
        raise UnknownName(f"There is no game {key!r}: there are {', '.join(GAMES)}.")
    return GAMES[key]
