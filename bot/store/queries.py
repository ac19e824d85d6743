"""Questions and changes that stores share, each within a transaction that somebody else began."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection

from bot.domain.challenge import Challenge
from bot.domain.match import Match, Seat
from bot.store import rows
from bot.store.tables import challenges, matches, moves, players


class Conflict(Exception):
    """Somebody else was faster since the match or challenge was loaded; nothing was stored."""


def new_id(done: sa.CursorResult[Any]) -> int:
    key = done.inserted_primary_key
    if key is None:
        raise RuntimeError("the database gave the new row no id")
    return int(key[0])


async def find_matches(
    connection: AsyncConnection,
    *where: sa.ColumnElement[bool],
    order: Sequence[sa.ColumnElement[Any]] = (),
    limit: int | None = None,
) -> list[Match]:
    found = (await connection.execute(sa.select(matches).where(*where).order_by(*order).limit(limit))).all()
    turns: dict[int, list[sa.Row[Any]]] = {row.id: [] for row in found}
    query = sa.select(moves).where(moves.c.match_id.in_(turns)).order_by(moves.c.match_id, moves.c.ply)
    for turn in (await connection.execute(query)).all():
        turns[turn.match_id].append(turn)
    return [rows.match_of(row, turns[row.id]) for row in found]


async def insert_match(connection: AsyncConnection, match: Match) -> Match:
    await name_players(connection, match.seats)
    try:
        done = await connection.execute(sa.insert(matches).values(rows.match_values(match)))
    except sa.exc.IntegrityError as error:
        raise Conflict from error  # a match has one rematch at most
    match = replace(match, id=new_id(done))
    if match.turns:
        given = [rows.turn_values(match.id, ply, turn) for ply, turn in enumerate(match.turns)]
        await connection.execute(sa.insert(moves), given)
    return match


async def find_challenges(connection: AsyncConnection, *where: sa.ColumnElement[bool]) -> list[Challenge]:
    query = sa.select(challenges).where(*where).order_by(challenges.c.id)
    return [rows.challenge_of(row) for row in (await connection.execute(query)).all()]


async def update_challenge(connection: AsyncConnection, before: Challenge, after: Challenge) -> None:
    changed = await connection.execute(
        sa.update(challenges)
        .where(challenges.c.id == before.id, challenges.c.version == before.version)
        .values(rows.challenge_values(after))
    )
    if changed.rowcount != 1:
        raise Conflict


async def name_players(connection: AsyncConnection, seats: Iterable[Seat | None]) -> None:
    for seat in seats:
        if seat is None:
            continue
        is_agent, player = rows.player_key(seat)
        await connection.execute(
            upsert(players)
            .values(is_agent=is_agent, player=player, name=seat.name)
            .on_conflict_do_update(index_elements=["is_agent", "player"], set_={"name": seat.name})
        )
