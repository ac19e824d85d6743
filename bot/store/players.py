"""Players: what everybody who was ever seated is called, people and agents."""

from __future__ import annotations

from collections.abc import Iterable

import sqlalchemy as sa

from bot.domain.match import Seat
from bot.store.connection import Connection
from bot.store.database import Database, uncancellable
from bot.store.shared import metadata, upsert

players = sa.Table(
    "players",
    metadata,
    sa.Column("is_agent", sa.Boolean, primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
    sqlite_with_rowid=False,
)
"""What each player was last called, people by their account: a nickname is its server's alone."""


class PlayerStore:
    """Names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def name_of(self, user_id: int) -> str | None:
        """What the person was last called, if they were ever seen."""
        query = sa.select(players.c.name).where(
            players.c.is_agent.is_(False), players.c.player == str(user_id)
        )
        async with self._database.reading() as connection:
            return (await connection.execute(query)).scalar_one_or_none()


def player_key(seat: Seat) -> tuple[bool, str]:
    """(is_agent, player): the key under which a seat is rated and named."""
    return (True, seat.level) if seat.level is not None else (False, str(seat.user_id))


async def name_players(connection: Connection, seats: Iterable[Seat | None]) -> None:
    """Remembers what they are called everywhere; a seat that was stored before knows no better than that."""
    for seat in seats:
        if seat is None:
            continue
        is_agent, player = player_key(seat)
        name = seat.name if is_agent else seat.account
        insert = upsert(players).values(is_agent=is_agent, player=player, name=name or seat.name)
        key = ["is_agent", "player"]
        if name is None:
            await connection.execute(insert.on_conflict_do_nothing(index_elements=key))
        else:
            await connection.execute(insert.on_conflict_do_update(index_elements=key, set_={"name": name}))
