"""Tournaments as people and the clock move them: signing up, rounds, the end.

A round is stored with its matches in one transaction, over the version that it was made from. Whatever is
shown afterwards is noted when it has been, and done again after a crash that came between.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from bot.domain.clock import heard_until, moment_of
from bot.domain.errors import Markup, MatchError, SetupError, Unavailable
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.names import clean
from bot.domain.person import Person
from bot.domain.result import End
from bot.domain.seat import Seat
from bot.domain.terms import Fair, is_rated_on
from bot.domain.tournament.model import MIN_ENTRANTS, Stage, System, Tournament
from bot.domain.tournament.rounds import advance
from bot.services.changes import Changes, retry_conflicts
from bot.services.checked_terms import (
    CLOCKS,
    checked_board,
    checked_fair,
    checked_game,
)
from bot.services.match_services import MatchServices
from bot.services.sources.tournaments import CHANNEL_GONE, TournamentDisplay, TournamentMessages
from bot.store.shared import Conflict
from bot.store.tournaments import DueTournament, TournamentStore
from engine.arena.elo_table import rating_of

log = logging.getLogger(__name__)

MOST_ACTIVE = 5
"""Tournaments that may sign up or run in one server at once."""

MOST_ROUNDS = 15
SIGN_UP = (600, 1800, 3600, 21_600, 86_400, 259_200)
"""The offered times for signing up, in seconds."""

DEFAULT_SIGN_UP, DEFAULT_CLOCK = 1800, 3600
"""In seconds; the clock is for each move."""

WAITS_FOR = timedelta(days=1)
"""How long a tournament whose sign-up is over waits for a channel that the bot may not write in."""

LISTED = 25


@dataclass(frozen=True, slots=True)
class TournamentOptions:
    """The options of a new tournament. rounds: of a Swiss one, 0 for the default of its size."""

    name: str
    game: str
    system: System
    board: str | None = None
    rounds: int = 0
    is_twice: bool = False
    fair: Fair = Fair.USUAL
    rated: bool = True
    clock_seconds: int = DEFAULT_CLOCK
    sign_up_seconds: int = DEFAULT_SIGN_UP


@dataclass(frozen=True, slots=True)
class Organiser:
    """The person who changes a tournament. is_admin: they manage the server. pressed_at: as in Person."""

    user_id: int
    is_admin: bool = False
    pressed_at: datetime | None = None

    def may_change(self, tournament: Tournament) -> bool:
        return self.is_admin or self.user_id == tournament.organiser_id


class Tournaments:
    """One for each process; lives on the event loop. After a change, call `step`."""

    def __init__(
        self,
        store: TournamentStore,
        services: MatchServices,
        display: TournamentDisplay,
        messages: TournamentMessages,
        changes: Changes,
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._store = store
        self._services = services
        self._display = display
        self.messages = messages
        self._changes = changes
        self._clock = clock
        self._advanced: dict[int, DueTournament] = {}
        self._told: set[int] = set()

    # People's actions

    async def create(
        self,
        person: Person,
        options: TournamentOptions,
        location: Channel,
        organiser: Organiser,
        *,
        levels: Sequence[str] = (),
        at_once: bool = False,
    ) -> Tournament:
        """A tournament that signs up, its agents in it already; raises SetupError.

        People who do not manage the server may organise one at a time. at_once: refuse too few agents, since
        it is to start without sign-up.
        """
        rules = checked_game(options.game)
        board = checked_board(rules, options.board)
        fair = checked_fair(rules, board, options.fair)
        if location.guild_id is None:
            raise SetupError("tournament_needs_server")
        if options.clock_seconds not in CLOCKS:
            raise SetupError("bad_clock")
        if not 0 <= options.rounds <= MOST_ROUNDS:
            raise SetupError("tournament_bad_rounds", limit=MOST_ROUNDS)
        now = self._clock()
        tournament = Tournament(
            0, clean(options.name), person.user_id, rules.key, board, options.system, location, now,
            now + timedelta(seconds=options.sign_up_seconds), options.clock_seconds,
            rounds=options.rounds, is_twice=options.is_twice,
            rated=options.rated and is_rated_on(rules.key, board, has_agent=False), fair=fair,
        )  # fmt: skip
        for key in levels:
            tournament = tournament.join(self._agent(tournament, key), now)
        if at_once:
            tournament.check_enough()
        return await self._store.add(tournament, most=MOST_ACTIVE, is_only_one=not organiser.is_admin)

    async def join(self, tournament_id: int, person: Person) -> Tournament:
        """Raises SetupError."""
        return await self._changes.of_tournament(
            tournament_id,
            lambda before: before.join(person.seat, moment_of(person.pressed_at, self._clock())),
        )

    async def leave(self, tournament_id: int, person: Person) -> Tournament:
        """Withdraws them, and resigns the match that they are playing in it; raises SetupError.

        A person withdrawn before, and still in a match, may resign it so.
        """
        refusal = None
        try:
            await self._changes.of_tournament(tournament_id, lambda before: before.leave(person.seat))
        except SetupError as error:
            refusal = error
        matches = await self._store.matches_of(tournament_id)
        played = [match for match in matches if match.players_of(person.user_id)]
        if refusal is not None and not played:
            raise refusal
        for match in played:
            await self._resign(match, person)
        return await self.tournament(tournament_id)

    async def set_agents(self, tournament_id: int, levels: Sequence[str], organiser: Organiser) -> Tournament:
        """These agents take part and no others; raises SetupError."""

        def change(before: Tournament) -> Tournament:
            check_organiser(before, organiser)
            if before.stage is not Stage.OPEN:
                raise SetupError("tournament_closed")
            after, taken = before, set()
            for entrant in before.entrants:
                if entrant.seat.level is not None:
                    taken.add(entrant.seat.level)
                    after = after if entrant.seat.level in levels else after.leave(entrant.seat)
            for key in levels:
                if key not in taken:
                    at = moment_of(organiser.pressed_at, self._clock())
                    after = after.join(self._agent(before, key), at)
            return replace(after, version=before.version + 1)

        return await self._changes.of_tournament(tournament_id, change)

    async def remove(self, tournament_id: int, number: int, organiser: Organiser) -> Tournament:
        """Takes an entrant out; a match that runs goes on. Raises SetupError."""

        def change(before: Tournament) -> Tournament:
            check_organiser(before, organiser)
            seat = next((entrant.seat for entrant in before.entrants if entrant.number == number), None)
            if seat is None:
                raise SetupError("tournament_no_entrant")
            if seat.user_id != organiser.user_id and not (seat.is_agent and before.stage is Stage.OPEN):
                check_impartial(before, organiser)
                return before.leave(seat).judged_by(organiser.user_id)
            return before.leave(seat)

        return await self._changes.of_tournament(tournament_id, change)

    async def start(self, tournament_id: int, organiser: Organiser) -> Tournament:
        """With its first round paired; raises SetupError."""

        async def attempt() -> Tournament:
            before = await self.tournament(tournament_id)
            check_organiser(before, organiser)
            if (missing := self._display.missing(before)) is not None:
                raise SetupError(missing, channel=Markup(f"<#{before.location.channel_id}>"))
            return await self._start(before)

        return await retry_conflicts(attempt)

    async def cancel(self, tournament_id: int, organiser: Organiser) -> Tournament:
        """Nothing is paired any more; matches that run go on. Raises SetupError."""

        def change(before: Tournament) -> Tournament:
            check_organiser(before, organiser)
            if before.stage is Stage.RUNNING:
                check_impartial(before, organiser)
            return before.cancel()

        return await self._changes.of_tournament(tournament_id, change)

    def is_homeless(self, tournament: Tournament) -> bool:
        """Return whether it goes on and its channel was deleted."""
        return tournament.is_active and self.lost_channel(tournament)

    def lost_channel(self, tournament: Tournament) -> bool:
        return self._display.missing(tournament) == CHANNEL_GONE

    async def move(self, tournament_id: int, place: Channel, organiser: Organiser) -> Tournament:
        """Continue one whose channel was deleted there, with its boards; raises SetupError.

        Its sign-up is open for at least half an hour more.
        """
        closes_at = self._clock() + timedelta(seconds=DEFAULT_SIGN_UP)

        def change(before: Tournament) -> Tournament:
            check_organiser(before, organiser)
            after = before.moved_to(place.channel_id, message_id=None, parent_id=place.parent_id)
            return (
                replace(after, closes_at=max(before.closes_at, closes_at))
                if before.stage is Stage.OPEN
                else after
            )

        moved = await self._changes.of_tournament(tournament_id, change)
        for match in await self._store.matches_of(tournament_id):
            if match.has_lost_channel:
                await self._changes.attach(match.id, moved.location)
        self._told.discard(tournament_id)
        return moved

    # Queries

    async def check_moderates(self, match_id: int, moderator: Organiser) -> None:
        """Raise SetupError for a match of a tournament that the person does not organise, or plays in."""
        tournament_id = await self._store.of_match(match_id)
        if tournament_id is not None:
            tournament = await self.tournament(tournament_id)
            check_organiser(tournament, moderator)
            check_impartial(tournament, moderator)

    async def tournament(self, tournament_id: int) -> Tournament:
        return await self._changes.tournament(tournament_id)

    async def of_guild(self, guild_id: int) -> tuple[Tournament, ...]:
        """The server's last tournaments, those that go on first."""
        found = await self._store.of_guild(guild_id, LISTED)
        return tuple(sorted(found, key=lambda tournament: (not tournament.is_active, -tournament.id)))

    # What happens by itself

    async def look_at_channels(self, guild_id: int) -> None:
        """Ask the organisers of the server's tournaments without a channel for another one."""
        for tournament in await self.of_guild(guild_id):
            if self.is_homeless(tournament):
                await self._advance(tournament.id)

    async def run_once(self) -> None:
        """Advance every tournament in which something has happened."""
        due = {one.id: one for one in await self._store.due(heard_until(self._clock()))}
        self._advanced = {key: one for key, one in self._advanced.items() if due.get(key) == one}
        changed = [one for key, one in due.items() if key not in self._advanced]
        done = await asyncio.gather(*(self._advance(one.id) for one in changed), return_exceptions=True)
        for one, answer in zip(changed, done, strict=True):
            if answer is True:
                self._advanced[one.id] = one
            elif isinstance(answer, Unavailable):
                log.warning("tournament %d advances later: %s", one.id, answer)
            elif isinstance(answer, BaseException):
                # A broken tournament must not stop the others; it is tried again.
                log.error("tournament %d could not be advanced", one.id, exc_info=answer)

    async def step(self, tournament_id: int) -> None:
        """Store and display whatever is due, at once, since a person is waiting."""
        await self._advance(tournament_id)
        await self.messages.show(tournament_id)

    async def _advance(self, tournament_id: int) -> bool:
        """Close the sign-up and pair rounds, if it is time; False if that is to be tried again."""
        tournament = await self.tournament(tournament_id)
        try:
            return not self._is_to_start(await self._due(tournament))
        except Conflict:
            log.info("tournament %d was changed meanwhile; it is advanced again", tournament_id)
            return False

    async def _due(self, tournament: Tournament) -> Tournament:
        """Stores what time and results have brought; raises Conflict."""
        is_to_start, missing = self._is_to_start(tournament), self._display.missing(tournament)
        if self._is_given_up(tournament, missing):
            return await self._changes.save_tournament(tournament, tournament.cancel())
        # Without its channel a tournament stands, except one of agents, who need no board; but none starts.
        if missing is not None and (is_to_start or self.is_homeless(tournament)):
            if tournament.id not in self._told:  # `run_once` comes back for as long as it stands
                self._told.add(tournament.id)
                await self._display.tell_organiser(tournament, missing)
            if not tournament.is_of_agents or is_to_start:
                return tournament
        else:
            self._told.discard(tournament.id)
        if is_to_start:
            tournament = await self._start(tournament)
        while (after := advance(tournament)) is not tournament:
            tournament = await self._save(tournament, after)
        return tournament

    def _is_given_up(self, tournament: Tournament, missing: str | None) -> bool:
        """Return whether to cancel it: too few signed up, or its channel was missing for too long."""
        if self._is_to_start(tournament):
            is_late = missing is not None and self._clock() >= tournament.closes_at + WAITS_FOR
            return is_late or (len(tournament.entrants) < MIN_ENTRANTS and missing != CHANNEL_GONE)
        results = [pairing.result for pairing in tournament.of_round(tournament.round)]
        is_abandoned = any(result is not None and result.end is End.ABANDONED for result in results)
        return self.is_homeless(tournament) and tournament.is_round_over and is_abandoned

    def _is_to_start(self, tournament: Tournament) -> bool:
        return tournament.stage is Stage.OPEN and heard_until(self._clock()) >= tournament.closes_at

    # Internals

    async def _start(self, before: Tournament) -> Tournament:
        seeds = await self._seeds(before)
        before.start(seeds)  # refused before there is a thread for it
        if (thread_id := await self._display.open_thread(before)) is not None:
            before = await self._changes.of_tournament(
                before.id,
                lambda latest: latest.moved_to(
                    thread_id, message_id=thread_id, parent_id=latest.location.channel_id
                ),
            )
            seeds = await self._seeds(before)
        return await self._save(before, advance(before.start(seeds)))

    async def _save(self, before: Tournament, after: Tournament) -> Tournament:
        """Stores it, and wakes the agents that play each other; raises Conflict."""
        stored = await self._changes.save_tournament(before, after)
        for pairing in stored.pairings[len(before.pairings) :]:
            if pairing.match_id is not None and all(seat.is_agent for seat in stored.seats(pairing)):
                self._services.agents.wake(await self._changes.match(pairing.match_id))
        return stored

    async def _seeds(self, tournament: Tournament) -> dict[int, int]:
        """By number: agents among themselves by their measured Elo, else everybody by their ratings."""
        seats = [entrant.seat for entrant in tournament.entrants]
        points = await self._store.ratings(tournament.game, tournament.location.guild_id, seats)
        if tournament.is_of_agents:
            points = (0,) * len(seats)
        keyed = []
        for entrant, rating in zip(tournament.entrants, points, strict=True):
            rated = None if entrant.seat.level is None else rating_of(tournament.game, entrant.seat.level)
            keyed.append((-rating, 0 if rated is None else -rated.elo, entrant.number))
        return {number: seed for seed, (_, _, number) in enumerate(sorted(keyed), start=1)}

    async def _resign(self, match: Match, person: Person) -> None:
        try:
            await self._services.playing.resign(match.id, person)
        except MatchError as error:
            log.info("match %d had ended before its player left: %s", match.id, error)

    def _agent(self, tournament: Tournament, key: str) -> Seat:
        rules, guild_id = checked_game(tournament.game), tournament.location.guild_id
        level = self._services.levels.checked(guild_id, rules, tournament.board, key)
        return Seat(level.name, level=level.key)


def check_organiser(tournament: Tournament, organiser: Organiser) -> None:
    """Raises SetupError unless they are the organiser or manage the server."""
    if not organiser.may_change(tournament):
        raise SetupError("tournament_not_yours")


def check_impartial(tournament: Tournament, organiser: Organiser) -> None:
    """Raises SetupError for participants, who would decide their own results."""
    if tournament.entrant_of(organiser.user_id) is not None:
        raise SetupError("tournament_plays_too")
