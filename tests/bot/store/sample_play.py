"""The people of the sample databases: their matches, tournaments and puzzles in a month and a half.

Everything goes through the services, and ends with all that can be under way. Moves without a reason are
drawn from a fixed seed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from itertools import count, cycle, product
from random import Random
from typing import Any

from bot.domain.champion import ChampionRole, Title
from bot.domain.course import CourseKind
from bot.domain.errors import Refusal
from bot.domain.location import Channel, Location, Web
from bot.domain.look import Size, Theme
from bot.domain.match import Match, Pace
from bot.domain.outgoing import Fate, Outgoing, Place
from bot.domain.panel_choices import Against, Mode, Start
from bot.domain.person import Person
from bot.domain.preferences import Preferences, ServerSettings, Threads
from bot.domain.puzzle import Attempt
from bot.domain.result import End
from bot.domain.terms import Fair, First, is_rated_on
from bot.domain.tournament.model import Stage, System, Tournament, TournamentEvent
from bot.services.achievements import Achievements
from bot.services.checked_terms import NO_CLOCK
from bot.services.courses import CourseAnswer, Courses
from bot.services.puzzles import Puzzles
from bot.services.reviews import Reviews
from bot.services.settings import SettingsCache
from bot.services.web_access import WebAccess
from engine.agents.echo import ECHO
from engine.agents.roster import Roster
from engine.analysis.puzzles import puzzles
from engine.core import EndReason, Move, State
from engine.games import GAMES, game, spec_of
from engine.games.notation import format_moves
from tests.bot.services.tournaments.evenings import HOST, ORGANISER, Evening
from tests.bot.sittings import HERE, Sitting, both_move_twice, terms_of
from tests.long_game import long_game

SERVERS = (
    HERE,
    Channel(10**18 + 11, 10**18 + 21, locale="de"),
    Channel(10**18 + 12, 10**18 + 22, locale="pt-BR", parent_id=10**18 + 13),
    Channel(10**18 + 14, locale="fr"),
)
"""A channel, two of another server's (the second a thread), and direct messages."""

NAMES = ("Zoë", "Bjørn", "O'Neil", "ندا", "二郎", "🦊 fox", "x" * 32)

MORE_BOARDS = {"connect-four": ("4x5x4", "8x8x4", "5x5x3", "9x7x5")}
"""Boards that people can name, besides those that are offered."""

SWAP2_OPENINGS = (
    *("", "e5", "e5 d4", "e5 d4 f6", "e5 d4 f6 g7", "e5 d4 f6 swap", "e5 d4 f6 swap g7"),
    *("h8 h9 i9 two", "h8 h9 i9 two a1", "h8 h9 i9 two a1 b1", "h8 h9 i9 two a1 b1 swap"),
    *("h8 h9 i9 two a1 b1 swap c2", "h8 h9 i9 two a1 b1 c2", "h8 h9 i9 two a1 b1 c2 d2"),
)
"""Of Gomoku on any board with swap2: each phase, with each word and without."""

SWAP2_LONG = ("e5 d4 f6 g7", "e5 d4 f6 swap", "h8 h9 i9 two a1 b1 swap", "h8 h9 i9 two a1 b1 c2")
PLIES_OF_LONG = 20


