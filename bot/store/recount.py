"""The recount: replays all rated matches into an empty database and compares it with the stored rows."""

from __future__ import annotations

import logging
import time
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from bot.domain.leaderboard import EVERYWHERE
from bot.domain.match import Match
from bot.domain.rating import scale
from bot.domain.result import WITHOUT_RESULT
from bot.store.connection import Connection, batches
from bot.store.damage import BATCH, Damage
from bot.store.database import Database, Store, uncancellable
from bot.store.endings import count_ratings
from bot.store.facts import facts
from bot.store.match_rows import MATCH, matches
from bot.store.preferences import preferences
from bot.store.puzzles import attempts, puzzle_places, solvers
from bot.store.ranking import HIDDEN, listed_standing
from bot.store.rating_steps import rating_steps
from bot.store.ratings import records
from bot.store.scratch import Difference, Scratch
from bot.store.shared import PlayerKey, upsert
from engine.games import GAMES
from engine.games import game as game_of

log = logging.getLogger(__name__)

MAX_LINES = 1_000
"""Rows that differ and are reported by a line each; more are only counted."""

ROWS_AT_ONCE = 2_000

PROGRESS_SECONDS = 10.0
"""How often the log says how far a recount is."""


def scale_fact(game: str) -> str:
    """Return the key of the fact that says by which scale the ratings of a game are stored."""
    return f"rating_scale:{game}"


@dataclass(frozen=True, slots=True)
class Recount:
    """Result of a recount. differences: a line for each row that differs. more: those beyond MAX_LINES."""

    matches: int
    differences: tuple[str, ...]
    more: int = 0

    @property
    def wrong(self) -> int:
        return len(self.differences) + self.more


class Recounter(Store):
    """Checks and mends the tables that are derived from the matches."""

    has_limit = False

    def __init__(self, database: Database, *, is_logged: bool = True) -> None:
        super().__init__(database)
        self._damage = Damage("match", is_logged=is_logged)

    @uncancellable
    async def check(self) -> Recount:
        """Compare without changing anything."""
        async with self._database.reading() as connection:
            return await self._recount(connection, None, is_mending=False)

    @uncancellable
    async def repair(self) -> Recount:
        """Compare, and replace the rows that differ, in one transaction."""
        async with self._database.writing() as connection:
            found = await self._recount(connection, None, is_mending=True)
            await _store_scales(connection, GAMES)
        return found

    @uncancellable
    async def renew(self) -> Recount | None:
        """Repair the games whose ratings are stored by another scale than today's; None if there are none.

        That is so after an update which measured the levels again or rates in another way.
        """
        async with self._database.reading() as connection:
            if not await _outdated(connection):
                return None
        async with self._database.writing() as connection:
            # Another process may have done it meanwhile.
            outdated = await _outdated(connection)
            played = [game for game in outdated if await _is_played(connection, game)]
            found = None
            if played:
                log.info("recounting the ratings of %s: their scale has changed", ", ".join(played))
                found = await self._recount(connection, played, is_mending=True)
            await _store_scales(connection, outdated)
        return found

    async def _recount(
        self, connection: Connection, games: Sequence[str] | None, *, is_mending: bool
    ) -> Recount:
        """games: None for all, and for the leaderboards of puzzles."""
        tables = [records, rating_steps] if games else [records, rating_steps, puzzle_places]
        lines: list[str] = []
        more = 0
        with Scratch([*tables, matches, preferences]) as scratch:
            count = await self._replay(connection, scratch, games)
            for table in tables:
                stored = sa.select(table).where(*_of_games(table, games))
                async for rows in batches(connection, stored, ROWS_AT_ONCE):
                    scratch.add_stored(table, rows)
            if puzzle_places in tables:
                async for rows in batches(connection, _puzzle_places(), ROWS_AT_ONCE):
                    scratch.add(puzzle_places, rows)
            for table in tables:
                has_differences = False
                for differences in scratch.differences(table, ROWS_AT_ONCE):
                    has_differences = True
                    told = differences[: MAX_LINES - len(lines)]
                    lines += [str(difference) for difference in told]
                    more += len(differences) - len(told)
                    # The ids of steps are their order, so a single step cannot be put between two others.
                    if is_mending and table is not rating_steps:
                        await _mend(connection, table, differences)
                if has_differences and is_mending and table is rating_steps:
                    await _replace_steps(connection, scratch, games)
        return Recount(count, tuple(lines), more)

    async def _replay(self, connection: Connection, scratch: Scratch, games: Sequence[str] | None) -> int:
        """Count every match in the scratch database; return how many there are."""
        listed = sa.select(preferences).where(preferences.c.is_listed.is_(True))
        async for rows in batches(connection, listed, ROWS_AT_ONCE):
            scratch.add(preferences, rows)
        numbers = array("q")
        async for rows in batches(connection, _in_order(games), ROWS_AT_ONCE):
            numbers.extend(row["id"] for row in rows)

        async def read(batch: Sequence[int]) -> dict[int, tuple[Match, sa.RowMapping]]:
            rows = (await connection.execute(sa.select(matches).where(matches.c.id.in_(batch)))).all()
            return {row.id: (_match_of(row), row._mapping) for row in rows}

        count, logged_at = 0, time.monotonic()
        for start in range(0, len(numbers), BATCH):
            # Matches that cannot be read count for nothing; the others keep their order.
            found = await self._damage.whole(list(numbers[start : start + BATCH]), read)
            scratch.add(matches, [row for _, row in found])
            for match, _ in found:
                await count_ratings(scratch.as_connection, match)
            count += len(found)
            if time.monotonic() - logged_at > PROGRESS_SECONDS:
                logged_at = time.monotonic()
                log.info("%d of %d rated matches are counted", start + BATCH, len(numbers))
        return count


