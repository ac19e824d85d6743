"""The ladder: named characters from the weakest to the strongest, each an agent and its search limit."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

from engine.core import Limit
from engine.games import SPECS


class Strength(enum.StrEnum):
    """The strength of a level among those of its game, in one word; weakest first."""

    BEGINNER = "beginner"
    NOVICE = "novice"
    APPRENTICE = "apprentice"
    INTERMEDIATE = "intermediate"
    SKILLED = "skilled"
    ADVANCED = "advanced"
    STRONG = "strong"
    EXPERT = "expert"
    ELITE = "elite"
    MASTER = "master"


STRENGTHS = tuple(Strength)

PLUGIN, ENGINE = "plugin", "engine"
"""The kinds of agents by other people: Python code, and programs of any language."""

NO_LIMIT = Limit()


def kind_of(agent: str) -> str:
    """Return the kind of agent in a name for `make_agent`: `mcts` for `mcts:simulations=100`."""
    return agent.partition(":")[0]


def is_engine(key: str) -> bool:
    """Whether the level of that key is an engine; its strength is not measured, so it is never rated."""
    return kind_of(key) == ENGINE


@dataclass(frozen=True, slots=True)
class Level:
    """An opponent that people can pick.

    key: stored with matches and ratings, so it never changes; lower case.
    character: one line in its own words, for menus.
    agent: a name for `make_agent`.
    limit: of each of its choices.
    games: keys of the games it is offered in.
    boards: the boards it is offered on; () for all.
    is_perfect: it never gives away a proved result. is_rated: whether matches against it count.
    is_deep: its choices take long; a cluster makes them if there is one.
    """

    key: str
    name: str
    character: str
    agent: str
    limit: Limit
    games: tuple[str, ...]
    boards: tuple[str, ...] = ()
    is_perfect: bool = False
    is_rated: bool = True
    is_deep: bool = False

    @property
    def kind(self) -> str:
        """The kind of its agent, without options."""
        return kind_of(self.agent)

    @property
    def misses_moves(self) -> bool:
        """Whether it overlooks moves at random, so that it may choose another one when it is asked again."""
        return self.kind == "overlooking" or "overlooks=" in self.agent

    @property
    def is_quick(self) -> bool:
        """Whether its choices take milliseconds; a plug-in or an engine may take its time."""
        return not self.is_deep and self.kind not in (PLUGIN, ENGINE)

    def plays(self, game_key: str, board: str | None = None) -> bool:
        """Whether it is offered for the game, on that board (None: on any)."""
        return game_key in self.games and (board is None or not self.boards or board in self.boards)


def _rung(
    key: str,
    name: str,
    character: str,
    agent: str,
    limit: Limit = NO_LIMIT,
    *,
    is_perfect: bool = False,
    is_deep: bool = False,
) -> Level:
    """Return the level, for the games whose ladders name it."""
    games = tuple(game for game, spec in SPECS.items() if key in spec.search.ladder)
    is_choosy = any(key in SPECS[game].search.boards_of_level for game in games)
    boards = (SPECS[game].search.boards_of_level.get(key, SPECS[game].rules.boards) for game in games)
    where = tuple(chain(*boards)) if is_choosy else ()
    return Level(key, name, character, agent, limit, games, where, is_perfect, is_deep=is_deep)


# Weakest first within every game: each level scores at least 60 % against the one below, as
# tools/rate_levels.py measures and docs/levels.md shows. Limits are plies and simulations rather than
# seconds, so that a level plays the same on every machine. An agent that is strong in one game may be weak in
# another, so some levels are on the ladder of one game only. The weak levels do not play at random: they miss
# moves, more of them the further away.
_SHARED: tuple[Level, ...] = (
    _rung("pip", "Pip", "plays at random", "random"),
    _rung("cora", "Cora", "takes every corner, and shrugs at the rest", "corner"),
    _rung("bo", "Bo", "wait, was that your turn?", "overlooking:depth=2,blindness=75"),
    _rung("mia", "Mia", "has a plan, and rarely checks yours", "overlooking:depth=3,blindness=27,varied=1"),
    _rung("otto", "Otto", "looks one move ahead, never two", "one-step:varied=1"),
    _rung("kit", "Kit", "daydreams ten games before breakfast", "mcts", Limit(nodes=10)),
    _rung(
        "finn", "Finn", "sees three moves ahead, on good days", "overlooking:depth=3,blindness=12,varied=1"
    ),
    _rung(
        "tess", "Tess", "sees four moves ahead, and seldom blinks", "overlooking:depth=4,blindness=5,varied=1"
    ),
    _rung("theo", "Theo", "reads four moves deep, with a ruler", "alphabeta:depth=4,varied=1"),
    _rung("luca", "Luca", "rolls three hundred games off the cuff", "mcts:spread=5", Limit(nodes=300)),
    _rung("vera", "Vera", "rehearses fifteen hundred games, calmly", "mcts:spread=45", Limit(nodes=1500)),
    _rung("ivo", "Ivo", "rehearses eight thousand, and remembers", "mcts:spread=40", Limit(nodes=8000)),
    _rung("ida", "Ida", "reads five moves deep, and never in haste", "alphabeta:depth=5,varied=1"),
    _rung("nora", "Nora", "reads six moves deep and says nothing", "alphabeta:depth=6,varied=1"),
    _rung("greta", "Greta", "reads seven moves deep, tea in hand", "alphabeta:depth=7,varied=1"),
    _rung(
        "tia",
        "Tia",
        "has seen every game there is; never loses",
        "alphabeta:depth=9,varied=1",
        is_perfect=True,
    ),
    _rung("hugo", "Hugo", "knows its shapes, three moves deep", "pattern:depth=3,spread=3"),
    _rung("rosa", "Rosa", "sees an edge form four moves ahead", "pattern:depth=4,spread=3"),
    _rung("emil", "Emil", "counts six moves of quiet, and waits", "pattern:depth=6,spread=3"),
    _rung("alma", "Alma", "nine moves deep, and still smiling", "pattern:depth=9,spread=3"),
    _rung(
        "iris", "Iris", "sees the end from the middle of the board", "pattern:depth=13,spread=3", is_deep=True
    ),
    _rung("runa", "Runa", "nineteen moves deep, by candlelight", "pattern:depth=19,spread=3", is_deep=True),
    _rung(
        "freya",
        "Freya",
        "strolls through the opening, then marches",
        "pattern:depth=19,spread=2,early=14",
        is_deep=True,
    ),
    _rung(
        "nils",
        "Nils",
        "has solved the game, and forgets it now and then",
        "perfect:slips=6,spread=6,early=80",
        Limit(seconds=10),
        is_deep=True,
    ),
    _rung(
        "una",
        "Una",
        "has solved the game, and will not gloat",
        "perfect:spread=6",
        Limit(seconds=10),
        is_perfect=True,
        is_deep=True,
    ),
    _rung(
        "sage",
        "Sage",
        "has seen this pattern before",
        "pattern:pace=60,spread=1,early=6",
        Limit(seconds=4),
        is_deep=True,
    ),
)

LEVELS: tuple[Level, ...] = (
    *_SHARED,
    *(
        _rung(own.key, own.name, own.character, own.agent, own.limit, is_deep=own.is_deep)
        for spec in SPECS.values()
        for own in spec.search.levels
    ),
)
"""All built-in levels: the ones shared by several games, then each game's own."""


@lru_cache(maxsize=256)  # a page asks a hundred times
def levels_of(game_key: str, board: str | None = None) -> tuple[Level, ...]:
    """Return the built-in levels of this game (on that board), weakest first; () if there are none."""
    return in_order(game_key, (level for level in LEVELS if level.plays(game_key, board)))


def in_order(game_key: str, levels: Iterable[Level]) -> tuple[Level, ...]:
    """Sort the levels as on the game's ladder, weakest first; levels that are not on it come last."""
    ladder = SPECS[game_key].search.ladder if game_key in SPECS else ()
    return tuple(
        sorted(levels, key=lambda level: ladder.index(level.key) if level.key in ladder else len(ladder))
    )


def strength_of(game_key: str, level_key: str) -> Strength | None:
    """Return the strength of a level in that game; None if it is not on its ladder, e.g. a plug-in.

    Every ladder spans all words; shorter ladders take longer steps.
    """
    ladder = [level.key for level in levels_of(game_key)]
    if level_key not in ladder:
        return None
    return STRENGTHS[round(ladder.index(level_key) * (len(STRENGTHS) - 1) / max(1, len(ladder) - 1))]
