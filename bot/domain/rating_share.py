"""How much a result counts, so that ratings can be neither farmed nor protected."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from bot.domain.match import Match
from bot.domain.result import End
from engine.core import Player

Weights = tuple[float, float]
"""Factor of each side's rating change, from 0 to 1, by Player."""


@dataclass(frozen=True, slots=True)
class Share:
    """How much a match counts. is_easy: whether it is an easy win, which counts less after EASY_WINS of
    them."""

    weights: Weights = (1.0, 1.0)
    is_easy: bool = False


SAME_OPPONENT_WITHIN = timedelta(days=1)
"""Within this time each further match of the same two players counts half as much as the one before."""

EASY_WITHIN, EASY_WINS = timedelta(days=30), 5
"""Within that time EASY_WINS of a person's easy wins at a game count in full, each further one half as
much."""

EASY_WIN_GAP = 300
"""A win is easy if the opponent had this many points less."""

EXPERIENCED = 5
"""A win is also easy over a person with fewer counted matches of the game against other opponents."""

GIVEN_UP_EARLY = 0.25
"""Factor for a win by resignation, on time or by agreement early in the game."""

_GIVEN_UP = frozenset({End.RESIGNATION, End.TIME, End.AGREEMENT})


def is_far_weaker(winner_points: int, loser_points: int) -> bool:
    """Whether the win is easy by the points of both before the match."""
    return winner_points - loser_points >= EASY_WIN_GAP


def is_given_up_early(match: Match) -> bool:
    """Whether it was given up before as many moves as a quarter of the board's cells."""
    cells = match.state.rows * match.state.columns
    return match.result is not None and match.result.end in _GIVEN_UP and 4 * match.turn < cells


def weights_of(match: Match, *, met: int, easy_wins: int) -> Weights:
    """Return the weights of a match that has ended.

    met: matches of these two counted within SAME_OPPONENT_WITHIN before it. easy_wins: the winner's easy wins
    counted within EASY_WITHIN before it, if it is another one; else 0.
    """
    share = 0.5 ** (met + max(0, easy_wins + 1 - EASY_WINS))
    winner = None if match.result is None else match.result.winner
    early = GIVEN_UP_EARLY if is_given_up_early(match) else 1.0
    # The loser of an early resignation loses in full, or resigning would protect a rating.
    first, second = (
        share if winner is not None and player is not winner else share * early for player in Player
    )
    return first, second
