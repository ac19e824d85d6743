"""Matches and hints: their tables, each question and change in one short transaction.

The board is never stored: the moves are the record (`bot.store.turns`). Discord's ids are 64-bit snowflakes.
Every instant is UTC.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.errors import MatchError, SetupError
from bot.domain.match import End, Fair, Match, Pace, RatingChange, Result, Seat, Turn
from bot.domain.shards import Shards
from bot.store.connection import Connection
from bot.store.damage import BATCH, Damage
from bot.store.database import Database, uncancellable
from bot.store.places import location_of, location_values
from bot.store.players import name_players
from bot.store.preferences import is_closed
from bot.store.rating_steps import changes_of
from bot.store.shared import (
    Conflict,
    Instant,
    IsInstant,
    Values,
    id_column,
    metadata,
    new_id,
    on_share,
    partial_index,
    upsert,
)
from bot.store.turn_codec import PlainTurn
from bot.store.turns import (
    IS_MOVE,
    PACKED,
    add_turns,
    change_turns,
    drop_turns,
    packed_columns,
    packed_values,
    read_plain_turns,
    read_turns,
)
from bot.store.words import Word
from engine.core import Player, replay
from engine.games import game as game_of

matches = sa.Table(
    "matches",
    metadata,
    id_column(),
    sa.Column("game", Word(32), nullable=False),
    sa.Column("board", Word(16), nullable=False),
    sa.Column("first_user", sa.BigInteger),
    sa.Column("first_level", sa.String(64)),
    sa.Column("first_name", sa.String(100), nullable=False),
    sa.Column("second_user", sa.BigInteger),
    sa.Column("second_level", sa.String(64)),
    sa.Column("second_name", sa.String(100), nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("channel_id", sa.BigInteger, nullable=False),
    sa.Column("message_id", sa.BigInteger),
    sa.Column("locale", Word(16), nullable=False),
    sa.Column("parent_id", sa.BigInteger),
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("clock_seconds", sa.Integer),
    sa.Column("draw_offer", sa.SmallInteger),
    sa.Column("undo_request", sa.SmallInteger),
    sa.Column("warned_turn", sa.Integer),
    sa.Column("winner", sa.SmallInteger),
    sa.Column("end", sa.String(16)),
    sa.Column("turn", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("rematch_of", sa.BigInteger),
    sa.Column("opening", sa.Integer, nullable=False),
    sa.Column("is_local", sa.Boolean, nullable=False),
    sa.Column("is_coached", sa.Boolean, nullable=False),
    sa.Column("fair", Word(16), nullable=False),
    sa.Column("pace", Word(16), nullable=False),
    sa.Column("begun_by", sa.BigInteger),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("turn_started_at", Instant, nullable=False),
    sa.Column("touched_at", Instant, nullable=False),
    sa.Column("due_at", Instant),
    sa.Column("shown_version", sa.Integer, nullable=False, server_default="-1"),
    *packed_columns(),
    sa.Index(None, "first_user", "touched_at"),
    sa.Index(None, "second_user", "touched_at"),
)
"""One row a match; `end` is NULL while it runs, `due_at` says when its clock next wants a look.

