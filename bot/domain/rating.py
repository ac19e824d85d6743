"""Ratings and records of players, and how a result changes them.

The rating is Glicko (Glickman, "Parameter Estimation in Large Dynamic Paired Comparison Experiments", Applied
Statistics 48, 1999): a strength on the Elo scale and its standard deviation. Glicko-2 adds a volatility,
which needs rating periods of ten matches or more; here every match is counted by itself.

The ratings of built-in agents are fixed: they were measured as the ladder of their game.
"""

from __future__ import annotations

import functools
import hashlib
import math
from dataclasses import dataclass

from engine.agents.echo import elo_in
from engine.arena.elo_table import ADDED_LATER, rated_levels, rating_of
from engine.arena.mixture import mixture
from engine.core import Player

START, START_MARGIN = 1500.0, 350.0
"""Rating of a newcomer in a game without a ladder, and deviation of all newcomers."""

MIN_DEVIATION = 60.0
"""Lower bound of deviations, so that the rating of a player who improves still follows."""

SETTLED_UNDER = 110
"""A rating is provisional until its margin is under it."""

_Q = math.log(10) / 400

_TO_DEVIATION = 2 * 1.96
"""Divides the width of a ladder's 95 % interval; a margin is one standard deviation."""


@dataclass(frozen=True, slots=True)
class Record:
    """One player's standing in one game and scope.

    rating, deviation: estimate of the strength in Elo, and its standard deviation. streak: wins in a row if
    positive, losses in a row if negative; a draw resets it to 0. is_fixed: whether the strength was measured,
    so that results do not change it.
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
        """The rating as displayed."""
        return round(self.rating)

    @property
    def margin(self) -> int:
        """Displayed margin of error: the strength is within it in two of three cases."""
        return round(self.deviation)

    @property
    def is_settled(self) -> bool:
        """Whether the rating is precise enough for a rank."""
        return self.margin < SETTLED_UNDER

    def after(self, score: float, rating: float, deviation: float) -> Record:
        """Return the record after a win (1), a draw (0.5) or a loss (0), with its new rating."""
        won, lost = score == 1, score == 0
        streak = max(self.streak, 0) + 1 if won else min(self.streak, 0) - 1 if lost else 0
        # `replace` would take longer than all the rest, and a recount makes millions of records.
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
    """Return a person's record before their first match.

    Its rating is that of the level a quarter of the way up the game's ladder.
    """
    ladder = [row for row in rated_levels(game) if row.key not in ADDED_LATER]
    return Record(float(ladder[len(ladder) // 4].elo)) if ladder else Record()


def first_record(game: str, level: str | None) -> Record:
    """Return the record of a player without a match: a person (None), or an agent as it was measured."""
    elo = elo_in(level)
    mixed = None if elo is None else mixture(game, elo)
    if mixed is not None:
        return Record(float(mixed.elo), mixed.margin / 1.96, is_fixed=True)
    measured = None if level is None else rating_of(game, level)
    if measured is None:
        return newcomer(game)
    return Record(float(measured.elo), (measured.high - measured.low) / _TO_DEVIATION, is_fixed=True)


@functools.cache
def scale(game: str) -> str:
    """Return a hash of how a game's ratings are computed; it changes when its ladder is measured again."""
    ladder = [(row.key, row.elo, row.low, row.high) for row in rated_levels(game)]
    anchors = ("glicko", MIN_DEVIATION, newcomer(game).rating, ladder)
    return hashlib.sha256(repr(anchors).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Stake:
    """One side's record before a rated match, and the points by which a win and a loss change it in full."""

    record: Record
    win: int
    loss: int


Stakes = tuple[Stake, Stake]
"""Of both sides, by Player."""


def stakes_between(first: Record, second: Record) -> Stakes:
    """Return what both sides can win and lose in a match between them."""
    (first_won, second_lost), (first_lost, second_won) = (rate(first, second, side) for side in Player)
    return (
        Stake(first, first_won.points - first.points, first_lost.points - first.points),
        Stake(second, second_won.points - second.points, second_lost.points - second.points),
    )


def rate(first: Record, second: Record, winner: Player | None, weight: float = 1.0) -> tuple[Record, Record]:
    """Return both records after a result between them; `winner` None is a draw.

    weight: factor of the changes of ratings and deviations, from 0 to 1.
    """
    scores = [0.5, 0.5] if winner is None else [float(player is winner) for player in Player]
    return _after(first, second, scores[0], weight), _after(second, first, scores[1], weight)


def expected_score(first: Record, second: Record) -> float:
    """Return the first player's expected score; doubt about ratings draws it towards a half (Glickman)."""
    variance = first.deviation**2 + second.deviation**2
    g = 1 / math.sqrt(1 + 3 * variance * (_Q / math.pi) ** 2)
    return 1 / (1 + 10 ** (g * (second.rating - first.rating) / 400))


def _after(own: Record, other: Record, score: float, weight: float) -> Record:
    if own.is_fixed:
        return own.after(score, own.rating, own.deviation)
    # The names are Glickman's: g, E and d.
    g = 1 / math.sqrt(1 + 3 * (_Q * other.deviation / math.pi) ** 2)
    expected = 1 / (1 + 10 ** (g * (other.rating - own.rating) / 400))
    known = 1 / own.deviation**2 + (_Q * g) ** 2 * expected * (1 - expected)
    change = _Q / known * g * (score - expected)
    deviation = max(MIN_DEVIATION, math.sqrt(1 / known))
    moved = own.deviation + weight * (deviation - own.deviation)
    return own.after(score, own.rating + weight * change, moved)
