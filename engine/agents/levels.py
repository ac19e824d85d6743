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
    boards: on which of their boards; () for all.
    """

    key: str
    name: str
    character: str
    agent: str
    limit: Limit
    games: tuple[str, ...]
    boards: tuple[str, ...] = ()

    def plays(self, game_key: str, board: str | None = None) -> bool:
        """Whether it offers itself for the game, on that board (None: on any)."""
        return game_key in self.games and (board is None or not self.boards or board in self.boards)


_FOUR = (CONNECT_FOUR,)
_OTHELLO = (OTHELLO,)
_THREE = (TIC_TAC_TOE,)
_DISCS = (CONNECT_FOUR, OTHELLO)

# Weakest first within every game; neighbours were put in this order by matches of 40 to 300 games from
# random openings. An agent that is strong in one game may be weak in another, hence the single-game levels.
LEVELS: tuple[Level, ...] = (
    Level("pip", "Pip", "plays at random", "random", Limit(), EVERY_GAME),
    Level("cora", "Cora", "takes every corner, and shrugs at the rest", "corner", Limit(), _OTHELLO),
    Level("otto", "Otto", "looks one move ahead, never two", "one-step", Limit(), EVERY_GAME),
    Level("dot", "Dot", "daydreams three games and believes them", "mcts", Limit(nodes=3), _THREE),
    Level("kit", "Kit", "daydreams ten games before breakfast", "mcts", Limit(nodes=10), _THREE),
    Level("bo", "Bo", "daydreams twenty games and hopes", "mcts", Limit(nodes=20), EVERY_GAME),
    Level("mia", "Mia", "expects your answer, and no more", "alphabeta:depth=2", Limit(), EVERY_GAME),
    Level("finn", "Finn", "hums through four hundred games in his head", "mcts", Limit(nodes=400), _OTHELLO),
    Level("theo", "Theo", "reads four moves deep, with a ruler", "alphabeta:depth=4", Limit(), _DISCS),
    Level("nora", "Nora", "reads six moves deep and says nothing", "alphabeta:depth=6", Limit(), _DISCS),
    Level("luca", "Luca", "rolls five hundred games off the cuff", "mcts", Limit(nodes=500), _FOUR),
    Level("vera", "Vera", "rehearses three thousand games, calmly", "mcts", Limit(nodes=3000), _FOUR),
    Level("ivo", "Ivo", "rehearses twenty thousand, and remembers", "mcts", Limit(nodes=20_000), _FOUR),
    Level("greta", "Greta", "reads eight moves deep, tea in hand", "alphabeta:depth=8", Limit(), _OTHELLO),
    Level("tia", "Tia", "has seen every game there is; never loses", "alphabeta:depth=9", Limit(), _THREE),
    Level("zoe", "Zoe", "takes a second for a million games", "mcts", Limit(seconds=1), _FOUR),
    Level(
        "una",
        "Una",
        "has solved the game, and will not gloat",
        "perfect",
        Limit(seconds=1),
        _FOUR,
        ("6x7x4",),
    ),
    Level(
        "sage",
        "Sage",
        "takes a second to read to the horizon",
        "alphabeta:depth=60",
        Limit(seconds=1),
        _OTHELLO,
    ),
)


def levels_of(game_key: str, board: str | None = None) -> tuple[Level, ...]:
    """The built-in levels that play this game (on that board), weakest first; () where nobody does."""
    return tuple(level for level in LEVELS if level.plays(game_key, board))
