"""Playing: every action of a person in a running match.

Each is one stored change, made by a pure transition of Match. Subscribers display it and ping people.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from operator import attrgetter
from random import Random

from bot.domain.challenge import seated
from bot.domain.errors import MatchError
from bot.domain.match import CoachChoice, Match, Pace
from bot.domain.person import Person
from bot.domain.terms import First, are_drawn, is_rated_on
from bot.services.allowed_help import AllowedHelp
from bot.services.changes import Changes, Transition
from bot.services.checked_terms import checked_clock
from bot.services.clocks import Clocks, expire_or_warn
from bot.services.match_limits import check_leaving
from bot.store.stores import Stores
from engine.agents.algorithms import is_algorithm
from engine.agents.levels import is_engine
from engine.core import Move
from engine.games import game


class Playing:
    """One per process. rng: draws who begins a match that becomes rated."""

    def __init__(
        self,
        stores: Stores,
        changes: Changes,
        clocks: Clocks,
        allowed_help: AllowedHelp,
        *,
        rng: Random,
    ) -> None:
        self._stores = stores
        self._changes = changes
        self._clocks = clocks
        self._allowed_help = allowed_help
        self._rng = rng

    async def play(
        self,
        match_id: int,
        person: Person,
        move: Move,
        *,
        turn: int | None = None,
    ) -> Match:
        """Return the match after the person's move; raises Refusal. turn: of the board that was pressed."""
        return await self._commit(
            match_id, person, lambda match, now: match.play(person.user_id, move, now, turn=turn), turn
        )

    async def set_pace(self, match_id: int, person: Person, pace: Pace) -> Match:
        """Change the speed of a match between agents, as every spectator may."""
        return await self._act(match_id, person, lambda match, now: match.paced(pace, now))

    async def stop(self, match_id: int, person: Person) -> Match:
        """End a match between agents without a result, as the person who began it may."""
        return await self._act(match_id, person, lambda match, now: match.stop(person.user_id, now))

    async def moderate(self, match_id: int, person: Person, channel_id: int | None) -> Match:
        """End a match without a result, as a moderator of the channel where it stands."""
        return await self._act(
            match_id, person, lambda match, now: match.moderate(person.user_id, channel_id, now)
        )

    async def resign(self, match_id: int, person: Person) -> Match:
        return await self._act(match_id, person, lambda match, now: match.resign(person.user_id, now))

    async def offer_draw(self, match_id: int, person: Person, *, turn: int | None = None) -> Match:
        """turn, here and below: of the board that the person sees; refused as stale when it is past."""
        return await self._act(
            match_id,
            person,
            lambda match, now: match.offer_draw(person.user_id, now),
            turn,
            attrgetter("draw_turn"),
        )

    async def answer_draw(
        self, match_id: int, person: Person, accept: bool, *, turn: int | None = None
    ) -> Match:
        return await self._act(
            match_id,
            person,
            lambda match, now: match.answer_draw(person.user_id, accept, now),
            turn,
            attrgetter("draw_turn"),
        )

    async def ask_undo(self, match_id: int, person: Person, *, turn: int | None = None) -> Match:
        await self._allowed_help.check_help(match_id)
        return await self._act(
            match_id,
            person,
            lambda match, now: match.ask_undo(person.user_id, now),
            turn,
            attrgetter("undo_turn"),
        )

    async def held(self, match_id: int, person: Person) -> Match:
        """Return the match whose answer is held for the person, who may be told why; raises MatchError."""
        match = await self._changes.match(match_id)
        ply = match.check_held(person.user_id).ply
        await self._allowed_help.check_fair(person, match.game, match.board, match.states[ply:])
        return match

    async def answer_coach(
        self, match_id: int, person: Person, choice: CoachChoice, *, turn: int | None = None
    ) -> Match:
        if choice is CoachChoice.INSTEAD:
            await self.held(match_id, person)
        return await self._act(
            match_id, person, lambda match, now: match.answer_coach(person.user_id, choice, now), turn
        )

    async def answer_undo(
        self, match_id: int, person: Person, accept: bool, *, turn: int | None = None
    ) -> Match:
        return await self._act(
            match_id,
            person,
            lambda match, now: match.answer_undo(person.user_id, accept, now),
            turn,
            attrgetter("undo_turn"),
        )

    async def swap(self, match_id: int, person: Person, *, turn: int | None = None) -> Match:
        """Swap sides by the pie rule."""
        return await self._act(
            match_id, person, lambda match, now: match.swap(person.user_id, now, turn=turn)
        )

    async def make_rated(self, match_id: int, person: Person) -> Match:
        """Rate the casual match against an agent from now on; raises MatchError after the first move or hint.

        Its colours are drawn as those of a new match. Raises HelpBarred where another rated one runs in the
        game.
        """
        if await self._stores.hints.has_any(match_id):
            raise MatchError("hint_before_rated")
        casual = await self._changes.match(match_id)
        if any(is_algorithm(seat.level or "") for seat in casual.seats):
            raise MatchError("algorithm_not_rated")
        if any(is_engine(seat.level or "") for seat in casual.seats):
            raise MatchError("engine_not_rated")
        if not is_rated_on(casual.game, casual.board, has_agent=True):
            raise MatchError("board_not_rated", board=game(casual.game).boards[0])
        await check_leaving(self._stores, person, self._changes.now())

        def rate(match: Match, now: datetime) -> Match:
            player = match.player_of(person.user_id)
            drawn = seated(match.seats[player], match.seats[player.other], First.RANDOM, self._rng)
            seats = drawn if are_drawn(rated=True, fair=match.fair) else None
            clock = checked_clock(match.clock_seconds, rated=True, has_agent=True)
            return match.make_rated(person.user_id, clock, now, seats=seats)

        return await self._act(match_id, person, rate)

    async def _act(
        self,
        match_id: int,
        person: Person,
        transition: Transition,
        turn: int | None = None,
        oldest: Callable[[Match], int] = attrgetter("turn"),
    ) -> Match:
        """Store an action other than a move, unless the board was out of date.

        oldest: the first turn whose board the action may come from: an offer stands while its side moves on.
        """

        def checked(match: Match, now: datetime) -> Match:
            if turn is not None and not oldest(match) <= turn <= match.turn and not match.is_over:
                raise MatchError("stale")
            return transition(match, now)

        return await self._commit(match_id, person, checked)

    async def _commit(
        self, match_id: int, person: Person, transition: Transition, turn: int | None = None
    ) -> Match:
        """Store the change; where time is up, compensate an outage first, then end the match if that is sure.

        The first press after an outage may come before the next tick, here or in another process.
        """
        for _ in range(2):
            try:
                return await self._changes.of_match(
                    match_id, transition, turn=turn, pressed_at=person.pressed_at
                )
            except MatchError as refusal:
                if refusal.key != "time_is_up":
                    raise
            await self._clocks.make_up()
            await self._changes.match(match_id)
        try:
            await self._changes.of_match(match_id, expire_or_warn)
        except MatchError as early:
            raise MatchError("time_is_nearly_up" if early.key == "stale" else early.key) from early
        raise MatchError("time_is_up")
