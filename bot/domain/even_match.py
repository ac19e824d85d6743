"""The strength at which Echo scores half of the points against a person.

The person's strength is estimated from their rating, its margin, and their last results against Echo:
Bayes' rule on a grid. The prior is as wide as the margin and has heavy tails, since a newcomer may be far
from the rating that all begin with, and then a few results should tell. A person who has won more than half
of those matches gets an opponent above that strength, and one who has lost more gets one below.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.match import Match
from bot.domain.rating import Record
from engine.arena.elo_table import rated_levels
from engine.arena.mixture import level_of_move
from engine.core import Player

STEP = 25
"""Strengths are multiples of it, in Elo."""

RESULTS = 20
"""The last results that count."""

_REACH = 2000
"""How far a person's strength may be from their rating."""

_CERTAIN = 140
"""The margin at which the prior is a Cauchy distribution; its tails are heavier above, lighter below."""

_PER_POINT, _MOST = 0.08, 0.25
"""The change of the expected score for each point above half, and its bound."""


@dataclass(frozen=True, slots=True)
class EchoResult:
    """One result against Echo. elo: Echo's strength. score: the person's, 1, 0.5 or 0."""

    elo: int
    score: float


def even_elo(game: str, record: Record, results: Sequence[EchoResult], highest: int | None = None) -> int:
    """Return Echo's strength in the person's next match.

    record: the person's. results: the last ones, the latest first. highest: Elo of the strongest level that
    is open to them; None for all. Raises ValueError without a measured ladder.
    """
    ladder = rated_levels(game)
    if not ladder:
        raise ValueError(f"the levels of {game} are not measured")
    weakest, strongest = ladder[0].elo, ladder[-1].elo if highest is None else highest
    beliefs = _beliefs(record, results[:RESULTS])
    surplus = sum(result.score - 0.5 for result in results[:RESULTS])
    wanted = 0.5 - min(_MOST, max(-_MOST, _PER_POINT * surplus))
    strengths = [elo for elo in range(0, 10_000, STEP) if weakest <= elo <= strongest] or [weakest]
    # The score falls as the strength rises.
    found = bisect_left(strengths, -wanted, key=lambda elo: -_mean_score(beliefs, elo))
    near = strengths[max(0, found - 1) : found + 1]
    return min(near, key=lambda elo: abs(_mean_score(beliefs, elo) - wanted))


def _mean_score(beliefs: Sequence[tuple[int, float]], elo: int) -> float:
    """Return the points a game that the person can expect against that strength."""
    return sum(part * expected_score(own, elo) for own, part in beliefs)


def level_at(match: Match, player: Player, ply: int) -> str:
    """Return the key of the level that makes the agent's move at that ply: one of Echo's two, for Echo."""
    return level_of_move(match.game, match.board, match.seats[player].level or "", match.id, ply)


def expected_score(elo: float, other: float) -> float:
    """Return the points a game that Elo's formula expects against the other strength."""
    return 1 / (1 + 10 ** ((other - elo) / 400))


def _beliefs(record: Record, results: Sequence[EchoResult]) -> list[tuple[int, float]]:
    """Return the probability of each strength of the person."""
    strengths = range(record.points - _REACH, record.points + _REACH + 1, STEP)
    logs = []
    for elo in strengths:
        log = -_CERTAIN / record.deviation * math.log1p(((elo - record.rating) / record.deviation) ** 2)
        for result in results:
            expected = expected_score(elo, result.elo)
            log += result.score * math.log(expected) + (1 - result.score) * math.log1p(-expected)
        logs.append(log)
    top = max(logs)
    weights = [math.exp(log - top) for log in logs]
    whole = sum(weights)
    return [(elo, weight / whole) for elo, weight in zip(strengths, weights, strict=True)]
