"""Attempts at puzzles, and how they are judged and rated."""

from __future__ import annotations

import enum
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta

from bot.domain.errors import Refusal
from bot.domain.names import CleanName
from bot.domain.playable import playable
from bot.domain.rating import Record, rate
from engine.analysis.puzzles import GRADES, Puzzle, select
from engine.core import IllegalMove, Move, Player, State, replay
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.puzzle_themes import PuzzleTheme
from engine.score import Score

MAX_OWN_MOVES = 3
"""Right moves of one's own that solve a puzzle, however far away the end of the game is."""

_WEEK = (1, 2, 2, 3, 3, 4, 5)
"""The grade of each weekday's puzzle, getting harder through the week."""

FIRST_DAY = date(2026, 1, 1)
"""The day of Daily 1."""

DAY = timedelta(days=1)

EXCUSED_AWAY = timedelta(hours=12)
"""How long the bot must be away within a day, in all, so that the day breaks no streak."""

EXCUSED_END = timedelta(minutes=10)
"""The last part of a day, without a break of the outage, for which that also holds."""

_STRIDE = 7919
"""A prime larger than any number of puzzles, so that its multiples visit each of them before any repeats."""

_RATING_OF_GRADE = (1050.0, 1275.0, 1500.0, 1725.0, 1950.0)
_MARGIN = 90.0
"""First rating and margin of a puzzle; people begin at 1500."""


class PuzzleKind(enum.StrEnum):
    """Source of a puzzle."""

    FREE = "free"
    DAILY = "daily"


class Status(enum.StrEnum):
    """State of an attempt: FAILED with the first wrong answer."""

    OPEN = "open"
    SOLVED = "solved"
    FAILED = "failed"


class AnswerMark(enum.StrEnum):
    """What an answer to the day's puzzle was worth."""

    BEST = "b"
    KEEPS = "k"
    """It keeps the win, but not in the fewest moves or by the most discs."""

    LOSES = "l"


def number_of(day: date) -> int:
    """Return the number of that day's puzzle, as in "Daily 331"."""
    return (day - FIRST_DAY).days + 1


def daily(day: date) -> Puzzle:
    """Return the puzzle of that day, the same for all players; none repeats within a year and a half."""
    week, weekday = divmod(day.toordinal() - 1, 7)
    grade = _WEEK[weekday]
    found = select(grade=grade)
    number = week * _WEEK.count(grade) + weekday - _WEEK.index(grade)
    return found[sorted(found)[number * _STRIDE % len(found)]]


@dataclass(frozen=True, slots=True)
class Task:
    """A position to solve.

    key: names the position, and never changes. line: the moves that lead to it. depth: as in engine's Puzzle;
    0 if unknown. goal: 1 to win, 0 to hold the draw.
    """

    key: str
    game: str
    board: str
    line: tuple[Move, ...]
    grade: int
    depth: int
    goal: int = 1

    @classmethod
    def of(cls, puzzle: Puzzle) -> Task:
        board = puzzle.rules.boards[0]
        return cls(puzzle.key, puzzle.game, board, puzzle.moves, puzzle.grade, puzzle.depth)

    @property
    def state(self) -> State:
        return replay(game_of(self.game).start(self.board), self.line)


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer judged by the engine.

    kept: the proved score after the answer, for the person. replies: the best defence, passes included, up to
    the person's next move or the end of the game. is_best: whether no move is known to be better.
    """

    move: Move
    kept: Score
    replies: tuple[Move, ...]
    is_best: bool = True


@dataclass(frozen=True, slots=True)
class Attempt:
    """One person's attempt at a puzzle.

    guild_id: the server it began in; None for direct messages. counts: whether it is the person's first
    attempt at the puzzle, which rates both. day: the day whose daily puzzle it answers; only the first
    attempt has one. moves: made so far, the engine's replies included. theme: the theme that the person
    chose. marks: of the answers to a day's puzzle.
    """

    id: int
    user_id: int
    guild_id: int | None
    kind: PuzzleKind
    task: Task
    counts: bool
    started_at: datetime
    day: date | None = None
    moves: tuple[Move, ...] = ()
    status: Status = Status.OPEN
    ended_at: datetime | None = None
    version: int = 0
    theme: PuzzleTheme | None = None
    marks: tuple[AnswerMark, ...] = ()

    @property
    def player(self) -> Player:
        """The side that the person plays."""
        return self.task.state.to_move

    @property
    def state(self) -> State:
        return replay(self.task.state, self.moves)

    @property
    def turn(self) -> int:
        """Counter of moves made; a press carries the one that it was made against."""
        return len(self.moves)

    @property
    def is_over(self) -> bool:
        return self.status is not Status.OPEN

    def check(self, user_id: int, turn: int, move: Move) -> None:
        """Raise Refusal unless the person may give that answer now."""
        self.check_owner(user_id)
        if self.is_over or turn != self.turn:
            raise Refusal("puzzle_moved_on")
        check_legal(self.task.game, self.state, move)

    def check_owner(self, user_id: int) -> None:
        """Raise Refusal unless it is that person's attempt."""
        if user_id != self.user_id:
            raise Refusal("puzzle_of_another")

    def answered(self, judged: Judged, now: datetime) -> Attempt:
        """Return the attempt after a checked answer; raises Refusal if its score is not proved."""
        result = judged.kept.result
        if result is None:
            raise Refusal("puzzle_unproved")
        after = self.state.play(judged.move)
        shown = (judged.move, *judged.replies)
        if result < self.task.goal:
            return self._marked(AnswerMark.LOSES)._ended(shown, Status.FAILED, now)
        marked = self._marked(AnswerMark.BEST if judged.is_best else AnswerMark.KEEPS)
        if after.outcome() is not None or self._own_moves() + 1 == MAX_OWN_MOVES:
            return marked._ended((judged.move,), Status.SOLVED, now)
        if replay(after, judged.replies).outcome() is not None:
            return marked._ended(shown, Status.SOLVED, now)
        return replace(marked, moves=self.moves + shown, version=self.version + 1)

    def before_the_fault(self) -> State:
        """Return the position of the wrong answer; raises Refusal unless the attempt failed."""
        if self.status is not Status.FAILED:
            raise Refusal("puzzle_moved_on")
        return self._choices()[-1]

    def _marked(self, mark: AnswerMark) -> Attempt:
        return self if self.day is None else replace(self, marks=(*self.marks, mark))

    def _ended(self, shown: tuple[Move, ...], status: Status, now: datetime) -> Attempt:
        moves = self.moves + shown
        return replace(self, moves=moves, status=status, ended_at=now, version=self.version + 1)

    def _own_moves(self) -> int:
        return len(self._choices())

    def _choices(self) -> Sequence[State]:
        """Return the positions in which the person made a move, without passes."""
        spec, state, found = spec_of(self.task.game), self.task.state, []
        player = state.to_move
        for move in self.moves:
            if state.to_move is player and not spec.is_pass(state, move):
                found.append(state)
            state = state.play(move)
        return found


