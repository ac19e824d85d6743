"""People who use everything the services offer at once, while the database locks and the process restarts.

Some are cut off in the middle. Afterwards every match replays, all ratings equal a recount of the matches,
no move of a rated match is lost, no result has changed, and no agent sleeps.
"""

from __future__ import annotations

import asyncio
import itertools
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Callable, Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

from bench.service import NoScreen
from bot.domain.course import CourseKind
from bot.domain.errors import NotFound, Refusal
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.result import Result
from bot.domain.terms import Fair, First
from bot.domain.tournament.model import System
from bot.search.pool import SearchPool
from bot.services.changes import Changes
from bot.services.courses import CourseAnswer, Courses
from bot.services.match_services import MatchServices
from bot.services.ports import Delivered
from bot.services.privacy import Privacy
from bot.services.puzzles import Puzzles
from bot.services.reviews import Reviews
from bot.services.settings import SettingsCache
from bot.services.shown_versions import ShownVersions
from bot.services.sources.tournaments import TournamentMessages
from bot.services.tournaments import Organiser, TournamentOptions, Tournaments
from bot.store.check import Checker
from bot.store.stores import Stores
from engine.agents.roster import Roster
from engine.core import Move
from tests.bot.sittings import terms_of

PEOPLE, CHANNELS, GUILDS = 24, 4, 2
ENOUGH = 50
"""Actions in a run."""
GAMES = (*("tic-tac-toe",) * 6, "connect-four", "connect-four", "othello")
CLOCKS = (None, 60, 300)


class Seen(NoScreen):
    """A display that records every result it has shown."""

    def __init__(self) -> None:
        self.results: dict[int, Result] = {}
        self.changed: list[int] = []

    async def show(self, match: Match) -> Delivered:
        await asyncio.sleep(0)
        self.look(match)
        return Delivered.DELIVERED

    def look(self, match: Match) -> None:
        if match.result is not None and self.results.setdefault(match.id, match.result) != match.result:
            self.changed.append(match.id)


class NoBoards:
    """A tournament display that shows nothing."""

    def __init__(self) -> None:
        self.messages = 1000

    async def open_board(self, match: Match) -> Match:
        return match

    async def open_thread(self, tournament: object) -> int | None:
        return None

    async def post_round(self, tournament: object) -> int:
        self.messages += 1
        return self.messages

    async def post_end(self, tournament: object) -> int:
        return await self.post_round(tournament)

    async def refresh(self, tournament: object) -> Delivered:
        return Delivered.DELIVERED

    def missing(self, tournament: object) -> str | None:
        return None

    async def tell_organiser(self, tournament: object, missing: str) -> None: ...


