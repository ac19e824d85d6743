"""What people and servers have chosen; read once at a start, since every answer wants it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import sqlalchemy as sa

from bot.domain.look import Size, Theme
from bot.domain.preferences import Preferences, ServerSettings, Threads
from bot.domain.start_choices import Start
from bot.store.announcements import announce
from bot.store.connection import Connection
from bot.store.damage import DAMAGE, Damage
from bot.store.database import Database, uncancellable
from bot.store.rank_tallies import list_person
from bot.store.rows import attributes_of, put, values_of
from bot.store.shared import Values, metadata

T = TypeVar("T")

preferences = sa.Table(
    "preferences",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("theme", sa.String(16)),
    sa.Column("size", sa.String(16)),
    sa.Column("language", sa.String(16)),
    sa.Column("is_called", sa.Boolean, nullable=False),
    sa.Column("is_listed", sa.Boolean, nullable=False, server_default="0"),
    sa.Column("start", sa.String(100)),
    sqlite_with_rowid=False,
)

server_settings = sa.Table(
    "server_settings",
    metadata,
    sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("language", sa.String(16)),
    sa.Column("play_channels", sa.Text, nullable=False),
    sa.Column("puzzle_channel", sa.BigInteger),
    sa.Column("puzzle_hour", sa.Integer, nullable=False),
    sa.Column("highest_level", sa.Integer),
    sa.Column("role", sa.BigInteger),
    sa.Column("is_closed", sa.Boolean, nullable=False, server_default="0"),
    sa.Column("is_sharing", sa.Boolean, nullable=False, server_default="1"),
    sa.Column("panel_channel", sa.BigInteger),
    sa.Column("panel_message", sa.BigInteger),
    sa.Column("threads", sa.String(16), nullable=False, server_default="off"),
    sa.Column("leader_role", sa.BigInteger),
    sa.Column("winner_role", sa.BigInteger),
    sa.Column("is_scheduling", sa.Boolean, nullable=False, server_default="0"),
)
"""play_channels: ids with spaces between them."""


async def is_listed(connection: Connection, user_id: int) -> bool:
    """Whether boards of everywhere may name the person."""
    query = sa.select(preferences.c.is_listed).where(preferences.c.user_id == user_id)
    return bool(await connection.scalar(query))


async def is_closed(connection: Connection, guild_id: int | None) -> bool:
    """Whether that server keeps to itself."""
    if guild_id is None:
        return False
    query = sa.select(server_settings.c.is_closed).where(server_settings.c.guild_id == guild_id)
    return bool((await connection.execute(query)).scalar_one_or_none())


class PreferenceStore:
    def __init__(self, database: Database, *, is_logged: bool = True) -> None:
        self._database = database
        self.damage = Damage("what was chosen by", is_logged=is_logged)

    @uncancellable
    async def all_preferences(self) -> dict[int, Preferences]:
        """By the person's id; who has chosen nothing is missing."""
        async with self._database.reading() as connection:
            found = (await connection.execute(sa.select(preferences))).all()
        return self._understood(found, "user_id", _preferences_of)

    @uncancellable
    async def all_settings(self) -> dict[int, ServerSettings]:
        """By the server's id; a server that has chosen nothing is missing."""
        async with self._database.reading() as connection:
            found = (await connection.execute(sa.select(server_settings))).all()
        return self._understood(found, "guild_id", _settings_of)

    @uncancellable
    async def preferences_of(self, user_id: int) -> Preferences | None:
        """None for who has chosen nothing."""
        return (await self._one(preferences, "user_id", user_id, _preferences_of)).get(user_id)

    @uncancellable
    async def settings_of(self, guild_id: int) -> ServerSettings | None:
        """None for a server that has chosen nothing."""
        return (await self._one(server_settings, "guild_id", guild_id, _settings_of)).get(guild_id)

    async def _one(
        self, table: sa.Table, key: str, number: int, make: Callable[[sa.Row[Any]], T]
    ) -> dict[int, T]:
        async with self._database.reading() as connection:
            found = (await connection.execute(sa.select(table).where(table.c[key] == number))).all()
        return self._understood(found, key, make)

    @uncancellable
    async def save_preferences(self, user_id: int, chosen: Preferences) -> None:
        start = None if chosen.start is None else str(chosen.start)
        async with self._database.writing() as connection:
            if await is_listed(connection, user_id) != chosen.is_listed:
                await list_person(connection, user_id, is_listed=chosen.is_listed)
            await _keep(connection, preferences, {"user_id": user_id}, chosen, start=start)

    @uncancellable
    async def save_settings(self, guild_id: int, chosen: ServerSettings) -> None:
        channels = " ".join(map(str, sorted(chosen.play_channels)))
        async with self._database.writing() as connection:
            key = {"guild_id": guild_id}
            await _keep(connection, server_settings, key, chosen, play_channels=channels)

    def _understood(
        self, found: Iterable[sa.Row[Any]], key: str, make: Callable[[sa.Row[Any]], T]
    ) -> dict[int, T]:
        """Whoever has chosen something that nobody understands has chosen nothing."""
        made: dict[int, T] = {}
        for row in found:
            number = getattr(row, key)
            try:
                made[number] = make(row)
            except DAMAGE as error:
                self.damage.note(number, error)
        return made


async def _keep(
    connection: Connection, table: sa.Table, key: Values, chosen: object, **others: object
) -> None:
    await put(connection, table, key, values_of(chosen, table, but=key, **others))
    (number,) = key.values()
    await announce(connection, table.name, number)


def _preferences_of(row: sa.Row[Any]) -> Preferences:
    theme = None if row.theme is None else Theme(row.theme)
    size = None if row.size is None else Size(row.size)
    start = None if row.start is None else Start.read(row.start)
    return Preferences(**attributes_of(row, but=("user_id",), theme=theme, size=size, start=start))


def _settings_of(row: sa.Row[Any]) -> ServerSettings:
    channels, threads = frozenset(map(int, row.play_channels.split())), Threads(row.threads)
    return ServerSettings(**attributes_of(row, but=("guild_id",), play_channels=channels, threads=threads))
