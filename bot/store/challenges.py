"""Challenges: invitations to play, and the matches that come of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.challenge import MOST_OPEN, MOST_TO_ONE, Challenge, ChallengeStatus, First
from bot.domain.errors import SetupError
from bot.domain.match import Fair, Match, Seat
from bot.domain.shards import Shards
from bot.store.connection import Connection
from bot.store.damage import Damage
from bot.store.database import Database, uncancellable
from bot.store.matches import check_running, insert_match
from bot.store.places import PLACE, location_of, location_values
from bot.store.players import name_players
from bot.store.rows import attributes_of, update_over, values_of
from bot.store.shared import SENDING_FOR, Instant, Values, id_column, metadata, new_id, on_share

challenges = sa.Table(
    "challenges",
    metadata,
    id_column(),
    sa.Column("challenger_user", sa.BigInteger, nullable=False),
    sa.Column("challenger_name", sa.String(100), nullable=False),
    sa.Column("opponent_user", sa.BigInteger),
    sa.Column("opponent_name", sa.String(100)),
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
    sa.Index(None, "status", "expires_at"),
    sa.Index(None, "rematch_of"),
)


class ChallengeStore:
    """Invitations."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._damage = Damage("invitation")

    @uncancellable
    async def add(self, challenge: Challenge) -> Challenge:
        """The challenge with its new id; raises SetupError where its challenger has enough of them open."""

        async def invite(connection: Connection) -> Challenge:
            await _check_room(connection, challenge)
            await name_players(connection, (challenge.challenger, challenge.opponent))
            done = await connection.execute(_INSERT, _values(challenge))
            return replace(challenge, id=new_id(done))

        return await self._database.change(invite)

    @uncancellable
    async def save(self, before: Challenge, after: Challenge) -> None:
        """Stores the change; raises Conflict."""
        await self._database.change(
            lambda connection: update_over(connection, challenges, before, _values(after))
        )

    @uncancellable
    async def accept(
        self, before: Challenge, after: Challenge, match: Match, *, most: int
    ) -> tuple[Challenge, Match]:
        """Stores an accepted challenge and the match that comes of it, both or none; raises Conflict.

        most: matches that a person may have running at once; SetupError where one of the two has them.
        """
        asker = before.challenger
        accepts_first = sorted(match.seats, key=lambda seat: seat.user_id == asker.user_id)

        async def begin(connection: Connection) -> tuple[Challenge, Match]:
            await check_running(connection, accepts_first, most)
            stored = await insert_match(connection, match)
            accepted = replace(after, match_id=stored.id)
            await update_over(connection, challenges, before, _values(accepted))
            return accepted, stored

        return await self._database.change(begin)

    @uncancellable
    async def find(self, challenge_id: int) -> Challenge | None:
        found = await self._database.ask(
            lambda connection: read_challenges(connection, self._damage, [challenge_id])
        )
        return found[0] if found else None

    @uncancellable
    async def open(self, *, rematch_of: int | None = None) -> list[Challenge]:
        """The open challenges, for that rematch."""
        where: list[sa.ColumnElement[bool]] = [challenges.c.status == ChallengeStatus.OPEN.value]
        if rematch_of is not None:
            where.append(challenges.c.rematch_of == rematch_of)
        async with self._database.reading() as connection:
            return await find_challenges(connection, self._damage, *where)

    @uncancellable
    async def due(self, now: datetime) -> list[Challenge]:
        """The open challenges whose time is up."""
        numbers = await self._database.numbers(_due(self._database.share), {"now": now})
        if not numbers:
            return []
        async with self._database.reading() as connection:
            return await read_challenges(connection, self._damage, numbers)

    @uncancellable
    async def of_match(self, match_id: int) -> Challenge | None:
        """The accepted one that the match came of, while it is remembered."""
        async with self._database.reading() as connection:
            found = await find_challenges(connection, self._damage, challenges.c.match_id == match_id)
        return found[0] if found else None

    @uncancellable
    async def stale(self, limit: int) -> list[Challenge]:
        """Those whose message shows an older version, and those that are over and have none."""
        numbers = await self._database.numbers(_stale(self._database.share, limit), {})
        if not numbers:
            return []
        async with self._database.reading() as connection:
            return await read_challenges(connection, self._damage, numbers)


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
    """Those still open at the time `now`, although they should not be."""
    is_due = challenges.c.expires_at <= sa.bindparam("now")
    where = (challenges.c.status == ChallengeStatus.OPEN.value, is_due)
    mine = on_share(challenges.c.guild_id, share)
    return sa.select(challenges.c.id).where(*where, *mine).order_by(challenges.c.id)


