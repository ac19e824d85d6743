"""Matches: queries and changes, each in one short transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.boards import DamagedMatch
from bot.domain.errors import MatchError
from bot.domain.even_match import EchoResult
from bot.domain.match import Match, RatingChange
from bot.domain.outgoing import notice_of
from bot.domain.result import WITHOUT_RESULT, End
from bot.domain.shards import Shards
from bot.domain.terms import Fair
from bot.store.announcements import announce
from bot.store.beginnings import (
    REMATCH,
    barring_help,
    check_help,
    check_room,
    check_running,
    count_running,
    insert_match,
    seated_in_turn,
)
from bot.store.connection import Connection
from bot.store.damage import BATCH, Damage
from bot.store.database import Database, Store, uncancellable
from bot.store.match_rows import (
    IS_OWN,
    IS_RUNNING,
    IS_VOTED,
    MATCH,
    find_matches,
    is_seated,
    matches,
    read_matches,
)
from bot.store.moves import IS_MOVE, change_moves, delete_moves, packed_values
from bot.store.outgoing import claim
from bot.store.rows import update_over
from bot.store.shared import Instant, IsInstant, Values, on_share
from engine.agents.echo import ECHO, elo_in
from engine.core import Player
from engine.games import spec_of
from engine.games.spec import OLD_RULE

_HAS_TIME = IsInstant(matches.c.touched_at)
"""A damaged instant would make the whole query fail."""

CountEnd = Callable[[Connection, Match], Awaitable[tuple[RatingChange, ...]]]
"""Counts a match's end in the transaction that ends it; returns the changes of both ratings, or ()."""