@dataclass
class People:
    """They play, always the same; `clock` goes on by some seconds a move."""

    evening: Evening
    rng: Random = field(default_factory=lambda: Random(300))
    numbers: Iterator[int] = field(default_factory=lambda: count(10**18 + 1000))
    places: Iterator[Channel] = field(default_factory=lambda: cycle(SERVERS))

    @property
    def table(self) -> Sitting:
        return self.evening.table

    def person(self) -> Person:
        number = next(self.numbers)
        return Person(number, f"{NAMES[number % len(NAMES)]}", f"account{number % 1000}")

    async def pair(self, game: str, board: str | None = None, **options: Any) -> Match:
        """A new match of two people who play nothing else."""
        ada, ben = self.person(), self.person()
        services, terms = self.table.services, terms_of(game, board, first=First.ME, **options)
        sent = await services.challenges.send(ada, ben, terms, next(self.places))
        return (await services.challenges.accept(sent.id, ben))[1]

    async def against(
        self,
        game: str,
        level: str | None = None,
        *,
        location: Location | None = None,
        position: str | None = None,
        is_coached: bool = False,
        first: First = First.ME,
        **options: Any,
    ) -> Match:
        """A new match of a person against an agent. level: None for the weakest."""
        match = await self.table.services.starting.start(
            self.person(), terms_of(game, first=first, **options), level or weakest(game)[0],
            location or next(self.places), position=position, is_coached=is_coached,
        )  # fmt: skip
        return await self.seen(match)

    async def seen(self, match: Match) -> Match:
        """The match once its agent has answered."""
        await self.table.services.background.drain()
        return await self.table.stores.matches.find(match.id) or match

    async def play(self, match: Match, moves: Sequence[Move]) -> Match:
        """The people to move make these moves."""
        for move in moves:
            self.table.clock.advance(seconds=self.rng.randrange(4))
            seat = match.seat_to_move
            match = await self.table.services.playing.play(
                match.id, Person(seat.user_id or 0, seat.name), move
            )
            if match.has_agent:
                match = await self.seen(match)
        return match

    async def play_on(self, match: Match, plies: int = 1000) -> Match:
        """People make that many moves more, if the match does not end before."""
        for _ in range(plies):
            if match.is_over:
                break
            match = await self.play(match, (self.rng.choice(match.state.legal_moves()),))
        return match

    async def say(self, match: Match, line: str) -> Match:
        """The people make the moves of these names; a word on a board of another size is none."""
        for name in line.split():
            match = await self.play(match, (game(match.game).parse_move(match.state, name),))
        return match

    async def quietly(self, match: Match, plies: int, *, forfeit: str = "") -> Match:
        """Both sides move, agents too, without the search of an agent."""
        for _ in range(plies):
            now, move = self.table.clock(), self.rng.choice(match.state.legal_moves())
            seat = match.seat_to_move
            if seat.user_id is None:
                after = match.play_agent(move, now, turn=match.turn, seconds=0.25, forfeit=forfeit)
            else:
                after = match.play(seat.user_id, move, now)
            match = await self.table.stores.matches.save(match, after)
        return match

    def mover(self, match: Match) -> Person:
        return Person(match.seat_to_move.user_id or 0, match.seat_to_move.name)

    def waiter(self, match: Match) -> Person:
        seat = match.seats[match.to_move.other]
        return Person(seat.user_id or 0, seat.name)


def weakest(game_key: str) -> tuple[str, ...]:
    """The keys of the game's levels, weakest first."""
    return tuple(level.key for level in Roster().levels_of(game_key))


def boards(game_key: str) -> tuple[str, ...]:
    return (*GAMES[game_key].boards, *MORE_BOARDS.get(game_key, ()))


def shuffling(state: State, rng: Random, plies: int = 400) -> tuple[Move, ...] | None:
    """Moves up to an end, made so that positions come again; None if there is no end."""
    seen, moves = set(), list[Move]()
    while state.outcome() is None and len(moves) < plies:
        seen.add(state.cells())
        legal = rng.sample(state.legal_moves(), len(state.legal_moves()))
        after = [(move, state.play(move)) for move in legal]
        move, state = next((one for one in after if one[1].cells() in seen), after[0])
        moves.append(move)
    return tuple(moves) if state.outcome() else None


async def finished_on_every_board(people: People) -> None:
    """Matches of people to the end of the game, rated where they may be, with both kinds of clock."""
    clocks = cycle((3600, -600_005, 259_200, -1_800_020))
    for key in GAMES:
        for board in boards(key):
            rated = is_rated_on(key, board, has_agent=False)
            for number in range(2):
                options = {"rated": rated and number == 0, "clock_seconds": next(clocks)}
                match = await people.play_on(await people.pair(key, board, **options))
                assert match.is_over
        for rated in (True, False):
            match = await people.play_on(await people.against(key, rated=rated, is_coached=not rated), 6)
            if not match.is_over:
                await people.table.services.playing.resign(match.id, _person_of(match))


def _person_of(match: Match) -> Person:
    seat = next(seat for seat in match.seats if seat.user_id is not None)
    return Person(seat.user_id or 0, seat.name)


