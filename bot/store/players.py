"""Players: the names of all people and agents that ever had a seat."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

import sqlalchemy as sa

from bot.domain.match import Match
from bot.domain.names import CleanName, clean
from bot.domain.seat import Seat
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.shared import PlayerKey, ShownName, metadata, upsert

players = sa.Table(
    "players",
    metadata,
    sa.Column("is_agent", sa.Boolean, primary_key=True),
    sa.Column("player", PlayerKey, primary_key=True),
    sa.Column("name", ShownName, nullable=False),
    sqlite_with_rowid=False,
)
"""The last known names. People have their account's name, since a nickname belongs to one server."""


class PlayerStore(Store):
    """Loads names."""

    @uncancellable
    async def names_of(self, user_ids: Iterable[int]) -> dict[int, CleanName]:
        """Return the names of these people, by id, as far as they are known."""
        query = sa.select(players.c.player, players.c.name).where(
            players.c.is_agent.is_(False), players.c.player.in_(sorted(map(str, user_ids)))
        )
        return {int(row.player): clean(row.name, row.player) for row in await self._rows(query)}

    @uncancellable
    async def called_in(self, guild_id: int | None, found: Sequence[Match]) -> tuple[Match, ...]:
        """Return the matches for display in that server: other servers' nicknames become accounts' names.

        In a match between servers, people of others are named only if leaderboards across all servers may.
        """
        others = {
            match.id for match in found if match.is_between or match.location.guild_id not in (None, guild_id)
        }
        seats = [seat for match in found if match.id in others for seat in match.seats]
        user_ids = {seat.user_id for seat in seats if seat.user_id is not None}
        names = await self.names_of(user_ids) if user_ids else {}
        listed = await self._listed(user_ids) if any(seat.guild_id is not None for seat in seats) else set()

        def named(match: Match) -> Match:
            hidden = {seat.user_id for seat in match.seats if seat.guild_id not in (None, guild_id)} - listed
            return match.called({key: name for key, name in names.items() if key not in hidden})

        return tuple(named(match) if match.id in others else match for match in found)

    async def _listed(self, user_ids: Collection[int]) -> set[int]:
        """Return those of the people whom leaderboards across all servers may name."""
        chosen = metadata.tables["preferences"].c
        query = sa.select(chosen.user_id).where(chosen.user_id.in_(user_ids), chosen.is_listed.is_(True))
        return {row.user_id for row in await self._rows(query)}

    @uncancellable
    async def name_of(self, user_id: int) -> CleanName | None:
        """Return the person's name, if it is known."""
        is_own = (players.c.is_agent.is_(False), players.c.player == str(user_id))
        name: str | None = await self._value(sa.select(players.c.name).where(*is_own))
        return None if name is None else clean(name, str(user_id))


def player_key(seat: Seat) -> tuple[bool, str]:
    """Return (is_agent, player), the key of a seat's ratings and name."""
    return (True, seat.level) if seat.level is not None else (False, str(seat.user_id))


async def name_players(connection: Connection, seats: Iterable[Seat | None]) -> None:
    """Store the names of these seats. A seat that was loaded has no account name, and changes none."""
    for seat in seats:
        if seat is None or seat.is_channel:
            continue
        is_agent, player = player_key(seat)
        name = seat.name if is_agent else seat.account
        statement = _NAME_ANEW if name is None else _NAME
        values = {"is_agent": is_agent, "player": player, "name": name or seat.name}
        await connection.execute(statement, values)


_INSERT = upsert(players)
_NAME_ANEW = _INSERT.on_conflict_do_nothing(index_elements=["is_agent", "player"])
_NAME = _INSERT.on_conflict_do_update(
    index_elements=["is_agent", "player"], set_={"name": _INSERT.excluded.name}
)
