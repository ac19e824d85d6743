"""The baseline: every table of version 0.3.0.

Types are spelled out here instead of imported, so that later code cannot change what this migration makes.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0300"
down_revision = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
"""SQLite numbers rows by itself only where the key is exactly INTEGER."""

INSTANT = sa.DateTime(timezone=True).with_variant(sa.BigInteger(), "sqlite")
"""SQLite stores microseconds since 1970."""

PLAYER = sa.String(64).with_variant(sa.BigInteger(), "sqlite")
"""A person's id or a level's key; SQLite stores any text in a column of numbers."""


def upgrade() -> None:
    _create_matches()
    _create_messages()
    _create_people()
    _create_ratings()
    _create_reviews()
    _create_puzzles()
    _create_tournaments()
    _create_operation()


def downgrade() -> None:
    for table in TABLES:
        op.drop_table(table)


TABLES = (
    "moves",
    "hints",
    "web_pages",
    "web_sessions",
    "challenges",
    "players",
    "preferences",
    "server_settings",
    "champion_roles",
    "achievements",
    "records",
    "rating_steps",
    "due_reviews",
    "accuracies",
    "puzzle_attempts",
    "puzzle_records",
    "puzzle_solvers",
    "puzzle_places",
    "puzzle_courses",
    "puzzle_bests",
    "puzzle_posts",
    "tournament_entrants",
    "tournament_pairings",
    "tournament_judges",
    "tournament_events",
    "facts",
    "processes",
    "matches",
    "tournaments",
)
"""Every table; those that others refer to come last."""


def _match() -> sa.ForeignKey:
    return sa.ForeignKey("matches.id", ondelete="CASCADE")


def _tournament() -> sa.ForeignKey:
    return sa.ForeignKey("tournaments.id", ondelete="CASCADE")


def _where(condition: str | sa.ColumnElement[bool]) -> dict[str, Any]:
    """Return the options of a partial index."""
    where = sa.text(condition) if isinstance(condition, str) else condition
    return {"sqlite_where": where, "postgresql_where": where}


def _record_columns() -> tuple[sa.Column[Any], ...]:
    """Return the columns of a rating and its results."""
    return (
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("draws", sa.Integer(), nullable=False),
        sa.Column("losses", sa.Integer(), nullable=False),
        sa.Column("streak", sa.Integer(), nullable=False),
        sa.Column("best_streak", sa.Integer(), nullable=False),
    )


def _create_matches() -> None:
    """Matches, the moves of running matches, hints, and pages on the web."""
    op.create_table(
        "matches",
        sa.Column("id", ID, primary_key=True),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("board", sa.String(16), nullable=False),
        sa.Column("first_user", sa.BigInteger()),
        sa.Column("first_level", sa.String(64)),
        sa.Column("first_name", sa.String(100), nullable=False),
        sa.Column("second_user", sa.BigInteger()),
        sa.Column("second_level", sa.String(64)),
        sa.Column("second_name", sa.String(100), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("channel_id", sa.BigInteger()),
        sa.Column("message_id", sa.BigInteger()),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("parent_id", sa.BigInteger()),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("clock_seconds", sa.Integer()),
        sa.Column("draw_offer", sa.SmallInteger()),
        sa.Column("undo_request", sa.SmallInteger()),
        sa.Column("warned_turn", sa.Integer()),
        sa.Column("winner", sa.SmallInteger()),
        sa.Column("end", sa.String(16)),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("rematch_of", sa.BigInteger()),
        sa.Column("opening", sa.Integer(), nullable=False),
        sa.Column("is_local", sa.Boolean(), nullable=False),
        sa.Column("is_coached", sa.Boolean(), nullable=False),
        sa.Column("fair", sa.String(16), nullable=False),
        sa.Column("pace", sa.String(16), nullable=False),
        sa.Column("begun_by", sa.BigInteger()),
        sa.Column("waits_for", sa.BigInteger()),
        sa.Column("stands_since", INSTANT),
        sa.Column("forfeits", sa.Text()),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("turn_started_at", INSTANT, nullable=False),
        sa.Column("touched_at", INSTANT, nullable=False),
        sa.Column("due_at", INSTANT),
        sa.Column("shown_version", sa.Integer(), nullable=False, server_default="-1"),
        sa.Column("ping_ask", sa.Integer()),
        sa.Column("ping_id", sa.BigInteger()),
        sa.Column("ended_short", sa.Boolean()),
        sa.Column("packed_plies", sa.SmallInteger()),
        sa.Column("packed_moves", sa.LargeBinary()),
    )
    op.create_index("ix_matches_begun_by", "matches", ["begun_by"], **_where("begun_by IS NOT NULL"))
    op.create_index(
        "ix_matches_behind",
        "matches",
        ["id"],
        **_where(
            "shown_version < version AND channel_id IS NOT NULL"
            " AND (message_id IS NOT NULL OR first_level IS NULL OR second_level IS NULL)"
        ),
    )
    op.create_index(
        "ix_matches_pings",
        "matches",
        ["id"],
        **_where(
            "channel_id IS NOT NULL AND coalesce(ping_ask, -1) <>"
            ' coalesce(CASE WHEN "end" IS NOT NULL THEN NULL'
            " WHEN draw_offer IS NOT NULL THEN 4 * turn + 1"
            " WHEN undo_request IS NOT NULL THEN 4 * turn + 2"
            " WHEN warned_turn = turn THEN 4 * turn + 3"
            " WHEN first_level IS NULL AND second_level IS NULL THEN 4 * turn END, -1)"
        ),
    )
    op.create_index("ix_matches_due_at", "matches", ["due_at"], **_where("due_at IS NOT NULL"))
    op.create_index("ix_matches_first_user_end", "matches", ["first_user", "end"], **_where('"end" IS NULL'))
    op.create_index("ix_matches_first_user_touched_at", "matches", ["first_user", "touched_at"])
    op.create_index(
        "ix_matches_rematch_of", "matches", ["rematch_of"], unique=True, **_where("rematch_of IS NOT NULL")
    )
    op.create_index("ix_matches_running", "matches", ["id"], **_where('"end" IS NULL'))
    op.create_index("ix_matches_running_in", "matches", ["channel_id"], **_where('"end" IS NULL'))
    op.create_index(
        "ix_matches_second_user_end", "matches", ["second_user", "end"], **_where('"end" IS NULL')
    )
    op.create_index("ix_matches_second_user_touched_at", "matches", ["second_user", "touched_at"])
    op.create_index("ix_matches_waits_for", "matches", ["waits_for"], **_where("waits_for IS NOT NULL"))
    op.create_table(
        "moves",
        sa.Column("match_id", ID, _match(), primary_key=True),
        sa.Column("ply", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("move", sa.SmallInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
    )
    op.create_table(
        "hints",
        sa.Column("match_id", ID, _match(), primary_key=True),
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer()),
    )
    op.create_index("ix_hints_user_id", "hints", ["user_id"])
    op.create_table(
        "web_pages",
        sa.Column("key", sa.String(32), primary_key=True),
        sa.Column("match_id", ID, _match(), nullable=False),
        sa.Column("shared_by", sa.BigInteger()),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_web_pages_match_id", "web_pages", ["match_id"])
    op.create_index("ix_web_pages_shared_by", "web_pages", ["shared_by"])
    op.create_table(
        "web_sessions",
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("channel_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("match_id", ID, _match(), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("is_open", sa.Boolean(), nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_web_sessions_match_id", "web_sessions", ["match_id"])
    op.create_index("ix_web_sessions_hash", "web_sessions", ["hash"])
    op.create_index("ix_web_sessions_expires_at", "web_sessions", ["expires_at"])


def _create_messages() -> None:
    """Invitations, and pings for the player to move."""
    op.create_table(
        "challenges",
        sa.Column("id", ID, primary_key=True),
        sa.Column("challenger_user", sa.BigInteger(), nullable=False),
        sa.Column("challenger_name", sa.String(100), nullable=False),
        sa.Column("opponent_user", sa.BigInteger()),
        sa.Column("opponent_name", sa.String(100)),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("board", sa.String(16), nullable=False),
        sa.Column("first", sa.String(16), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger()),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("parent_id", sa.BigInteger()),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("clock_seconds", sa.Integer()),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("rematch_of", sa.BigInteger()),
        sa.Column("match_id", ID, sa.ForeignKey("matches.id")),
        sa.Column("fair", sa.String(16), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=False, server_default="-1"),
    )
    op.create_index("ix_challenges_rematch_of", "challenges", ["rematch_of"])
    op.create_index("ix_challenges_status_expires_at", "challenges", ["status", "expires_at"])


def _create_people() -> None:
    """Names, preferences, the settings of servers, and achievements."""
    op.create_table(
        "players",
        sa.Column("is_agent", sa.Boolean(), primary_key=True),
        sa.Column("player", PLAYER, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "preferences",
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("theme", sa.String(16)),
        sa.Column("size", sa.String(16)),
        sa.Column("language", sa.String(16)),
        sa.Column("is_called", sa.Boolean(), nullable=False),
        sa.Column("is_listed", sa.Boolean(), nullable=False),
        sa.Column("start", sa.String(100)),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "server_settings",
        sa.Column("guild_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("language", sa.String(16)),
        sa.Column("play_channels", sa.Text(), nullable=False),
        sa.Column("puzzle_channel", sa.BigInteger()),
        sa.Column("puzzle_hour", sa.Integer(), nullable=False),
        sa.Column("highest_level", sa.Integer()),
        sa.Column("role", sa.BigInteger()),
        sa.Column("is_closed", sa.Boolean(), nullable=False),
        sa.Column("is_sharing", sa.Boolean(), nullable=False),
        sa.Column("panel_channel", sa.BigInteger()),
        sa.Column("panel_message", sa.BigInteger()),
        sa.Column("threads", sa.String(16), nullable=False),
        sa.Column("leader_role", sa.BigInteger()),
        sa.Column("winner_role", sa.BigInteger()),
        sa.Column("is_scheduling", sa.Boolean(), nullable=False),
    )
    op.create_table(
        "champion_roles",
        sa.Column("guild_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("title", sa.String(16), primary_key=True),
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("role_id", sa.BigInteger(), primary_key=True, autoincrement=False),
    )
    op.create_table(
        "achievements",
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("key", sa.String(32), primary_key=True),
        sa.Column("match_id", ID, sa.ForeignKey("matches.id", ondelete="SET NULL")),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("is_told", sa.Boolean(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_achievements_is_told",
        "achievements",
        ["is_told"],
        **_where(sa.column("is_told", sa.Boolean()).is_(False)),
    )


def _create_ratings() -> None:
    """Ratings, and their change by each match."""
    op.create_table(
        "records",
        sa.Column("player", PLAYER, primary_key=True),
        sa.Column("scope", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("season", sa.String(7), primary_key=True),
        sa.Column("game", sa.String(32), primary_key=True),
        sa.Column("is_agent", sa.Boolean(), primary_key=True),
        *_record_columns(),
        sa.Column("standing", sa.SmallInteger(), nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_records_board",
        "records",
        ["scope", "season", "game", "is_agent", "standing", sa.text("points DESC"), "player"],
        **_where("standing != 0"),
    )
    op.create_table(
        "rating_steps",
        sa.Column("id", ID, primary_key=True),
        sa.Column("match_id", ID, _match(), nullable=False),
        sa.Column("first_before", sa.Integer(), nullable=False),
        sa.Column("first_points", sa.Integer(), nullable=False),
        sa.Column("first_margin", sa.Integer(), nullable=False),
        sa.Column("second_before", sa.Integer(), nullable=False),
        sa.Column("second_points", sa.Integer(), nullable=False),
        sa.Column("second_margin", sa.Integer(), nullable=False),
        sa.Column("local_first_before", sa.Integer()),
        sa.Column("local_first_points", sa.Integer()),
        sa.Column("local_first_margin", sa.Integer()),
        sa.Column("local_second_before", sa.Integer()),
        sa.Column("local_second_points", sa.Integer()),
        sa.Column("local_second_margin", sa.Integer()),
        sa.Column("is_easy", sa.Boolean(), nullable=False),
    )
    op.create_index("ix_rating_steps_match_id", "rating_steps", ["match_id"], unique=True)


def _create_reviews() -> None:
    """Matches to review, and the accuracies found."""
    op.create_table(
        "due_reviews",
        sa.Column("match_id", ID, _match(), primary_key=True),
    )
    op.create_table(
        "accuracies",
        sa.Column("match_id", ID, _match(), primary_key=True),
        sa.Column("side", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("accuracy", sa.Float(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index("ix_accuracies_user_id", "accuracies", ["user_id"])


def _create_puzzles() -> None:
    """Puzzles: attempts, ratings, courses, and the daily post of each server."""
    op.create_table(
        "puzzle_attempts",
        sa.Column("id", ID, primary_key=True),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("puzzle", sa.String(64), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("board", sa.String(16), nullable=False),
        sa.Column("line", sa.Text(), nullable=False),
        sa.Column("grade", sa.SmallInteger(), nullable=False),
        sa.Column("depth", sa.SmallInteger(), nullable=False),
        sa.Column("goal", sa.SmallInteger(), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.Column("day", sa.Date()),
        sa.Column("started_at", INSTANT, nullable=False),
        sa.Column("ended_at", INSTANT),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("theme", sa.String(24)),
    )
    op.create_index("ix_puzzle_attempts_guild_id_user_id", "puzzle_attempts", ["guild_id", "user_id"])
    op.create_index("ix_puzzle_attempts_user_id_day", "puzzle_attempts", ["user_id", "day"], unique=True)
    op.create_index("ix_puzzle_attempts_user_id_puzzle", "puzzle_attempts", ["user_id", "puzzle"])
    op.create_table(
        "puzzle_records",
        sa.Column("puzzle", sa.String(64), primary_key=True),
        *_record_columns(),
    )
    op.create_table(
        "puzzle_solvers",
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        *_record_columns(),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "puzzle_places",
        sa.Column("player", PLAYER, primary_key=True),
        sa.Column("scope", sa.BigInteger(), primary_key=True, autoincrement=False),
        *_record_columns(),
        sa.Column("standing", sa.SmallInteger(), nullable=False, server_default="0"),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_puzzle_places_board",
        "puzzle_places",
        ["scope", "standing", sa.text("points DESC"), "player"],
        **_where("standing != 0"),
    )
    op.create_table(
        "puzzle_courses",
        sa.Column("id", ID, primary_key=True),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("puzzle", sa.String(64), nullable=False),
        sa.Column("to_beat", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("solved", sa.Integer(), nullable=False),
        sa.Column("wrong", sa.Text(), nullable=False),
        sa.Column("started_at", INSTANT, nullable=False),
        sa.Column("ends_at", INSTANT),
        sa.Column("ended_at", INSTANT),
        sa.Column("version", sa.Integer(), nullable=False),
    )
    op.create_index(
        "ix_puzzle_courses_ends_at",
        "puzzle_courses",
        ["ends_at"],
        **_where("ended_at IS NULL AND ends_at IS NOT NULL"),
    )
    op.create_index("ix_puzzle_courses_user_id_kind", "puzzle_courses", ["user_id", "kind"])
    op.create_table(
        "puzzle_bests",
        sa.Column("scope", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("game", sa.String(32), primary_key=True),
        sa.Column("day", sa.String(10), primary_key=True),
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("best", sa.Integer(), nullable=False),
        sa.Column("at", INSTANT, nullable=False),
        sa.Column("is_shown", sa.Boolean(), nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_puzzle_bests_board",
        "puzzle_bests",
        ["scope", "kind", "game", "day", "is_shown", sa.text("best DESC"), "at"],
    )
    op.create_index("ix_puzzle_bests_user_id", "puzzle_bests", ["user_id"])
    op.create_table(
        "puzzle_posts",
        sa.Column("guild_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("day", sa.Date(), primary_key=True),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("message_id", sa.BigInteger()),
    )


def _create_tournaments() -> None:
    """Tournaments with their entrants, pairings, judges and scheduled events."""
    op.create_table(
        "tournaments",
        sa.Column("id", ID, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("organiser_id", sa.BigInteger(), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("board", sa.String(16), nullable=False),
        sa.Column("system", sa.String(16), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("message_id", sa.BigInteger()),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("parent_id", sa.BigInteger()),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("closes_at", INSTANT, nullable=False),
        sa.Column("clock_seconds", sa.Integer(), nullable=False),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("is_twice", sa.Boolean(), nullable=False),
        sa.Column("fair", sa.String(16), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("stage", sa.String(16), nullable=False),
        sa.Column("told", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("shown_version", sa.Integer(), nullable=False, server_default="-1"),
        sa.Column("shown_mark", sa.String(64)),
    )
    op.create_index("ix_tournaments_guild_id_id", "tournaments", ["guild_id", "id"])
    op.create_index("ix_tournaments_organiser_id", "tournaments", ["organiser_id"])
    op.create_index("ix_tournaments_stage", "tournaments", ["stage"])
    op.create_table(
        "tournament_entrants",
        sa.Column("tournament_id", ID, _tournament(), primary_key=True),
        sa.Column("number", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("user_id", sa.BigInteger()),
        sa.Column("level", sa.String(64)),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("seed", sa.Integer()),
        sa.Column("is_out", sa.Boolean(), nullable=False),
    )
    op.create_index(
        "ix_tournament_entrants_tournament_id_level",
        "tournament_entrants",
        ["tournament_id", "level"],
        unique=True,
    )
    op.create_index(
        "ix_tournament_entrants_tournament_id_user_id",
        "tournament_entrants",
        ["tournament_id", "user_id"],
        unique=True,
    )
    op.create_index("ix_tournament_entrants_user_id", "tournament_entrants", ["user_id"])
    op.create_table(
        "tournament_pairings",
        sa.Column("tournament_id", ID, _tournament(), primary_key=True),
        sa.Column("round", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("table", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("game", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("first", sa.Integer(), nullable=False),
        sa.Column("second", sa.Integer()),
        sa.Column("given", sa.SmallInteger()),
        sa.Column("match_id", ID, sa.ForeignKey("matches.id")),
    )
    op.create_index("ix_tournament_pairings_match_id", "tournament_pairings", ["match_id"], unique=True)
    op.create_table(
        "tournament_judges",
        sa.Column("tournament_id", ID, _tournament(), primary_key=True),
        sa.Column("user_id", sa.BigInteger(), primary_key=True, autoincrement=False),
    )
    op.create_index("ix_tournament_judges_user_id", "tournament_judges", ["user_id"])
    op.create_table(
        "tournament_events",
        sa.Column("tournament_id", ID, _tournament(), primary_key=True),
        sa.Column("guild_id", sa.BigInteger(), nullable=False),
        sa.Column("event_id", sa.BigInteger(), nullable=False),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("ends_at", INSTANT, nullable=False),
    )


def _create_operation() -> None:
    """Single values, and the processes that share this database."""
    op.create_table(
        "facts",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("value", sa.Text(), nullable=False),
    )
    op.create_table(
        "processes",
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("shard_count", sa.Integer(), nullable=False),
        sa.Column("shards", sa.Text(), nullable=False),
        sa.Column("is_ready", sa.Boolean(), nullable=False),
        sa.Column("alive_until", INSTANT, nullable=False),
    )
