"""Training: keeps the blunders of a person's own games, and brings them again until they are learnt."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial

from bot.domain.asker import Asker
from bot.domain.clock import moment_of
from bot.domain.errors import MatchError, NotFound, Refusal
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.puzzle import check_legal
from bot.domain.training import MAX_MISTAKES, Mistake, TrainingDay, blunders
from bot.services.allowed_help import AllowedHelp
from bot.services.changes import retry_conflicts
from bot.services.reviews import Reviews
from bot.services.settings import SettingsCache
from bot.store.damage import DAMAGE
from bot.store.shared import Conflict
from bot.store.stores import Stores
from engine.analysis.review import Mark, Review, Reviewed
from engine.core import Limit, Move, Player, State
from engine.games import game as game_of
from engine.games import spec_of
from engine.score import Evaluation

SURE = Limit(seconds=0.6)
"""For an estimate: many times as long as a review takes for one."""

PROOF = Limit(seconds=10.0)
"""For an answer where the better move is proved; it takes a moment."""

LAST_MATCHES = 5
"""Finished matches that are looked through where nothing waits."""


@dataclass(frozen=True, slots=True)
class PosedMistake:
    """A position of the person's day. match: that it comes from; None for a game from elsewhere or gone."""

    mistake: Mistake
    match: Match | None
    day: TrainingDay

    @property
    def number(self) -> int:
        """Its number among today's, from 1. One that was answered is among those that are done."""
        return max(1, self.day.done + any(one.id == self.mistake.id for one in self.day.waiting))


@dataclass(frozen=True, slots=True)
class Trained:
    """An answer to a position. posed: as it was stored. reply: the other side's best move, if any.

    counts: False for practice, which changes nothing.
    """

    posed: PosedMistake
    judged: Reviewed
    is_right: bool
    reply: Move | None
    counts: bool


