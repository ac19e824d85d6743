"""Achievements: who has earned which, which matches the engine must still look at, and what it found.

What the moves decide is awarded in the transaction that ends the match. What the engine must see first waits
as a row of `due_reviews`; the transaction that awards it also removes that row, so it is counted once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bot.domain.achievement import Ended, counts, earned_by_moves, earned_by_run, wants_review
from bot.domain.match import End, Match
from bot.store.connection import Connection
from bot.store.count_cache import CountCache
from bot.store.database import Database, uncancellable
from bot.store.matches import matches
from bot.store.ratings import records
from bot.store.rows import values_of
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
"""Each at most once a person; `is_told` once the channel has been told, or needs not be."""

_IS_NEWS = achievements.c.is_told.is_(False)

_HAS_NEWS = sa.select(sa.exists().where(_IS_NEWS))

partial_index("ix_achievements_is_told", _IS_NEWS, achievements.c.is_told)

due_reviews = sa.Table(
    "due_reviews",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
)
"""Finished matches that the engine has not looked at yet."""

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
"""How much of what was there a person's moves kept in a match, 0 to 1, as the engine found."""

ACCURACY_OVER = 20
"""Last matches that a person's accuracy is the mean of."""


@dataclass(frozen=True, slots=True)
class Award:
    """An achievement that somebody has earned, and in which match."""

    user_id: int
    key: str
    match_id: int | None
    at: datetime


@dataclass(frozen=True, slots=True)
class Found:
    """What a review found of one person in a match. accuracy: 0 to 1, or None without a choice of theirs."""

    side: Player
    user_id: int
    accuracy: float | None
    earned: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Totals:
    """players: people with a rated match. holders: people by achievement, if there are any."""

    players: int
    holders: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The mean over a person's last reviewed matches, 0 to 1, and how many those are."""

    mean: float
    matches: int


class AchievementStore:
    """Answers who has earned what, and keeps what reviews find."""

    def __init__(self, database: Database, cache: CountCache) -> None:
        self._database = database
        self._cache = cache

    @uncancellable
    async def awards(self, user_id: int) -> tuple[Award, ...]:
        """Everything that the person has earned, the earliest first."""
        query = sa.select(achievements).where(achievements.c.user_id == user_id).order_by(achievements.c.at)
        async with self._database.reading() as connection:
            return _awards((await connection.execute(query)).all())

    @uncancellable
    async def totals(self) -> Totals:
        """How many people have each achievement, and how many could."""
        async with self._database.reading() as connection:
            return await self._cache.get(connection, achievements, _totals)

    @uncancellable
    async def beaten(self, user_id: int) -> frozenset[tuple[str, str]]:
        """(game, level) of every agent that the person has beaten in a rated match."""
        async with self._database.reading() as connection:
            return await _beaten(connection, user_id)

    @uncancellable
    async def accuracy(self, user_id: int, guild_id: int | None) -> Accuracy | None:
        """Over the last reviewed matches in that server, or anywhere; None before the first."""
        where = [accuracies.c.user_id == user_id]
        if guild_id is not None:
            where.append(accuracies.c.guild_id == guild_id)
        query = (
            sa.select(accuracies.c.accuracy)
            .where(*where)
            .order_by(accuracies.c.match_id.desc())
            .limit(ACCURACY_OVER)
        )
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).scalars().all()
        return Accuracy(sum(found) / len(found), len(found)) if found else None

    # What the engine has to look at

    @uncancellable
    async def due_review(self) -> int | None:
        """The match that has waited longest to be looked at."""
        query = sa.select(due_reviews.c.match_id).order_by(due_reviews.c.match_id).limit(1)
        if mine := self._database.mine(matches.c.guild_id):
            query = query.join(matches, matches.c.id == due_reviews.c.match_id).where(*mine)
        async with self._database.reading() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    @uncancellable
    async def finish_review(self, match: Match, found: Iterable[Found]) -> bool:
        """Stores what a review found and that it is done; False, and nothing stored, if it was already."""
        async with self._database.writing() as connection:
            gone = await connection.execute(sa.delete(due_reviews).where(due_reviews.c.match_id == match.id))
            if gone.rowcount != 1:
                return False
            for person in found:
                await _award(connection, person.user_id, person.earned, match.id, match.touched_at)
                if person.accuracy is not None:
                    server = match.location.guild_id
                    row = values_of(person, accuracies, match_id=match.id, guild_id=server, game=match.game)
                    await connection.execute(sa.insert(accuracies).values(row))
        return True

    @uncancellable
    async def drop_review(self, match_id: int) -> None:
        """There will be none of that match."""
        async with self._database.writing() as connection:
            await connection.execute(sa.delete(due_reviews).where(due_reviews.c.match_id == match_id))

    # Telling

    @uncancellable
    async def untold(self, since: datetime) -> tuple[Award, ...]:
        """What was earned in matches and nobody has been told of yet; what is older than `since` never is."""
        async with self._database.writing() as connection:
            await connection.execute(
                sa.update(achievements).where(_IS_NEWS, achievements.c.at < since).values(is_told=True)
            )
            query = (
                sa.select(achievements).where(_IS_NEWS).order_by(achievements.c.match_id, achievements.c.key)
            )
            if here := self._database.mine(matches.c.guild_id):
                query = query.outerjoin(matches, matches.c.id == achievements.c.match_id).where(*here)
            return _awards((await connection.execute(query)).all())

    @uncancellable
    async def has_untold(self) -> bool:
        return bool(await self._database.ask(lambda connection: connection.scalar(_HAS_NEWS)))

    @uncancellable
    async def mark_told(self, awards: Sequence[Award]) -> None:
        """Nobody will be told of these again."""
        async with self._database.writing() as connection:
            for award in awards:
                await connection.execute(
                    sa.update(achievements)
                    .where(achievements.c.user_id == award.user_id, achievements.c.key == award.key)
                    .values(is_told=True)
                )


