"""What became of a person's matches: what profiles ask of finished matches and what they made of ratings."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from bot.domain.match import End
from bot.store.database import Database, uncancellable
from bot.store.matches import matches
from bot.store.rank_tallies import EVERYWHERE
from bot.store.rated_sides import person_in, rated_sides

PLOTTED = 400
"""Matches that a profile's plot goes back."""


@dataclass(frozen=True, slots=True)
class RatedMatch:
    """One step of a person's rating: the points after a match of that game."""

    game: str
    points: int
    at: datetime


@dataclass(frozen=True, slots=True)
class BestWin:
    """The win against the opponent who was rated highest at that moment, before the match.

    opponent: what they were called where it was played, guild_id. opponent_id: None for agents.
    """

    match_id: int
    game: str
    opponent: str
    opponent_id: int | None
    points: int
    guild_id: int | None

    @property
    def is_agent(self) -> bool:
        return self.opponent_id is None


@dataclass(frozen=True, slots=True)
class Score:
    """Finished matches between two people, counted for the first of them."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def matches(self) -> int:
        return self.wins + self.draws + self.losses


class HistoryStore:
    """Answers what became of a person's matches; scopes are those of ratings."""

    def __init__(self, database: Database) -> None:
        self._database = database

    @uncancellable
    async def steps(self, scope: int, user_id: int) -> tuple[RatedMatch, ...]:
        """The person's last ratings in every game, the earliest first."""
        query = _last_steps(scope == EVERYWHERE)
        async with self._database.reading() as connection:
            found = (await connection.execute(query, person_in(user_id, scope))).all()
        return tuple(RatedMatch(row.game, row.points, row.at) for row in reversed(found))

    @uncancellable
    async def best_win(self, scope: int, user_id: int) -> BestWin | None:
        """Of wins against equals the latest."""
        async with self._database.reading() as connection:
            values = person_in(user_id, scope)
            row = (await connection.execute(_best_win(scope == EVERYWHERE), values)).first()
        if row is None:
            return None
        return BestWin(
            row.match_id, row.game, row.opponent_name, row.opponent_user, row.opponent_points, row.guild_id
        )

    @uncancellable
    async def played(self, guild_id: int | None, user_id: int) -> dict[str, int]:
        """How many matches of each game they have finished, casual ones included; None is everywhere."""
        values = {"own_user": user_id, "guild_id": guild_id}
        async with self._database.reading() as connection:
            found = (await connection.execute(_played(guild_id is None), values)).all()
        return {row.game: row.matches for row in found}

    @uncancellable
    async def between(self, guild_id: int | None, user_id: int, other_id: int) -> Score:
        """Their matches against one another, casual ones included, counted for `user_id`."""
        values = {"own_user": user_id, "other_user": other_id, "guild_id": guild_id}
        async with self._database.reading() as connection:
            row = (await connection.execute(_between(guild_id is None), values)).one()
        return Score(row.wins, row.draws, row.matches - row.wins - row.draws)


@cache
def _last_steps(is_everywhere: bool) -> sa.Select[tuple[Any, ...]]:
    own = rated_sides(is_everywhere, last=PLOTTED)
    order = (own.c.at.desc(), own.c.step.desc())
    return sa.select(own.c.game, own.c.points, own.c.at).order_by(*order).limit(PLOTTED)


@cache
def _best_win(is_everywhere: bool) -> sa.Select[tuple[Any, ...]]:
    own = rated_sides(is_everywhere)
    order = (own.c.opponent_points.desc(), own.c.step.desc())
    return sa.select(own).where(own.c.score == 1).order_by(*order).limit(1)


# Each built once, since SQLAlchemy takes longer to build a statement than SQLite to run it.
_OWN: sa.BindParameter[Any] = sa.bindparam("own_user")
_OTHER: sa.BindParameter[Any] = sa.bindparam("other_user")


@cache
def _played(is_everywhere: bool) -> sa.Select[tuple[Any, ...]]:
    seated = sa.or_(matches.c.first_user == _OWN, matches.c.second_user == _OWN)
    return (
        sa.select(matches.c.game, sa.func.count().label("matches"))
        .where(*_finished(is_everywhere=is_everywhere), seated)
        .group_by(matches.c.game)
    )


@cache
def _between(is_everywhere: bool) -> sa.Select[int, int, int]:
    won = sa.case((matches.c.first_user == _OWN, 0), else_=1)
    seated = sa.or_(
        sa.and_(matches.c.first_user == _OWN, matches.c.second_user == _OTHER),
        sa.and_(matches.c.first_user == _OTHER, matches.c.second_user == _OWN),
    )
    return sa.select(
        sa.func.count().label("matches"),
        sa.func.count().filter(matches.c.winner == won).label("wins"),
        sa.func.count().filter(matches.c.winner.is_(None)).label("draws"),
    ).where(*_finished(is_everywhere=is_everywhere), seated)


def _finished(*, is_everywhere: bool) -> tuple[sa.ColumnElement[bool], ...]:
    """Over, with a result that counts, in the server `guild_id`."""
    where: tuple[sa.ColumnElement[bool], ...] = (
        matches.c.end.is_not(None),
        matches.c.end != End.ABANDONED.value,
    )
    return where if is_everywhere else (*where, matches.c.guild_id == sa.bindparam("guild_id"))