`shown_version` is the version that its message shows (`bot.store.shown`).
"""

IS_RUNNING = matches.c.end.is_(None)

RECENT = 1_000
"""Matches begun last, one of which was changed last, unless that was one that still runs."""


def is_seated(user_id: int | sa.BindParameter[int]) -> sa.ColumnElement[bool]:
    """Whether the person plays the match."""
    return sa.or_(matches.c.first_user == user_id, matches.c.second_user == user_id)


IS_BEGUN = matches.c.begun_by.is_not(None)

partial_index("ix_matches_begun_by", IS_BEGUN, matches.c.begun_by)
partial_index("ix_matches_due_at", matches.c.due_at.is_not(None), matches.c.due_at)
partial_index("ix_matches_rematch_of", matches.c.rematch_of.is_not(None), matches.c.rematch_of, unique=True)
for _side in (matches.c.first_user, matches.c.second_user):
    # With `end` once more, as SQLite would else rather take the index of all matches of the side.
    partial_index(f"ix_matches_{_side.name}_end", IS_RUNNING, _side, matches.c.end)
partial_index("ix_matches_running", IS_RUNNING, matches.c.id)
partial_index("ix_matches_running_in", IS_RUNNING, matches.c.channel_id)

IS_BEHIND = sa.and_(
    matches.c.shown_version < matches.c.version,
    sa.or_(
        matches.c.message_id.is_not(None), matches.c.first_level.is_(None), matches.c.second_level.is_(None)
    ),
)
"""Whether the match's message does not show it, or is missing although a person plays."""

partial_index("ix_matches_behind", IS_BEHIND, matches.c.id)

hints = sa.Table(
    "hints",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("used", sa.Integer, nullable=False),
    sa.Column("turn", sa.Integer),
    sa.Index(None, "user_id"),
)
"""How many hints each person has had in a match, and at which turn the last one."""

_WAS_TOUCHED = IsInstant(matches.c.touched_at)
"""An instant that is none sorts anywhere, and one of them would spoil a whole answer."""

Ending = Callable[[Connection, Match], Awaitable[tuple[RatingChange, ...]]]
"""Counts a match's end, in the transaction that ends it: what it made of both ratings, or ()."""

