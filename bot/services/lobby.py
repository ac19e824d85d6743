"""Lobby: open tables, at which a person of one server plays one of another."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, NotFound, SetupError
from bot.domain.match import Match
from bot.domain.names import CleanName, clean, shortened
from bot.domain.outgoing import Handover
from bot.domain.person import Person
from bot.domain.seat import Seat
from bot.services.challenges import Challenges
from bot.services.changes import Changes
from bot.services.settings import SettingsCache
from bot.store.stores import Stores

log = logging.getLogger(__name__)

SERVER_LENGTH = 22
"""Characters of a server's name in place of a person's, which has room for a rating then."""

ROUNDED_TO = 50
"""A rating that stands for a person is rounded, lest it gives them away."""

_POINTS = re.compile(r" ≈\d+$")
"""The rating at the end of an alias."""


@dataclass(frozen=True, slots=True)
class Host:
    """The challenger of a table as other servers see them. name: None unless they agreed to be named."""

    name: CleanName | None
    server: CleanName
    points: int | None

    @property
    def alias(self) -> CleanName:
        """The name in place of the person's."""
        server = shortened(self.server, SERVER_LENGTH)
        return clean(server if self.points is None else f"{server} ≈{self.points}")


class Lobby:
    """One per process. clock: the current UTC time."""

    def __init__(
        self,
        stores: Stores,
        settings: SettingsCache,
        challenges: Challenges,
        changes: Changes,
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._stores = stores
        self._settings = settings
        self._challenges = challenges
        self._changes = changes
        self._clock = clock

    async def check_opening(self, user_id: int, guild_id: int | None, server: str) -> None:
        """Raise SetupError unless the person may open tables there. server: its name, which others read."""
        chosen = self._settings.server(guild_id)
        if guild_id is None or chosen.lobby is None:
            raise SetupError("table_no_lobby")
        if await self._stores.lobby.is_shut_out((user_id, guild_id)):
            raise SetupError("table_shut_out")
        await self.rename(guild_id, server)

    async def rename(self, guild_id: int, server: str) -> None:
        """Note the server's name, which others read."""
        name = clean(server)
        await self._settings.change(guild_id, lambda now: replace(now, lobby_name=name))

    def others(self, guild_id: int | None) -> int:
        """Return how many other servers show open tables."""
        servers = self._settings.servers()
        return sum(chosen.lobby is not None for key, chosen in servers.items() if key != guild_id)

    async def tables(self) -> list[Challenge]:
        """Return the open tables of all servers, the newest first."""
        return [
            table
            for table in await self._stores.challenges.tables(self._clock())
            if self._settings.server(table.location.guild_id).lobby is not None
        ]

    async def still_open(self, table_ids: Collection[int]) -> set[int]:
        """Return those of the tables that are open, offered or not."""
        return await self._stores.challenges.open_among(table_ids)

    async def offered(
        self, tables: Collection[Challenge], guild_ids: Iterable[int]
    ) -> dict[int, list[Challenge]]:
        """Return those of the tables that each of these servers is offered.

        A rematch is offered to the other player's server alone.
        """
        invited = {table.id: await self._invited(table) for table in tables if table.opponent is not None}
        return {
            guild_id: [
                table
                for table in tables
                if guild_id == invited.get(table.id, guild_id) != table.location.guild_id
            ]
            for guild_id in guild_ids
        }

    async def _invited(self, table: Challenge) -> int | None:
        """Return the server from which the invited person played the match before."""
        with suppress(MatchError, NotFound):  # it is damaged
            old = await self._changes.latest(table.rematch_of or 0)
            return next(seat.guild_id for seat in old.seats if seat.user_id != table.challenger.user_id)
        return None

    async def host(self, table: Challenge) -> Host:
        """Return the challenger as other servers see them."""
        asker = table.challenger
        return await self._seen(asker.user_id or 0, table.terms.game, table.location.guild_id)

    async def _seen(self, user_id: int, game: str, guild_id: int | None) -> Host:
        points = await self._stores.ratings.points(user_id, game)
        is_named = self._settings.person(user_id).is_listed
        return Host(
            await self._stores.players.name_of(user_id) if is_named else None,
            clean(self._settings.server(guild_id).lobby_name, "?"),
            None if points is None else ROUNDED_TO * round(points / ROUNDED_TO),
        )

    async def sit_down(self, table_id: int, person: Person, handover: Handover) -> Match:
        """Return the new match with the table's challenger; raises Refusal.

        handover: without names; of the lobby's message, which becomes the person's board in the same
        transaction.
        """
        table, guild_id = await self._changes.challenge(table_id), handover.place.guild_id
        servers = (table.location.guild_id, guild_id)
        if not table.is_table or any(self._settings.server(one).lobby is None for one in servers):
            raise MatchError("challenge_not_open")
        people = (table.challenger.user_id, servers[0]), (person.user_id, guild_id)
        handover = replace(handover, names=await self._names(table.terms.game, *people))
        return (await self._challenges.accept(table_id, person, handover))[1]

    async def rematch(self, match_id: int, person: Person, server: str, handover: Handover) -> Handover:
        """Return the handover, with names, of a rematch between two servers; raises Refusal.

        server: the name of the person's, which others read. handover: of their board.
        """
        old = await self._changes.match(match_id)
        player = old.player_of(person.user_id)
        own, other = old.seats[player], old.seats[player.other]
        if own.guild_id != handover.place.guild_id or self._settings.server(other.guild_id).lobby is None:
            raise MatchError("no_rematch_between")
        await self.check_opening(person.user_id, own.guild_id, server)
        return replace(
            handover,
            names=await self._names(old.game, *((seat.user_id, seat.guild_id) for seat in old.seats)),
        )

    async def _names(self, game: str, *people: tuple[int | None, int | None]) -> dict[int | None, CleanName]:
        """Return the names of people for strangers. people: each with their server."""
        return {one: (await self._seen(one or 0, game, guild_id)).alias for one, guild_id in people}

    async def turn_away(self, match_id: int, person: Person) -> bool:
        """Let the two never meet at a table again, or lift that; return which. Raises MatchError."""
        match = await self._changes.match(match_id)
        other = match.seats[match.player_of(person.user_id).other].user_id
        if not match.is_between or other is None or other < 0:
            raise MatchError("no_rematch_gone")
        return await self._stores.lobby.turn_away(person.user_id, other)

    async def report(self, user_id: int, *seats: Seat) -> None:
        """Tell the host of the names that a person of another server reads on these seats.

        Raises SetupError after too many reports.
        """
        for seat in seats:
            # An alias is no other name because its rating has moved on.
            reported = replace(seat, name=clean(_POINTS.sub("", seat.name)))
            if await self._stores.lobby.report(user_id, reported, self._clock()):
                log.warning(
                    "a name of a player of server %s was reported: `python -m bot shut-out` lists it",
                    seat.guild_id,
                )

    async def forget_old(self) -> None:
        """Delete the reports of names whose time is over."""
        await self._stores.lobby.forget_old(self._clock())
