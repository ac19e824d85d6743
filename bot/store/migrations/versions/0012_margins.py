"""Ratings with margins, on the scale of the ladders: what was believed on another scale, in its numbers."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_TABLES = ("records", "season_records", "puzzle_solvers", "puzzle_records")


def upgrade() -> None:
    """The matches' ratings are counted anew as the database is opened; those of puzzles go on from here."""
    for table in _TABLES:
        op.alter_column(table, "mu", new_column_name="rating")
        op.alter_column(table, "sigma", new_column_name="deviation")
        op.execute(f"UPDATE {table} SET rating = 1500 + 30 * (rating - 25), deviation = 30 * deviation")
        op.execute(f"UPDATE {table} SET deviation = 60 WHERE deviation < 60")
        op.execute(f"UPDATE {table} SET deviation = 350 WHERE deviation > 350")
        op.execute(f"UPDATE {table} SET points = round(rating)")
    op.add_column("rating_history", sa.Column("margin", sa.Integer(), nullable=False, server_default="350"))


def downgrade() -> None:
    op.drop_column("rating_history", "margin")
    for table in _TABLES:
        op.execute(f"UPDATE {table} SET rating = 25 + (rating - 1500) / 30, deviation = deviation / 30")
        op.execute(f"UPDATE {table} SET points = round(1000 + 30 * (rating - 3 * deviation))")
        op.alter_column(table, "rating", new_column_name="mu")
        op.alter_column(table, "deviation", new_column_name="sigma")
