"""The boards of all games, as the options of a form."""

from __future__ import annotations

from collections.abc import Sequence

from bot.i18n import Text
from bot.presentation import names
from engine.core import Game
from engine.games import GAMES


def board_choices(t: Text, most: int | None = None) -> list[tuple[str, str]]:
    """Return (value, label) pairs; a value is the keys of game and board with a space between them.

    most: how many there is room for; None: for all.
    """
    pairs = offered_boards(tuple(GAMES.values()), most)
    return [(f"{key} {board}", names.game_on_board(t, key, board)) for key, board in pairs]


def offered_boards(games: Sequence[Game], most: int | None) -> list[tuple[str, str]]:
    """Return (game, board) pairs: if not all fit, first the usual board of every game."""
    pairs = [(rank, game.key, board) for game in games for rank, board in enumerate(game.boards)]
    kept = sorted(pairs, key=lambda pair: pair[0])[:most]
    return [(key, board) for rank, key, board in pairs if (rank, key, board) in kept]
