"""Who holds a champion's role that the bot gave: it takes back no other."""

from __future__ import annotations

import enum
from dataclasses import dataclass

import sqlalchemy as sa

from bot.store.connection import Connection
from bot.store.database import Database, uncancellable
from bot.store.rows import attributes_of, values_of
from bot.store.shared import metadata, upsert


class Title(enum.StrEnum):
    """LEADER: of the month's season. WINNER: of the server's last tournament.

    NONE: they have deleted their data, and the role is still to be taken back.
    """

    LEADER = "leader"
    WINNER = "winner"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Holding:
    """A role that somebody has as a champion."""

    guild_id: int
    title: Title
    user_id: int
    role_id: int


holdings = sa.Table(
    "champion_roles",
    metadata,
    sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("title", sa.String(16), primary_key=True),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("role_id", sa.BigInteger, primary_key=True, autoincrement=False),
)


class ChampionStore:
    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def all(self) -> tuple[Holding, ...]:
        async with self._database.reading() as connection:
            found = (await connection.execute(sa.select(holdings))).all()
        return tuple(Holding(**attributes_of(row, title=Title(row.title))) for row in found)

    async def of(self, user_id: int) -> tuple[Holding, ...]:
        """What one person has."""
        return tuple(holding for holding in await self.all() if holding.user_id == user_id)

    @uncancellable
    async def note(self, holding: Holding) -> None:
        """It was given."""
        async with self._database.writing() as connection:
            await add_holding(connection, holding)

    @uncancellable
    async def forget(self, holding: Holding) -> None:
        """It was taken back."""
        same = [holdings.c[name] == value for name, value in values_of(holding, holdings).items()]
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(holdings).where(*same))


async def add_holding(connection: Connection, holding: Holding) -> None:
    insert = upsert(holdings).values(**values_of(holding, holdings))
    await connection.execute(insert.on_conflict_do_nothing())
