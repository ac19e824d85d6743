"""What older versions have left in large databases, put right a few rows at a time while people play.

The moves of matches that ended before 0027 are packed; the rows that 0031 has made others of are taken out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from bot.store.connection import Connection, Work
from bot.store.damage import Damage
from bot.store.database import Database, uncancellable
from bot.store.matches import IS_UNPACKED, find_turns, matches
from bot.store.shared import Values
from bot.store.turns import drop_turns, packed_values

_PACK = sa.update(matches).where(matches.c.id == sa.bindparam("own_id"))


_HAS_HISTORY = sa.text("SELECT 1 FROM sqlite_master WHERE name = 'rating_history'")
_CLEAR = sa.text(
    "DELETE FROM rating_history WHERE id IN (SELECT id FROM rating_history ORDER BY id LIMIT :most)"
)


class PackingStore:
    """Packs what is not packed yet; where several processes share the database, of its own servers only."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._damage = Damage("match")

    @uncancellable
    async def pack_next(self, after: int, most: int) -> tuple[int, int | None]:
        """Packs so many finished matches with numbers above `after`, all of them or, after a crash, none.

        Returns how many were, and the number to go on after, None where these were the last. Those that are
        damaged stay as they are.
        """

        async def pack(connection: Connection) -> tuple[int, int | None]:
            where = (IS_UNPACKED, matches.c.id > after, *self._database.mine(matches.c.guild_id))
            # Another process may take its turn just now: each packs what the other has not begun.
            query = sa.select(matches.c.id).where(*where).order_by(matches.c.id).limit(most)
            found = await connection.execute(query.with_for_update(skip_locked=True))
            numbers = found.scalars().all()

            async def read(batch: Sequence[int]) -> dict[int, Values]:
                turns = await find_turns(connection, batch)
                return {number: {"own_id": number, **packed_values(made)} for number, made in turns.items()}

            packed = await self._damage.whole(numbers, read)
            if packed:
                await connection.execute(_PACK, packed)
                await drop_turns(connection, [values["own_id"] for values in packed])
            return len(packed), numbers[-1] if len(numbers) == most else None

        return await self._database.change(pack)

    @uncancellable
    async def clear_next(self, most: int) -> int:
        """Takes so many rows out that are needed no more; returns how many, 0 once none is left."""
        if not self._database.is_sqlite or await self._database.ask(_scalar(_HAS_HISTORY)) is None:
            return 0

        async def clear(connection: Connection) -> int:
            cleared = (await connection.execute(_CLEAR, {"most": most})).rowcount
            if not cleared:
                await connection.execute(sa.text("DROP TABLE rating_history"))
            return cleared

        return await self._database.change(clear)


def _scalar(query: sa.Executable) -> Work[Any]:
    return lambda connection: connection.scalar(query)