class Chaos:
    """One database, and one process after another on it."""

    def __init__(self, file: Path, rng: Random) -> None:
        self.file, self.rng = file, rng
        self.now = datetime(2026, 5, 1, tzinfo=UTC)
        self.seen = Seen()
        self.moves: dict[tuple[int, int], Move] = {}
        self.solved: dict[int, int] = {}
        self.done: Counter[str] = Counter()
        self.failures: list[str] = []
        self.is_open = asyncio.Event()
        self.acting: set[asyncio.Task[None]] = set()
        self.restarts = 0

    async def open(self) -> None:
        """As at the start of a process."""
        self.stores = await Stores.open(f"sqlite+aiosqlite:///{self.file}", busy_seconds=0.2)
        self.search = SearchPool(2)
        self.changes = Changes(self.stores, lambda: self.now)
        self.settings = await SettingsCache.load(self.stores.preferences)
        self.services = MatchServices.build(
            self.stores, self.search, Roster(), self.settings, self.seen, self.changes,
            ShownVersions(self.stores.shown),
            clock=lambda: self.now, rng=self.rng, pace_seconds=0, retry_seconds=(0.05, 0.2),
        )  # fmt: skip
        store, nowhere = self.stores.tournaments, NoBoards()
        messages = TournamentMessages(store, nowhere, self.changes, clock=lambda: self.now)
        self.tournaments = Tournaments(
            store, self.services, nowhere, messages, self.changes, clock=lambda: self.now
        )
        self.courses = Courses(self.stores, clock=lambda: self.now, rng=self.rng)
        self.puzzles = Puzzles(self.stores, Reviews(self.search), clock=lambda: self.now, rng=self.rng)
        self.privacy = Privacy(
            self.stores, self.services, self.tournaments, self.settings, clock=lambda: self.now
        )
        await self.services.clocks.resume()
        self.is_open.set()

    @property
    def has_seen_enough(self) -> bool:
        """A busy machine needs longer than it is told to for this."""
        return self.restarts > 0 and sum(self.done.values()) > ENOUGH

    async def close(self) -> None:
        """The process ends while people press."""
        self.is_open.clear()
        for task in self.acting:
            task.cancel()
        await self.services.background.close()
        await self.search.close()
        await asyncio.gather(*self.acting, return_exceptions=True)
        await self.stores.close()

    async def person(self, until: float) -> None:
        """A person who performs random actions one by one; some are cancelled halfway."""
        loop = asyncio.get_running_loop()
        while loop.time() < until or not self.has_seen_enough:
            await self.is_open.wait()
            name = self.rng.choice(tuple(ACTIONS))
            task = asyncio.create_task(ACTIONS[name](self))
            self.acting.add(task)
            task.add_done_callback(self.acting.discard)
            if self.rng.random() < 0.15:
                await asyncio.sleep(self.rng.random() * 0.02)
                task.cancel()
            try:
                await task
            except (Refusal, asyncio.CancelledError) as error:
                self.done[f"refused {name}" if isinstance(error, Refusal) else "cut off"] += 1
            except Exception as error:  # noqa: BLE001 - what should never come
                if self.is_open.is_set():
                    self.failures.append(f"{name}: {error!r}")
            else:
                self.done[name] += 1
            await asyncio.sleep(self.rng.random() * 0.01)

    async def trouble(self, until: float) -> None:
        """Clocks run, the database is locked for a while, and the process ends and begins again."""
        loop = asyncio.get_running_loop()
        for kind in itertools.cycle(("lock", "restart", "lock", "calm", "lock", "calm")):
            await asyncio.sleep(self.rng.uniform(0.3, 0.9))
            if loop.time() > until and self.has_seen_enough:
                return
            self.now += timedelta(seconds=self.rng.choice((1, 5, 30)))
            if kind == "lock":
                await self._lock(self.rng.uniform(0.05, 0.8))
            elif kind == "restart":
                await self.close()
                self.restarts += 1
                await self.open()

    async def _lock(self, seconds: float) -> None:
        other = sqlite3.connect(self.file, isolation_level=None, timeout=2)
        try:
            other.execute("BEGIN IMMEDIATE")
            await asyncio.sleep(seconds)
            other.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return
        finally:
            other.close()

    # Person, place, action

    def anybody(self) -> Person:
        number = self.rng.randrange(1, PEOPLE + 1)
        return Person(number, f"P{number}")

    def place(self) -> Channel:
        channel = self.rng.randrange(CHANNELS)
        return Channel(10 + channel, 20 + channel % GUILDS, 5000 + self.rng.randrange(1000))

    def game(self) -> str:
        return self.rng.choice(GAMES)

    async def some_match(self) -> tuple[Match, Person]:
        """A running match and one of its players, or a random person."""
        person = self.anybody()
        found = await self.services.matches.running(person.user_id)
        if not found:
            return await self.services.matches.match(self.rng.randrange(1, 50)), person
        return self.rng.choice(found), person

    async def some_tournament(self) -> int:
        found = await self.tournaments.of_guild(20 + self.rng.randrange(GUILDS))
        return self.rng.choice(found).id if found else 1


Action = Callable[[Chaos], Coroutine[Any, Any, None]]


async def _play(here: Chaos) -> None:
    match, person = await here.some_match()
    if match.is_over:
        return
    move = here.rng.choice(match.state.legal_moves()) if here.rng.random() < 0.9 else here.rng.randrange(70)
    after = await here.services.playing.play(match.id, person, move, turn=match.turn)
    if after.rated:
        here.moves[match.id, match.turn] = move
    here.seen.look(after)
    here.services.pings.ping(after)


async def _start(here: Chaos) -> None:
    rated = here.rng.random() < 0.5
    match = await here.services.starting.start(
        here.anybody(),
        terms_of(here.game(), first=here.rng.choice(list(First)), rated=rated),
        "pip",
        here.place(),
    )
    here.services.pings.ping(match)


async def _challenge(here: Chaos) -> None:
    person, other = here.anybody(), here.anybody()
    if person.user_id == other.user_id:
        return
    sent = await here.services.challenges.send(
        person,
        other,
        terms_of(
            here.game(),
            rated=here.rng.random() < 0.7,
            clock_seconds=here.rng.choice(CLOCKS),
            fair=here.rng.choice((Fair.USUAL, Fair.USUAL, Fair.PIE, Fair.BALANCED)),
        ),
        here.place(),
    )
    if here.rng.random() < 0.8:
        here.services.pings.ping((await here.services.challenges.accept(sent.id, other))[1])


