"""Store: every question and every change of the database, each in one short transaction."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as upsert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from bot.challenge import Challenge, ChallengeStatus
from bot.match import Match, Seat
from bot.ratings import Record, rate
from bot.store import rows
from bot.store.database import open_database
from bot.store.tables import challenges, facts, hints, matches, moves, notices, players, records
from engine.core import Player

P = ParamSpec("P")
T = TypeVar("T")

EVERYWHERE = 0
"""The scope of the global ratings; no server has this id."""


class Conflict(Exception):
    """Somebody else was faster since the match or challenge was loaded; nothing was stored."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A small message that called somebody to their turn."""

    channel_id: int
    message_id: int


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


def _whole(
    method: Callable[Concatenate[Store, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Store, P], Coroutine[Any, Any, T]]:
    """Runs the method to its end even when whoever asked is cancelled meanwhile.

    A transaction that was cut off would cost its connection, and a search that is no longer wanted, or the
    bot's end, cancels at any moment.
    """

    @functools.wraps(method)
    async def run(self: Store, /, *args: P.args, **kwargs: P.kwargs) -> T:
        task = asyncio.create_task(method(self, *args, **kwargs))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)

    return run


class Store:
    """The database of one process. Reads and writes wait for one another: SQLite has one writer."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._under_way: set[asyncio.Task[Any]] = set()

    @classmethod
    async def open(cls, url: str) -> Self:
        return cls(await open_database(url))

    async def close(self) -> None:
        """Lets every transaction that was begun come to its end first."""
        while self._under_way:
            await asyncio.wait(tuple(self._under_way))
        await self._engine.dispose()

    # Matches

    @_whole
    async def add_match(self, match: Match) -> Match:
        """The match with its new id."""
        async with self._engine.begin() as connection:
            return await _insert_match(connection, match)

    @_whole
    async def save_match(self, before: Match, after: Match) -> None:
        """Stores the change from `before` to `after`, and rates the match if it ends it; raises Conflict.

        One transaction: of two changes made from the same version exactly one is stored.
        """
        async with self._engine.begin() as connection:
            changed = await connection.execute(
                sa.update(matches)
                .where(matches.c.id == before.id, matches.c.version == before.version)
                .values(rows.match_values(after))
            )
            if changed.rowcount != 1:
                raise Conflict
            kept = min(len(before.turns), len(after.turns))
            if len(before.turns) > kept:
                await connection.execute(
                    sa.delete(moves).where(moves.c.match_id == after.id, moves.c.ply >= kept)
                )
            if len(after.turns) > kept:
                await connection.execute(
                    sa.insert(moves),
                    [
                        rows.turn_values(after.id, ply, turn)
                        for ply, turn in enumerate(after.turns[kept:], start=kept)
                    ],
                )
            if before.result is None and after.result is not None:
                await _count_result(connection, after)

    @_whole
    async def match(self, match_id: int) -> Match | None:
        async with self._engine.connect() as connection:
            found = await _matches(connection, matches.c.id == match_id)
        return found[0] if found else None

    @_whole
    async def running_matches(self, user_id: int | None = None, channel_id: int | None = None) -> list[Match]:
        """The running matches of a user (None: of everybody), the one touched last first."""
        where: list[sa.ColumnElement[bool]] = [matches.c.end.is_(None)]
        if user_id is not None:
            where.append(_seats(user_id))
        if channel_id is not None:
            where.append(matches.c.channel_id == channel_id)
        async with self._engine.connect() as connection:
            return await _matches(
                connection, *where, order=(matches.c.touched_at.desc(), matches.c.id.desc())
            )

    @_whole
    async def finished_matches(self, user_id: int, limit: int, channel_id: int | None = None) -> list[Match]:
        """The user's last matches that are over, the latest first."""
        where: list[sa.ColumnElement[bool]] = [matches.c.end.is_not(None), _seats(user_id)]
        if channel_id is not None:
            where.append(matches.c.channel_id == channel_id)
        async with self._engine.connect() as connection:
            return await _matches(
                connection, *where, order=(matches.c.touched_at.desc(), matches.c.id.desc()), limit=limit
            )

    @_whole
    async def count_running(self, user_id: int) -> int:
        query = sa.select(sa.func.count()).where(matches.c.end.is_(None), _seats(user_id))
        async with self._engine.connect() as connection:
            return int((await connection.execute(query)).scalar_one())

    @_whole
    async def count_watched(self, channel_id: int) -> int:
        """How many matches between agents run in the channel."""
        query = sa.select(sa.func.count()).where(
            matches.c.end.is_(None),
            matches.c.channel_id == channel_id,
            matches.c.first_level.is_not(None),
            matches.c.second_level.is_not(None),
        )
        async with self._engine.connect() as connection:
            return int((await connection.execute(query)).scalar_one())

    @_whole
    async def last_touched_matches(self, window: timedelta) -> list[Match]:
        """The matches, over or not, that were changed within `window` before the very last change."""
        async with self._engine.connect() as connection:
            last = (await connection.execute(sa.select(sa.func.max(matches.c.touched_at)))).scalar_one()
            if last is None:
                return []
            return await _matches(connection, matches.c.touched_at >= last - window)

    @_whole
    async def due_matches(self, now: datetime) -> list[Match]:
        """The running matches whose clock wants a look."""
        async with self._engine.connect() as connection:
            return await _matches(connection, matches.c.due_at <= now, order=(matches.c.due_at,))

    # Challenges

    @_whole
    async def add_challenge(self, challenge: Challenge) -> Challenge:
        """The challenge with its new id."""
        async with self._engine.begin() as connection:
            await _name_players(connection, (challenge.challenger, challenge.opponent))
            done = await connection.execute(sa.insert(challenges).values(rows.challenge_values(challenge)))
            return replace(challenge, id=_new_id(done))

    @_whole
    async def save_challenge(self, before: Challenge, after: Challenge) -> None:
        """Stores the change; raises Conflict."""
        async with self._engine.begin() as connection:
            await _update_challenge(connection, before, after)

    @_whole
    async def accept_challenge(
        self, before: Challenge, after: Challenge, match: Match
    ) -> tuple[Challenge, Match]:
        """Stores an accepted challenge and the match that comes of it, both or none; raises Conflict."""
        async with self._engine.begin() as connection:
            stored = await _insert_match(connection, match)
            after = replace(after, match_id=stored.id)
            await _update_challenge(connection, before, after)
            return after, stored

    @_whole
    async def challenge(self, challenge_id: int) -> Challenge | None:
        async with self._engine.connect() as connection:
            found = await _challenges(connection, challenges.c.id == challenge_id)
        return found[0] if found else None

    async def open_challenges(
        self, *, due: datetime | None = None, challenger: int | None = None, rematch_of: int | None = None
    ) -> list[Challenge]:
        """The open challenges that expire by `due`, of that challenger, for that rematch."""
        where: list[sa.ColumnElement[bool]] = [challenges.c.status == ChallengeStatus.OPEN.value]
        if due is not None:
            where.append(challenges.c.expires_at <= due)
        if challenger is not None:
            where.append(challenges.c.challenger_user == challenger)
        if rematch_of is not None:
            where.append(challenges.c.rematch_of == rematch_of)
        async with self._engine.connect() as connection:
            return await _challenges(connection, *where)

    @_whole
    async def rematch_match(self, match_id: int) -> Match | None:
        """The match that was begun as the rematch of that one."""
        async with self._engine.connect() as connection:
            found = await _matches(connection, matches.c.rematch_of == match_id)
        return found[0] if found else None

    # Ratings

    @_whole
    async def leaderboard(
        self, scope: int, game: str, *, is_agent: bool, offset: int, limit: int
    ) -> LeaderboardPage:
        """Rows from rank `offset` + 1 on."""
        board = _ranked(scope, game, is_agent)
        async with self._engine.connect() as connection:
            total = (await connection.execute(sa.select(sa.func.count()).select_from(board))).scalar_one()
            query = sa.select(board).order_by(board.c.rank, board.c.player).offset(offset).limit(limit)
            found = (await connection.execute(query)).all()
        return LeaderboardPage(tuple(map(_ranked_of, found)), int(total))

    @_whole
    async def ranked(self, scope: int, game: str, user_id: int) -> RankedRecord | None:
        """A person's own row."""
        board = _ranked(scope, game, is_agent=False)
        async with self._engine.connect() as connection:
            query = sa.select(board).where(board.c.player == str(user_id))
            found = (await connection.execute(query)).first()
        return None if found is None else _ranked_of(found)

    # Notices, names and facts

    @_whole
    async def add_notice(self, match_id: int, notice: Notice) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(
                sa.insert(notices).values(
                    match_id=match_id, channel_id=notice.channel_id, message_id=notice.message_id
                )
            )

    @_whole
    async def take_notices(self, match_id: int) -> list[Notice]:
        """The notices of a match, which are forgotten by this."""
        async with self._engine.begin() as connection:
            query = sa.delete(notices).where(notices.c.match_id == match_id).returning(*notices.c)
            found = (await connection.execute(query)).all()
        return [Notice(row.channel_id, row.message_id) for row in found]

    @_whole
    async def take_hint(self, match_id: int, user_id: int, most: int) -> int | None:
        """Which hint of theirs in the match this is, from 1; None, and nothing stored, beyond `most`."""
        async with self._engine.begin() as connection:
            where = (hints.c.match_id == match_id, hints.c.user_id == user_id)
            used = (await connection.execute(sa.select(hints.c.used).where(*where))).scalar_one_or_none() or 0
            if used >= most:
                return None
            values = {"used": used + 1}
            await connection.execute(
                upsert(hints)
                .values(match_id=match_id, user_id=user_id, **values)
                .on_conflict_do_update(index_elements=["match_id", "user_id"], set_=values)
            )
            return used + 1

    @_whole
    async def name_of(self, user_id: int) -> str | None:
        """What the person was last called, if they were ever seen."""
        query = sa.select(players.c.name).where(
            players.c.is_agent.is_(False), players.c.player == str(user_id)
        )
        async with self._engine.connect() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    @_whole
    async def fact(self, key: str) -> str | None:
        async with self._engine.connect() as connection:
            query = sa.select(facts.c.value).where(facts.c.key == key)
            return (await connection.execute(query)).scalar_one_or_none()

    @_whole
    async def remember(self, key: str, value: str) -> None:
        async with self._engine.begin() as connection:
            await connection.execute(
                upsert(facts)
                .values(key=key, value=value)
                .on_conflict_do_update(index_elements=["key"], set_={"value": value})
            )


