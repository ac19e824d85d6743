"""What SQLite repeats in very many rows takes less room: instants and ids as numbers, words as letters.

PostgreSQL keeps them as they were; it only leaves hidden rows out of the boards' indexes, as SQLite does.
What is large stays as it was: to write all rows and indexes anew would take minutes for a million people, and
the bot reads either (`bot.store.layout`). Migrations that come after this one must suit both.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"

INSTANTS = {
    "matches": ("created_at", "turn_started_at", "touched_at", "due_at"),
    "moves": ("at",),
    "challenges": ("created_at", "expires_at"),
    "achievements": ("at",),
    "puzzle_attempts": ("started_at", "ended_at"),
    "puzzle_courses": ("started_at", "ends_at", "ended_at"),
    "puzzle_bests": ("at",),
    "tournaments": ("created_at", "closes_at"),
    "tournament_events": ("ends_at",),
    "processes": ("alive_until",),
    "calls": ("called_at",),
}
"""They were texts of 26 characters."""

GAMES = {
    "connect-four": "c", "othello": "o", "tic-tac-toe": "t", "gomoku": "g", "pop-out": "p", "puzzles": "z",
}  # fmt: skip
BOARDS = {"3x3": "3", "6x7x4": "6", "8x8": "8"}

WORDS = {
    "matches": {
        "game": GAMES, "board": BOARDS, "locale": {"en-US": "e"}, "fair": {"usual": "u"},
        "pace": {"normal": "n"},
    },
    "puzzle_attempts": {"game": GAMES, "board": BOARDS},
    "tallies": {"game": GAMES},
    "records": {"game": GAMES},
    "season_records": {"game": GAMES},
}  # fmt: skip

PLAYERS = {
    "players": ["is_agent", "player"],
    "records": ["player", "scope", "game", "is_agent"],
    "season_records": ["player", "scope", "season", "game", "is_agent"],
    "puzzle_places": ["player", "scope"],
}
"""Tables in which a person's id was a text, with their keys."""

SHOWN = {
    "records": "scope, game, is_agent, standing, points DESC, player",
    "season_records": "scope, game, season, is_agent, standing, points DESC, player",
    "puzzle_places": "scope, standing, points DESC, player",
}
"""What the boards' indexes are of."""

INDEXES = {
    f"ix_matches_{side}_touched_at": ("matches", [side, "touched_at"])
    for side in ("first_user", "second_user")
}
"""Of instants, in very many rows: quicker made anew than changed."""

AS_NUMBER = (
    "CAST(strftime('%s', substr({0}, 1, 19)) AS INTEGER) * 1000000"
    " + CAST(substr({0} || '000000', 21, 6) AS INTEGER)"
)
AS_TEXT = "strftime('%Y-%m-%d %H:%M:%S', {0} / 1000000, 'unixepoch') || printf('.%06d', {0} % 1000000)"


FEW_MATCHES = 20_000
"""Of which a second is enough to write all rows anew."""


def upgrade() -> None:
    if (op.get_bind().scalar(sa.text("SELECT max(id) FROM matches")) or 0) > FEW_MATCHES:
        return
    for table in SHOWN:
        op.drop_index(f"ix_{table}_board", table_name=table)
    if op.get_context().dialect.name == "sqlite":
        _change(AS_NUMBER, "text", is_back=False)
        for table, key in PLAYERS.items():
            _rebuild(table, key, sa.BigInteger(), is_back=False)
    for table, columns in SHOWN.items():
        op.execute(f"CREATE INDEX ix_{table}_board ON {table} ({columns}) WHERE standing != 0")


def downgrade() -> None:
    players = {column["name"]: column["type"] for column in sa.inspect(op.get_bind()).get_columns("players")}
    if op.get_context().dialect.name == "sqlite" and not isinstance(players["player"], sa.BigInteger):
        return
    for table in SHOWN:
        op.drop_index(f"ix_{table}_board", table_name=table)
    if op.get_context().dialect.name == "sqlite":
        for table, key in PLAYERS.items():
            _rebuild(table, key, sa.String(64), is_back=True)
        _change(AS_TEXT, "integer", is_back=True)
    for table, columns in SHOWN.items():
        op.execute(f"CREATE INDEX ix_{table}_board ON {table} ({columns})")


def _change(expression: str, kind: str, *, is_back: bool) -> None:
    """Instants, where they are some, and words; each row is written once."""
    for name, (table, _) in INDEXES.items():
        op.drop_index(name, table_name=table)
    for table in sorted(INSTANTS.keys() | WORDS.keys() - PLAYERS.keys()):
        changed = [
            f"{column} = CASE WHEN typeof({column}) = '{kind}'"
            f" THEN coalesce({expression.format(column)}, {column}) ELSE {column} END"
            for column in INSTANTS.get(table, ())
        ]
        changed += [
            f"{column} = {_worded(column, words, is_back=is_back)}"
            for column, words in WORDS.get(table, {}).items()
        ]
        op.execute(f"UPDATE {table} SET {', '.join(changed)}")
    for name, (table, columns) in INDEXES.items():
        op.create_index(name, table, columns)


def _worded(column: str, words: dict[str, str], *, is_back: bool) -> str:
    """Words by what stands for them, or the other way round."""
    pairs = [(code, word) if is_back else (word, code) for word, code in words.items()]
    cases = " ".join(f"WHEN '{old}' THEN '{new}'" for old, new in pairs)
    return f"CASE {column} {cases} ELSE {column} END"


def _rebuild(name: str, key: list[str], player: sa.types.TypeEngine[Any], *, is_back: bool) -> None:
    """The table with another type of `player`; its rows are written anew, in order, which fills its pages."""
    connection = op.get_bind()
    old = sa.Table(name, sa.MetaData(), autoload_with=connection)
    new = sa.Table(
        f"{name}_coming",
        sa.MetaData(),
        *(
            sa.Column(
                column.name,
                player if column.name == "player" else column.type,
                nullable=column.nullable,
                server_default=_default(column),
                autoincrement=False,
            )
            for column in old.columns
        ),
        sa.PrimaryKeyConstraint(*key, name=f"pk_{name}"),
        sqlite_with_rowid=False,
    )
    new.create(connection)
    words = WORDS.get(name, {})
    values = [
        _worded(column.name, words[column.name], is_back=is_back) if column.name in words else column.name
        for column in old.columns
    ]
    if is_back:
        values = ["CAST(player AS VARCHAR)" if value == "player" else value for value in values]
    names = ", ".join(column.name for column in old.columns)
    rows = f"SELECT {', '.join(values)} FROM {name} ORDER BY {', '.join(key)}"
    op.execute(f"INSERT INTO {name}_coming ({names}) {rows}")
    old.drop(connection)
    op.rename_table(f"{name}_coming", name)


def _default(column: sa.Column[Any]) -> sa.TextClause | None:
    given = column.server_default
    return sa.text(str(given.arg)) if isinstance(given, sa.DefaultClause) else None
