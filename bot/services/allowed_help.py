"""AllowedHelp: hints, explanations and reviews, refused where they would help in a rated match."""

from __future__ import annotations

from collections.abc import Hashable, Iterable

from bot.domain.errors import MatchError
from bot.domain.match import Match
from bot.domain.position import secrets_of, shape_of
from bot.services.start_options import Person
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
        """Return a hint that `take_hint` counted and that could not be given."""
        await self._stores.hints.give_back(match.id, person.user_id, match.turn)

    async def check_help(self, match_id: int) -> None:
        """Refuse help in a tournament's match, rated or not; raises MatchError."""
        if await self._stores.tournaments.has_match(match_id):
            raise MatchError("tournament_without_help")

    async def check_explained(self, match: Match, person: Person, states: Iterable[State]) -> None:
        """Refuse an agent's evaluation of these states while it could help against an opponent.

        Raises MatchError.
        """
        if not match.is_over and match.rated:
            raise MatchError("explain_in_rated")
        if not match.is_over:
            await self.check_help(match.id)
        await self.check_fair(person, match.game, match.board, states)

    async def check_reviewed(self, match: Match, person: Person) -> None:
        """Refuse a review of a running match, or of one through a position of their running rated match."""
        match.check_reviewable()
        start = game_of(match.game).start(match.board)
        await self.check_fair(person, match.game, match.board, states_of(start, match.moves))

    async def check_fair(self, person: Person, game: str, board: str, states: Iterable[State]) -> None:
        """Refuse information about positions of the person's running rated matches, or one move later.

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
