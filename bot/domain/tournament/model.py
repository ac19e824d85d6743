"""One tournament: pure transitions, each returning a new Tournament or raising SetupError.

Its results are those of its matches, so that none is counted twice. Only points given without a match (byes,
walkovers) are stored with it.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from types import MappingProxyType

from bot.domain.errors import SetupError
from bot.domain.location import Channel
from bot.domain.match import NO_FORFEITS, Forfeits, Match
from bot.domain.names import CleanName
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.terms import Fair, is_rated_on
from engine.agents.levels import is_engine
from engine.core import Move, Player
from engine.games.openings import balanced_openings

MIN_ENTRANTS = 3
"""Entrants that a tournament needs to begin."""

WIN, DRAW = 2, 1
"""Half points."""

ANNOUNCED_ALL = -1
"""Value of `announced` once the final standings are posted."""


class System(enum.StrEnum):
    SWISS = "swiss"
    ROUND_ROBIN = "round-robin"
    KNOCKOUT = "knockout"


class Stage(enum.StrEnum):
    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "cancelled"


MAX_ENTRANTS: Mapping[System, int] = MappingProxyType(
    {System.SWISS: 32, System.ROUND_ROBIN: 16, System.KNOCKOUT: 32}
)
"""Limited so that every list fits into one message."""


def system_of_agents(number: int) -> System:
    """Return the usual system for that number of agents: everyone against everyone if there is room."""
    return System.ROUND_ROBIN if number <= MAX_ENTRANTS[System.ROUND_ROBIN] else System.SWISS


@dataclass(frozen=True, slots=True)
class Entrant:
    """A person or an agent in a tournament.

    number: from 1 in the order of signing up, never given twice. seed: from 1, the strongest, once the
    tournament has begun. is_out: whether they have left it.
    """

    number: int
    seat: Seat
    seed: int | None = None
    is_out: bool = False


@dataclass(frozen=True, slots=True)
class Pairing:
    """Two entrants by number, or a bye.

    first: makes the first move. second: None for a bye. table: from 1. game: 1, or 2 for the replay of a
    drawn game in single elimination, or 3 for a point given after that. given: the side that gets the point
    without a match. match_id: None without a match, or before it is stored. message_id: the message that
    displays the match. result, turn, forfeits: the match's, by the pairing's sides, which stay the same when
    a first move is taken over; turn is 1 if the second side ran out of time without a move, however often
    the first one had moved.
    """

    round: int
    table: int
    first: int
    second: int | None
    game: int = 1
    given: Player | None = None
    match_id: int | None = None
    message_id: int | None = None
    result: Result | None = None
    turn: int = 0
    forfeits: tuple[Forfeits, Forfeits] = NO_FORFEITS

    @property
    def is_settled(self) -> bool:
        return self.given is not None or self.result is not None

    @property
    def halves(self) -> tuple[int, int] | None:
        """Half points of each side; None until it is settled."""
        winner = self.given
        if winner is None:
            if self.result is None:
                return None
            winner = self.result.winner
        if winner is None:
            return DRAW, DRAW
        return (WIN, 0) if winner is Player.FIRST else (0, WIN)

    @property
    def absentee(self) -> int | None:
        """The entrant who lost on time without a move."""
        if self.result is None or self.result.end is not End.TIME or self.result.winner is None:
            return None
        late = self.result.winner.other
        # The side to move second gets its first turn after one move.
        return self.of(late) if self.turn <= late else None

    @property
    def is_played(self) -> bool:
        """Whether both sides have played or are playing."""
        return self.second is not None and self.given is None and self.absentee is None

    @property
    def numbers(self) -> tuple[int, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)

    def of(self, player: Player) -> int | None:
        return self.first if player is Player.FIRST else self.second


@dataclass(frozen=True, slots=True)
class Tournament:
    """A tournament. `id` is 0 until it is stored.

    rounds: as chosen, 0 for the usual number; the number of rounds once it has begun. is_twice: whether a
    round robin is played twice. fair: how its matches begin; two entrants who meet again swap sides.
    clock_seconds: for each move. announced: the last round that was posted, or ANNOUNCED_ALL. version: grows
    with every stored change. judges: users who removed players while not playing themselves, and so may not
    play in it.
    """

    id: int
    name: CleanName
    organiser_id: int
    game: str
    board: str
    system: System
    location: Channel
    created_at: datetime
    closes_at: datetime
    clock_seconds: int
    rounds: int = 0
    is_twice: bool = False
    fair: Fair = Fair.USUAL
    rated: bool = True
    stage: Stage = Stage.OPEN
    entrants: tuple[Entrant, ...] = ()
    pairings: tuple[Pairing, ...] = ()
    announced: int = 0
    version: int = 0
    judges: frozenset[int] = frozenset()

    # Queries

    @property
    def is_active(self) -> bool:
        return self.stage in (Stage.OPEN, Stage.RUNNING)

    @property
    def round(self) -> int:
        """The last round that was paired; 0 before the first."""
        return max((pairing.round for pairing in self.pairings), default=0)

    @property
    def is_of_agents(self) -> bool:
        return bool(self.entrants) and all(entrant.seat.is_agent for entrant in self.entrants)

    @property
    def most(self) -> int:
        return MAX_ENTRANTS[self.system]

    @property
    def seeded(self) -> tuple[Entrant, ...]:
        """All entrants by seed; before the seeding in the order of signing up."""
        return tuple(sorted(self.entrants, key=lambda entrant: (entrant.seed or 0, entrant.number)))

    def entrant(self, number: int) -> Entrant:
        return next(entrant for entrant in self.entrants if entrant.number == number)

    def entrant_of(self, user_id: int) -> Entrant | None:
        return next((entrant for entrant in self.entrants if entrant.seat.user_id == user_id), None)

    def of_round(self, number: int) -> tuple[Pairing, ...]:
        return tuple(pairing for pairing in self.pairings if pairing.round == number)

    @property
    def is_round_over(self) -> bool:
        return all(pairing.is_settled for pairing in self.pairings)

    def seats(self, pairing: Pairing) -> tuple[Seat, Seat]:
        """Raises ValueError for a bye."""
        if pairing.second is None:
            raise ValueError("a bye has one seat")
        return self.entrant(pairing.first).seat, self.entrant(pairing.second).seat

    def match_of(self, pairing: Pairing, now: datetime) -> Match:
        """Return the match to play for the pairing."""
        seats = self.seats(pairing)
        return Match.begin(
            self.game, self.board, seats, replace(self.location, message_id=None), now,
            rated=self.rated and self._rates(seats),
            clock_seconds=self.clock_seconds, opening=self.opening_of(pairing), fair=self.fair,
        )  # fmt: skip

    def _rates(self, seats: tuple[Seat, Seat]) -> bool:
        """Return whether their match may be rated; between agents it never is, nor against an engine."""
        agents = sum(seat.is_agent for seat in seats)
        if any(is_engine(seat.level or "") for seat in seats):
            return False
        return agents < len(seats) and is_rated_on(self.game, self.board, has_agent=agents > 0)

    def opening_of(self, pairing: Pairing) -> tuple[Move, ...]:
        """Return the opening; two entrants who meet twice get the same one, so each plays both sides of
        it."""
        if self.fair is not Fair.BALANCED:
            return ()
        lot = Random(f"{self.id} {sorted(pairing.numbers)}")
        # After an even number of moves, so that the first of the pairing makes the next one.
        known = [one.moves for one in balanced_openings(self.game, self.board) if len(one.moves) % 2 == 0]
        return lot.choice(known)

    # Transitions

    def join(self, seat: Seat, now: datetime) -> Tournament:
        """Add an entrant, or one again that had left. Raises SetupError."""
        if seat.user_id in self.judges:
            raise SetupError("tournament_judged")
        known = next((entrant for entrant in self.entrants if _is_same(entrant.seat, seat)), None)
        if self.stage is Stage.RUNNING and known is not None and known.is_out:
            # The number stays, and so the points; in a knockout the opponent has gone on meanwhile.
            if self.system is System.KNOCKOUT:
                raise SetupError("tournament_no_return")
            return self._with(replace(known, seat=seat, is_out=False))
        self._check_open(now)
        if known is not None:
            raise SetupError("tournament_joined_already", name=seat.name)
        if len(self.entrants) >= self.most:
            raise SetupError("tournament_full", limit=self.most)
        number = max((entrant.number for entrant in self.entrants), default=0) + 1
        return self._changed(entrants=(*self.entrants, Entrant(number, seat)))

    def leave(self, seat: Seat) -> Tournament:
        """Remove the entrant, or once it has begun, pair them no more. Raises SetupError."""
        known = next((entrant for entrant in self.entrants if _is_same(entrant.seat, seat)), None)
        self._check_active()
        if known is None or known.is_out:
            raise SetupError("tournament_not_joined", name=seat.name)
        if self.stage is Stage.RUNNING:
            return self._with(replace(known, is_out=True))
        return self._changed(entrants=tuple(entrant for entrant in self.entrants if entrant != known))

    def judged_by(self, user_id: int) -> Tournament:
        """Keep a person from playing in it after a decision about a player."""
        return replace(self, judges=self.judges | {user_id})

    def start(self, seeds: Mapping[int, int]) -> Tournament:
        """Close it to newcomers and seed it. seeds: by entrant's number, 1 for the strongest.

        Raises SetupError.
        """
        if self.stage is not Stage.OPEN:
            raise SetupError("tournament_started_already")
        self.check_enough()
        return self._changed(
            stage=Stage.RUNNING,
            entrants=tuple(replace(entrant, seed=seeds[entrant.number]) for entrant in self.entrants),
        )

    def check_enough(self) -> None:
        """Raise SetupError if there are too few entrants to begin."""
        if len(self.entrants) < MIN_ENTRANTS:
            raise SetupError("tournament_too_few", limit=MIN_ENTRANTS)

    def cancel(self) -> Tournament:
        self._check_active()
        return self._changed(stage=Stage.CANCELLED)

    def shown_by(self, message_id: int) -> Tournament:
        """Return it with the message that displays it."""
        return self._changed(location=replace(self.location, message_id=message_id))

    def moved_to(self, channel_id: int, *, message_id: int | None, parent_id: int | None) -> Tournament:
        """Return it with another channel. message_id: None to send a new one. parent_id: of a thread."""
        there = replace(self.location, channel_id=channel_id, message_id=message_id, parent_id=parent_id)
        return self._changed(location=there)

    def announce(self, number: int, message_id: int | None) -> Tournament:
        """Record that the round was posted. message_id: the new message, if it was one."""
        location = self.location if message_id is None else replace(self.location, message_id=message_id)
        return self._changed(announced=number, location=location)

    def paired(self, pairings: tuple[Pairing, ...]) -> Tournament:
        return self._changed(pairings=(*self.pairings, *pairings))

    def ended(self) -> Tournament:
        return self._changed(stage=Stage.OVER)

    def without_absentees(self) -> Tournament:
        """Remove the entrants who did not appear in the last round."""
        absent = {pairing.absentee for pairing in self.of_round(self.round)}
        entrants = tuple(
            replace(entrant, is_out=entrant.is_out or entrant.number in absent) for entrant in self.entrants
        )
        return self if entrants == self.entrants else self._changed(entrants=entrants)

    # Internals

    def _check_active(self) -> None:
        if not self.is_active:
            raise SetupError("tournament_over")

    def _check_open(self, now: datetime) -> None:
        self._check_active()
        if self.stage is not Stage.OPEN or now >= self.closes_at:
            raise SetupError("tournament_closed")

    def _with(self, changed: Entrant) -> Tournament:
        return self._changed(
            entrants=tuple(
                changed if entrant.number == changed.number else entrant for entrant in self.entrants
            )
        )

    def _changed(self, **changes: object) -> Tournament:
        return replace(self, version=self.version + 1, **changes)  # type: ignore[arg-type]


def _is_same(one: Seat, other: Seat) -> bool:
    return (one.user_id, one.level) == (other.user_id, other.level)


@dataclass(frozen=True, slots=True)
class TournamentEvent:
    """A server's scheduled event that announces a tournament.

    is_active: whether it has begun. ends_at: when Discord ends it unless the bot extends it.
    """

    tournament_id: int
    guild_id: int
    event_id: int
    is_active: bool
    ends_at: datetime
