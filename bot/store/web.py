"""The addresses of matches on the web."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from bot.domain.web_page import WebPage
from bot.store.connection import Connection
from bot.store.database import Store
from bot.store.shared import metadata

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


class WebStore(Store):
    """Stores pages."""

    async def page(self, key: str) -> WebPage | None:
        query = sa.select(web_pages).where(web_pages.c.key == key)
        async with self._database.reading() as connection:
            row = (await connection.execute(query)).first()
        return None if row is None else WebPage(**row._mapping)

    async def existing(self, keys: Collection[str]) -> set[str]:
        """Return which of these pages exist."""
        query = sa.select(web_pages.c.key).where(web_pages.c.key.in_(keys))

        async def read(connection: Connection) -> set[str]:
            return set(await connection.scalars(query))

        return await self._database.ask(read)

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

    async def withdraw(self, match_id: int, shared_by: int) -> list[str]:
        """Delete the page of the match that this person shares; return its key, if there was one."""
        theirs = sa.and_(web_pages.c.match_id == match_id, web_pages.c.shared_by == shared_by)
        query = sa.delete(web_pages).where(theirs).returning(web_pages.c.key)
        async with self._database.writing() as connection:
            return list((await connection.execute(query)).scalars())
