"""MatchService: every action of a user, an agent or a clock goes through here, and nowhere else.

Persist, then show: each action is one stored change, made by a pure transition of Match or Challenge.
The caller shows the answer to whoever acted and then calls `proceed`, which wakes the agent or calls
the person whose turn it is; an agent's answer takes the same path as a person's move.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Protocol

from bot.challenge import EXPIRES_AFTER, Challenge, First, seated
from bot.errors import MatchError, NotFound, SetupError
from bot.match import Match, Place, Seat
from bot.search import SearchPool
from bot.standings import Leaderboard, Profile, ProfileRow, Row
from bot.store import Conflict, Notice, RankedRecord, Store
from bot.store.store import EVERYWHERE
from engine.agents.levels import Level
from engine.agents.roster import Roster
from engine.core import Choice, Game, Move, SearchInfo
from engine.games import GAMES

log = logging.getLogger(__name__)

CLOCKS = (60, 300, 3600, 86_400, 259_200)
"""The clocks offered, in seconds a move."""

MAX_RUNNING = 20
"""Matches that one person may have running at once."""

MAX_WATCHED = 2
"""Matches between agents that may run in one channel at once."""

PAGE_ROWS = 10
RECENT_MATCHES = 5
CRASH_WINDOW = timedelta(minutes=2)
"""Changes so close to the last one before a crash may have been stored and not shown."""

_TRIES = 8


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody on Discord, and what to call them."""

    user_id: int
    name: str

    @property
    def seat(self) -> Seat:
        return Seat(self.name, self.user_id)


class Display(Protocol):
    """Where matches are shown. Nothing here raises for what Discord refuses: it is logged instead."""

    async def show(self, match: Match) -> None:
        """Makes the match's message show it; never anything older than was shown before."""

    async def call(self, match: Match) -> Notice | None:
        """Calls the person to move by a small message."""

    async def warn(self, match: Match) -> Notice | None:
        """Warns the person to move that their clock runs out."""

    async def remove(self, notice: Notice) -> None: ...

    async def show_challenge(self, challenge: Challenge) -> None: ...


