"""Tournaments, their entrants, pairings and judges. Results are read from the matches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from bot.domain.errors import SetupError
from bot.domain.leaderboard import EVERYWHERE
from bot.domain.match import Match
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.shards import Shards
from bot.domain.terms import Fair
from bot.domain.tournament.model import ANNOUNCED_ALL, Entrant, Pairing, Stage, Tournament
from bot.store.beginnings import check_help, check_room, insert_match
from bot.store.connection import Connection
from bot.store.damage import DAMAGE, Damage
from bot.store.database import Database, Store, uncancellable
from bot.store.match_rows import FORFEITS, IS_RUNNING, RESULT, find_matches, matches
from bot.store.move_codec import unpack_plain
from bot.store.preferences import is_closed
from bot.store.ratings import points_of_seats
from bot.store.rows import Part, RowMapper, seat, store_change
from bot.store.shared import Instant, ShownName, id_column, metadata, on_share
from engine.core import Player, states_of
from engine.games import game as game_of

tournaments = sa.Table(
    "tournaments",
    metadata,
    id_column(),
    sa.Column("name", ShownName, nullable=False),
    sa.Column("organiser_id", sa.BigInteger, nullable=False),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("board", sa.String(16), nullable=False),
    sa.Column("system", sa.String(16), nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("channel_id", sa.BigInteger, nullable=False),
    sa.Column("message_id", sa.BigInteger),
    sa.Column("locale", sa.String(16), nullable=False),
    sa.Column("parent_id", sa.BigInteger),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("closes_at", Instant, nullable=False),
    sa.Column("clock_seconds", sa.Integer, nullable=False),
    sa.Column("rounds", sa.Integer, nullable=False),
    sa.Column("is_twice", sa.Boolean, nullable=False),
    sa.Column("fair", sa.String(16), nullable=False),
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("stage", sa.String(16), nullable=False),
    sa.Column("told", sa.Integer, nullable=False),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("shown_version", sa.Integer, nullable=False, server_default="-1"),
    sa.Column("shown_mark", sa.String(64)),
    sa.Index(None, "stage"),
    sa.Index(None, "organiser_id"),
    sa.Index(None, "guild_id", "id"),
)

tournament_entrants = sa.Table(
    "tournament_entrants",
    metadata,
    sa.Column("tournament_id", sa.ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("user_id", sa.BigInteger),
    sa.Column("level", sa.String(64)),
    sa.Column("name", ShownName, nullable=False),
    sa.Column("seed", sa.Integer),
    sa.Column("is_out", sa.Boolean, nullable=False),
    sa.Index(None, "tournament_id", "user_id", unique=True),
    sa.Index(None, "tournament_id", "level", unique=True),
    sa.Index(None, "user_id"),
)

tournament_pairings = sa.Table(
    "tournament_pairings",
    metadata,
    sa.Column("tournament_id", sa.ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("round", sa.Integer, primary_key=True),
    sa.Column("table", sa.Integer, primary_key=True),
    sa.Column("game", sa.SmallInteger, primary_key=True),
    sa.Column("first", sa.Integer, nullable=False),
    sa.Column("second", sa.Integer),
    sa.Column("given", sa.SmallInteger),
    sa.Column("match_id", sa.ForeignKey("matches.id")),
    sa.Index(None, "match_id", unique=True),
)
"""One row a pairing: the key prevents a round from being paired twice. `given`: a point without a match."""

tournament_judges = sa.Table(
    "tournament_judges",
    metadata,
    sa.Column("tournament_id", sa.ForeignKey("tournaments.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Index(None, "user_id"),
)
"""People who removed entrants from a tournament, and so do not play in it."""

TOURNAMENT = RowMapper(
    tournaments,
    Tournament,
    but=("shown_version", "shown_mark"),
    given=("entrants", "pairings", "judges"),
    announced=Part(("told",), lambda announced: (announced,), int),
)
ENTRANT = RowMapper(
    tournament_entrants, Entrant, but=("tournament_id",), seat=seat("user_id", "name", "level")
)
PAIRING = RowMapper(
    tournament_pairings, Pairing, but=("tournament_id",), given=("message_id", "result", "turn", "forfeits")
)

_OF_MATCHES = (
    *(matches.c[name] for name in ("winner", "end", "turn", "message_id", "fair", "opening", "forfeits")),
    matches.c.game.label("played"),
    matches.c.board,
    sa.case((matches.c.end == End.TIME.value, matches.c.packed_moves)).label("packed_moves"),
)
"""Columns of a pairing's match that are read with it."""