class MatchStore(Store):
    """Loads, begins and changes matches."""

    def __init__(self, database: Database, count_end: CountEnd) -> None:
        super().__init__(database)
        self._count_end = count_end
        self._damage = Damage("match")

    @uncancellable
    async def add(self, match: Match, *, most: int | None = None) -> Match:
        """Store a new match outside tournaments and return it with its id; raise HelpBarred.

        most: how many matches each of its players may have running; raises SetupError beyond that. None for a
        match with given seats: else those of a rated one are drawn, and taken in turn.
        """

        async def begin(connection: Connection) -> Match:
            if most is not None:
                await check_running(connection, match.seats, most)
                await check_room(connection, match)
            if match.has_agent:
                await check_help(connection, match)
            begun = match if most is None else await seated_in_turn(connection, match)
            return await insert_match(connection, replace(begun, bars_help=begun.rated and begun.has_agent))

        return await self._database.change(begin)

    @uncancellable
    async def save(self, before: Match, after: Match) -> Match:
        """Store `after` over the version of `before`, and count the match if that ends it; raise Conflict.

        Of two changes made from the same version exactly one is stored. Raises HelpBarred for a match that
        becomes rated.
        """

        # Columns that did not change are left out: each one written costs a write to every index it is in.
        values = MATCH.changes(before, after)
        if not _TIMES.isdisjoint(values):
            # An outage may have moved all three alike since `before` was read, so they are written together.
            values.update({name: getattr(after, name) for name in _TIMES})
        options = {}
        if after.is_over:
            # The last move goes straight into the packed column, so it costs no more statements than another.
            values |= packed_values(after.timed_moves)
            options = {IS_MOVE: True} if len(after.timed_moves) > len(before.timed_moves) else {}
        becomes_rated = after.rated and not before.rated
        notice = notice_of(before, after)

        async def change(connection: Connection) -> Match:
            if after.seats[0].guild_id is not None:  # between servers, perhaps those of two processes
                await announce(connection, matches.name, after.id)
            if becomes_rated:
                await check_help(connection, after)
                seated = await seated_in_turn(connection, after)
                await update_over(connection, matches, before, values | MATCH.changes(after, seated))
                await change_moves(connection, seated.id, before.timed_moves, seated.timed_moves)
                return seated
            await update_over(connection, matches, before, values, **options)
            if notice is not None:  # with the change: a process that died between the two would tell nobody
                await claim(connection, notice)
            if not after.is_over:
                await change_moves(connection, after.id, before.timed_moves, after.timed_moves)
                return after
            await delete_moves(connection, after.id)
            if before.is_over:
                return after
            return replace(after, rating_changes=await self._count_end(connection, after))

        # The version guards a match that goes on. An end also reads ratings that other ends write, and one
        # that becomes rated the other matches of its players.
        return await self._database.change(change, is_guarded=not (after.is_over or becomes_rated))

    @uncancellable
    async def find(self, match_id: int) -> Match | None:
        """Return the match of that number; raise MatchError if it is damaged."""
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
        """Return the running matches of a user, or of everybody, the one changed last first.

        channel_id: only those in that channel, and the user's in its threads or in no channel.
        """
        where: list[sa.ColumnElement[bool]] = [IS_RUNNING]
        if user_id is not None:
            where.append(is_seated(user_id))
        if channel_id is not None:
            is_here = matches.c.channel_id == channel_id
            is_below = matches.c.parent_id == channel_id
            has_no_channel = sa.and_(matches.c.stands_since.is_not(None), matches.c.stands_until.is_(None))
            is_nowhere = sa.or_(matches.c.channel_id.is_(None), has_no_channel)
            where.append(is_here if user_id is None else sa.or_(is_here, is_below, is_nowhere))
        order = (matches.c.touched_at.desc(), matches.c.id.desc())
        return await self._database.ask(
            lambda connection: find_matches(connection, self._damage, *where, order=order)
        )

    @uncancellable
    async def homes(self, match_ids: Collection[int]) -> dict[int, tuple[int, int | None, int | None]]:
        """Return the version of each of these matches, and the channel and message of its board."""
        return {
            row.id: (row.version, row.channel_id, row.message_id)
            for row in await self._rows(_HOMES, {"numbers": list(match_ids)})
        }

    @uncancellable
    async def running_below(self, channel_id: int) -> list[int]:
        """Return the numbers of the running matches in the channel and in its threads."""
        return [row.id for row in await self._rows(_RUNNING_BELOW, {"channel_id": channel_id})]

    @uncancellable
    async def running_at(
        self, user_id: int, game: str, board: str, *, but: int = 0, or_against_agents: bool = False
    ) -> list[Match]:
        """Return the user's running matches of that game on that board, or by its old rule.

        but: number of one to leave out. or_against_agents: also those against agents on other boards.
        """
        now = spec_of(game).board_now(board)
        boards = [now, now + OLD_RULE]
        values = {
            "own_user": user_id,
            "game": game,
            "boards": boards,
            "but": but,
            "agents": or_against_agents,
        }
        return await self._matches(_RUNNING_AT, values)

    @uncancellable
    async def barring_help(self, user_id: int, game: str) -> int | None:
        """Return the number of the person's running match that bars help in the game."""
        return await self._database.ask(lambda connection: barring_help(connection, user_id, game))

    @uncancellable
    async def running_with_agents(self, after: int, most: int) -> tuple[list[Match], int | None]:
        """Return a page of this process's running matches with an agent, with numbers above `after`.

        The second value is where the next page begins, None after the last.
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
        """Return version and last change of the same matches, by number, and the next page's start."""
        query = _page(self._database.share)

        async def read(connection: Connection) -> tuple[dict[int, tuple[int, datetime]], int | None]:
            rows = (await connection.execute(query, {"after": after, "most": most})).all()
            found = {row.id: (row.version, row.touched_at) for row in rows if row.has_time}
            return found, rows[-1].id if len(rows) == most else None

        return await self._database.ask(read)

    @uncancellable
    async def finished(self, user_id: int, limit: int, channel_id: int | None = None) -> list[Match]:
        """Return the user's last finished matches, the latest first.

        channel_id: only those in that channel and its threads.
        """
        query = _finished(channel_id is None)
        return await self._matches(query, {"own_user": user_id, "channel_id": channel_id, "most": limit})

    @uncancellable
    async def due(self, now: datetime) -> list[Match]:
        """Return the running matches whose clock is to be checked, the longest due first, a batch at most."""
        return await self._matches(_due(self._database.share), {"now": now})

    @uncancellable
    async def released(self) -> list[Match]:
        """Return matches that wait for another one which has changed since or is gone, a batch at most."""
        return await self._matches(_released(self._database.share), {})

    @uncancellable
    async def voted(self) -> list[Match]:
        """Return the running matches in which a channel votes."""
        return await self._matches(_VOTED.where(*self._database.mine(matches.c.guild_id)), {})

    @uncancellable
    async def rematch_of(self, match_id: int) -> Match | None:
        """Return the match that was begun as the rematch of that one."""
        found = await self._matches(REMATCH, {"match_id": match_id})
        return found[0] if found else None

    @uncancellable
    async def echo_results(self, user_id: int, game: str, most: int) -> list[EchoResult]:
        """Return the user's last results against Echo in that game, the latest first.

        Matches that were given up at once, or began from a position, do not count.
        """
        values = {"own_user": user_id, "game": game, "most": most}
        rows = await self._rows(_ECHO_RESULTS, values)
        return [EchoResult(elo, row.score / 2) for row in rows if (elo := elo_in(row.level)) is not None]

    @uncancellable
    async def versions(self, match_ids: Iterable[int]) -> list[tuple[int, int, int | None]]:
        """Return the number, the version and the match before, of these matches and their rematches."""
        values = {"numbers": list(match_ids)}

        async def read(connection: Connection) -> list[tuple[int, int, int | None]]:
            return [tuple(row) for row in await connection.execute(_VERSIONS, values)]

        return await self._database.ask(read)

    async def _matches(self, query: sa.Select[Any], values: Values) -> list[Match]:
        """Return the matches whose numbers the query gives."""

        async def read(connection: Connection) -> list[Match]:
            numbers = (await connection.execute(query, values)).scalars().all()
            return await read_matches(connection, self._damage, numbers) if numbers else []

        return await self._database.ask(read)

    @uncancellable
    async def damaged(self) -> list[DamagedMatch]:
        """Return the damaged running matches that were asked for and whose message is known."""
        numbers = tuple(self._damage.rows)
        columns = (matches.c.id, matches.c.channel_id, matches.c.message_id, matches.c.locale)
        mine = self._database.mine(matches.c.guild_id)
        where = (matches.c.id.in_(numbers[:BATCH]), IS_RUNNING, *mine)
        rows = await self._rows(sa.select(*columns).where(*where))
        return [
            DamagedMatch(row.id, row.channel_id, row.message_id, row.locale)
            for row in rows
            if isinstance(row.channel_id, int) and isinstance(row.message_id, int) and row.locale
        ]

    @uncancellable
    async def left_early(self, user_id: int, after: datetime, most: int) -> list[Match]:
        """Return the user's last rated matches that they left before both sides had moved twice.

        Those against a bot that a moderator ended count as well.
        """
        found = await self._matches(
            _LEFT, {"own_user": user_id, "after": after, "most": _READ_OF_LEFT * most}
        )
        return [
            match
            for match in found
            if match.result
            and (match.result.end is not End.ABANDONED or match.seat_to_move.user_id == user_id)
        ][:most]

    @uncancellable
    async def count_running(self, user_id: int) -> int:
        return await self._database.ask(lambda connection: count_running(connection, user_id))

    @uncancellable
    async def has_played(self, user_id: int) -> bool:
        """Return whether the user has a match, running or finished."""
        values = {"own_user": user_id}
        return await self._database.ask(lambda connection: connection.scalar(_ANY_OF, values)) is not None


