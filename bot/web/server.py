"""The web server: pages, documents and live updates of matches (docs/web.md)."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from bot.domain.challenge import First
from bot.domain.errors import NotFound, Refusal, Unavailable
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match, Web
from bot.domain.web_page import WebPage
from bot.i18n import Text
from bot.parts import Services
from bot.presentation import names, status
from bot.presentation.picture import draw_picture
from bot.presentation.refusals import refusal_line
from bot.presentation.web_board import description_of
from bot.presentation.web_match import bare, replay_document
from bot.scheduler import Job, Jobs
from bot.services.start_options import Person, board_named, open_levels
from bot.store.versions import Unusable
from bot.web.assets import Assets
from bot.web.commands import PageCommands, id_of
from bot.web.documents import SeatFacts, Visitor, check_readable, document_of, encoded, seen_by
from bot.web.live import PRESENCE_SECONDS, Live, Socket
from bot.web.security import MAX_BYTES, Limits, Site, add_headers, address_of
from engine.games import GAMES

log = logging.getLogger(__name__)

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}

LOOPBACK, USUAL_PORT = "127.0.0.1", 8378

FIRST_MESSAGE_SECONDS, HEARTBEAT_SECONDS = 10.0, 30.0

MAX_PICTURES = 64

LOCAL_USER = 1
"""The id of the person at this machine: no person on Discord has it."""

_STATUS = {NotFound: 404, Unavailable: 503}


class WebServer:
    """One per process. site: where browsers find it. is_local: every reader is the person at this machine."""

    def __init__(self, services: Services, site: Site, *, is_local: bool = False) -> None:
        self._services = services
        self.site = site
        self.is_local = is_local
        self._assets = Assets()
        self._limits = Limits()
        self._pictures: LruDict[tuple[int, int], bytes] = LruDict(MAX_PICTURES)
        self._commands = PageCommands(services)
        self.live = Live(services)

    def application(self) -> web.Application:
        application = web.Application(middlewares=[self._checked], client_max_size=MAX_BYTES)
        application.on_response_prepare.append(add_headers)
        routes = [
            web.get("/m/{key}", self._match_page),
            web.get("/m/{key}/picture.png", self._picture),
            web.get("/api/matches/{key}", self._match),
            web.get("/api/matches/{key}/replay", self._replay),
            web.get("/live", self._live),
            web.get("/boards/{game}/{board}.json", self._board),
            web.get("/static/{name}", self._static),
        ]
        if self.is_local:
            routes += [web.get("/", self._start_page), web.post("/api/matches", self._start)]
        application.add_routes(routes)
        return application

    # Requests

    @web.middleware
    async def _checked(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Refuse foreign hosts and origins, and answer a refusal with its key and text."""
        if not self.site.knows_host(request):
            raise web.HTTPMisdirectedRequest
        is_socket = request.headers.get("Upgrade", "").lower() == "websocket"
        if (is_socket or request.method not in ("GET", "HEAD")) and not self.site.is_own(request):
            raise web.HTTPForbidden
        visitor = self._visitor(request)
        try:
            if request.method == "POST" and not self._limits.allows_message(visitor.who):
                raise Refusal("web_slow_down")
            return await handler(request)
        except Refusal as refusal:
            return self._refused(request, visitor, refusal)
        except web.HTTPException as error:
            if error.status == 404:
                return self._refused(request, visitor, NotFound("page_gone"))
            raise
        except Exception:
            log.exception("%s %s failed", request.method, request.match_info.route.resource)
            return web.Response(status=500, text="500: Internal Server Error")

    def _refused(self, request: web.Request, visitor: Visitor, refusal: Refusal) -> web.Response:
        known = _STATUS.get(type(refusal), 409)
        code = 429 if refusal.key == "web_slow_down" else 400 if refusal.key == "web_bad_message" else known
        answer = {"reason": refusal.key, "text": _text_of(visitor.t, refusal)}
        if request.path.startswith("/api/"):
            return web.json_response(answer, status=code)
        html = self._assets.page(visitor.t, "gone", "Discade", {"first": answer})
        return web.Response(text=html, status=code, content_type="text/html")

    def _visitor(self, request: web.Request) -> Visitor:
        texts = self._services.texts
        accepted = request.headers.get("Accept-Language", "").partition(",")[0].partition(";")[0].strip()
        if self.is_local:
            wished = self._services.settings.person(LOCAL_USER).language or accepted
            t = texts.of(wished)
            return Visitor(t, "local", Person(LOCAL_USER, t("web_guest")))
        return Visitor(texts.of(accepted), address_of(request))

    async def _opened(self, request: web.Request) -> tuple[WebPage, Match, Visitor]:
        """Return the page of the request; raises NotFound unless the visitor may read it."""
        visitor = self._visitor(request)
        page = await self._services.web.page(request.match_info["key"])
        match = await self._services.matches.latest(page.match_id)
        check_readable(self._services, page, match, visitor)
        return page, match, visitor

    # Pages and documents

    async def _match_page(self, request: web.Request) -> web.Response:
        page, match, visitor = await self._opened(request)
        facts = await SeatFacts.load(self._services, match)
        document = document_of(self._services, page, match, visitor, facts)
        title = bare(status.pairing(visitor.t, seen_by(self._services, page, match, visitor, facts)))
        data = {"first": document, "board": description_of(match.game, match.board)}
        origin = next(iter(self.site.origins), f"{request.scheme}://{request.host}")
        preview = {"og:title": title, "og:image": f"{origin}/m/{page.key}/picture.png", "og:type": "website"}
        return _html(self._assets.page(visitor.t, "match", title, data, preview))

    async def _picture(self, request: web.Request) -> web.Response:
        """The board as the bot draws it in Discord, for link previews."""
        _, match, visitor = await self._opened(request)
        key, drawn = (match.id, match.version), self._pictures.get((match.id, match.version))
        if drawn is None:
            if not self._limits.allows_message(visitor.who):
                raise Refusal("web_slow_down")
            drawn = await asyncio.to_thread(draw_picture, match.game, match.state, status.marks(match))
            self._pictures[key] = drawn
        return web.Response(body=drawn, content_type="image/png", headers={"Cache-Control": "no-cache"})

    async def _match(self, request: web.Request) -> web.Response:
        page, match, visitor = await self._opened(request)
        if request.headers.get("If-None-Match") == _etag(match):
            return web.Response(status=304)
        facts = await SeatFacts.load(self._services, match)
        document = document_of(self._services, page, match, visitor, facts)
        return _json(document, {"ETag": _etag(match), "Cache-Control": "no-cache"})

    async def _replay(self, request: web.Request) -> web.Response:
        _, match, _ = await self._opened(request)
        match.check_reviewable()
        review = self._services.reviews.known(match.id)
        if review is not None:
            await self._check_reviewed(match)
        return _json(replay_document(match, review))

    async def _check_reviewed(self, match: Match) -> None:
        """Refuse a review that would help a player of the match in another one; raises MatchError."""
        for seat in match.seats:
            if seat.user_id is not None:
                person = Person(seat.user_id, seat.name)
                await self._services.allowed_help.check_reviewed(match, person)

    async def _board(self, request: web.Request) -> web.Response:
        game, (board, _, digest) = request.match_info["game"], request.match_info["board"].partition(".")
        known = board_named(game, board)
        if known is None or digest != (description := description_of(game, known))["digest"]:
            raise NotFound("page_gone")
        return _json(description, FOR_EVER)

    async def _static(self, request: web.Request) -> web.Response:
        asset = self._assets.by_path.get(request.path)
        if asset is None:
            raise NotFound("page_gone")
        headers = {**FOR_EVER, "Vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"] = "gzip"
            return web.Response(body=asset.packed, content_type=asset.type, headers=headers)
        return web.Response(body=asset.body, content_type=asset.type, headers=headers)

    async def _start_page(self, request: web.Request) -> web.Response:
        visitor = self._visitor(request)
        return _html(self._assets.page(visitor.t, "start", "Discade", {"first": await self._offer(visitor)}))

    async def _offer(self, visitor: Visitor) -> dict[str, Any]:
        """Return the games with their boards and levels, and the visitor's running matches."""
        t, running = visitor.t, []
        for match in await self._services.matches.running(LOCAL_USER):
            page = await self._services.web.page_of_players(match.id)
            running.append({"href": f"/m/{page.key}", "title": bare(status.summary(t, match, LOCAL_USER))})
        games = [
            {
                "key": game.key,
                "title": names.game_title(t, game.key),
                "boards": [{"key": board, "title": names.board_title(t, board)} for board in game.boards],
                "levels": [
                    {
                        "key": level.key,
                        "name": names.level_name(t, game.key, level),
                        "character": names.character_of(t, level),
                        "boards": list(level.boards),
                    }
                    for level in open_levels(self._services.roster, game.key)
                ],
            }
            for game in GAMES.values()
        ]
        return {"games": games, "running": running}

    async def _start(self, request: web.Request) -> web.Response:
        visitor = self._visitor(request)
        if visitor.person is None:
            raise NotFound("web_only_watching")
        if not self._limits.allows_start(visitor.who):
            raise Refusal("web_slow_down")
        asked = await _body(request)
        first = str(asked.get("first", First.RANDOM))
        if first not in set(First):
            raise Refusal("web_bad_message")
        match = await self._services.starting.start(
            visitor.person, str(asked.get("game")), str(asked.get("level")), First(first),
            Web(visitor.t.language.replace("_", "-")), board=asked.get("board") and str(asked["board"]),
            rated=asked.get("rated") is True,
        )  # fmt: skip
        page = await self._services.web.page_of_players(match.id)
        return _json({"match": page.key, "to": f"/m/{page.key}"})

    # Live updates

    async def _live(self, request: web.Request) -> web.StreamResponse:
        visitor = self._visitor(request)
        if not self.live.admits(visitor):
            raise Refusal("web_slow_down")
        ws = web.WebSocketResponse(max_msg_size=MAX_BYTES, heartbeat=HEARTBEAT_SECONDS, compress=False)
        await ws.prepare(request)
        socket = None
        try:
            first = _parsed(await ws.receive(FIRST_MESSAGE_SECONDS))
            if first.get("type") != "watch":
                raise Refusal("web_bad_message")
            page = await self._services.web.page(str(first.get("match"))[:64])
            socket = Socket(ws, request.transport, visitor, page)
            have = first.get("have")
            socket.version = have if isinstance(have, int) else -1
            delivering = await self.live.watch(socket)
            try:
                await self._listen(socket)
            finally:
                delivering.cancel()
        except (Refusal, TimeoutError) as error:
            await self._say_goodbye(ws, visitor, error)
        finally:
            if socket is not None:
                self.live.leave(socket)
        return ws

    async def _listen(self, socket: Socket) -> None:
        """Run the commands of the page, one after another, until it closes; raises Refusal for rubbish."""
        async for received in socket.ws:
            message = _parsed(received)
            try:
                if not self._limits.allows_message(socket.visitor.who):
                    raise Refusal("web_slow_down")
                if message.get("type") == "watch":
                    socket.version = -1
                    socket.is_stale.set()
                else:
                    await self._commands.run(socket, message)
            except Refusal as refusal:
                if refusal.key == "web_bad_message":
                    raise
                await self._refuse(socket, message, refusal)

    async def _refuse(self, socket: Socket, message: Mapping[str, Any], refusal: Refusal) -> None:
        match = await self._services.matches.latest(socket.page.match_id)
        text = _text_of(socket.visitor.t, refusal)
        await socket.tell(
            type="refused", id=id_of(message), reason=refusal.key, text=text, version=match.version
        )

    async def _say_goodbye(self, ws: web.WebSocketResponse, visitor: Visitor, error: Exception) -> None:
        refusal = error if isinstance(error, Refusal) else Refusal("web_bad_message")
        if not ws.closed:
            text = _text_of(visitor.t, refusal)
            with contextlib.suppress(ConnectionError):
                await ws.send_json({"type": "bye", "reason": refusal.key, "text": text})
            await ws.close(code=WSCloseCode.POLICY_VIOLATION)


