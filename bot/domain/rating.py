"""Ratings and records of players: what one result changes, as a pure function.

The rating is Glicko (Glickman, "Parameter Estimation in Large Dynamic Paired Comparison Experiments",
Applied Statistics 48, 1999): a strength on the Elo scale and how far off it may be. Glicko-2 adds a
volatility, which needs rating periods of ten matches or more; here every match is counted by itself.

Built-in agents do not move: they stand where the ladder of their game was measured, and people beside them.
"""

from __future__ import annotations

import functools
import hashlib
import math
from dataclasses import dataclass

from engine.arena.elo_table import ADDED_LATER, rated_levels, rating_of
from engine.core import Player

START, START_MARGIN = 1500.0, 350.0
"""A newcomer where no ladder was measured, and how far off every newcomer may be."""

LEAST_MARGIN = 60.0
"""Nobody is known better than that, so that who learns still climbs."""

SETTLED_UNDER = 110
"""A rating is provisional until its margin is under it."""

_Q = math.log(10) / 400

_TO_DEVIATION = 2 * 1.96
"""A ladder tells the two ends of a 95 % interval; a margin is one standard deviation."""


@dataclass(frozen=True, slots=True)
class Record:
    """One player's standing in one game and scope.

    rating, deviation: the strength in Elo, and the standard deviation of what is believed about it.
    streak: wins in a row if positive, losses in a row if negative; a draw resets it to 0.
    is_fixed: the strength was measured, so that results do not change it.
    """

    rating: float = START
    deviation: float = START_MARGIN
    wins: int = 0
    draws: int = 0
    losses: int = 0
    streak: int = 0
    best_streak: int = 0
    is_fixed: bool = False

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> int:
        """The rating shown."""
        return round(self.rating)

    @property
    def margin(self) -> int:
        """How far off the points may be: two times in three they are not further."""
        return round(self.deviation)

    @property
    def is_settled(self) -> bool:
        """Whether the rating is known well enough for a rank."""
        return self.margin < SETTLED_UNDER

    def after(self, score: float, rating: float, deviation: float) -> Record:
        """The record after a win (1), a draw (0.5) or a loss (0), rated like that."""
        won, lost = score == 1, score == 0
        streak = max(self.streak, 0) + 1 if won else min(self.streak, 0) - 1 if lost else 0
        # Not by `replace`, which takes longer than all the rest: a recount makes millions of them.
        return Record(
            rating,
            deviation,
            self.wins + won,
            self.draws + (not won and not lost),
            self.losses + lost,
            streak,
            max(self.best_streak, streak),
            self.is_fixed,
        )


def newcomer(game: str) -> Record:
    """Somebody before their first match: as strong as the level a quarter of the way up the ladder.

    The ladders' means are 1500 in every game, so that is another number in each of them.
    """
    ladder = [row for row in rated_levels(game) if row.key not in ADDED_LATER]
    return Record(float(ladder[len(ladder) // 4].elo)) if ladder else Record()


def first_record(game: str, level: str | None) -> Record:
    """Of a player without a match: a person (None) or an agent, which stands where it was measured."""
    measured = None if level is None else rating_of(game, level)
    if measured is None:
        return newcomer(game)
    return Record(float(measured.elo), (measured.high - measured.low) / _TO_DEVIATION, is_fixed=True)


@functools.cache
def scale(game: str) -> str:
    """Names the way ratings of a game are counted now: another one once its ladder was measured anew."""
    ladder = [(row.key, row.elo, row.low, row.high) for row in rated_levels(game)]
    anchors = ("glicko", LEAST_MARGIN, newcomer(game).rating, ladder)
    return hashlib.sha256(repr(anchors).encode()).hexdigest()[:16]


def rate(first: Record, second: Record, winner: Player | None, weight: float = 1.0) -> tuple[Record, Record]:
    """Both records after a result between them; `winner` None is a draw.

    weight: the share of the change of both ratings and deviations that is made, from 0 to 1.
    """
    scores = [0.5, 0.5] if winner is None else [float(player is winner) for player in Player]
    return _after(first, second, scores[0], weight), _after(second, first, scores[1], weight)


def _after(own: Record, other: Record, score: float, weight: float) -> Record:
    if own.is_fixed:
        return own.after(score, own.rating, own.deviation)
    # The names are Glickman's: g, E and d.
    g = 1 / math.sqrt(1 + 3 * (_Q * other.deviation / math.pi) ** 2)
    expected = 1 / (1 + 10 ** (g * (other.rating - own.rating) / 400))
    known = 1 / own.deviation**2 + (_Q * g) ** 2 * expected * (1 - expected)
    change = _Q / known * g * (score - expected)
    deviation = max(LEAST_MARGIN, math.sqrt(1 / known))
    moved = own.deviation + weight * (deviation - own.deviation)
    return own.after(score, own.rating + weight * change, moved)
