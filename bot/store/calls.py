"""Calls: the small messages that called somebody to their turn, noted before they are sent.

A call is written down first, in one transaction with the change that it follows; then it is sent, then its
message is noted; and it is forgotten only when its message is gone. Killed at any moment in between, the bot
still knows what to look for, so what is noted after it was sent may wait for others of its kind.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.match import Match
from bot.domain.shards import Shards
from bot.store.connection import Connection
from bot.store.database import Database, uncancellable
from bot.store.matches import IS_RUNNING, RECENT, matches
from bot.store.shared import Conflict, Instant, IsInstant, id_column, metadata, new_id, on_share

calls = sa.Table(
    "calls",
    metadata,
    id_column(),
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), nullable=False),
    sa.Column("channel_id", sa.BigInteger, nullable=False),
    sa.Column("board_id", sa.BigInteger),
    sa.Column("message_id", sa.BigInteger),
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("called_at", Instant, nullable=False),
    sa.Column("is_done", sa.Boolean, nullable=False),
    sa.Index(None, "match_id"),
)
"""One row a call whose message may still stand; `is_done` once it is to go."""


@dataclass(frozen=True, slots=True)
class Call:
    """A small message that called somebody to their turn, or was about to.

    board_id: the message of the board that it links to. message_id: its own, None where nobody knows it.
    """

    id: int
    match_id: int
    channel_id: int
    board_id: int | None
    turn: int
    called_at: datetime
    message_id: int | None = None


_WAS_CALLED = IsInstant(calls.c.called_at)
"""A damaged row is left where it is, and must keep no other from being read."""

_STANDS = sa.and_(calls.c.message_id.is_not(None), calls.c.is_done.is_(False))

_IS_LOST = sa.and_(calls.c.message_id.is_(None), calls.c.is_done.is_(False))

_TO_ITS_TURN = sa.exists().where(calls.c.match_id == matches.c.id, calls.c.turn == matches.c.turn)
"""There is a call to the match's turn as it is."""

CRASH_WINDOW = timedelta(minutes=2)
"""Changes so close to the last one before a crash may have been stored and not followed by a call."""


@dataclass(slots=True)
class Replacing:
    """What is to become of a match's calls in the transaction that changes it.

    is_called: whether somebody is to be called to it. Afterwards call is the one that is about to be sent, if
    any, and before are those that are to go.
    """

    now: datetime
    is_called: bool
    call: Call | None = None
    before: list[Call] = field(default_factory=list)

    async def __call__(self, connection: Connection, match: Match) -> None:
        self.call, self.before = await _replace(connection, match, self.now, is_called=self.is_called)


