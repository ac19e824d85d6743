"""The notes of outgoing messages, stored before these are sent so that none is sent twice."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from bot.domain.outgoing import Handover, Key, Outgoing
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.rows import RowMapper, put
from bot.store.shared import Instant, Values, metadata, upsert

outgoing = sa.Table(
    "outgoing",
    metadata,
    sa.Column("kind", sa.String(16), primary_key=True),
    sa.Column("subject", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("part", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("channel_id", sa.BigInteger, nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("locale", sa.String(16), nullable=False),
    sa.Column("parent_id", sa.BigInteger),
    sa.Column("user_id", sa.BigInteger),
    sa.Column("message_id", sa.BigInteger),
    sa.Column("shows", sa.String(64), nullable=False),
    sa.Column("fate", sa.String(16), nullable=False),
    sa.Column("claimed_at", Instant, nullable=False),
    sa.Column("seats", sa.SmallInteger, nullable=False),
    sqlite_with_rowid=False,
)
"""Only messages that are to stand, or were sent a short time ago: a row is deleted with its purpose."""

OUTGOING = RowMapper(outgoing, Outgoing)

# Not by its count of rows: in a Turkish locale Python takes INSERT for no statement that changes rows.
_CLAIM = upsert(outgoing).on_conflict_do_nothing().returning(outgoing.c.subject)


class OutgoingStore(Store):
    """Stores one note for each kind, subject and part."""

    @uncancellable
    async def of(self, kind: str) -> list[Outgoing]:
        """Return the notes of a kind in the servers that this process looks after."""
        query = sa.select(outgoing).where(outgoing.c.kind == kind, *self._database.mine(outgoing.c.guild_id))
        return [OUTGOING.read(row) for row in await self._rows(query)]

    @uncancellable
    async def claim(self, note: Outgoing) -> bool:
        """Store that the message is about to be sent; return False if another process has done so."""
        async with self._database.writing() as connection:
            return await claim(connection, note)

    @uncancellable
    async def save(self, *notes: Outgoing) -> None:
        """Store the notes in place of those with their keys."""
        async with self._database.writing() as connection:
            for note in notes:
                await put(connection, outgoing, _key(note.kind, note.key), OUTGOING.values(note))

    @uncancellable
    async def forget(self, kind: str, keys: Collection[Key]) -> None:
        """Delete these notes."""
        same = [sa.bindparam(f"own_{name}") == outgoing.c[name] for name in ("kind", "subject", "part")]
        values: list[dict[str, Any]] = [
            {f"own_{name}": value for name, value in _key(kind, key).items()} for key in keys
        ]
        if values:
            async with self._database.writing() as connection:
                await connection.execute(sa.delete(outgoing).where(*same), values)


async def claim(connection: Connection, note: Outgoing) -> bool:
    """Store a new note in a transaction of other changes; return False if there is one of its key."""
    return (await connection.execute(_CLAIM, OUTGOING.values(note))).first() is not None


async def hand_over(connection: Connection, handover: Handover, note: Outgoing) -> None:
    """Store the note of the board, in place of its message's own, in a transaction of other changes."""
    if handover.replaces is not None:
        await connection.execute(sa.delete(outgoing).filter_by(**_key(*handover.replaces)))
    await put(connection, outgoing, _key(note.kind, note.key), OUTGOING.values(note))


def _key(kind: str, key: Key) -> Values:
    return {"kind": kind, "subject": key[0], "part": key[1]}
