"""A person's matches: their sides of counted ones, and what profiles tell of them.

They are found along the indexes of the matches themselves.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import sqlalchemy as sa

from bot.domain.leaderboard import EVERYWHERE, PLOTTED_MATCHES, BestWin, HeadToHead, RatedMatch
from bot.domain.names import clean
from bot.domain.result import WITHOUT_RESULT
from bot.store.database import Store, uncancellable
from bot.store.match_rows import matches
from bot.store.rating_steps import LOCAL, SIDES, rating_steps
from bot.store.shared import Values

_CONDITIONS = {
    "game": matches.c.game == sa.bindparam("game"),
    "after": matches.c.touched_at > sa.bindparam("after"),
    "since": matches.c.touched_at >= sa.bindparam("since"),
    "until": matches.c.touched_at < sa.bindparam("until"),
}
"""Conditions of `rated_sides`, by the name of the parameter that each compares with."""


class HistoryStore(Store):
    """Answers questions about a person's matches. scope: as in the records."""

    @uncancellable
    async def steps(self, scope: int, user_id: int) -> tuple[RatedMatch, ...]:
        """Return the person's last PLOTTED_MATCHES ratings, of all games, the earliest first."""
        found = await self._rows(_last_steps(scope == EVERYWHERE), own_in(user_id, scope))
        return tuple(RatedMatch(row.game, row.points, row.at) for row in reversed(found))

    @uncancellable
    async def best_win(self, scope: int, user_id: int) -> BestWin | None:
        """Return the win against the opponent with the most points; the latest of several."""
        found = await self._rows(_best_win(scope == EVERYWHERE), own_in(user_id, scope))
        if not found:
            return None
        (row,) = found
        return BestWin(
            row.match_id,
            row.game,
            clean(row.opponent_name, row.opponent_user and str(row.opponent_user)),
            row.opponent_user,
            row.opponent_points,
            row.guild_id,
        )

    @uncancellable
    async def played(self, guild_id: int | None, user_id: int) -> dict[str, int]:
        """Count finished matches by game, casual ones included. guild_id: None for all servers."""
        values = {"own_user": user_id, "guild_id": guild_id}
        return {row.game: row.matches for row in await self._rows(_played(guild_id is None), values)}

    @uncancellable
    async def between(self, guild_id: int | None, user_id: int, other_id: int) -> HeadToHead:
        """Count their matches against each other, casual ones included, for `user_id`.

        Not those between servers, which would give the opponent there away.
        """
        values = {"own_user": user_id, "other_user": other_id, "guild_id": guild_id}
        (row,) = await self._rows(_between(guild_id is None), values)
        return HeadToHead(row.wins, row.draws, row.matches - row.wins - row.draws)


def own_in(user_id: int, scope: int) -> Values:
    """Return the parameters that every query on `rated_sides` takes."""
    return {"own_user": user_id, "scope": scope}


# Statements are built once: SQLAlchemy takes longer to build one than SQLite to run it.


_home = sa.case((matches.c.first_guild.is_(None), matches.c.guild_id))
"""The server in which a match counts; none for one between servers."""


@cache
def rated_sides(is_everywhere: bool, *conditions: str, last: int | None = None) -> sa.Subquery:
    """One row for each match of `own_user` that counted across all servers, or in the server `scope`.

    conditions: keys of _CONDITIONS. last: only this many matches of each side. Columns: step (grows in
    the order of counting), match_id, game, guild_id, at, score (1 won, 0 drawn, -1 lost), is_easy (an easy
    win of theirs), points (theirs afterwards), opponent_points (before the match), opponent_user or
    opponent_level, opponent_name.
    """
    sides = (_side(side, conditions, last, is_everywhere=is_everywhere) for side in (0, 1))
    return sa.union_all(*sides).subquery()


