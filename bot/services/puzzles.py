"""Puzzles: the next one for a person, the check of an answer, ratings and standings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from random import Random

from bot.domain.asker import Asker
from bot.domain.clock import moment_of
from bot.domain.errors import MatchError, NotFound, Refusal
from bot.domain.guest import is_guest
from bot.domain.leaderboard import RankedRecord
from bot.domain.person import Person
from bot.domain.puzzle import (
    Attempt,
    DayResult,
    Judged,
    PuzzleKind,
    Status,
    Task,
    daily,
    day_run,
    excused_days,
    suited_grade,
)
from bot.domain.rating import Record
from bot.domain.season import MIN_WINNERS
from bot.services.reviews import Reviews
from bot.store.shared import Conflict
from bot.store.stores import Stores
from engine.analysis.puzzles import puzzles, select
from engine.core import Limit, Move, State
from engine.games import spec_of
from engine.games.puzzle_themes import PuzzleTheme
from engine.score import Evaluation, Score, score_of_move

PAGE_ROWS = 10

SHOWN_SOLVERS = 8
"""People who are named as solvers of a day's puzzle in one server."""

LONGEST_SERVER_RUN = 365
"""Days in a row that are counted for a server."""

DAYS_OPEN = 30
"""How long a day's puzzle can be answered under its message."""

PROOF_SECONDS = 10.0
"""The engine's limit for one position; a puzzle takes it a moment."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of an answer. record: the person's new standing, None where nothing was rated.

    themes: of the puzzle, told once it is over.
    """

    before: Attempt
    attempt: Attempt
    judged: Judged
    record: Record | None
    themes: tuple[PuzzleTheme, ...] = ()


@dataclass(frozen=True, slots=True)
class PuzzleStanding:
    """A person's standing at puzzles. days: daily puzzles solved in a row, up to today or yesterday."""

    row: RankedRecord | None
    days: int


@dataclass(frozen=True, slots=True)
class PuzzleBoard:
    """One page of the leaderboard; `guild_id` None means everywhere. `own` is the reader's row, if any.

    has_medals: whether enough people have solved something for the first three to be crowned.
    """

    guild_id: int | None
    rows: tuple[RankedRecord, ...]
    page: int
    pages: int
    own: RankedRecord | None
    has_medals: bool