# Statements of every move and of every job that runs each second are built once: SQLAlchemy takes longer to
# build one than SQLite to run it.
_HAS_AGENT = sa.or_(matches.c.first_level.is_not(None), matches.c.second_level.is_not(None))
_VOTED = sa.select(matches.c.id).where(IS_VOTED)
_IS_BELOW = sa.bindparam("channel_id").in_((matches.c.channel_id, matches.c.parent_id))
_HOMES = sa.select(matches.c.id, matches.c.version, matches.c.channel_id, matches.c.message_id).where(
    matches.c.id.in_(sa.bindparam("numbers", expanding=True))
)
_RUNNING_BELOW = sa.select(matches.c.id).where(IS_RUNNING, _IS_BELOW)
_RUNNING_AT = sa.select(matches.c.id).where(
    *(IS_RUNNING, IS_OWN, matches.c.id != sa.bindparam("but"), matches.c.game == sa.bindparam("game")),
    sa.or_(
        matches.c.board.in_(sa.bindparam("boards", expanding=True)),
        sa.and_(sa.bindparam("agents", type_=sa.Boolean), _HAS_AGENT),
    ),
)
_ANY_OF = sa.select(matches.c.id).where(IS_OWN).limit(1)
_NUMBERS: sa.BindParameter[Any] = sa.bindparam("numbers", expanding=True)
_VERSIONS = sa.select(matches.c.id, matches.c.version, matches.c.rematch_of).where(
    sa.or_(matches.c.id.in_(_NUMBERS), matches.c.rematch_of.in_(_NUMBERS))
)


_READ_OF_LEFT = 5
"""How many matches are read for each wanted one, since the other side may have abandoned some."""


def _left_by(player: Player, user: sa.ColumnElement[int | None]) -> sa.Select[Any]:
    """Return the query of matches that `own_user` may have left early, by index.

    Short ones that they lost or either side abandoned, and ones against a bot that a moderator ended: else a
    friend who moderates could end every match that goes badly.
    """
    end = matches.c.end
    is_lost = sa.and_(end.in_([End.RESIGNATION, End.TIME]), matches.c.winner == player.other.value)
    is_abandoned = end == End.ABANDONED  # by the side to move, which only the position tells
    is_left = sa.and_(matches.c.ended_short, sa.or_(is_lost, is_abandoned))
    is_moderated = sa.and_(end == End.MODERATED, matches.c.bars_help)
    is_recent = matches.c.touched_at > sa.bindparam("after", type_=Instant())
    return sa.select(matches.c.id, matches.c.touched_at).where(
        user == sa.bindparam("own_user"), is_recent, matches.c.rated, sa.or_(is_left, is_moderated)
    )


