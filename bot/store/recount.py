"""The recount: ratings, seasons and steps computed again from the list of matches, and compared.

They are derived from the matches, and are stored because asking for a rank must not replay everything. It
reads a batch of rows at a time, so that it needs the same memory for a thousand matches and for a million.
"""

from __future__ import annotations

import logging
import time
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from bot.domain.match import RATED_AFTER, End, Location, Match, Result
from bot.domain.rating import scale
from bot.store.connection import Connection, batches, pages
from bot.store.counting import Counting
from bot.store.damage import BATCH, Damage
from bot.store.database import Database, uncancellable
from bot.store.facts import facts
from bot.store.matches import matches, player_of, seats_of
from bot.store.places import check_ids
from bot.store.rating_shares import shares_since
from bot.store.rating_steps import rating_steps
from bot.store.ratings import records
from bot.store.recount_boards import board_faults, recount_boards
from bot.store.seasons import season_records
from bot.store.shared import Values, upsert
from bot.store.turns import plies_of
from engine.games import GAMES
from engine.games import game as game_of

log = logging.getLogger(__name__)

MOST_TOLD = 1_000
"""Rows that are told of by a line each; the others are only counted."""

ROWS_AT_ONCE = 2_000

Key = tuple[Any, ...]
"""A row's primary key, or what stands for it."""

_TOLD_EVERY_SECONDS = 10.0


def scale_fact(game: str) -> str:
    """The fact that says by what scale the stored ratings of a game are counted."""
    return f"rating_scale:{game}"


@dataclass(frozen=True, slots=True)
class Recount:
    """What a recount found.

    differences: a line for each row that is not as it should be, and for each board. more: those that there
    was no room for.
    """

    matches: int
    differences: tuple[str, ...]
    more: int = 0

    @property
    def wrong(self) -> int:
        return len(self.differences) + self.more


class Recounter:
    """Checks what is derived from the matches, and makes it anew."""

    def __init__(self, database: Database, *, is_logged: bool = True) -> None:
        self._database = database
        self._damage = Damage("match", is_logged=is_logged)

    @uncancellable
    async def check(self) -> Recount:
        """Compares what is stored with what the matches give; changes nothing."""
        async with self._database.reading() as connection:
            run = _Run(connection, self._damage)
            await run.compare()
        return run.found

    @uncancellable
    async def renew(self) -> Recount | None:
        """The same as `repair` of the games whose ratings are of another scale than today's; None: of none.

        They are after an update of the bot that rates in another way, or measured its levels anew.
        """
        async with self._database.reading() as connection:
            if not await _outdated(connection):
                return None
        async with self._database.writing() as connection:
            # Another process may have done it meanwhile.
            outdated = await _outdated(connection)
            played = [game for game in outdated if await _is_played(connection, game)]
            if played:
                log.info("ratings of %s are counted anew, as their levels are rated now", ", ".join(played))
            found = await self._repair(connection, played) if played else None
            await _remember_scales(connection, outdated)
        return found

    @uncancellable
    async def repair(self) -> Recount:
        """The same, and stores what the matches give where it differs, in one transaction."""
        async with self._database.writing() as connection:
            found = await self._repair(connection, None)
            await _remember_scales(connection, GAMES)
        return found

    async def _repair(self, connection: Connection, games: Sequence[str] | None) -> Recount:
        run = _Run(connection, self._damage, games, is_mending=True)
        await run.compare()
        if run.found.wrong:
            await recount_boards(connection)
        return run.found


