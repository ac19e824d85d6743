"""The web server: pages, documents and live updates of matches (docs/web.md)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

from aiohttp import ClientConnectionResetError, web
from aiohttp.http_exceptions import HttpProcessingError

from bot.config import DEFAULT_GUEST_MATCHES
from bot.domain.errors import NotFound, Refusal, Unavailable
from bot.parts import Services
from bot.scheduler import Jobs
from bot.store.versions import Unusable
from bot.web.activity import ActivityPages, Application
from bot.web.answers import told_of
from bot.web.assets import Assets
from bot.web.door import SILENCE_SECONDS, Door
from bot.web.game_reviews import GameReviews
from bot.web.home import ClosedHome, GamePages, HomePage
from bot.web.legal import LegalPages
from bot.web.live import Live
from bot.web.pages import MatchPages
from bot.web.puzzles import PuzzlePages
from bot.web.security import (
    MAX_BYTES,
    MESSAGE_COST,
    PAGE_COST,
    Limits,
    Site,
    TooFast,
    add_headers,
    secret_of,
)
from bot.web.sessions import SessionPages
from bot.web.sockets import SOCKETS_PATH, PageSockets
from bot.web.visitors import Visitors, visitor_of

log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

Part = (
    MatchPages
    | PageSockets
    | GamePages
    | PuzzlePages
    | GameReviews
    | HomePage
    | ClosedHome
    | SessionPages
    | ActivityPages
    | LegalPages
)

REST_SECONDS = 1.0
"""How long the unread rest of a body may take after the answer; it is thrown away."""

LOOPBACK, USUAL_PORT = "127.0.0.1", 8378

_STATUS = {NotFound: 404, Unavailable: 503}

_STATUS_OF_KEY = {
    "web_slow_down": 429,
    "web_guests_played": 429,
    "web_too_many_pages": 429,
    "web_bad_message": 400,
}


class WebServer:
    """One per process. site: where browsers find it. is_local: every reader is the person at this machine.

    application: of an Activity, where the host wants one. invite: the address that adds the bot to a server.
    has_guests: whether people without Discord may play. guest_matches: how many those of one address begin
    within a day. contact: of the host, who then has pages for terms of use and privacy.
    """

    def __init__(
        self,
        services: Services,
        site: Site,
        *,
        door: Door | None = None,
        is_local: bool = False,
        application: Application | None = None,
        invite: str | None = None,
        has_guests: bool = False,
        guest_matches: int = DEFAULT_GUEST_MATCHES,
        contact: str | None = None,
    ) -> None:
        self.site = site
        self._services = services
        self.door = door or Door()
        self.is_local = is_local
        self._has_guests = has_guests
        self.live = Live(services, self.door.most_sockets, counts_readers=not is_local)
        self._assets = Assets(can_play=is_local or has_guests, invite=invite, contact=contact)
        self._limits = Limits(counts_starts=not is_local, guest_matches=guest_matches)
        self._visitors = Visitors(services, is_local=is_local, has_guests=has_guests)
        games = GamePages(self._assets, lambda: services.puzzles.today)
        self._sockets = PageSockets(services, self.live, self._limits, self._visitors)
        self._parts: list[Part] = [
            MatchPages(services, self._assets, self._limits),
            self._sockets,
            games,
            PuzzlePages(services, self._assets, self._limits, has_guests=has_guests),
            GameReviews(services, self._assets, self._limits),
            LegalPages(self._assets),
        ]
        if is_local:
            self._parts.append(HomePage(services, self._assets, self._limits, games))
            return
        closed = ClosedHome(services, self._assets, games)
        home = HomePage(services, self._assets, self._limits, games, closed) if has_guests else closed
        self._parts.append(SessionPages(services, self._assets))
        self._parts.append(
            home
            if application is None
            else ActivityPages(services, self._assets, self._limits, application, home, games)
        )

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._checked], client_max_size=MAX_BYTES)
        application.on_response_prepare.append(add_headers)
        for part in self._parts:
            application.add_routes(part.routes())
        return application

    @web.middleware
    async def _checked(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse foreign hosts and origins, and answer a refusal with its key and text."""
        payer = self._visitors.arrived(request)
        try:
            if self.door.is_full:
                raise Unavailable("web_full")
            if not self.site.knows_host(request):
                raise web.HTTPMisdirectedRequest
            # Browsers let pages of other sites open sockets and send forms here. By the path, since a request
            # for a page may name an upgrade as well, and would then be neither counted nor waited for.
            is_socket = request.path == SOCKETS_PATH
            if (is_socket or request.method not in ("GET", "HEAD")) and not self.site.is_own(request):
                raise web.HTTPForbidden
            if _is_free(request, has_guests=self._has_guests) and not self.is_local:
                return await handler(request)
            return await self._paid(request, handler, payer, is_socket=is_socket)
        except Refusal as refusal:
            return await self._refused(request, refusal)
        except web.HTTPException as error:
            if error.status == 404:  # no route has the path: people get a page, not aiohttp's line
                return await self._refused(request, NotFound("page_gone"))
            raise
        except ClientConnectionResetError:  # the reader has gone, and gets no answer
            return web.Response(status=400)
        except Exception:
            log.exception("%s %s failed", request.method, request.match_info.route.resource)
            return web.Response(status=500, text="500: Internal Server Error")

    async def _paid(
        self, request: web.Request, handler: Handler, payer: str, *, is_socket: bool
    ) -> web.StreamResponse:
        """Answer, and charge the reader for it. payer: who pays until it is known who they are."""
        is_reading = request.method in ("GET", "HEAD") and not is_socket
        # A socket without a session says in its first message who opens it, and pays then.
        least = PAGE_COST if not is_socket or secret_of(request) is not None else 0.0
        with self._limits.paying(payer, least) as work:
            async with self._limits.turn(payer):
                visitor = await work.of(self._visitors.admit(request))
                work.who = visitor.who
                if is_reading:
                    return await work.of(handler(request))
        if not is_socket:
            self._limits.take(visitor.who, MESSAGE_COST)
        return await handler(request)

    async def _refused(self, request: web.Request, refusal: Refusal) -> web.StreamResponse:
        if self.site.is_own(request) and (told := await self._sockets.refuse(request, refusal)) is not None:
            return told
        visitor = visitor_of(request)
        answer = await told_of(self._services, visitor, refusal)
        code = _STATUS_OF_KEY.get(refusal.key) or _STATUS.get(type(refusal), 409)
        if request.path.startswith(("/api/", "/live")):
            made = web.json_response(answer, status=code)
        else:
            made = self._assets.plain_page(visitor.t, "gone", answer).answer(request, status=code)
        if isinstance(refusal, TooFast):
            made.headers["Retry-After"] = str(refusal.seconds)
        if refusal.key == "web_full":
            made.force_close()
        return made