@dataclass(frozen=True, slots=True)
class Solver:
    """A person who solved a day's puzzle. days: solved in a row, up to that one."""

    user_id: int
    name: CleanName
    marks: tuple[AnswerMark, ...]
    days: int = 0


@dataclass(frozen=True, slots=True)
class DayResult:
    """A day's puzzle in one server.

    solved, answered: how many people did so at their first try. best: those who solved it best. run: how many
    days in a row it was solved there.
    """

    solved: int = 0
    answered: int = 0
    best: tuple[Solver, ...] = ()
    run: int = 0


def check_legal(game: str, state: State, move: Move) -> None:
    """Raise Refusal unless the rules allow the move."""
    try:
        state.play(move)
    except IllegalMove as error:
        name = game_of(game).move_name(state, move)
        allowed = playable(game, state)
        raise Refusal(f"illegal_{error.reason}", move=name, why=str(error), allowed=allowed) from error


def first_record(grade: int) -> Record:
    """Return the first record of a puzzle of that grade."""
    return Record(_RATING_OF_GRADE[grade - 1], _MARGIN)


def rate_attempt(person: Record, puzzle: Record, *, is_solved: bool) -> tuple[Record, Record]:
    """Return both records after the person's first attempt: one wins, the other loses."""
    return rate(person, puzzle, Player.FIRST if is_solved else Player.SECOND)


def run_of(record: Record) -> int:
    """Return how many puzzles in a row the person has solved, up to the last one."""
    return max(0, record.streak)


def suited_grade(record: Record) -> int:
    """Return the grade nearest to the person's strength; newcomers begin low."""
    aim = record.rating - record.deviation
    return min(GRADES, key=lambda grade: abs(_RATING_OF_GRADE[grade - 1] - aim))


def day_run(days: Iterable[date], today: date, excused: Collection[date] = ()) -> int:
    """Return how many days in a row were solved up to today, or up to yesterday.

    days: solved ones, in any order. excused: days that break no run, and add nothing unless they are solved.
    """
    solved = set(days)
    day, length = today if today in solved else today - DAY, 0
    while day in solved or day in excused:
        length += day in solved
        day -= DAY
    return length


def excused_days(outages: Iterable[tuple[datetime, datetime]]) -> frozenset[date]:
    """Return the days in UTC that end no run, since the bot was away for half of them or at their end.

    outages: the beginning and the end of each, in any order; several processes may have noted the same one.
    """
    away: dict[date, timedelta] = {}
    for began_at, ended_at in _merged(outages):
        day = began_at.date()
        while day <= ended_at.date():
            midnight = datetime.combine(day + DAY, time(), UTC)
            # An outage over midnight took the last minutes in which people could still answer.
            is_at_end = began_at <= midnight - EXCUSED_END and ended_at >= midnight
            spent = min(ended_at, midnight) - max(began_at, midnight - DAY)
            away[day] = DAY if is_at_end else away.get(day, timedelta()) + spent
            day += DAY
    return frozenset(day for day, span in away.items() if span >= EXCUSED_AWAY)


def _merged(outages: Iterable[tuple[datetime, datetime]]) -> list[tuple[datetime, datetime]]:
    """Return the spans in which at least one of the outages lasted."""
    spans: list[tuple[datetime, datetime]] = []
    for began_at, ended_at in sorted(outages):
        if spans and began_at <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], ended_at)
        else:
            spans.append((began_at, ended_at))
    return spans
