"""Matches: their table, row mapping and queries, each query or change in one short transaction.

The board is never stored: the moves are the record (`bot.store.moves`). Discord's ids are 64-bit snowflakes.
Every instant is UTC.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Collection, Iterable, Sequence
from dataclasses import astuple, replace
from datetime import datetime, timedelta
from functools import cache, lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.boards import DamagedMatch
from bot.domain.colours import are_drawn, in_turn, opponent_of
from bot.domain.errors import HelpBarred, MatchError, SetupError
from bot.domain.even_match import EchoResult
from bot.domain.match import (
    BY_VOTES,
    NO_FORFEITS,
    WITHOUT_RESULT,
    End,
    Fair,
    Forfeits,
    Held,
    Match,
    RatingChange,
    Result,
    Seat,
    TimedMove,
)
from bot.domain.offers import Offers
from bot.domain.shards import Shards
from bot.store.announcements import announce
from bot.store.connection import Connection
from bot.store.damage import BATCH, Damage
from bot.store.database import Database, Store, uncancellable
from bot.store.moves import (
    IS_MOVE,
    PACKED,
    change_moves,
    delete_moves,
    packed_columns,
    packed_values,
    read_moves,
)
from bot.store.players import name_players
from bot.store.preferences import is_closed, most_boards
from bot.store.rating_steps import changes_of
from bot.store.rows import LOCATION, Part, RowMapper, both, numbers, seat, update_over
from bot.store.shared import (
    Conflict,
    Instant,
    IsInstant,
    ShownName,
    Values,
    Word,
    id_column,
    metadata,
    on_share,
    partial_index,
)
from engine.agents.echo import ECHO, elo_in
from engine.core import Player, states_of
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.spec import OLD_RULE

matches = sa.Table(
    "matches",
    metadata,
    id_column(),
    sa.Column("game", Word(32), nullable=False),
    sa.Column("board", Word(16), nullable=False),
    sa.Column("first_user", sa.BigInteger),
    sa.Column("first_level", sa.String(64)),
    sa.Column("first_name", ShownName, nullable=False),
    sa.Column("second_user", sa.BigInteger),
    sa.Column("second_level", sa.String(64)),
    sa.Column("second_name", ShownName, nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("channel_id", sa.BigInteger),
    sa.Column("message_id", sa.BigInteger),
    sa.Column("locale", Word(16), nullable=False),
    sa.Column("parent_id", sa.BigInteger),
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("clock_seconds", sa.Integer),
    sa.Column("draw_offer", sa.SmallInteger),
    sa.Column("undo_request", sa.SmallInteger),
    sa.Column("first_draw_offered", sa.Integer),
    sa.Column("second_draw_offered", sa.Integer),
    sa.Column("first_undo_asked", sa.Integer),
    sa.Column("second_undo_asked", sa.Integer),
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
    sa.Column("waits_for", sa.BigInteger),
    sa.Column("stands_since", Instant),
    sa.Column("stands_until", Instant),
    sa.Column("forfeits", sa.Text),
    sa.Column("bars_help", sa.Boolean, nullable=False, server_default=sa.false()),
    sa.Column("held", sa.Text),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("turn_started_at", Instant, nullable=False),
    sa.Column("touched_at", Instant, nullable=False),
    sa.Column("due_at", Instant),
    sa.Column("shown_version", sa.Integer, nullable=False, server_default="-1"),
    sa.Column("ping_ask", sa.Integer),
    sa.Column("ping_id", sa.BigInteger),
    sa.Column("ping_channel", sa.BigInteger),
    sa.Column("ended_short", sa.Boolean),
    sa.Column("first_guild", sa.BigInteger),
    sa.Column("second_guild", sa.BigInteger),
    *packed_columns(),
    sa.Index(None, "first_user", "touched_at"),
    sa.Index(None, "second_user", "touched_at"),
)
"""One row a match. `end` is NULL while it runs; `due_at` is when its clock is next to be checked. On the web
alone it has no `channel_id`.