UNSENT_GRACE = timedelta(seconds=15)
"""How long a new tournament may be without a message; normally the code that made it sends one."""

SERVERS_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class DueTournament:
    """A tournament that may have a next step; if it equals the one of the last time, it has none."""

    id: int
    channel_id: int
    version: int
    ended_matches: int


class TournamentStore(Store):
    """Loads and changes tournaments."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._damage = Damage("tournament")
        self._damage_of_matches = Damage("match")

    @uncancellable
    async def count_watched(self, channel_id: int) -> int:
        """Return how many matches between agents run in the channel, without those of tournaments."""
        async with self._database.reading() as connection:
            return await _count(connection, *_is_watched_in(channel_id))

    @uncancellable
    async def add_watched(self, match: Match, *, most: int) -> Match:
        """Store a new match between agents or by votes and return it; raise Conflict and HelpBarred.

        most: how many of them may run in a channel, or of a person on the web; raises SetupError beyond that.
        """

        async def begin(connection: Connection) -> Match:
            where = _is_watched_in(match.location.channel_id)
            if match.location.channel_id is None:
                where = (*where, matches.c.begun_by == match.begun_by)
            if await _count(connection, *where) >= most:
                raise SetupError("too_many_voted" if match.is_voted else "too_many_watched", limit=most)
            await check_room(connection, match)
            await check_help(connection, match)
            return await insert_match(connection, match)

        return await self._database.change(begin)

    @uncancellable
    async def add(self, tournament: Tournament, *, most: int, is_only_one: bool) -> Tournament:
        """Store a new tournament and return it with its id; raise SetupError.

        most: how many may be active in a server. is_only_one: its organiser may have no other.
        """

        async def store(connection: Connection) -> Tournament:
            here = (tournaments.c.guild_id == tournament.location.guild_id, _IS_ACTIVE)
            if await _count(connection, *here) >= most:
                raise SetupError("tournament_too_many", limit=most)
            organised = tournaments.c.organiser_id == tournament.organiser_id
            if is_only_one and await _count(connection, *here, organised):
                raise SetupError("tournament_one_each")
            stored = replace(tournament, id=await TOURNAMENT.add(connection, tournament))
            await _replace_entrants(connection, stored)
            return stored

        return await self._database.change(store)

    @uncancellable
    async def save(self, before: Tournament, after: Tournament, now: datetime) -> Tournament:
        """Store a change and begin the matches of new pairings, all or nothing; raise Conflict.

        Returns the tournament with its new matches.
        """
        async with self._database.writing() as connection:
            await store_change(connection, TOURNAMENT, before, after)
            if after.entrants != before.entrants:
                await _replace_entrants(connection, after)
            if new_judges := after.judges - before.judges:
                rows = [{"tournament_id": after.id, "user_id": user_id} for user_id in new_judges]
                await connection.execute(sa.insert(tournament_judges), rows)
            kept, new = len(before.pairings), []
            for pairing in after.pairings[kept:]:
                if pairing.given is None:
                    match = await insert_match(connection, after.match_of(pairing, now))
                    pairing = replace(pairing, match_id=match.id)
                new.append(pairing)
            if new:
                rows = [PAIRING.values(pairing, tournament_id=after.id) for pairing in new]
                await connection.execute(PAIRING.insert, rows)
            return replace(after, pairings=(*after.pairings[:kept], *new))

    @uncancellable
    async def tournament(self, tournament_id: int) -> Tournament | None:
        found = await self._tournaments(tournaments.c.id == tournament_id)
        return found[0] if found else None

    @uncancellable
    async def active(self) -> list[Tournament]:
        """Return every tournament that is open or running."""
        return await self._tournaments(_IS_ACTIVE)

    @uncancellable
    async def open_in(self, guild_ids: Sequence[int]) -> list[Tournament]:
        """Return the open tournaments of these servers."""
        found: list[Tournament] = []
        for few in (
            guild_ids[start : start + SERVERS_AT_ONCE] for start in range(0, len(guild_ids), SERVERS_AT_ONCE)
        ):
            where = tournaments.c.stage == Stage.OPEN.value, tournaments.c.guild_id.in_(few)
            found += await self._tournaments(*where)
        return found

    @uncancellable
    async def due(self, now: datetime) -> list[DueTournament]:
        """Return the tournaments with a next step: to close, continue, announce or display."""
        query, values = _due(self._database.share), {"now": now, "lost": now - UNSENT_GRACE}

        async def read(connection: Connection) -> list[DueTournament]:
            rows = (await connection.execute(query, values)).all()
            return [DueTournament(row.id, row.channel_id, row.version, row.ended) for row in rows]

        return await self._database.ask(read)

    @uncancellable
    async def of_guild(self, guild_id: int, limit: int) -> list[Tournament]:
        """Return the server's tournaments, the latest first."""
        return await self._tournaments(tournaments.c.guild_id == guild_id, limit=limit)

    async def _tournaments(
        self, *where: sa.ColumnElement[bool], limit: int | None = None
    ) -> list[Tournament]:
        async with self._database.reading() as connection:
            return await find_tournaments(connection, self._damage, *where, limit=limit)

    @uncancellable
    async def of_match(self, match_id: int) -> int | None:
        """Return the number of the tournament to which the match belongs."""
        return await self._tournament_of(match_id)

    @uncancellable
    async def has_match(self, match_id: int) -> bool:
        """Return whether the match belongs to a tournament."""
        return await self._tournament_of(match_id) is not None

    async def _tournament_of(self, match_id: int) -> int | None:
        table = tournament_pairings
        query = sa.select(table.c.tournament_id).where(table.c.match_id == match_id)
        found: int | None = await self._value(query)
        return found

    @uncancellable
    async def matches_of(self, tournament_id: int) -> list[Match]:
        """Return the running matches of a tournament."""
        own = sa.select(tournament_pairings.c.match_id).where(
            tournament_pairings.c.tournament_id == tournament_id
        )
        async with self._database.reading() as connection:
            return await find_matches(connection, self._damage_of_matches, IS_RUNNING, matches.c.id.in_(own))

    @uncancellable
    async def ratings(self, game: str, guild_id: int | None, seats: Sequence[Seat]) -> tuple[int, ...]:
        """Return the points of each seat, a newcomer's if it has none.

        They are those of everywhere, or of the server if it is closed.
        """
        async with self._database.reading() as connection:
            scope = guild_id if await is_closed(connection, guild_id) else None
            return await points_of_seats(connection, scope or EVERYWHERE, game, seats)