async def every_end(people: People) -> None:
    """The ends that random play does not reach."""
    playing, clocks = people.table.services.playing, people.table.services.clocks
    for key in ("pop-out", "draughts"):
        rng = Random(1)
        ends = (shuffling(game(key).start(), rng) for _ in range(200))
        reasons: set[tuple[EndReason, bool]] = set()
        for moves in ends:
            if moves is None or len(reasons) == 2:
                continue
            state = game(key).start()
            for move in moves:
                state = state.play(move)
            outcome = state.outcome()
            assert outcome is not None
            kind = outcome.reason, outcome.winner is None
            if kind not in reasons:
                reasons.add(kind)
                await people.play(await people.pair(key), moves)
    moves = long_game(1000)
    position = format_moves(game("pop-out"), "6x7", moves[:500])
    endless = await people.against("pop-out", rated=False, position=position)
    for move in moves[500:]:
        now = people.table.clock()
        user_id = endless.seat_to_move.user_id
        after = (
            endless.play_agent(move, now, turn=endless.turn, seconds=0.0)
            if user_id is None
            else endless.play(user_id, move, now)
        )
        endless = await people.table.stores.matches.save(endless, after)
    assert endless.result is not None
    assert endless.result.end is End.TOO_LONG
    agreed = await people.play_on(await people.pair("hex"), 5)
    await playing.offer_draw(agreed.id, people.mover(agreed))
    await playing.answer_draw(agreed.id, people.waiter(agreed), accept=True)
    short = await people.pair("othello")
    await playing.resign(short.id, people.mover(short))
    for plies in (1, 6):
        await people.play_on(await people.pair("kalah", clock_seconds=300), plies)
    await people.play_on(await people.against("hex", clock_seconds=300), 3)
    people.table.clock.advance(seconds=400)
    await clocks.tick()
    for plies in (2, 8):
        await people.play_on(await people.pair("dots-and-boxes", rated=False, clock_seconds=NO_CLOCK), plies)
    people.table.clock.advance(days=8)
    await clocks.tick()
    assert await people.table.stores.matches.running() == [], "every clock has run out"


async def rematches(people: People) -> None:
    """A chain of three, with a balanced opening, and one against an agent."""
    services = people.table.services
    for key, fair in (("connect-four", Fair.BALANCED), ("kalah", Fair.PIE)):
        match = await people.pair(key, fair=fair)
        for _ in range(2):
            match = await people.play_on(match, 7)
            if not match.is_over:
                match = await services.playing.resign(match.id, people.mover(match))
            ada, ben = people.mover(match), people.waiter(match)
            sent = await services.starting.rematch(match.id, ada, match.location_of_rematch())
            assert not isinstance(sent, Match)
            match = (await services.challenges.accept(sent.id, ben))[1]
        await services.playing.resign(match.id, people.mover(match))
    old = await people.play_on(await people.against("othello", ECHO), 5)
    old = await services.playing.resign(old.id, _person_of(old))
    new = await services.starting.rematch(old.id, _person_of(old), HERE)
    assert isinstance(new, Match)
    await services.playing.resign(new.id, _person_of(new))
    await services.starting.play_from(old, 4, _person_of(old), HERE)


async def watched(people: People) -> None:
    """Agents against agents: over, stopped, again, and at each speed under way."""
    services, viewer = people.table.services, people.person()
    over = await services.starting.watch(viewer, "tic-tac-toe", "pip", "otto", HERE)
    services.agents.wake(over)
    over = await people.seen(over)
    assert over.is_over
    await services.starting.watch_again(over.id, viewer, Channel(31, 20))
    stopped = await services.starting.watch(viewer, "othello", "pip", "otto", HERE, board="6x6")
    await services.playing.stop((await people.quietly(stopped, 3)).id, viewer)
    for number, (key, pace) in enumerate(zip(GAMES, cycle(Pace), strict=False)):
        first, second = weakest(key)[:2]
        there = Channel(40 + number, 20)
        running = await services.starting.watch(viewer, key, second, first, there, pace=pace)
        await people.quietly(running, 4)
    web = await services.starting.watch(viewer, "othello", "pip", "otto", Web("es"))
    await people.quietly(web, 2)


async def running_on_every_board(people: People) -> None:
    """Matches under way at several plies, of people and against every level."""
    for key in GAMES:
        for board in boards(key):
            for plies, clock in ((0, NO_CLOCK), (1, 86_400), (9, -1_800_020)):
                match = await people.pair(key, board, rated=plies > 1, clock_seconds=clock)
                await people.play_on(match, plies)
            level = Roster().levels_of(key, board)[0].key
            await people.play_on(await people.against(key, level, board=board, rated=False), 3)
        for number, named in enumerate((*weakest(key), ECHO)):
            await people.against(key, named, rated=number % 2 == 0, is_coached=number % 3 == 0)
        await people.against(key, "alphabeta:depth=2", rated=False)
        await people.play_on(await people.against(key, first=First.OPPONENT), 2)


