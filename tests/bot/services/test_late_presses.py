"""Every action of a person, on its way while its time runs out: it counts from when it was received.

The actions are those of the services that take a person. Each has a row here, or a reason why no time decides
about it.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from bot.config import Settings
from bot.domain.challenge import ChallengeStatus
from bot.domain.clock import MAX_PRESS_DELAY
from bot.domain.course import CourseKind
from bot.domain.errors import Refusal
from bot.domain.match import Match, Pace
from bot.domain.outgoing import Fate, Handover, Outgoing, Place
from bot.domain.person import Person
from bot.domain.preferences import ServerSettings
from bot.domain.puzzle import daily
from bot.domain.result import End
from bot.domain.season import Season
from bot.domain.terms import Fair, First
from bot.domain.tournament.model import Stage, System
from bot.parts import Parts, Services
from bot.services.match_services import MatchServices
from bot.services.tournaments import Organiser, TournamentOptions
from bot.web.front import front_without_discord
from tests.bot.draws import Draws
from tests.bot.made_once import all_texts, database_url
from tests.bot.sittings import ADA, BEN, EVE, HERE, Clock, both_move_twice, sitting, terms_of

MOMENT = timedelta(milliseconds=1)

NO_TIME = {
    "allowed_help": {
        *("take_hint", "give_hint_back", "check_explained", "check_reviewed"),
        *("check_fair", "check_game", "check_positions", "check_attempt"),
    },
    "courses": {"begin"},  # a storm that still counts is continued, any other course is new
    "imports": {"add", "chosen", "forget", "of", "take", "wait_for_choice"},
    "lobby": {"rematch", "turn_away"},  # names alone; `challenges` decide
    "matches": {"to_move", "is_newcomer"},
    "playing": {"held", "answer_coach"},  # clocks stand while an answer is held
    "privacy": {"export", "delete"},
    "predictions": {"guess"},  # the sixth move closes them, whenever it comes
    "puzzles": {
        *("play", "again", "solution"),
    },
    "reminders": {"remind"},
    # Rematches against an agent and between agents, as all starts, may come at any time.
    "starting": {"start", "opponent", "watch", "watch_again", "play_from", "vote"},
    # A day later the position is due all the same.
    "training": {
        *("keep_match", "keep", "look_through", "next", "day", "posed", "answer", "give_up"),
        "to_remind",
    },
    "tournaments": {"create", "remove", "start", "cancel", "move", "check_moderates"},
    "votes": {"end"},  # the same end as by time
    "web": {"share", "withdraw", "play_link", "end_sessions"},
}
"""The actions that no running time can refuse."""


@dataclass(frozen=True)
class Timed:
    """An action that can be made until `ends_at`.

    press: makes it, received at that moment; whether it counted. is_open: whether nothing has been decided by
    time.
    """

    ends_at: datetime
    press: Callable[[datetime], Awaitable[object]]
    is_open: Callable[[], Awaitable[bool]]


@dataclass
class Bot:
    services: Services
    clock: Clock

    def wait_until(self, moment: datetime) -> None:
        """Let time pass, as if the bot had been there all the while."""
        self.clock.now = moment
        self.services.clocks._ticked_at = moment

    async def look(self) -> None:
        """Run the jobs that decide by time."""
        await self.services.clocks.tick()
        await self.services.tournaments.run_once()
        await self.services.courses.end_due()

    async def match(self, game: str = "connect-four", moves: int = 4, **options: Any) -> Match:
        """A match that Ada begins against Ben, ten seconds a move."""
        options = {"rated": False, "clock_seconds": 10} | options
        sent = await self.services.challenges.send(ADA, BEN, terms_of(game, first=First.ME, **options), HERE)
        match = (await self.services.challenges.accept(sent.id, BEN))[1]
        for _ in range(moves):
            match = await self.services.playing.play(match.id, mover(match), match.state.legal_moves()[0])
        return match

    def of_match(self, match: Match, act: Callable[[datetime], Awaitable[object]]) -> Timed:
        async def is_open() -> bool:
            return not (await self.services.matches.match(match.id)).is_over

        return Timed(match.ends_at, act, is_open)


def mover(match: Match) -> Person:
    return ADA if match.seat_to_move.user_id == ADA.user_id else BEN


def at(person: Person, moment: datetime) -> Person:
    return replace(person, pressed_at=moment)


@asynccontextmanager
async def running(file: Path) -> AsyncIterator[Bot]:
    async with AsyncExitStack() as closing:
        clock = Clock()
        parts = Parts(
            Settings(database_url=database_url(file)), clock=clock, rng=Draws(),
            texts=all_texts(), is_warm=True,
        )  # fmt: skip
        await parts.open(closing)
        yield Bot(parts.services(front_without_discord(), closing), clock)


async def play(bot: Bot) -> Timed:
    match, playing = await bot.match(), bot.services.playing
    return bot.of_match(match, lambda pressed: playing.play(match.id, at(ADA, pressed), 6, turn=match.turn))


async def swap(bot: Bot) -> Timed:
    match, playing = await bot.match(moves=1, fair=Fair.PIE), bot.services.playing
    return bot.of_match(match, lambda pressed: playing.swap(match.id, at(BEN, pressed), turn=match.turn))


async def offer_draw(bot: Bot) -> Timed:
    match, playing = await bot.match(), bot.services.playing
    return bot.of_match(match, lambda pressed: playing.offer_draw(match.id, at(ADA, pressed)))


async def answer_draw(bot: Bot) -> Timed:
    match, playing = await bot.match(), bot.services.playing
    match = await playing.offer_draw(match.id, BEN)
    return bot.of_match(match, lambda pressed: playing.answer_draw(match.id, at(ADA, pressed), True))


async def ask_undo(bot: Bot) -> Timed:
    match, playing = await bot.match(), bot.services.playing
    return bot.of_match(match, lambda pressed: playing.ask_undo(match.id, at(BEN, pressed)))


async def answer_undo(bot: Bot) -> Timed:
    match, playing = await bot.match(), bot.services.playing
    match = await playing.ask_undo(match.id, BEN)
    return bot.of_match(match, lambda pressed: playing.answer_undo(match.id, at(ADA, pressed), True))


async def resign(bot: Bot) -> Timed:
    match, playing = await bot.match(), bot.services.playing
    return bot.of_match(match, lambda pressed: playing.resign(match.id, at(BEN, pressed)))


async def make_rated(bot: Bot) -> Timed:
    match = await bot.services.starting.start(
        ADA, terms_of("othello", first=First.ME, rated=False, clock_seconds=10), "pip", HERE
    )
    playing = bot.services.playing
    return bot.of_match(match, lambda pressed: playing.make_rated(match.id, at(ADA, pressed)))


async def stop(bot: Bot) -> Timed:
    match = await bot.services.starting.watch(ADA, "connect-four", "pip", "bo", HERE)
    return bot.of_match(match, lambda pressed: bot.services.playing.stop(match.id, at(ADA, pressed)))


async def moderate(bot: Bot) -> Timed:
    match, playing = await bot.match(), bot.services.playing
    return bot.of_match(
        match, lambda pressed: playing.moderate(match.id, at(EVE, pressed), match.location.channel_id)
    )


async def set_pace(bot: Bot) -> Timed:
    match = await bot.services.starting.watch(ADA, "connect-four", "pip", "bo", HERE)
    playing = bot.services.playing
    return bot.of_match(match, lambda pressed: playing.set_pace(match.id, at(ADA, pressed), Pace.SLOW))


async def cast(bot: Bot) -> Timed:
    """Without votes the time is extended, which a vote on its way prevents."""
    terms = terms_of("connect-four", first=First.ME, clock_seconds=30)
    match = await bot.services.starting.vote(ADA, terms, "pip", HERE, ["#games"])
    move = match.state.legal_moves()[0]

    async def is_open() -> bool:
        return (await bot.services.matches.match(match.id)).ends_at == match.ends_at

    return Timed(
        match.ends_at,
        lambda pressed: bot.services.votes.cast(match.id, at(ADA, pressed), move, turn=match.turn),
        is_open,
    )


async def invited(
    bot: Bot, answer: Callable[[int, Person], Awaitable[object]], person: Person = BEN
) -> Timed:
    sent = await bot.services.challenges.send(ADA, person, terms_of("connect-four"), HERE)

    async def is_open() -> bool:
        return (await bot.services.challenges.find(sent.id)).status is ChallengeStatus.OPEN

    return Timed(sent.expires_at, lambda pressed: answer(sent.id, at(person, pressed)), is_open)


async def accept(bot: Bot) -> Timed:
    return await invited(bot, bot.services.challenges.accept)


async def sit_down(bot: Bot) -> Timed:
    """At an open table, from another server that takes them."""
    services, elsewhere = bot.services, Place(9, 77)
    for guild_id in (HERE.guild_id or 0, 77):
        await services.settings.save(guild_id, ServerSettings(lobby_channel=9, lobby_name="Club"))
    sent = await services.challenges.send(ADA, None, terms_of("othello"), HERE, is_table=True)

    async def is_open() -> bool:
        return (await services.challenges.find(sent.id)).status is ChallengeStatus.OPEN

    def note(match: Match) -> Outgoing:
        return Outgoing("mirror", match.id, 9, elsewhere, sent.id, "", Fate.SHOWN, bot.clock())

    handover = Handover(elsewhere, note, ("table", (sent.id, 77)))
    return Timed(
        sent.expires_at, lambda pressed: services.lobby.sit_down(sent.id, at(BEN, pressed), handover), is_open
    )


async def decline(bot: Bot) -> Timed:
    return await invited(bot, bot.services.challenges.decline)


async def send(bot: Bot) -> Timed:
    """An invitation the other way round accepts the one that is there."""

    async def press(_: int, person: Person) -> bool:
        sent = await bot.services.challenges.send(person, ADA, terms_of("connect-four"), HERE)
        return sent.status is ChallengeStatus.ACCEPTED

    return await invited(bot, press, EVE)


async def rematch(bot: Bot) -> Timed:
    match, starting = await bot.match(), bot.services.starting
    await bot.services.playing.resign(match.id, ADA)
    sent = await starting.rematch(match.id, BEN, HERE)
    assert not isinstance(sent, Match)

    async def is_open() -> bool:
        return (await bot.services.challenges.find(sent.id)).status is ChallengeStatus.OPEN

    async def press(pressed: datetime) -> bool:
        return isinstance(await starting.rematch(match.id, at(ADA, pressed), HERE), Match)

    return Timed(sent.expires_at, press, is_open)


async def signing_up(bot: Bot, act: Callable[[int, datetime], Awaitable[object]]) -> Timed:
    terms = TournamentOptions("Cup", "connect-four", System.SWISS)
    made = await bot.services.tournaments.create(ADA, terms, HERE, Organiser(ADA.user_id, is_admin=True))
    for person in (ADA, BEN):
        await bot.services.tournaments.join(made.id, person)

    async def is_open() -> bool:
        return (await bot.services.tournaments.tournament(made.id)).stage is Stage.OPEN

    return Timed(made.closes_at, lambda pressed: act(made.id, pressed), is_open)


async def join(bot: Bot) -> Timed:
    tournaments = bot.services.tournaments
    return await signing_up(bot, lambda number, pressed: tournaments.join(number, at(EVE, pressed)))


async def set_agents(bot: Bot) -> Timed:
    tournaments = bot.services.tournaments
    return await signing_up(
        bot,
        lambda number, pressed: tournaments.set_agents(
            number, ["pip"], Organiser(ADA.user_id, pressed_at=pressed)
        ),
    )


async def leave(bot: Bot) -> Timed:
    """The match of the person who leaves is resigned."""
    tournaments, organiser = bot.services.tournaments, Organiser(ADA.user_id, is_admin=True)
    made = await tournaments.create(
        ADA, TournamentOptions("Cup", "connect-four", System.SWISS), HERE, organiser
    )
    for person in (ADA, BEN, EVE):
        await tournaments.join(made.id, person)
    pairings = (await tournaments.start(made.id, organiser)).pairings
    number = next(one.match_id for one in pairings if one.match_id is not None)
    match = await bot.services.matches.match(number)
    seat = match.seat_to_move
    leaver = Person(seat.user_id or 0, seat.name)

    async def press(pressed: datetime) -> bool:
        await tournaments.leave(made.id, at(leaver, pressed))
        result = (await bot.services.matches.match(match.id)).result
        return result is not None and result.end is End.RESIGNATION

    return bot.of_match(match, press)


async def puzzle_day(bot: Bot) -> datetime:
    """The end of the next day with a puzzle that is quickly judged."""
    day = bot.clock.now.date() + timedelta(days=1)
    while daily(day).game != "tic-tac-toe":
        day += timedelta(days=1)
    bot.wait_until(datetime.combine(day, time(12), UTC))
    return bot.clock.now + timedelta(hours=12)


async def always() -> bool:
    return True


async def open_daily(bot: Bot) -> Timed:
    ends_at, puzzles = await puzzle_day(bot), bot.services.puzzles
    day = bot.clock.now.date()

    async def press(pressed: datetime) -> bool:
        return (await puzzles.daily(at(ADA, pressed), None)).day == day

    return Timed(ends_at, press, always)


async def answer_puzzle(bot: Bot) -> Timed:
    ends_at, puzzles = await puzzle_day(bot), bot.services.puzzles
    attempt = await puzzles.daily(ADA, None)
    best = daily(bot.clock.now.date()).best
    wrong = next(move for move in attempt.state.legal_moves() if move != best)

    async def press(pressed: datetime) -> bool:
        ended_at = (await puzzles.answer(attempt.id, at(ADA, pressed), 0, wrong)).attempt.ended_at
        assert ended_at is not None
        return ended_at.date() == attempt.day

    return Timed(ends_at, press, always)


async def storming(bot: Bot, person: Person, act: Callable[[int, datetime], Awaitable[object]]) -> Timed:
    """A storm with one answer."""
    courses = bot.services.courses
    begun = await courses.begin(person, None, CourseKind.STORM, "tic-tac-toe")
    given = await courses.answer(begun.id, person, 0, (await courses.puzzle(begun)).best)
    assert given is not None
    assert given.course.ends_at is not None

    async def is_open() -> bool:
        return not (await courses.course(begun.id)).is_over

    return Timed(given.course.ends_at, lambda pressed: act(begun.id, pressed), is_open)


async def answer_course(bot: Bot) -> Timed:
    courses = bot.services.courses

    async def press(number: int, pressed: datetime) -> object:
        best = (await courses.puzzle(await courses.course(number))).best
        given = await courses.answer(number, at(ADA, pressed), 1, best)
        return given is not None and given.is_right

    return await storming(bot, ADA, press)


async def stop_course(bot: Bot) -> Timed:
    async def press(number: int, pressed: datetime) -> bool:
        return (await bot.services.courses.stop(number, at(BEN, pressed))).ended_at == pressed

    timed = await storming(bot, BEN, press)
    # Stopped at its very end it is over then, by either.
    return replace(timed, ends_at=timed.ends_at + MOMENT)


ROWS: dict[str, Callable[[Bot], Awaitable[Timed]]] = {
    "playing.play": play,
    "playing.swap": swap,
    "playing.offer_draw": offer_draw,
    "playing.answer_draw": answer_draw,
    "playing.ask_undo": ask_undo,
    "playing.answer_undo": answer_undo,
    "playing.resign": resign,
    "playing.make_rated": make_rated,
    "playing.stop": stop,
    "playing.moderate": moderate,
    "playing.set_pace": set_pace,
    "lobby.sit_down": sit_down,
    "votes.cast": cast,
    "challenges.send": send,
    "challenges.accept": accept,
    "challenges.decline": decline,
    "starting.rematch": rematch,
    "tournaments.join": join,
    "tournaments.set_agents": set_agents,
    "tournaments.leave": leave,
    "puzzles.daily": open_daily,
    "puzzles.answer": answer_puzzle,
    "courses.answer": answer_course,
    "courses.stop": stop_course,
}


def actions() -> set[str]:
    """The methods of services that take the person who acts."""
    found = set()
    for room in {*fields(MatchServices), *fields(Services)}:
        for name, method in inspect.getmembers(get_type_hints(Services)[room.name], inspect.isfunction):
            taken = {str(one.annotation) for one in inspect.signature(method).parameters.values()}
            if not name.startswith("_") and {"Person", "Organiser"} & taken:
                found.add(f"{room.name}.{name}")
    return found


def test_every_action_of_a_person_has_a_row_or_needs_no_time() -> None:
    timeless = {f"{room}.{name}" for room, names in NO_TIME.items() for name in names}
    assert actions() == set(ROWS) | timeless


async def counts(timed: Timed, pressed: datetime) -> bool:
    try:
        return bool(await timed.press(pressed))
    except Refusal:
        return False


@pytest.mark.slow
@pytest.mark.parametrize("late", [0.5, 1.2, 2.9])
async def test_an_action_that_was_received_in_time_counts_though_it_arrives_late(
    tmp_path: Path, late: float
) -> None:
    async with running(tmp_path / "discade.db") as bot:
        for name, prepare in ROWS.items():
            timed = await prepare(bot)
            bot.wait_until(timed.ends_at - MOMENT + timedelta(seconds=late))
            await bot.look()
            assert await timed.is_open(), f"{name}: decided while a press was on its way"
            assert await counts(timed, timed.ends_at - MOMENT), f"{name}: {late} s late"


@pytest.mark.slow
@pytest.mark.parametrize("late", [0.0, 2.9])
async def test_an_action_that_was_received_too_late_does_not_count_and_ends_nothing_early(
    tmp_path: Path, late: float
) -> None:
    async with running(tmp_path / "discade.db") as bot:
        for name, prepare in ROWS.items():
            timed = await prepare(bot)
            bot.wait_until(timed.ends_at + timedelta(seconds=late))
            assert not await counts(timed, timed.ends_at), f"{name}: received at the end, {late} s late"
            # A storm has one person, whose own press after its end does end it.
            is_open = await timed.is_open() or name.startswith("courses.")
            assert is_open, f"{name}: decided by a press that came too late"
            bot.wait_until(timed.ends_at + MAX_PRESS_DELAY)
            await bot.look()
            assert not await timed.is_open() or timed.is_open is always, f"{name}: still open"


async def test_a_match_counts_in_the_month_in_which_its_last_action_was_received(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        table.clock.now = datetime(2026, 5, 31, 12, tzinfo=UTC)
        sent = await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
        match = await both_move_twice(table, (await table.services.challenges.accept(sent.id, BEN))[1])
        table.clock.now = datetime(2026, 6, 1, 0, 0, 0, 200_000, UTC)
        pressed = at(ADA, table.clock.now - timedelta(seconds=0.6))
        assert (await table.services.playing.resign(match.id, pressed)).touched_at == pressed.pressed_at
        assert await table.stores.seasons.seasons(HERE.guild_id or 0) == (Season(2026, 5),)


async def test_an_agent_goes_on_when_the_match_that_it_waits_for_was_ended_by_an_earlier_press(
    tmp_path: Path,
) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        starting, playing = table.services.starting, table.services.playing
        table.search.hold({"random"})
        waiting = await starting.start(
            ADA, terms_of("connect-four", first=First.OPPONENT, rated=False), "pip", HERE
        )
        rated = await starting.start(ADA, terms_of("connect-four", first=First.ME), "pip", HERE)
        pressed = at(ADA, table.clock.now)
        table.clock.advance(seconds=1)
        await table.changes.of_match(waiting.id, lambda match, now: match.wait_for(rated.id, now, turn=0))
        await playing.resign(rated.id, pressed)
        await table.services.agents.release()
        assert (await table.services.matches.match(waiting.id)).waits_for is None
