"""The tables of puzzles: attempts at them, and what people and puzzles are rated by them."""

from __future__ import annotations

import sqlalchemy as sa

from bot.store.ranking import leaderboard_index, record_columns, standing_column
from bot.store.shared import Instant, PlayerKey, id_column, metadata
from bot.store.words import Word

attempts = sa.Table(
    "puzzle_attempts",
    metadata,
    id_column(),
    sa.Column("user_id", sa.BigInteger, nullable=False),
    sa.Column("guild_id", sa.BigInteger),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("puzzle", sa.String(64), nullable=False),
    sa.Column("game", Word(32), nullable=False),
    sa.Column("board", Word(16), nullable=False),
    sa.Column("line", sa.Text, nullable=False),
    sa.Column("grade", sa.SmallInteger, nullable=False),
    sa.Column("depth", sa.SmallInteger, nullable=False),
    sa.Column("goal", sa.SmallInteger, nullable=False),
    sa.Column("moves", sa.Text, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("counts", sa.Boolean, nullable=False),
    sa.Column("day", sa.Date),
    sa.Column("started_at", Instant, nullable=False),
    sa.Column("ended_at", Instant),
    sa.Column("version", sa.Integer, nullable=False),
    sa.Column("theme", sa.String(24)),
    sa.Index(None, "user_id", "puzzle"),
    sa.Index(None, "user_id", "day", unique=True),
    sa.Index(None, "guild_id", "user_id"),
)
"""line, moves: moves as numbers between spaces, to the position and since. Each person has one try a day."""


solvers = sa.Table(
    "puzzle_solvers",
    metadata,
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    *record_columns(),
    sqlite_with_rowid=False,
)
"""How good people are at puzzles, the same in every server."""

puzzle_places = sa.Table(
    "puzzle_places",
    metadata,
    sa.Column("player", PlayerKey, primary_key=True),
    sa.Column("scope", sa.BigInteger, primary_key=True, autoincrement=False),
    *record_columns(),
    standing_column(),
    sqlite_with_rowid=False,
)
"""The same again for every board that shows them: of everywhere (0), and of servers where they answered."""

leaderboard_index(puzzle_places, "scope")

puzzle_records = sa.Table(
    "puzzle_records",
    metadata,
    sa.Column("puzzle", sa.String(64), primary_key=True),
    *record_columns(),
)
"""How hard puzzles turned out to be."""
