"""The ladder: named characters from the weakest to the strongest, each an agent and how long it may think."""

from __future__ import annotations

from dataclasses import dataclass

from engine.agents import CONNECT_FOUR, EVERY_GAME, OTHELLO, TIC_TAC_TOE
from engine.core import Limit


@dataclass(frozen=True, slots=True)
class Level:
    """One opponent that people can pick.

    key: stored with matches and ratings, so it never changes; lower case.
    character: one line in its own manner, for menus.
    agent: a name for `make_agent`.
    limit: what each of its choices gets.
    games: keys of the games in which it offers itself.
    """

    key: str
    name: str
    character: str
    agent: str
    limit: Limit
    games: tuple[str, ...]


_LINES = (CONNECT_FOUR, TIC_TAC_TOE)

LEVELS: tuple[Level, ...] = (
    Level("pip", "Pip", "plays at random", "random", Limit(), EVERY_GAME),
    Level("cora", "Cora", "takes every corner, then shrugs", "corner", Limit(), (OTHELLO,)),
    Level("otto", "Otto", "looks one move ahead, never two", "one-step", Limit(), EVERY_GAME),
)


def levels_of(game_key: str) -> tuple[Level, ...]:
    """The built-in levels that play this game, weakest first; () for a game nobody plays."""
    return tuple(level for level in LEVELS if game_key in level.games)
