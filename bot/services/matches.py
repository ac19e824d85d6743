"""MatchService: every action of a user, an agent or a clock goes through here, and nowhere else.

Persist, then show: each action is one stored change, made by a pure transition of Match.
The caller shows the answer to whoever acted and then calls `proceed`, which wakes the agent or calls
the person whose turn it is; an agent's answer takes the same path as a person's move.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from random import Random

from bot.domain.challenge import Challenge, First, seated
from bot.domain.clock import IN_FLIGHT, moment_of
from bot.domain.errors import MatchError, NotFound, Unavailable
from bot.domain.match import Fair, Location, Match, Pace, Seat
from bot.domain.position import secrets_of, shape_of
from bot.search.pool import SearchPool
from bot.services.agent_turns import STORE_RETRY_SECONDS, Turns
from bot.services.challenges import Challenges
from bot.services.changes import Changes, Transition
from bot.services.leaderboards import Standings
from bot.services.ports import Delivered, Display
from bot.services.retry_queue import RetryQueue
from bot.services.setup_checks import (
    MAX_RUNNING,
    Person,
    check_open,
    check_room,
    checked_board,
    checked_clock,
    checked_fair,
    checked_game,
    checked_level,
    checked_opening,
    open_levels,
    opening_for,
    usual_level,
)
from bot.store.shared import Conflict
from bot.store.stores import Stores
from engine.agents.algorithms import is_algorithm
from engine.agents.roster import Roster
from engine.core import Game, Move, Player, State, replay, states_of
from engine.games import game as game_of
from engine.games.notation import format_moves

log = logging.getLogger(__name__)

MAX_WATCHED = 2
"""Matches between agents that may run in one channel at once."""

MAX_HINTS = 3
"""Hints that one person may have in one match."""


FRESH = timedelta(seconds=10)
"""For so long a match is left to whoever changed it, before anybody looks whether its agent thinks."""

CLOCKS_AT_ONCE = 4
"""Clocks that have run out and are worked off together."""

STOOD_STILL = timedelta(seconds=30)
"""So long after its last look at the clocks, which is every few seconds, a process has slept with its
machine, was stopped, waited for its database, or was cut off from Discord; or the system's clock was set."""


