"""The moves of matches: a row each while a match runs, all packed in the match's own row once it is over.

A move is stored by one small row, however long the match. Packed, without rows and their index, the moves
take a seventh of the space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import sqlalchemy as sa

from bot.domain.match import TimedMove
from bot.store.connection import Connection
from bot.store.move_codec import PlainMove, pack, plain, unpack, unpack_plain
from bot.store.shared import Instant, Values, metadata

moves = sa.Table(
    "moves",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("ply", sa.Integer, primary_key=True),
    sa.Column("move", sa.SmallInteger, nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Column("at", Instant, nullable=False),
)
"""The moves of running matches."""

PACKED = ("packed_plies", "packed_moves")
"""Columns of `matches`: the number of moves and all of them; NULL while the match runs."""

IS_MOVE = "is_move"
"""The execution option of statements that store a move, one for each row of values; metrics count them."""

_INSERT = sa.insert(moves).execution_options(**{IS_MOVE: True})
_NUMBERS: sa.BindParameter[Any] = sa.bindparam("numbers", expanding=True)
_SELECT = sa.select(moves).where(moves.c.match_id.in_(_NUMBERS)).order_by(moves.c.match_id, moves.c.ply)
_DELETE = sa.delete(moves).where(
    moves.c.match_id == sa.bindparam("own_id"), moves.c.ply >= sa.bindparam("from_ply")
)


class MatchRow(Protocol):
    """The columns of a match that say where its moves are."""

    @property
    def id(self) -> int: ...
    @property
    def packed_plies(self) -> int | None: ...
    @property
    def packed_moves(self) -> bytes | None: ...


def packed_columns() -> tuple[sa.Column[Any], ...]:
    """Return the columns PACKED for the table of matches."""
    return sa.Column("packed_plies", sa.SmallInteger), sa.Column("packed_moves", sa.LargeBinary)


async def read_moves(connection: Connection, rows: Iterable[MatchRow]) -> dict[int, tuple[TimedMove, ...]]:
    """Return the moves of each match, in order; raise one of DAMAGE if those of one are damaged."""
    found: dict[int, tuple[TimedMove, ...]] = {}
    running: dict[int, list[TimedMove]] = {}
    for row in rows:
        if row.packed_plies is None:
            running[row.id] = []
            continue
        found[row.id] = unpack(row.packed_moves or b"")
        _check_count(row, found[row.id])
    if not running:
        return found
    for timed in (await connection.execute(_SELECT, {"numbers": list(running)})).all():
        if timed.ply != len(running[timed.match_id]):
            raise ValueError("its moves are not numbered one after the other")
        running[timed.match_id].append(TimedMove(timed.move, timed.seconds, timed.at))
    return found | {number: tuple(timed_moves) for number, timed_moves in running.items()}


async def read_plain_moves(connection: Connection, rows: Iterable[MatchRow]) -> dict[int, list[PlainMove]]:
    """Return the same as plain numbers, which is fast enough for ten thousand matches."""
    found: dict[int, list[PlainMove]] = {}
    running = []
    for row in rows:
        if row.packed_plies is None:
            running.append(row)
            continue
        found[row.id] = unpack_plain(row.packed_moves or b"")
        _check_count(row, found[row.id])
    made = await read_moves(connection, running)
    return found | {number: [plain(timed) for timed in timed_moves] for number, timed_moves in made.items()}


def _check_count(row: MatchRow, timed_moves: Sequence[object]) -> None:
    if len(timed_moves) != row.packed_plies:
        raise ValueError(f"{len(timed_moves)} moves are packed, not {row.packed_plies}")


async def change_moves(
    connection: Connection, match_id: int, before: Sequence[TimedMove], after: Sequence[TimedMove]
) -> None:
    """Store the difference between the moves of a running match."""
    kept = min(len(before), len(after))
    if len(before) > kept:
        await delete_moves(connection, match_id, kept)
    if len(after) > kept:
        await connection.execute(_INSERT, move_rows(match_id, after, kept))


async def delete_moves(connection: Connection, match_id: int, start: int = 0) -> None:
    """Delete the rows from that ply on, of moves that were taken back or are packed."""
    await connection.execute(_DELETE, {"own_id": match_id, "from_ply": start})


def packed_values(timed_moves: Sequence[TimedMove]) -> Values:
    """Return the columns PACKED of a finished match."""
    return {"packed_plies": len(timed_moves), "packed_moves": pack(timed_moves)}


def move_rows(match_id: int, timed_moves: Sequence[TimedMove], start: int = 0) -> list[Values]:
    """Return the rows of `moves` from that ply on."""
    return [
        {"match_id": match_id, "ply": ply, "move": timed.move, "seconds": timed.seconds, "at": timed.at}
        for ply, timed in enumerate(timed_moves[start:], start)
    ]
