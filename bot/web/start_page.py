"""The start page of this machine: games and levels, and a press that begins a match."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from bot.domain.errors import Refusal
from bot.domain.match import Location, Match, Web
from bot.domain.person import Person
from bot.domain.terms import First, Terms
from bot.i18n import Text
from bot.parts import Services
from bot.presentation import names, status
from bot.presentation.web_match import bare
from bot.services.checked_terms import (
    checked_game,
    echo_of,
    named_opening,
    usual_level,
)
from bot.web.answers import body_of, html_answer, json_answer
from bot.web.assets import Assets
from bot.web.documents import Visitor
from bot.web.security import Limits
from bot.web.visitors import LOCAL_USER, arrival_of, visitor_of
from engine.core import Game
from engine.games import GAMES
from engine.games.openings import named_openings


class StartPage:
    """Of a server whose every reader is the person at this machine."""

    def __init__(self, services: Services, assets: Assets, limits: Limits) -> None:
        self._services = services
        self._assets = assets
        self._limits = limits

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/", self._start_page), web.post("/api/matches", self._start)]

    async def _start_page(self, request: web.Request) -> web.Response:
        visitor = visitor_of(request)
        return html_answer(
            self._assets.page(visitor.t, "start", "Discade", {"first": await self._offer(visitor)})
        )

    async def _offer(self, visitor: Visitor) -> dict[str, Any]:
        """Return the games with their boards and levels, and the visitor's running matches."""
        t, running = visitor.t, []
        for match in await self._services.matches.running(LOCAL_USER):
            page = await self._services.web.page_of_players(match.id)
            running.append({"href": f"/m/{page.key}", "title": bare(status.summary(t, match, LOCAL_USER))})
        games = offered_games(self._services, t)
        return {"games": games, "running": running, "coach": t("start_mode_coach")}

    async def _start(self, request: web.Request) -> web.Response:
        visitor = visitor_of(request)
        guest = Person(LOCAL_USER, visitor.t("web_guest"), pressed_at=arrival_of(request))
        here = Web(visitor.t.language.replace("_", "-"))
        match = await asked_match(self._services, self._limits, visitor, guest, await body_of(request), here)
        page = await self._services.web.page_of_players(match.id)
        return json_answer({"match": page.key, "to": f"/m/{page.key}"})


def offered_games(services: Services, t: Text, guild_id: int | None = None) -> list[dict[str, Any]]:
    """Return the games and their choices in that server, or outside servers."""
    return [_offered_game(services, t, game, guild_id) for game in GAMES.values()]


def _offered_game(services: Services, t: Text, game: Game, guild_id: int | None) -> dict[str, Any]:
    """Return the choices. openings: to train, on the first board. usual: the key of the usual level."""
    levels = services.levels.of(guild_id, game.key)
    return {
        "key": game.key,
        "title": names.game_title(t, game.key),
        "boards": [{"key": board, "title": names.board_title(t, board)} for board in game.boards],
        "usual": usual_level(game.key, levels).key,
        "levels": [
            {
                "key": level.key,
                "name": names.level_name(t, game.key, level),
                "character": names.character_of(t, level),
                "boards": list(level.boards),
            }
            for level in (*echo_of(services.roster, game.key), *levels)
        ],
        "openings": [
            {"name": names.opening_name(one), "title": names.opening_offer(t, one)}
            for one in named_openings(game.key)
        ],
    }


async def asked_match(
    services: Services,
    limits: Limits,
    visitor: Visitor,
    person: Person,
    asked: Mapping[str, Any],
    location: Location,
) -> Match:
    """Start the match that the page asks for; raises Refusal."""
    limits.start(visitor.who)
    first = str(asked.get("first", First.RANDOM))
    if first not in set(First):
        raise Refusal("web_bad_message")
    rules = checked_game(str(asked.get("game")))
    board = str(asked.get("board") or rules.boards[0])
    position = asked.get("position") and str(asked["position"])
    return await services.starting.start(
        person,
        Terms(rules.key, board, First(first), rated=asked.get("rated") is True),
        str(asked.get("level")),
        location,
        position=position,
        is_coached=asked.get("coach") is True or named_opening(rules, board, position) is not None,
    )
