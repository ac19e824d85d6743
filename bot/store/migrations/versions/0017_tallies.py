"""How many people stand on each step of each board: counted here once, and then kept with every change."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

SETTLED = "CASE WHEN deviation < 109.5 THEN 2 ELSE 1 END"
HIDDEN = "player NOT IN (SELECT CAST(user_id AS VARCHAR) FROM preferences WHERE is_listed)"
RECORD = "rating, deviation, points, wins, draws, losses, streak, best_streak"
STEP = "(points + 100000) / 10"


def upgrade() -> None:
    for name in ("records", "season_records"):
        op.add_column(name, sa.Column("standing", sa.SmallInteger(), nullable=False, server_default="0"))
    op.create_table(
        "puzzle_places",
        sa.Column("scope", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("player", sa.String(64), primary_key=True),
        sa.Column("rating", sa.Float(), nullable=False),
        sa.Column("deviation", sa.Float(), nullable=False),
        *(
            sa.Column(name, sa.Integer(), nullable=False)
            for name in ("points", "wins", "draws", "losses", "streak", "best_streak")
        ),
        sa.Column("standing", sa.SmallInteger(), nullable=False, server_default="0"),
        sa.PrimaryKeyConstraint("scope", "player", name=op.f("pk_puzzle_places")),
    )
    op.create_table(
        "tallies",
        sa.Column("scope", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("game", sa.String(32), primary_key=True),
        sa.Column("season", sa.String(7), primary_key=True),
        sa.Column("is_agent", sa.Boolean(), primary_key=True),
        sa.Column("standing", sa.SmallInteger(), primary_key=True, autoincrement=False),
        sa.Column("step", sa.Integer(), primary_key=True, autoincrement=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint(
            "scope", "game", "season", "is_agent", "standing", "step", name=op.f("pk_tallies")
        ),
    )
    _count()
    op.drop_index(op.f("ix_records_scope_game_is_agent_points"), table_name="records")
    op.drop_index(op.f("ix_season_records_scope_game_season_is_agent_points"), table_name="season_records")
    op.drop_index(op.f("ix_puzzle_solvers_points"), table_name="puzzle_solvers")
    end: list[str | sa.TextClause] = ["standing", sa.text("points DESC"), "player"]
    op.create_index("ix_records_board", "records", ["scope", "game", "is_agent", *end])
    op.create_index(op.f("ix_records_player"), "records", ["player"])
    op.create_index(
        "ix_season_records_board", "season_records", ["scope", "game", "season", "is_agent", *end]
    )
    op.create_index("ix_puzzle_places_board", "puzzle_places", ["scope", *end])
    op.create_index(op.f("ix_puzzle_places_player"), "puzzle_places", ["player"])


def _count() -> None:
    op.execute(
        f"INSERT INTO puzzle_places (scope, player, {RECORD})"
        f" SELECT scopes.scope, CAST(puzzle_solvers.user_id AS VARCHAR), {RECORD} FROM puzzle_solvers JOIN"
        " (SELECT 0 AS scope, user_id FROM puzzle_solvers"
        " UNION ALL SELECT DISTINCT guild_id, user_id FROM puzzle_attempts"
        " WHERE guild_id IS NOT NULL AND counts AND ended_at IS NOT NULL) AS scopes"
        " ON scopes.user_id = puzzle_solvers.user_id"
    )
    op.execute(
        f"UPDATE records SET standing = CASE WHEN scope = 0 AND NOT is_agent AND {HIDDEN} THEN 0"
        f" ELSE {SETTLED} END"
    )
    op.execute(f"UPDATE season_records SET standing = {SETTLED}")
    op.execute(
        f"UPDATE puzzle_places SET standing = CASE WHEN scope = 0 AND {HIDDEN} THEN 0 ELSE {SETTLED} END"
    )
    for table, key in (
        ("records", "scope, game, '', is_agent"),
        ("season_records", "scope, game, season, is_agent"),
        ("puzzle_places", "scope, 'puzzles', '', false"),
    ):
        op.execute(
            "INSERT INTO tallies (scope, game, season, is_agent, standing, step, people)"
            f" SELECT {key}, standing, {STEP}, count(*) FROM {table}"
            " WHERE standing > 0 GROUP BY 1, 2, 3, 4, 5, 6"
        )


def downgrade() -> None:
    op.drop_table("tallies")
    op.drop_table("puzzle_places")
    op.drop_index("ix_season_records_board", table_name="season_records")
    op.drop_index("ix_records_board", table_name="records")
    op.drop_index(op.f("ix_records_player"), table_name="records")
    op.create_index(op.f("ix_puzzle_solvers_points"), "puzzle_solvers", ["points"])
    op.create_index(
        op.f("ix_season_records_scope_game_season_is_agent_points"),
        "season_records",
        ["scope", "game", "season", "is_agent", "points"],
    )
    op.create_index(
        op.f("ix_records_scope_game_is_agent_points"), "records", ["scope", "game", "is_agent", "points"]
    )
    for name in ("season_records", "records"):
        op.drop_column(name, "standing")
