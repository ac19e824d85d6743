"""The ladder: named characters from the weakest to the strongest, each an agent and how long it may think."""

from __future__ import annotations

from dataclasses import dataclass

from engine.agents import CONNECT_FOUR, EVERY_GAME, OTHELLO, SEARCHED, TIC_TAC_TOE
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
_LINES = (CONNECT_FOUR, TIC_TAC_TOE)

# Weakest first within every game: each beats the one below with at least 60 %, as tools/rate_levels.py
# measures and docs/levels.md shows. Limits are plies and simulations rather than seconds, so that a level is
# the same on every machine. An agent that is strong in one game may be weak in another, hence the
# single-game levels. The weak ones do not throw dice: they overlook things, the further away the more.
LEVELS: tuple[Level, ...] = (
    Level("pip", "Pip", "plays at random", "random", Limit(), EVERY_GAME),
    Level("cora", "Cora", "takes every corner, and shrugs at the rest", "corner", Limit(), _OTHELLO),
    Level("bo", "Bo", "wait, was that your turn?", "overlooking:depth=2,blindness=60", Limit(), _LINES),
    Level(
        "mia",
        "Mia",
        "has a plan, and rarely checks yours",
        "overlooking:depth=3,blindness=25",
        Limit(),
        _LINES,
    ),
    Level("otto", "Otto", "looks one move ahead, never two", "one-step", Limit(), SEARCHED),
    Level("kit", "Kit", "daydreams ten games before breakfast", "mcts", Limit(nodes=10), _THREE),
    Level(
        "finn",
        "Finn",
        "sees three moves ahead, on good days",
        "overlooking:depth=3,blindness=12",
        Limit(),
        _OTHELLO,
    ),
    Level(
        "tess",
        "Tess",
        "sees four moves ahead, and seldom blinks",
        "overlooking:depth=4,blindness=5",
        Limit(),
        _DISCS,
    ),
    Level("theo", "Theo", "reads four moves deep, with a ruler", "alphabeta:depth=4", Limit(), _DISCS),
    Level("luca", "Luca", "rolls three hundred games off the cuff", "mcts", Limit(nodes=300), _FOUR),
    Level("vera", "Vera", "rehearses fifteen hundred games, calmly", "mcts", Limit(nodes=1500), _FOUR),
    Level("ivo", "Ivo", "rehearses eight thousand, and remembers", "mcts", Limit(nodes=8000), _FOUR),
    Level("ida", "Ida", "reads five moves deep, and never in haste", "alphabeta:depth=5", Limit(), _OTHELLO),
    Level("nora", "Nora", "reads six moves deep and says nothing", "alphabeta:depth=6", Limit(), _OTHELLO),
    Level("greta", "Greta", "reads seven moves deep, tea in hand", "alphabeta:depth=7", Limit(), _OTHELLO),
    Level("tia", "Tia", "has seen every game there is; never loses", "alphabeta:depth=9", Limit(), _THREE),
    Level(
        "una",
        "Una",
        "has solved the game, and will not gloat",
        "perfect",
        Limit(seconds=10),
        _FOUR,
        ("6x7x4", "5x6x4", "5x5x3"),
    ),
    Level("sage", "Sage", "has seen this pattern before", "pattern", Limit(nodes=50_000), _OTHELLO),
)


def levels_of(game_key: str, board: str | None = None) -> tuple[Level, ...]:
    """The built-in levels that play this game (on that board), weakest first; () where nobody does."""
    return tuple(level for level in LEVELS if level.plays(game_key, board))
