"""Achievements: the table of them all, and the pure rules by which each is earned.

Some are decided by the moves alone, in the transaction that ends a match. Two need the match to be reviewed
by the engine first, and one counts puzzles. Only rated matches count: a casual one has hints and undo.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType

from bot.domain.match import End, Match
from engine.agents.levels import LEVELS, Level, levels_of
from engine.analysis.review import Mark, Review, side_of
from engine.core import Player
from engine.games import GAMES, spec_of

PUZZLE_RUN = 10
"""Puzzles to be solved in a row."""

LOST_WITHIN, LOST_BY = 5, 10
"""A position counts as lost when it is proved that the other side wins within so many moves of its own, or
where they are counted by at least so many discs. (In some games a side is lost on an empty board.)"""

PROVED_CHOICES = 6
"""Choices of one's own that must be proved for perfect accuracy, which leaves Tic-tac-toe out."""

_PLAYED_OUT = frozenset({End.LINE, End.BOARD_FULL, End.DISC_COUNT})


@dataclass(frozen=True, slots=True)
class Ended:
    """A match that counts and has just ended, seen from one person's seat.

    beaten: (game, level) of every agent that the person has ever beaten in such a match, this one included.
    """

    match: Match
    player: Player
    beaten: frozenset[tuple[str, str]] = frozenset()

    @property
    def has_won(self) -> bool:
        return self.match.result is not None and self.match.result.winner is self.player

    @property
    def is_played_out(self) -> bool:
        """Ended on the board, nobody resigned or ran out of time."""
        return self.match.result is not None and self.match.result.end in _PLAYED_OUT


@dataclass(frozen=True, slots=True)
class Achievement:
    """One thing to be proud of; exactly one of the rules decides it.

    key: stored, so it never changes. text: what its name and description are called in the catalogues.
    goal: how many of what is counted it takes. game: the ladder it crowns; level: whom it takes to beat.
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


def counts(match: Match) -> bool:
    """Whether the match is over and one that achievements look at."""
    return match.counts


def wants_review(match: Match) -> bool:
    """Whether there may be something to find for a person by looking at the match's moves."""
    return counts(match) and bool(match.timed_moves) and any(seat.user_id is not None for seat in match.seats)


def earned_by_moves(ended: Ended) -> tuple[str, ...]:
    """The keys of what the match has earned the person, whether they had it before or not."""
    return tuple(found.key for found in ACHIEVEMENTS.values() if found.by_moves and found.by_moves(ended))


def earned_by_review(ended: Ended, review: Review) -> tuple[str, ...]:
    """The same for what only the engine can see."""
    return tuple(
        found.key for found in ACHIEVEMENTS.values() if found.by_review and found.by_review(ended, review)
    )


def earned_by_run(run: int) -> tuple[str, ...]:
    """The same after so many puzzles solved in a row."""
    return tuple(found.key for found in ACHIEVEMENTS.values() if found.by_run and found.by_run(run))


def ladder_of(game: str) -> tuple[str, ...]:
    """The keys of the built-in levels that play the game, weakest first."""
    return tuple(level.key for level in levels_of(game))


def _corners(ended: Ended) -> int:
    """How many corners the person holds at the end."""
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
    """Won on the board what was proved lost, and nearly over, at some moment."""
    if not (ended.has_won and ended.is_played_out):
        return False
    for ply, entry in enumerate(review.evaluations):
        if entry is None:
            continue
        score = entry.score if side_of(review.states, ply) is ended.player else -entry.score
        if score.result == -1:
            is_near = score.moves is not None and score.moves <= LOST_WITHIN
            is_far_behind = score.exact and score.discs is not None and score.discs <= -LOST_BY
            if is_near or is_far_behind:
                return True
    return False


def _was_perfect(ended: Ended, review: Review) -> bool:
    """No proved choice gave anything away, and no other was worse than good."""
    if not ended.is_played_out:
        return False
    proved = 0
    for ply, move in enumerate(review.reviewed):
        if side_of(review.states, ply) is not ended.player:
            continue
        if ply < ended.match.opening:
            continue
        if move is None:
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
    Achievement("first-win", "🏅", "first-win", by_moves=lambda ended: ended.has_won),
    Achievement("no-corners", "🕳️", "no-corners", by_moves=_took_no_corner),
    Achievement("four-corners", "🏰", "four-corners", by_moves=_took_all_corners),
    Achievement("comeback", "🔥", "comeback", by_review=_came_back),
    Achievement("perfect", "🎯", "perfect", by_review=_was_perfect),
    Achievement("puzzle-run", "🧩", "puzzle-run", by_run=lambda run: run >= PUZZLE_RUN, goal=PUZZLE_RUN),
    *(_climbed(game) for game in GAMES if ladder_of(game)),
    *(_beat(level) for level in LEVELS),
)

ACHIEVEMENTS = MappingProxyType({achievement.key: achievement for achievement in _LISTED})
"""All there are, by key, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class Award:
    """An achievement that somebody has earned, and in which match."""

    user_id: int
    key: str
    match_id: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class ReviewFinding:
    """What a review found of one person in a match. accuracy: 0 to 1, or None without a choice of theirs."""

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
