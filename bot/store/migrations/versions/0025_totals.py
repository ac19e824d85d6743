"""How many have each achievement, and how many could; what a deletion looks for, by indexes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

BEGUN = sa.text("begun_by IS NOT NULL")

PSEUDONYMS = (
    ("matches", "first_user", "first_user < 0"),
    ("matches", "second_user", "second_user < 0"),
    ("matches", "begun_by", "begun_by < 0"),
    ("records", "player", "NOT is_agent AND player LIKE '-%'"),
    ("season_records", "player", "NOT is_agent AND player LIKE '-%'"),
    ("rating_history", "player", "NOT is_agent AND player LIKE '-%'"),
    ("players", "player", "NOT is_agent AND player LIKE '-%'"),
    ("tournaments", "organiser_id", "organiser_id < 0"),
    ("tournament_entrants", "user_id", "user_id < 0"),
)
"""Where whoever was deleted may stand."""


def upgrade() -> None:
    op.create_table(
        "achievement_totals",
        sa.Column("key", sa.String(32), primary_key=True),
        sa.Column("people", sa.Integer, nullable=False),
    )
    op.execute(
        "INSERT INTO achievement_totals (key, people) SELECT key, people FROM"
        " (SELECT key, count(*) AS people FROM achievements GROUP BY key UNION ALL"
        " SELECT '', count(*) FROM (SELECT DISTINCT player FROM records WHERE NOT is_agent) AS rated)"
        " AS counted WHERE people > 0"
    )
    op.create_index(op.f("ix_hints_user_id"), "hints", ["user_id"])
    op.create_index(
        "ix_matches_begun_by", "matches", ["begun_by"], sqlite_where=BEGUN, postgresql_where=BEGUN
    )
    op.create_index(op.f("ix_tournaments_organiser_id"), "tournaments", ["organiser_id"])
    op.drop_index(op.f("ix_achievements_key"), table_name="achievements")
    _remember_last_pseudonym()
    op.execute("DELETE FROM facts WHERE key = 'rating_scale'")


def _remember_last_pseudonym() -> None:
    found = [
        f"SELECT min(CAST({column} AS BIGINT)) AS number FROM {table} WHERE {where}"
        for table, column, where in PSEUDONYMS
    ]
    op.execute(
        "INSERT INTO facts (key, value) SELECT 'last_pseudonym', CAST(number AS VARCHAR)"
        f" FROM (SELECT min(number) AS number FROM ({' UNION ALL '.join(found)}) AS numbers) AS lowest"
        " WHERE number < 0"
    )


def downgrade() -> None:
    op.execute("DELETE FROM facts WHERE key = 'last_pseudonym'")
    op.create_index(op.f("ix_achievements_key"), "achievements", ["key"])
    op.drop_index(op.f("ix_tournaments_organiser_id"), table_name="tournaments")
    op.drop_index("ix_matches_begun_by", table_name="matches")
    op.drop_index(op.f("ix_hints_user_id"), table_name="hints")
    op.drop_table("achievement_totals")
