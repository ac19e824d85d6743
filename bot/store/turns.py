"""The moves of matches: a row each while a match runs, all packed in the match's own row once it is over.

A move is stored by one small row, however long the match. Packed, without rows and their index, the moves
take a seventh of the space.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import sqlalchemy as sa

from bot.domain.match import Turn
from bot.store.connection import Connection
from bot.store.shared import Instant, Values, metadata
from bot.store.turn_codec import PlainTurn, pack, plain, unpack, unpack_plain

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

PACKED = ("packed_plies", "packed_turns")
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
    def packed_turns(self) -> bytes | None: ...


def packed_columns() -> tuple[sa.Column[Any], ...]:
    """Return the columns PACKED for the table of matches."""
    return sa.Column("packed_plies", sa.SmallInteger), sa.Column("packed_turns", sa.LargeBinary)


async def read_turns(connection: Connection, rows: Iterable[MatchRow]) -> dict[int, tuple[Turn, ...]]:
    """Return the moves of each match, in order; raise one of DAMAGE if those of one are damaged."""
    found: dict[int, tuple[Turn, ...]] = {}
    running: dict[int, list[Turn]] = {}
    for row in rows:
        if row.packed_plies is None:
            running[row.id] = []
            continue
        found[row.id] = unpack(row.packed_turns or b"")
        _check_count(row, found[row.id])
    if not running:
        return found
    for turn in (await connection.execute(_SELECT, {"numbers": list(running)})).all():
        if turn.ply != len(running[turn.match_id]):
            raise ValueError("its moves are not numbered one after the other")
        running[turn.match_id].append(Turn(turn.move, turn.seconds, turn.at))
    return found | {number: tuple(turns) for number, turns in running.items()}


async def read_plain_turns(connection: Connection, rows: Iterable[MatchRow]) -> dict[int, list[PlainTurn]]:
    """Return the same as plain numbers, which is fast enough for ten thousand matches."""
    found: dict[int, list[PlainTurn]] = {}
    running = []
    for row in rows:
        if row.packed_plies is None:
            running.append(row)
            continue
        found[row.id] = unpack_plain(row.packed_turns or b"")
        _check_count(row, found[row.id])
    made = await read_turns(connection, running)
    return found | {number: [plain(turn) for turn in turns] for number, turns in made.items()}


def _check_count(row: MatchRow, turns: Sequence[object]) -> None:
    if len(turns) != row.packed_plies:
        raise ValueError(f"{len(turns)} moves are packed, not {row.packed_plies}")


async def add_turns(connection: Connection, match_id: int, turns: Sequence[Turn], start: int = 0) -> None:
    """Store the moves of a running match from that ply on."""
    made = enumerate(turns[start:], start=start)
    if values := [turn_values(match_id, ply, turn) for ply, turn in made]:
        await connection.execute(_INSERT, values)


async def change_turns(
    connection: Connection, match_id: int, before: Sequence[Turn], after: Sequence[Turn]
) -> None:
    """Store the difference between the moves of a running match."""
    kept = min(len(before), len(after))
    if len(before) > kept:
        await drop_turns(connection, match_id, kept)
    await add_turns(connection, match_id, after, kept)


async def drop_turns(connection: Connection, match_id: int, start: int = 0) -> None:
    """Delete the rows from that ply on, of moves that were taken back or are packed."""
    await connection.execute(_DELETE, {"own_id": match_id, "from_ply": start})


def packed_values(turns: Sequence[Turn]) -> Values:
    """Return the columns PACKED of a finished match."""
    return {"packed_plies": len(turns), "packed_turns": pack(turns)}


def turn_values(match_id: int, ply: int, turn: Turn) -> Values:
    """Return a row of `moves`."""
    return {"match_id": match_id, "ply": ply, "move": turn.move, "seconds": turn.seconds, "at": turn.at}
