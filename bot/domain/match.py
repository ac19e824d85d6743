"""One stored sitting of a game: pure transitions, each returning a new Match or raising MatchError.

The list of moves is the record; the position is replayed from it. Two counters only grow: `version` with
every stored change, `turn` with every move made or taken back. A press carries the turn that it was made
against, so a press on an old board is recognised even after an undo.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cached_property

from bot.domain.asker import Asker
from bot.domain.clock import Clock, heard_until
from bot.domain.errors import MatchError
from bot.domain.location import Channel, Location, Web
from bot.domain.names import CleanName
from bot.domain.offers import NO_OFFERS, Offers
from bot.domain.playable import playable
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.terms import Fair
from engine.core import IllegalMove, Move, Player, State, states_of
from engine.games import game as game_of
from engine.games.conformance import MAX_PLIES

ABANDONED_AFTER = timedelta(days=7)
"""A match without a clock ends after this time without a change; see `Match.expire`."""

BOARD_GONE_FOR = timedelta(days=1)
"""How long the clock of a match stands at most, once, after its board was deleted."""

MIN_WARNED_SECONDS = 60
"""Time left below which the player to move is not warned of the clock."""

HELD_FOR = timedelta(days=1)
"""An answer that is held for this long is given, as if the person had played on."""

MAX_EXTENSIONS = 2
"""How often a vote without a vote is extended, before the match ends without a result."""

RATED_AFTER = 2
"""Moves of each side after which a result is rated."""


class Pace(enum.StrEnum):
    """Speed of a match between agents. QUICK: as fast as they think."""

    SLOW = "slow"
    NORMAL = "normal"
    QUICK = "quick"


@dataclass(frozen=True, slots=True)
class TimedMove:
    """A move, the seconds that the seat took for it, and when it was made (UTC).

    forfeit: why an agent gave no move, so that this one is random; not stored, so "" once it was loaded.
    """

    move: Move
    seconds: float
    at: datetime
    forfeit: str = field(default="", compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Forfeits:
    """How many moves an agent gave none for, so that they were random. reason: of the first one."""

    count: int = 0
    reason: str = ""

    def __add__(self, later: Forfeits) -> Forfeits:
        return Forfeits(self.count + later.count, self.reason or later.reason)


MOST_OF_FORFEIT = 200
"""Characters of a reason that are stored."""

NO_FORFEITS = (Forfeits(), Forfeits())


class CoachChoice(enum.StrEnum):
    """A person's choices while an answer is held. INSTEAD: play the better move in place of theirs."""

    BACK = "back"
    ON = "on"
    INSTEAD = "instead"


@dataclass(frozen=True, slots=True)
class Held:
    """A proof that a person's turn lost something, for which their coach holds the agent's answer.

    ply: of the first move of that turn. better: the move in its place. threat: the answer that wins; None
    where none does, or the coach is not to see it. was, now: results for the person with best play before and
    after the turn; None if not proved. won_in, lost_in: moves of the winner until the win that was there, if
    the coach is to see it, and until the loss, if known. is_stopped: whether `better` is proved to stop that
    loss; False where it may only put off a loss in more than one move. is_given: whether the person played
    on, so that the answer is no longer held.
    """

    ply: int
    better: Move
    threat: Move | None
    was: int | None
    now: int | None
    won_in: int | None
    lost_in: int | None
    is_stopped: bool
    is_given: bool = False


@dataclass(frozen=True, slots=True)
class RatingChange:
    """Points of one side before and after a match, where it was played. margin: after the match."""

    before: int
    after: int
    margin: int


