"""Predictions: the matches whose end people guess, the guesses, and what these have counted."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from bot.domain.names import clean
from bot.domain.person import Person
from bot.domain.prediction import (
    CLOSING_TURN,
    KEPT_FOR,
    Foresight,
    Guesser,
    Odds,
    Pick,
    Predicted,
    points_of,
)
from bot.domain.season import Season
from bot.store.connection import Connection
from bot.store.damage import BATCH
from bot.store.database import Store, uncancellable
from bot.store.match_rows import IS_RUNNING, RECENT, matches
from bot.store.players import name_players, players
from bot.store.rows import put
from bot.store.shared import Instant, PlayerKey, metadata, upsert
from bot.store.tournaments import tournament_pairings

predicted_matches = sa.Table(
    "predicted_matches",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("guild_id", sa.BigInteger, nullable=False),
    sa.Column("first", sa.SmallInteger, nullable=False),
    sa.Column("draw", sa.SmallInteger, nullable=False),
    sa.Column("second", sa.SmallInteger, nullable=False),
    sa.Column("is_dropped", sa.Boolean, nullable=False),
    sqlite_with_rowid=False,
)
"""The odds of each match that is guessed, until it is over and its guesses have counted."""

predictions = sa.Table(
    "predictions",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("guild_id", sa.BigInteger, nullable=False),
    sa.Column("pick", sa.SmallInteger, nullable=False),
    sa.Column("chance", sa.SmallInteger, nullable=False),
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("made_at", Instant, nullable=False),
    sa.Column("points", sa.SmallInteger),
    sa.Index(None, "guild_id", "made_at"),
    sa.Index(None, "user_id"),
    sqlite_with_rowid=False,
)
"""One guess for each person and match. points: NULL until the match is over."""

_GUESSES = (
    sa.select(sa.func.count())
    .where(predictions.c.match_id == predicted_matches.c.match_id)
    .scalar_subquery()
    .label("guesses")
)


class PredictionStore(Store):
    """Loads and stores guesses."""

    @uncancellable
    async def unopened(self, guild_ids: Collection[int]) -> list[int]:
        """Return matches of tournaments, between agents and by votes that began lately in these servers.

        Without those that are guessed already, or have no board yet.
        """
        newest = sa.select(sa.func.max(matches.c.id)).scalar_subquery()
        is_without_seats = sa.and_(matches.c.first_level.is_not(None), matches.c.second_level.is_not(None))
        is_paired = sa.exists().where(tournament_pairings.c.match_id == matches.c.id)
        query = sa.select(matches.c.id).where(
            matches.c.id > newest - RECENT,
            IS_RUNNING,
            matches.c.guild_id.in_(guild_ids),
            matches.c.message_id.is_not(None),
            matches.c.turn < CLOSING_TURN,
            sa.or_(is_without_seats, is_paired),
            ~sa.exists().where(predicted_matches.c.match_id == matches.c.id),
            *self._database.mine(matches.c.guild_id),
        )
        return [row.id for row in await self._rows(query.limit(BATCH))]

    @uncancellable
    async def open(self, match_id: int, guild_id: int, odds: Odds) -> None:
        """Store the odds of a match, unless it has some already."""
        chances = {"first": odds.first, "draw": odds.draw, "second": odds.second, "is_dropped": False}
        values = {"match_id": match_id, "guild_id": guild_id, **chances}
        async with self._database.writing() as connection:
            await connection.execute(upsert(predicted_matches).values(values).on_conflict_do_nothing())

    @uncancellable
    async def all(self) -> list[Predicted]:
        """Return the matches that are guessed in this process's servers."""
        query = sa.select(predicted_matches, _GUESSES).where(
            *self._database.mine(predicted_matches.c.guild_id)
        )
        return [
            Predicted(row.match_id, row.guild_id, _odds(row), row.guesses, row.is_dropped)
            for row in await self._rows(query)
        ]

    @uncancellable
    async def guess(
        self, match_id: int, guild_id: int | None, person: Person, pick: Pick, now: datetime
    ) -> int | None:
        """Store the person's guess in place of an earlier one; return its chance.

        None if the match, as it is stored now, takes no such guess in that server: it may have moved on since
        it was read.
        """
        key = {"match_id": match_id, "user_id": person.user_id}
        predicted = predicted_matches.c
        is_open = predicted.is_dropped.is_(False), IS_RUNNING, matches.c.turn < CLOSING_TURN
        query = (
            sa.select(predicted_matches, matches.c.turn)
            .join(matches, matches.c.id == predicted.match_id)
            .where(predicted.match_id == match_id, predicted.guild_id == guild_id, *is_open)
        )

        async def change(connection: Connection) -> int | None:
            row = (await connection.execute(query)).first()
            chance = 0 if row is None else _odds(row).of(pick)
            if row is None or not chance:
                return None
            values = {"guild_id": guild_id, "pick": pick.value, "chance": chance, "turn": row.turn}
            await name_players(connection, (person.seat,))
            await put(connection, predictions, key, {**values, "made_at": now, "points": None})
            return chance

        return await self._database.change(change)

    @uncancellable
    async def settle(
        self, match_id: int, came: Pick | None, now: datetime, *, but: int | None, has_points: bool = True
    ) -> Foresight:
        """Count the guesses of a match that is over; delete them where nothing counts. but: of that person.

        has_points: whether the other guesses count points.

        Repeated after a crash it changes nothing. Guesses of the server from long ago are deleted with it.
        """
        own = predictions.c.match_id == match_id
        async with self._database.writing() as connection:
            if came is None:
                await connection.execute(sa.delete(predictions).where(own))
                return Foresight(None)
            rows = (await connection.execute(_named().where(own).order_by(predictions.c.made_at))).all()
            for pick, chance in {(row.pick, row.chance) for row in rows} if has_points else ():
                same = sa.and_(own, predictions.c.pick == pick, predictions.c.user_id != (but or 0))
                points = points_of(chance, is_right=pick == came)
                await connection.execute(sa.update(predictions).where(same).values(points=points))
            if rows:
                is_old = sa.and_(
                    predictions.c.guild_id == rows[0].guild_id, predictions.c.made_at < now - KEPT_FOR
                )
                await connection.execute(sa.delete(predictions).where(is_old))
        right = [row for row in rows if row.pick == came]
        if not right:
            return Foresight(came, 0, len(rows))
        best = right[0]
        return Foresight(came, len(right), len(rows), clean(best.name, str(best.user_id)), best.turn)

    @uncancellable
    async def drop(self, match_id: int) -> None:
        """Take no more guesses of the match, and delete those there are."""
        own = predicted_matches.c.match_id == match_id
        async with self._database.writing() as connection:
            await connection.execute(sa.update(predicted_matches).where(own).values(is_dropped=True))
            await connection.execute(sa.delete(predictions).where(predictions.c.match_id == match_id))

    @uncancellable
    async def close(self, match_id: int, *, is_void: bool = False) -> None:
        """Forget the odds of a match. is_void: its guesses, too."""
        async with self._database.writing() as connection:
            for table in (predicted_matches, predictions) if is_void else (predicted_matches,):
                await connection.execute(sa.delete(table).where(table.c.match_id == match_id))

    @uncancellable
    async def first_season(self, guild_id: int) -> Season | None:
        """Return the month of the server's first guess that is stored."""
        query = sa.select(sa.func.min(predictions.c.made_at)).where(predictions.c.guild_id == guild_id)
        first: datetime | None = await self._value(query)
        return None if first is None else Season.of(first)

    @uncancellable
    async def guessers(self, guild_id: int, season: Season) -> list[Guesser]:
        """Return the people whose guesses of that month have counted in the server, the best first."""
        total = sa.func.sum(predictions.c.points).label("total")
        query = _named(total, sa.func.count().label("guesses")).where(
            predictions.c.guild_id == guild_id,
            predictions.c.made_at >= season.begins_at,
            predictions.c.made_at < season.ends_at,
            predictions.c.points.is_not(None),
        )
        query = query.group_by(predictions.c.user_id, players.c.name).order_by(
            total.desc(), predictions.c.user_id
        )
        found: list[Guesser] = []
        for place, row in enumerate(await self._rows(query), start=1):
            rank = found[-1].rank if found and found[-1].points == row.total else place
            name = clean(row.name, str(row.user_id))
            found.append(Guesser(rank, row.user_id, name, int(row.total), row.guesses))
        return found


def _named(*columns: sa.ColumnElement[int]) -> sa.Select[tuple[object, ...]]:
    """Return a query of guesses with the names of their people. columns: sums instead of single guesses."""
    own = players.c.player == sa.cast(predictions.c.user_id, PlayerKey)
    same = sa.and_(players.c.is_agent.is_(False), own)
    name = sa.func.coalesce(players.c.name, sa.cast(predictions.c.user_id, sa.String)).label("name")
    single = (predictions.c.guild_id, predictions.c.pick, predictions.c.chance, predictions.c.turn)
    asked = (predictions.c.user_id, name, *(columns or single))
    return sa.select(*asked).select_from(predictions.outerjoin(players, same))


def _odds(row: sa.Row[tuple[object, ...]]) -> Odds:
    return Odds(row.first, row.draw, row.second)
