"""How much of a result counts, so that ratings can be neither farmed nor dodged."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bot.domain.match import End, Match
from engine.core import Player

Weights = tuple[float, float]
"""The share of its usual change that each side's rating makes, from 0 to 1, by Player."""


@dataclass(frozen=True, slots=True)
class Share:
    """What a match counts. is_easy: it is an easy win, of which only so many count in full."""

    weights: Weights = (1.0, 1.0)
    is_easy: bool = False


SAME_OPPONENT_WITHIN = timedelta(days=1)
"""Of two players' matches within that time the first counts in full, each later one half as much."""

EASY_WITHIN, EASY_WINS = timedelta(days=30), 5
"""So many easy wins of a person at a game count in full within that time, each later one half as much."""

FAR = 300
"""A win over somebody who is so many points weaker is an easy one."""

EXPERIENCED = 5
"""So is one over a person with fewer matches of the game against anybody else."""

GIVEN_UP_EARLY = 0.25
"""What counts of a win that was given away before there was much of a game."""

_GIVEN_UP = frozenset({End.RESIGNATION, End.TIME, End.AGREEMENT})


def is_far_weaker(winner_points: int, loser_points: int) -> bool:
    """Whether it was to be expected that the winner wins, by the points of both before the match."""
    return winner_points - loser_points >= FAR


def is_given_up_early(match: Match) -> bool:
    """Whether it ended off the board with fewer moves made than a quarter of the board has cells."""
    cells = match.state.rows * match.state.columns
    return match.result is not None and match.result.end in _GIVEN_UP and 4 * match.turn < cells


def weights_of(match: Match, *, met: int, easy_wins: int) -> Weights:
    """What each side's rating makes of the match, which has ended.

    met: matches of these two that were counted within SAME_OPPONENT_WITHIN before. easy_wins: the winner's
    that were counted within EASY_WITHIN before, where this is one more, else 0.
    """
    share = 0.5 ** (met + max(0, easy_wins + 1 - EASY_WINS))
    winner = None if match.result is None else match.result.winner
    early = GIVEN_UP_EARLY if is_given_up_early(match) else 1.0
    # Whoever gives up early loses as always: else it would be a way out of losing.
    first, second = (
        share if winner is not None and player is not winner else share * early for player in Player
    )
    return first, second
