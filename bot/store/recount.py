"""The recount: ratings, seasons and histories computed again from the list of matches, and compared.

They are derived from the matches, and are stored because asking for a rank must not replay everything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bot.domain.fairness import Weights
from bot.domain.match import RATED_AFTER, End, Location, Match, Result, Seat
from bot.domain.rating import Record, first_record, scale
from bot.domain.season import Season
from bot.store.damage import Damage
from bot.store.database import Database, uncancellable
from bot.store.facts import facts
from bot.store.fairness import Meetings, fair_since
from bot.store.lane import Connection
from bot.store.matches import matches, moves
from bot.store.rating_steps import history_values, rating_history
from bot.store.ratings import fairly_rated, record_key, record_values, records, scopes_of
from bot.store.recount_boards import board_faults, recount_boards
from bot.store.seasons import season_records
from bot.store.shared import Values, upsert
from bot.store.tallies import EVER
from engine.core import Player
from engine.games import game as game_of

SCALE = "rating_scale"
"""The fact that says by what scale the stored ratings are counted."""

Key = tuple[Any, ...]
"""A row's primary key, or what stands for it."""


@dataclass(frozen=True, slots=True)
class Recount:
    """What a recount found. differences: a line for each row that is not as it should be."""

    matches: int
    differences: tuple[str, ...]


@dataclass(slots=True)
class _Books:
    """All that is derived, by table and key, without what only numbers the rows."""

    records: dict[Key, Values] = field(default_factory=dict)
    seasons: dict[Key, Values] = field(default_factory=dict)
    history: dict[Key, Values] = field(default_factory=dict)


_TABLES = ((records, "records"), (season_records, "seasons"), (rating_history, "history"))


class Recounter:
    """Checks what is derived from the matches, and makes it anew."""

    def __init__(self, database: Database, *, is_logged: bool = True) -> None:
        self._database = database
        self._damage = Damage("match", is_logged=is_logged)

    @uncancellable
    async def check(self) -> Recount:
        """Compares what is stored with what the matches give; changes nothing."""
        async with self._database.reading() as connection:
            since = await fair_since(connection)
            rated = await _rated_matches(connection, since, self._damage)
            stored = await _stored(connection)
            faults = await board_faults(connection)
        return Recount(len(rated), (*_differences(stored, _counted(rated, since)), *faults))

    @uncancellable
    async def renew(self) -> Recount | None:
        """The same as `repair` where ratings are still of another scale than today's; else None.

        They are after an update of the bot that rates in another way, or measured its levels anew.
        """
        async with self._database.reading() as connection:
            query = sa.select(facts.c.value).where(facts.c.key == SCALE)
            if await connection.scalar(query) == scale():
                return None
        return await self.repair()

    @uncancellable
    async def repair(self) -> Recount:
        """The same, and stores what the matches give where it differs, in one transaction."""
        async with self._database.writing() as connection:
            since = await fair_since(connection)
            rated = await _rated_matches(connection, since, self._damage)
            counted = _counted(rated, since)
            differences = _differences(await _stored(connection), counted)
            found = Recount(len(rated), (*differences, *await board_faults(connection)))
            await _remember_scale(connection)
            if differences:
                for table, name in _TABLES:
                    await connection.execute(sa.delete(table))
                    values = list(getattr(counted, name).values())
                    if values:
                        await connection.execute(sa.insert(table), values)
            if found.differences:
                await recount_boards(connection)
        return found


async def _remember_scale(connection: Connection) -> None:
    insert = upsert(facts).values(key=SCALE, value=scale())
    await connection.execute(
        insert.on_conflict_do_update(index_elements=["key"], set_={"value": insert.excluded.value})
    )


async def _rated_matches(connection: Connection, since: datetime | None, damage: Damage) -> list[Match]:
    """All matches that count, in the order in which they were counted; `since` there are rules of fairness.

    The history keeps that order; matches older than it come first, by the moment at which they ended.
    """
    number = sa.func.min(rating_history.c.id)
    order = (
        sa.select(rating_history.c.match_id, number.label("number"))
        .group_by(rating_history.c.match_id)
        .subquery()
    )
    played = sa.select(sa.func.count()).where(moves.c.match_id == matches.c.id).scalar_subquery()
    counts = played - matches.c.opening >= RATED_AFTER
    query = (
        sa.select(matches.c.id)
        .select_from(matches.outerjoin(order, order.c.match_id == matches.c.id))
        .where(matches.c.rated.is_(True), matches.c.end.is_not(None), matches.c.end != End.ABANDONED.value)
        .where(counts if since is None else sa.or_(counts, matches.c.touched_at <= since))
        .order_by(sa.func.coalesce(order.c.number, 0), matches.c.touched_at, matches.c.id)
    )

    async def read(batch: Sequence[int]) -> dict[int, Match]:
        rows = (await connection.execute(sa.select(matches).where(matches.c.id.in_(batch)))).all()
        return {row.id: _match_of(row) for row in rows}

    # One that cannot be read counts for nothing; the others keep their order.
    return await damage.whole((await connection.execute(query)).scalars().all(), read)


