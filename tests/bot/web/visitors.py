"""Parts for tests of the web server: a process without Discord, and browsers that speak its protocol."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp

from bot.domain.guest import LOCAL_USER
from bot.domain.location import Web
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.terms import First
from bot.web.activity import Application
from bot.web.door import Door
from bot.web.security import Site
from bot.web.server import LOOPBACK, WebServer, served
from tests.bot.services.test_web_matches import Process, process
from tests.bot.sittings import ADA, Clock, terms_of

GUEST = Person(LOCAL_USER, "Guest")
ANSWER_SECONDS = 60.0


@dataclass
class Browser:
    """A client with the origin of the site. url: of the site."""

    url: str
    http: aiohttp.ClientSession
    origin: str

    async def get(self, path: str, **headers: str) -> tuple[int, aiohttp.ClientResponse, str]:
        async with self.http.get(self.url + path, headers=headers) as answer:
            return answer.status, answer, await answer.text()

    async def post(self, path: str, body: object) -> tuple[int, dict[str, Any]]:
        headers = {"Origin": self.origin}
        async with self.http.post(self.url + path, json=body, headers=headers) as answer:
            return answer.status, await answer.json()

    async def first(self, key: str) -> dict[str, Any]:
        """The document inside the page."""
        _, _, text = await self.get(f"/m/{key}")
        found = re.search(r'id="first">(.*?)</script>', text)
        assert found is not None
        document: dict[str, Any] = json.loads(found[1])
        return document

    async def connect(self) -> aiohttp.ClientWebSocketResponse:
        return await self.http.ws_connect(f"{self.url}/live", headers={"Origin": self.origin})

    async def watch(self, key: str) -> LivePage:
        page = LivePage(await self.connect())
        await page.send(type="watch", match=key, have=-1)
        return page


@dataclass
class LivePage:
    """An open page of a match."""

    ws: aiohttp.ClientWebSocketResponse

    async def send(self, **message: Any) -> None:
        await self.ws.send_json(message)

    async def next(self, kind: str) -> dict[str, Any]:
        """The next message of that kind; others are dropped."""
        async with asyncio.timeout(ANSWER_SECONDS):
            while True:
                message: dict[str, Any] = await self.ws.receive_json()
                if message["type"] == kind:
                    return message

    async def close_code(self) -> int:
        """The code of the end; messages before it are dropped, since who is there is told at any time."""
        async with asyncio.timeout(ANSWER_SECONDS):
            while (message := await self.ws.receive()).type is aiohttp.WSMsgType.TEXT:
                pass
        return int(message.data)

    async def match(self, turn: int = 0) -> dict[str, Any]:
        """The next document of at least that turn."""
        while True:
            document: dict[str, Any] = (await self.next("match"))["match"]
            if document["turn"] >= turn:
                return document


@dataclass
class WebSite:
    """A running web server and its process."""

    process: Process
    server: WebServer
    url: str

    async def begin(
        self, game: str = "connect-four", *, clock_seconds: int | None = None, is_coached: bool = False
    ) -> tuple[Match, str]:
        """A casual match of the guest's against Pip, and the key of its page."""
        services = self.process.services
        terms = terms_of(game, first=First.ME, rated=False, clock_seconds=clock_seconds)
        match = await services.starting.start(GUEST, terms, "pip", Web(), is_coached=is_coached)
        return match, (await services.web.page_of_players(match.id)).key

    @asynccontextmanager
    async def browser(self, origin: str | None = None) -> AsyncIterator[Browser]:
        # An address of numbers keeps cookies, too.
        async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as http:
            yield Browser(self.url, http, self.url if origin is None else origin)


@asynccontextmanager
async def web_site(
    file: Path,
    *,
    is_local: bool = True,
    clock: Clock | None = None,
    door: Door | None = None,
    invite: str | None = None,
    has_guests: bool = False,
    agents_folder: Path | None = None,
    contact: str | None = None,
    application: Application | None = None,
) -> AsyncIterator[WebSite]:
    """The server on a free port. is_local: every reader is the guest."""
    async with process(file, clock or Clock(), agents_folder=agents_folder) as running:
        server = WebServer(
            running.services,
            Site(),
            door=door,
            is_local=is_local,
            invite=invite,
            has_guests=has_guests,
            contact=contact,
            application=application,
        )
        async with served(server, (LOOPBACK, 0)) as address:
            url = address.rstrip("/")
            server.site = Site() if is_local else Site(frozenset({url}))
            yield WebSite(running, server, url)


async def session_of_ada(site: WebSite, match_id: int) -> str:
    """The cookie of a browser in which Ada plays."""
    services = site.process.services
    services.web.url = site.url
    link = await services.web.play_link(match_id, ADA)
    _, secret = await services.web.open_link(link.partition("#")[2], None)
    return f"discade={secret}"
