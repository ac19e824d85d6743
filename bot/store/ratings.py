"""Ratings: players' records in each game, across all servers, in each server and in each of its seasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa

from bot.domain.leaderboard import EVERYWHERE, LeaderboardPage, RankedRecord
from bot.domain.match import Match, RatingChange
from bot.domain.rating import Record, Stakes, first_record, rate, stakes_between
from bot.domain.rating_share import Share, Weights
from bot.domain.season import Season
from bot.domain.seat import Seat
from bot.store.connection import Connection
from bot.store.database import Database, Store, uncancellable
from bot.store.players import player_key
from bot.store.preferences import listed_among
from bot.store.ranking import (
    BoardKey,
    Ranking,
    leaderboard_index,
    record_columns,
    record_of,
    record_values,
    standing_column,
    standing_of,
    with_names,
)
from bot.store.rating_steps import add_step, step_values
from bot.store.shared import PlayerKey, Word, metadata, upsert
from engine.agents.echo import is_echo
from engine.core import Player

ALL_TIME = ""
"""Value of `season` in the records of all time."""

records = sa.Table(
    "records",
    metadata,
    # The player comes first, so that the key finds all rows of one.
    sa.Column("player", PlayerKey, primary_key=True),
    sa.Column("scope", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("season", sa.String(7), primary_key=True),
    sa.Column("game", Word(32), primary_key=True),
    sa.Column("is_agent", sa.Boolean, primary_key=True),
    *record_columns(),
    standing_column(),
    sqlite_with_rowid=False,
)
"""player: a user's id or a level's key. scope: a server's id, or EVERYWHERE. season: a month, or ALL_TIME."""

leaderboard_index(records, "scope", "season", "game", "is_agent")


def board_of(scope: int, game: str, season: Season | None = None, *, is_agent: bool = False) -> BoardKey:
    """Return the leaderboard of a game. season: None for all time."""
    month = ALL_TIME if season is None else season.key
    return BoardKey.of(records, {"scope": scope, "season": month, "game": game, "is_agent": is_agent})


class RatingStore(Store):
    """Answers questions about ratings; they change only in the transaction that ends a match."""

    def __init__(self, database: Database, ranking: Ranking) -> None:
        super().__init__(database)
        self._ranking = ranking

    @uncancellable
    async def leaderboard(self, board: BoardKey, *, offset: int, limit: int) -> LeaderboardPage:
        return await self._ranking.page(board, offset, limit)

    @uncancellable
    async def of_match(self, match: Match) -> tuple[Record, Record]:
        """Return both players' records of all time, in the widest scope in which the match counts."""
        async with self._database.reading() as connection:
            return next(iter((await read_records(connection, match)).pairs.values()))

    @uncancellable
    async def stakes(self, match: Match) -> Stakes:
        """Return both players' records where the match is played, and what it can change."""
        async with self._database.reading() as connection:
            pairs = (await read_records(connection, match)).pairs
        return stakes_between(*pairs[scopes_of(match)[-1], ALL_TIME])

    @uncancellable
    async def points(self, user_id: int, game: str) -> int | None:
        """Return a person's points of all time across all servers; None without a rated match."""
        is_own = (board_of(EVERYWHERE, game).has_row, records.c.player == str(user_id))
        found: int | None = await self._value(sa.select(records.c.points).where(*is_own))
        return found

    @uncancellable
    async def ranked(self, board: BoardKey, user_id: int) -> RankedRecord | None:
        """Return a person's own row; across all servers ranked among those who are listed."""
        return await self._ranking.own(board, user_id)

    @uncancellable
    async def ranked_in_all(self, scope: int, user_id: int) -> dict[str, RankedRecord]:
        """Return a person's own rows of all time, by game."""
        is_own = (
            records.c.player == str(user_id),
            records.c.scope == scope,
            records.c.season == ALL_TIME,
            records.c.is_agent.is_(False),
        )

        async def read(connection: Connection) -> dict[str, RankedRecord]:
            rows = (await connection.execute(with_names(records).where(*is_own))).all()
            return {
                row.game: await self._ranking.ranked(connection, board_of(scope, row.game), row)
                for row in rows
            }

        return await self._database.ask(read)


def scopes_of(match: Match) -> tuple[int, ...]:
    """Return the scopes that the match counts in, the widest first."""
    guild_id = match.location.guild_id
    if guild_id is None or match.is_between:
        return (EVERYWHERE,)
    return (guild_id,) if match.is_local else (EVERYWHERE, guild_id)


@dataclass(frozen=True, slots=True)
class RecordsBefore:
    """The records of a match's players before it is counted: one pair for each scope and season.

    The first pair is of all time in the widest scope.
    """

    pairs: Mapping[tuple[int, str], tuple[Record, Record]]

    @property
    def points(self) -> tuple[int, int]:
        first, second = next(iter(self.pairs.values()))
        return first.points, second.points