@lru_cache(maxsize=16)
def _due(share: Shards | None) -> sa.Select[Any]:
    """Return the query of tournaments with a next step at `now`; unsent ones only if made before `lost`."""
    stage, paired = tournaments.c.stage, tournament_pairings
    in_matches = tournaments.outerjoin(paired, paired.c.tournament_id == tournaments.c.id).outerjoin(
        matches, matches.c.id == paired.c.match_id
    )
    is_sent = sa.or_(tournaments.c.message_id.is_not(None), tournaments.c.created_at <= sa.bindparam("lost"))
    is_meant = sa.or_(
        sa.and_(stage == Stage.OPEN.value, tournaments.c.closes_at <= sa.bindparam("now")),
        stage == Stage.RUNNING.value,
        sa.and_(stage == Stage.OVER.value, tournaments.c.told != ANNOUNCED_ALL),
        # A finished one is covered by the announcement of its standings.
        sa.and_(tournaments.c.shown_version < tournaments.c.version, stage != Stage.OVER.value, is_sent),
    )
    columns = tournaments.c.id, tournaments.c.channel_id, tournaments.c.version
    return (
        sa.select(*columns, sa.func.count(matches.c.end).label("ended"))
        .select_from(in_matches)
        .where(is_meant, *on_share(tournaments.c.guild_id, share))
        .group_by(*columns)
    )


