"""Hints: how many each person has had in a match, and at which turn the last one."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.database import Store, uncancellable
from bot.store.rows import put
from bot.store.shared import metadata

hints = sa.Table(
    "hints",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("used", sa.Integer, nullable=False),
    sa.Column("turn", sa.Integer),
    sa.Index(None, "user_id"),
)


class HintStore(Store):
    """Counts hints."""

    @uncancellable
    async def has_any(self, match_id: int) -> bool:
        """Return whether a hint was given in the match."""
        # One that was given back leaves a row that counts none.
        query = sa.select(hints.c.used).where(hints.c.match_id == match_id, hints.c.used > 0).limit(1)
        return await self._value(query) is not None

    @uncancellable
    async def take(self, match_id: int, user_id: int, turn: int, most: int) -> int | None:
        """Count a hint and return its number, from 1; None, and nothing stored, beyond `most`.

        Asked again at the same turn it is the same hint.
        """
        key = {"match_id": match_id, "user_id": user_id}
        query = sa.select(hints.c.used, hints.c.turn).filter_by(**key)
        async with self._database.writing() as connection:
            found = (await connection.execute(query)).first()
            used, given_at = (0, None) if found is None else (int(found.used), found.turn)
            if used and given_at == turn:
                return used
            if used >= most:
                return None
            await put(connection, hints, key, {"used": used + 1, "turn": turn})
            return used + 1

    @uncancellable
    async def give_back(self, match_id: int, user_id: int, turn: int) -> None:
        """Take back the hint that was counted last, if it was of that turn."""
        where = (hints.c.match_id == match_id, hints.c.user_id == user_id, hints.c.turn == turn)
        async with self._database.writing() as connection:
            await connection.execute(sa.update(hints).where(*where).values(used=hints.c.used - 1, turn=None))
