"""Strengths between two levels of a ladder: each move is the weaker or the stronger level's, by chance.

Half of each one's moves was measured for some pairs of levels (`engine.arena.ladder`, `docs/levels.md`), and
for the others it is taken to lie in the middle. Between these points strength rises in proportion.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from random import Random

from engine.agents.echo import elo_in
from engine.agents.levels import levels_of
from engine.arena.elo_table import TABLES, RatedLevel, rated_levels

FILE = "mixtures.json"


@dataclass(frozen=True, slots=True)
class RatedMixture:
    """The measured strength of half the moves of each of two levels.

    descriptions: of both, as in RatedLevel, weaker first. elo, low, high: on the game's ladder. won, drawn,
    lost: its games against the weaker and against the stronger level.
    """

    weaker: str
    stronger: str
    descriptions: tuple[str, str]
    elo: int
    low: int
    high: int
    won: tuple[int, int]
    drawn: tuple[int, int]
    lost: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mixture:
    """Two neighbouring levels of a ladder, and the share of the stronger one's moves, from 0 to 1.

    elo, margin: its strength, and half the width of its 95 % interval.
    """

    weaker: str
    stronger: str
    share: float
    elo: int
    margin: float

    def draw(self, rng: Random) -> str:
        """Return the key of the level that makes a move."""
        return self.stronger if rng.random() < self.share else self.weaker


def mixture(game_key: str, elo: int, board: str | None = None) -> Mixture | None:
    """Return the mixture of levels (on that board) with this strength, or the nearest one.

    None: the game's levels are not measured.
    """
    offered = {level.key for level in levels_of(game_key, board)}
    rows = [row for row in rated_levels(game_key) if row.key in offered]
    points = [point for below, above in pairwise(rows) for point in _points(game_key, below, above)]
    for (start, lower, share), (stop, higher, next_share) in pairwise(points):
        if lower.elo <= elo <= higher.elo and start == stop:
            way = (elo - lower.elo) / max(1, higher.elo - lower.elo)
            margins = [(row.high - row.low) / 2 for row in (lower, higher)]
            margin = margins[0] + way * (margins[1] - margins[0])
            return Mixture(*start, share + way * (next_share - share), elo, margin)
    if not rows:
        return None
    end = rows[0] if elo < rows[0].elo else rows[-1]
    return Mixture(end.key, end.key, 0.0, end.elo, (end.high - end.low) / 2)


def _points(
    game_key: str, below: RatedLevel, above: RatedLevel
) -> list[tuple[tuple[str, str], RatedLevel | RatedMixture, float]]:
    """Return the known strengths of mixtures of the two levels, with the share of the stronger one."""
    names = below.key, above.key
    half = measured_mixtures().get((game_key, *names))
    ends: list[tuple[tuple[str, str], RatedLevel | RatedMixture, float]]
    ends = [(names, below, 0.0), (names, above, 1.0)]
    if half is not None and half.descriptions == (below.description, above.description):
        ends.insert(1, (names, half, 0.5))
    return ends


def level_of_move(game_key: str, board: str, key: str, match_id: int, ply: int) -> str:
    """Return the key of the level that makes this move of a match: Echo's is drawn, others stay.

    It is drawn alike whenever it is asked for, so an explanation knows which level moved.
    """
    elo = elo_in(key)
    found = None if elo is None else mixture(game_key, elo, board)
    return key if found is None else found.draw(Random(f"{match_id} {ply}"))


@cache
def measured_mixtures() -> dict[tuple[str, str, str], RatedMixture]:
    """Return the measured mixtures by game, weaker and stronger level."""
    file = resources.files(TABLES) / FILE
    return parse(file.read_text("utf-8")) if file.is_file() else {}


def parse(text: str) -> dict[tuple[str, str, str], RatedMixture]:
    """Parse the output of `write`."""
    found = {}
    for row in json.loads(text):
        pairs = {name: tuple(row[name]) for name in ("descriptions", "won", "drawn", "lost")}
        game, row = row["game"], {name: value for name, value in row.items() if name != "game"}
        found[game, row["weaker"], row["stronger"]] = RatedMixture(**{**row, **pairs})
    return found


def write(found: dict[tuple[str, str, str], RatedMixture]) -> str:
    """Return the table as text for its file."""
    return json.dumps([{"game": key[0], **asdict(one)} for key, one in found.items()], indent=1) + "\n"
