"""The boards of all games as the options of a select, for forms."""

from __future__ import annotations

from collections.abc import Sequence

from bot.i18n import Text
from bot.presentation import names
from bot.ui.layout import MOST_OPTIONS
from engine.core import Game
from engine.games import GAMES


def board_choices(t: Text) -> list[tuple[str, str]]:
    """Return (value, label) pairs; a value is the keys of game and board with a space between them."""
    pairs = offered_boards(tuple(GAMES.values()))
    return [(f"{key} {board}", names.game_on_board(t, key, board)) for key, board in pairs]


def offered_boards(games: Sequence[Game]) -> list[tuple[str, str]]:
    """Return (game, board) pairs that fit into a select: first the usual board of every game."""
    pairs = [(rank, game.key, board) for game in games for rank, board in enumerate(game.boards)]
    kept = sorted(pairs, key=lambda pair: pair[0])[:MOST_OPTIONS]
    return [(key, board) for rank, key, board in pairs if (rank, key, board) in kept]
