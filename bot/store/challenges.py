"""Challenges: invitations to play, and the matches that come of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.challenge import MAX_OPEN, MAX_OPEN_TO_ONE, MAX_TABLES, Challenge, ChallengeStatus
from bot.domain.errors import MatchError, SetupError
from bot.domain.match import Match
from bot.domain.outgoing import Handover
from bot.domain.shards import Shards
from bot.store.beginnings import REMATCH, check_room, check_running, insert_match, seated_in_turn
from bot.store.connection import Connection
from bot.store.damage import Damage
from bot.store.database import Database, Store, uncancellable
from bot.store.lobby import check_meeting, shut_out
from bot.store.outgoing import hand_over
from bot.store.players import name_players
from bot.store.rows import RowMapper, seat, store_change
from bot.store.shared import SENDING_FOR, Instant, ShownName, Values, id_column, metadata, on_share

MOST_TABLES = 100
"""How many open tables of all servers are looked at: a lobby shows fewer."""

challenges = sa.Table(
    "challenges",
    metadata,
    id_column(),
    sa.Column("challenger_user", sa.BigInteger, nullable=False),
    sa.Column("challenger_name", ShownName, nullable=False),
    sa.Column("opponent_user", sa.BigInteger),
    sa.Column("opponent_name", ShownName),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("board", sa.String(16), nullable=False),
    sa.Column("first", sa.String(16), nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("channel_id", sa.BigInteger, nullable=False),
    sa.Column("message_id", sa.BigInteger),
    sa.Column("locale", sa.String(16), nullable=False),
    sa.Column("parent_id", sa.BigInteger),
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("clock_seconds", sa.Integer),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("rematch_of", sa.BigInteger),
    sa.Column("match_id", sa.ForeignKey("matches.id")),
    sa.Column("fair", sa.String(16), nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Column("shown_version", sa.Integer, nullable=False, server_default="-1"),
    sa.Column("is_table", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Index(None, "status", "expires_at"),
    sa.Index(None, "rematch_of"),
)

CHALLENGE = RowMapper(
    challenges,
    Challenge,
    but=("shown_version",),
    challenger=seat("challenger_user", "challenger_name"),
    opponent=seat("opponent_user", "opponent_name"),
)


class ChallengeStore(Store):
    """Loads, sends and changes invitations."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._damage = Damage("invitation")

    @uncancellable
    async def add(self, challenge: Challenge) -> Challenge:
        """Store a new challenge and return it with its id, or else the open one that it answers.

        Of two crossing ones the second finds the first in this transaction. Raises SetupError if too many are
        open, and MatchError for a rematch that was asked for or has begun, or where the two must not meet.
        """

        async def invite(connection: Connection) -> Challenge:
            for one in await self._between(connection, challenge):
                if one.is_answered_by(challenge):
                    return one
                if challenge.opponent is not None and one.rematch_of == challenge.rematch_of is not None:
                    raise MatchError("rematch_already_asked", name=challenge.opponent.name)
            if challenge.rematch_of is not None:
                rematch = await connection.execute(REMATCH, {"match_id": challenge.rematch_of})
                if rematch.first() is not None:
                    raise MatchError("already_rematched")
            if challenge.is_table and challenge.opponent is not None:
                people = challenge.challenger.user_id, challenge.opponent.user_id
                await _check_meeting(connection, challenge, *people, challenge.location.guild_id)
                # Each request pings a stranger, who could not keep the next one away by declining.
                asked = {"match_id": challenge.rematch_of, "person": people[0], "now": challenge.created_at}
                if await connection.scalar(_ASKED, asked) is not None:
                    raise MatchError("rematch_asked_once")
            await _check_room(connection, challenge)
            await name_players(connection, (challenge.challenger, challenge.opponent))
            return replace(challenge, id=await CHALLENGE.add(connection, challenge))

        return await self._database.change(invite)

    async def _between(self, connection: Connection, challenge: Challenge) -> list[Challenge]:
        """Return the open challenges of the same two people, to each other."""
        if challenge.opponent is None:
            return []
        people = {"one": challenge.challenger.user_id, "other": challenge.opponent.user_id}
        numbers = await connection.execute(_BETWEEN, people | {"now": challenge.created_at})
        return await read_challenges(connection, self._damage, numbers.scalars().all())

    @uncancellable
    async def save(self, before: Challenge, after: Challenge) -> None:
        """Store a change; raise Conflict."""
        await self._database.change(lambda connection: store_change(connection, CHALLENGE, before, after))

    @uncancellable
    async def accept(
        self,
        before: Challenge,
        after: Challenge,
        match: Match,
        handover: Handover | None = None,
        *,
        most: int,
    ) -> tuple[Challenge, Match]:
        """Store an accepted challenge and its match, both or neither; raise Conflict.

        handover: of a match between servers; where the two must not meet, raises SetupError, or MatchError
        for a rematch.
        most: how many matches a person may have running; raises SetupError beyond that.
        """
        asker = before.challenger
        accepts_first = sorted(match.seats, key=lambda seat: seat.user_id == asker.user_id)

        async def begin(connection: Connection) -> tuple[Challenge, Match]:
            await check_running(connection, accepts_first, most)
            await check_room(connection, match)
            if handover is not None:
                numbers = [one for seat in match.seats for one in (seat.user_id, seat.guild_id)]
                await _check_meeting(connection, before, *numbers)
            stored = await insert_match(connection, await seated_in_turn(connection, match))
            accepted = replace(after, match_id=stored.id)
            await store_change(connection, CHALLENGE, before, accepted)
            if handover is not None:
                await hand_over(connection, handover, handover.note(stored))
            return accepted, stored

        return await self._database.change(begin)

    @uncancellable
    async def find(self, challenge_id: int) -> Challenge | None:
        read = await self._database.ask(
            lambda connection: read_challenges(connection, self._damage, [challenge_id])
        )
        return read[0] if read else None

    @uncancellable
    async def open_in(self, channel_id: int) -> list[Challenge]:
        """Return the open challenges of that channel."""
        return await self._challenges(_OPEN_IN, {"channel": channel_id})

    @uncancellable
    async def tables(self, now: datetime) -> list[Challenge]:
        """Return the newest open tables, the newest first, but those of people and servers shut out."""
        return await self._challenges(_TABLES, {"now": now})

    @uncancellable
    async def open_among(self, challenge_ids: Collection[int]) -> set[int]:
        """Return the open ones of these."""

        async def read(connection: Connection) -> set[int]:
            found = await connection.execute(_OPEN_AMONG, {"numbers": list(challenge_ids)})
            return {*found.scalars()}

        return await self._database.ask(read)

    @uncancellable
    async def open_of(self, user_id: int) -> list[Challenge]:
        """Return the open challenges from and to that person."""
        return await self._challenges(_OPEN_OF, {"person": user_id})

    @uncancellable
    async def due(self, now: datetime) -> list[Challenge]:
        """Return the open challenges that have expired."""
        return await self._challenges(_due(self._database.share), {"now": now})

    @uncancellable
    async def of_match(self, match_id: int) -> Challenge | None:
        """Return the accepted challenge that led to the match, until it is deleted."""
        accepted = await self._challenges(_numbers(challenges.c.match_id == match_id), {})
        return accepted[0] if accepted else None

    @uncancellable
    async def stale(self, limit: int) -> list[Challenge]:
        """Return those whose message displays an older version, and finished ones without a message."""
        return await self._challenges(_stale(self._database.share, limit), {})

    async def _challenges(self, query: sa.Select[Any], values: Values) -> list[Challenge]:
        """Return the challenges whose numbers the query gives."""

        async def read(connection: Connection) -> list[Challenge]:
            numbers = (await connection.execute(query, values)).scalars().all()
            return await read_challenges(connection, self._damage, numbers)

        return await self._database.ask(read)