class _Run:
    """One comparison, from the first match to the last row. games: None for all."""

    def __init__(
        self,
        connection: Connection,
        damage: Damage,
        games: Sequence[str] | None = None,
        *,
        is_mending: bool = False,
    ) -> None:
        self._connection = connection
        self._damage = damage
        self._games = games
        self._is_mending = is_mending
        self._is_in_order = True
        self._matches = 0
        self._lines: list[str] = []
        self._more = 0

    @property
    def found(self) -> Recount:
        return Recount(self._matches, tuple(self._lines), self._more)

    def note(self, lines: Iterable[str]) -> None:
        for line in lines:
            if len(self._lines) < MOST_TOLD:
                self._lines.append(line)
            else:
                self._more += 1

    async def compare(self) -> None:
        """All three tables, which are as they should be then where it mends, and the boards as they were."""
        since, faults = await shares_since(self._connection), await board_faults(self._connection)
        with Counting(since) as counting:
            await self._leave_out_others(since)
            await self._compare_all_steps(since, counting)
            for table in (records, season_records):
                await self._compare_records(table, counting)
        self.note(faults)

    async def _compare_all_steps(self, since: datetime | None, counting: Counting) -> None:
        """Counts every match, and looks at what is stored of its step."""
        numbers = array("q")
        async for rows in batches(self._connection, _in_order(since, self._games), ROWS_AT_ONCE):
            numbers.extend(row["id"] for row in rows)
        told_at = time.monotonic()
        for start in range(0, len(numbers), BATCH):
            batch = list(numbers[start : start + BATCH])
            found = await self._damage.whole(batch, self._read)
            self._matches += len(found)
            # One that cannot be read counts for nothing; the others keep their order.
            await self._compare_steps(batch, [counting.add(match) for match in found])
            if time.monotonic() - told_at > _TOLD_EVERY_SECONDS:
                told_at = time.monotonic()
                log.info("%d of %d rated matches are counted", start + len(batch), len(numbers))

    async def _read(self, batch: Sequence[int]) -> dict[int, Match]:
        rows = (await self._connection.execute(sa.select(matches).where(matches.c.id.in_(batch)))).all()
        return {row.id: _match_of(row) for row in rows}

    async def _compare_steps(self, batch: Sequence[int], counted: Sequence[Values]) -> None:
        table = rating_steps
        query = sa.select(table).where(table.c.match_id.in_(batch))
        stored: dict[Key, Values] = {}
        ids: dict[Key, int] = {}
        for row in (await self._connection.execute(query)).mappings():
            values = dict(row)
            key = (values["match_id"],)
            ids[key] = values.pop("id")
            stored[key] = values
        should_be: dict[Key, Values] = {(values["match_id"],): values for values in counted}
        changed = [key for key in should_be if key in stored and stored[key] != should_be[key]]
        # By their text, as one of a damaged match may be no number.
        apart = sorted(stored.keys() ^ should_be.keys(), key=str)
        for key in (*changed, *apart):
            self._tell(table, key, stored.get(key), should_be.get(key))
        if not self._is_mending:
            return
        # The ids keep the order of all matches: from the first on that lacks a row, all get new ones.
        self._is_in_order = self._is_in_order and not apart
        if self._is_in_order and changed:
            update = sa.update(table).where(table.c.id == sa.bindparam("own_id"))
            await self._connection.execute(
                update, [{"own_id": ids[key], **should_be[key]} for key in changed]
            )
        elif not self._is_in_order:
            await self._connection.execute(sa.delete(table).where(table.c.match_id.in_(batch)))
            if counted:
                await self._connection.execute(sa.insert(table), list(counted))

    async def _leave_out_others(self, since: datetime | None) -> None:
        """Rows of matches that do not count."""
        table = rating_steps
        others = sa.select(matches.c.id).where(sa.not_(sa.and_(*_counts(since, self._games))))
        where = [table.c.match_id.in_(others.where(*_of_games(matches, self._games)))]
        async for rows in batches(self._connection, sa.select(table).where(*where), ROWS_AT_ONCE):
            for row in rows:
                values = {name: value for name, value in row.items() if name != "id"}
                self._tell(table, (values["match_id"],), values, None)
        if self._is_mending:
            await self._connection.execute(sa.delete(table).where(*where))

    async def _compare_records(self, table: sa.Table, counting: Counting) -> None:
        names = [column.name for column in table.primary_key]
        async for rows in pages(self._connection, table, ROWS_AT_ONCE, *_of_games(table, self._games)):
            changed: list[Values] = []
            gone: list[Values] = []
            for row in rows:
                stored = {name: value for name, value in row.items() if name != "standing"}
                key = {name: stored[name] for name in names}
                rest = counting.take(key)
                should_be = None if rest is None else {**key, **rest}
                if stored != should_be:
                    self._tell(table, tuple(key.values()), stored, should_be)
                    (gone if should_be is None else changed).append(should_be or key)
            await self._put_right(table, changed, gone)
        missing: list[Values] = []
        for values in counting.rows(table):
            self._tell(table, tuple(values[name] for name in names), None, values)
            missing.append(values)
            if len(missing) == ROWS_AT_ONCE:
                await self._put_right(table, missing, [])
                missing = []
        await self._put_right(table, missing, [])

    async def _put_right(self, table: sa.Table, rows: Sequence[Values], gone: Sequence[Values]) -> None:
        names = [column.name for column in table.primary_key]
        if self._is_mending and rows:
            insert = upsert(table)
            others = {name: insert.excluded[name] for name in rows[0] if name not in names}
            statement = insert.on_conflict_do_update(index_elements=names, set_=others)
            await self._connection.execute(statement, list(rows))
        if self._is_mending and gone:
            same = [table.c[name] == sa.bindparam(f"own_{name}") for name in names]
            keys = [{f"own_{name}": value for name, value in key.items()} for key in gone]
            await self._connection.execute(sa.delete(table).where(*same), keys)

    def _tell(self, table: sa.Table, key: Key, stored: Values | None, should_be: Values | None) -> None:
        self.note([f"{table.name} {key}: stored {stored}, counted {should_be}"])


