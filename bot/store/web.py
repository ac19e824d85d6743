"""The addresses of matches on the web, and the people who play there."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from bot.domain.web_page import WebPage
from bot.domain.web_session import WebSession
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.rows import put
from bot.store.shared import Instant, metadata

web_pages = sa.Table(
    "web_pages",
    metadata,
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), nullable=False),
    sa.Column("shared_by", sa.BigInteger),
    sa.Index(None, "match_id"),
    sa.Index(None, "shared_by"),
    sqlite_with_rowid=False,
)
"""shared_by: NULL for the page of the players alone."""

web_sessions = sa.Table(
    "web_sessions",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("channel_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Column("is_open", sa.Boolean, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Index(None, "match_id"),
    sa.Index(None, "hash"),
    sa.Index(None, "expires_at"),
    sqlite_with_rowid=False,
)
"""One a person and channel. hash: of the link's secret; once it is pressed (is_open), of the browser's."""


class WebStore(Store):
    """Stores pages and sessions."""

    @uncancellable
    async def page(self, key: str) -> WebPage | None:
        query = sa.select(web_pages).where(web_pages.c.key == key)
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else WebPage(**row._mapping)

    @uncancellable
    async def existing(self, keys: Collection[str]) -> set[str]:
        """Return which of these pages exist."""
        query = sa.select(web_pages.c.key).where(web_pages.c.key.in_(keys))

        async def read(connection: Connection) -> set[str]:
            return set(await connection.scalars(query))

        return await self._database.ask(read)

    @uncancellable
    async def page_of(self, match_id: int, shared_by: int | None = None) -> WebPage:
        """Return the page of the match that this person shares, or that of its players; make it if needed."""
        # `==` with None becomes IS NULL.
        wanted = sa.and_(web_pages.c.match_id == match_id, web_pages.c.shared_by == shared_by)
        query = sa.select(web_pages).where(wanted)
        async with self._database.writing() as connection:
            row = (await connection.execute(query)).first()
            if row is not None:
                return WebPage(**row._mapping)
            made = WebPage.new(match_id, shared_by)
            values = {"key": made.key, "match_id": match_id, "shared_by": shared_by}
            await connection.execute(sa.insert(web_pages).values(values))
        return made

    @uncancellable
    async def withdraw(self, match_id: int, shared_by: int) -> list[str]:
        """Delete the page of the match that this person shares; return its key, if there was one."""
        theirs = sa.and_(web_pages.c.match_id == match_id, web_pages.c.shared_by == shared_by)
        query = sa.delete(web_pages).where(theirs).returning(web_pages.c.key)
        async with self._database.writing() as connection:
            return list((await connection.execute(query)).scalars())

    @uncancellable
    async def put_link(
        self, user_id: int, channel_id: int, match_id: int, key: str, expires_at: datetime, now: datetime
    ) -> list[str]:
        """Store a link by its hash; return the hashes of the sessions that it replaces."""
        place = {"user_id": user_id, "channel_id": channel_id}
        values = {"match_id": match_id, "hash": key, "is_open": False, "expires_at": expires_at}
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(web_sessions).where(web_sessions.c.expires_at <= now))
            query = sa.select(web_sessions.c.hash).filter_by(**place)
            replaced = list((await connection.execute(query)).scalars())
            await put(connection, web_sessions, place, values)
        return replaced

    @uncancellable
    async def open_link(
        self, key: str, new: str, current: str | None, expires_at: datetime, now: datetime
    ) -> tuple[int, str] | None:
        """Turn a link into a session, once; return its match, and the hash of the browser's secret.

        new: the hash of a secret for a browser without one. current: that of the browser's; it is kept if it
        is a session of the same person. Returns None if there is no such link.
        """
        table = web_sessions
        is_link = sa.and_(table.c.hash == key, table.c.is_open.is_(False), table.c.expires_at > now)
        async with self._database.writing() as connection:
            owner = await connection.scalar(sa.select(table.c.user_id).where(is_link))
            own = sa.select(table.c.hash).where(*_is_open(current or "", now), table.c.user_id == owner)
            kept = await connection.scalar(own.limit(1)) or new
            opened = sa.update(table).where(is_link).values(hash=kept, is_open=True, expires_at=expires_at)
            match_id = await connection.scalar(opened.returning(table.c.match_id))
        return None if match_id is None else (match_id, kept)

    @uncancellable
    async def session(self, key: str, now: datetime) -> WebSession | None:
        columns = (web_sessions.c.user_id, web_sessions.c.channel_id, web_sessions.c.match_id)
        query = sa.select(*columns).where(*_is_open(key, now))
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        if not rows:
            return None
        channels, matches = (frozenset(row[column] for row in rows) for column in (1, 2))
        return WebSession(key, rows[0].user_id, channels, matches)

    @uncancellable
    async def end_sessions(self, user_id: int, channel_id: int) -> list[str]:
        """Delete the person's link or session of that channel; return its hash."""
        query = sa.delete(web_sessions).filter_by(user_id=user_id, channel_id=channel_id)
        async with self._database.writing() as connection:
            return list((await connection.execute(query.returning(web_sessions.c.hash))).scalars())

    @uncancellable
    async def sign_out(self, key: str) -> None:
        """Delete the sessions of a browser."""
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(web_sessions).where(web_sessions.c.hash == key))


def _is_open(key: str, now: datetime) -> tuple[sa.ColumnElement[bool], ...]:
    return web_sessions.c.hash == key, web_sessions.c.is_open.is_(True), web_sessions.c.expires_at > now
