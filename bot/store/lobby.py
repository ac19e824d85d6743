"""The lobby of open tables: pairs that never meet there, and people and servers that the host shut out."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from bot.domain.errors import SetupError
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.shared import metadata, upsert

never_meet = sa.Table(
    "never_meet",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("other_user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""Wishes never to meet a person, which hold for both."""

shut_out = sa.Table(
    "shut_out",
    metadata,
    sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
    sqlite_with_rowid=False,
)
"""Ids of people and servers, which Discord draws from the same numbers."""

_SHUT_OUT = upsert(shut_out).on_conflict_do_nothing()


class LobbyStore(Store):
    """Stores whom to keep apart."""

    @uncancellable
    async def is_shut_out(self, numbers: Collection[int]) -> bool:
        """Return whether the host shut out one of these people and servers."""
        async with self._database.reading() as connection:
            return await _is_shut_out(connection, numbers)

    @uncancellable
    async def shut_out(self, number: int, *, is_out: bool) -> None:
        """Shut a person or a server out of the lobby, or let them in again."""
        async with self._database.writing() as connection:
            if is_out:
                await connection.execute(_SHUT_OUT, {"number": number})
            else:
                await connection.execute(sa.delete(shut_out).where(shut_out.c.number == number))

    @uncancellable
    async def turn_away(self, user_id: int, other_id: int) -> bool:
        """Put the other on the person's list of people never to meet, or take them off; return which."""
        pair = {"user_id": user_id, "other_user_id": other_id}
        async with self._database.writing() as connection:
            gone = await connection.execute(sa.delete(never_meet).filter_by(**pair))
            if gone.rowcount:
                return False
            await connection.execute(sa.insert(never_meet), pair)
        return True


async def check_meeting(
    connection: Connection, people: Collection[int], servers: Collection[int | None]
) -> None:
    """Raise SetupError if the two never meet, or one of them or of their servers is shut out."""
    columns = never_meet.c.user_id, never_meet.c.other_user_id
    apart = sa.select(sa.literal(1)).where(*(column.in_(people) for column in columns))
    if await connection.scalar(apart) or await _is_shut_out(connection, [*people, *filter(None, servers)]):
        raise SetupError("table_not_for_you")


async def _is_shut_out(connection: Connection, numbers: Collection[int]) -> bool:
    query = sa.select(sa.literal(1)).where(shut_out.c.number.in_(numbers)).limit(1)
    return await connection.scalar(query) is not None
