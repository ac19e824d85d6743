"""Which servers have had which day's puzzle: stored before it is sent, so that it is never sent twice."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from bot.store.database import Database, uncancellable
from bot.store.rows import attributes_of, values_of
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


class PostStatus(enum.StrEnum):
    """CLAIMED: about to be sent. REFUSED: Discord does not let us; nothing more happens that day."""

    CLAIMED = "claimed"
    SENT = "sent"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Post:
    """A server's message of one day's puzzle."""

    guild_id: int
    day: date
    channel_id: int
    status: PostStatus = PostStatus.CLAIMED
    message_id: int | None = None


class PuzzlePostStore:
    """One post for each server and day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def claim(self, post: Post) -> bool:
        """Stores that the day's puzzle is about to be sent; False when it was claimed before."""
        async with self._database.writing() as connection:
            insert = upsert(posts).values(values_of(post, posts))
            done = await connection.execute(insert.on_conflict_do_nothing())
            return done.rowcount == 1

    @uncancellable
    async def save(self, post: Post) -> None:
        """Stores what became of a claimed post."""
        async with self._database.writing() as connection:
            same = (posts.c.guild_id == post.guild_id, posts.c.day == post.day)
            await connection.execute(sa.update(posts).where(*same).values(values_of(post, posts)))

    @uncancellable
    async def of(self, day: date) -> dict[int, Post]:
        """The posts of that day, by server."""
        async with self._database.reading() as connection:
            found = (await connection.execute(sa.select(posts).where(posts.c.day == day))).all()
        return {row.guild_id: Post(**attributes_of(row, status=PostStatus(row.status))) for row in found}
