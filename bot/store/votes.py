"""Votes: the move for which each person of a channel voted, at each turn of a match."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from bot.domain.match import Match
from bot.domain.vote import NO_VOTES, Poll, Polls, Vote
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.matches import read_barring_help
from bot.store.rows import RowMapper
from bot.store.shared import metadata, upsert
from engine.core import Player

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
_SIDES = (
    sa.select(votes.c.match_id, votes.c.user_id, sa.func.min(votes.c.side).label("side"))
    .where(
        votes.c.user_id.in_(sa.bindparam("people", expanding=True)),
        votes.c.match_id.in_(sa.bindparam("matches", expanding=True)),
    )
    .group_by(votes.c.match_id, votes.c.user_id)
)
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
    async def cast(self, cast: Sequence[tuple[Vote, str]]) -> list[tuple[Player | None, int | None]]:
        """Store votes, each with its game, in place of the same people's earlier ones at those turns.

        Returns for each the side for which the person voted before in the match, and the number of the rated
        match that bars their help in the game. With another side, or such a match, nothing is stored.
        """
        people = {vote.user_id for vote, _ in cast}
        values = {"people": list(people), "matches": list({vote.match_id for vote, _ in cast})}

        async def store(connection: Connection) -> list[tuple[Player | None, int | None]]:
            rows = (await connection.execute(_SIDES, values)).all()
            sides = {(row.match_id, row.user_id): Player(row.side) for row in rows}
            barring = await read_barring_help(connection, people)
            found = [
                (sides.get((vote.match_id, vote.user_id)), barring.get((vote.user_id, game)))
                for vote, game in cast
            ]
            counted = [
                VOTE.values(vote)
                for (vote, _), (side, barred_by) in zip(cast, found, strict=True)
                if barred_by is None and side in (None, vote.side)
            ]
            if counted:
                await connection.execute(_PUT, counted)
            return found

        # A crowd's votes would contradict one another in serializable transactions, without any reason.
        return await self._database.change(store, is_guarded=True)

    @uncancellable
    async def poll(self, match_id: int, turn: int) -> Poll:
        """Return the votes of a turn."""
        return (await self._polls(match_id, [turn])).get(turn, NO_VOTES)

    @uncancellable
    async def polls(self, match: Match) -> Polls:
        """Return the votes that the match's board shows."""
        last = match.last_vote
        found = await self._polls(match.id, [match.turn, *([] if last is None else [last])])
        return Polls(found.get(match.turn, NO_VOTES), found.get(-1 if last is None else last, NO_VOTES))

    @uncancellable
    async def of_match(self, match_id: int) -> list[Vote]:
        """Return all votes of a match, in order of the turns."""
        query = sa.select(votes).where(votes.c.match_id == match_id).order_by(votes.c.turn, votes.c.user_id)
        return [VOTE.read(row) for row in await self._rows(query)]

    async def _polls(self, match_id: int, turns: Collection[int]) -> dict[int, Poll]:
        async def count(connection: Connection) -> dict[int, Poll]:
            rows = (await connection.execute(_COUNTS, {"match": match_id, "turns": list(turns)})).all()
            return {
                turn: Poll({row.move: row.number for row in rows if row.turn == turn})
                for turn in {row.turn for row in rows}
            }

        return await self._database.ask(count)
