"""A person's sides of the matches that counted: found along the matches' own indexes, kept nowhere else."""

from __future__ import annotations

from functools import cache

import sqlalchemy as sa

from bot.store.matches import matches
from bot.store.rating_steps import LOCAL, SIDES, rating_steps
from bot.store.shared import Values

_ASKED = {
    "game": matches.c.game == sa.bindparam("game"),
    "after": matches.c.touched_at > sa.bindparam("after"),
    "since": matches.c.touched_at >= sa.bindparam("since"),
    "until": matches.c.touched_at < sa.bindparam("until"),
}
"""What more may be asked of a match, by the name of the value that is given."""


def person_in(user_id: int, scope: int) -> Values:
    """The values by which `rated_sides` is asked, besides those that its names stand for."""
    return {"own_user": user_id, "scope": scope}


@cache
def rated_sides(is_everywhere: bool, *names: str, last: int | None = None) -> sa.Subquery:
    """One row for each match of `own_user` that counted everywhere, or in the server `scope`.

    Built once for each way to ask, as building takes longer than asking. names: keys of _ASKED. last: so many
    of those that ended last, of each side. Columns: step (grows with the order of counting), match_id, game,
    guild_id, at, score (1 won, 0 drawn, -1 lost), is_easy (an easy win of theirs), points (theirs after it),
    opponent_points (the other's before it), opponent_user or opponent_level, and opponent_name.
    """
    sides = (_side(side, names, last, is_everywhere=is_everywhere) for side in (0, 1))
    return sa.union_all(*sides).subquery()


def _side(
    side: int, names: tuple[str, ...], last: int | None, *, is_everywhere: bool
) -> sa.Select[tuple[object, ...]]:
    own, other = SIDES[side], SIDES[1 - side]
    winner = matches.c.winner
    columns = {
        "step": rating_steps.c.id,
        "match_id": matches.c.id,
        "game": matches.c.game,
        "guild_id": matches.c.guild_id,
        "at": matches.c.touched_at,
        "score": sa.case((winner.is_(None), 0), (winner == side, 1), else_=-1),
        "is_easy": sa.and_(rating_steps.c.is_easy, winner == side),
        "points": _in(f"{own}_points", is_everywhere=is_everywhere),
        "opponent_points": _in(f"{other}_before", is_everywhere=is_everywhere),
        "opponent_user": matches.c[f"{other}_user"],
        "opponent_level": matches.c[f"{other}_level"],
        "opponent_name": matches.c[f"{other}_name"],
    }
    query = (
        sa.select(*(column.label(name) for name, column in columns.items()))
        .select_from(matches.join(rating_steps, rating_steps.c.match_id == matches.c.id))
        .where(
            matches.c[f"{own}_user"] == sa.bindparam("own_user"),
            _counted(is_everywhere=is_everywhere),
            *(_ASKED[name] for name in names),
        )
    )
    if last is None:
        return query
    ordered = query.order_by(matches.c.touched_at.desc(), rating_steps.c.id.desc()).limit(last).subquery()
    return sa.select(ordered)


def _counted(*, is_everywhere: bool) -> sa.ColumnElement[bool]:
    """Whether a match that was counted was there (`bot.store.ratings.scopes_of`)."""
    if is_everywhere:
        return sa.or_(matches.c.guild_id.is_(None), matches.c.is_local.is_(False))
    return matches.c.guild_id == sa.bindparam("scope")


def _in(name: str, *, is_everywhere: bool) -> sa.ColumnElement[int]:
    if is_everywhere:
        return rating_steps.c[name]
    return sa.func.coalesce(rating_steps.c[LOCAL + name], rating_steps.c[name])
