"""Matches of Gomoku under swap2 keep the rule they were played by, on boards that only read them.

The rule was mended (`engine.games.gomoku.rules`), and the usual names of the boards mean the mended one.
Invitations and tournaments keep the usual names: their next matches begin by it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0302"
down_revision = "0301"

SIZES = ("15x15", "13x13", "9x9")

GAMES = ("gomoku", "g")
"""Its key, and the letter that SQLite stores instead."""


def upgrade() -> None:
    _rename("-swap2", "-swap2-old")


def downgrade() -> None:
    _rename("-swap2-old", "-swap2")


def _rename(before: str, after: str) -> None:
    # Attempts on these boards are positions of matches: the puzzles in files are on the usual board.
    for name in ("matches", "puzzle_attempts"):
        table = sa.table(name, sa.column("game", sa.String), sa.column("board", sa.String))
        for size in SIZES:
            op.execute(
                sa.update(table)
                .where(table.c.game.in_(GAMES), table.c.board == size + before)
                .values(board=size + after)
            )
