"""Routes of the buttons and menus of leaderboards and profiles."""

from __future__ import annotations

from bot.domain.season import Season
from bot.ui.routing import GUILD, USER, IdPart, either, number, route

_GAME = IdPart("[a-z0-9-]{1,32}", str)
_AGENTS = either("agents", "people")


def _season(text: str) -> Season:
    found = Season.parse(text)
    if found is None:
        raise ValueError(text)
    return found


_SEASON: IdPart[Season | None] = IdPart(
    "[0-9]{4}-[0-9]{2}", _season, lambda season: "" if season is None else season.key, is_optional=True
)

PAGE = route("l", USER, _GAME, GUILD, _AGENTS, number(6, least=1), _SEASON, family="leaderboard")
"""Reader, game, server, agents or people, page, and the season, if it is not all time."""

GUESSERS = route("lg", USER, GUILD, number(6, least=1), _SEASON)
"""A page of the guessers: reader, server, page, month."""

AWARDS = route("la", USER)
"""The achievements of a person."""

SEASONS = route("z", USER, _GAME, GUILD, _AGENTS, family="leaderboard")
"""The menu of seasons: reader, game, server, agents or people."""