async def swap2(people: People) -> None:
    """Gomoku with swap2 in every phase, long after it, and finished, of people and against an agent."""
    swapped = [board for board in GAMES["gomoku"].boards if board.endswith("swap2")]
    for board in swapped:
        for line in SWAP2_OPENINGS:
            await people.say(await people.pair("gomoku", board), line)
        for number, line in enumerate(SWAP2_LONG):
            await people.play_on(await people.say(await people.pair("gomoku", board), line), PLIES_OF_LONG)
            over = await people.play_on(await people.say(await people.pair("gomoku", board), line), 60)
            if not over.is_over:
                person = people.mover(over) if number % 2 else people.waiter(over)
                await people.table.services.playing.resign(over.id, person)
        for line in ("e5 d4 f6", "h8 h9 i9"):
            await people.play_on(
                await people.say(await people.against("gomoku", board=board, rated=False), line), 3
            )


async def hex_swap(people: People) -> None:
    """Hex with its own swap: just made, answered, and to the end."""
    for board in GAMES["hex"].boards:
        for plies in (0, 1, 3, 1000):
            match = await people.say(await people.pair("hex", board), "b4 swap")
            await people.play_on(match, plies)


async def asked_and_offered(people: People) -> None:
    """Offers, requests, hints, swaps, waiting agents and matches without a channel."""
    services, stores = people.table.services, people.table.stores
    for key in GAMES:
        drawn = await people.play_on(await people.pair(key), 4)
        await services.playing.offer_draw(drawn.id, people.waiter(drawn))
        asked = await people.play_on(await people.pair(key, rated=False), 4)
        await services.playing.ask_undo(asked.id, people.waiter(asked))
        back = await people.play_on(await people.against(key, rated=False), 2)
        await services.playing.ask_undo(back.id, _person_of(back))
        hinted = await people.play_on(await people.against(key, rated=False), 1)
        await services.allowed_help.take_hint(hinted, _person_of(hinted))
        with suppress(Refusal):
            await people.play_on(await people.pair(key, fair=Fair.PIE), 1)
            pie = await people.play_on(await people.pair(key, fair=Fair.PIE), 1)
            while not pie.can_swap and pie.turn < 4:
                pie = await people.play_on(pie, 1)
            await people.play_on(await services.playing.swap(pie.id, people.mover(pie)), 3)
        forfeited = await people.against(key, rated=False)
        await people.quietly(forfeited, 4, forfeit="it raised ValueError: 'no move'")
        lost = await people.play_on(await people.pair(key, clock_seconds=3600), 3)
        gone = Channel(50 + lost.id, 20, 10**18 + lost.id)
        await people.table.changes.attach(lost.id, gone)
        await people.table.changes.lose_channel(gone.channel_id)
        there = Channel(51_000 + lost.id, 20, parent_id=77)
        moved = await people.pair(key)
        await people.table.changes.attach(moved.id, there)
        await people.table.changes.move_out(there.channel_id, 77)
        await people.play_on(await people.against(key, rated=False, location=Web("fa")), 2)
        with suppress(Refusal):
            await people.play_on(await people.against(key, rated=False, fair=Fair.BALANCED), 1)
        state = game(key).start()
        line = list(_line(state, people.rng, 6))
        await people.against(key, rated=False, position=format_moves(game(key), GAMES[key].boards[0], line))
    await _waiting(people)
    for match in (await stores.matches.running())[::3]:
        if isinstance(match.location, Channel) and match.location.message_id is None:
            await people.table.changes.attach(match.id, replace(match.location, message_id=10**18 + match.id))
    assert people.table.screen.marks is not None
    await people.table.screen.marks.flush()


async def warned(people: People) -> None:
    """Its clock is about to run out; the last time that clocks are looked at."""
    late = await people.play_on(await people.pair("othello", clock_seconds=300), 2)
    people.table.clock.advance(seconds=250)
    await people.table.services.clocks.tick()
    found = await people.table.stores.matches.find(late.id)
    assert found is not None
    assert found.warned_turn == found.turn


def _line(state: State, rng: Random, plies: int) -> Iterator[Move]:
    for _ in range(plies):
        move = rng.choice(state.legal_moves())
        state = state.play(move)
        yield move


