"""Votes: the move for which each person of a channel voted, at each turn of a match."""

from __future__ import annotations

from collections import defaultdict

import sqlalchemy as sa

from bot.domain.match import Match
from bot.domain.vote import Poll, Polls, Vote
from bot.store.beginnings import BARRING
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.rows import RowMapper
from bot.store.shared import metadata, upsert
from engine.core import Move, Player

votes = sa.Table(
    "votes",
    metadata,
    sa.Column("match_id", sa.ForeignKey("matches.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("turn", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("user_id", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("side", sa.SmallInteger, nullable=False),
    sa.Column("move", sa.Integer, nullable=False),
    sa.Index(None, "user_id", "match_id"),
    sqlite_with_rowid=False,
)

VOTE = RowMapper(votes, Vote)

# Statements of every vote are built once.
_IS_OWN = votes.c.user_id == sa.bindparam("own_user"), votes.c.match_id == sa.bindparam("match")
_LAST = sa.select(sa.func.max(votes.c.turn)).where(*_IS_OWN).correlate(None).scalar_subquery()
# By its turn, which the index of people has: SQLite would look through all votes of the match for the side.
_SIDE = sa.select(votes.c.side).where(*_IS_OWN, votes.c.turn == _LAST)
_BEFORE = sa.select(*(one.limit(1).scalar_subquery() for one in (_SIDE, BARRING)))
_INSERT = upsert(votes)
_PUT = _INSERT.on_conflict_do_update(
    index_elements=["match_id", "turn", "user_id"], set_={"move": _INSERT.excluded.move}
)
_COUNTS = (
    sa.select(votes.c.turn, votes.c.move, sa.func.count().label("number"))
    .where(
        votes.c.match_id == sa.bindparam("match"),
        votes.c.turn.in_(sa.bindparam("turns", expanding=True)),
    )
    .group_by(votes.c.turn, votes.c.move)
)


class VoteStore(Store):
    """Stores one vote for each person and turn."""

    @uncancellable
    async def cast(self, vote: Vote, game: str) -> tuple[Player | None, int | None]:
        """Store a vote in place of the person's earlier one at that turn.

        Returns the side for which the person voted before in the match, and the number of the rated match
        that bars their help in the game. With another side, or such a match, nothing is stored.
        """

        async def store(connection: Connection) -> tuple[Player | None, int | None]:
            values = {"own_user": vote.user_id, "match": vote.match_id, "game": game}
            side, barring = (await connection.execute(_BEFORE, values)).one()
            if barring is None and side in (None, vote.side):
                await connection.execute(_PUT, VOTE.values(vote))
            return None if side is None else Player(side), barring

        # A crowd's votes would contradict one another in serializable transactions, without any reason.
        return await self._database.change(store, is_guarded=True)

    @uncancellable
    async def polls(self, match: Match) -> Polls:
        """Return the votes that the match's board shows."""
        last = -1 if match.last_vote is None else match.last_vote

        async def count(connection: Connection) -> Polls:
            counts: defaultdict[int, dict[Move, int]] = defaultdict(dict)
            for row in await connection.execute(_COUNTS, {"match": match.id, "turns": [match.turn, last]}):
                counts[row.turn][row.move] = row.number
            return Polls(Poll(counts[match.turn]), Poll(counts[last]))

        return await self._database.ask(count)

    @uncancellable
    async def of_match(self, match_id: int) -> list[Vote]:
        """Return all votes of a match, in order of the turns."""
        query = sa.select(votes).where(votes.c.match_id == match_id).order_by(votes.c.turn, votes.c.user_id)
        return [VOTE.read(row) for row in await self._rows(query)]
