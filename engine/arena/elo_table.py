"""The measured ladder: each level's results against the one below, and its Elo (`tools/rate_levels.py`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from engine.agents.levels import Level
from engine.games import SPECS

TABLES = "engine.data"
"""The package of the tables, one file per game."""

ADDED_LATER = frozenset({
    *("hugo", "rosa", "emil", "alma", "iris", "runa", "freya", "nils"),
    *("gus", "imani", "baraka", "arne", "sigrid", "leif", "ragna"),
    *("hilda", "beryl", "ilse", "fenna", "sanne", "ethel"),
})  # fmt: skip
"""Levels inserted later, which leave the scale unchanged, because people's ratings use it."""

PAIR_POINTS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""The possible points of a level in two games with swapped colours."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Games of a level against the one below, in pairs with swapped colours.

    pairs: the numbers of pairs with 0, 0.5, 1, 1.5 and 2 points for the level. opening_plies: random moves at
    the start. milliseconds: mean time per move of each, the level's own first.
    """

    wins: int
    draws: int
    losses: int
    pairs: tuple[int, int, int, int, int]
    opening_plies: int
    milliseconds: tuple[float, float]

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1."""
        return (self.wins + self.draws / 2) / self.games


@dataclass(frozen=True, slots=True)
class RatedLevel:
    """One row of a ladder.

    description: the measured agent and limit, see `describe`. elo: with a mean of 1500 over the game's
    ladder; low and high: the 95 % interval. below: against the next weaker level, None for the weakest.
    """

    key: str
    description: str
    elo: int
    low: int
    high: int
    below: Duel | None


def describe(level: Level) -> str:
    """Return everything that determines how a level plays, e.g. `mcts, 300 nodes`."""
    limit = level.limit
    bounds = (("s", limit.seconds), ("nodes", limit.nodes), ("plies", limit.depth))
    return ", ".join([level.agent, *(f"{value:.9g} {unit}" for unit, value in bounds if value is not None)])


def file_name(game_key: str) -> str:
    return f"ladder_{game_key.replace('-', '_')}.json"


@cache
def rated_levels(game_key: str) -> tuple[RatedLevel, ...]:
    """Return the ladder of that game, weakest first; () if it was not measured."""
    spec = SPECS.get(game_key)
    own = None if spec is None else spec.search.elo_table
    file = resources.files(TABLES) / file_name(game_key) if own is None else own
    return parse(file.read_text("utf-8")) if file.is_file() else ()


def rating_of(game_key: str, level_key: str) -> RatedLevel | None:
    """Return the row of one level; None if it was not measured."""
    return next((row for row in rated_levels(game_key) if row.key == level_key), None)


def parse(text: str) -> tuple[RatedLevel, ...]:
    """Parse the output of `write`."""
    return tuple(RatedLevel(**{**row, "below": _duel_of(row["below"])}) for row in json.loads(text)["levels"])


def _duel_of(stored: dict[str, Any] | None) -> Duel | None:
    if stored is None:
        return None
    return Duel(**{**stored, "pairs": tuple(stored["pairs"]), "milliseconds": tuple(stored["milliseconds"])})


def write(game_key: str, rows: Sequence[RatedLevel]) -> str:
    """Return the table as text for its file."""
    levels = [
        {
            "key": row.key,
            "description": row.description,
            "elo": row.elo,
            "low": row.low,
            "high": row.high,
            "below": None if row.below is None else _duel(row.below),
        }
        for row in rows
    ]
    return json.dumps({"game": game_key, "levels": levels}, indent=1) + "\n"


def _duel(duel: Duel) -> dict[str, object]:
    return {name: getattr(duel, name) for name in Duel.__slots__}
