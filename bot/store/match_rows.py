"""Matches: their table, and how its rows become matches.

The board is never stored: the moves are the record (`bot.store.moves`). Discord's ids are 64-bit snowflakes.
Every instant is UTC.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import astuple
from typing import Any

import sqlalchemy as sa

from bot.domain.match import NO_FORFEITS, Forfeits, Held, Match, RatingChange, TimedMove
from bot.domain.offers import Offers
from bot.domain.result import End, Result
from bot.domain.seat import BY_VOTES
from bot.store.connection import Connection
from bot.store.damage import Damage
from bot.store.moves import PACKED, packed_columns, read_moves
from bot.store.rating_steps import changes_of
from bot.store.rows import LOCATION, Part, RowMapper, both, numbers, seat
from bot.store.shared import Instant, ShownName, Word, id_column, metadata, partial_index
from engine.core import Player, states_of
from engine.games import game as game_of

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

RECENT = 1_000
"""How many of the newest matches are searched for those that ended a short time ago."""


def is_seated(user_id: int | sa.BindParameter[int]) -> sa.ColumnElement[bool]:
    """Return whether the person has a seat."""
    return sa.or_(matches.c.first_user == user_id, matches.c.second_user == user_id)


IS_OWN = is_seated(sa.bindparam("own_user"))
"""The person `own_user` has a seat."""

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

_SELECT = sa.select(matches).where(matches.c.id.in_(sa.bindparam("numbers", expanding=True)))


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
