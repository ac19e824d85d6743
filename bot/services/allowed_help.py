"""AllowedHelp: hints, explanations, reviews and agents' answers that would help in a rated match."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from bot.domain.errors import HelpBarred, MatchError
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.position import can_help_at
from bot.domain.puzzle import Attempt
from bot.store.stores import Stores
from engine.core import State, states_of
from engine.games import game as game_of

MAX_HINTS = 3
"""Hints that one person may have in one match."""


class AllowedHelp:
    """One per process."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores

    async def take_hint(self, match: Match, person: Person) -> int:
        """Count a hint, one for each turn; return its number, from 1. Raises MatchError if none is left."""
        match.player_of(person.user_id)
        if match.is_over:
            raise MatchError("match_over")
        if match.bars_help:
            raise HelpBarred(match.id, match.game)
        if match.rated:
            raise MatchError("hint_in_rated")
        await self.check_help(match.id)
        if match.seat_to_move.user_id != person.user_id:
            raise MatchError("not_your_turn", name=match.seat_to_move.name)
        await self.check_fair(person, match.game, match.board, match.states)
        number = await self._stores.hints.take(match.id, person.user_id, match.turn, MAX_HINTS)
        if number is None:
            raise MatchError("no_hint_left", limit=MAX_HINTS)
        return number

    async def give_hint_back(self, match: Match, person: Person) -> None:
        """Return a hint that `take_hint` counted and that could not be given."""
        await self._stores.hints.give_back(match.id, person.user_id, match.turn)

    async def check_help(self, match_id: int) -> None:
        """Refuse help in a tournament's match, rated or not; raises MatchError."""
        if await self._stores.tournaments.has_match(match_id):
            raise MatchError("tournament_without_help")

    async def check_explained(self, match: Match, person: Person, states: Sequence[State]) -> None:
        """Refuse an agent's evaluation of these states while it could help against an opponent.

        Raises MatchError.
        """
        if not match.is_over and match.rated:
            raise MatchError("explain_in_rated")
        if not match.is_over:
            await self.check_help(match.id)
        await self.check_fair(person, match.game, match.board, states)

    async def check_reviewed(self, match: Match, person: Person) -> None:
        """Refuse a review of a running match, or of one through a position of their running rated match.

        And, while such a match runs on that board, of any game from a position that the person has set up:
        turned, with one piece more or some moves later it would help as well. Raises MatchError.
        """
        match.check_reviewable()
        await self.check_fair(person, match.game, match.board, match.states)
        if match.is_set_up:
            for running in await self._stores.matches.running_at(person.user_id, match.game, match.board):
                if await self._is_guarded(running):
                    raise MatchError("set_up_in_play", running.id, number=running.id)

    async def check_fair(self, person: Person, game: str, board: str, states: Sequence[State]) -> None:
        """Refuse help about these positions, as `check_game` and `check_positions`; raises MatchError."""
        await self.check_game(person, game)
        await self.check_positions(person, game, board, states)

    async def check_game(self, person: Person, game: str) -> None:
        """Refuse all help in a game in which the person's rated match against a bot runs; raises HelpBarred.

        Any help: a position can be shifted, or reached on another board or by other moves, so what helps in
        the match cannot be told from what does not.
        """
        number = await self._stores.matches.barring_help(person.user_id, game)
        if number is not None:
            raise HelpBarred(number, game)

    async def check_positions(self, person: Person, game: str, board: str, states: Sequence[State]) -> None:
        """Refuse information about positions of the person's running rated matches, or one move from them.

        So too in a tournament, rated or not. states: the last one is the position at hand. Raises MatchError.
        It is enough where nobody chooses the position, as in stored puzzles.
        """
        for match in await self._stores.matches.running_at(person.user_id, game, board):
            # Positions last, and one match after another: comparing large boards takes milliseconds.
            await asyncio.sleep(0)
            if await self._is_guarded(match) and can_help_at(match.state, states):
                raise MatchError("position_in_play", match.id, number=match.id)

    async def check_attempt(self, person: Person, attempt: Attempt) -> None:
        """Refuse to judge a puzzle at a position of the person's running rated match; raises MatchError."""
        task = attempt.task
        states = states_of(game_of(task.game).start(task.board), task.line + attempt.moves)
        await self.check_positions(person, task.game, task.board, states)

    async def awaited_by(self, match: Match) -> int | None:
        """Return the number of the running rated match that must go on before the agent answers in this one.

        A casual one waits for the end of a match that bars help, and that for the end of a match against an
        agent in a tournament. Two rated matches never wait for each other:
        one waits only while a person is to move in the other.
        """
        for seat in match.seats:
            if seat.user_id is None:
                continue
            barring = (
                None if match.rated else await self._stores.matches.barring_help(seat.user_id, match.game)
            )
            if barring is not None and not await self._stores.tournaments.has_match(match.id):
                return barring
            for other in await self._stores.matches.running_at(
                seat.user_id, match.game, match.board, but=match.id, or_against_agents=True
            ):
                await asyncio.sleep(0)
                # A tournament waits for no match outside of it, and its bot would answer for this one.
                if match.bars_help and other.has_agent and await self._stores.tournaments.has_match(other.id):
                    return other.id
                if other.waits_for == match.id or not await self._is_guarded(other):
                    continue
                if not can_help_at(other.state, [match.state]):
                    continue
                if not other.awaits_agent or not await self._is_guarded(match):
                    return other.id
        return None

    async def _is_guarded(self, match: Match) -> bool:
        """Return whether it is played without help, once both sides have moved twice."""
        return not match.is_short and (match.rated or await self._stores.tournaments.has_match(match.id))
