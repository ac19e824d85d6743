"""What boards are made of, made anew from ratings and awards: standings, places at puzzles, and counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from bot.store.achievements import achievements
from bot.store.connection import Connection
from bot.store.medals import is_settled
from bot.store.preferences import preferences
from bot.store.puzzle_tables import attempts, puzzle_places, solvers
from bot.store.rank_tallies import (
    EVER,
    EVERYWHERE,
    HIDDEN,
    PROVISIONAL,
    PUZZLES,
    SETTLED,
    is_person,
    step_in,
    tallies,
)
from bot.store.ratings import records
from bot.store.seasons import season_records
from bot.store.shared import PlayerKey
from bot.store.totals import EVERYBODY, achievement_totals
from bot.store.words import Word

BOARDS = (records, season_records, puzzle_places)
"""The tables whose rows stand on boards."""


async def board_faults(connection: Connection) -> tuple[str, ...]:
    """A line for each table that is not as ratings and choices make it."""
    found = []
    places = _without_standing(puzzle_places)
    for title, stored, counted in (
        ("puzzle_places", sa.select(*places), _places()),
        ("tallies", sa.select(*tallies.c).where(tallies.c.people > 0), _tallied()),
        (
            "achievement_totals",
            sa.select(*achievement_totals.c).where(achievement_totals.c.people > 0),
            _totalled(),
        ),
    ):
        if rows := await _differing(connection, stored, counted):
            found.append(f"{title}: {rows} rows are not as they are counted")
    for table in BOARDS:
        wrong = sa.select(sa.func.count()).select_from(table).where(table.c.standing != _standing(table))
        if rows := int(await connection.scalar(wrong) or 0):
            found.append(f"{table.name}: {rows} rows stand where they should not")
    return tuple(found)


async def recount_boards(connection: Connection) -> None:
    """Makes all of it anew."""
    await connection.execute(sa.delete(puzzle_places))
    names = [column.name for column in _without_standing(puzzle_places)]
    await connection.execute(sa.insert(puzzle_places).from_select(names, _places()))
    for table in BOARDS:
        standing = _standing(table)
        wrong = table.c.standing != standing
        await connection.execute(sa.update(table).where(wrong).values(standing=standing))
    for table, counted in ((tallies, _tallied()), (achievement_totals, _totalled())):
        await connection.execute(sa.delete(table))
        names = [column.name for column in table.c]
        await connection.execute(sa.insert(table).from_select(names, counted))


async def _differing(connection: Connection, one: sa.Select[Any], other: sa.Select[Any]) -> int:
    """How many rows one of them has and the other has not."""
    both = [
        sa.select(sa.func.count()).select_from(sa.except_(sa.select(a), sa.select(b)).subquery())
        for one_, other_ in ((one, other), (other, one))
        for a, b in ((one_.subquery(), other_.subquery()),)
    ]
    return sum([int(await connection.scalar(query) or 0) for query in both])


def _without_standing(table: sa.Table) -> Sequence[sa.Column[Any]]:
    return [column for column in table.c if column.name != "standing"]


def _places() -> sa.Select[Any]:
    """Everybody who has answered a puzzle that counts: everywhere, and in each server where they did."""
    here = (
        sa.select(attempts.c.guild_id.label("scope"), attempts.c.user_id)
        .where(
            attempts.c.guild_id.is_not(None), attempts.c.counts.is_(True), attempts.c.ended_at.is_not(None)
        )
        .distinct()
    )
    everywhere = sa.select(sa.literal(EVERYWHERE, sa.BigInteger).label("scope"), solvers.c.user_id)
    scopes = sa.union_all(here, everywhere).subquery()
    key = {"scope": scopes.c.scope, "player": sa.cast(solvers.c.user_id, PlayerKey).label("player")}
    columns = [
        key[column.name] if column.name in key else solvers.c[column.name]
        for column in _without_standing(puzzle_places)
    ]
    return sa.select(*columns).select_from(solvers.join(scopes, scopes.c.user_id == solvers.c.user_id))


def _standing(table: sa.Table) -> sa.ColumnElement[int]:
    listed = sa.select(sa.cast(preferences.c.user_id, PlayerKey)).where(preferences.c.is_listed.is_(True))
    is_hidden = sa.and_(table.c.scope == EVERYWHERE, is_person(table), table.c.player.not_in(listed))
    if table is season_records:
        is_hidden = sa.false()
    return sa.case((is_hidden, HIDDEN), (is_settled(table), SETTLED), else_=PROVISIONAL)


def _tallied() -> sa.Select[Any]:
    """The tallies as the rows of the boards give them."""
    parts = []
    for table in BOARDS:
        key = {
            "scope": table.c.scope,
            "game": table.c.game if "game" in table.c else sa.literal(PUZZLES, Word),
            "season": table.c.season if "season" in table.c else sa.literal(EVER, sa.String),
            "is_agent": table.c.is_agent if "is_agent" in table.c else sa.false(),
            "standing": table.c.standing,
            "step": step_in(table.c.points),
        }
        rows = sa.select(*(value.label(name) for name, value in key.items())).where(
            table.c.standing != HIDDEN
        )
        parts.append(rows)
    shown = sa.union_all(*parts).subquery()
    return sa.select(*shown.c, sa.func.count().label("people")).group_by(*shown.c)


def _totalled() -> sa.Select[Any]:
    """The totals as awards and ratings give them."""
    rated = sa.select(records.c.player).distinct().where(is_person(records)).subquery()
    people = sa.func.count().label("people")
    parts = sa.union_all(
        sa.select(achievements.c.key, people).group_by(achievements.c.key),
        sa.select(sa.literal(EVERYBODY, sa.String).label("key"), people).select_from(rated),
    ).subquery()
    return sa.select(parts.c.key, parts.c.people).where(parts.c.people > 0)
