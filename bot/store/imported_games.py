"""Games from elsewhere that people brought to review; no stranger's name is stored with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from bot.domain.errors import MatchError
from bot.domain.imported import KEPT_FOR, MOST_KEPT, ImportedGame
from bot.domain.match import Match
from bot.store.damage import DAMAGE, Damage
from bot.store.database import Database, Store, uncancellable
from bot.store.rows import RowMapper, put, spaced
from bot.store.shared import Instant, ShownName, Word, metadata

imported_games = sa.Table(
    "imported_games",
    metadata,
    sa.Column("id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("user_id", sa.BigInteger, nullable=False),
    sa.Column("game", Word(32), nullable=False),
    sa.Column("board", Word(16), nullable=False),
    sa.Column("moves", sa.Text, nullable=False),
    sa.Column("side", sa.SmallInteger),
    sa.Column("first_name", ShownName, nullable=False),
    sa.Column("second_name", ShownName, nullable=False),
    sa.Column("result", sa.String(8), nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("start", sa.Text, nullable=False, server_default=""),
    sa.Index(None, "user_id", "created_at"),
    sa.Index(None, "created_at"),
)
"""moves: as numbers with spaces between them."""

IMPORTED_GAME = RowMapper(imported_games, ImportedGame, moves=spaced("moves"))


class ImportedGameStore(Store):
    """Stores imported games; they are read as matches."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._damage = Damage("imported game")

    @uncancellable
    async def add(self, game: ImportedGame) -> ImportedGame:
        """Store the game, in place of one with its moves and start; the oldest beyond MOST_KEPT go."""
        c, values = imported_games.c, IMPORTED_GAME.values(game)
        same = [c[name] == values[name] for name in ("user_id", "game", "board", "moves", "start")]
        async with self._database.writing() as connection:
            known = await connection.scalar(sa.select(c.id).where(*same))
            stored = game if known is None else replace(game, id=known)
            await put(connection, imported_games, {"id": stored.id}, values | {"id": stored.id})
            is_own, newest = c.user_id == game.user_id, (c.created_at.desc(), c.id)
            kept = sa.select(c.id).where(is_own).order_by(*newest).limit(MOST_KEPT)
            await connection.execute(sa.delete(imported_games).where(is_own, c.id.not_in(kept)))
        return stored

    @uncancellable
    async def find(self, match_id: int) -> Match | None:
        """Return the game as a match; raise MatchError if it is damaged."""
        for row in await self._rows(sa.select(imported_games).where(imported_games.c.id == match_id)):
            try:
                return IMPORTED_GAME.read(row).match()
            except DAMAGE as error:  # such as a move that a mended rule forbids
                self._damage.note(match_id, error)
                raise MatchError("match_damaged", number=match_id) from error
        return None

    @uncancellable
    async def of(self, user_id: int, most: int) -> list[ImportedGame]:
        """Return the person's games, the one brought last first."""
        c = imported_games.c
        newest = sa.select(imported_games).where(c.user_id == user_id).order_by(c.created_at.desc(), c.id)
        return self._damage.without(await self._rows(newest.limit(most)), IMPORTED_GAME.read)

    @uncancellable
    async def forget_old(self, now: datetime) -> int:
        """Delete the games that were brought longer than KEPT_FOR ago, and return their number."""
        is_old = imported_games.c.created_at < now - KEPT_FOR
        return await self._delete_for_good(sa.delete(imported_games).where(is_old))