Following = Callable[[Connection, Match], Awaitable[None]]
"""Stores what follows a match's change; it may be run again, and each of its statements says by itself of
what state it is true."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """A running match that is damaged, and the message that shows it."""

    match_id: int
    channel_id: int
    message_id: int
    locale: str


class MatchStore:
    """Matches and what belongs to them."""

    def __init__(self, database: Database, count_ending: Ending) -> None:
        self._database = database
        self._count_ending = count_ending
        self._damage = Damage("match")

    @uncancellable
    async def add(self, match: Match, *, most: int | None = None) -> Match:
        """The match with its new id.

        most: matches that its players may have running at once; SetupError where one has them already.
        """

        async def begin(connection: Connection) -> Match:
            if most is not None:
                await check_running(connection, match.seats, most)
            return await insert_match(connection, match)

        return await self._database.change(begin)

    @uncancellable
    async def save(self, before: Match, after: Match, *, also: Following | None = None) -> Match:
        """`after` as it is stored: counted, if the change from `before` ends the match; raises Conflict.

        One transaction: of two changes made from the same version exactly one is stored. also: what is to be
        stored with it, or not at all.
        """

        async def change(connection: Connection) -> Match:
            await _update(connection, before, after)
            if also is not None:
                await also(connection, after)
            if before.result is not None or after.result is None:
                return after
            return replace(after, rating_changes=await self._count_ending(connection, after))

        # Its version guards a match that goes on; the end of one counts what others count, too.
        return await self._database.change(change, is_guarded=not after.is_over)

    @uncancellable
    async def find(self, match_id: int) -> Match | None:
        """Raises MatchError for one that is damaged."""
        found = await self._database.ask(
            lambda connection: read_matches(connection, self._damage, [match_id])
        )
        if found:
            return found[0]
        if match_id in self._damage.rows:
            raise MatchError("match_damaged", number=match_id)
        return None

    @uncancellable
    async def running(self, user_id: int | None = None, channel_id: int | None = None) -> list[Match]:
        """The running matches of a user (None: of everybody), the one touched last first."""
        where: list[sa.ColumnElement[bool]] = [IS_RUNNING]
        if user_id is not None:
            where.append(is_seated(user_id))
        if channel_id is not None:
            where.append(matches.c.channel_id == channel_id)
        order = (matches.c.touched_at.desc(), matches.c.id.desc())
        return await self._database.ask(
            lambda connection: find_matches(connection, self._damage, *where, order=order)
        )

    @uncancellable
    async def running_with_agents(self, after: int, most: int) -> tuple[list[Match], int | None]:
        """So many running matches with an agent in a seat, this process's, with numbers above `after`.

        The second is the number to go on after, None where these are the last.
        """
        query = _page(self._database.share)

        async def read(connection: Connection) -> tuple[list[Match], int | None]:
            rows = (await connection.execute(query, {"after": after, "most": most})).all()
            found = await read_matches(connection, self._damage, [row.id for row in rows])
            return found, rows[-1].id if len(rows) == most else None

        return await self._database.ask(read)

    @uncancellable
    async def running_versions(
        self, after: int, most: int
    ) -> tuple[dict[int, tuple[int, datetime]], int | None]:
        """The same ones: id -> version and time of the last change."""
        query = _page(self._database.share)

        async def read(connection: Connection) -> tuple[dict[int, tuple[int, datetime]], int | None]:
            rows = (await connection.execute(query, {"after": after, "most": most})).all()
            found = {row.id: (row.version, row.touched_at) for row in rows if row.is_known}
            return found, rows[-1].id if len(rows) == most else None

        return await self._database.ask(read)

    @uncancellable
    async def finished(self, user_id: int, limit: int, channel_id: int | None = None) -> list[Match]:
        """The user's last matches that are over, the latest first."""
        query = _finished(channel_id is None)
        values = {"own_user": user_id, "channel_id": channel_id, "most": limit}

        async def read(connection: Connection) -> list[Match]:
            numbers = (await connection.execute(query, values)).scalars().all()
            return await read_matches(connection, self._damage, numbers)

        return await self._database.ask(read)

    @uncancellable
    async def set_aside(self) -> list[SetAside]:
        """Damaged ones that somebody has asked for, as far as they say where they are shown."""
        numbers = tuple(self._damage.rows)
        columns = (matches.c.id, matches.c.channel_id, matches.c.message_id, matches.c.locale)
        mine = self._database.mine(matches.c.guild_id)
        where = (matches.c.id.in_(numbers[:BATCH]), matches.c.end.is_(None), *mine)
        async with self._database.reading() as connection:
            rows = (await connection.execute(sa.select(*columns).where(*where))).all()
        return [
            SetAside(row.id, row.channel_id, row.message_id, row.locale)
            for row in rows
            if isinstance(row.channel_id, int) and isinstance(row.message_id, int) and row.locale
        ]

    @uncancellable
    async def count_running(self, user_id: int) -> int:
        return await self._database.ask(lambda connection: _count_running(connection, user_id))

    @uncancellable
    async def has_played(self, user_id: int) -> bool:
        """Whether the user has a match, running or over."""
        return bool(await self._database.numbers(_ANY_OF, {"own_user": user_id}))

    @uncancellable
    async def due(self, now: datetime) -> list[Match]:
        """Running matches whose clock wants a look, the longest due first, so many at once."""
        numbers = await self._database.numbers(_due(self._database.share), {"now": now})
        if not numbers:
            return []
        async with self._database.reading() as connection:
            return await read_matches(connection, self._damage, numbers)

    @uncancellable
    async def rematch_of(self, match_id: int) -> Match | None:
        """The match that was begun as the rematch of that one."""
        async with self._database.reading() as connection:
            found = await find_matches(connection, self._damage, matches.c.rematch_of == match_id)
        return found[0] if found else None

    @uncancellable
    async def has_hints(self, match_id: int) -> bool:
        """Whether anybody has had a hint in the match."""
        query = sa.select(hints.c.used).where(hints.c.match_id == match_id).limit(1)
        async with self._database.reading() as connection:
            return (await connection.execute(query)).first() is not None

    @uncancellable
    async def take_hint(self, match_id: int, user_id: int, turn: int, most: int) -> int | None:
        """Which hint of theirs in the match this is, from 1; None, and nothing stored, beyond `most`.

        Asked again at the same turn it is the same hint.
        """
        async with self._database.writing() as connection:
            where = (hints.c.match_id == match_id, hints.c.user_id == user_id)
            found = (await connection.execute(sa.select(hints.c.used, hints.c.turn).where(*where))).first()
            used, given_at = (0, None) if found is None else (found.used, found.turn)
            if used and given_at == turn:
                return int(used)
            if used >= most:
                return None
            values = {"used": used + 1, "turn": turn}
            await connection.execute(
                upsert(hints)
                .values(match_id=match_id, user_id=user_id, **values)
                .on_conflict_do_update(index_elements=["match_id", "user_id"], set_=values)
            )
            return int(used) + 1

    @uncancellable
    async def give_hint_back(self, match_id: int, user_id: int, turn: int) -> None:
        """One hint fewer that they have had there, if that turn's is the last one counted."""
        where = (hints.c.match_id == match_id, hints.c.user_id == user_id, hints.c.turn == turn)
        async with self._database.writing() as connection:
            await connection.execute(sa.update(hints).where(*where).values(used=hints.c.used - 1, turn=None))


