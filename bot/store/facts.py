"""Facts: single values that the bot remembers, such as the hash of the commands it synced last."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.database import Store, uncancellable
from bot.store.rows import put
from bot.store.shared import metadata

facts = sa.Table(
    "facts",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)


class FactStore(Store):
    """Stores values by their keys."""

    @uncancellable
    async def value(self, key: str) -> str | None:
        found: str | None = await self._value(sa.select(facts.c.value).where(facts.c.key == key))
        return found

    @uncancellable
    async def remember(self, key: str, value: str) -> None:
        async with self._database.writing() as connection:
            await put(connection, facts, {"key": key}, {"value": value})