async def _mend(connection: Connection, table: sa.Table, differences: Sequence[Difference]) -> None:
    """Store the rows as they are counted; `table` has no columns but those that are compared."""
    key = [column.name for column in table.primary_key]
    if counted := [difference.counted for difference in differences if difference.counted is not None]:
        insert = upsert(table)
        others = {column.name: insert.excluded[column.name] for column in table.c if column.name not in key}
        await connection.execute(insert.on_conflict_do_update(index_elements=key, set_=others), counted)
    if gone := [difference.key for difference in differences if difference.counted is None]:
        is_same = [table.c[name] == sa.bindparam(f"own_{name}") for name in key]
        keys = [{f"own_{name}": value for name, value in one.items()} for one in gone]
        await connection.execute(sa.delete(table).where(*is_same), keys)


async def _replace_steps(connection: Connection, scratch: Scratch, games: Sequence[str] | None) -> None:
    """Write all steps anew: their ids keep the order in which matches were counted."""
    await connection.execute(sa.delete(rating_steps).where(*_of_games(rating_steps, games)))
    for rows in scratch.counted(rating_steps, ROWS_AT_ONCE):
        await connection.execute(sa.insert(rating_steps), rows)


async def _outdated(connection: Connection) -> list[str]:
    """The games whose stored ratings may be of another scale than today's."""
    query = sa.select(facts.c.key, facts.c.value).where(facts.c.key.in_([scale_fact(game) for game in GAMES]))
    stored = {row.key: row.value for row in (await connection.execute(query)).all()}
    return [game for game in GAMES if stored.get(scale_fact(game)) != scale(game)]


async def _is_played(connection: Connection, game: str) -> bool:
    found = [sa.exists().where(table.c.game == game) for table in (matches, records)]
    return bool(await connection.scalar(sa.select(sa.or_(*found))))


async def _store_scales(connection: Connection, games: Iterable[str]) -> None:
    insert = upsert(facts)
    statement = insert.on_conflict_do_update(index_elements=["key"], set_={"value": insert.excluded.value})
    values = [{"key": scale_fact(game), "value": scale(game)} for game in games]
    if values:
        await connection.execute(statement, values)


def _of_games(table: sa.Table, games: Sequence[str] | None) -> list[sa.ColumnElement[bool]]:
    if games is None:
        return []
    if table is rating_steps:
        return [table.c.match_id.in_(sa.select(matches.c.id).where(matches.c.game.in_(games)))]
    return [table.c.game.in_(games)]


def _in_order(games: Sequence[str] | None) -> sa.Select[Any]:
    """The ids of all matches that count, in the order in which they were counted.

    Their steps keep that order. Matches that have lost their step come first, by the moment they ended.
    """
    return (
        sa.select(matches.c.id)
        .select_from(matches.outerjoin(rating_steps, rating_steps.c.match_id == matches.c.id))
        .where(
            matches.c.rated.is_(True),
            matches.c.end.is_not(None),
            matches.c.end.not_in(WITHOUT_RESULT),
            matches.c.ended_short.is_(False),
            *_of_games(matches, games),
        )
        .order_by(sa.func.coalesce(rating_steps.c.id, 0), matches.c.touched_at, matches.c.id)
    )


def _match_of(row: sa.Row[Any]) -> Match:
    """Return the match without its moves, which ratings do not depend on; raises one of DAMAGE."""
    states = (game_of(row.game).start(row.board),)
    return MATCH.read(row, states=states, timed_moves=(), rating_changes=())


def _puzzle_places() -> sa.Select[Any]:
    """The rows that `puzzle_places` should have: everywhere, and in each server where a person answered."""
    here = (
        sa.select(attempts.c.guild_id.label("scope"), attempts.c.user_id)
        .where(
            attempts.c.guild_id.is_not(None), attempts.c.counts.is_(True), attempts.c.ended_at.is_not(None)
        )
        .distinct()
    )
    everywhere = sa.select(sa.literal(EVERYWHERE, sa.BigInteger).label("scope"), solvers.c.user_id)
    scopes = sa.union_all(here, everywhere).subquery()
    is_listed = sa.exists().where(
        preferences.c.user_id == solvers.c.user_id, preferences.c.is_listed.is_(True)
    )
    is_hidden = sa.and_(scopes.c.scope == EVERYWHERE, sa.not_(is_listed))
    columns = dict(solvers.c) | {
        "scope": scopes.c.scope,
        "player": sa.cast(solvers.c.user_id, PlayerKey),
        "standing": sa.case((is_hidden, HIDDEN), else_=listed_standing(solvers)),
    }
    return sa.select(*(columns[column.name].label(column.name) for column in puzzle_places.c)).select_from(
        solvers.join(scopes, scopes.c.user_id == solvers.c.user_id)
    )