@dataclass(frozen=True)
class Match:
    """One stored sitting. `id` is 0 until it is stored.

    seats: indexed by Player; seats[0] begins. clock_seconds: the number of its clock (`bot.domain.clock`), or
    None without one. turn_started_at: when the side to move could move (UTC). states: the one before each
    move, and the last; derived from the moves, not stored. draws, undos: offers of a draw, and requests for a
    take-back between people. warned_turn: the turn for which the clock's warning was sent. is_local: whether
    it counts in its server alone. opening: number of moves that came with the starting position or were taken
    over by the pie rule; they cannot be taken back. is_coached: whether the person is told of every mistake
    against an agent. begun_by: the user who began a match between agents or by votes, if known. pace: of a
    match between agents. waits_for: number of the rated match that must go on before the agent to move
    answers here. stands_since: when its channel or its board was deleted, which stops most clocks.
    stands_until: when the clock of a match without its board goes on all the same; None without a channel.
    It is kept when the board is back, since a clock stands for that once. forfeits: of both sides.
    bars_help: its person gets no help from bots in the game while it runs; so in rated matches against
    agents, but not in those of tournaments and those begun before this rule. held: why the
    agent's answer is held, until it is made or the turn is taken back.
    rating_changes: of both sides, once the match is counted; stored with the ratings.
    """

    id: int
    game: str
    board: str
    seats: tuple[Seat, Seat]
    location: Location
    created_at: datetime
    turn_started_at: datetime
    touched_at: datetime
    states: tuple[State, ...] = field(compare=False, repr=False)
    timed_moves: tuple[TimedMove, ...] = ()
    rated: bool = True
    clock_seconds: int | None = None
    draws: Offers = NO_OFFERS
    undos: Offers = NO_OFFERS
    warned_turn: int | None = None
    result: Result | None = None
    turn: int = 0
    version: int = 0
    rematch_of: int | None = None
    opening: int = 0
    fair: Fair = Fair.USUAL
    is_local: bool = False
    is_coached: bool = False
    pace: Pace = Pace.NORMAL
    begun_by: int | None = None
    waits_for: int | None = None
    stands_since: datetime | None = None
    stands_until: datetime | None = None
    forfeits: tuple[Forfeits, Forfeits] = NO_FORFEITS
    bars_help: bool = False
    held: Held | None = None
    rating_changes: tuple[RatingChange, ...] = field(default=(), compare=False, repr=False)

    @classmethod
    def begin(
        cls,
        game: str,
        board: str,
        seats: tuple[Seat, Seat],
        location: Location,
        now: datetime,
        *,
        rated: bool = True,
        clock_seconds: int | None = None,
        rematch_of: int | None = None,
        opening: Sequence[Move] = (),
        fair: Fair = Fair.USUAL,
        is_coached: bool = False,
        pace: Pace = Pace.NORMAL,
        begun_by: int | None = None,
        start: State | None = None,
    ) -> Match:
        """Return a new match on that board, after the moves of the opening.

        start: the first position; None for the board's usual one, in which all but imported games begin.
        Raises engine.core.UnknownName, BoardError, or IllegalMove.
        """
        states = states_of(start or game_of(game).start(board), opening)
        return cls(
            0, game, board, seats, location, now, now, now, states,
            timed_moves=tuple(TimedMove(move, 0.0, now) for move in opening), rated=rated,
            clock_seconds=clock_seconds, rematch_of=rematch_of, opening=len(opening), is_coached=is_coached,
            fair=fair, pace=pace, begun_by=begun_by,
        )  # fmt: skip

    # Queries. A version never changes, so each fact that takes work to derive is kept with it.

    @property
    def state(self) -> State:
        return self.states[-1]

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        return tuple([timed.move for timed in self.timed_moves])

    @cached_property
    def movers(self) -> tuple[Player, ...]:
        """The side of each move; in some games a side moves several times in a row."""
        return tuple([state.to_move for state in self.states[:-1]])

    @property
    def is_over(self) -> bool:
        return self.result is not None

    @property
    def is_between(self) -> bool:
        """Whether it is a match between two servers."""
        return self.seats[0].guild_id is not None

    def is_played_in(self, guild_id: int | None) -> bool:
        """Whether that is the server of its home, or one from which a person plays."""
        return guild_id in (self.location.guild_id, *(seat.guild_id for seat in self.seats))

    def called(self, names: Mapping[int, CleanName]) -> Match:
        """Return the match with these names of people, by user id; for display only."""
        first, second = (replace(seat, name=names.get(seat.user_id or 0, seat.name)) for seat in self.seats)
        return replace(self, seats=(first, second))

    @cached_property
    def is_short(self) -> bool:
        """Whether a side has not yet moved twice."""
        movers = self.movers[self.opening :]
        return min(movers.count(player) for player in Player) < RATED_AFTER

    @property
    def ended_short(self) -> bool | None:
        """`is_short` at the end, which queries need; None while it runs."""
        return self.is_short if self.is_over else None

    @property
    def counts(self) -> bool:
        """Whether it is over with a result that counts in ratings, seasons and achievements."""
        return self.rated and self.result is not None and self.result.counts and not self.is_short

    @cached_property
    def is_set_up(self) -> bool:
        """Whether it begins from another position than its board's usual one, as imported games may."""
        return self.states[0] != game_of(self.game).start(self.board)

    @cached_property
    def to_move(self) -> Player:
        return self.state.to_move

    @cached_property
    def seat_to_move(self) -> Seat:
        return self.seats[self.to_move]

    @cached_property
    def awaits_agent(self) -> bool:
        return not self.is_over and self.seat_to_move.is_agent

    @property
    def lets_agent_move(self) -> bool:
        """Whether an agent is to move, waits for no other match, and no coach holds its answer."""
        return self.awaits_agent and self.waits_for is None and not self.is_held

    @property
    def is_held(self) -> bool:
        """Whether the agent's answer is held, so that the person may take their turn back."""
        return self.held is not None and not self.held.is_given

    @property
    def coached_ply(self) -> int | None:
        """The ply of the turn that the coach is to judge before the agent answers; None if there is none.

        A turn may have several moves. A forced one was no choice, and a first move that may be taken over by
        the pie rule should not be too good.
        """
        if not self.is_coached or self.held is not None or not self.awaits_agent or self.can_swap:
            return None
        player, first_choice = self.to_move.other, None
        for ply in range(len(self.timed_moves) - 1, self.opening - 1, -1):
            if self.movers[ply] is not player:
                break
            if len(self.states[ply].legal_moves()) > 1:
                first_choice = ply
        return first_choice

    @cached_property
    def has_agent(self) -> bool:
        return any(seat.is_agent for seat in self.seats)

    @property
    def channel(self) -> Channel:
        """Its location in Discord; raises ValueError for a match on the web alone."""
        if isinstance(self.location, Web):
            raise ValueError(f"match {self.id} is in no channel")
        return self.location

    def location_of_rematch(self) -> Location:
        """Return the same place, without a message yet."""
        if isinstance(self.location, Web):
            return self.location
        return replace(self.location, message_id=None)

    @cached_property
    def asker(self) -> Asker:
        """Whose turn its searches take: of the person who began it, or of its first person."""
        people = (self.begun_by, *(seat.user_id for seat in self.seats))
        person = next((user_id for user_id in people if user_id is not None), None)
        if isinstance(self.location, Channel):
            return Asker(self.location.guild_id or self.location.channel_id, person)
        return Asker(("web", person), person)

    @cached_property
    def is_watched(self) -> bool:
        """Whether both players are agents."""
        return all(seat.is_agent for seat in self.seats)

    @cached_property
    def is_voted(self) -> bool:
        """Whether a channel votes for the moves of one side or of both."""
        return any(seat.is_channel for seat in self.seats)

    @cached_property
    def awaits_votes(self) -> bool:
        return not self.is_over and self.seat_to_move.is_channel

    @property
    def extensions(self) -> int:
        """How often the vote was extended: each time the start of its time moves, and nothing else."""
        length = timedelta(seconds=self.clock_seconds or 1)
        return (self.turn_started_at - self.touched_at) // length

    @cached_property
    def last_vote(self) -> int | None:
        """The ply of the last move that a channel voted for; None before the first one."""
        plies = reversed(range(len(self.timed_moves)))
        return next((ply for ply in plies if self.seats[self.movers[ply]].is_channel), None)

    @cached_property
    def has_persons_move(self) -> bool:
        """Whether a person has moved since the opening."""
        return any(not self.seats[player].is_agent for player in self.movers[self.opening :])

    @cached_property
    def can_swap(self) -> bool:
        """Whether the side to move may take over the first move instead of answering it.

        If the first side moved several times, all its moves are taken over.
        """
        if self.fair is not Fair.PIE or self.opening or self.is_over or self.to_move is Player.FIRST:
            return False
        return Player.SECOND not in self.movers

    @property
    def is_swapped(self) -> bool:
        """Whether the first move was taken over, so that the players have swapped sides."""
        return self.fair is Fair.PIE and self.opening > 0

    @property
    def clock_stands(self) -> bool:
        """Whether it waits for a new channel or its board; a match that bars help never waits.

        Else its person could delete the channel or the board of a match that goes badly, get help meanwhile,
        or let it end without a result.
        """
        return self.stands_since is not None and not self.bars_help

    @cached_property
    def deadline(self) -> datetime | None:
        """When the side to move loses on time; None for agents, and while the clock stands."""
        if self.is_over or self.clock_seconds is None or self.seat_to_move.is_agent:
            return None
        if self.has_lost_channel and self.clock_stands:
            return None
        left = timedelta(seconds=max(0.0, self.time_left(self.to_move)))
        return self.turn_started_at + self._stood(self.stands_until) + left

    @property
    def has_lost_channel(self) -> bool:
        """Whether its channel was deleted and it is not shown in another one yet."""
        return self.stands_since is not None and self.stands_until is None

    @property
    def has_lost_board(self) -> bool:
        """Whether its board was deleted by people and no player has asked for it again."""
        return self.stands_since is not None and self.stands_until is not None

    def stands_at(self, at: datetime) -> bool:
        """Whether its clock stands at that moment."""
        return self.clock_stands and (self.stands_until is None or at < self.stands_until)

    def _stood(self, at: datetime | None) -> timedelta:
        """Return how long the clock has stood in this turn by then. at: None only where it does not stand."""
        if self.stands_since is None or at is None or not self.clock_stands:
            return timedelta()
        until = at if self.stands_until is None else min(at, self.stands_until)
        return max(timedelta(), until - max(self.stands_since, self.turn_started_at))

    @cached_property
    def clock(self) -> Clock | None:
        return None if self.clock_seconds is None else Clock.of(self.clock_seconds)

    def time_left(self, player: Player) -> float:
        """Seconds that the side has left before its next move; raises ValueError without a clock."""
        return self._times_left[player]

    @cached_property
    def _times_left(self) -> tuple[float, float]:
        clock = self.clock
        if clock is None:
            raise ValueError("a match without a clock")
        gained = [0.0, 0.0]
        if clock.increment is not None:
            # An opening takes no time.
            for ply in range(self.opening, len(self.timed_moves)):
                gained[self.movers[ply]] += clock.increment - self.timed_moves[ply].seconds
        return clock.seconds + gained[0], clock.seconds + gained[1]

    @cached_property
    def ends_at(self) -> datetime:
        """When time alone ends it, unless a move or an answer comes first; see `expire`."""
        if self.deadline is not None:
            return self.deadline
        if self.has_lost_channel and self.stands_since is not None:
            return self.stands_since + ABANDONED_AFTER
        return self.turn_started_at + self._stood(self.stands_until) + ABANDONED_AFTER

    def has_run_out(self, at: datetime) -> bool:
        """Whether an action that counts at that moment comes too late."""
        return at >= self.ends_at

    @cached_property
    def warning_at(self) -> datetime | None:
        """When to warn the side to move of its clock; None if it has too little time."""
        if self.deadline is None or self.awaits_votes:
            return None
        left = self.time_left(self.to_move)
        if left < MIN_WARNED_SECONDS:
            return None
        return self.deadline - timedelta(seconds=max(15, min(left // 5, 6 * 3600)))

    @cached_property
    def due_at(self) -> datetime | None:
        """When its clock is next to be looked at: for a warning, or since its time is up."""
        if self.is_over:
            return None
        if self.is_held:
            return self.touched_at + HELD_FOR
        if self.awaits_votes and len(self.state.legal_moves()) == 1:
            return self.turn_started_at  # there is nothing to vote on
        warning_at = None if self.warned_turn == self.turn else self.warning_at
        return self.ends_at if warning_at is None else warning_at

    @property
    def draw_offer(self) -> Player | None:
        """The side whose offer of a draw stands."""
        return self.draws.standing

    @property
    def undo_request(self) -> Player | None:
        """The side whose request for a take-back stands."""
        return self.undos.standing

    @property
    def draw_turn(self) -> int:
        """The first turn whose board shows the draw offer that stands; without one, the turn."""
        return self.draws.turn(self.turn)

    @property
    def undo_turn(self) -> int:
        """The first turn whose board shows the request of a take-back that stands; without one, the turn."""
        return self.undos.turn(self.turn)

    @cached_property
    def undo_ply(self) -> int | None:
        """The ply of the move that the standing request is about; None without a request."""
        if self.undo_request is None:
            return None
        # A move since then came with it: the request is about the move before.
        return self.last_choice(
            self.undo_request, before=len(self.timed_moves) - (self.turn - self.undo_turn)
        )

    def players_of(self, user_id: int) -> tuple[Player, ...]:
        return tuple(player for player in Player if self.seats[player].user_id == user_id)

    def awaits(self, user_id: int) -> bool:
        """Whether it goes on only once this user of a seat has chosen something."""
        return not self.is_over and (self.is_held or self.seat_to_move.user_id == user_id)

    def player_of(self, user_id: int) -> Player:
        """Return the side that this user plays; raises MatchError `not_your_match`."""
        players = self.players_of(user_id)
        if not players:
            raise MatchError("not_your_match", first=self.seats[0].name, second=self.seats[1].name)
        return self.to_move if len(players) == 2 else players[0]

    def check_running(self, user_id: int) -> None:
        """Raise MatchError unless this user plays it and it is not over."""
        self.player_of(user_id)
        self._check_running()

    def check_to_move(self, user_id: int, *, turn: int | None = None) -> None:
        """Raise MatchError unless this user may move. turn: the counter that their press carries.

        Checked in this order: seated? over? stale? to move?
        """
        self.check_running(user_id)
        if turn is not None and turn != self.turn:
            raise MatchError("stale")
        if self.player_of(user_id) is not self.to_move:
            key = "coach_waits" if self.is_held else "not_your_turn"
            raise MatchError(key, name=self.seat_to_move.name)

    def check_vote(self, move: Move, now: datetime, *, turn: int) -> None:
        """Raise MatchError unless people may vote for that move. turn: of the board that they pressed."""
        self._check_running()
        if turn != self.turn or not self.awaits_votes:
            raise MatchError("stale")
        if self.has_run_out(now):
            raise MatchError("vote_over")
        self._moved(move, now, 0.0)  # raises for an illegal move

    def check_begun_by(self, user_id: int) -> None:
        """Raise MatchError unless this user began the vote, and may end it or the match."""
        self._check_running()
        if not self.is_voted or self.begun_by != user_id:
            raise MatchError("vote_not_yours")

    def check_held(self, user_id: int) -> Held:
        """Return why the answer to this user's turn is held; raises MatchError if it is not."""
        self.check_running(user_id)
        if self.held is None or self.held.is_given:
            raise MatchError("coach_too_late")
        return self.held

    def check_visible(self, user_id: int, channel_id: int | None) -> None:
        """Raise MatchError unless the user plays the match, began it, or is in its channel."""
        is_here = self.location.channel_id is not None and self.location.channel_id == channel_id
        if not is_here and user_id != self.begun_by:
            self.player_of(user_id)

    def check_reviewable(self) -> None:
        """Raise MatchError unless the match is over and has a move."""
        if not self.is_over:
            raise MatchError("not_over")
        if not self.timed_moves:
            raise MatchError("nothing_to_review")

    # Transitions. `now` is the moment at which a person's action counts (`bot.domain.clock.moment_of`); each
    # is refused as `time_is_up` from `ends_at` on. `stored` then lets the next turn's clock begin.

    def play(self, user_id: int, move: Move, now: datetime, *, turn: int | None = None) -> Match:
        """Make a person's move.

        Checked in this order: seated? over? stale? to move? in time? legal? Raises MatchError.
        """
        self.check_to_move(user_id, turn=turn)
        self._check_in_time(now)
        taken = max(now, self.turn_started_at) - self.turn_started_at - self._stood(now)
        return self._moved(move, now, taken.total_seconds())

    def play_agent(self, move: Move, now: datetime, *, turn: int, seconds: float, forfeit: str = "") -> Match:
        """Make an agent's move against `turn`, after `seconds` of thinking; raises MatchError.

        forfeit: as in TimedMove.
        """
        self._check_running()
        if turn != self.turn:
            raise MatchError("stale")
        if not self.seat_to_move.is_agent:
            raise MatchError("not_your_turn", name=self.seat_to_move.name)
        # Times of people have microseconds, too.
        return self._moved(move, now, round(seconds, 6), forfeit)

    def play_vote(self, move: Move | None, now: datetime, *, turn: int) -> Match:
        """Make the move that was voted for, or extend a vote without a vote; raises MatchError.

        After MAX_EXTENSIONS the match ends without a result.
        """
        self._check_running()
        if turn != self.turn or not self.awaits_votes:
            raise MatchError("stale")
        if move is not None:
            return self._moved(move, now, 0.0)
        if self.extensions >= MAX_EXTENSIONS:
            return self._ended(Result(None, End.UNVOTED), now)
        later = self.turn_started_at + timedelta(seconds=self.clock_seconds or 0)
        return replace(self, turn_started_at=later, version=self.version + 1)

    def recounted(self) -> Match:
        """Return the match with another version, since its message is to show the votes until now."""
        self._check_running()
        return replace(self, version=self.version + 1)

    def resign_agent(self, now: datetime, *, turn: int) -> Match:
        """Resign as the agent to move; raises MatchError."""
        self._check_running()
        if turn != self.turn or not self.seat_to_move.is_agent:
            raise MatchError("stale")
        return self._ended(Result(self.to_move.other, End.RESIGNATION), now)

    def swap(self, user_id: int, now: datetime, *, turn: int | None = None) -> Match:
        """Take over the first move by the pie rule; the other player then answers it. Raises MatchError."""
        self.check_to_move(user_id, turn=turn)
        self._check_in_time(now)
        return self._swapped(now)

    def swap_agent(self, now: datetime, *, turn: int) -> Match:
        """Take over the first move as an agent; raises MatchError."""
        self._check_running()
        if turn != self.turn or not self.seat_to_move.is_agent:
            raise MatchError("stale")
        return self._swapped(now)

    def wait_for(self, number: int | None, now: datetime, *, turn: int) -> Match:
        """Let the agent's answer wait for the rated match of that number, or no longer; raises MatchError."""
        self._check_running()
        if turn != self.turn or not self.seat_to_move.is_agent:
            raise MatchError("stale")
        return self._changed(now, waits_for=number, held=self.held)

    def hold(self, held: Held, now: datetime, *, turn: int) -> Match:
        """Hold the agent's answer until the person has chosen; raises MatchError."""
        self._check_running()
        if turn != self.turn or self.coached_ply != held.ply:
            raise MatchError("stale")
        return self._changed(now, held=held)

    def answer_coach(self, user_id: int, choice: CoachChoice, now: datetime) -> Match:
        """Take the turn back, let the agent answer it, or play the better move instead; raises MatchError."""
        held = self.check_held(user_id)
        self._check_in_time(now)
        if choice is CoachChoice.ON:
            return self.answered(now)
        before = self._undone(held.ply, now)
        return before if choice is CoachChoice.BACK else before.play(user_id, held.better, now)

    def answered(self, now: datetime) -> Match:
        """Let the agent give the answer that is held; raises MatchError `stale` without one."""
        if self.held is None or self.held.is_given:
            raise MatchError("stale")
        return self._changed(now, held=replace(self.held, is_given=True))

    def make_rated(
        self,
        user_id: int,
        clock_seconds: int | None,
        now: datetime,
        *,
        seats: tuple[Seat, Seat] | None = None,
    ) -> Match:
        """Turn a casual match against an agent into a rated one, before the person has moved.

        seats: as drawn. The match then begins anew: the person has seen the agent's first move, and could
        make only those matches rated that begin well. Raises MatchError.
        """
        player = self.player_of(user_id)
        self._check_in_time(now)
        if self.rated:
            raise MatchError("rated_already")
        has_moved = player in self.movers or self.turn != len(self.timed_moves)
        if has_moved or self.opening or not self.has_agent:
            raise MatchError("too_late_for_rated")
        # The days before there was a clock are not the person's time.
        began = max(now, self.turn_started_at) if self.clock_seconds is None else self.turn_started_at
        rated = self._changed(
            now,
            rated=True,
            bars_help=True,
            clock_seconds=clock_seconds,
            is_coached=False,
            turn_started_at=began,
        )
        if seats is None:
            return rated
        # With another turn, since a turn belongs to one seat for ever.
        states, begins_at = self.states[:1], max(now, self.turn_started_at)
        turn = self.turn + 1
        return replace(
            rated, seats=seats, states=states, timed_moves=(), turn=turn, turn_started_at=begins_at
        )

    def paced(self, pace: Pace, now: datetime) -> Match:
        """Change the pace of a match between agents; raises MatchError `not_watched`."""
        self._check_in_time(now)
        if not self.is_watched:
            raise MatchError("not_watched")
        return self._changed(now, pace=pace)

    def stop(self, user_id: int, now: datetime) -> Match:
        """End a match between agents or by votes, as the user who began it; raises MatchError."""
        self._check_in_time(now)
        if not (self.is_watched or self.is_voted) or self.begun_by != user_id:
            raise MatchError("not_yours_to_stop")
        return self._ended(Result(None, End.STOPPED), now)

    def moderate(self, user_id: int, channel_id: int | None, now: datetime) -> Match:
        """End it without a result, as a moderator of that channel without a seat in it; raises MatchError."""
        self._check_in_time(now)
        if channel_id is None or self.location.channel_id != channel_id:
            raise MatchError("moderate_elsewhere")
        if self.players_of(user_id):
            raise MatchError("moderate_own")
        if self.bars_help and not self.is_short:
            # A friend, or a second account, would end those that go badly, and only the others would count.
            raise MatchError("moderate_rated")
        return self._ended(Result(None, End.MODERATED), now)

    def resign(self, user_id: int, now: datetime) -> Match:
        player = self.player_of(user_id)
        self._check_in_time(now)
        return self._ended(Result(player.other, End.RESIGNATION), now)

    def offer_draw(self, user_id: int, now: datetime) -> Match:
        """Offer a draw, or accept the other side's offer; raises MatchError."""
        player = self.player_of(user_id)
        self._check_in_time(now)
        if self.seats[player.other].is_agent:
            raise MatchError("agent_declines_draw", name=self.seats[player.other].name)
        if self.draw_offer is player:
            raise MatchError("draw_already_offered", name=self.seats[player.other].name)
        if self.draw_offer is player.other:
            return self._ended(Result(None, End.AGREEMENT), now)
        self.draws.check_may_ask(player, self.movers, self.turn, "draw_too_soon")
        return self._changed(now, draws=self.draws.made(player, self.turn))

    def answer_draw(self, user_id: int, accept: bool, now: datetime) -> Match:
        """Accept or decline the other side's offer of a draw; raises MatchError."""
        player = self.player_of(user_id)
        self._check_in_time(now)
        if self.draw_offer is None:
            raise MatchError("no_draw_offer")
        if self.draw_offer is player and len(self.players_of(user_id)) == 1:
            raise MatchError("own_draw_offer", name=self.seats[player.other].name)
        if accept:
            return self._ended(Result(None, End.AGREEMENT), now)
        return self._changed(now, draws=self.draws.ended())

    def ask_undo(self, user_id: int, now: datetime) -> Match:
        """Take the user's last move back: at once against an agent, else the other person is asked.

        If the other one has asked, theirs is taken back. Raises MatchError.
        """
        player = self.player_of(user_id)
        self._check_in_time(now)
        if self.rated:
            raise MatchError("undo_in_rated")
        own = self.last_choice(player)
        if own is None:
            raise MatchError("nothing_to_undo")
        if self.seats[player.other].is_agent or self.undo_request is player.other:
            return self._undone(own if self.undo_request is None else self.undo_ply, now)
        if self.undo_request is player:
            raise MatchError("undo_already_asked", name=self.seats[player.other].name)
        self.undos.check_may_ask(player, self.movers, self.turn, "undo_too_soon")
        return self._changed(now, undos=self.undos.made(player, self.turn))

    def answer_undo(self, user_id: int, accept: bool, now: datetime) -> Match:
        """Accept or decline the other side's request to take its move back; raises MatchError."""
        player = self.player_of(user_id)
        self._check_in_time(now)
        if self.undo_request is None:
            raise MatchError("no_undo_request")
        if self.undo_request is player:
            raise MatchError("own_undo_request", name=self.seats[player.other].name)
        if accept:
            return self._undone(self.undo_ply, now)
        return self._changed(now, undos=self.undos.ended())

    def expire(self, now: datetime) -> Match | None:
        """Return the match after a loss on time or ABANDONED_AFTER, or None if neither is certain yet.

        Only moves count as activity: offers of a draw would keep a match alive for ever.
        An abandoned rated match is lost by the person to move, once both have moved twice; so it is by the
        person that keeps an agent waiting for another match. If its channel was deleted, it has no result.
        """
        # A press that was made in time may still be under way.
        if self.is_over or self.awaits_votes or not self.has_run_out(heard_until(now)):
            return None
        if self.deadline is not None:
            return self._ended(Result(self.to_move.other, End.TIME), now)
        loser = self.to_move if self.waits_for is None else self.to_move.other
        is_left = self.rated and not self.is_short and not self.seats[loser].is_agent
        is_left = is_left and not (self.has_lost_channel and self.clock_stands)
        result = Result(loser.other, End.TIME) if is_left else Result(None, End.ABANDONED)
        return self._ended(result, now)

    def warn(self) -> Match:
        """Record that the clock's warning for this turn was sent."""
        return replace(self, warned_turn=self.turn, version=self.version + 1)

    def moved_to(self, location: Location, now: datetime) -> Match:
        """Return the match with another location, where its clock goes on if it stood."""
        began = self.turn_started_at + self._stood(now)
        return replace(
            self, location=location, turn_started_at=began, stands_since=None, version=self.version + 1
        )

    def without_board(self, message_id: int, now: datetime) -> Match:
        """Note that people have deleted its board, so that its clock stands until a player asks for it.

        For BOARD_GONE_FOR at most, and once: a player may moderate the channel, and could delete the board
        whenever the match goes badly. Without a person at the board it stops. Raises MatchError.
        """
        self._check_running()
        if self.location.message_id != message_id or self.stands_since is not None:
            raise MatchError("stale")
        if self.is_watched or self.is_voted:
            if self.begun_by is None:  # of a tournament, which needs its result
                raise MatchError("stale")
            return self._ended(Result(None, End.STOPPED), now)
        until = now if self.stands_until is not None else now + BOARD_GONE_FOR
        return replace(self, stands_since=now, stands_until=until, version=self.version + 1)

    def without_channel(self, now: datetime) -> Match:
        """Note that its channel was deleted, so that its clock stands until the match has a new one.

        That of a match that bars help goes on (`clock_stands`). Raises MatchError.
        """
        self._check_running()
        if self.has_lost_channel:
            raise MatchError("stale")
        if self.is_voted:
            return self._ended(Result(None, End.STOPPED), now)
        gone = replace(self.channel, message_id=None)
        return replace(
            self,
            location=gone,
            turn_started_at=self.turn_started_at + self._stood(now),
            stands_since=now,
            stands_until=None,
            version=self.version + 1,
        )

    def stored(self, before: Match, now: datetime) -> Match:
        """Return the match as it is stored at `now`, after an action that may count from earlier.

        The next turn's clock begins only now, so that our delay costs neither side time. A finished match
        keeps the moment at which it ended, which decides its season.
        """
        if self.is_over or self.turn == before.turn:
            return self
        return replace(self, touched_at=now, turn_started_at=now)

    # Internals

    def _check_running(self) -> None:
        if self.is_over:
            raise MatchError("match_over")

    def _check_in_time(self, now: datetime) -> None:
        """Raise MatchError if it is over, or if its time is up."""
        self._check_running()
        if self.has_run_out(now):
            raise MatchError("time_is_up")

    def _changed(self, now: datetime, **changes: object) -> Match:
        changes = {"waits_for": None, "held": None} | changes
        # An action may count from before the last change.
        touched_at = max(now, self.touched_at)
        return replace(self, touched_at=touched_at, version=self.version + 1, **changes)  # type: ignore[arg-type]

    def _ended(self, result: Result, now: datetime) -> Match:
        return self._changed(now, result=result, draws=self.draws.ended(), undos=self.undos.ended())

    def _moved(self, move: Move, now: datetime, seconds: float, forfeit: str = "") -> Match:
        try:
            state = self.state.play(move)
        except IllegalMove as error:
            name = game_of(self.game).move_name(self.state, move) if move >= 0 else str(move)
            allowed = playable(self.game, self.state)
            raise MatchError(f"illegal_{error.reason}", move=name, why=str(error), allowed=allowed) from error
        outcome, forfeits = state.outcome(), [*self.forfeits]
        made_at = max(now, self.turn_started_at)
        timed_moves = (*self.timed_moves, TimedMove(move, seconds, made_at, forfeit))
        result = None if outcome is None else Result(outcome.winner, End(outcome.reason.value))
        # Pop Out has no end of its own: discs can be taken out and put in for ever.
        if result is None and len(timed_moves) >= MAX_PLIES:
            result = Result(None, End.TOO_LONG)
        if forfeit:
            forfeits[self.to_move] += Forfeits(1, forfeit[:MOST_OF_FORFEIT])
        return self._changed(
            now,
            states=(*self.states, state),
            timed_moves=timed_moves,
            forfeits=tuple(forfeits) if forfeit else self.forfeits,
            turn=self.turn + 1,
            turn_started_at=now,
            result=result,
            draws=self.draws.after_move(self.to_move) if result is None else self.draws.ended(),
            undos=self.undos.after_move(self.to_move) if result is None else self.undos.ended(),
        )

    def _swapped(self, now: datetime) -> Match:
        if not self.can_swap:
            raise MatchError("no_swap")
        return self._changed(
            now,
            seats=(self.seats[1], self.seats[0]),
            forfeits=(self.forfeits[1], self.forfeits[0]),
            opening=len(self.timed_moves),
            turn=self.turn + 1,
            turn_started_at=now,
            draws=self.draws.after_swap(),
            undos=self.undos.after_swap(),
        )

    def last_choice(self, player: Player, *, before: int | None = None) -> int | None:
        """Return the ply of the last move that `player` chose; None if there is none to take back.

        before: only among that many moves.
        """
        last = len(self.timed_moves) if before is None else before
        for ply in range(last - 1, self.opening - 1, -1):
            # A forced move, such as a pass, was no choice: go back further.
            if self.movers[ply] is player and len(self.states[ply].legal_moves()) > 1:
                return ply
        return None

    def _undone(self, ply: int | None, now: datetime) -> Match:
        if ply is None:
            raise MatchError("nothing_to_undo")
        taken_back = len(self.timed_moves) - ply
        return self._changed(
            now,
            states=self.states[: ply + 1],
            timed_moves=self.timed_moves[:ply],
            turn=self.turn + 1,
            turn_started_at=now,
            draws=self.draws.after_take_back(self.turn, taken_back),
            undos=self.undos.after_take_back(self.turn, taken_back, granted=self.undo_request),
        )
