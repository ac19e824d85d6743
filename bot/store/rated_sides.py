"""A person's sides of the matches that counted: found along the matches' own indexes, kept nowhere else."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa

from bot.store.matches import matches
from bot.store.rank_tallies import EVERYWHERE
from bot.store.rating_steps import LOCAL, SIDES, rating_steps


def rated_sides(
    user_id: int, scope: int, *where: sa.ColumnElement[bool], last: int | None = None
) -> sa.Subquery:
    """One row for each of their matches that counted in that scope.

    where: more that is asked of the match. last: so many of those that ended last, of each side. Columns:
    step (grows with the order of counting), match_id, game, guild_id, at, score (1 won, 0 drawn, -1 lost),
    is_easy (an easy win of theirs), points (theirs after it), opponent_points (the other's before it),
    opponent_user or opponent_level, and opponent_name.
    """
    return sa.union_all(*(_side(side, user_id, scope, where, last) for side in (0, 1))).subquery()


def _side(
    side: int, user_id: int, scope: int, where: Sequence[sa.ColumnElement[bool]], last: int | None
) -> sa.Select[tuple[object, ...]]:
    own, other = SIDES[side], SIDES[1 - side]
    winner = matches.c.winner
    score = sa.case((winner.is_(None), 0), (winner == side, 1), else_=-1)
    columns = {
        "step": rating_steps.c.id,
        "match_id": matches.c.id,
        "game": matches.c.game,
        "guild_id": matches.c.guild_id,
        "at": matches.c.touched_at,
        "score": score,
        "is_easy": sa.and_(rating_steps.c.is_easy, winner == side),
        "points": _in(scope, f"{own}_points"),
        "opponent_points": _in(scope, f"{other}_before"),
        "opponent_user": matches.c[f"{other}_user"],
        "opponent_level": matches.c[f"{other}_level"],
        "opponent_name": matches.c[f"{other}_name"],
    }
    query = (
        sa.select(*(column.label(name) for name, column in columns.items()))
        .select_from(matches.join(rating_steps, rating_steps.c.match_id == matches.c.id))
        .where(matches.c[f"{own}_user"] == user_id, counted_in(scope), *where)
    )
    if last is None:
        return query
    ordered = query.order_by(matches.c.touched_at.desc(), rating_steps.c.id.desc()).limit(last).subquery()
    return sa.select(ordered)


def counted_in(scope: int) -> sa.ColumnElement[bool]:
    """Whether a match that was counted was in that scope (`bot.store.ratings.scopes_of`)."""
    if scope == EVERYWHERE:
        return sa.or_(matches.c.guild_id.is_(None), matches.c.is_local.is_(False))
    return matches.c.guild_id == scope


def _in(scope: int, name: str) -> sa.ColumnElement[int]:
    if scope == EVERYWHERE:
        return rating_steps.c[name]
    return sa.func.coalesce(rating_steps.c[LOCAL + name], rating_steps.c[name])
