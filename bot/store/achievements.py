"""Achievements, the matches that wait for a review by the engine, and the accuracies that it found.

Achievements that depend on the moves alone are awarded in the transaction that ends the match. For the others
the match waits in `due_reviews`; the transaction that awards them deletes that row, so they count once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bot.domain.achievement import (
    Accuracy,
    AchievementTotals,
    Award,
    Ended,
    ReviewFinding,
    counts,
    earned_by_moves,
    earned_by_run,
    wants_review,
)
from bot.domain.match import Match
from bot.domain.result import WITHOUT_RESULT
from bot.store.connection import Connection
from bot.store.count_cache import CountCache
from bot.store.database import Database, Store, uncancellable
from bot.store.match_rows import matches
from bot.store.ratings import records
from bot.store.rows import RowMapper
from bot.store.shared import Instant, metadata, partial_index, upsert
from engine.core import Player

achievements = sa.Table(
    "achievements",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("key", sa.String(32), primary_key=True),
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="SET NULL")),
    sa.Column("at", Instant, nullable=False),
    sa.Column("is_told", sa.Boolean, nullable=False),
    sqlite_with_rowid=False,
)
"""Each at most once a person. `is_told`: the channel was told, or need not be."""

AWARD = RowMapper(achievements, Award, but=("is_told",))

_IS_UNTOLD = achievements.c.is_told.is_(False)

_HAS_UNTOLD = sa.select(sa.exists().where(_IS_UNTOLD))

partial_index("ix_achievements_is_told", _IS_UNTOLD, achievements.c.is_told)

due_reviews = sa.Table(
    "due_reviews",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
)
"""Finished matches that wait for a review."""

accuracies = sa.Table(
    "accuracies",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("side", sa.SmallInteger, primary_key=True, autoincrement=False),
    sa.Column("user_id", sa.BigInteger, nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("accuracy", sa.Float, nullable=False),
    sa.Index(None, "user_id"),
    sqlite_with_rowid=False,
)
"""A person's accuracy in a match, 0 to 1, as the review found."""

ACCURACY_OVER = 20
"""How many of the last reviewed matches a person's accuracy is the mean of."""


class AchievementStore(Store):
    """Loads and stores awards, and the findings of reviews."""

    def __init__(self, database: Database, cache: CountCache) -> None:
        super().__init__(database)
        self._cache = cache

    @uncancellable
    async def awards(self, user_id: int) -> tuple[Award, ...]:
        """Return all awards of the person, the earliest first."""
        query = sa.select(achievements).where(achievements.c.user_id == user_id).order_by(achievements.c.at)
        return tuple(map(AWARD.read, await self._rows(query)))

    @uncancellable
    async def totals(self) -> AchievementTotals:
        """Return how many people have each achievement, and how many could."""
        async with self._database.reading() as connection:
            return await self._cache.get(connection, achievements, _totals)

    @uncancellable
    async def beaten(self, user_id: int) -> frozenset[tuple[str, str]]:
        """Return (game, level) of every agent that the person has beaten in a rated match."""
        async with self._database.reading() as connection:
            return await _beaten(connection, user_id)

    @uncancellable
    async def accuracy(self, user_id: int, guild_id: int | None) -> Accuracy | None:
        """Return the mean of the last reviewed matches in that server, or anywhere; None before the first."""
        where = [accuracies.c.user_id == user_id]
        if guild_id is not None:
            where.append(accuracies.c.guild_id == guild_id)
        query = (
            sa.select(accuracies.c.accuracy)
            .where(*where)
            .order_by(accuracies.c.match_id.desc())
            .limit(ACCURACY_OVER)
        )
        found = [row.accuracy for row in await self._rows(query)]
        return Accuracy(sum(found) / len(found), len(found)) if found else None

    @uncancellable
    async def due_review(self) -> int | None:
        """Return the match that has waited longest for a review."""
        query = sa.select(due_reviews.c.match_id).order_by(due_reviews.c.match_id).limit(1)
        if mine := self._database.mine(matches.c.guild_id):
            query = query.join(matches, matches.c.id == due_reviews.c.match_id).where(*mine)
        number: int | None = await self._value(query)
        return number

    @uncancellable
    async def finish_review(self, match: Match, found: Iterable[ReviewFinding]) -> bool:
        """Store the findings of a review; return False, and store nothing, if it was stored before."""
        async with self._database.writing() as connection:
            gone = await connection.execute(sa.delete(due_reviews).where(due_reviews.c.match_id == match.id))
            if gone.rowcount != 1:
                return False
            for person in found:
                await _award(connection, person.user_id, person.earned, match.id, match.touched_at)
                if person.accuracy is not None:
                    values = {
                        "match_id": match.id,
                        "side": person.side,
                        "user_id": person.user_id,
                        "guild_id": None if match.is_between else match.location.guild_id,
                        "game": match.game,
                        "accuracy": person.accuracy,
                    }
                    await connection.execute(sa.insert(accuracies), values)
        return True

    @uncancellable
    async def drop_review(self, match_id: int) -> None:
        """Give up the review of that match."""
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(due_reviews).where(due_reviews.c.match_id == match_id))

    @uncancellable
    async def untold(self, since: datetime) -> tuple[Award, ...]:
        """Return the awards of matches that were not told yet; those before `since` are never told."""
        async with self._database.writing() as connection:
            await connection.execute(
                sa.update(achievements).where(_IS_UNTOLD, achievements.c.at < since).values(is_told=True)
            )
            query = (
                sa.select(achievements)
                .where(_IS_UNTOLD)
                .order_by(achievements.c.match_id, achievements.c.key)
            )
            if here := self._database.mine(matches.c.guild_id):
                query = query.outerjoin(matches, matches.c.id == achievements.c.match_id).where(*here)
            return tuple(map(AWARD.read, (await connection.execute(query)).all()))

    @uncancellable
    async def has_untold(self) -> bool:
        return bool(await self._database.ask(lambda connection: connection.scalar(_HAS_UNTOLD)))

    @uncancellable
    async def mark_told(self, awards: Sequence[Award]) -> None:
        """Note that these awards were told."""
        async with self._database.writing() as connection:
            for award in awards:
                await connection.execute(
                    sa.update(achievements)
                    .where(achievements.c.user_id == award.user_id, achievements.c.key == award.key)
                    .values(is_told=True)
                )


