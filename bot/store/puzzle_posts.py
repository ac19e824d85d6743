"""The daily puzzles posted in servers, stored before they are sent so that none is sent twice."""

from __future__ import annotations

from datetime import date

import sqlalchemy as sa

from bot.domain.puzzle import Post
from bot.store.database import Store
from bot.store.rows import RowMapper
from bot.store.shared import metadata, upsert

posts = sa.Table(
    "puzzle_posts",
    metadata,
    sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("day", sa.Date, primary_key=True),
    sa.Column("channel_id", sa.BigInteger, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("message_id", sa.BigInteger),
)

POST = RowMapper(posts, Post)
_CLAIM = upsert(posts).on_conflict_do_nothing()


class PuzzlePostStore(Store):
    """Stores one post for each server and day."""

    async def claim(self, post: Post) -> bool:
        """Store that the day's puzzle is about to be sent; return False if it was claimed before."""
        async with self._database.writing() as connection:
            return (await connection.execute(_CLAIM, POST.values(post))).rowcount == 1

    async def save(self, post: Post) -> None:
        """Store the outcome of a claimed post."""
        async with self._database.writing() as connection:
            same = (posts.c.guild_id == post.guild_id, posts.c.day == post.day)
            await connection.execute(sa.update(posts).where(*same).values(POST.values(post)))

    async def of(self, day: date) -> dict[int, Post]:
        """Return the posts of that day, by server."""
        found = await self._rows(sa.select(posts).where(posts.c.day == day))
        return {row.guild_id: POST.read(row) for row in found}