_INSERT = sa.insert(challenges)
_SELECT = sa.select(challenges).where(challenges.c.id.in_(sa.bindparam("numbers", expanding=True)))
_ROOM = sa.select(
    sa.func.count().label("open"),
    sa.func.count().filter(challenges.c.opponent_user == sa.bindparam("opponent")).label("to_one"),
).where(
    challenges.c.status == ChallengeStatus.OPEN.value,
    challenges.c.challenger_user == sa.bindparam("own_user"),
    challenges.c.expires_at > sa.bindparam("now"),
    # One that was never sent, since the process ended at that moment, can be answered by nobody.
    sa.or_(challenges.c.message_id.is_not(None), challenges.c.created_at > sa.bindparam("sending_since")),
)
"""How many `own_user` has open at the time `now`, and how many of them to `opponent`."""


async def find_challenges(
    connection: Connection, damage: Damage, *where: sa.ColumnElement[bool]
) -> list[Challenge]:
    """Those that can be read; the others are noted as damaged."""
    query = sa.select(challenges.c.id).where(*where).order_by(challenges.c.id)
    return await read_challenges(connection, damage, (await connection.execute(query)).scalars().all())


async def read_challenges(connection: Connection, damage: Damage, numbers: Sequence[int]) -> list[Challenge]:
    """Those of these numbers that can be read, in this order; the others are noted as damaged."""

    async def read(batch: Sequence[int]) -> dict[int, Challenge]:
        rows = (await connection.execute(_SELECT, {"numbers": list(batch)})).all()
        return {row.id: _challenge_of(row) for row in rows}

    return await damage.whole(numbers, read)


async def _check_room(connection: Connection, challenge: Challenge) -> None:
    """In the transaction that stores it, so that nobody has more by asking twice at once."""
    opponent = challenge.opponent
    values = {
        "own_user": challenge.challenger.user_id,
        "opponent": opponent and opponent.user_id,
        "now": challenge.created_at,
        "sending_since": challenge.created_at - SENDING_FOR,
    }
    found = (await connection.execute(_ROOM, values)).one()
    if found.open >= MOST_OPEN:
        raise SetupError("too_many_challenges", limit=MOST_OPEN)
    if opponent is not None and found.to_one >= MOST_TO_ONE:
        raise SetupError("too_many_challenges_to", name=opponent.name, limit=MOST_TO_ONE)


def _values(challenge: Challenge) -> Values:
    challenger, opponent = challenge.challenger, challenge.opponent
    return values_of(
        challenge,
        challenges,
        but=("id", "shown_version"),
        challenger_user=challenger.user_id,
        challenger_name=challenger.name,
        opponent_user=None if opponent is None else opponent.user_id,
        opponent_name=None if opponent is None else opponent.name,
        **location_values(challenge.location),
    )


def _challenge_of(row: sa.Row[Any]) -> Challenge:
    people = ("challenger_user", "challenger_name", "opponent_user", "opponent_name")
    same = attributes_of(row, but=(*PLACE, *people, "shown_version"))
    same |= {"first": First(row.first), "fair": Fair(row.fair), "status": ChallengeStatus(row.status)}
    return Challenge(
        **same,
        challenger=Seat(row.challenger_name, row.challenger_user),
        opponent=None if row.opponent_user is None else Seat(row.opponent_name, row.opponent_user),
        location=location_of(row),
    )