def _seats(user_id: int) -> sa.ColumnElement[bool]:
    return sa.or_(matches.c.first_user == user_id, matches.c.second_user == user_id)


def _new_id(done: sa.CursorResult[Any]) -> int:
    key = done.inserted_primary_key
    if key is None:
        raise RuntimeError("the database gave the new row no id")
    return int(key[0])


async def _matches(
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


async def _insert_match(connection: AsyncConnection, match: Match) -> Match:
    await _name_players(connection, match.seats)
    try:
        done = await connection.execute(sa.insert(matches).values(rows.match_values(match)))
    except sa.exc.IntegrityError as error:
        raise Conflict from error  # a match has one rematch at most
    return replace(match, id=_new_id(done))


async def _challenges(connection: AsyncConnection, *where: sa.ColumnElement[bool]) -> list[Challenge]:
    query = sa.select(challenges).where(*where).order_by(challenges.c.id)
    return [rows.challenge_of(row) for row in (await connection.execute(query)).all()]


async def _update_challenge(connection: AsyncConnection, before: Challenge, after: Challenge) -> None:
    changed = await connection.execute(
        sa.update(challenges)
        .where(challenges.c.id == before.id, challenges.c.version == before.version)
        .values(rows.challenge_values(after))
    )
    if changed.rowcount != 1:
        raise Conflict


async def _name_players(connection: AsyncConnection, seats: Iterable[Seat | None]) -> None:
    for seat in seats:
        if seat is None:
            continue
        is_agent, player = rows.player_key(seat)
        await connection.execute(
            upsert(players)
            .values(is_agent=is_agent, player=player, name=seat.name)
            .on_conflict_do_update(index_elements=["is_agent", "player"], set_={"name": seat.name})
        )


async def _count_result(connection: AsyncConnection, match: Match) -> None:
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
