"""The Activity: the same pages inside Discord, and the room of the channel in which it was launched.

The page proves who its person is by a code of Discord's. The person and the channel come from Discord's
answers about that code and the instance, never from the page.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import aiohttp
from aiohttp import web

from bot.domain.challenge import Challenge
from bot.domain.errors import NotFound, Refusal, Unavailable
from bot.domain.location import Channel
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.names import clean
from bot.domain.person import Person
from bot.domain.web_session import WebSession
from bot.parts import Services
from bot.presentation import names, status
from bot.presentation.web_match import bare
from bot.web.answers import body_of, json_answer
from bot.web.assets import Assets
from bot.web.documents import Visitor
from bot.web.home import ClosedHome, GamePages, HomePage, words_of
from bot.web.security import MESSAGE_COST, REMEMBERED, Limits, address_of, let_discord_frame
from bot.web.start_page import asked_match, offered_games
from bot.web.turns import Turns
from bot.web.visitors import arrival_of, visitor_of, who_is

log = logging.getLogger(__name__)

ANSWER_SECONDS = 10.0

EXCHANGES_AT_ONCE, EXCHANGES_A_SECOND, MOST_WAITING = 8, 10.0, 50
"""Codes that are exchanged at Discord, three requests each: the bot may send 50 requests a second there."""

_INSTANCE = re.compile(r"[\w-]{1,100}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Application:
    """The application at Discord. api: the address of Discord's interface."""

    id: int
    secret: str
    token: str
    api: str

    @property
    def origin(self) -> str:
        """The address at which Discord's proxy shows the page."""
        return f"https://{self.id}.discordsays.com"

    async def enter(self, code: str, instance: str) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        """Return Discord's user of the code, and the place of the instance that they are in.

        Raises NotFound if Discord knows no such code or the person is not there, and Unavailable.
        """
        if not _INSTANCE.fullmatch(instance):
            raise NotFound("page_activity_refused")
        form = {
            "client_id": str(self.id), "client_secret": self.secret, "grant_type": "authorization_code",
            "code": code,
        }  # fmt: skip
        try:
            async with asyncio.timeout(ANSWER_SECONDS), aiohttp.ClientSession() as http:
                token = await self._ask(http, "POST", "/oauth2/token", data=form)
                user = await self._ask(
                    http, "GET", "/users/@me", headers={"Authorization": f"Bearer {token['access_token']}"}
                )
                there = await self._ask(
                    http, "GET", f"/applications/{self.id}/activity-instances/{instance}",
                    headers={"Authorization": f"Bot {self.token}"},
                )  # fmt: skip
                if user["id"] not in there["users"]:
                    raise NotFound("page_activity_refused")
                return user, there["location"]
        except (aiohttp.ClientError, TimeoutError, OSError, KeyError, ValueError) as error:
            log.warning("Discord could not be asked who is in an Activity: %s", type(error).__name__)
            raise Unavailable("activity_unavailable") from None

    async def _ask(
        self, http: aiohttp.ClientSession, method: str, path: str, **options: Any
    ) -> Mapping[str, Any]:
        """Return the answer, after the time that Discord asks to wait."""
        while True:
            async with http.request(method, self.api + path, **options) as answer:
                if answer.status == 429:
                    wait = float(answer.headers.get("Retry-After", 1))
                elif 400 <= answer.status < 500:
                    log.info("Discord refused %s of an Activity: %d", path.rpartition("/")[0], answer.status)
                    raise NotFound("page_activity_refused")
                else:
                    answer.raise_for_status()
                    found: Mapping[str, Any] = await answer.json()
                    return found
            await asyncio.sleep(wait)


