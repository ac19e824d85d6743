"""Lobby: open tables, at which a person of one server plays one of another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, SetupError
from bot.domain.match import Match
from bot.domain.names import CleanName, clean, shortened
from bot.domain.outgoing import Handover
from bot.domain.person import Person
from bot.services.challenges import Challenges
from bot.services.changes import Changes
from bot.services.settings import SettingsCache
from bot.store.stores import Stores

SERVER_LENGTH = 22
"""Characters of a server's name in place of a person's, which has room for a rating then."""

ROUNDED_TO = 50
"""A rating that stands for a person is rounded, lest it gives them away."""


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

        handover: of the lobby's message, which becomes the person's board in the same transaction.
        """
        table, guild_id = await self._changes.challenge(table_id), handover.place.guild_id
        servers = (table.location.guild_id, guild_id)
        if not table.is_table or any(self._settings.server(one).lobby is None for one in servers):
            raise MatchError("challenge_not_open")
        asker = await self.host(table)
        guest = await self._seen(person.user_id, table.terms.game, guild_id)
        return (await self._challenges.accept(table_id, person, handover, (asker.alias, guest.alias)))[1]

    async def turn_away(self, match_id: int, person: Person) -> bool:
        """Let the two never meet at a table again, or lift that; return which. Raises MatchError."""
        match = await self._changes.match(match_id)
        other = match.seats[match.player_of(person.user_id).other].user_id
        if not match.is_between or other is None or other < 0:
            raise MatchError("no_rematch_gone")
        return await self._stores.lobby.turn_away(person.user_id, other)
