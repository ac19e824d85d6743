"""One table of outgoing messages: daily puzzles and start messages move there.

A ping may stand in another channel than its match, which `ping_channel` names.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from alembic import op

from bot.store.shared import Instant

revision = "0305"
down_revision = "0304"

_FATES = {"claimed": "sending", "sent": "shown", "refused": "given-up"}


def _outgoing() -> sa.Table:
    return sa.Table(
        "outgoing",
        sa.MetaData(),
        sa.Column("kind", sa.String(16), primary_key=True),
        sa.Column("subject", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("part", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("guild_id", sa.BigInteger()),
        sa.Column("locale", sa.String(16), nullable=False),
        sa.Column("parent_id", sa.BigInteger()),
        sa.Column("message_id", sa.BigInteger()),
        sa.Column("shows", sa.String(64), nullable=False),
        sa.Column("fate", sa.String(16), nullable=False),
        sa.Column("claimed_at", Instant(), nullable=False),
        sa.Column("seats", sa.SmallInteger(), nullable=False),
        sqlite_with_rowid=False,
    )


def _posts() -> sa.Table:
    return sa.Table(
        "puzzle_posts",
        sa.MetaData(),
        sa.Column("guild_id", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("day", sa.Date(), primary_key=True),
        sa.Column("channel_id", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("message_id", sa.BigInteger()),
    )


_SETTINGS = sa.table(
    "server_settings",
    sa.column("guild_id", sa.BigInteger),
    sa.column("panel_channel", sa.BigInteger),
    sa.column("panel_message", sa.BigInteger),
)


def upgrade() -> None:
    connection, outgoing, posts = op.get_bind(), _outgoing(), _posts()
    outgoing.create(connection)
    rows: list[dict[str, Any]] = [
        _row("daily", post.guild_id, post.day.toordinal(), post.channel_id, post.message_id)
        | {"fate": _FATES[post.status], "claimed_at": datetime.combine(post.day, datetime.min.time(), UTC)}
        for post in connection.execute(sa.select(posts).where(posts.c.day >= _first_day(connection, posts)))
    ]
    rows += [
        _row("start", server.guild_id, 0, server.panel_channel, server.panel_message)
        | {"fate": "shown", "claimed_at": datetime.now(UTC)}
        for server in connection.execute(
            sa.select(_SETTINGS).where(
                _SETTINGS.c.panel_channel.is_not(None), _SETTINGS.c.panel_message.is_not(None)
            )
        )
    ]
    if rows:
        connection.execute(sa.insert(outgoing), rows)
    op.drop_table("puzzle_posts")
    op.drop_column("server_settings", "panel_message")
    op.add_column("matches", sa.Column("ping_channel", sa.BigInteger()))


def _first_day(connection: sa.Connection, posts: sa.Table) -> date:
    """Return the first day whose posts may still matter: it is not over everywhere, or they failed."""
    last: date | None = connection.scalar(sa.select(sa.func.max(posts.c.day)))
    return date.min if last is None else last - timedelta(days=2)


def _row(kind: str, guild_id: int, part: int, channel_id: int, message_id: int | None) -> dict[str, Any]:
    return {
        "kind": kind,
        "subject": guild_id,
        "part": part,
        "channel_id": channel_id,
        "guild_id": guild_id,
        "locale": "",
        "parent_id": None,
        "message_id": message_id,
        "shows": "",
        "seats": 0,
    }


def downgrade() -> None:
    connection, outgoing, posts = op.get_bind(), _outgoing(), _posts()
    op.drop_column("matches", "ping_channel")
    op.add_column("server_settings", sa.Column("panel_message", sa.BigInteger()))
    posts.create(connection)
    statuses = {fate: status for status, fate in _FATES.items()}
    for note in connection.execute(sa.select(outgoing)).all():
        if note.kind == "daily":
            values = {
                "guild_id": note.subject,
                "day": date.fromordinal(note.part),
                "channel_id": note.channel_id,
                "status": statuses[note.fate],
                "message_id": note.message_id,
            }
            connection.execute(sa.insert(posts), values)
        elif note.kind == "start":
            same = sa.update(_SETTINGS).where(_SETTINGS.c.guild_id == note.subject)
            connection.execute(same.values(panel_message=note.message_id))
    outgoing.drop(connection)
