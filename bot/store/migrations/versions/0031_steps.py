"""What a match made of ratings in one row instead of four that repeated the match.

Rows that lack their match or the other side are left out: the recount makes them from the matches. In a large
SQLite file the rows that are needed no more stay at first: `bot.store.packing` takes them out bit by bit.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"

SIDES = ("first", "second")

FEW_MATCHES = 20_000
"""Of which a second is enough to write all rows anew."""


def upgrade() -> None:
    op.create_table(
        "rating_steps",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name, *_ in _values(is_local=False)),
        *(sa.Column(name, sa.Integer()) for name, *_ in _values(is_local=True)),
        sa.Column("is_easy", sa.Boolean(), nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_rating_steps_match_id"), ondelete="CASCADE"
        ),
    )
    op.create_index(op.f("ix_rating_steps_match_id"), "rating_steps", ["match_id"], unique=True)
    op.execute(_packed())
    if not is_large(op.get_bind()):
        op.drop_table("rating_history")
    if op.get_context().dialect.name == "postgresql":
        op.execute(
            "SELECT setval(pg_get_serial_sequence('rating_steps', 'id'),"
            " (SELECT coalesce(max(id), 0) + 1 FROM rating_steps), false)"
        )


def is_large(connection: sa.Connection) -> bool:
    """Whether a SQLite file has so many matches that nobody should wait until all its rows are changed."""
    if connection.dialect.name != "sqlite":
        return False
    return int(connection.scalar(sa.text("SELECT coalesce(max(id), 0) FROM matches")) or 0) > FEW_MATCHES


def downgrade() -> None:
    op.execute("DROP TABLE IF EXISTS rating_history")
    at = sa.BigInteger() if op.get_context().dialect.name == "sqlite" else sa.DateTime(timezone=True)
    op.create_table(
        "rating_history",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True),
        sa.Column("match_id", sa.BigInteger().with_variant(sa.Integer, "sqlite"), nullable=False),
        sa.Column("scope", sa.BigInteger(), nullable=False),
        sa.Column("side", sa.SmallInteger(), nullable=False),
        sa.Column("game", sa.String(32), nullable=False),
        sa.Column("is_agent", sa.Boolean(), nullable=False),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("score", sa.SmallInteger(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("margin", sa.Integer(), nullable=False, server_default="350"),
        sa.Column("opponent_points", sa.Integer(), nullable=False),
        sa.Column("at", at, nullable=False),
        sa.Column("is_easy", sa.Boolean(), nullable=False, server_default="0"),
        sa.ForeignKeyConstraint(
            ["match_id"], ["matches.id"], name=op.f("fk_rating_history_match_id"), ondelete="CASCADE"
        ),
    )
    names = (
        "match_id, scope, side, game, is_agent, player, score, points, margin, opponent_points, at, is_easy"
    )
    parts = " UNION ALL ".join(
        _apart(side, is_local=is_local) for side in (0, 1) for is_local in (False, True)
    )
    rows = f"SELECT {names} FROM ({parts}) AS apart ORDER BY step, scope, side"
    op.execute(f"INSERT INTO rating_history ({names}) {rows}")
    op.create_index(
        op.f("ix_rating_history_match_id_scope_side"),
        "rating_history",
        ["match_id", "scope", "side"],
        unique=True,
    )
    where = sa.column("is_agent", sa.Boolean()).is_(False)
    op.create_index(
        "ix_rating_history_player_scope_at",
        "rating_history",
        ["player", "scope", "at"],
        sqlite_where=where,
        postgresql_where=where,
    )
    op.drop_table("rating_steps")


def _values(*, is_local: bool) -> Iterator[tuple[str, int, str]]:
    """The columns of a scope: name, of which side's row it was, and in which column there."""
    for side, name in enumerate(SIDES):
        prefix = f"local_{name}" if is_local else name
        yield f"{prefix}_before", 1 - side, "opponent_points"
        yield f"{prefix}_points", side, "points"
        yield f"{prefix}_margin", side, "margin"


def _packed() -> str:
    """One row of each match's: of everywhere, and of its server; or of the only one there is."""
    rows = {(is_local, side): f"{'local' if is_local else 'wide'}_{name}"
            for is_local in (False, True) for side, name in enumerate(SIDES)}  # fmt: skip
    columns = {
        name: f"{rows[is_local, side]}.{column}"
        for is_local in (False, True)
        for name, side, column in _values(is_local=is_local)
    }
    columns["is_easy"] = "wide_first.is_easy OR wide_second.is_easy"
    joined = " ".join(
        f"{'LEFT JOIN' if is_local else 'JOIN'} rating_history AS {row}"
        f" ON {row}.match_id = wide_first.match_id AND {row}.side = {side}"
        f" AND {row}.scope {'>' if is_local else '='} wide_first.scope"
        for (is_local, side), row in rows.items()
        if row != "wide_first"
    )
    return (
        f"INSERT INTO rating_steps (id, match_id, {', '.join(columns)})"
        f" SELECT wide_first.id, wide_first.match_id, {', '.join(columns.values())}"
        f" FROM rating_history AS wide_first {joined} WHERE wide_first.side = 0"
        " AND NOT EXISTS (SELECT 1 FROM rating_history AS wider"
        " WHERE wider.match_id = wide_first.match_id AND wider.scope < wide_first.scope)"
        " ORDER BY wide_first.id ON CONFLICT DO NOTHING"
    )


def _apart(side: int, *, is_local: bool) -> str:
    """The rows of a side in one scope, as they were before."""
    own, other = SIDES[side], SIDES[1 - side]
    prefix = "local_" if is_local else ""
    in_server = "m.guild_id IS NOT NULL AND (m.is_local OR s.local_first_points IS NOT NULL)"
    scope = (
        "m.guild_id"
        if is_local
        else "CASE WHEN m.guild_id IS NULL OR NOT m.is_local THEN 0 ELSE m.guild_id END"
    )
    where = in_server + " AND NOT m.is_local" if is_local else "true"
    return (
        f"SELECT s.id AS step, s.match_id, {scope} AS scope, {side} AS side, m.game,"
        f" m.{own}_level IS NOT NULL AS is_agent,"
        f" coalesce(m.{own}_level, CAST(m.{own}_user AS VARCHAR)) AS player,"
        f" CASE WHEN m.winner IS NULL THEN 0 WHEN m.winner = {side} THEN 1 ELSE -1 END AS score,"
        f" s.{prefix}{own}_points AS points, s.{prefix}{own}_margin AS margin,"
        f" s.{prefix}{other}_before AS opponent_points, {_at()} AS at,"
        f" s.is_easy AND m.winner = {side} AND m.winner IS NOT NULL AS is_easy"
        f" FROM rating_steps AS s JOIN matches AS m ON m.id = s.match_id WHERE {where}"
    )


def _at() -> str:
    if op.get_context().dialect.name == "postgresql":
        return "m.touched_at"
    return (
        "CAST(strftime('%s', substr(m.touched_at, 1, 19)) AS INTEGER) * 1000000"
        " + CAST(substr(m.touched_at || '000000', 21, 6) AS INTEGER)"
    )
