"""Attempts at puzzles: what is to be found, what an answer makes of it, and what it counts for."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

from bot.domain.errors import Refusal
from bot.domain.playable import playable
from bot.domain.rating import Record, rate
from engine.analysis.puzzles import GRADES, Puzzle
from engine.core import IllegalMove, Move, Player, State, replay
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.puzzle_themes import PuzzleTheme
from engine.score import Score

MOST_MOVES = 3
"""So many right moves of one's own solve a puzzle, however far away the end still is."""

_RATING_OF_GRADE = (1050.0, 1275.0, 1500.0, 1725.0, 1950.0)
_MARGIN = 90.0
"""Where a puzzle begins, on the scale of `rating`, where people begin at 1500."""


class PuzzleKind(enum.StrEnum):
    """Where a puzzle came from."""

    FREE = "free"
    DAILY = "daily"
    OWN = "own"


class Status(enum.StrEnum):
    """OPEN while an answer is awaited; FAILED with the first wrong one."""

    OPEN = "open"
    SOLVED = "solved"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Task:
    """What is to be solved. line: the moves that lead there. goal: 1 to win, 0 to hold the draw.

    key: names the position for ever. depth: as of engine's Puzzle; 0 where nothing is to be said of it.
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
    """An answer looked at by the engine. kept: what the person still gets, proved.

    replies: the best defence, passes included, up to where the person moves again or the game is over.
    """

    move: Move
    kept: Score
    replies: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """One person at one puzzle. moves: made since the position was shown, the engine's replies included.

    guild_id: where it was begun; None outside of servers. counts: it is the person's first try at the puzzle,
    and so rates both. day: whose daily puzzle it answers; only the first try at that has one. theme: the one
    that the person asked for.
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

    @property
    def player(self) -> Player:
        """Whose side the person has."""
        return self.task.state.to_move

    @property
    def state(self) -> State:
        return replay(self.task.state, self.moves)

    @property
    def turn(self) -> int:
        """Grows with every answer; a press says against which it was made."""
        return len(self.moves)

    @property
    def is_over(self) -> bool:
        return self.status is not Status.OPEN

    def check(self, user_id: int, turn: int, move: Move) -> None:
        """Raises Refusal unless the person may give that answer now."""
        self.check_owner(user_id)
        if self.is_over or turn != self.turn:
            raise Refusal("puzzle_moved_on")
        check_legal(self.task.game, self.state, move)

    def check_owner(self, user_id: int) -> None:
        """Raises Refusal for everybody but the person whose attempt it is."""
        if user_id != self.user_id:
            raise Refusal("puzzle_of_another")

    def answered(self, judged: Judged, now: datetime) -> Attempt:
        """The attempt after a checked answer; raises Refusal when nobody could prove what it keeps."""
        result = judged.kept.result
        if result is None:
            raise Refusal("puzzle_unproved")
        after = self.state.play(judged.move)
        shown = (judged.move, *judged.replies)
        if result < self.task.goal:
            return self._ended(shown, Status.FAILED, now)
        if after.outcome() is not None or self._own_moves() + 1 == MOST_MOVES:
            return self._ended((judged.move,), Status.SOLVED, now)
        if replay(after, judged.replies).outcome() is not None:
            return self._ended(shown, Status.SOLVED, now)
        return replace(self, moves=self.moves + shown, version=self.version + 1)

    def before_the_fault(self) -> State:
        """The last position in which the person had the choice; raises Refusal unless they failed."""
        if self.status is not Status.FAILED:
            raise Refusal("puzzle_moved_on")
        return self._choices()[-1]

    def _ended(self, shown: tuple[Move, ...], status: Status, now: datetime) -> Attempt:
        moves = self.moves + shown
        return replace(self, moves=moves, status=status, ended_at=now, version=self.version + 1)

    def _own_moves(self) -> int:
        return len(self._choices())

    def _choices(self) -> Sequence[State]:
        """The positions in which the person made a move, passes left out."""
        spec, state, found = spec_of(self.task.game), self.task.state, []
        player = state.to_move
        for move in self.moves:
            if state.to_move is player and not spec.is_pass(state, move):
                found.append(state)
            state = state.play(move)
        return found


def check_legal(game: str, state: State, move: Move) -> None:
    """Raises Refusal unless the rules allow the move."""
    try:
        state.play(move)
    except IllegalMove as error:
        name = game_of(game).move_name(state, move)
        allowed = playable(game, state)
        raise Refusal(f"illegal_{error.reason}", move=name, why=str(error), allowed=allowed) from error


def first_record(grade: int) -> Record:
    """What is believed of a puzzle of that grade before anybody has tried it."""
    return Record(_RATING_OF_GRADE[grade - 1], _MARGIN)


def rate_attempt(person: Record, puzzle: Record, *, is_solved: bool) -> tuple[Record, Record]:
    """Both after the person's first try: one wins, the other loses."""
    return rate(person, puzzle, Player.FIRST if is_solved else Player.SECOND)


def run_of(record: Record) -> int:
    """How many puzzles in a row the person has solved, up to the last one."""
    return max(0, record.streak)


def suited_grade(record: Record) -> int:
    """The grade that a person of that standing will find neither dull nor hopeless; newcomers begin low."""
    aim = record.rating - record.deviation
    return min(GRADES, key=lambda grade: abs(_RATING_OF_GRADE[grade - 1] - aim))


def day_run(days: Sequence[date], today: date) -> int:
    """How many days in a row up to today, or up to yesterday while today's is open; days: any order."""
    solved = {day.toordinal() for day in days}
    last = today.toordinal() if today.toordinal() in solved else today.toordinal() - 1
    length = 0
    while last - length in solved:
        length += 1
    return length


class PostStatus(enum.StrEnum):
    """CLAIMED: about to be sent. REFUSED: Discord does not let us; nothing more happens that day."""

    CLAIMED = "claimed"
    SENT = "sent"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Post:
    """A server's message of one day's puzzle."""

    guild_id: int
    day: date
    channel_id: int
    status: PostStatus = PostStatus.CLAIMED
    message_id: int | None = None
