"""The tables: what is stored of matches, challenges, players and ratings.

The board is never stored: `moves` is the record. Discord's ids are 64-bit snowflakes. Every instant is UTC.
"""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.schema import Instant, id_column, metadata

matches = sa.Table(
    "matches",
    metadata,
    id_column(),
    sa.Column("game", sa.String(32), nullable=False),
    sa.Column("board", sa.String(16), nullable=False),
    sa.Column("first_user", sa.BigInteger),
    sa.Column("first_level", sa.String(64)),
    sa.Column("first_name", sa.String(100), nullable=False),
    sa.Column("second_user", sa.BigInteger),
    sa.Column("second_level", sa.String(64)),
    sa.Column("second_name", sa.String(100), nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("channel_id", sa.BigInteger, nullable=False),
    sa.Column("message_id", sa.BigInteger),
    sa.Column("locale", sa.String(16), nullable=False),
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
    sa.Column("opening", sa.Integer, nullable=False, server_default="0"),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("turn_started_at", Instant, nullable=False),
    sa.Column("touched_at", Instant, nullable=False),
    sa.Column("due_at", Instant),
    sa.Index(None, "first_user", "end"),
    sa.Index(None, "second_user", "end"),
    sa.Index(None, "due_at"),
    sa.Index(None, "rematch_of", unique=True),
)
"""One row a match; `end` is NULL while it runs, `due_at` says when its clock next wants a look."""

moves = sa.Table(
    "moves",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True),
    sa.Column("move", sa.SmallInteger, nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Column("at", Instant, nullable=False),
)

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
    sa.Column("rated", sa.Boolean, nullable=False),
    sa.Column("clock_seconds", sa.Integer),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("rematch_of", sa.BigInteger),
    sa.Column("match_id", sa.ForeignKey("matches.id")),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("expires_at", Instant, nullable=False),
    sa.Index(None, "status", "expires_at"),
    sa.Index(None, "rematch_of"),
)

records = sa.Table(
    "records",
    metadata,
    sa.Column("scope", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("game", sa.String(32), primary_key=True),
    sa.Column("is_agent", sa.Boolean, primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("mu", sa.Float, nullable=False),
    sa.Column("sigma", sa.Float, nullable=False),
    sa.Column("points", sa.Integer, nullable=False),
    sa.Column("wins", sa.Integer, nullable=False),
    sa.Column("draws", sa.Integer, nullable=False),
    sa.Column("losses", sa.Integer, nullable=False),
    sa.Column("streak", sa.Integer, nullable=False),
    sa.Column("best_streak", sa.Integer, nullable=False),
    sa.Index(None, "scope", "game", "is_agent", "points"),
)
"""Ratings and records; scope is a server's id, or 0 for everywhere; `player` a user's id or a level's key."""

players = sa.Table(
    "players",
    metadata,
    sa.Column("is_agent", sa.Boolean, primary_key=True),
    sa.Column("player", sa.String(64), primary_key=True),
    sa.Column("name", sa.String(100), nullable=False),
)
"""What each player was last called."""

notices = sa.Table(
    "notices",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("channel_id", sa.BigInteger, nullable=False),
    sa.Column("message_id", sa.BigInteger, primary_key=True),
)
"""Small messages that called somebody to their turn, to be removed when they have moved."""

hints = sa.Table(
    "hints",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("used", sa.Integer, nullable=False),
)
"""How many hints each person has had in a match."""

facts = sa.Table(
    "facts",
    metadata,
    sa.Column("key", sa.String(64), primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
"""Single values the bot remembers, such as the hash of the commands last synced."""
