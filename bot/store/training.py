"""Mistakes: the positions that people train, each with a copy of its moves."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import sqlalchemy as sa

from bot.domain.training import LEARNT_AFTER, MAX_MISTAKES, Mistake
from bot.store.damage import Damage
from bot.store.database import Database, Store, uncancellable
from bot.store.rows import RowMapper, spaced, store_change
from bot.store.shared import Word, id_column, metadata, upsert

mistakes = sa.Table(
    "mistakes",
    metadata,
    id_column(),
    sa.Column("user_id", sa.BigInteger, nullable=False),
    sa.Column("match_id", sa.BigInteger),
    sa.Column("game", Word(32), nullable=False),
    sa.Column("board", Word(16), nullable=False),
    sa.Column("line", sa.Text, nullable=False),
    sa.Column("played", sa.Integer, nullable=False),
    sa.Column("best", sa.Integer, nullable=False),
    sa.Column("goal", sa.SmallInteger),
    sa.Column("worth", sa.Float, nullable=False),
    sa.Column("due_on", sa.Date),
    sa.Column("answered_on", sa.Date),
    sa.Column("rights", sa.SmallInteger, nullable=False),
    sa.Column("key", sa.String(24), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Index(None, "user_id", "key", unique=True),
)
"""line: moves as numbers with spaces between them. key: of the position, so that nobody trains it twice."""

MISTAKE = RowMapper(
    mistakes,
    Mistake,
    derived=("key",),
    line=spaced("line"),
)


class MistakeStore(Store):
    """Loads and stores mistakes, each in one short transaction. damage: those that are left out."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.damage = Damage("mistake")

    @uncancellable
    async def of_person(self, user_id: int) -> list[Mistake]:
        rows = await self._rows(sa.select(mistakes).where(mistakes.c.user_id == user_id))
        return self.damage.without(rows, MISTAKE.read)

    @uncancellable
    async def mistake(self, mistake_id: int) -> Mistake | None:
        rows = await self._rows(sa.select(mistakes).where(mistakes.c.id == mistake_id))
        return next(iter(self.damage.without(rows, MISTAKE.read)), None)

    @uncancellable
    async def waiting(self, user_id: int, today: date) -> int:
        """Return how many positions of the person are due."""
        is_due = sa.and_(mistakes.c.user_id == user_id, mistakes.c.due_on <= today)
        found = await self._value(sa.select(sa.func.count()).select_from(mistakes).where(is_due))
        return int(found or 0)

    @uncancellable
    async def add(self, user_id: int, found: Sequence[Mistake]) -> int:
        """Keep those that are new to the person, and return the number of all that did not fit.

        The oldest learnt ones make room.
        """
        is_theirs = mistakes.c.user_id == user_id
        async with self._database.writing() as connection:
            known = set((await connection.execute(sa.select(mistakes.c.key).where(is_theirs))).scalars())
            fresh = [one for one in found if one.key not in known]
            excess = len(known) + len(fresh) - MAX_MISTAKES
            if excess > 0:
                learnt = sa.select(mistakes.c.id).where(is_theirs, mistakes.c.rights >= LEARNT_AFTER)
                oldest = learnt.order_by(mistakes.c.answered_on, mistakes.c.id).limit(excess)
                numbers = list((await connection.execute(oldest)).scalars())
                await connection.execute(sa.delete(mistakes).where(mistakes.c.id.in_(numbers)))
                excess -= len(numbers)
            room = len(fresh) - max(0, excess)
            for one in fresh[:room]:
                # Two processes may keep the same position at the same time.
                kept = upsert(mistakes).values(**MISTAKE.values(one)).on_conflict_do_nothing()
                await connection.execute(kept)
        return len(fresh) - room

    @uncancellable
    async def save(self, before: Mistake, after: Mistake) -> None:
        """Store a change; raise Conflict."""
        async with self._database.writing() as connection:
            await store_change(connection, MISTAKE, before, after)