async def read_records(connection: Connection, match: Match) -> RecordsBefore:
    boards = [(scope, ALL_TIME) for scope in scopes_of(match)]
    if match.location.guild_id is not None and not match.is_between:
        boards.append((match.location.guild_id, Season.of(match.touched_at).key))
    keys = [player_key(seat) for seat in match.seats]
    values = {
        "game": match.game,
        "first": keys[0][1],
        "second": keys[1][1],
        "widest": boards[0][0],
        "narrowest": boards[-1][0],
        "season": boards[-1][1],
    }
    rows = (await connection.execute(_SELECT_BOTH, values)).all()
    found = {(row.scope, row.season, row.is_agent, row.player): record_of(row) for row in rows}
    return RecordsBefore(
        {
            board: (
                _current(found.get((*board, *keys[0])), match.game, match.seats[0]),
                _current(found.get((*board, *keys[1])), match.game, match.seats[1]),
            )
            for board in boards
        }
    )


def _current(stored: Record | None, game: str, seat: Seat) -> Record:
    """The stored record, with the measured strength if the seat is a built-in agent's."""
    first = first_record(game, seat.level)
    if stored is None or not first.is_fixed:
        return stored or first
    return replace(stored, rating=first.rating, deviation=first.deviation, is_fixed=True)


async def store_ratings(
    connection: Connection, match: Match, before: RecordsBefore, share: Share
) -> tuple[RatingChange, RatingChange]:
    """Rate both players of a match that has ended; return their changes where it was played."""
    if match.result is None:
        raise ValueError(f"match {match.id} is not over")
    after = {
        board: rate_by_shares(pair, match.result.winner, share.weights)
        for board, pair in before.pairs.items()
    }
    keys = [player_key(seat) for seat in match.seats]
    people = [seat.user_id for seat in match.seats if seat.user_id is not None]
    listed = await listed_among(connection, people)
    rows = []
    for (scope, season), pair in after.items():
        for (is_agent, player), record in zip(keys, pair, strict=True):
            # Outside their server only people who wish so are listed.
            is_hidden = scope == EVERYWHERE and not is_agent and int(player) not in listed
            # Echo has another strength against each person, so it stands in no leaderboard.
            is_hidden = is_hidden or (is_agent and is_echo(player))
            key = {"player": player, "scope": scope, "season": season, "game": match.game}
            standing = standing_of(record, is_hidden=is_hidden)
            rows.append({**key, "is_agent": is_agent, **record_values(record), "standing": standing})
    await connection.execute(_PUT, rows)
    steps = [(before.pairs[board], after[board]) for board in after if board[1] == ALL_TIME]
    await add_step(connection, step_values(match, steps, is_easy=share.is_easy))
    # The last one is of the narrowest scope, where the match was played.
    first, second = (
        RatingChange(old.points, new.points, new.margin) for old, new in zip(*steps[-1], strict=True)
    )
    return first, second


def rate_by_shares(
    before: Sequence[Record], winner: Player | None, weights: Weights
) -> tuple[Record, Record]:
    """Rate both records, each by its own share of the usual change."""
    first, second = rate(before[0], before[1], winner, weights[0])
    if weights[0] != weights[1]:
        second = rate(before[0], before[1], winner, weights[1])[1]
    return first, second


async def points_of_seats(
    connection: Connection, scope: int, game: str, seats: Sequence[Seat]
) -> tuple[int, ...]:
    """Return each seat's points of all time, a newcomer's where there are none."""
    found = []
    for seat in seats:
        is_agent, player = player_key(seat)
        board = board_of(scope, game, is_agent=is_agent)
        query = sa.select(records.c.points).where(board.has_row, records.c.player == player)
        points = await connection.scalar(query)
        found.append(first_record(game, seat.level).points if points is None else points)
    return tuple(found)


# Built once: SQLAlchemy takes longer to build a statement than SQLite to run it.
_SELECT_BOTH = sa.select(records).where(
    records.c.player.in_([sa.bindparam("first"), sa.bindparam("second")]),
    records.c.scope.in_([sa.bindparam("widest"), sa.bindparam("narrowest")]),
    records.c.season.in_([ALL_TIME, sa.bindparam("season")]),
    records.c.game == sa.bindparam("game"),
)
_INSERT = upsert(records)
_KEY = [column.name for column in records.primary_key]
_PUT = _INSERT.on_conflict_do_update(
    index_elements=_KEY,
    set_={column.name: _INSERT.excluded[column.name] for column in records.c if column.name not in _KEY},
)