class Puzzles:
    """One for each process; lives on the event loop. clock: the UTC time. rng: draws the next puzzle."""

    def __init__(
        self,
        stores: Stores,
        reviews: Reviews,
        *,
        clock: Callable[[], datetime],
        rng: Random,
    ) -> None:
        self._store = stores.puzzles
        self._outages = stores.outages
        self._reviews = reviews
        self._clock = clock
        self._rng = rng

    @property
    def today(self) -> date:
        return self._clock().date()

    async def attempt(self, attempt_id: int) -> Attempt:
        """Raises NotFound."""
        found = await self._store.attempt(attempt_id)
        if found is None:
            raise NotFound("puzzle_gone")
        return found

    # Which puzzle

    async def play(
        self,
        person: Person,
        guild_id: int | None,
        game: str | None = None,
        grade: int | None = None,
        theme: PuzzleTheme | None = None,
    ) -> Attempt:
        """The puzzle that still waits for the person's answer, if it is of that kind, or a new one.

        game, grade, theme: None for any; without a grade, one that suits the person. Raises Refusal.
        """
        await asyncio.to_thread(puzzles)
        offered = select(game, grade, theme)
        if not offered:
            raise Refusal("puzzle_none_such" if theme is None else "puzzle_none_of_theme")
        waiting = await self._store.open_attempt(person.user_id, PuzzleKind.FREE)
        # One that was begun without a word of its theme is not the one that is asked for by it.
        if waiting is not None and waiting.task.key in offered and theme in (None, waiting.theme):
            return waiting
        tried = await self._store.tried(person.user_id)
        suited = suited_grade(await self._store.record(person.user_id))
        # When everything was tried there is always something to do again, though it no longer counts.
        fresh = [puzzle for key, puzzle in offered.items() if key not in tried] or list(offered.values())
        nearest = min(abs(puzzle.grade - suited) for puzzle in fresh)
        choices = [puzzle for puzzle in fresh if abs(puzzle.grade - suited) == nearest]
        return await self._begin(
            person, guild_id, PuzzleKind.FREE, Task.of(self._rng.choice(choices)), theme=theme
        )

    async def days_attempt(self, user_id: int, day: date) -> Attempt | None:
        """Return the person's try at that day's puzzle, if they made one on that day."""
        return await self._store.days_attempt(user_id, day)

    async def daily(self, person: Person, guild_id: int | None, day: date | None = None) -> Attempt:
        """The person's try at that day's puzzle (today's, without a day), as it stands; raises Refusal."""
        today = moment_of(person.pressed_at, self._clock()).date()
        day = day or today
        if not timedelta() <= today - day <= timedelta(days=DAYS_OPEN):
            raise Refusal("puzzle_day_over")
        puzzle = await asyncio.to_thread(daily, day)
        known = await self._store.days_attempt(person.user_id, day)
        if known is None and day != today:
            known = await self._store.last_attempt(person.user_id, puzzle.key)
        if known is not None:
            return known
        # An older day's puzzle is a puzzle like any other, not the day's any more.
        return await self._begin(
            person, guild_id, PuzzleKind.DAILY, Task.of(puzzle), day if day == today else None
        )

    async def again(self, attempt_id: int, person: Person) -> Attempt:
        """A new try at the same puzzle, which counts for nothing; raises Refusal."""
        before = await self.attempt(attempt_id)
        before.check_owner(person.user_id)
        if not before.is_over:
            raise Refusal("puzzle_moved_on")
        if spec_of(before.task.game).is_old(before.task.board):
            raise Refusal("old_rule", game=before.task.game)
        return await self._begin(person, before.guild_id, before.kind, before.task, theme=before.theme)

    async def _begin(
        self,
        person: Person,
        guild_id: int | None,
        kind: PuzzleKind,
        task: Task,
        day: date | None = None,
        theme: PuzzleTheme | None = None,
    ) -> Attempt:
        counts = not is_guest(person.user_id)  # a guest can try anew as another one
        at = moment_of(person.pressed_at, self._clock())
        attempt = Attempt(0, person.user_id, guild_id, kind, task, counts, at, day, theme=theme)
        return await self._store.add_attempt(attempt, person.account or person.name)

    # Answers

    async def answer(self, attempt_id: int, person: Person, turn: int, move: Move) -> Answered:
        """Return the attempt after the answer, and the engine's verdict; raises Refusal.

        It belongs to the day on which it was received, however long the engine takes to judge it.
        """
        at = moment_of(person.pressed_at, self._clock())
        before = await self.attempt(attempt_id)
        before.check(person.user_id, turn, move)
        judged = await self._judge(before, move)
        after = before.answered(judged, at)
        try:
            record = await self._store.save_attempt(before, after)
        except Conflict:
            # The stored attempt says why. The verdict cost a search, so it is not repeated.
            (await self.attempt(attempt_id)).check(person.user_id, turn, move)
            raise MatchError("busy") from None
        themes = await self.themes(before.task.key)
        return Answered(before, after, judged, record, themes)

    async def themes(self, key: str) -> tuple[PuzzleTheme, ...]:
        """Return the themes of the puzzle; () for one from a person's own match."""
        found = (await asyncio.to_thread(puzzles)).get(key)
        return () if found is None else found.themes

    async def solution(self, attempt_id: int, person: Person) -> tuple[Attempt, State, Evaluation]:
        """A failed attempt, the position where it went wrong, and the engine's move there; raises Refusal."""
        attempt = await self.attempt(attempt_id)
        attempt.check_owner(person.user_id)
        state = attempt.before_the_fault()
        found, best = await self._evaluate(attempt, state), await self._stored_best(attempt, state)
        if best is not None and not found.score.is_proved:
            found = Evaluation(Score.won(), (best,))
        return attempt, state, found

    async def _judge(self, attempt: Attempt, move: Move) -> Judged:
        """Plays the best defence on until the person has a move again."""
        player = attempt.player
        here = after = attempt.state.play(move)
        known = await self._evaluate(attempt, after)
        kept, replies = score_of_move(attempt.state, after, known.score), []
        if not kept.is_proved and move == await self._stored_best(attempt, attempt.state):
            kept = Score.won()  # it was proved when the puzzle was made, however busy this machine is
        while here.outcome() is None:
            first = here.legal_moves()[0]
            must_pass = spec_of(attempt.task.game).is_pass(here, first)
            if here.to_move is player and not must_pass:
                break
            if here.to_move is not player and here is not after:
                known = await self._evaluate(attempt, here)
            reply = first if must_pass or known.best is None else known.best
            replies.append(reply)
            here = here.play(reply)
        return Judged(move, kept, tuple(replies), await self._is_best(attempt, move, kept))

    async def _is_best(self, attempt: Attempt, move: Move, kept: Score) -> bool:
        """Return whether no move is known to be better; asked only for answers that get a mark."""
        # In the position of a puzzle one move alone wins, so each right answer to it is the best.
        if attempt.day is None or not attempt.moves or not kept.exact:
            return True
        known = await self._evaluate(attempt, attempt.state)
        return move == known.best or not known.score.exact or known.score == kept

    async def _stored_best(self, attempt: Attempt, state: State) -> Move | None:
        """Return the one winning move of a stored puzzle's position; None elsewhere."""
        stored = (await asyncio.to_thread(puzzles)).get(attempt.task.key)
        return None if stored is None or state != attempt.task.state else stored.best

    async def _evaluate(self, attempt: Attempt, state: State) -> Evaluation:
        # One browser can be many guests, which wait in one row.
        row = "guests" if is_guest(attempt.user_id) else attempt.guild_id or attempt.user_id
        asker, limit = Asker(("puzzle", row), attempt.user_id), Limit(seconds=PROOF_SECONDS)
        return await self._reviews.evaluate_for(asker, attempt.task.game, state, limit)

    # Standings

    async def standing(self, user_id: int) -> PuzzleStanding:
        """Everywhere, with the run of daily puzzles."""
        row = await self._store.ranked(None, user_id)
        return PuzzleStanding(row, await self.day_run(user_id, self.today))

    async def days_with(self, attempt: Attempt) -> int:
        """Return how many daily puzzles in a row the attempt has made; 0 unless it solved one of them."""
        if attempt.day is None or attempt.status is not Status.SOLVED:
            return 0
        return await self.day_run(attempt.user_id, attempt.day)

    async def day_run(self, user_id: int, day: date) -> int:
        """Return how many daily puzzles the person solved in a row, up to that day or the one before."""
        excused = excused_days(await self._outages.noted())
        return day_run(await self._store.solved_days(user_id), day, excused)

    async def first_tries(self, key: str) -> tuple[int, int]:
        """(how many people solved the puzzle at their first try, how many tried)."""
        record = await self._store.puzzle_record(key)
        return (0, 0) if record is None else (record.losses, record.games)

    async def solved_today(self) -> Mapping[int, int]:
        """Return for each server a number that changes with the people who solved today's puzzle there."""
        return await self._store.solved_in_servers(self.today)

    async def result_of_day(self, day: date, guild_id: int) -> DayResult:
        """Return what the server's people have made of that day's puzzle."""
        solved, answered = await self._store.results_of_day(day, guild_id)
        if not solved:
            return DayResult(solved, answered)
        excused = excused_days(await self._outages.noted())
        best = [
            replace(one, days=day_run(await self._store.solved_days(one.user_id), day, excused))
            for one in await self._store.best_solvers(day, guild_id, SHOWN_SOLVERS)
        ]
        days = [day - timedelta(days=back) for back in range(LONGEST_SERVER_RUN)]
        run = day_run(await self._store.days_of_server(guild_id, days), day, excused)
        return DayResult(solved, answered, tuple(best), run)

    async def leaderboard(self, guild_id: int | None, page: int, user_id: int) -> PuzzleBoard:
        """A page beyond the last is the last."""
        page = max(page, 1)
        found = await self._store.leaderboard(guild_id, offset=(page - 1) * PAGE_ROWS, limit=PAGE_ROWS)
        pages = max(1, -(-found.total // PAGE_ROWS))
        if page > pages:
            return await self.leaderboard(guild_id, pages, user_id)
        own = await self._store.ranked(guild_id, user_id)
        return PuzzleBoard(guild_id, found.rows, page, pages, own, found.winners >= MIN_WINNERS)