@contextlib.asynccontextmanager
async def served(server: WebServer, listen: tuple[str, int] | None) -> AsyncIterator[str]:
    """Serve inside the block, and yield the address; raises Unusable for a taken port.

    listen: None for loopback, with the usual port or a free one.
    """
    runner = web.AppRunner(server.application(), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    presence = Jobs(Job("readers of pages", server.live.run_once, PRESENCE_SECONDS))
    try:
        host, port = await _bound(runner, listen)
        if server.is_local and host == LOOPBACK:
            server.site = Site.on_loopback(port)
        presence.start()
        yield f"http://{host}:{port}/"
    finally:
        presence.stop()
        await server.live.close()
        await runner.cleanup()


async def _bound(runner: web.AppRunner, listen: tuple[str, int] | None) -> tuple[str, int]:
    """Return the host and the port that the server got; raises Unusable."""
    for host, port in ((LOOPBACK, USUAL_PORT), (LOOPBACK, 0)) if listen is None else (listen,):
        try:
            await web.TCPSite(runner, host, port).start()
        except OSError as error:
            reason = error.strerror
        else:
            return host, int(runner.addresses[-1][1])
    raise Unusable(f"DISCADE_WEB_LISTEN={host}:{port} cannot be served: {reason}.")


def _text_of(t: Text, refusal: Refusal) -> str:
    return bare(refusal_line(t, refusal) or t("web_failed"))


def _etag(match: Match) -> str:
    return f'"{match.version}"'


def _html(text: str) -> web.Response:
    answer = web.Response(text=text, content_type="text/html")
    answer.enable_compression()
    return answer


def _json(document: object, headers: Mapping[str, str] | None = None) -> web.Response:
    answer = web.Response(body=encoded(document), content_type="application/json", headers=headers)
    answer.enable_compression()
    return answer


async def _body(request: web.Request) -> dict[str, Any]:
    """Return the JSON object of a request; raises Refusal."""
    if request.content_type != "application/json":
        raise Refusal("web_bad_message")
    return _object(await request.text())


def _parsed(message: Any) -> dict[str, Any]:
    """Return the JSON object of a message; raises Refusal for anything else."""
    if message.type is not WSMsgType.TEXT:
        raise Refusal("web_bad_message")
    return _object(message.data)


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise Refusal("web_bad_message") from None
    if not isinstance(found, dict):
        raise Refusal("web_bad_message")
    return found