class CallStore:
    """What called people to their turns."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def begin(self, match: Match, now: datetime) -> Call:
        """A call that is about to be sent, beside those that stand."""
        return await self._database.change(lambda connection: _insert(connection, match, now))

    @uncancellable
    async def replace(
        self, match: Match, now: datetime, *, is_called: bool
    ) -> tuple[Call | None, list[Call]]:
        """The call that is about to be sent, if anybody is called, and those before it: they are to go.

        Raises Conflict where the match is not so any more: whoever changed it calls to what it is now.
        """

        async def change(connection: Connection) -> tuple[Call | None, list[Call]]:
            stored = (await connection.execute(_VERSION, {"own_id": match.id})).scalar_one_or_none()
            if stored != match.version:
                raise Conflict
            return await _replace(connection, match, now, is_called=is_called)

        return await self._database.change(change)

    @uncancellable
    async def note(
        self, sent: Mapping[int, int], gone: Collection[int], lost: Collection[int] = ()
    ) -> set[int]:
        """Notes the messages of calls, by number, and forgets those whose messages are gone.

        So too those of `lost`, unless their messages are known by now.
        Returns those of the first that are unknown, and whose messages are no other call's: where two
        processes call to one turn at the same moment, Discord makes one message of it.
        """

        async def change(connection: Connection) -> set[int]:
            if gone:
                await connection.execute(_FORGET, [{"key": number} for number in gone])
            found: Sequence[int] = ()
            if sent:
                found = (await connection.execute(_KNOWN, {"numbers": list(sent)})).scalars().all()
            if found:
                values = [{"key": number, "message": sent[number]} for number in found]
                await connection.execute(_NOTE, values)
            if lost:
                await connection.execute(_GIVE_UP, [{"key": number} for number in lost])
            strange = sent.keys() - set(found)
            if not strange:
                return strange
            shared = {"numbers": [sent[number] for number in strange]}
            known = (await connection.execute(_OF_MESSAGES, shared)).scalars().all()
            return {number for number in strange if sent[number] not in known}

        return await self._database.change(change)

    @uncancellable
    async def known(self, match_id: int, among: Collection[int], since: datetime) -> tuple[set[int], bool]:
        """The messages of the match's calls, as far as anybody knows them, and whether one is being sent.

        among: with those of these that are calls to other matches. since: when one may have been begun that
        still is; who began an earlier one has ended.
        """
        query = sa.select(calls.c.message_id, calls.c.is_done, calls.c.called_at)
        is_meant = sa.or_(calls.c.match_id == match_id, calls.c.message_id.in_(among))
        query = query.where(is_meant, _WAS_CALLED)
        async with self._database.reading() as connection:
            found = (await connection.execute(query)).all()
        messages = {row.message_id for row in found if row.message_id is not None}
        return messages, any(
            row.message_id is None and not row.is_done and row.called_at >= since for row in found
        )

    @uncancellable
    async def unknown(self, match: Match) -> Call | None:
        """The last call to the match's turn as it is now whose message nobody knows."""
        where = (calls.c.match_id == match.id, calls.c.turn == match.turn, _IS_LOST, _WAS_CALLED)
        query = sa.select(calls).where(*where)
        async with self._database.reading() as connection:
            row = (await connection.execute(query.order_by(calls.c.id.desc()).limit(1))).first()
        return None if row is None else _call_of(row)

    @uncancellable
    async def stand(self, match: Match, since: datetime | None = None) -> bool:
        """Whether somebody was called to the match's turn as it is now, since then."""
        query = sa.select(calls.c.id).where(calls.c.match_id == match.id, calls.c.turn == match.turn, _STANDS)
        if since is not None:
            query = query.where(calls.c.called_at >= since)
        async with self._database.reading() as connection:
            return (await connection.execute(query.limit(1))).first() is not None

    @uncancellable
    async def missing(self, limit: int) -> list[int]:
        """Running matches for whose turn no call stands, and one should.

        Those of two people that were changed last, or whose call was about to be sent, and those whose clock
        was to be warned of, as far as their call may be another.
        """
        is_of_people = sa.and_(matches.c.first_level.is_(None), matches.c.second_level.is_(None))
        is_warned = matches.c.warned_turn == matches.c.turn
        async with self._database.reading() as connection:
            # No index has the last change of all; that of one that is over and began long ago is not missed.
            number = await connection.scalar(sa.select(sa.func.max(matches.c.id)))
            if number is None:
                return []
            newest = sa.select(sa.func.max(matches.c.touched_at)).where(IsInstant(matches.c.touched_at))
            places = (IS_RUNNING, matches.c.id > number - RECENT)
            found = [await connection.scalar(newest.where(place)) for place in places]
            last = max((at for at in found if at is not None), default=None)
            if last is None:
                return []
            is_late = matches.c.touched_at >= last - CRASH_WINDOW
            is_called = sa.or_(sa.and_(is_of_people, sa.or_(is_late, _TO_ITS_TURN)), is_warned)
            is_missing = sa.or_(
                ~_TO_ITS_TURN.where(_STANDS), sa.and_(is_warned, _TO_ITS_TURN.where(_IS_LOST))
            )
            mine = self._database.mine(matches.c.guild_id)
            query = sa.select(matches.c.id).where(matches.c.end.is_(None), is_called, is_missing, *mine)
            ordered = query.order_by(matches.c.id).limit(limit)
            return list((await connection.execute(ordered)).scalars().all())

    @uncancellable
    async def left_behind(self, limit: int) -> list[Call]:
        """Calls that have done their work and whose messages may still stand, the oldest first.

        Of more than the limit the latest: those that nobody can take back keep no other from going.
        """
        query = _left_behind(self._database.share, limit)

        async def read(connection: Connection) -> list[Call]:
            return [_call_of(row) for row in reversed((await connection.execute(query)).all())]

        return await self._database.ask(read)


@lru_cache(maxsize=16)
def _left_behind(share: Shards | None, limit: int) -> sa.Select[Any]:
    is_past = sa.or_(calls.c.is_done, calls.c.turn != matches.c.turn, matches.c.end.is_not(None))
    where = (is_past, _WAS_CALLED, *on_share(matches.c.guild_id, share))
    return sa.select(calls).join(matches).where(*where).order_by(calls.c.id.desc()).limit(limit)


# What every move asks, built once: SQLAlchemy takes longer to build a statement than SQLite to run it.
_DONE = (
    sa.update(calls).where(calls.c.match_id == sa.bindparam("own_id")).values(is_done=True).returning(calls)
)
_VERSION = sa.select(matches.c.version).where(matches.c.id == sa.bindparam("own_id"))
_INSERT = sa.insert(calls)
_NUMBERS: sa.BindParameter[Any] = sa.bindparam("numbers", expanding=True)
_KNOWN = sa.select(calls.c.id).where(calls.c.id.in_(_NUMBERS))
_OF_MESSAGES = sa.select(calls.c.message_id).where(calls.c.message_id.in_(_NUMBERS))
_NOTE = (
    sa.update(calls)
    .where(calls.c.id == sa.bindparam("key"))
    .values(message_id=sa.bindparam("message", type_=sa.BigInteger))
)
_FORGET = sa.delete(calls).where(calls.c.id == sa.bindparam("key"))
_GIVE_UP = _FORGET.where(calls.c.message_id.is_(None))


async def _replace(
    connection: Connection, match: Match, now: datetime, *, is_called: bool
) -> tuple[Call | None, list[Call]]:
    before = [_call_of(row) for row in (await connection.execute(_DONE, {"own_id": match.id})).all()]
    return await _insert(connection, match, now) if is_called else None, before


async def _insert(connection: Connection, match: Match, now: datetime) -> Call:
    call = Call(0, match.id, match.location.channel_id, match.location.message_id, match.turn, now)
    values = {
        "match_id": call.match_id,
        "channel_id": call.channel_id,
        "board_id": call.board_id,
        "turn": call.turn,
        "called_at": call.called_at,
        "is_done": False,
    }
    return replace(call, id=new_id(await connection.execute(_INSERT, values)))


def _call_of(row: sa.Row[Any]) -> Call:
    return Call(row.id, row.match_id, row.channel_id, row.board_id, row.turn, row.called_at, row.message_id)