def _match_of(row: sa.Row[Any]) -> Match:
    """The match without its moves, which ratings do not depend on."""
    return Match(
        id=row.id,
        game=row.game,
        board=row.board,
        seats=(
            Seat(row.first_name, row.first_user, row.first_level),
            Seat(row.second_name, row.second_user, row.second_level),
        ),
        location=Location(row.channel_id, row.guild_id),
        created_at=row.created_at,
        turn_started_at=row.turn_started_at,
        touched_at=row.touched_at,
        state=game_of(row.game).start(row.board),
        rated=row.rated,
        is_local=row.is_local,
        turn=row.turn,
        result=Result(None if row.winner is None else Player(row.winner), End(row.end)),
    )


class Counting:
    """What matches give, told one after the other in the order in which they are counted.

    since: see `Meetings.weigh`.
    """

    def __init__(self, since: datetime | None = None) -> None:
        self._since = since
        self._standing: dict[Key, Record] = {}
        self._meetings = Meetings()

    def add(self, match: Match) -> list[Values]:
        """The rows of its history."""
        scopes = scopes_of(match)
        first, second = _before(self._standing, _ever(scopes[0]), match)
        fair = self._meetings.weigh(match, (first.points, second.points), self._since)
        history: list[Values] = []
        for scope in scopes:
            before, after = _rate(self._standing, _ever(scope), match, fair.weights)
            history += history_values(match, scope, before, after, is_easy=fair.is_easy)
        if match.location.guild_id is not None:
            kept_under = {"season": Season.of(match.touched_at).key, "scope": match.location.guild_id}
            _rate(self._standing, kept_under, match, fair.weights)
        return history

    def rows(self, table: sa.Table) -> Iterator[tuple[Key, Values]]:
        """The rows of `records` or `season_records`, by key."""
        names = [column.name for column in table.primary_key]
        for key, record in self._standing.items():
            if (key[0] == EVER) == (table is records):
                values = dict(zip(_SEASON_KEY, key, strict=True))
                own = {name: values[name] for name in names}
                yield tuple(own.values()), {**own, **record_values(record)}


_SEASON_KEY = ("season", "scope", "game", "is_agent", "player")


def _ever(scope: int) -> Values:
    return {"season": EVER, "scope": scope}


def _counted(rated: list[Match], since: datetime | None) -> _Books:
    """What the matches give, one after the other."""
    books = _Books()
    counting = Counting(since)
    for match in rated:
        for values in counting.add(match):
            books.history[values["match_id"], values["scope"], values["side"]] = values
    books.records, books.seasons = dict(counting.rows(records)), dict(counting.rows(season_records))
    return books


def _before(standing: dict[Key, Record], kept_under: Values, match: Match) -> tuple[Record, Record]:
    first, second = (
        standing.get(tuple(record_key(kept_under, match.game, seat).values()))
        or first_record(match.game, seat.level)
        for seat in match.seats
    )
    return first, second


def _rate(
    standing: dict[Key, Record], kept_under: Values, match: Match, weights: Weights
) -> tuple[tuple[Record, ...], tuple[Record, ...]]:
    keys = [record_key(kept_under, match.game, seat) for seat in match.seats]
    before = _before(standing, kept_under, match)
    winner = None if match.result is None else match.result.winner
    after = fairly_rated(before, winner, weights)
    for key, record in zip(keys, after, strict=True):
        standing[tuple(key.values())] = record
    return before, after


async def _stored(connection: Connection) -> _Books:
    books = _Books()
    for table, name in _TABLES:
        names = [column.name for column in table.columns if column.name not in ("id", "standing")]
        if table is rating_history:
            keys = ["match_id", "scope", "side"]
        else:
            keys = [column.name for column in table.primary_key]
        book = getattr(books, name)
        for row in (await connection.execute(sa.select(table))).mappings():
            book[tuple(row[key] for key in keys)] = {column: row[column] for column in names}
    return books


def _differences(stored: _Books, counted: _Books) -> tuple[str, ...]:
    found: list[str] = []
    for table, name in _TABLES:
        here, there = getattr(stored, name), getattr(counted, name)
        found.extend(
            f"{table.name} {key}: stored {here.get(key)}, counted {there.get(key)}"
            for key in sorted(here.keys() | there.keys(), key=repr)
            if here.get(key) != there.get(key)
        )
    return tuple(found)
