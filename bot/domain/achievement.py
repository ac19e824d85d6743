"""Achievements: the table of them all, and the rules by which each is earned.

Most are decided by the moves alone, in the transaction that ends a match. Two need a review by the engine
first, and one counts puzzles. Only rated matches count, since a casual one has hints and undo; the first win
is earned in either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from bot.domain.match import Match
from bot.domain.result import End
from engine.agents.levels import LEVELS, Level, levels_of
from engine.analysis.review import Mark, Review, side_of
from engine.core import Player
from engine.games import GAMES, spec_of

PUZZLE_RUN = 10
"""How many puzzles in a row earn the achievement."""

LOST_WITHIN, LOST_BY = 5, 10
"""A position is lost for a comeback when the opponent is proved to win within LOST_WITHIN of its own
moves, or by at least LOST_BY discs. A proof alone is not enough: in some games a side is lost on the empty
board."""

PROVED_CHOICES = 6
"""Proved choices that perfect accuracy needs; Tic-tac-toe never has that many."""

_PLAYED_OUT = frozenset({End.LINE, End.BOARD_FULL, End.DISC_COUNT, End.POINTS, End.OTHER})


@dataclass(frozen=True, slots=True)
class Ended:
    """A match that has just ended with a result, seen from one person's seat.

    beaten: (game, level) of every agent that the person has beaten in counted matches, this one included.
    """

    match: Match
    player: Player
    beaten: frozenset[tuple[str, str]] = frozenset()

    @property
    def has_won(self) -> bool:
        return self.match.result is not None and self.match.result.winner is self.player

    @property
    def is_played_out(self) -> bool:
        """Whether it ended on the board, not by resignation or on time."""
        return self.match.result is not None and self.match.result.end in _PLAYED_OUT


@dataclass(frozen=True, slots=True)
class Achievement:
    """One achievement; exactly one of the rules decides it.

    key: stored, so it never changes. text: key of its name and description in the catalogues. goal: the count
    that earns it. game: the game whose ladder it is for. level: the level to beat. is_casual: whether a
    casual match earns it, too.
    """

    key: str
    emoji: str
    text: str
    by_moves: Callable[[Ended], bool] | None = None
    by_review: Callable[[Ended, Review], bool] | None = None
    by_run: Callable[[int], bool] | None = None
    goal: int = 1
    game: str | None = None
    level: Level | None = None
    is_casual: bool = False


def counts(match: Match) -> bool:
    """Whether achievements take the match into account."""
    return match.result is not None and match.result.counts and not match.is_short


def wants_review(match: Match) -> bool:
    """Whether a review of the match could earn a person an achievement."""
    return match.counts and bool(match.timed_moves) and any(seat.user_id is not None for seat in match.seats)


def earned_by_moves(ended: Ended) -> tuple[str, ...]:
    """Return the keys of the achievements that the moves earn, whether or not the person has them already."""
    return tuple(
        found.key
        for found in ACHIEVEMENTS.values()
        if found.by_moves and (found.is_casual or ended.match.rated) and found.by_moves(ended)
    )


def earned_by_review(ended: Ended, review: Review) -> tuple[str, ...]:
    """Return the keys of the achievements that the review earns."""
    return tuple(
        found.key for found in ACHIEVEMENTS.values() if found.by_review and found.by_review(ended, review)
    )


def earned_by_run(run: int) -> tuple[str, ...]:
    """Return the keys of the achievements for `run` puzzles solved in a row."""
    return tuple(found.key for found in ACHIEVEMENTS.values() if found.by_run and found.by_run(run))


def ladder_of(game: str) -> tuple[str, ...]:
    """Return the keys of the built-in levels that play the game, weakest first."""
    return tuple(level.key for level in levels_of(game))


def _corners(ended: Ended) -> int:
    """Return how many corners the person holds at the end."""
    state = ended.match.state
    last, width = state.rows * state.columns - 1, state.columns - 1
    cells = state.cells()
    return sum(cells[corner] is ended.player for corner in (0, width, last - width, last))


def _is_played_for_corners(ended: Ended) -> bool:
    return spec_of(ended.match.game).teach.rewards_corners and ended.is_played_out


def _took_no_corner(ended: Ended) -> bool:
    return _is_played_for_corners(ended) and ended.has_won and _corners(ended) == 0


def _took_all_corners(ended: Ended) -> bool:
    return _is_played_for_corners(ended) and _corners(ended) == 4


def _came_back(ended: Ended, review: Review) -> bool:
    """Whether the person won on the board after a lost position: see LOST_WITHIN."""
    if not (ended.has_won and ended.is_played_out):
        return False
    for ply, entry in enumerate(review.evaluations):
        if entry is None:
            continue
        score = entry.score if side_of(review.states, ply) is ended.player else -entry.score
        if score.result == -1:
            # A proof far from the end is not enough; nor is a lead in discs that is only bounded.
            is_near = score.moves is not None and score.moves <= LOST_WITHIN
            is_far_behind = score.exact and score.discs is not None and score.discs <= -LOST_BY
            if is_near or is_far_behind:
                return True
    return False


def _was_perfect(ended: Ended, review: Review) -> bool:
    """Whether no proved choice gave anything away, and no other was worse than good."""
    if not ended.is_played_out:
        return False
    proved = 0
    for ply, move in enumerate(review.reviewed):
        if side_of(review.states, ply) is not ended.player:
            continue
        if ply < ended.match.opening or review.is_unjudged(ply):  # given, not chosen, or no better or worse
            continue
        if move is None:  # not reviewed, so it may have been bad
            return False
        if move.is_forced:
            continue
        if move.before.is_proved and move.after.is_proved:
            if move.mark is not Mark.BEST:
                return False
            proved += 1
        elif move.mark not in (Mark.BEST, Mark.GOOD):
            return False
    return proved >= PROVED_CHOICES


def _beat(level: Level) -> Achievement:
    def has_beaten(ended: Ended) -> bool:
        return any(key == level.key for _, key in ended.beaten)

    return Achievement(f"level-{level.key}", "⚔️", "level", by_moves=has_beaten, level=level)


def _climbed(game: str) -> Achievement:
    ladder = ladder_of(game)

    def has_climbed(ended: Ended) -> bool:
        return all((game, key) in ended.beaten for key in ladder)

    return Achievement(f"ladder-{game}", "👑", "ladder", by_moves=has_climbed, goal=len(ladder), game=game)


_LISTED = (
    Achievement("first-win", "🏅", "first-win", by_moves=lambda ended: ended.has_won, is_casual=True),
    Achievement("no-corners", "🕳️", "no-corners", by_moves=_took_no_corner),
    Achievement("four-corners", "🏰", "four-corners", by_moves=_took_all_corners),
    Achievement("comeback", "🔥", "comeback", by_review=_came_back),
    Achievement("perfect", "🎯", "perfect", by_review=_was_perfect),
    Achievement("puzzle-run", "🧩", "puzzle-run", by_run=lambda run: run >= PUZZLE_RUN, goal=PUZZLE_RUN),
    *(_climbed(game) for game in GAMES if ladder_of(game)),
    *(_beat(level) for level in LEVELS),
)

ACHIEVEMENTS = MappingProxyType({achievement.key: achievement for achievement in _LISTED})
"""All achievements by key, in the order of display."""


@dataclass(frozen=True, slots=True)
class Award:
    """An achievement of a person, and the match that earned it."""

    user_id: int
    key: str
    match_id: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """Result of a review for one person. accuracy: 0 to 1, or None if they had no choice."""

    side: Player
    user_id: int
    accuracy: float | None
    earned: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AchievementTotals:
    """players: people with a rated match. holders: people by achievement, if there are any."""

    players: int
    holders: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The mean over a person's last reviewed matches, 0 to 1, and how many those are."""

    mean: float
    matches: int