async def _outdated(connection: Connection) -> list[str]:
    """The games of which ratings, if there are any, may be of another scale than today's."""
    query = sa.select(facts.c.key, facts.c.value).where(facts.c.key.in_([scale_fact(game) for game in GAMES]))
    stored = {row.key: row.value for row in (await connection.execute(query)).all()}
    return [game for game in GAMES if stored.get(scale_fact(game)) != scale(game)]


async def _is_played(connection: Connection, game: str) -> bool:
    """Whether there is anything to count, or to take away."""
    found = [sa.exists().where(table.c.game == game) for table in (matches, records)]
    return bool(await connection.scalar(sa.select(sa.or_(*found))))


async def _remember_scales(connection: Connection, games: Iterable[str]) -> None:
    insert = upsert(facts)
    statement = insert.on_conflict_do_update(index_elements=["key"], set_={"value": insert.excluded.value})
    values = [{"key": scale_fact(game), "value": scale(game)} for game in games]
    if values:
        await connection.execute(statement, values)


def _of_games(table: sa.Table, games: Sequence[str] | None) -> list[sa.ColumnElement[bool]]:
    return [] if games is None else [table.c.game.in_(games)]


def _counts(since: datetime | None, games: Sequence[str] | None) -> list[sa.ColumnElement[bool]]:
    """Which matches count; `since` there are rules of fairness."""
    is_long = plies_of(matches) - matches.c.opening >= RATED_AFTER
    return [
        matches.c.rated.is_(True),
        matches.c.end.is_not(None),
        matches.c.end != End.ABANDONED.value,
        is_long if since is None else sa.or_(is_long, matches.c.touched_at <= since),
        *_of_games(matches, games),
    ]


def _in_order(since: datetime | None, games: Sequence[str] | None) -> sa.Select[Any]:
    """The numbers of all matches that count, in the order in which they were counted.

    The steps keep that order; matches older than these come first, by the moment at which they ended.
    """
    return (
        sa.select(matches.c.id)
        .select_from(matches.outerjoin(rating_steps, rating_steps.c.match_id == matches.c.id))
        .where(*_counts(since, games))
        .order_by(sa.func.coalesce(rating_steps.c.id, 0), matches.c.touched_at, matches.c.id)
    )


def _match_of(row: sa.Row[Any]) -> Match:
    """The match without its moves, which ratings do not depend on; raises one of DAMAGE."""
    check_ids(row.guild_id, row.first_user, row.second_user)
    return Match(
        id=row.id,
        game=row.game,
        board=row.board,
        seats=seats_of(row),
        location=Location(row.channel_id, row.guild_id),
        created_at=row.created_at,
        turn_started_at=row.turn_started_at,
        touched_at=row.touched_at,
        state=game_of(row.game).start(row.board),
        rated=row.rated,
        is_local=row.is_local,
        turn=row.turn,
        result=Result(player_of(row.winner), End(row.end)),
    )