async def _waiting(people: People) -> None:
    """An agent that answers only once the rated match with the same position has gone on."""
    services, ada = people.table.services, people.person()
    casual = await services.starting.start(ada, terms_of("othello", first=First.ME, rated=False), "pip", HERE)
    casual = await people.play_on(casual, 3)
    sent = await services.challenges.send(ada, people.person(), terms_of("othello", first=First.ME), HERE)
    opponent = Person((sent.opponent or sent.challenger).user_id or 0, "Rival")
    rated = (await services.challenges.accept(sent.id, opponent))[1]
    next_move = casual.state.legal_moves()[0]
    await people.play(rated, (*casual.moves, next_move))
    casual = await people.play(casual, (next_move,))
    assert casual.waits_for == rated.id


async def invitations(people: People) -> None:
    """Open, for anybody, declined, expired and taken back."""
    challenges = people.table.services.challenges
    for key, fair in zip(GAMES, cycle((Fair.USUAL, Fair.PIE, Fair.BALANCED)), strict=False):
        ada, ben = people.person(), people.person()
        with suppress(Refusal):
            await challenges.send(ada, ben, terms_of(key, fair=fair), HERE)
        await challenges.send(ada, None, terms_of(key, rated=False, clock_seconds=-600_005), HERE)
        refused = await challenges.send(ada, ben, terms_of(key, first=First.OPPONENT), HERE)
        await challenges.decline(refused.id, ben if fair is Fair.PIE else ada)


async def tournaments(people: People) -> None:
    """Every system at every stage, with people, agents and both."""
    evening = people.evening
    agents = await evening.create(System.ROUND_ROBIN)
    agents = await evening.tournaments.set_agents(agents.id, ("pip", "bo", "otto"), ORGANISER)
    agents = await evening.begin(agents)
    for _ in range(10):
        for match in await people.table.stores.tournaments.matches_of(agents.id):
            people.table.services.agents.wake(match)
        agents = await evening.step(agents)
    assert agents.is_of_agents
    await people.table.stores.events.note(
        TournamentEvent(agents.id, 20, 10**18 + 5, True, people.table.clock() + timedelta(hours=2))
    )
    for stage, system in product((Stage.OVER, Stage.CANCELLED, Stage.RUNNING), System):
        found = await evening.sign_up(3, ("pip",), system=system, rated=stage is not Stage.OVER)
        found = await evening.begin(found)
        if stage is Stage.CANCELLED:
            await evening.tournaments.cancel(found.id, ORGANISER)
            for match in await people.table.stores.tournaments.matches_of(found.id):
                await people.table.services.playing.resign(match.id, _person_of(match))
        if stage is Stage.RUNNING:
            await _played(evening, found, rounds=1)
            await evening.tournaments.leave(found.id, Person(2, "P2"))
        if stage is Stage.OVER:
            found = await _played(evening, found, rounds=20)
            assert found.stage is Stage.OVER
    await evening.create(System.SWISS, fair=Fair.PIE)
    await evening.sign_up(3, ("otto", "pip"), system=System.KNOCKOUT)


async def _played(evening: Evening, tournament: Tournament, rounds: int) -> Tournament:
    """So many rounds more are played out."""
    for _ in range(rounds):
        if tournament.stage is Stage.OVER:
            break
        for match in await evening.table.stores.tournaments.matches_of(tournament.id):
            await evening.play_out(match.id)
        tournament = await evening.step(tournament)
    return tournament


async def solving(people: People) -> None:
    """Puzzles of every game, right, wrong and open; days; one's own blunders; courses."""
    table = people.table
    reviews = Reviews(table.search, later_seconds=0.0)
    service = Puzzles(table.stores, reviews, clock=table.clock, rng=Random(3))
    solver = people.person()
    for key in (key for key in GAMES if spec_of(key).teach.puzzle_depths):
        for person in (people.person(), people.person()):
            for is_right in (False, True):
                await _answered(service, await service.play(person, 20, key, 1), person, is_right=is_right)
            await service.play(person, None, key)
    for days in range(4):
        person = people.person() if days % 2 else solver
        await _answered(service, await service.daily(person, 20), person, is_right=days != 2)
        table.clock.advance(days=1)
    await service.daily(people.person(), 20)
    for day, fate in enumerate(Fate):
        part = table.clock().toordinal() - day
        sent = 10**18 + day if fate is Fate.SHOWN else None
        note = Outgoing("daily", 20, part, Place(10, 20), sent, "", fate, table.clock())
        assert await table.stores.outgoing.claim(note)
    await _courses(people)


async def _answered(service: Puzzles, attempt: Attempt, person: Person, *, is_right: bool) -> None:
    best = puzzles()[attempt.task.key].best
    legal = attempt.state.legal_moves()
    move = best if is_right else next(one for one in legal if one != best)
    with suppress(Refusal):  # not proved in time on a busy machine
        await service.answer(attempt.id, person, attempt.turn, move)


