"""Ratings and records: who is best at what, here and everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.match import Match, Seat
from bot.ratings import Record, rate
from bot.store import rows
from bot.store.database import Database, whole
from bot.store.tables import players, records
from engine.core import Player

EVERYWHERE = 0
"""The scope of the global ratings; no server has this id."""


@dataclass(frozen=True, slots=True)
class RankedRecord:
    """One row of a leaderboard. rank counts from 1; `player` is a user's id or a level's key."""

    rank: int
    player: str
    name: str
    record: Record


@dataclass(frozen=True, slots=True)
class LeaderboardPage:
    """Some rows of a leaderboard, and how many there are in all."""

    rows: tuple[RankedRecord, ...]
    total: int


class RatingStore:
    """Answers questions about ratings; they change only in the transaction that ends a match."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @whole
    async def leaderboard(
        self, scope: int, game: str, *, is_agent: bool, offset: int, limit: int
    ) -> LeaderboardPage:
        """Rows from rank `offset` + 1 on."""
        board = _ranked(scope, game, is_agent)
        async with self._database.reading() as connection:
            total = (await connection.execute(sa.select(sa.func.count()).select_from(board))).scalar_one()
            query = sa.select(board).order_by(board.c.rank, board.c.player).offset(offset).limit(limit)
            found = (await connection.execute(query)).all()
        return LeaderboardPage(tuple(map(_ranked_of, found)), int(total))

    @whole
    async def ranked(self, scope: int, game: str, user_id: int) -> RankedRecord | None:
        """A person's own row."""
        board = _ranked(scope, game, is_agent=False)
        async with self._database.reading() as connection:
            query = sa.select(board).where(board.c.player == str(user_id))
            found = (await connection.execute(query)).first()
        return None if found is None else _ranked_of(found)


async def count_rating(connection: AsyncConnection, match: Match) -> None:
    """Rates a match that has just ended, here and everywhere, in the transaction that ends it."""
    result = match.result
    if result is None or not result.counts or not match.rated:
        return
    scopes = [EVERYWHERE] if match.place.guild_id is None else [EVERYWHERE, match.place.guild_id]
    for scope in scopes:
        keys = [_record_key(scope, match.game, seat) for seat in match.seats]
        before = [await _record(connection, key) for key in keys]
        after = rate(before[Player.FIRST], before[Player.SECOND], result.winner)
        for key, record in zip(keys, after, strict=True):
            values = rows.record_values(record)
            await connection.execute(
                upsert(records)
                .values(**key, **values)
                .on_conflict_do_update(index_elements=list(key), set_=values)
            )


def _record_key(scope: int, game: str, seat: Seat) -> rows.Values:
    is_agent, player = rows.player_key(seat)
    return {"scope": scope, "game": game, "is_agent": is_agent, "player": player}


async def _record(connection: AsyncConnection, key: rows.Values) -> Record:
    query = sa.select(records).where(*(records.c[name] == value for name, value in key.items()))
    row = (await connection.execute(query)).first()
    return Record() if row is None else rows.record_of(row)


def _ranked(scope: int, game: str, is_agent: bool) -> sa.Subquery:
    """One leaderboard with the rank of every row; equal points share a rank."""
    return (
        sa.select(
            sa.func.rank().over(order_by=records.c.points.desc()).label("rank"),
            *(column for column in records.c),
            sa.func.coalesce(players.c.name, records.c.player).label("name"),
        )
        .select_from(
            records.outerjoin(
                players,
                sa.and_(players.c.is_agent == records.c.is_agent, players.c.player == records.c.player),
            )
        )
        .where(records.c.scope == scope, records.c.game == game, records.c.is_agent == is_agent)
        .subquery()
    )


def _ranked_of(row: sa.Row[Any]) -> RankedRecord:
    return RankedRecord(row.rank, row.player, row.name, rows.record_of(row))