class MatchService:
    """One for each process; lives on the event loop.

    clock: the current UTC time. rng: draws who begins, and seeds agents.
    pace_seconds: the least time between two moves of a match that people only watch.
    """

    def __init__(
        self,
        store: Store,
        search: SearchPool,
        roster: Roster,
        display: Display,
        *,
        clock: Callable[[], datetime],
        rng: Random,
        pace_seconds: float = 1.5,
    ) -> None:
        self._store = store
        self._search = search
        self._roster = roster
        self._display = display
        self._clock = clock
        self._rng = rng
        self._pace_seconds = pace_seconds
        self._thinking: dict[int, tuple[int, asyncio.Task[None]]] = {}
        self._background: set[asyncio.Task[None]] = set()

    # Starting

    async def start(
        self,
        person: Person,
        game: str,
        level: str,
        first: First,
        place: Place,
        *,
        board: str | None = None,
        rated: bool = True,
        clock_seconds: int | None = None,
    ) -> Match:
        """A match of the person against an agent; raises SetupError."""
        rules = _game(game)
        agent = self._level(rules, level)
        await self._check_room(person)
        seats = seated(person.seat, Seat(agent.name, level=agent.key), first, self._rng)
        return await self._begin(
            rules, board, seats, place, rated=rated, clock_seconds=_clock_seconds(clock_seconds)
        )

    async def watch(
        self,
        person: Person,
        game: str,
        first_level: str,
        second_level: str,
        place: Place,
        *,
        board: str | None = None,
    ) -> Match:
        """An unrated match between two agents; raises SetupError."""
        rules = _game(game)
        levels = [self._level(rules, level) for level in (first_level, second_level)]
        if await self._store.count_watched(place.channel_id) >= MAX_WATCHED:
            raise SetupError("too_many_watched", limit=MAX_WATCHED)
        log.info("user %d watches %s against %s", person.user_id, first_level, second_level)
        first, second = (Seat(level.name, level=level.key) for level in levels)
        return await self._begin(rules, board, (first, second), place, rated=False, clock_seconds=None)

    async def challenge(
        self,
        person: Person,
        opponent: Person | None,
        game: str,
        place: Place,
        *,
        board: str | None = None,
        first: First = First.RANDOM,
        clock_seconds: int | None = None,
        rated: bool = True,
        rematch_of: int | None = None,
    ) -> Challenge:
        """An invitation, to anyone when `opponent` is None; raises SetupError."""
        rules = _game(game)
        if opponent is not None and opponent.user_id == person.user_id:
            raise SetupError("self_challenge")
        await self._check_room(person)
        now = self._clock()
        challenge = Challenge(
            id=0,
            challenger=person.seat,
            opponent=None if opponent is None else opponent.seat,
            game=rules.key,
            board=_board(rules, board),
            first=first,
            place=place,
            created_at=now,
            expires_at=now + EXPIRES_AFTER,
            rated=rated,
            clock_seconds=_clock_seconds(clock_seconds),
            rematch_of=rematch_of,
        )
        return await self._store.add_challenge(challenge)

    async def accept(self, challenge_id: int, person: Person) -> tuple[Challenge, Match]:
        """The accepted challenge and its new match, which is not shown anywhere yet."""
        before = await self.challenge_of(challenge_id)
        after = before.accept(person.user_id, self._clock())
        await self._check_room(person)
        match = Match.begin(
            before.game,
            before.board,
            seated(before.challenger, person.seat, before.first, self._rng),
            replace(before.place, message_id=None),
            self._clock(),
            rated=before.rated,
            clock_seconds=before.clock_seconds,
            rematch_of=before.rematch_of,
        )
        try:
            return await self._store.accept_challenge(before, after, match)
        except Conflict:
            raise MatchError("challenge_not_open") from None

    async def decline(self, challenge_id: int, person: Person) -> Challenge:
        """The challenge, declined by its opponent or withdrawn by its challenger."""
        before = await self.challenge_of(challenge_id)
        after = before.decline(person.user_id, self._clock())
        try:
            await self._store.save_challenge(before, after)
        except Conflict:
            raise MatchError("challenge_not_open") from None
        return after

    async def rematch(self, match_id: int, person: Person, place: Place) -> Match | Challenge:
        """The same again with colours swapped: at once against an agent, else an invitation.

        Pressed by the second person while the first one's invitation is open, it accepts that.
        """
        old = await self.match(match_id)
        player = old.player_of(person.user_id)
        if not old.is_over:
            raise MatchError("not_over")
        if await self._store.rematch_match(old.id) is not None:
            raise MatchError("already_rematched")
        other = old.seats[player.other]
        if other.is_agent:
            await self._check_room(person)
            swapped = (old.seats[1], old.seats[0])
            match = Match.begin(
                old.game, old.board, swapped, place, self._clock(),
                rated=old.rated, clock_seconds=old.clock_seconds, rematch_of=old.id,
            )  # fmt: skip
            try:
                return await self._store.add_match(match)
            except Conflict:
                raise MatchError("already_rematched") from None
        for challenge in await self._store.open_challenges(rematch_of=old.id):
            if challenge.challenger.user_id == person.user_id:
                raise MatchError("rematch_already_asked", name=other.name)
            return (await self.accept(challenge.id, person))[1]
        if other.user_id is None:
            raise MatchError("no_rematch_watch")
        return await self.challenge(
            person, Person(other.user_id, other.name), old.game, place,
            board=old.board, first=First.OPPONENT if player == 0 else First.ME,
            clock_seconds=old.clock_seconds, rated=old.rated, rematch_of=old.id,
        )  # fmt: skip

    # Playing

    async def play(self, match_id: int, person: Person, move: Move, *, turn: int | None = None) -> Match:
        return await self._act(match_id, lambda match, now: match.play(person.user_id, move, now, turn=turn))

    async def resign(self, match_id: int, person: Person) -> Match:
        return await self._act(match_id, lambda match, now: match.resign(person.user_id, now))

    async def offer_draw(self, match_id: int, person: Person) -> Match:
        return await self._act(match_id, lambda match, now: match.offer_draw(person.user_id, now))

    async def answer_draw(self, match_id: int, person: Person, accept: bool) -> Match:
        return await self._act(match_id, lambda match, now: match.answer_draw(person.user_id, accept, now))

    async def ask_undo(self, match_id: int, person: Person) -> Match:
        return await self._act(match_id, lambda match, now: match.ask_undo(person.user_id, now))

    async def answer_undo(self, match_id: int, person: Person, accept: bool) -> Match:
        return await self._act(match_id, lambda match, now: match.answer_undo(person.user_id, accept, now))

    async def attach(self, match_id: int, place: Place) -> Match:
        """The match, shown from now on by the message in `place`."""
        return await self._change(match_id, lambda match, _now: match.moved_to(place))

    async def attach_challenge(self, challenge_id: int, message_id: int) -> None:
        """Remembers the message that shows the challenge."""
        for _ in range(_TRIES):
            before = await self.challenge_of(challenge_id)
            place = replace(before.place, message_id=message_id)
            try:
                await self._store.save_challenge(
                    before, replace(before, place=place, version=before.version + 1)
                )
            except Conflict:
                continue
            return

    # Asking

    async def match(self, match_id: int) -> Match:
        found = await self._store.match(match_id)
        if found is None:
            raise NotFound("unknown_match", number=match_id)
        return found

    async def challenge_of(self, challenge_id: int) -> Challenge:
        found = await self._store.challenge(challenge_id)
        if found is None:
            raise NotFound("unknown_challenge")
        return found

    async def running(self, user_id: int, *, channel_id: int | None = None) -> tuple[Match, ...]:
        """The user's running matches, the one touched last first."""
        return tuple(await self._store.running_matches(user_id, channel_id))

    async def current(self, user_id: int, channel_id: int) -> Match:
        """The match that a command in this channel means: where it is the user's turn, else the latest."""
        found = await self.running(user_id, channel_id=channel_id)
        if not found:
            raise NotFound("no_current_match")
        waiting = (match for match in found if match.seat_to_move.user_id == user_id)
        return next(waiting, found[0])

    async def leaderboard(
        self, game: str, *, guild_id: int | None, agents: bool, page: int, user_id: int
    ) -> Leaderboard:
        """A page of the board of people or of agents; a page beyond the last is the last."""
        rules = _game(game)
        scope = EVERYWHERE if guild_id is None else guild_id
        page = max(page, 1)
        found = await self._store.leaderboard(
            scope, rules.key, is_agent=agents, offset=(page - 1) * PAGE_ROWS, limit=PAGE_ROWS
        )
        pages = max(1, -(-found.total // PAGE_ROWS))
        if page > pages:
            return await self.leaderboard(game, guild_id=guild_id, agents=agents, page=pages, user_id=user_id)
        own = None if agents else await self._store.ranked(scope, rules.key, user_id)
        rows = tuple(map(_row, found.rows))
        return Leaderboard(rules.key, guild_id, agents, rows, page, pages, None if own is None else _row(own))

    async def profile(self, user_id: int, *, guild_id: int | None, name: str | None = None) -> Profile:
        """A person's standings here, or everywhere when `guild_id` is None."""
        scope = EVERYWHERE if guild_id is None else guild_id
        ranked = [(game, await self._store.ranked(scope, game, user_id)) for game in GAMES]
        return Profile(
            user_id=user_id,
            name=name or await self._store.name_of(user_id) or str(user_id),
            rows=tuple(ProfileRow(game, _row(found)) for game, found in ranked if found is not None),
            running=await self._store.count_running(user_id),
            recent=tuple(await self._store.finished_matches(user_id, RECENT_MATCHES)),
        )

    # What happens by itself

    def proceed(self, match: Match) -> None:
        """Wakes the agent, or calls the person, whose turn it is now; to be called after every change."""
        turn, task = self._thinking.get(match.id, (None, None))
        if task is not None and (turn != match.turn or match.is_over):
            self._search.cancel(match.id)
            task.cancel()
            del self._thinking[match.id]
            task = None
        if match.awaits_agent:
            if task is None:
                self._thinking[match.id] = (match.turn, self._spawn(self._think(match)))
        elif not match.has_agent:
            self._spawn(self._call(match))
        elif match.is_over or match.clock_seconds is not None:
            self._spawn(self._remove_notices(match))

    async def resume(self) -> int:
        """Continues after a start; returns how many matches wait for an agent.

        Boards that were changed just before the end of the last process may not have been shown.
        """
        for match in await self._store.last_touched_matches(CRASH_WINDOW):
            self._spawn(self._display.show(match))
        waiting = [match for match in await self._store.running_matches() if match.awaits_agent]
        for match in waiting:
            self.proceed(match)
        return len(waiting)

    async def tick(self) -> None:
        """Looks at every clock, invitation and forgotten match whose time has come."""
        now = self._clock()
        for match in await self._store.due_matches(now):
            try:
                after = await self._change(match.id, _expire_or_warn)
            except MatchError as error:
                log.debug("match %d: the clock came too late: %s", match.id, error)
                continue
            if after.is_over:
                await self._display.show(after)
                self.proceed(after)
            else:
                await self._keep(after, await self._display.warn(after))
        for challenge in await self._store.open_challenges(due=now):
            expired = challenge.expire(now)
            if expired is None:
                continue
            try:
                await self._store.save_challenge(challenge, expired)
            except Conflict:
                continue
            await self._display.show_challenge(expired)

    async def settled(self) -> None:
        """Waits until nothing that `proceed` has begun is still under way."""
        while self._background:
            await asyncio.wait(tuple(self._background))

    async def close(self) -> None:
        """Ends everything that `proceed` has begun; what was not stored is done again after `resume`."""
        for task in tuple(self._background):
            task.cancel()
        await self.settled()

    # Inside

    async def _act(self, match_id: int, transition: Callable[[Match, datetime], Match]) -> Match:
        """A person's action, unless the clock was faster."""
        match = await self.match(match_id)
        if match.expire(self._clock()) is not None:
            lost = await self._change(match_id, _expire_or_warn)
            await self._display.show(lost)
            self.proceed(lost)
            raise MatchError("time_is_up")
        return await self._change(match_id, transition)

    async def _change(self, match_id: int, transition: Callable[[Match, datetime], Match]) -> Match:
        """One stored change; made again on the newer match when somebody else was faster."""
        for _ in range(_TRIES):
            before = await self.match(match_id)
            after = transition(before, self._clock())
            try:
                await self._store.save_match(before, after)
            except Conflict:
                continue
            return after
        raise MatchError("busy")

    async def _begin(
        self,
        rules: Game,
        board: str | None,
        seats: tuple[Seat, Seat],
        place: Place,
        *,
        rated: bool,
        clock_seconds: int | None,
    ) -> Match:
        match = Match.begin(
            rules.key, _board(rules, board), seats, place, self._clock(),
            rated=rated, clock_seconds=clock_seconds,
        )  # fmt: skip
        return await self._store.add_match(match)

    async def _check_room(self, person: Person) -> None:
        if await self._store.count_running(person.user_id) >= MAX_RUNNING:
            raise SetupError("too_many_matches", limit=MAX_RUNNING)

    def _level(self, rules: Game, key: str) -> Level:
        levels = self._roster.levels_of(rules.key)
        for level in levels:
            if level.key == key:
                return level
        raise SetupError("unknown_level", level=key, allowed=", ".join(level.name for level in levels))

    async def _think(self, match: Match) -> None:
        """Lets agents move until a person has the turn or the match is over."""
        loop = asyncio.get_running_loop()
        while match.awaits_agent:
            self._thinking[match.id] = (match.turn, _this_task())
            began = loop.time()
            choice = await self._choose(match)
            if all(seat.is_agent for seat in match.seats):
                await asyncio.sleep(max(0.0, self._pace_seconds - (loop.time() - began)))
            try:
                match = await self._change(match.id, _agent_move(choice, match.turn))
            except MatchError as refusal:
                log.info("match %d: an agent's answer was dropped: %s", match.id, refusal)
                break
            await self._display.show(match)
        if self._thinking.get(match.id, (0, None))[1] is _this_task():
            del self._thinking[match.id]
        if match.is_over:
            await self._remove_notices(match)

    async def _choose(self, match: Match) -> Choice:
        """The agent's choice; when it fails the match goes on with a legal random move."""
        key = match.seat_to_move.level or ""
        seed = self._rng.getrandbits(32)
        group = match.place.guild_id or match.place.channel_id
        try:
            level = self._roster.level(key)
            choice = await self._search.choose(
                match.id, group, lambda: self._roster.make(key, seed), match.state, level.limit
            )
            if choice.move not in match.state.legal_moves():
                raise ValueError(f"{choice.move} is no legal move")
            return choice
        except Exception:
            log.exception("match %d: agent %s failed; a random move is played", match.id, key)
            return Choice(self._rng.choice(match.state.legal_moves()), SearchInfo())

    async def _call(self, match: Match) -> None:
        await self._remove_notices(match)
        if not match.is_over:
            await self._keep(match, await self._display.call(match))

    async def _keep(self, match: Match, notice: Notice | None) -> None:
        if notice is not None:
            await self._store.add_notice(match.id, notice)

    async def _remove_notices(self, match: Match) -> None:
        for notice in await self._store.take_notices(match.id):
            await self._display.remove(notice)

    def _spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[None]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("background work failed", exc_info=error)


def _this_task() -> asyncio.Task[None]:
    task = asyncio.current_task()
    if task is None:
        raise RuntimeError("not inside a task")
    return task


def _agent_move(choice: Choice, turn: int) -> Callable[[Match, datetime], Match]:
    return lambda match, now: match.play_agent(choice.move, now, turn=turn, seconds=choice.info.seconds)


def _expire_or_warn(match: Match, now: datetime) -> Match:
    if match.due_at is None or match.due_at > now:
        raise MatchError("stale")
    return match.expire(now) or match.warn()


def _game(key: str) -> Game:
    if key not in GAMES:
        raise SetupError("unknown_game", game=key, allowed=", ".join(game.title for game in GAMES.values()))
    return GAMES[key]


def _board(rules: Game, board: str | None) -> str:
    """The board's name; only the boards offered are allowed, others would not fit into a message."""
    if board is None:
        return rules.boards[0]
    name = board.strip().lower()
    if name not in rules.boards:
        raise SetupError("unknown_board", board=board, game=rules.title, allowed=", ".join(rules.boards))
    return name


def _clock_seconds(seconds: int | None) -> int | None:
    if seconds is not None and seconds not in CLOCKS:
        raise SetupError("bad_clock")
    return seconds


def _row(ranked: RankedRecord) -> Row:
    record = ranked.record
    return Row(
        ranked.rank, ranked.player, ranked.name, record.points, record.wins, record.draws,
        record.losses, record.streak, record.best_streak,
    )  # fmt: skip