async def _swap(here: Chaos) -> None:
    """A person takes over the first move if the fair start allows it."""
    match, person = await here.some_match()
    after = await here.services.playing.swap(match.id, person, turn=match.turn)
    here.seen.look(after)
    here.services.pings.ping(after)


def _course(kind: CourseKind) -> Action:
    async def action(here: Chaos) -> None:
        """Begins one or goes on with it: right, wrong, or twice at once."""
        person = here.anybody()
        course = await here.courses.begin(person, 20, kind, here.rng.choice((None, "tic-tac-toe")))
        for _ in range(3):
            puzzle = await here.courses.puzzle(course)
            move = puzzle.best if here.rng.random() < 0.8 else here.rng.choice(puzzle.state.legal_moves())
            twice = [here.courses.answer(course.id, person, course.number, move) for _ in range(2)]
            given = await asyncio.gather(*twice, return_exceptions=True)
            for error in given:
                if isinstance(error, Exception) and not isinstance(error, Refusal):
                    raise error
            counted = [one for one in given if isinstance(one, CourseAnswer) and not one.was_closed]
            if len(counted) > 1:
                here.failures.append(f"course {course.id}: one answer counted {len(counted)} times")
            course = await here.courses.course(course.id)
            if course.is_over:
                here.solved[course.id] = course.solved
                return
        if here.rng.random() < 0.3:
            ended = await here.courses.stop(course.id, person)
            here.solved[course.id] = ended.solved

    return action


async def _puzzle(here: Chaos) -> None:
    person = here.anybody()
    attempt = await here.puzzles.play(person, None, "tic-tac-toe", None)
    move = here.rng.choice(attempt.state.legal_moves())
    await here.puzzles.answer(attempt.id, person, attempt.turn, move)


async def _decline(here: Chaos) -> None:
    await here.services.challenges.decline(here.rng.randrange(1, 200), here.anybody())


def _on_match(act: Callable[[Chaos, Match, Person], Coroutine[Any, Any, Match]]) -> Action:
    async def action(here: Chaos) -> None:
        match, person = await here.some_match()
        after = await act(here, match, person)
        here.seen.look(after)
        here.services.pings.ping(after)

    return action


async def _hint(here: Chaos) -> None:
    match, person = await here.some_match()
    await here.services.allowed_help.take_hint(match, person)


async def _rematch(here: Chaos) -> None:
    person = here.anybody()
    over = await here.services.matches.finished(person.user_id, 3)
    if over:
        made = await here.services.starting.rematch(over[0].id, person, here.place())
        if isinstance(made, Match):
            here.services.pings.ping(made)


async def _watch(here: Chaos) -> None:
    here.services.pings.ping(
        await here.services.starting.watch(here.anybody(), "tic-tac-toe", "pip", "pip", here.place())
    )


async def _tournament(here: Chaos) -> None:
    host = here.anybody()
    game, fair = here.rng.choice(
        (("tic-tac-toe", Fair.USUAL), ("connect-four", Fair.PIE), ("connect-four", Fair.BALANCED))
    )
    system = here.rng.choice(list(System))
    terms = TournamentOptions("Cup", game, system, fair=fair, clock_seconds=300, sign_up_seconds=600)
    await here.tournaments.create(host, terms, here.place(), Organiser(host.user_id), levels=("pip",))


async def _join(here: Chaos) -> None:
    await here.tournaments.join(await here.some_tournament(), here.anybody())


async def _leave(here: Chaos) -> None:
    await here.tournaments.leave(await here.some_tournament(), here.anybody())


async def _begin(here: Chaos) -> None:
    number = await here.some_tournament()
    await here.tournaments.start(number, Organiser(99, is_admin=True))
    await here.tournaments.step(number)


async def _remove(here: Chaos) -> None:
    who = Organiser(here.anybody().user_id, is_admin=True)
    await here.tournaments.remove(await here.some_tournament(), here.rng.randrange(1, 9), who)


async def _cancel(here: Chaos) -> None:
    if here.rng.random() < 0.1:
        await here.tournaments.cancel(await here.some_tournament(), Organiser(99, is_admin=True))


async def _tick(here: Chaos) -> None:
    await here.services.clocks.tick()
    await here.tournaments.run_once()
    await here.privacy.forget_invitations()
    await here.services.clocks.beat()