_LEFT_EITHER = sa.union_all(
    _left_by(Player.FIRST, matches.c.first_user), _left_by(Player.SECOND, matches.c.second_user)
).subquery()
_LEFT = (
    sa.select(_LEFT_EITHER.c.id)
    .order_by(_LEFT_EITHER.c.touched_at.desc(), _LEFT_EITHER.c.id.desc())
    .limit(sa.bindparam("most"))
)


def _echo_results(player: Player, user: sa.ColumnElement[int | None]) -> sa.Select[Any]:
    """Return the query of the last results of `own_user` on that side against Echo, by its own index."""
    level = (matches.c.first_level, matches.c.second_level)[player.other]
    winner = matches.c.winner
    score = sa.case((winner.is_(None), 1), (winner == player.value, 2), else_=0)
    is_usual = sa.or_(matches.c.opening == 0, matches.c.fair != Fair.USUAL.value)
    return (
        sa.select(matches.c.id, matches.c.touched_at, level.label("level"), score.label("score"))
        .where(user == sa.bindparam("own_user"), matches.c.game == sa.bindparam("game"))
        .where(
            level.like(f"{ECHO}:%"),
            matches.c.end.not_in(WITHOUT_RESULT),
            ~matches.c.ended_short,
            is_usual,
        )
        .order_by(matches.c.touched_at.desc(), matches.c.id.desc())
        .limit(sa.bindparam("most"))
    )


_ECHO_EITHER = sa.union_all(
    *(
        sa.select(_echo_results(player, user).subquery())
        for player, user in ((Player.FIRST, matches.c.first_user), (Player.SECOND, matches.c.second_user))
    )
).subquery()
_ECHO_RESULTS = (
    sa.select(_ECHO_EITHER.c.level, _ECHO_EITHER.c.score)
    .order_by(_ECHO_EITHER.c.touched_at.desc(), _ECHO_EITHER.c.id.desc())
    .limit(sa.bindparam("most"))
)

_TIMES = frozenset(("turn_started_at", "touched_at", "due_at"))


@lru_cache(maxsize=16)
def _page(share: Shards | None) -> sa.Select[Any]:
    """Return the query of running matches with an agent, with numbers above `after`, `most` at once."""
    touched = sa.case((_HAS_TIME, matches.c.touched_at)).label("touched_at")
    return (
        sa.select(matches.c.id, matches.c.version, touched, _HAS_TIME.label("has_time"))
        .where(IS_RUNNING, matches.c.id > sa.bindparam("after"), _HAS_AGENT)
        .where(*on_share(matches.c.guild_id, share))
        .order_by(matches.c.id)
        .limit(sa.bindparam("most"))
    )


@lru_cache(maxsize=16)
def _due(share: Shards | None) -> sa.Select[tuple[int]]:
    is_due = matches.c.due_at <= sa.bindparam("now")
    mine = on_share(matches.c.guild_id, share)
    return sa.select(matches.c.id).where(is_due, *mine).order_by(matches.c.due_at).limit(BATCH)


@lru_cache(maxsize=16)
def _released(share: Shards | None) -> sa.Select[tuple[int]]:
    other = matches.alias()
    # One that is over keeps the moment of the press that ended it, which may be earlier.
    has_gone_on = sa.or_(other.c.end.is_not(None), other.c.touched_at >= matches.c.touched_at)
    is_released = sa.or_(other.c.id.is_(None), has_gone_on)
    joined = matches.outerjoin(other, other.c.id == matches.c.waits_for)
    where = (matches.c.waits_for.is_not(None), is_released, *on_share(matches.c.guild_id, share))
    return sa.select(matches.c.id).select_from(joined).where(*where).limit(BATCH)


@cache
def _finished(is_anywhere: bool) -> sa.Select[Any]:
    """Return the query of the last finished matches of `own_user`, `most` at most."""
    order = (matches.c.touched_at.desc(), matches.c.id.desc())
    where: list[sa.ColumnElement[bool]] = [matches.c.end.is_not(None)]
    if not is_anywhere:
        where.append(_IS_BELOW)
    # The last of each side along its own index, so that ten thousand matches cost no more than ten.
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