def _is_free(request: web.Request, *, has_guests: bool) -> bool:
    """Return whether the answer is ready, so that a refusal would cost as much, or limited elsewhere.

    All that an Activity asks for before it has a session is here: people share the address then.
    """
    if request.path == "/" and (
        has_guests or secret_of(request) is not None
    ):  # the reader's matches are on it
        return "frame_id" in request.query
    return request.path in ("/", "/play", "/api/activity") or request.path.startswith("/static/")


@contextlib.asynccontextmanager
async def served(server: WebServer, listen: tuple[str, int] | None) -> AsyncIterator[str]:
    """Serve inside the block, and yield the address; raises Unusable for a taken port.

    listen: None for loopback, with the usual port or a free one.
    """
    runner = web.AppRunner(
        server.application(), logger=_reticent_log(), access_log=None, shutdown_timeout=1.0,
        keepalive_timeout=SILENCE_SECONDS, lingering_time=REST_SECONDS,
    )  # fmt: skip
    await runner.setup()
    protocols = cast("web.Server", runner.server)
    protocols.request_handler = _without_expectations(protocols.request_handler)
    jobs, listening = Jobs(*server.live.jobs()), None
    try:
        listening = await _bound(server.door, protocols, listen)
        host, port = listening.sockets[0].getsockname()[:2]
        if server.is_local and host == LOOPBACK:
            server.site = Site.on_loopback(port)
        jobs.start()
        yield f"http://{host}:{port}/"
    finally:
        jobs.stop()
        if listening is not None:
            listening.close()
        await server.live.close()
        await runner.cleanup()


def _without_expectations(handle: Callable[..., Awaitable[web.StreamResponse]]) -> Callable[..., Any]:
    """Refuse unknown expectations, which aiohttp would repeat before any middleware runs."""

    async def handled(request: web.BaseRequest) -> web.StreamResponse:
        if request.headers.get("Expect", "100-continue").lower() != "100-continue":
            raise web.HTTPExpectationFailed
        return await handle(request)

    return handled


def _reticent_log() -> logging.Logger:
    """Return aiohttp's log of requests that never reached us, without addresses and header lines."""
    found = logging.getLogger("bot.web.protocol")
    if _without_details not in found.filters:
        found.addFilter(_without_details)
    return found


def _without_details(record: logging.LogRecord) -> bool:
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(
        error, HttpProcessingError | web.RequestPayloadError
    ):  # a stranger's rubbish, which got its answer
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
    record.msg, record.args = "a request could not be handled: %s", (type(error).__name__,)
    record.exc_info = record.exc_text = None
    return log.isEnabledFor(record.levelno)


async def _bound(door: Door, protocols: web.Server, listen: tuple[str, int] | None) -> asyncio.Server:
    """Listen at the address, or at the first free one; raises Unusable."""
    for host, port in ((LOOPBACK, USUAL_PORT), (LOOPBACK, 0)) if listen is None else (listen,):
        try:
            return await door.open(protocols, host, port)
        except OSError as error:
            reason = error.strerror
    raise Unusable(f"DISCADE_WEB_LISTEN={host}:{port} cannot be served: {reason}.")