async def _courses(people: People) -> None:
    """Storms and streaks, of all games and of each: over, under way and not begun."""
    table = people.table
    courses = Courses(table.stores, clock=table.clock, rng=Random(5))
    for key in (None, *(key for key in GAMES if spec_of(key).teach.puzzle_depths)):
        for kind in CourseKind:
            for answers in ((True,) * 4 + (False,), (True, True), ()):
                person = people.person()
                found = await courses.begin(person, 20, kind, key)
                for is_right in answers:
                    puzzle = await courses.puzzle(found)
                    legal = puzzle.state.legal_moves()
                    move = next(one for one in legal if (one == puzzle.best) is is_right)
                    given = await courses.answer(found.id, person, found.number, move)
                    assert isinstance(given, CourseAnswer)
                    found = given.course
                if len(answers) > 2 and not found.is_over:
                    await courses.stop(found.id, person)


async def settled(people: People) -> None:
    """Preferences and settings with every choice, champions, pages and sessions."""
    stores = people.table.stores
    settings = await SettingsCache.load(stores.preferences)
    for number, (theme, size) in enumerate(zip(cycle(Theme), (*Size, None, None), strict=False)):
        for mode, against in zip(Mode, Against, strict=True):
            start = Start("othello", "pip", First.ME, mode, against)
            chosen = Preferences(
                theme, size, (None, "de", "fa")[number % 3], number % 2 > 0, number % 3 > 0, start
            )
            await settings.prefer(people.person().user_id, chosen)
    for number, threads in enumerate(Threads):
        there = ServerSettings(
            language="fr", play_channels=frozenset((10, 11)), puzzle_channel=10, puzzle_hour=7,
            highest_level=5, role=5, is_closed=number == 1, is_sharing=number < 2, panel_channel=10,
            threads=threads, leader_role=6, winner_role=7, is_scheduling=True,
        )  # fmt: skip
        await settings.save(60 + number, there)
    await stores.champions.note(ChampionRole(60, Title.LEADER, HOST.user_id, 6))
    await stores.champions.note(ChampionRole(60, Title.WINNER, HOST.user_id, 7))
    web = WebAccess(
        stores, settings, people.table.changes, "https://games.example", epoch="", clock=people.table.clock
    )
    for plies in (3, 200):
        match = await people.play_on(await people.pair("tic-tac-toe"), plies)
        await web.share(match.id, people.mover(match))
        await web.page_of_players(match.id)
        link = await web.play_link(match.id, people.waiter(match))
        await web.open_link(link.split("#")[1], None)
        await web.play_link(match.id, people.mover(match))
    await stores.outages.beat(people.table.clock())


async def reviewed(people: People) -> None:
    """Some of the finished matches are reviewed, the others stay due."""
    achievements = Achievements(
        people.table.stores, Reviews(people.table.search), clock=people.table.clock, review_seconds=0.2
    )
    for _ in range(12):
        await achievements.run_once()
    awards = await people.table.stores.achievements.untold(people.table.clock() - timedelta(days=365))
    await people.table.stores.achievements.mark_told(awards[::2])


async def in_a_closed_server(people: People) -> None:
    """Rated matches that count in one server alone, and in two seasons."""
    settings = await SettingsCache.load(people.table.stores.preferences)
    await settings.save(70, ServerSettings(is_closed=True))
    ada, ben = people.person(), people.person()
    challenges = people.table.services.challenges
    for place in (Channel(71, 70), HERE, Channel(71, 70)):
        sent = await challenges.send(ada, ben, terms_of("connect-four", first=First.ME), place)
        match = await both_move_twice(people.table, (await challenges.accept(sent.id, ben))[1])
        await people.table.services.playing.resign(match.id, ben)
        people.table.clock.advance(days=10)


async def live(evening: Evening) -> None:
    """Everything above, in an order in which no clock runs out that should not, and no agent is woken."""
    people = People(evening)
    await finished_on_every_board(people)
    await every_end(people)
    await in_a_closed_server(people)
    await reviewed(people)
    await settled(people)
    await solving(people)
    await rematches(people)
    await tournaments(people)
    await invitations(people)
    await warned(people)
    await running_on_every_board(people)
    await swap2(people)
    await hex_swap(people)
    await asked_and_offered(people)
    await watched(people)