@lru_cache(maxsize=16)
def _stale(share: Shards | None, limit: int) -> sa.Select[Any]:
    is_over = challenges.c.status != ChallengeStatus.OPEN.value
    where = (
        challenges.c.shown_version < challenges.c.version,
        sa.or_(challenges.c.message_id.is_not(None), is_over),
    )
    mine = on_share(challenges.c.guild_id, share)
    return sa.select(challenges.c.id).where(*where, *mine).order_by(challenges.c.id).limit(limit)


@lru_cache(maxsize=16)
def _due(share: Shards | None) -> sa.Select[tuple[int]]:
    is_due = challenges.c.expires_at <= sa.bindparam("now")
    where = (challenges.c.status == ChallengeStatus.OPEN.value, is_due)
    return _numbers(*where, *on_share(challenges.c.guild_id, share))


_SELECT = sa.select(challenges).where(challenges.c.id.in_(sa.bindparam("numbers", expanding=True)))
_ROOM = sa.select(
    sa.func.count().label("open"),
    sa.func.count().filter(challenges.c.opponent_user == sa.bindparam("opponent")).label("to_one"),
    sa.func.count()
    .filter(challenges.c.is_table.is_(True), challenges.c.opponent_user.is_(None))
    .label("tables"),
).where(
    challenges.c.status == ChallengeStatus.OPEN.value,
    challenges.c.challenger_user == sa.bindparam("own_user"),
    challenges.c.expires_at > sa.bindparam("now"),
    # One whose message was never sent, because the process ended at that moment, cannot be answered.
    sa.or_(challenges.c.message_id.is_not(None), challenges.c.created_at > sa.bindparam("sending_since")),
)
"""The number of challenges that `own_user` has open at the time `now`, in all and to `opponent`."""


