"""Preferences of people and settings of servers; all are read at the start, since every answer needs them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, TypeVar

import sqlalchemy as sa

from bot.domain.panel_choices import Start
from bot.domain.preferences import Preferences, ServerSettings
from bot.store.announcements import announce
from bot.store.connection import Connection, pages
from bot.store.damage import DAMAGE, Damage
from bot.store.database import Database, Store, uncancellable
from bot.store.ranking import list_person
from bot.store.rows import Part, RowMapper
from bot.store.shared import ShownName, metadata

T = TypeVar("T")

ROWS_AT_ONCE = 10_000

preferences = sa.Table(
    "preferences",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("theme", sa.String(16)),
    sa.Column("size", sa.String(16)),
    sa.Column("language", sa.String(16)),
    sa.Column("is_called", sa.Boolean, nullable=False),
    sa.Column("is_listed", sa.Boolean, nullable=False),
    sa.Column("start", sa.String(100)),
    sa.Column("was_asked", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("quiet_until", sa.Date),
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
    sa.Column("puzzle_zone", sa.String(40), nullable=False, server_default="UTC"),
    sa.Column("highest_level", sa.Integer),
    sa.Column("role", sa.BigInteger),
    sa.Column("is_closed", sa.Boolean, nullable=False),
    sa.Column("is_sharing", sa.Boolean, nullable=False),
    sa.Column("panel_channel", sa.BigInteger),
    sa.Column("threads", sa.String(16), nullable=False),
    sa.Column("leader_role", sa.BigInteger),
    sa.Column("winner_role", sa.BigInteger),
    sa.Column("is_scheduling", sa.Boolean, nullable=False),
    sa.Column("is_predicting", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("starters", sa.String(16), nullable=False, server_default="everybody"),
    sa.Column("most_boards", sa.Integer),
    sa.Column("lobby_channel", sa.BigInteger),
    sa.Column("lobby_name", ShownName),
    sa.Column("voters", sa.String(16), nullable=False, server_default="everybody"),
)
"""play_channels: ids with spaces between them."""

PREFERENCES = RowMapper(
    preferences,
    Preferences,
    but=("user_id",),
    start=Part(
        ("start",),
        lambda start: (None if start is None else str(start),),
        lambda text: None if text is None else Start.read(text),
    ),
)
SETTINGS = RowMapper(
    server_settings,
    ServerSettings,
    but=("guild_id",),
    play_channels=Part(
        ("play_channels",),
        lambda channels: (" ".join(map(str, sorted(channels))),),
        lambda text: frozenset(map(int, text.split())),
    ),
)

# Statements of every match, built once.
_IS_LISTED = sa.select(preferences.c.is_listed).where(preferences.c.user_id == sa.bindparam("own_user"))
_USER_IDS: sa.BindParameter[Any] = sa.bindparam("user_ids", expanding=True)
_LISTED = sa.select(preferences.c.user_id).where(
    preferences.c.user_id.in_(_USER_IDS), preferences.c.is_listed.is_(True)
)
_IS_CLOSED = sa.select(server_settings.c.is_closed).where(
    server_settings.c.guild_id == sa.bindparam("server")
)

_MOST_BOARDS = sa.select(server_settings.c.most_boards).where(
    server_settings.c.guild_id == sa.bindparam("server")
)


async def is_listed(connection: Connection, user_id: int) -> bool:
    """Return whether global leaderboards may name the person."""
    found = await connection.execute(_IS_LISTED, {"own_user": user_id})
    return bool(found.scalar_one_or_none())


async def listed_among(connection: Connection, user_ids: Sequence[int]) -> frozenset[int]:
    """Return those of the people whom leaderboards across all servers may name."""
    found = await connection.execute(_LISTED, {"user_ids": list(user_ids)})
    return frozenset(found.scalars().all())


async def is_closed(connection: Connection, guild_id: int | None) -> bool:
    """Return whether the server's matches count in it alone."""
    if guild_id is None:
        return False
    return bool((await connection.execute(_IS_CLOSED, {"server": guild_id})).scalar_one_or_none())


async def most_boards(connection: Connection, guild_id: int | None) -> int | None:
    """Return how many running boards a channel of the server takes; None for all."""
    if guild_id is None:
        return None
    found: int | None = await connection.scalar(_MOST_BOARDS, {"server": guild_id})
    return found


class PreferenceStore(Store):
    """Loads and stores the choices of people and servers."""

    def __init__(self, database: Database, *, is_logged: bool = True) -> None:
        super().__init__(database)
        self.damage = Damage("what was chosen by", is_logged=is_logged)

    @uncancellable
    async def all_preferences(self) -> dict[int, Preferences]:
        """Return all stored preferences, by user id."""
        return await self._all(preferences, _preferences_of)

    @uncancellable
    async def all_settings(self) -> dict[int, ServerSettings]:
        """Return all stored settings, by server id."""
        return await self._all(server_settings, SETTINGS.read)

    @uncancellable
    async def preferences_of(self, user_id: int) -> Preferences | None:
        is_theirs = preferences.c.user_id == user_id
        return (await self._all(preferences, _preferences_of, is_theirs)).get(user_id)

    @uncancellable
    async def settings_of(self, guild_id: int) -> ServerSettings | None:
        is_its = server_settings.c.guild_id == guild_id
        return (await self._all(server_settings, SETTINGS.read, is_its)).get(guild_id)

    async def _all(
        self, table: sa.Table, read: Callable[[Any], T], *which: sa.ColumnElement[bool]
    ) -> dict[int, T]:
        """Return the values of the rows by their key; damaged rows count as none."""
        (key,) = table.primary_key.columns.keys()
        made: dict[int, T] = {}
        async with self._database.reading() as connection:
            async for page in pages(connection, table, ROWS_AT_ONCE, *which):
                for row in page:
                    number = row[key]
                    try:
                        made[number] = read(row)
                    except DAMAGE as error:
                        self.damage.note(number, error)
        return made

    @uncancellable
    async def save_preferences(self, user_id: int, chosen: Preferences) -> None:
        async with self._database.writing() as connection:
            if await is_listed(connection, user_id) != chosen.is_listed:
                await list_person(connection, user_id, is_listed=chosen.is_listed)
            await PREFERENCES.put(connection, {"user_id": user_id}, chosen)
            await announce(connection, preferences.name, user_id)

    @uncancellable
    async def save_settings(self, guild_id: int, chosen: ServerSettings) -> None:
        async with self._database.writing() as connection:
            await SETTINGS.put(connection, {"guild_id": guild_id}, chosen)
            await announce(connection, server_settings.name, guild_id)


def _preferences_of(row: sa.RowMapping) -> Preferences:
    # Most people choose the same few things, so equal preferences share one value: a million of them are read
    # faster and take less memory.
    return _shared_preferences(_CHOSEN(row))


_COLUMNS = tuple(column.name for column in preferences.columns if not column.primary_key)
_CHOSEN = itemgetter(*_COLUMNS)


@lru_cache(maxsize=10_000)
def _shared_preferences(chosen: tuple[Any, ...]) -> Preferences:
    return PREFERENCES.read(dict(zip(_COLUMNS, chosen, strict=True)))