# What every move and every look asks, built once: SQLAlchemy takes longer to build a statement than SQLite to
# run it.
_UPDATE = sa.update(matches).where(
    matches.c.id == sa.bindparam("seen_id"), matches.c.version == sa.bindparam("seen_version")
)
_UPDATE_BY_LAST_MOVE = _UPDATE.execution_options(**{IS_MOVE: True})
_INSERT = sa.insert(matches)
_IS_OWN = is_seated(sa.bindparam("own_user"))
_RUNNING_OF = sa.select(sa.func.count()).where(IS_RUNNING, _IS_OWN)
_ANY_OF = sa.select(matches.c.id).where(_IS_OWN).limit(1)
_NUMBERS: sa.BindParameter[Any] = sa.bindparam("numbers", expanding=True)
_SELECT = sa.select(matches).where(matches.c.id.in_(_NUMBERS))
_SELECT_PACKED = sa.select(matches.c.id, *(matches.c[name] for name in PACKED)).where(
    matches.c.id.in_(_NUMBERS)
)


_TIMES = frozenset(("turn_started_at", "touched_at", "due_at"))


@lru_cache(maxsize=16)
def _page(share: Shards | None) -> sa.Select[Any]:
    """So many of the running matches with an agent in a seat, with numbers above `after`, `most` at most."""
    has_agent = sa.or_(matches.c.first_level.is_not(None), matches.c.second_level.is_not(None))
    touched = sa.case((_WAS_TOUCHED, matches.c.touched_at))
    is_after = matches.c.id > sa.bindparam("after")
    return (
        sa.select(
            matches.c.id,
            matches.c.version,
            touched.label("touched_at"),
            touched.is_not(None).label("is_known"),
        )
        .where(IS_RUNNING, is_after, has_agent, *on_share(matches.c.guild_id, share))
        .order_by(matches.c.id)
        .limit(sa.bindparam("most"))
    )


@lru_cache(maxsize=16)
def _due(share: Shards | None) -> sa.Select[tuple[int]]:
    """The first of those whose clock wants a look at the time `now`."""
    is_due = matches.c.due_at <= sa.bindparam("now")
    mine = on_share(matches.c.guild_id, share)
    return sa.select(matches.c.id).where(is_due, *mine).order_by(matches.c.due_at).limit(BATCH)