`shown_version` is the version that its message displays (`bot.store.shown_versions`), `ping_ask` and
`ping_id` are the ping that told a person to act (`bot.store.pings`), in `ping_channel` unless that is NULL.
"""

IS_RUNNING = matches.c.end.is_(None)

LIVELY_WITHIN = timedelta(days=1)
"""A running match that changed within that time takes room in its channel."""

RECENT = 1_000
"""How many of the newest matches are searched for those that ended a short time ago."""


def is_seated(user_id: int | sa.BindParameter[int]) -> sa.ColumnElement[bool]:
    """Return whether the person has a seat."""
    return sa.or_(matches.c.first_user == user_id, matches.c.second_user == user_id)


IS_BEGUN = matches.c.begun_by.is_not(None)

partial_index("ix_matches_begun_by", IS_BEGUN, matches.c.begun_by)
partial_index("ix_matches_waits_for", matches.c.waits_for.is_not(None), matches.c.waits_for)
partial_index("ix_matches_due_at", matches.c.due_at.is_not(None), matches.c.due_at)
partial_index("ix_matches_rematch_of", matches.c.rematch_of.is_not(None), matches.c.rematch_of, unique=True)
for _side in (matches.c.first_user, matches.c.second_user):
    # `end` stands in the index as well, or SQLite would prefer the index of all matches of the side.
    partial_index(f"ix_matches_{_side.name}_end", IS_RUNNING, _side, matches.c.end)
partial_index("ix_matches_running", IS_RUNNING, matches.c.id)
IS_VOTED = sa.text(f"\"end\" IS NULL AND (first_level = '{BY_VOTES}' OR second_level = '{BY_VOTES}')")
partial_index("ix_matches_voted", IS_VOTED, matches.c.id)
partial_index("ix_matches_running_in", IS_RUNNING, matches.c.channel_id)

IS_BEHIND = sa.and_(
    matches.c.shown_version < matches.c.version,
    matches.c.channel_id.is_not(None),
    sa.or_(
        matches.c.message_id.is_not(None), matches.c.first_level.is_(None), matches.c.second_level.is_(None)
    ),
)
"""The match's message displays an older version, or is missing in a channel although a person plays."""

partial_index("ix_matches_behind", IS_BEHIND, matches.c.id)

# As text: SQLite uses a partial index only for a condition with the same constants, not with parameters.
ASK = (
    'CASE WHEN "end" IS NOT NULL THEN NULL'
    " WHEN warned_turn = turn THEN 4 * turn + 3"
    " WHEN draw_offer IS NOT NULL THEN 4 * turn + 1"
    " WHEN undo_request IS NOT NULL THEN 4 * turn + 2"
    " WHEN first_level IS NULL AND second_level IS NULL THEN 4 * turn END"
)
"""`bot.domain.turn_ping.ask_of` in SQL."""

IS_PING_STALE = sa.text(f"channel_id IS NOT NULL AND coalesce(ping_ask, -1) <> coalesce({ASK}, -1)")
"""The match's ping in its channel asks for something else than the match does."""

partial_index("ix_matches_pings", IS_PING_STALE, matches.c.id)


def player_of(value: int | None) -> Player | None:
    """Return the side of a column; raise ValueError for a number that is none."""
    return None if value is None else Player(value)


SEATS = both(
    seat("first_user", "first_name", "first_level", "first_guild"),
    seat("second_user", "second_name", "second_level", "second_guild"),
)
RESULT = Part(
    ("winner", "end"),
    lambda result: (None, None) if result is None else (result.winner, result.end),
    lambda winner, end: None if end is None else Result(player_of(winner), End(end)),
)
FORFEITS = Part(
    ("forfeits",),
    lambda both: (json.dumps([(one.count, one.reason) for one in both]) if both != NO_FORFEITS else None,),
    lambda told: NO_FORFEITS if told is None else tuple(Forfeits(*one) for one in json.loads(told)),
)


HELD = Part(
    ("held",),
    lambda held: (None if held is None else json.dumps(astuple(held)),),
    lambda told: None if told is None else Held(*json.loads(told)),
)


def _offers(standing: str, *asked: str) -> Part:
    """Return the part of the offers of one kind. standing, asked: columns."""
    turns = numbers(*asked)
    return Part(
        (standing, *asked),
        lambda offers: (offers.standing, *offers.asked),
        lambda player, *values: Offers(player_of(player), turns.read(*values)),
    )


MATCH = RowMapper(
    matches,
    Match,
    but=("shown_version", "ping_ask", "ping_id", "ping_channel", *PACKED),
    given=("states", "timed_moves", "rating_changes"),
    derived=("due_at", "ended_short"),
    seats=SEATS,
    location=LOCATION,
    result=RESULT,
    forfeits=FORFEITS,
    held=HELD,
    draws=_offers("draw_offer", "first_draw_offered", "second_draw_offered"),
    undos=_offers("undo_request", "first_undo_asked", "second_undo_asked"),
)

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
        return await self._database.ask(lambda connection: _barring_help(connection, user_id, game))

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
        return await self._database.ask(lambda connection: _count_running(connection, user_id))

    @uncancellable
    async def has_played(self, user_id: int) -> bool:
        """Return whether the user has a match, running or finished."""
        values = {"own_user": user_id}
        return await self._database.ask(lambda connection: connection.scalar(_ANY_OF, values)) is not None