async def _look(here: Chaos) -> None:
    person, guild = here.anybody(), 20 + here.rng.randrange(GUILDS)
    season = here.services.standings.season if here.rng.random() < 0.5 else None
    await here.services.standings.leaderboard(
        here.game(),
        guild_id=guild,
        agents=here.rng.random() < 0.2,
        page=1,
        user_id=person.user_id,
        season=season,
    )
    await here.services.standings.profile(person.user_id, guild_id=guild, reader_id=here.anybody().user_id)


async def _prefer(here: Chaos) -> None:
    await here.settings.prefer(here.anybody().user_id, Preferences(is_listed=here.rng.random() < 0.5))
    await here.settings.save(
        20 + here.rng.randrange(GUILDS), ServerSettings(is_closed=here.rng.random() < 0.3)
    )


async def _delete(here: Chaos) -> None:
    if here.rng.random() < 0.05:
        await here.privacy.delete(here.anybody())


ACTIONS: dict[str, Action] = {
    **{f"play {number}": _play for number in range(12)},
    "start": _start,
    "challenge": _challenge,
    "challenge again": _challenge,
    "decline": _decline,
    "swap": _swap,
    "swap again": _swap,
    "storm": _course(CourseKind.STORM),
    "streak": _course(CourseKind.STREAK),
    "puzzle": _puzzle,
    "resign": _on_match(lambda here, match, person: here.services.playing.resign(match.id, person)),
    "undo": _on_match(lambda here, match, person: here.services.playing.ask_undo(match.id, person)),
    "answer undo": _on_match(
        lambda here, match, person: here.services.playing.answer_undo(
            match.id, person, here.rng.random() < 0.5
        )
    ),
    "draw": _on_match(lambda here, match, person: here.services.playing.offer_draw(match.id, person)),
    "answer draw": _on_match(
        lambda here, match, person: here.services.playing.answer_draw(
            match.id, person, here.rng.random() < 0.5
        )
    ),
    "hint": _hint,
    "rematch": _rematch,
    "watch": _watch,
    "tournament": _tournament,
    "join": _join,
    "join again": _join,
    "leave": _leave,
    "begin": _begin,
    "remove": _remove,
    "cancel": _cancel,
    "tick": _tick,
    "look": _look,
    "prefer": _prefer,
    "delete": _delete,
}


async def broken(tasks: int, seconds: float, seed: int = 1) -> tuple[list[str], Chaos]:
    """Run random tasks for some seconds at least; return the violated invariants and the run."""
    with tempfile.TemporaryDirectory() as folder:
        here = Chaos(Path(folder) / "chaos.db", Random(seed))
        await here.open()
        until = asyncio.get_running_loop().time() + seconds
        people = [asyncio.create_task(here.person(until)) for _ in range(tasks)]
        await here.trouble(until)
        await asyncio.gather(*people)
        # Nothing fails any more. A minute is longer than any outage here: one that is compensated can leave a
        # match changed after `now`, and its agent counts as asleep only ten seconds later than that.
        for _ in range(3):
            here.now += timedelta(minutes=1)
            await here.services.clocks.tick()
            await here.tournaments.run_once()
            await here.services.background.drain()
        found = [*here.failures, *await _wrong(here)]
        await here.close()
    return found, here


async def _wrong(here: Chaos) -> list[str]:
    found = list((await Checker(here.stores.database).check()).problems)
    found += [f"match {number}: its result has changed" for number in here.seen.changed]
    for number, result in here.seen.results.items():
        if (await here.services.matches.match(number)).result != result:
            found.append(f"match {number}: the result that was seen is not the one that is stored")
    for (number, turn), move in here.moves.items():
        match = await here.services.matches.match(number)
        # Taking over the first move uses a turn without making a move.
        ply = max(0, turn - 1) if match.is_swapped else match.opening + turn
        if match.moves[ply : ply + 1] != (move,):
            found.append(f"match {number}: the move of turn {turn} is lost")
    for number, solved in here.solved.items():
        try:
            kept = (await here.courses.course(number)).solved
        except NotFound:  # deleted with its person
            continue
        if kept != solved:
            found.append(f"course {number}: {solved} solved were seen, {kept} are stored")
    running, _ = await here.stores.matches.running_with_agents(0, 10_000)
    found += [f"match {match.id}: its agent sleeps" for match in running if await _is_asleep(here, match)]
    return found


async def _is_asleep(here: Chaos, match: Match) -> bool:
    """Whether its agent should move, now that nobody else does.

    An answer may wait for a rated match, and that one for another, as long as a person has the turn there.
    """
    followed = {match.id}
    while match.awaits_agent and not match.is_held:
        if match.waits_for is None or match.waits_for in followed:
            return True
        followed.add(match.waits_for)
        match = await here.services.matches.match(match.waits_for)
    return match.is_over