def _numbers(*where: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return sa.select(challenges.c.id).where(*where).order_by(challenges.c.id)


# An invitation is open for half an hour, so few are: the index of the status alone is enough for these.
_IS_OPEN = challenges.c.status == ChallengeStatus.OPEN.value
_PERSON: sa.BindParameter[Any] = sa.bindparam("person")
_OPEN_IN = _numbers(_IS_OPEN, challenges.c.channel_id == sa.bindparam("channel"))
_OPEN_OF = _numbers(
    _IS_OPEN, sa.or_(challenges.c.challenger_user == _PERSON, challenges.c.opponent_user == _PERSON)
)

_OPEN_AMONG = _numbers(_IS_OPEN, challenges.c.id.in_(sa.bindparam("numbers", expanding=True)))
# Closed ones, too, until they are deleted.
_ASKED = _numbers(
    challenges.c.rematch_of == sa.bindparam("match_id"),
    challenges.c.challenger_user == _PERSON,
    challenges.c.expires_at > sa.bindparam("now"),
).limit(1)

_OUT = sa.select(shut_out.c.number)
_TABLES = (
    sa.select(challenges.c.id)
    .where(
        _IS_OPEN,
        challenges.c.is_table.is_(True),
        challenges.c.expires_at > sa.bindparam("now"),
        challenges.c.message_id.is_not(None),
        challenges.c.challenger_user.not_in(_OUT),
        challenges.c.guild_id.not_in(_OUT),
    )
    .order_by(challenges.c.id.desc())
    .limit(MOST_TABLES)
)

_ONE: sa.BindParameter[Any] = sa.bindparam("one")
_OTHER: sa.BindParameter[Any] = sa.bindparam("other")
_BETWEEN = _numbers(
    _IS_OPEN,
    challenges.c.expires_at > sa.bindparam("now"),
    sa.or_(
        sa.and_(challenges.c.challenger_user == _ONE, challenges.c.opponent_user == _OTHER),
        sa.and_(challenges.c.challenger_user == _OTHER, challenges.c.opponent_user == _ONE),
    ),
)


async def find_challenges(connection: Connection, damage: Damage) -> list[Challenge]:
    """Return all challenges that can be read; the others are noted as damaged."""
    return await read_challenges(connection, damage, (await connection.execute(_numbers())).scalars().all())


async def read_challenges(connection: Connection, damage: Damage, numbers: Sequence[int]) -> list[Challenge]:
    """Return the challenges of these numbers, in this order; damaged ones are noted and left out."""

    async def read(batch: Sequence[int]) -> dict[int, Challenge]:
        rows = (await connection.execute(_SELECT, {"numbers": list(batch)})).all()
        return {row.id: CHALLENGE.read(row) for row in rows}

    return await damage.whole(numbers, read)


async def _check_meeting(connection: Connection, challenge: Challenge, *ids: int | None) -> None:
    """As `check_meeting`; MatchError for a rematch, as where a server takes no tables any more."""
    try:
        await check_meeting(connection, *ids)
    except SetupError:
        if challenge.rematch_of is None:
            raise
        # Any other answer would tell one that the other has turned them away.
        raise MatchError("no_rematch_between") from None


async def _check_room(connection: Connection, challenge: Challenge) -> None:
    """Raise SetupError if too many are open, in the transaction that stores it: two requests may race."""
    opponent = challenge.opponent
    values = {
        "own_user": challenge.challenger.user_id,
        "opponent": opponent and opponent.user_id,
        "now": challenge.created_at,
        "sending_since": challenge.created_at - SENDING_FOR,
    }
    count = (await connection.execute(_ROOM, values)).one()
    if count.open >= MAX_OPEN:
        raise SetupError("too_many_challenges", limit=MAX_OPEN)
    if challenge.is_table and opponent is None and count.tables >= MAX_TABLES:
        raise SetupError("too_many_tables", limit=MAX_TABLES)
    if opponent is not None and count.to_one >= MAX_OPEN_TO_ONE:
        raise SetupError("too_many_challenges_to", name=opponent.name, limit=MAX_OPEN_TO_ONE)