# Statements of every move and of every job that runs each second are built once: SQLAlchemy takes longer to
# build one than SQLite to run it.
_IS_OWN = is_seated(sa.bindparam("own_user"))
_HAS_AGENT = sa.or_(matches.c.first_level.is_not(None), matches.c.second_level.is_not(None))
_LIVELY_IN = sa.select(sa.func.count()).where(
    *(IS_RUNNING, matches.c.channel_id == sa.bindparam("channel_id")),
    matches.c.touched_at > sa.bindparam("after", type_=Instant()),
)
_RUNNING_OF = sa.select(sa.func.count()).where(IS_RUNNING, _IS_OWN)
_VOTED = sa.select(matches.c.id).where(IS_VOTED)
_IS_BELOW = sa.bindparam("channel_id").in_((matches.c.channel_id, matches.c.parent_id))
_HOMES = sa.select(matches.c.id, matches.c.version, matches.c.channel_id, matches.c.message_id).where(
    matches.c.id.in_(sa.bindparam("numbers", expanding=True))
)
_RUNNING_BELOW = sa.select(matches.c.id).where(IS_RUNNING, _IS_BELOW)
_RUNNING_AT = sa.select(matches.c.id).where(
    *(IS_RUNNING, _IS_OWN, matches.c.id != sa.bindparam("but"), matches.c.game == sa.bindparam("game")),
    sa.or_(
        matches.c.board.in_(sa.bindparam("boards", expanding=True)),
        sa.and_(sa.bindparam("agents", type_=sa.Boolean), _HAS_AGENT),
    ),
)
BARRING = sa.select(matches.c.id).where(
    IS_RUNNING, _IS_OWN, matches.c.game == sa.bindparam("game"), matches.c.bars_help
)
"""The number of a person's running match that bars help in a game; parameters: own_user, game."""

_ANY_OF = sa.select(matches.c.id).where(_IS_OWN).limit(1)
REMATCH = sa.select(matches.c.id).where(matches.c.rematch_of == sa.bindparam("match_id"))
_NUMBERS: sa.BindParameter[Any] = sa.bindparam("numbers", expanding=True)
_VERSIONS = sa.select(matches.c.id, matches.c.version, matches.c.rematch_of).where(
    sa.or_(matches.c.id.in_(_NUMBERS), matches.c.rematch_of.in_(_NUMBERS))
)
_SELECT = sa.select(matches).where(matches.c.id.in_(sa.bindparam("numbers", expanding=True)))


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


def _latest_in_turn(player: Player, is_agent: bool) -> sa.Select[Any]:
    """Return the query of the latest match of `own_user` on that side against `opponent` in turn.

    The latest to begin, whichever was played on last.
    """
    users = matches.c.first_user, matches.c.second_user
    level = (matches.c.first_level, matches.c.second_level)[player.other]
    opponent: sa.BindParameter[Any] = sa.bindparam("opponent")
    key: sa.BindParameter[Any] = sa.bindparam("opponent", type_=sa.String())
    is_agent_meant = sa.or_(level == key, sa.and_(key == ECHO, level.like(f"{ECHO}:%")))
    return sa.select(
        # With + 0 PostgreSQL does not look for it along the primary key, through everybody's matches.
        sa.func.max(matches.c.id + 0).label("id")
    ).where(
        users[player] == sa.bindparam("own_user"),
        is_agent_meant if is_agent else users[player.other] == opponent,
        matches.c.game == sa.bindparam("game"),
        matches.c.rated,
        matches.c.fair == Fair.USUAL.value,
        matches.c.id != sa.bindparam("but"),
    )


_LATEST_IN_TURN: dict[bool, sa.Select[Any]] = {
    is_agent: sa.select(sa.func.max(sa.column("id"))).select_from(
        sa.union_all(*(_latest_in_turn(player, is_agent) for player in Player)).subquery()
    )
    for is_agent in (False, True)
}


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


async def find_matches(
    connection: Connection,
    damage: Damage,
    *where: sa.ColumnElement[bool],
    order: Sequence[sa.ColumnElement[Any]] = (),
) -> list[Match]:
    """Return the matches that can be read; the others are noted as damaged."""
    query = sa.select(matches.c.id).where(*where).order_by(*order)
    numbers = (await connection.execute(query)).scalars().all()
    return await read_matches(connection, damage, numbers)


