"""The champions' roles that the bot has given: it removes no other."""

from __future__ import annotations

import sqlalchemy as sa

from bot.domain.champion import ChampionRole
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.rows import RowMapper
from bot.store.shared import metadata, upsert

champion_roles = sa.Table(
    "champion_roles",
    metadata,
    sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("title", sa.String(16), primary_key=True),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("role_id", sa.BigInteger, primary_key=True, autoincrement=False),
)

CHAMPION_ROLE = RowMapper(champion_roles, ChampionRole)
_ADD = upsert(champion_roles).on_conflict_do_nothing()


class ChampionStore(Store):
    """Stores given and removed roles."""

    @uncancellable
    async def all(self) -> tuple[ChampionRole, ...]:
        return tuple(map(CHAMPION_ROLE.read, await self._rows(sa.select(champion_roles))))

    @uncancellable
    async def of(self, user_id: int) -> tuple[ChampionRole, ...]:
        """Return the roles of one person."""
        return tuple(role for role in await self.all() if role.user_id == user_id)

    @uncancellable
    async def note(self, role: ChampionRole) -> None:
        """Note that the role was given."""
        async with self._database.writing() as connection:
            await add_champion_role(connection, role)

    @uncancellable
    async def forget(self, role: ChampionRole) -> None:
        """Note that the role was removed."""
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(champion_roles).filter_by(**CHAMPION_ROLE.values(role)))


async def add_champion_role(connection: Connection, role: ChampionRole) -> None:
    await connection.execute(_ADD, CHAMPION_ROLE.values(role))