async def count_achievements(connection: Connection, match: Match) -> None:
    """Awards what the moves decide, and has the engine look at the rest, as the match ends."""
    if not counts(match):
        return
    for player in Player:
        user_id = match.seats[player].user_id
        if user_id is not None:
            ended = Ended(match, player, await _beaten(connection, user_id))
            await _award(connection, user_id, earned_by_moves(ended), match.id, match.touched_at)
    if wants_review(match):
        await connection.execute(_WAIT_FOR_REVIEW, {"match_id": match.id})


async def count_puzzle_run(connection: Connection, user_id: int, run: int, at: datetime) -> None:
    """Awards what a run of puzzles earns, in the transaction that stores the solved puzzle."""
    await _award(connection, user_id, earned_by_run(run), None, at)


async def _award(
    connection: Connection, user_id: int, keys: Iterable[str], match_id: int | None, at: datetime
) -> None:
    for key in keys:
        values = {"user_id": user_id, "key": key, "match_id": match_id, "at": at, "is_told": match_id is None}
        await connection.execute(_GIVE, values)


async def _totals(connection: Connection) -> Totals:
    people = sa.select(records.c.player).distinct().where(records.c.is_agent.is_(False)).subquery()
    holders = sa.select(achievements.c.key, sa.func.count().label("people")).group_by(achievements.c.key)
    rows = (await connection.execute(holders)).all()
    count = await connection.scalar(sa.select(sa.func.count()).select_from(people))
    return Totals(count or 0, {row.key: row.people for row in rows})


def _wins_over_levels(side: Player) -> sa.Select[Any]:
    """(game, level) of the rated matches that `own_user` has won on that side against an agent."""
    names = ("first_user", "second_level") if side is Player.FIRST else ("second_user", "first_level")
    person, level = (matches.c[name] for name in names)
    where = (
        person == sa.bindparam("own_user"),
        matches.c.end.is_not(None),
        matches.c.end != End.ABANDONED.value,
        matches.c.rated.is_(True),
        matches.c.winner == side.value,
        level.is_not(None),
    )
    return sa.select(matches.c.game, level).distinct().where(*where)


# Asked as each match ends, built once.
_WINS_OVER_LEVELS = [_wins_over_levels(side) for side in Player]
_WAIT_FOR_REVIEW = sa.insert(due_reviews)
_GIVE = upsert(achievements).on_conflict_do_nothing()


async def _beaten(connection: Connection, user_id: int) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for query in _WINS_OVER_LEVELS:
        rows = (await connection.execute(query, {"own_user": user_id})).all()
        found.update((game, key) for game, key in rows if key is not None)
    return frozenset(found)


def _awards(found: Sequence[sa.Row[tuple[object, ...]]]) -> tuple[Award, ...]:
    return tuple(Award(row.user_id, row.key, row.match_id, row.at) for row in found)