def _side(
    side: int, conditions: tuple[str, ...], last: int | None, *, is_everywhere: bool
) -> sa.Select[tuple[object, ...]]:
    own, other = SIDES[side], SIDES[1 - side]
    winner = matches.c.winner
    columns = {
        "step": rating_steps.c.id,
        "match_id": matches.c.id,
        "game": matches.c.game,
        "guild_id": _home,
        "at": matches.c.touched_at,
        "score": sa.case((winner.is_(None), 0), (winner == side, 1), else_=-1),
        "is_easy": sa.and_(rating_steps.c.is_easy, winner == side),
        "points": _in_scope(f"{own}_points", is_everywhere=is_everywhere),
        "opponent_points": _in_scope(f"{other}_before", is_everywhere=is_everywhere),
        "opponent_user": matches.c[f"{other}_user"],
        "opponent_level": matches.c[f"{other}_level"],
        "opponent_name": matches.c[f"{other}_name"],
    }
    # As `bot.store.ratings.scopes_of` has it.
    is_there = _home == sa.bindparam("scope")
    if is_everywhere:
        is_there = sa.or_(matches.c.guild_id.is_(None), matches.c.is_local.is_(False))
    query = (
        sa.select(*(column.label(name) for name, column in columns.items()))
        .select_from(matches.join(rating_steps, rating_steps.c.match_id == matches.c.id))
        .where(matches.c[f"{own}_user"] == sa.bindparam("own_user"), is_there)
        .where(*(_CONDITIONS[name] for name in conditions))
    )
    if last is None:
        return query
    ordered = query.order_by(matches.c.touched_at.desc(), rating_steps.c.id.desc()).limit(last).subquery()
    return sa.select(ordered)


def _in_scope(name: str, *, is_everywhere: bool) -> sa.ColumnElement[int]:
    if is_everywhere:
        return rating_steps.c[name]
    return sa.func.coalesce(rating_steps.c[LOCAL + name], rating_steps.c[name])


@cache
def _last_steps(is_everywhere: bool) -> sa.Select[tuple[Any, ...]]:
    own = rated_sides(is_everywhere, last=PLOTTED_MATCHES)
    order = (own.c.at.desc(), own.c.step.desc())
    return sa.select(own.c.game, own.c.points, own.c.at).order_by(*order).limit(PLOTTED_MATCHES)


@cache
def _best_win(is_everywhere: bool) -> sa.Select[tuple[Any, ...]]:
    own = rated_sides(is_everywhere)
    order = (own.c.opponent_points.desc(), own.c.step.desc())
    return sa.select(own).where(own.c.score == 1).order_by(*order).limit(1)


_OWN: sa.BindParameter[Any] = sa.bindparam("own_user")
_OTHER: sa.BindParameter[Any] = sa.bindparam("other_user")


@cache
def _played(is_everywhere: bool) -> sa.Select[tuple[Any, ...]]:
    is_seated = sa.or_(matches.c.first_user == _OWN, matches.c.second_user == _OWN)
    return (
        sa.select(matches.c.game, sa.func.count().label("matches"))
        .where(*_is_finished(is_everywhere=is_everywhere), is_seated)
        .group_by(matches.c.game)
    )


@cache
def _between(is_everywhere: bool) -> sa.Select[int, int, int]:
    won = sa.case((matches.c.first_user == _OWN, 0), else_=1)
    are_seated = sa.or_(
        sa.and_(matches.c.first_user == _OWN, matches.c.second_user == _OTHER),
        sa.and_(matches.c.first_user == _OTHER, matches.c.second_user == _OWN),
    )
    return sa.select(
        sa.func.count().label("matches"),
        sa.func.count().filter(matches.c.winner == won).label("wins"),
        sa.func.count().filter(matches.c.winner.is_(None)).label("draws"),
    ).where(*_is_finished(is_everywhere=is_everywhere), are_seated, matches.c.first_guild.is_(None))


def _is_finished(*, is_everywhere: bool) -> tuple[sa.ColumnElement[bool], ...]:
    """Conditions for matches with a result that counts, in the server `guild_id` or in all."""
    where: tuple[sa.ColumnElement[bool], ...] = (
        matches.c.end.is_not(None),
        matches.c.end.not_in(WITHOUT_RESULT),
    )
    return where if is_everywhere else (*where, _home == sa.bindparam("guild_id"))