@cache
def _finished(is_anywhere: bool) -> sa.Select[Any]:
    """The last that are over of `own_user`, in one channel or any, at most `most`."""
    order = (matches.c.touched_at.desc(), matches.c.id.desc())
    where: list[sa.ColumnElement[bool]] = [matches.c.end.is_not(None)]
    if not is_anywhere:
        where.append(matches.c.channel_id == sa.bindparam("channel_id"))
    # The last of each side, each along its index: who has ten thousand matches waits no longer.
    sides = [
        sa.select(matches.c.id, matches.c.touched_at)
        .where(side == sa.bindparam("own_user"), *where)
        .order_by(*order)
        .limit(sa.bindparam("most"))
        .subquery()
        for side in (matches.c.first_user, matches.c.second_user)
    ]
    both = sa.union(*(sa.select(side) for side in sides)).subquery()
    return (
        sa.select(both.c.id).order_by(both.c.touched_at.desc(), both.c.id.desc()).limit(sa.bindparam("most"))
    )


async def _update(connection: Connection, before: Match, after: Match) -> None:
    """Stores what differs of the row, over the version of `before`, and of the moves; packed once it is over.

    What is set anew is written into every index that it stands in, also where it is what it was.
    """
    known = match_values(before)
    new = match_values(after)
    values = {name: value for name, value in new.items() if value != known[name]}
    if not _TIMES.isdisjoint(values):
        # They go together: clocks may have been moved since `before` was read, all three alike.
        values |= {name: new[name] for name in _TIMES}
    if after.is_over:
        values |= packed_values(after.turns)
    is_last_move = after.is_over and len(after.turns) > len(before.turns)
    changed = await connection.execute(
        _UPDATE_BY_LAST_MOVE if is_last_move else _UPDATE,
        {**values, "seen_id": before.id, "seen_version": before.version},
    )
    if changed.rowcount != 1:
        raise Conflict
    if after.is_over:
        # The last move is never stored apart, so that this costs no statement more than another move.
        await drop_turns(connection, [after.id])
    else:
        await change_turns(connection, after.id, before.turns, after.turns)


async def find_matches(
    connection: Connection,
    damage: Damage,
    *where: sa.ColumnElement[bool],
    order: Sequence[sa.ColumnElement[Any]] = (),
    limit: int | None = None,
) -> list[Match]:
    """Those that can be read; the others are noted as damaged."""
    query = sa.select(matches.c.id).where(*where).order_by(*order).limit(limit)
    numbers = (await connection.execute(query)).scalars().all()
    return await read_matches(connection, damage, numbers)


async def read_matches(connection: Connection, damage: Damage, numbers: Sequence[int]) -> list[Match]:
    """The matches of these numbers, in this order, without those that are damaged or do not exist."""

    async def read(batch: Sequence[int]) -> dict[int, Match]:
        rows = (await connection.execute(_SELECT, {"numbers": list(batch)})).all()
        turns = await read_turns(connection, rows)
        rated = [row.id for row in rows if row.rated and row.end is not None]
        changes = await changes_of(connection, rated) if rated else {}
        return {
            row.id: replace(match_of(row, turns[row.id]), rating_changes=changes.get(row.id, ()))
            for row in rows
        }

    return await damage.whole(numbers, read)


async def find_turns(connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[Turn, ...]]:
    """The moves of the matches of these numbers; raises one of DAMAGE where those of one are none."""
    return await read_turns(connection, await _packed_in(connection, numbers))


async def find_plain_turns(connection: Connection, numbers: Sequence[int]) -> dict[int, list[PlainTurn]]:
    """The same as plain numbers."""
    return await read_plain_turns(connection, await _packed_in(connection, numbers))


async def _packed_in(connection: Connection, numbers: Sequence[int]) -> Sequence[sa.Row[Any]]:
    return (await connection.execute(_SELECT_PACKED, {"numbers": list(numbers)})).all()


async def check_running(connection: Connection, seats: Sequence[Seat], most: int) -> None:
    """Refuses a match to whoever plays as many as one may, in the transaction that would begin it.

    seats: who acts comes first, and is told so; of anybody else their name is told. Raises SetupError.
    """
    people = [(seat.user_id, seat.name) for seat in seats if seat.user_id is not None]
    for location, (user_id, name) in enumerate(people):
        if await _count_running(connection, user_id) < most:
            continue
        if location == 0:
            raise SetupError("too_many_matches", limit=most)
        raise SetupError("too_many_matches_of", name=name, limit=most)


