"""Predictions: the odds of a match when it begins, and the points of a guess."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import timedelta
from functools import cache

from bot.domain.errors import MatchError
from bot.domain.match import Match
from bot.domain.names import CleanName
from bot.domain.rating import Record, expected_score
from bot.domain.result import Result
from engine.arena.elo_table import rated_levels

CLOSING_TURN = 6
"""Guesses are taken until that many moves are made."""

HEAD_START = timedelta(seconds=30)
"""How long the first move of a match between agents waits for guesses."""

KEPT_FOR = timedelta(days=366)
"""How long guesses stay stored: past months can be looked at."""


class Pick(enum.IntEnum):
    """The guess of a match's end. A win has the number of its player."""

    FIRST = 0
    SECOND = 1
    DRAW = 2


@dataclass(frozen=True, slots=True)
class Odds:
    """The chances of each end in percent, together 100. draw: 0 where the game has none."""

    first: int
    draw: int
    second: int

    def of(self, pick: Pick) -> int:
        return {Pick.FIRST: self.first, Pick.DRAW: self.draw, Pick.SECOND: self.second}[pick]


def odds_between(game: str, first: Record, second: Record) -> Odds:
    """Return the odds by ratings alone, not by the first move; a win has a chance of 1 % at least.

    Draws are likeliest between equals: at an expected score E their chance is 4 E (1 - E) times that of
    equals in the game, as the games of its ladder had it.
    """
    expected = expected_score(first, second)
    draw = min(4 * expected * (1 - expected) * _draws_of_equals(game), 2 * min(expected, 1 - expected))
    wins = [min(max(round(100 * (score - draw / 2)), 1), 99) for score in (expected, 1 - expected)]
    if not draw:
        wins[1] = 100 - wins[0]
    return Odds(wins[0], 100 - sum(wins), wins[1])


@cache
def _draws_of_equals(game: str) -> float:
    """Return the share of draws between equals; the ladder's neighbours are not quite equal."""
    duels = [row.below for row in rated_levels(game) if row.below is not None]
    weight = sum(4 * duel.score * (1 - duel.score) * duel.games for duel in duels)
    return min(sum(duel.draws for duel in duels) / weight, 0.9) if weight else 0.0


def points_of(chance: int, *, is_right: bool) -> int:
    """Return the points of a guess that was offered at that chance in percent.

    A guess is taken for a forecast half way between the odds and certainty. Its points are a hundred times
    the amount by which its error, squared (Brier, "Verification of Forecasts Expressed in Terms of
    Probability", 1950), is smaller than that of the odds: from 75 for the boldest right guess to -33.
    """
    offered, came = chance / 100, float(is_right)
    forecast = (1 + offered) / 2
    return round(100 * ((offered - came) ** 2 - (forecast - came) ** 2))


def pick_of(result: Result, odds: Odds) -> Pick | None:
    """Return the guess that came true; None for an end that counts for no guess."""
    if not result.counts or (result.winner is None and not odds.draw):
        return None
    return Pick.DRAW if result.winner is None else Pick(result.winner)


def check_guess(match: Match, user_id: int) -> None:
    """Raise MatchError unless that person may guess the end of the match now."""
    if match.players_of(user_id):
        raise MatchError("predict_own")
    if match.is_over or match.turn >= CLOSING_TURN:
        raise MatchError("predict_closed", turn=CLOSING_TURN)


def is_for_fun(match: Match, user_id: int | None = None) -> bool:
    """Return whether a guess counts no points: by that person, or None for by others.

    Two bots play alike often enough to be learned by watching, and people may begin their match as often as
    they like. The person that began a match by votes may stop it.
    """
    return (match.is_watched and not match.is_voted) or (user_id is not None and match.begun_by == user_id)


@dataclass(frozen=True, slots=True)
class Predicted:
    """A match whose end people guess. guesses: how many people have. is_dropped: they may not any more."""

    match_id: int
    guild_id: int
    odds: Odds
    guesses: int = 0
    is_dropped: bool = False


@dataclass(frozen=True, slots=True)
class Foresight:
    """How many guesses of a match were right, and the first of these. turn: at that one.

    came: the end; None for one that counts for no guess.
    """

    came: Pick | None
    right: int = 0
    guesses: int = 0
    name: CleanName | None = None
    turn: int = 0


@dataclass(frozen=True, slots=True)
class Guesser:
    """A row of the leaderboard of guessers: equal points share a rank."""

    rank: int | None
    user_id: int
    name: CleanName
    points: int
    guesses: int
