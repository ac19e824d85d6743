"""Seasons of servers: which there are, and the medals that people won in them."""

from __future__ import annotations

from functools import cache
from typing import Any

import sqlalchemy as sa

from bot.domain.leaderboard import SeasonMark
from bot.domain.season import Season
from bot.store.database import Store, uncancellable
from bot.store.medals import CANDIDATES, read_medals
from bot.store.ranking import SETTLED, is_listed_row
from bot.store.ratings import ALL_TIME, records


class SeasonStore(Store):
    """Answers questions about medals and seasons."""

    @uncancellable
    async def medals(self, scope: int, game: str, season: Season | None = None) -> dict[str, int]:
        """Return the first places among people, by player: see `read_medals`."""
        return await self._database.ask(lambda connection: read_medals(connection, scope, game, season))

    @uncancellable
    async def seasons(self, guild_id: int, game: str | None = None) -> tuple[Season, ...]:
        """Return the server's seasons with a rated match (of that game), the latest first."""
        query = _seasons(game is None)
        found = await self._rows(query, {"scope": guild_id, "game": game})
        return tuple(season for (key,) in found if (season := Season.parse(key)) is not None)

    @uncancellable
    async def marks(self, user_id: int, guild_id: int | None, current: Season) -> tuple[SeasonMark, ...]:
        """Return medals of seasons before `current`, the latest first. guild_id: None for all servers."""
        query = _candidate_rows(guild_id is None)
        values = {"own_player": str(user_id), "current": current.key, "scope": guild_id}
        found = []
        async with self._database.reading() as connection:
            for row in (await connection.execute(query, values)).all():
                season = Season.parse(row.season)
                if season is None:
                    continue
                places = await read_medals(connection, row.scope, row.game, season)
                if row.player in places:
                    found.append(SeasonMark(season, row.game, places[row.player]))
        return tuple(
            sorted(found, key=lambda mark: (-mark.season.year, -mark.season.month, mark.rank, mark.game))
        )


@cache
def _seasons(has_any_game: bool) -> sa.Select[str]:
    """The seasons of the server `scope` (and `game`), found one by one along the index.

    SELECT DISTINCT would read the index of all players.
    """
    is_there = (records.c.scope == sa.bindparam("scope"), is_listed_row(records))
    latest = sa.select(records.c.season).where(*is_there).order_by(records.c.season.desc()).limit(1)
    found = sa.select(latest.scalar_subquery().label("season")).cte("found", recursive=True)
    earlier = latest.where(records.c.season < found.c.season).correlate(found).scalar_subquery()
    found = found.union_all(sa.select(earlier).where(found.c.season > ALL_TIME))
    query = sa.select(found.c.season).where(found.c.season > ALL_TIME).order_by(found.c.season.desc())
    if has_any_game:
        return query
    is_of_game = (records.c.season == found.c.season, records.c.game == sa.bindparam("game"))
    return query.where(sa.exists().where(*is_there, *is_of_game).correlate(found))


@cache
def _candidate_rows(is_everywhere: bool) -> sa.Select[Any]:
    """Rows of `own_player` in past seasons with few above them, of the server `scope` or of all."""
    own, above = records.alias("own"), records.alias("above")
    is_above = (
        *(above.c[name] == own.c[name] for name in ("scope", "season", "game", "is_agent")),
        above.c.points > own.c.points,
        above.c.standing == SETTLED,
        is_listed_row(above),
    )
    few = sa.select(sa.literal(1)).where(*is_above).correlate(own).limit(CANDIDATES).subquery()
    query = (
        sa.select(own)
        .where(own.c.player == sa.bindparam("own_player"), own.c.is_agent.is_(False))
        .where(own.c.season < sa.bindparam("current"), own.c.season > ALL_TIME)
        .where(own.c.standing == SETTLED)
        .where(sa.select(sa.func.count()).select_from(few).scalar_subquery() < CANDIDATES)
    )
    return query if is_everywhere else query.where(own.c.scope == sa.bindparam("scope"))
