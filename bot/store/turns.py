"""The moves of matches: a row each while a match runs, all packed in the match's own row once it is over.

Whoever reads or writes moves does so here, and need not know which. A move is stored by one small row,
however long the match; packed, and without rows and their index, they take a seventh of the room.
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
"""The moves of matches that run."""

PACKED = ("packed_plies", "packed_turns")
"""Columns of `matches`: how many moves there are, and all of them; NULL where each has a row of `moves`."""

IS_MOVE = "is_move"
"""The option of a statement by which each row of its values stores a move, for who counts them."""

_INSERT = sa.insert(moves).execution_options(**{IS_MOVE: True})
_NUMBERS: sa.BindParameter[Any] = sa.bindparam("numbers", expanding=True)
_SELECT = sa.select(moves).where(moves.c.match_id.in_(_NUMBERS)).order_by(moves.c.match_id, moves.c.ply)
_DELETE = sa.delete(moves).where(moves.c.match_id == sa.bindparam("own_id"))


class MatchRow(Protocol):
    """A row of `matches`, or as much of it as tells where its moves are."""

    @property
    def id(self) -> int: ...
    @property
    def packed_plies(self) -> int | None: ...
    @property
    def packed_turns(self) -> bytes | None: ...


def packed_columns() -> tuple[sa.Column[Any], ...]:
    """For the table of matches."""
    return sa.Column("packed_plies", sa.SmallInteger), sa.Column("packed_turns", sa.LargeBinary)


def plies_of(matches: sa.Table) -> sa.ColumnElement[int]:
    """How many moves a match of that table has, those given with it included."""
    apart = sa.select(sa.func.count()).where(moves.c.match_id == matches.c.id).scalar_subquery()
    return sa.func.coalesce(matches.c.packed_plies, apart)


async def read_turns(connection: Connection, rows: Iterable[MatchRow]) -> dict[int, tuple[Turn, ...]]:
    """By match its moves, in their order; raises one of DAMAGE where those of one are none."""
    found: dict[int, tuple[Turn, ...]] = {}
    apart: dict[int, list[Turn]] = {}
    for row in rows:
        if row.packed_turns is None and row.packed_plies is None:
            apart[row.id] = []
            continue
        found[row.id] = unpack(row.packed_turns or b"")
        _check_count(row, found[row.id])
    if not apart:
        return found
    for turn in (await connection.execute(_SELECT, {"numbers": list(apart)})).all():
        if turn.ply != len(apart[turn.match_id]):
            raise ValueError("its moves are not numbered one after the other")
        apart[turn.match_id].append(Turn(turn.move, turn.seconds, turn.at))
    return found | {number: tuple(turns) for number, turns in apart.items()}


async def read_plain_turns(connection: Connection, rows: Iterable[MatchRow]) -> dict[int, list[PlainTurn]]:
    """The same as plain numbers, for who reads ten thousand matches."""
    found: dict[int, list[PlainTurn]] = {}
    others = []
    for row in rows:
        if row.packed_turns is None:
            others.append(row)
            continue
        found[row.id] = unpack_plain(row.packed_turns)
        _check_count(row, found[row.id])
    made = await read_turns(connection, others)
    return found | {number: [plain(turn) for turn in turns] for number, turns in made.items()}


def _check_count(row: MatchRow, turns: Sequence[object]) -> None:
    if len(turns) != row.packed_plies:
        raise ValueError(f"{len(turns)} moves are packed, not {row.packed_plies}")


async def add_turns(connection: Connection, match_id: int, turns: Sequence[Turn], start: int = 0) -> None:
    """Stores the moves of a running match from that ply on."""
    made = enumerate(turns[start:], start=start)
    if values := [turn_values(match_id, ply, turn) for ply, turn in made]:
        await connection.execute(_INSERT, values)


async def change_turns(
    connection: Connection, match_id: int, before: Sequence[Turn], after: Sequence[Turn]
) -> None:
    """Stores of a running match's moves what differs."""
    kept = min(len(before), len(after))
    if len(before) > kept:
        await connection.execute(sa.delete(moves).where(moves.c.match_id == match_id, moves.c.ply >= kept))
    await add_turns(connection, match_id, after, kept)


async def drop_turns(connection: Connection, numbers: Sequence[int]) -> None:
    """Takes the rows away of matches whose moves are packed."""
    if numbers:
        await connection.execute(_DELETE, [{"own_id": number} for number in numbers])


def packed_values(turns: Sequence[Turn]) -> Values:
    """What a finished match has in the columns PACKED."""
    return {"packed_plies": len(turns), "packed_turns": pack(turns)}


def turn_values(match_id: int, ply: int, turn: Turn) -> Values:
    """A row of `moves`."""
    return {"match_id": match_id, "ply": ply, "move": turn.move, "seconds": turn.seconds, "at": turn.at}