async def _count_running(connection: Connection, user_id: int) -> int:
    return int((await connection.execute(_RUNNING_OF, {"own_user": user_id})).scalar_one())


async def insert_match(connection: Connection, match: Match) -> Match:
    """The match with its new id; whether its server is closed off decides where it will count.

    Raises Conflict.
    """
    await name_players(connection, match.seats)
    match = replace(match, is_local=await is_closed(connection, match.location.guild_id))
    try:
        done = await connection.execute(_INSERT, match_values(match))
    except sa.exc.IntegrityError as error:
        raise Conflict from error  # a match has one rematch at most
    match = replace(match, id=new_id(done))
    await add_turns(connection, match.id, match.turns)
    return match


def match_values(match: Match) -> Values:
    """The columns of `matches`, without the id."""
    result = match.result
    return {
        "game": match.game,
        "board": match.board,
        **_seat_values("first", match.seats[Player.FIRST]),
        **_seat_values("second", match.seats[Player.SECOND]),
        **location_values(match.location),
        "rated": match.rated,
        "clock_seconds": match.clock_seconds,
        "draw_offer": match.draw_offer,
        "undo_request": match.undo_request,
        "warned_turn": match.warned_turn,
        "winner": None if result is None else result.winner,
        "end": None if result is None else result.end.value,
        "turn": match.turn,
        "version": match.version,
        "rematch_of": match.rematch_of,
        "opening": match.opening,
        "is_local": match.is_local,
        "is_coached": match.is_coached,
        "fair": match.fair.value,
        "pace": match.pace.value,
        "begun_by": match.begun_by,
        "created_at": match.created_at,
        "turn_started_at": match.turn_started_at,
        "touched_at": match.touched_at,
        "due_at": match.due_at,
    }


def match_of(row: sa.Row[Any], turns: tuple[Turn, ...]) -> Match:
    """The match of a row and its moves; the position is replayed from them.

    Raises one of DAMAGE where they do not make a match.
    """
    start = game_of(row.game).start(row.board)
    match = Match(
        id=row.id,
        game=row.game,
        board=row.board,
        seats=seats_of(row),
        location=location_of(row),
        created_at=row.created_at,
        turn_started_at=row.turn_started_at,
        touched_at=row.touched_at,
        state=replay(start, [turn.move for turn in turns]),
        turns=turns,
        rated=row.rated,
        clock_seconds=row.clock_seconds,
        draw_offer=player_of(row.draw_offer),
        undo_request=player_of(row.undo_request),
        warned_turn=row.warned_turn,
        result=None if row.end is None else Result(player_of(row.winner), End(row.end)),
        turn=row.turn,
        version=row.version,
        rematch_of=row.rematch_of,
        opening=row.opening,
        is_local=row.is_local,
        is_coached=row.is_coached,
        fair=Fair(row.fair),
        pace=Pace(row.pace),
        begun_by=row.begun_by,
    )
    if match.result is None and match.state.outcome() is not None:
        raise ValueError("the game is over on its board, and it has no result")
    if match.result is None and row.packed_plies is not None:
        raise ValueError("it runs, and its moves are packed")
    if not all(isinstance(count, int) for count in (match.turn, match.version, match.opening)):
        raise TypeError("a counter is no number")
    return match


def _seat_values(side: str, seat: Seat) -> Values:
    return {f"{side}_user": seat.user_id, f"{side}_level": seat.level, f"{side}_name": seat.name}


def seats_of(row: sa.Row[Any]) -> tuple[Seat, Seat]:
    first = Seat(row.first_name, row.first_user, row.first_level)
    return first, Seat(row.second_name, row.second_user, row.second_level)


def player_of(value: int | None) -> Player | None:
    return None if value is None else Player(value)
