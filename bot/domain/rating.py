"""Ratings and records of players: what one result changes, as a pure function.

Skill is openskill's Plackett–Luce model (Weng and Lin, "A Bayesian Approximation Method for Online
Ranking", JMLR 12, 2011): a normal belief (mu, sigma) for each player, game and scope.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from openskill.models import PlackettLuce

from engine.core import Player

_MODEL = PlackettLuce()

POINTS_AT_ZERO = 1000
POINTS_PER_UNIT = 30
"""Points shown to people: a newcomer's ordinal of 0 is 1000, and one unit of skill is 30 points."""


@dataclass(frozen=True, slots=True)
class Record:
    """One player's standing in one game and scope.

    mu, sigma: the belief about the skill, openskill's scale.
    streak: wins in a row if positive, losses in a row if negative; a draw resets it to 0.
    """

    mu: float = _MODEL.mu
    sigma: float = _MODEL.sigma
    wins: int = 0
    draws: int = 0
    losses: int = 0
    streak: int = 0
    best_streak: int = 0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> int:
        """The rating shown: skill that the player has with near certainty (mu - 3 sigma), in points."""
        return round(POINTS_AT_ZERO + POINTS_PER_UNIT * (self.mu - 3 * self.sigma))

    def counted(self, score: float) -> Record:
        """The record after a win (1), a draw (0.5) or a loss (0); the belief is not touched."""
        if score == 1:
            streak = max(self.streak, 0) + 1
            return replace(self, wins=self.wins + 1, streak=streak, best_streak=max(self.best_streak, streak))
        if score == 0:
            return replace(self, losses=self.losses + 1, streak=min(self.streak, 0) - 1)
        return replace(self, draws=self.draws + 1, streak=0)


def rate(first: Record, second: Record, winner: Player | None, weight: float = 1.0) -> tuple[Record, Record]:
    """Both records after a result between them; `winner` None is a draw.

    weight: the share of the change of both beliefs that is made, from 0 to 1.
    """
    teams = [[_MODEL.rating(mu=record.mu, sigma=record.sigma)] for record in (first, second)]
    scores = [0.5, 0.5] if winner is None else [float(player is winner) for player in Player]
    rated = _MODEL.rate(teams, scores=scores)
    after = [
        replace(
            record.counted(score),
            mu=_part(record.mu, team[0].mu, weight),
            sigma=_part(record.sigma, team[0].sigma, weight),
        )
        for record, score, team in zip((first, second), scores, rated, strict=True)
    ]
    return after[0], after[1]


def _part(before: float, after: float, weight: float) -> float:
    return after if weight == 1.0 else before + weight * (after - before)