class Training:
    """One for each process. clock: the UTC time."""

    def __init__(
        self,
        stores: Stores,
        reviews: Reviews,
        allowed_help: AllowedHelp,
        settings: SettingsCache,
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._matches = stores.matches
        self._store = stores.mistakes
        self._reviews = reviews
        self._allowed_help = allowed_help
        self._settings = settings
        self._clock = clock

    # Which positions

    async def keep_match(self, match: Match, person: Person) -> int:
        """Keep the person's blunders in their match; as `keep`. Raises Refusal."""
        match.player_of(person.user_id)
        await self._allowed_help.check_reviewed(match, person)
        if match.is_set_up:  # a mistake is kept as moves from its board's usual start
            raise Refusal("set_up_reviewed")
        self._reviews.check_ready(match.game)
        review, players = await self._reviews.whole(match), match.players_of(person.user_id)
        return await self.keep(person, match.game, match.board, review, players, match.id)

    async def keep(
        self, person: Person, game: str, board: str, review: Review, players: Collection[Player],
        match_id: int | None = None,
    ) -> int:  # fmt: skip
        """Keep the blunders of these sides in a reviewed game; return how many of them are sure.

        The caller refuses a game that could help in a running match of the person. match_id: of the
        match or the imported game; None if it has none. Raises Refusal.
        """
        if spec_of(game).is_old(board):
            raise Refusal("old_rule", game=game)
        if review.states[0] != game_of(game).start(board):
            return 0  # the copy of a position are the moves from the start of a board
        make = partial(Mistake.of, person.user_id, match_id, game, board, review, today=self._today(person))
        known = {one.key for one in await self._store.of_person(person.user_id)}
        given = blunders(review, players)
        # One that is kept was sure: no longer search is made for it again.
        fresh = [one for one in given if make(judged=one).key not in known]
        found = [
            make(judged=one) for blunder in fresh if (one := await self._sure(person, game, review, blunder))
        ]
        count = len(given) - len(fresh) + len(found)
        if found and await self._store.add(person.user_id, found) == count:
            raise Refusal("mistakes_full", most=MAX_MISTAKES)
        return count

    async def look_through(self, person: Person) -> None:
        """Keep the blunders of the person's last matches.

        Raises Refusal; where a running match bars some of them, only if the others leave nothing to train.
        """
        refusal: MatchError | None = None
        for match in await self._matches.finished(person.user_id, LAST_MATCHES):
            if match.timed_moves and not spec_of(match.game).is_old(match.board):
                try:
                    await self.keep_match(match, person)
                except MatchError as error:
                    refusal = error
        if refusal is not None and not (await self.day(person)).waiting:
            raise refusal

    async def next(self, person: Person) -> PosedMistake | None:
        """Return the position that waits first, of those that help in no running match.

        None if none waits; raises Refusal if there are only others.
        """
        refusal: Refusal | None = None
        day = await self.day(person)
        for mistake in day.waiting:
            if refusal is not None and refusal.params.get("game") == mistake.game:
                continue
            try:
                await self._check_fair(mistake, person)
            except MatchError as error:
                refusal = error
            except DAMAGE as error:  # such as a move that a mended rule forbids: the others are still trained
                self._store.damage.note(mistake.id, error)
            else:
                return PosedMistake(mistake, await self._match_of(mistake), day)
        if refusal is not None:
            raise refusal
        return None

    async def day(self, person: Person) -> TrainingDay:
        """Return the person's positions today."""
        return TrainingDay.of(await self._store.of_person(person.user_id), self._today(person))

    async def posed(self, mistake_id: int, person: Person) -> PosedMistake:
        """Return the person's position; raises NotFound, also for another person's."""
        return await self._posed(await self._mistake(mistake_id, person), person)

    async def _mistake(self, mistake_id: int, person: Person) -> Mistake:
        found = await self._store.mistake(mistake_id)
        if found is None or found.user_id != person.user_id:
            raise NotFound("mistake_gone")
        return found

    async def _posed(self, mistake: Mistake, person: Person) -> PosedMistake:
        return PosedMistake(mistake, await self._match_of(mistake), await self.day(person))

    async def _match_of(self, mistake: Mistake) -> Match | None:
        match = None if mistake.match_id is None else await self._matches.find(mistake.match_id)
        # A match of the same number from before a backup was restored is another one.
        is_it = match is not None and match.moves[: len(mistake.line)] == mistake.line
        return match if is_it else None

    # Answers

    async def answer(self, mistake_id: int, person: Person, version: int, move: Move) -> Trained:
        """Judge the answer and store when the position comes again; raises Refusal."""
        before, today = await self._mistake(mistake_id, person), self._today(person)
        if version != before.version:
            raise Refusal("mistake_moved_on")
        check_legal(before.game, before.state, move)
        await self._check_fair(before, person)
        following = await self._evaluated(
            person, before.game, before.state.play(move), SURE if before.goal is None else PROOF
        )
        judged = before.judge(move, following.score)
        is_right = before.is_right(judged)
        after = before.answered(today, is_right=is_right)
        try:
            await self._save(before, after)
        except Conflict:
            raise Refusal("mistake_moved_on") from None
        posed = await self._posed(after, person)
        return Trained(posed, judged, is_right, following.best, after is not before)

    async def give_up(self, mistake_id: int, person: Person) -> PosedMistake:
        """Return the position, whose better move is now told: it counts as a wrong answer. Raises Refusal."""

        async def attempt() -> Mistake:
            before = await self._mistake(mistake_id, person)
            await self._check_fair(before, person)
            after = before.answered(self._today(person), is_right=False)
            await self._save(before, after)
            return after

        return await self._posed(await retry_conflicts(attempt), person)

    # Reminders

    async def to_remind(self, person: Person) -> int:
        """Return how many positions wait, at most once a day: of two callers one gets a number."""
        today = self._today(person)
        if not self._settings.is_to_remind(person.user_id, today):
            return 0
        count = await self._store.waiting(person.user_id, today)
        return count if count and await self._settings.may_remind(person.user_id, today) else 0

    async def _save(self, before: Mistake, after: Mistake) -> None:
        if after is not before:
            await self._store.save(before, after)

    async def _sure(self, person: Person, game: str, review: Review, move: Reviewed) -> Reviewed | None:
        """Return the blunder if it is proved, or if a longer search still finds it one."""
        if move.before.is_proved and move.after.is_proved:
            return move
        states = review.states[move.ply : move.ply + 2]
        here, after = [await self._evaluated(person, game, state, SURE) for state in states]
        judged = Review.of_move(states[0], move.move, here, after)
        return judged if judged is not None and judged.mark is Mark.BLUNDER else None

    async def _evaluated(self, person: Person, game: str, state: State, limit: Limit) -> Evaluation:
        asker = Asker(("puzzle", person.user_id), person.user_id)
        return await self._reviews.evaluate_for(asker, game, state, limit)

    async def _check_fair(self, mistake: Mistake, person: Person) -> None:
        await self._allowed_help.check_fair(person, mistake.game, mistake.board, mistake.states)

    def _today(self, person: Person) -> date:
        return moment_of(person.pressed_at, self._clock()).date()