async def read_matches(connection: Connection, damage: Damage, numbers: Sequence[int]) -> list[Match]:
    """Return the matches of these numbers, in this order; damaged ones are noted and left out."""

    async def read(batch: Sequence[int]) -> dict[int, Match]:
        rows = (await connection.execute(_SELECT, {"numbers": list(batch)})).all()
        timed_moves = await read_moves(connection, rows)
        rated = [row.id for row in rows if row.rated and row.end is not None]
        changes = await changes_of(connection, rated) if rated else {}
        return {row.id: _match_of(row, timed_moves[row.id], changes.get(row.id, ())) for row in rows}

    return await damage.whole(numbers, read)


async def check_running(connection: Connection, seats: Sequence[Seat], most: int) -> None:
    """Raise SetupError if a person already plays `most` matches, in the transaction that would begin another.

    seats: the acting person comes first; the error names the other one.
    """
    people = [(seat.user_id, seat.name) for seat in seats if seat.user_id is not None]
    for number, (user_id, name) in enumerate(people):
        if await _count_running(connection, user_id) < most:
            continue
        if number == 0:
            raise SetupError("too_many_matches", limit=most)
        raise SetupError("too_many_matches_of", name=name, limit=most)


async def check_room(connection: Connection, match: Match) -> None:
    """Raise SetupError if its channel has as many running boards as the server wants there.

    In the transaction that would begin the match. Boards that were left alone for a day do not count.
    """
    most = await most_boards(connection, match.location.guild_id)
    if most is None:
        return
    values = {"channel_id": match.location.channel_id, "after": match.created_at - LIVELY_WITHIN}
    if int((await connection.execute(_LIVELY_IN, values)).scalar_one()) >= most:
        raise SetupError("channel_full", n=most)


async def _count_running(connection: Connection, user_id: int) -> int:
    return int((await connection.execute(_RUNNING_OF, {"own_user": user_id})).scalar_one())


async def check_help(connection: Connection, match: Match) -> None:
    """Raise HelpBarred if a bot in this match would help its person, or spectator, in a rated one.

    In the transaction that stores the match, so that of two rated ones at once only one begins.
    """
    for user_id in (match.seats[0].user_id, match.seats[1].user_id, match.begun_by):
        number = None if user_id is None else await _barring_help(connection, user_id, match.game)
        if number is not None:
            raise HelpBarred(number, match.game)


async def _barring_help(connection: Connection, user_id: int, game: str) -> int | None:
    """Return the number of the person's running match that bars help in the game."""
    number: int | None = await connection.scalar(BARRING, {"own_user": user_id, "game": game})
    return number


async def seated_in_turn(connection: Connection, match: Match) -> Match:
    """Return the match that begins or becomes rated, with the seats in which it may; raises SetupError.

    In the transaction that stores it, so that of two at once the second one follows the first.
    """
    if not are_drawn(rated=match.rated, fair=match.fair):
        return match
    person, other = sorted(match.seats, key=lambda seat: seat.is_agent)
    values = {
        "own_user": person.user_id,
        "opponent": opponent_of(other),
        "game": match.game,
        "but": match.id,
    }
    latest = await connection.scalar(_LATEST_IN_TURN[other.is_agent], values)
    unlogged = Damage("match", is_logged=False)
    last = [] if latest is None else await read_matches(connection, unlogged, [latest])
    return in_turn(match, last[0] if last else None)


async def insert_match(connection: Connection, match: Match) -> Match:
    """Insert a match and return it with its id; raise Conflict.

    A match of a server that is closed off counts in that server alone.
    """
    await name_players(connection, match.seats)
    match = replace(match, is_local=await is_closed(connection, match.location.guild_id))
    try:
        number = await MATCH.add(connection, match)
    except sa.exc.IntegrityError as error:
        raise Conflict from error  # a match has one rematch at most
    match = replace(match, id=number)
    await change_moves(connection, match.id, (), match.timed_moves)
    return match


def _match_of(
    row: sa.Row[Any], timed_moves: tuple[TimedMove, ...], changes: tuple[RatingChange, ...]
) -> Match:
    """Return the match of a row; the position is replayed from its moves.

    Raises one of DAMAGE if the row and the moves do not make a match.
    """
    states = states_of(game_of(row.game).start(row.board), [timed.move for timed in timed_moves])
    match: Match = MATCH.read(row, states=states, timed_moves=timed_moves, rating_changes=changes)
    if match.result is None and match.state.outcome() is not None:
        raise ValueError("the game is over on its board, and it has no result")
    if match.is_over != (row.packed_plies is not None):
        raise ValueError("the moves of a finished match are packed, and those of a running one are not")
    return match
