"""Less room for the same rows: boards without a row number beside their key, indexes of what is asked for.

SQLite keeps a table's rows by a number of its own, and its key as an index beside it, unless told otherwise.
Keys that begin with the player need no index of players.
"""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"

BOARDS: dict[str, tuple[list[str], list[str]]] = {
    "records": (["scope", "game", "is_agent", "player"], ["player", "scope", "game", "is_agent"]),
    "season_records": (
        ["season", "scope", "game", "is_agent", "player"],
        ["player", "scope", "season", "game", "is_agent"],
    ),
    "puzzle_places": (["scope", "player"], ["player", "scope"]),
}
"""Tables that had an index of players: their keys before and after."""

OTHERS: dict[str, list[str]] = {
    "tallies": ["scope", "game", "season", "is_agent", "standing", "step"],
    "players": ["is_agent", "player"],
    "puzzle_solvers": ["user_id"],
    "preferences": ["user_id"],
    "achievements": ["user_id", "key"],
    "accuracies": ["match_id", "side"],
    "puzzle_bests": ["scope", "kind", "game", "day", "user_id"],
}
"""Tables that keep their keys."""

SIDES = ("first_user", "second_user")

PARTIAL = {"due_at": "due_at IS NOT NULL", "rematch_of": "rematch_of IS NOT NULL"}
"""Columns of matches that hardly any row has."""


def upgrade() -> None:
    for name, (_, key) in BOARDS.items():
        op.drop_index(f"ix_{name}_player", table_name=name)
        _rebuild(name, key, with_rowid=False)
    if op.get_context().dialect.name == "sqlite":
        for name, key in OTHERS.items():
            _rebuild(name, key, with_rowid=False)
    for side in SIDES:
        op.drop_index(f"ix_matches_{side}_end", table_name="matches")
        _index(f"ix_matches_{side}_end", [side, "end"], '"end" IS NULL')
    for column, where in PARTIAL.items():
        op.drop_index(f"ix_matches_{column}", table_name="matches")
        _index(f"ix_matches_{column}", [column], where, unique=column == "rematch_of")


def downgrade() -> None:
    for column in PARTIAL:
        op.drop_index(f"ix_matches_{column}", table_name="matches")
        op.create_index(f"ix_matches_{column}", "matches", [column], unique=column == "rematch_of")
    for side in SIDES:
        op.drop_index(f"ix_matches_{side}_end", table_name="matches")
        op.create_index(f"ix_matches_{side}_end", "matches", [side, "end"])
    if op.get_context().dialect.name == "sqlite":
        for name, key in OTHERS.items():
            _rebuild(name, key, with_rowid=True)
    for name, (key, _) in BOARDS.items():
        _rebuild(name, key, with_rowid=True)
        op.create_index(f"ix_{name}_player", name, ["player"])


def _index(name: str, columns: Sequence[str], where: str, *, unique: bool = False) -> None:
    condition = sa.text(where)
    op.create_index(
        name, "matches", list(columns), unique=unique, sqlite_where=condition, postgresql_where=condition
    )


def _rebuild(name: str, key: Sequence[str], *, with_rowid: bool) -> None:
    """The table with that key; in SQLite its rows are written anew, in that order, which fills its pages."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        op.drop_constraint(f"pk_{name}", name)
        op.create_primary_key(f"pk_{name}", name, list(key))
        return
    indexes = connection.scalars(
        sa.text(
            "SELECT sql FROM sqlite_master WHERE type = 'index' AND tbl_name = :name AND sql IS NOT NULL"
        ),
        {"name": name},
    ).all()
    old = sa.Table(name, sa.MetaData(), autoload_with=connection, resolve_fks=False)
    metadata = sa.MetaData()
    sa.Table("matches", metadata, sa.Column("id", sa.Integer, primary_key=True))
    new = sa.Table(
        f"{name}_coming",
        metadata,
        *(
            sa.Column(
                column.name,
                column.type,
                *(
                    sa.ForeignKey("matches.id", name=one.constraint.name, ondelete=one.ondelete)
                    for one in column.foreign_keys
                    if one.constraint is not None
                ),
                nullable=column.nullable,
                server_default=_default(column),
                autoincrement=False,
            )
            for column in old.columns
        ),
        sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"),
        sqlite_with_rowid=with_rowid,
    )
    new.create(connection)
    columns = [column.name for column in old.columns]
    rows = sa.select(*(old.c[column] for column in columns)).order_by(*(old.c[column] for column in key))
    connection.execute(sa.insert(new).from_select(columns, rows))
    old.drop(connection)
    op.rename_table(f"{name}_coming", name)
    for index in indexes:
        connection.execute(sa.text(index))


def _default(column: sa.Column[object]) -> sa.TextClause | None:
    given = column.server_default
    return sa.text(str(given.arg)) if isinstance(given, sa.DefaultClause) else None