async def count_achievements(connection: Connection, match: Match) -> None:
    """Award the achievements of the moves as a match ends, and queue a review for the others."""
    if not counts(match):
        return
    for player in Player:
        user_id = match.seats[player].user_id
        if user_id is not None:
            beaten = await _beaten(connection, user_id) if match.counts else frozenset()
            ended = Ended(match, player, beaten)
            await _award(connection, user_id, earned_by_moves(ended), match.id, match.touched_at)
    if wants_review(match):
        await connection.execute(_WAIT_FOR_REVIEW, {"match_id": match.id})


async def count_puzzle_run(connection: Connection, user_id: int, run: int, at: datetime) -> None:
    """Award the achievements of a run of puzzles in the transaction that stores the solved puzzle."""
    await _award(connection, user_id, earned_by_run(run), None, at)


async def _award(
    connection: Connection, user_id: int, keys: Iterable[str], match_id: int | None, at: datetime
) -> None:
    for key in keys:
        values = {"user_id": user_id, "key": key, "match_id": match_id, "at": at, "is_told": match_id is None}
        await connection.execute(_GIVE, values)


async def _totals(connection: Connection) -> AchievementTotals:
    people = sa.select(records.c.player).distinct().where(records.c.is_agent.is_(False)).subquery()
    holders = sa.select(achievements.c.key, sa.func.count().label("people")).group_by(achievements.c.key)
    rows = (await connection.execute(holders)).all()
    count = await connection.scalar(sa.select(sa.func.count()).select_from(people))
    return AchievementTotals(count or 0, {row.key: row.people for row in rows})


def _wins_over_levels(side: Player) -> sa.Select[Any]:
    """Return the query of (game, level) of rated wins by `own_user` on that side against an agent."""
    names = ("first_user", "second_level") if side is Player.FIRST else ("second_user", "first_level")
    person, level = (matches.c[name] for name in names)
    where = (
        person == sa.bindparam("own_user"),
        matches.c.end.is_not(None),
        matches.c.end.not_in(WITHOUT_RESULT),
        matches.c.rated.is_(True),
        matches.c.winner == side.value,
        level.is_not(None),
    )
    return sa.select(matches.c.game, level).distinct().where(*where)


# Statements of each match's end, built once.
_WINS_OVER_LEVELS = [_wins_over_levels(side) for side in Player]
_WAIT_FOR_REVIEW = sa.insert(due_reviews)
_GIVE = upsert(achievements).on_conflict_do_nothing()


async def _beaten(connection: Connection, user_id: int) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for query in _WINS_OVER_LEVELS:
        rows = (await connection.execute(query, {"own_user": user_id})).all()
        found.update((game, key) for game, key in rows if key is not None)
    return frozenset(found)
