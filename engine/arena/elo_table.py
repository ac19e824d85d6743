"""The measured ladder: how each level did against the one below, and its Elo (`tools/rate_levels.py`)."""

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
"""The package in which the tables lie, one file a game."""

ADDED_LATER = frozenset({"hugo", "rosa", "emil", "alma", "iris", "runa", "nils"})
"""Levels put between others: they leave the scale, on which people's ratings stand too, where it was."""

PAIR_POINTS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""What a level can get out of two games with swapped colours."""


@dataclass(frozen=True, slots=True)
class Duel:
    """Games of a level against the one below, in pairs with swapped colours.

    pairs: how many pairs brought the level 0, 0.5, 1, 1.5 and 2 points. opening_plies: random moves before
    both begin to think. milliseconds: mean time of a move of each, the level's own first.
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

    description: agent and limit that were measured, see `describe`. elo: the mean of the game's ladder is
    1500; low and high: the 95 % interval. below: against the level beneath, None for the weakest.
    """

    key: str
    description: str
    elo: int
    low: int
    high: int
    below: Duel | None


def describe(level: Level) -> str:
    """All that decides how a level plays, such as `mcts, 300 nodes`."""
    limit = level.limit
    bounds = (("s", limit.seconds), ("nodes", limit.nodes), ("plies", limit.depth))
    return ", ".join([level.agent, *(f"{value:g} {unit}" for unit, value in bounds if value is not None)])


def file_name(game_key: str) -> str:
    return f"ladder_{game_key.replace('-', '_')}.json"


@cache
def rated_levels(game_key: str) -> tuple[RatedLevel, ...]:
    """The ladder of that game, weakest first; () for a game that was not measured."""
    spec = SPECS.get(game_key)
    own = None if spec is None else spec.search.elo_table
    file = resources.files(TABLES) / file_name(game_key) if own is None else own
    return parse(file.read_text("utf-8")) if file.is_file() else ()


def rating_of(game_key: str, level_key: str) -> RatedLevel | None:
    """The row of one level; None where it was not measured."""
    return next((row for row in rated_levels(game_key) if row.key == level_key), None)


def parse(text: str) -> tuple[RatedLevel, ...]:
    """Reads what `write` wrote."""
    return tuple(RatedLevel(**{**row, "below": _duel_of(row["below"])}) for row in json.loads(text)["levels"])


def _duel_of(stored: dict[str, Any] | None) -> Duel | None:
    if stored is None:
        return None
    return Duel(**{**stored, "pairs": tuple(stored["pairs"]), "milliseconds": tuple(stored["milliseconds"])})


def write(game_key: str, rows: Sequence[RatedLevel]) -> str:
    """The table as text for its file."""
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