class MatchService:
    """One for each process; lives on the event loop.

    clock: the current UTC time. rng: draws who begins, and seeds agents.
    pace_seconds: the least time between two moves of a match that people only watch, at the normal speed.
    retry_seconds: the pauses before an agent's answer is stored again that the database refused.
    retries: work deferred while the database is unavailable, retried with the clocks. hears: whether
    presses can arrive.
    """

    def __init__(
        self,
        stores: Stores,
        search: SearchPool,
        roster: Roster,
        display: Display,
        changes: Changes,
        *,
        clock: Callable[[], datetime],
        rng: Random,
        pace_seconds: float = 1.5,
        retry_seconds: Sequence[float] = STORE_RETRY_SECONDS,
        retries: RetryQueue | None = None,
        hears: Callable[[], bool] = lambda: True,
    ) -> None:
        self._stores = stores
        self._roster = roster
        self._display = display
        self._changes = changes
        self._clock = clock
        self._rng = rng
        self._hears = hears
        self._looked_at: datetime | None = None
        self._making_up = asyncio.Lock()
        self._turns = Turns(
            stores, search, roster, display, changes,
            rng=rng, pace_seconds=pace_seconds, retry_seconds=retry_seconds, retries=retries,
        )  # fmt: skip
        self.challenges = Challenges(stores, changes, clock=clock, rng=rng)
        self.standings = Standings(stores, clock)

    @property
    def agents_kept(self) -> int:
        """How many agents wait for their match's next move."""
        return self._turns.agents_kept

    # Starting

    async def start(
        self,
        person: Person,
        game: str,
        level: str,
        first: First,
        location: Location,
        *,
        board: str | None = None,
        rated: bool = True,
        clock_seconds: int | None = None,
        position: str | None = None,
        is_coached: bool = False,
        fair: Fair = Fair.USUAL,
    ) -> Match:
        """A match of the person against an agent; raises SetupError.

        position: moves to begin after; then `first` says who makes the next one. Such a match is not rated,
        nor is one with a coach or against an algorithm. fair: how it begins; `first` says who makes the next
        move after a balanced opening, too.
        """
        rules = checked_game(game)
        board = checked_board(rules, board)
        opening = checked_opening(rules, board, position)
        fair = checked_fair(rules, board, fair, position)
        agent = checked_level(rules, board, level, self._roster)
        if opening:
            await self.check_fair(person, rules.key, board, states_of(rules.start(board), opening))
        await check_room(self._stores, person)
        rated = rated and agent.is_rated and not opening and not is_coached
        opening = opening or opening_for(rules, board, fair, self._rng)
        seats = seated(person.seat, Seat(agent.name, level=agent.key), first, self._rng)
        if replay(rules.start(board), opening).to_move is Player.SECOND:
            seats = seats[1], seats[0]
        return await self._begin(
            rules, board, seats, location, rated=rated, opening=opening, is_coached=is_coached, fair=fair,
            clock_seconds=checked_clock(clock_seconds, rated=rated),
        )  # fmt: skip

    async def watch(
        self,
        person: Person,
        game: str,
        first_level: str,
        second_level: str,
        location: Location,
        *,
        board: str | None = None,
        pace: Pace = Pace.NORMAL,
    ) -> Match:
        """An unrated match between two agents, which the person may stop; raises SetupError."""
        rules = checked_game(game)
        board = checked_board(rules, board)
        levels = [checked_level(rules, board, level, self._roster) for level in (first_level, second_level)]
        log.info("somebody watches %s against %s", first_level, second_level)
        first, second = (Seat(level.name, level=level.key) for level in levels)
        match = Match.begin(
            rules.key, board, (first, second), location, self._clock(),
            rated=False, pace=pace, begun_by=person.user_id,
        )  # fmt: skip
        return await self._stores.tournaments.add_watched(match, most=MAX_WATCHED)

    async def watch_again(
        self, match_id: int, person: Person, location: Location, *, highest: int | None = None
    ) -> Match:
        """The same two agents with sides swapped, after a match that the person watched; raises Refusal.

        highest: of the server, None for all levels.
        """
        old = await self.match(match_id)
        if not old.is_watched:
            raise MatchError("not_watched")
        if not old.is_over:
            raise MatchError("not_over")
        keys = [seat.level or "" for seat in old.seats]
        check_open(self._roster, old.game, None, highest, keys)
        for key in keys:
            checked_level(game_of(old.game), old.board, key, self._roster)
        if await self._stores.matches.rematch_of(old.id) is not None:
            raise MatchError("already_watched_again")
        match = Match.begin(
            old.game, old.board, (old.seats[1], old.seats[0]), location, self._clock(),
            rated=False, rematch_of=old.id, opening=old.moves[: old.opening], fair=old.fair,
            pace=old.pace, begun_by=person.user_id,
        )  # fmt: skip
        try:
            return await self._stores.tournaments.add_watched(match, most=MAX_WATCHED)
        except Conflict:
            raise MatchError("already_watched_again") from None

    async def play_from(
        self, match_id: int, ply: int, person: Person, location: Location, *, highest: int | None = None
    ) -> Match:
        """A casual match against an agent from a position of a finished one; raises Refusal.

        Who played the old match keeps their side; anybody else makes the next move. The agent is that of the
        old match where it may still be played, else the usual one. highest: of the server, None for all.
        """
        old = await self.seen(match_id, person.user_id, location.channel_id)
        if not old.is_over:
            raise MatchError("not_over")
        rules, moves = game_of(old.game), old.moves[:ply]
        sides = old.players_of(person.user_id)
        is_mine = not sides or replay(rules.start(old.board), moves).to_move in sides
        allowed = open_levels(self._roster, old.game, old.board, highest)
        keys = {seat.level for seat in old.seats}
        found = [level for level in allowed if level.key in keys]
        if highest is None:
            found += [self._roster.level(key) for key in keys if key is not None and is_algorithm(key)]
        level = found[0] if found else usual_level(old.game, allowed)
        return await self.start(
            person, old.game, level.key, First.ME if is_mine else First.OPPONENT, location,
            board=old.board, rated=False, position=format_moves(rules, old.board, moves),
        )  # fmt: skip

    async def rematch(
        self, match_id: int, person: Person, location: Location, *, highest: int | None = None
    ) -> Match | Challenge:
        """The same again with colours swapped: at once against an agent, else an invitation.

        Pressed by the second person while the first one's invitation is open, it accepts that.
        highest: of the server, None for all levels. Raises MatchError.
        """
        old = await self.match(match_id)
        check_open(self._roster, old.game, None, highest, (seat.level for seat in old.seats))
        player = old.player_of(person.user_id)
        if not old.is_over:
            raise MatchError("not_over")
        if await self._stores.matches.rematch_of(old.id) is not None:
            raise MatchError("already_rematched")
        other = old.seats[player.other]
        if other.is_agent:
            await check_room(self._stores, person)
            swapped = (old.seats[1], old.seats[0])
            match = Match.begin(
                old.game, old.board, swapped, location, self._clock(),
                rated=old.rated, clock_seconds=checked_clock(old.clock_seconds, rated=old.rated),
                rematch_of=old.id, opening=() if old.fair is Fair.PIE else old.moves[: old.opening],
                is_coached=old.is_coached, fair=old.fair,
            )  # fmt: skip
            try:
                return await self._stores.matches.add(match, most=MAX_RUNNING)
            except Conflict:
                raise MatchError("already_rematched") from None
        for challenge in await self._stores.challenges.open(rematch_of=old.id):
            if challenge.challenger.user_id == person.user_id:
                raise MatchError("rematch_already_asked", name=other.name)
            accepted, match = await self.challenges.accept(challenge.id, person)
            await self._display.show_challenge(accepted)
            return match
        if other.user_id is None:
            raise MatchError("no_rematch_watch")
        if other.user_id < 0:  # the pseudonym of somebody who was deleted
            raise MatchError("no_rematch_gone")
        account = await self._stores.players.name_of(other.user_id)
        return await self.challenges.send(
            person, Person(other.user_id, other.name, account), old.game, location,
            board=old.board, first=First.OPPONENT if player == 0 else First.ME,
            clock_seconds=old.clock_seconds, rated=old.rated, rematch_of=old.id, fair=old.fair,
        )  # fmt: skip

    # Playing

    async def play(
        self,
        match_id: int,
        person: Person,
        move: Move,
        *,
        turn: int | None = None,
        pressed_at: datetime | None = None,
    ) -> Match:
        """The match after the person's move.

        pressed_at: when Discord had the press. turn: of the board that was pressed; with it the hopeless are
        turned away without the database, and of presses made at once only the first reaches it.
        """

        def played(match: Match, now: datetime) -> Match:
            made_at = moment_of(pressed_at, now)
            return match.play(person.user_id, move, now, turn=turn, pressed_at=made_at)

        if turn is None:
            return await self._act(match_id, played, pressed_at=pressed_at)
        self._changes.admit(match_id, person.user_id, turn)
        async with self._changes.queue(match_id):
            self._changes.admit(match_id, person.user_id, turn)
            return await self._act(match_id, played, pressed_at=pressed_at)

    async def set_pace(self, match_id: int, pace: Pace) -> Match:
        """The match between agents at another speed, which everybody who sees it may choose."""
        return await self._act(match_id, lambda match, now: match.paced(pace, now))

    async def stop(self, match_id: int, person: Person) -> Match:
        """The match between agents, ended without result by whoever began it."""
        return await self._act(match_id, lambda match, now: match.stop(person.user_id, now))

    async def resign(self, match_id: int, person: Person) -> Match:
        return await self._act(match_id, lambda match, now: match.resign(person.user_id, now))

    async def offer_draw(self, match_id: int, person: Person, *, turn: int | None = None) -> Match:
        """turn, here and below: the one that the person sees; refused as stale when it is past."""
        return await self._act(match_id, lambda match, now: match.offer_draw(person.user_id, now), turn)

    async def answer_draw(
        self, match_id: int, person: Person, accept: bool, *, turn: int | None = None
    ) -> Match:
        return await self._act(
            match_id, lambda match, now: match.answer_draw(person.user_id, accept, now), turn
        )

    async def ask_undo(self, match_id: int, person: Person, *, turn: int | None = None) -> Match:
        await self.check_help(match_id)
        return await self._act(match_id, lambda match, now: match.ask_undo(person.user_id, now), turn)

    async def answer_undo(
        self, match_id: int, person: Person, accept: bool, *, turn: int | None = None
    ) -> Match:
        return await self._act(
            match_id, lambda match, now: match.answer_undo(person.user_id, accept, now), turn
        )

    async def swap(self, match_id: int, person: Person, *, turn: int | None = None) -> Match:
        """The match after the person has taken over the first move by the pie rule."""
        return await self._act(match_id, lambda match, now: match.swap(person.user_id, now, turn=turn))

    async def make_rated(self, match_id: int, person: Person) -> Match:
        """The casual match against an agent, rated from now on; raises MatchError after the first move."""
        if await self._stores.hints.has_any(match_id):
            raise MatchError("too_late_for_rated")
        if any(is_algorithm(seat.level or "") for seat in (await self.match(match_id)).seats):
            raise MatchError("algorithm_not_rated")
        clock = checked_clock(None, rated=True)
        return await self._act(
            match_id,
            lambda match, now: match.make_rated(person.user_id, match.clock_seconds or clock, now),
        )

    async def take_hint(self, match: Match, person: Person) -> int:
        """Which of their hints this is, from 1; one for each turn. Raises MatchError where there is none."""
        match.player_of(person.user_id)
        if match.is_over:
            raise MatchError("match_over")
        if match.rated:
            raise MatchError("hint_in_rated")
        await self.check_help(match.id)
        if match.seat_to_move.user_id != person.user_id:
            raise MatchError("not_your_turn", name=match.seat_to_move.name)
        start = game_of(match.game).start(match.board)
        await self.check_fair(person, match.game, match.board, states_of(start, match.moves))
        number = await self._stores.hints.take(match.id, person.user_id, match.turn, MAX_HINTS)
        if number is None:
            raise MatchError("no_hint_left", limit=MAX_HINTS)
        return number

    async def give_hint_back(self, match: Match, person: Person) -> None:
        """One that `take_hint` counted and nobody gave."""
        await self._stores.hints.give_back(match.id, person.user_id, match.turn)

    async def check_help(self, match_id: int) -> None:
        """Refuses what helps a player in a tournament, which need not be rated; raises MatchError."""
        if await self._stores.tournaments.has_match(match_id):
            raise MatchError("tournament_without_help")

    async def check_explained(self, match: Match, person: Person, states: Iterable[State]) -> None:
        """Refuses to say how an agent thinks of these states while that would help against anybody.

        Raises MatchError.
        """
        if not match.is_over and match.rated:
            raise MatchError("explain_in_rated")
        if not match.is_over:
            await self.check_help(match.id)
        await self.check_fair(person, match.game, match.board, states)

    async def check_reviewed(self, match: Match, person: Person) -> None:
        """Refuses to review what is not over, and what led through a position of a rated match of theirs."""
        match.check_reviewable()
        start = game_of(match.game).start(match.board)
        await self.check_fair(person, match.game, match.board, states_of(start, match.moves))

    async def check_fair(self, person: Person, game: str, board: str, states: Iterable[State]) -> None:
        """Refuses to tell anything of positions that the person has in a rated match, or a move later.

        So too in a tournament, rated or not. Raises MatchError.
        """
        asked: frozenset[Hashable] | None = None
        for match in await self._stores.matches.running(person.user_id):
            if match.is_short or (match.game, match.board) != (game, board):
                continue
            if not (match.rated or await self._stores.tournaments.has_match(match.id)):
                continue
            asked = asked or frozenset(map(shape_of, states))
            if asked & secrets_of(match):
                raise MatchError("position_in_play", number=match.id)

    # Queries

    async def is_newcomer(self, person: Person) -> bool:
        """Whether the person has never had a match."""
        return not await self._stores.matches.has_played(person.user_id)

    async def match(self, match_id: int) -> Match:
        return await self._changes.match(match_id)

    async def latest(self, match_id: int) -> Match:
        """The match of that number as this process last saw it, loaded only where it did not."""
        return await self._changes.latest(match_id)

    async def mine(self, match_id: int, user_id: int) -> Match:
        """The match of that number, which the user plays and which is not over; raises Refusal."""
        match = await self.match(match_id)
        match.check_running(user_id)
        return match

    async def to_move(self, match_id: int, person: Person, *, turn: int) -> Match:
        """The match of that number, in which it is that turn, and the person's; raises Refusal."""
        match = await self.match(match_id)
        match.check_to_move(person.user_id, turn=turn)
        return match

    async def seen(self, match_id: int, user_id: int, channel_id: int | None) -> Match:
        """The match of that number for somebody who may look at it from that channel; raises Refusal."""
        match = await self.match(match_id)
        match.check_visible(user_id, channel_id)
        return match

    async def called_in(self, guild_id: int | None, *found: Match) -> tuple[Match, ...]:
        """The matches as they may be shown there: nicknames of other servers give way to accounts' names."""
        return await self._stores.players.called_in(guild_id, found)

    async def running(self, user_id: int, *, channel_id: int | None = None) -> tuple[Match, ...]:
        """The user's running matches, the one touched last first."""
        return tuple(await self._stores.matches.running(user_id, channel_id))

    async def finished(self, user_id: int, limit: int, *, channel_id: int | None = None) -> tuple[Match, ...]:
        """The user's last matches that are over, the latest first."""
        return tuple(await self._stores.matches.finished(user_id, limit, channel_id))

    async def current(self, user_id: int, channel_id: int) -> Match:
        """The match that a command in this channel means: where it is the user's turn, else the latest.

        Raises NotFound.
        """
        found = await self.running(user_id, channel_id=channel_id)
        if not found:
            raise NotFound("no_current_match")
        waiting = (match for match in found if match.seat_to_move.user_id == user_id)
        return next(waiting, found[0])

    # What happens by itself

    def proceed(self, match: Match) -> None:
        """Wakes the agent, or calls the person, whose turn it is now; to be called after every change."""
        self._turns.proceed(match)

    async def resume(self) -> int:
        """Continues after a start; returns how many matches wait for an agent, of the first that it looks at.

        Clocks are moved by the time that the bot was away. Boards that are behind are the reconciler's.
        """
        self._looked_at = None
        await self.make_up()
        return await self._turns.resume()

    async def make_up(self) -> bool:
        """Moves clocks by the time in which nobody could play, whyever that was; False while nobody can."""
        async with self._making_up:
            if not self._hears():
                return False
            now, before = self._clock(), self._looked_at
            if before is None or not timedelta() <= now - before < STOOD_STILL:
                outage = await self._stores.outages.make_up(now)
                if outage is not None:
                    self._changes.forget()
                    log.info("the bot was away for %s; every running clock was moved by that", outage.away)
            self._looked_at = now
            return True

    async def beat(self) -> None:
        """Remembers when people could last play, so that it can be made up for when they could not."""
        await self.make_up()
        if self._looked_at is not None:
            with self._doubting():
                await self._stores.outages.beat(self._looked_at)

    async def look(self) -> None:
        """`tick`, in time that people had."""
        if await self.make_up():
            with self._doubting():
                await self.tick()

    async def tick(self) -> None:
        """Looks at every clock, invitation and forgotten match whose time has come, and for agents asleep."""
        now = self._clock()
        await self._turns.wake(now - FRESH)
        due = await self._stores.matches.due(now)
        # Together they share their commits; a few at once, so that others' moves need not wait for all.
        few = asyncio.Semaphore(CLOCKS_AT_ONCE)
        found = await asyncio.gather(*(self._work_off(match, few) for match in due), return_exceptions=True)
        await self._turns.follow_clocks(match for match in found if isinstance(match, Match))
        await self._turns.show_ended(await self.challenges.expire())
        for error in found:
            if isinstance(error, BaseException):
                raise error

    async def _work_off(self, match: Match, few: asyncio.Semaphore) -> Match | None:
        """The match after its clock has run out, or is about to; None where neither is so any more."""
        async with few:
            try:
                return await self._changes.of_match(match.id, _when_due)
            except MatchError as error:
                log.debug("match %d: the clock came too late: %s", match.id, error)
            except Unavailable:
                raise
            except Exception:
                # Something about it is damaged; the others' clocks run out all the same.
                log.exception("match %d: its clock could not be worked off", match.id)
            return None

    async def call_again(self, match_id: int) -> Delivered:
        """Calls whoever is to act now, unless that was done before the last process ended.

        Returns why Discord did not take it; YES where there is a call, or need be none.
        """
        return await self._turns.call_again(match_id)

    async def drain(self) -> None:
        """Waits until nothing that `proceed` has begun is still under way."""
        await self._turns.drain()

    async def close(self) -> None:
        """Ends everything that `proceed` has begun; what was not stored is done again after `resume`."""
        await self._turns.close()

    # Internals

    @contextmanager
    def _doubting(self) -> Iterator[None]:
        """What the database refuses here it refused to people, too: the next look makes up for the time."""
        try:
            yield
        except Unavailable:
            self._looked_at = None
            raise

    async def _act(
        self,
        match_id: int,
        transition: Transition,
        turn: int | None = None,
        pressed_at: datetime | None = None,
    ) -> Match:
        """A person's action, unless the clock was faster or the board that they saw is out of date."""

        def checked(match: Match, now: datetime) -> Match:
            if match.expire(moment_of(pressed_at, now)) is not None:
                raise _TimeIsUp
            if turn is not None and turn != match.turn and not match.is_over:
                raise MatchError("stale")
            return transition(match, now)

        for _ in range(2):
            try:
                return await self._changes.of_match(match_id, checked, is_called=self._turns.is_called)
            except _TimeIsUp:
                # Whoever is first after an outage may come before the next look, here or in another process.
                await self.make_up()
                await self._changes.match(match_id)
        lost = await self._changes.of_match(match_id, _expire_or_warn)
        await self._display.show(lost)
        self.proceed(lost)
        raise MatchError("time_is_up")

    async def _begin(
        self,
        rules: Game,
        board: str,
        seats: tuple[Seat, Seat],
        location: Location,
        *,
        rated: bool,
        clock_seconds: int | None,
        opening: Sequence[Move] = (),
        is_coached: bool = False,
        fair: Fair = Fair.USUAL,
    ) -> Match:
        match = Match.begin(
            rules.key, board, seats, location, self._clock(),
            rated=rated, clock_seconds=clock_seconds, opening=opening, is_coached=is_coached, fair=fair,
        )  # fmt: skip
        return await self._stores.matches.add(match, most=MAX_RUNNING)


class _TimeIsUp(Exception):
    """The clock was faster than the person."""


def _when_due(match: Match, now: datetime) -> Match:
    """`_expire_or_warn`, once a press that was made in time would have arrived."""
    if match.has_run_out(now) and not match.has_run_out(now - IN_FLIGHT):
        raise MatchError("stale")
    return _expire_or_warn(match, now)


def _expire_or_warn(match: Match, now: datetime) -> Match:
    if match.due_at is None or match.due_at > now:
        raise MatchError("stale")
    return match.expire(now) or match.warn()