async def find_tournaments(
    connection: Connection, damage: Damage, *where: sa.ColumnElement[bool], limit: int | None = None
) -> list[Tournament]:
    """Return the tournaments, the latest first; damaged ones are noted and left out."""

    async def read(batch: Sequence[int]) -> dict[int, Tournament]:
        return await _read(connection, batch)

    query = sa.select(tournaments.c.id).where(*where).order_by(tournaments.c.id.desc()).limit(limit)
    return await damage.whole((await connection.execute(query)).scalars().all(), read)


async def _read(connection: Connection, own: Sequence[int]) -> dict[int, Tournament]:
    heads = (await connection.execute(sa.select(tournaments).where(tournaments.c.id.in_(own)))).all()
    entrants: dict[int, list[Entrant]] = {key: [] for key in own}
    table = tournament_entrants
    listed = sa.select(table).where(table.c.tournament_id.in_(own)).order_by(table.c.number)
    for row in (await connection.execute(listed)).all():
        entrants[row.tournament_id].append(ENTRANT.read(row))
    judges: dict[int, set[int]] = {key: set() for key in own}
    judging = sa.select(tournament_judges).where(tournament_judges.c.tournament_id.in_(own))
    for row in (await connection.execute(judging)).all():
        judges[row.tournament_id].add(row.user_id)
    pairings: dict[int, list[Pairing]] = {key: [] for key in own}
    paired = tournament_pairings
    joined = (
        sa.select(paired, *_OF_MATCHES)
        .select_from(paired.outerjoin(matches, matches.c.id == paired.c.match_id))
        .where(paired.c.tournament_id.in_(own))
        .order_by(paired.c.round, paired.c.game, paired.c.table)
    )
    for row in (await connection.execute(joined)).all():
        pairings[row.tournament_id].append(_pairing_of(row))
    return {
        head.id: TOURNAMENT.read(
            head,
            entrants=tuple(entrants[head.id]),
            pairings=tuple(pairings[head.id]),
            judges=frozenset(judges[head.id]),
        )
        for head in heads
    }


_IS_ACTIVE = tournaments.c.stage.in_((Stage.OPEN.value, Stage.RUNNING.value))
"""The tournament is open or running."""


def _is_watched_in(channel_id: int | None) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the conditions of a running match between agents there (None: the web), of no tournament."""
    paired = tournament_pairings.c.match_id
    return (
        IS_RUNNING,
        matches.c.channel_id == channel_id,
        matches.c.id.not_in(sa.select(paired).where(paired.is_not(None))),
        matches.c.first_level.is_not(None),
        matches.c.second_level.is_not(None),
    )


async def _count(connection: Connection, *where: sa.ColumnElement[bool]) -> int:
    query = sa.select(sa.func.count()).where(*where)
    return int((await connection.execute(query)).scalar_one())


async def _replace_entrants(connection: Connection, tournament: Tournament) -> None:
    table = tournament_entrants
    await connection.execute(sa.delete(table).where(table.c.tournament_id == tournament.id))
    if rows := [ENTRANT.values(entrant, tournament_id=tournament.id) for entrant in tournament.entrants]:
        await connection.execute(ENTRANT.insert, rows)


def _pairing_of(row: sa.Row[Any]) -> Pairing:
    result: Result | None = RESULT.of(row)
    forfeits, turn = FORFEITS.of(row), row.turn or 0
    # If the first move was taken over, the sides of the match are the other way round.
    if row.fair == Fair.PIE and row.opening:
        forfeits = forfeits[::-1]
        if result is not None and result.winner is not None:
            result = replace(result, winner=result.winner.other)
    elif turn > 1 and row.end == End.TIME and row.winner == Player.FIRST and not _has_second_moved(row):
        turn = 1
    return PAIRING.read(row, message_id=row.message_id, result=result, turn=turn, forfeits=forfeits)


def _has_second_moved(row: sa.Row[Any]) -> bool:
    """Return whether the second side has moved since the opening; so it has in a damaged match."""
    try:
        moves = tuple(move for move, _, _ in unpack_plain(row.packed_moves))
        states = states_of(game_of(row.played).start(row.board), moves)
        return any(state.to_move is Player.SECOND for state in states[row.opening : -1])
    except DAMAGE:
        return True