class ActivityPages:
    """One per process with an Activity. home: for browsers outside Discord."""

    def __init__(
        self,
        services: Services,
        assets: Assets,
        limits: Limits,
        application: Application,
        home: HomePage | ClosedHome,
        games: GamePages,
    ) -> None:
        self._home = home
        self._games = games
        self._services = services
        self._assets = assets
        self._limits = limits
        self._application = application
        self._turns = Turns(EXCHANGES_AT_ONCE, EXCHANGES_A_SECOND, MOST_WAITING)
        # Where Discord confirmed somebody: mostly its proxy, whose address all visitors share. Codes that
        # strangers make up cost other addresses their budget, and here no more than turns.
        self._proxies: LruDict[str, bool] = LruDict(REMEMBERED)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/", self._page),
            web.post("/api/activity", self._enter),
            web.get("/api/room", self._room),
            web.get("/api/start", self._home.draft),
            web.post("/api/matches", self._start),
            web.post("/api/seats/{number:[0-9]{1,18}}", self._sit_down),
        ]

    async def _page(self, request: web.Request) -> web.Response:
        if "frame_id" not in request.query:
            return await self._home.page(request)
        let_discord_frame(request)
        first = {"application": str(self._application.id)}
        return self._assets.plain_page(visitor_of(request).t, "activity", first).answer(request)

    async def _enter(self, request: web.Request) -> web.Response:
        """Exchange Discord's code for a session, which the page keeps in its memory."""
        asked, address = await body_of(request), address_of(request)
        # Failures alone are charged to the address: behind Discord's proxy all visitors have the same one.
        if address not in self._proxies:
            self._limits.check(address, MESSAGE_COST)
        try:
            async with self._turns.turn():
                user, place = await self._application.enter(
                    str(asked.get("code")), str(asked.get("instance"))
                )
        except NotFound:
            self._limits.charge(address, MESSAGE_COST)
            raise
        self._proxies[address] = True
        self._limits.take(who_is(int(user["id"])), MESSAGE_COST)
        guild_id = int(place["guild_id"]) if place.get("guild_id") else None
        server = self._services.settings.server(guild_id)
        locale = server.language or str(user.get("locale") or "en-US")
        room = Channel(int(place["channel_id"]), guild_id, locale=locale)
        name = clean(user.get("global_name"), user["username"], str(user["id"]))
        secret = self._services.web.admit(int(user["id"]), name, room)
        own = await self._running(int(user["id"]), room)
        wished = self._services.settings.person(int(user["id"])).language or str(user.get("locale"))
        t = self._services.texts.of(wished)
        page = await self._services.web.page_of_players(own[0].id) if len(own) == 1 else None
        return json_answer(
            {
                "session": secret,
                "match": None if page is None else page.key,
                "texts": t.starting_with("page_"),
                "lang": t.language.replace("_", "-"),
                "dir": "rtl" if t.is_rtl else "ltr",
            }
        )

    async def _running(self, user_id: int, room: Channel) -> list[Match]:
        """Return the person's matches of the room, those of its threads as well."""
        return [match for match in await self._services.matches.running(user_id) if _is_in(room, match)]

    async def _room(self, request: web.Request) -> web.Response:
        """The matches and open seats of the channel, the person's own first, and the games in pictures."""
        visitor, session, room = _guest(request)
        # Most of the work is the database's, which makes the pages of matches that have none.
        self._limits.take(visitor.who, MESSAGE_COST)
        t, own = visitor.t, await self._running(session.user_id, room)
        known = {match.id for match in own}
        others = [
            match for match in await self._services.matches.running_in(room.channel_id)
            if match.id not in known
        ]  # fmt: skip
        running = []
        for match in (*own, *others):
            page = await self._services.web.page_of_players(match.id)
            is_own = match.id in known
            title = status.summary(t, match, session.user_id) if is_own else status.pairing(t, match)
            running.append({"href": f"/m/{page.key}", "title": bare(title)})
        seats = [
            {"id": one.id, "title": bare(_seat_title(visitor, one))}
            for one in await self._services.challenges.in_channel(room.channel_id)
            if one.challenger.user_id != session.user_id
            and (one.opponent is None or one.opponent.user_id == session.user_id)
        ]
        games = offered_games(self._services, t, room.guild_id)
        tiles = [tile | words_of(t, tile["key"]) for tile in await self._games.tiles(t)]
        return json_answer({"games": games, "tiles": tiles, "running": running, "seats": seats})

    async def _start(self, request: web.Request) -> web.Response:
        if visitor_of(request).session is None:
            return await self._home.start(request)
        visitor, session, room = _guest(request)
        self._check_channel(room)
        person = Person(session.user_id, session.name or "", pressed_at=arrival_of(request))
        asked = await body_of(request)
        match = await asked_match(self._services, self._limits, visitor, person, asked, room)
        return await self._led_to(match)

    async def _sit_down(self, request: web.Request) -> web.Response:
        """Accept an invitation of the room."""
        _, session, room = _guest(request)
        self._check_channel(room)
        challenge = await self._services.challenges.find(int(request.match_info["number"]))
        if challenge.location.channel_id != room.channel_id:
            raise NotFound("page_gone")
        person = Person(session.user_id, session.name or "", pressed_at=arrival_of(request))
        _, match = await self._services.challenges.accept(challenge.id, person)
        return await self._led_to(match)

    async def _led_to(self, match: Match) -> web.Response:
        """Show the new match in Discord, and lead the page to it."""
        self._services.background.spawn(self._services.boards.post(match))
        page = await self._services.web.page_of_players(match.id)
        return json_answer({"match": page.key, "to": f"/m/{page.key}"})

    def _check_channel(self, room: Channel) -> None:
        if not self._services.settings.server(room.guild_id).allows(room.channel_id, room.parent_id):
            raise Refusal("web_not_in_this_channel")


def _guest(request: web.Request) -> tuple[Visitor, WebSession, Channel]:
    """Return the person of an Activity and its channel; raises NotFound for other visitors."""
    visitor = visitor_of(request)
    if visitor.session is None or visitor.session.room is None:
        raise NotFound("page_gone")
    return visitor, visitor.session, visitor.session.room


def _is_in(room: Channel, match: Match) -> bool:
    return room.channel_id in (match.location.channel_id, match.location.parent_id)


def _seat_title(visitor: Visitor, challenge: Challenge) -> str:
    t, terms = visitor.t, challenge.terms
    game, board = names.game_title(t, terms.game), names.board_title(t, terms.board)
    return f"{challenge.challenger.name} · {game} · {board}"
