"""WebSockets of open pages: live updates go out, commands come in."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from aiohttp import WSCloseCode, WSMessage, WSMsgType, web

from bot.domain.errors import NotFound, Refusal
from bot.parts import Services
from bot.services.bucket import Bucket
from bot.web.answers import content_of, text_of, told_of
from bot.web.commands import PageCommands, id_of
from bot.web.documents import Visitor
from bot.web.door import Counted
from bot.web.live import CLOSE_SECONDS, Live, Socket
from bot.web.security import MAX_BYTES, MESSAGE_COST, PAGE_COST, Limits
from bot.web.visitors import Visitors, is_signed_in, visitor_of

SOCKETS_PATH = "/live"

FIRST_MESSAGE_SECONDS, HEARTBEAT_SECONDS = 10.0, 30.0

PING_BYTES, SOCKET_BYTES, SOCKET_BYTES_A_SECOND = 6, 8192.0, 512.0
"""The bytes that a socket may send: at once, and again each second. Twenty messages of a page have 1,200."""

MAX_NAME = 32
"""Characters of the name that a page gives itself."""

_CLOSED = (WSMsgType.CLOSE, WSMsgType.CLOSING, WSMsgType.CLOSED)


class _Incoming:
    """The messages of a socket. budget: of bytes."""

    def __init__(self, ws: web.WebSocketResponse) -> None:
        self.ws = ws
        self.budget = Bucket(SOCKET_BYTES, SOCKET_BYTES_A_SECOND, time.monotonic)

    async def next(self) -> WSMessage:
        """Return the next message after answering the pings before it; raises Refusal for too many."""
        while (message := await self.ws.receive()).type in (WSMsgType.PING, WSMsgType.PONG):
            # Those that came together with the request for the socket were not counted before.
            self.budget.spend(PING_BYTES)
            if self.budget.left < 0:
                raise Refusal("web_slow_down")
            if message.type is WSMsgType.PING:
                await self.ws.pong(message.data)
        return message


async def _accepted(request: web.Request) -> web.WebSocketResponse:
    """Return the open socket; raises Refusal, or HTTPException for a request that is for none."""
    # A page names no protocol, and aiohttp would log the address of a reader who does.
    if "Sec-WebSocket-Protocol" in request.headers:
        raise Refusal("web_bad_message")
    ws = web.WebSocketResponse(
        max_msg_size=MAX_BYTES,
        heartbeat=HEARTBEAT_SECONDS,
        compress=False,
        autoping=False,
        timeout=CLOSE_SECONDS,
    )
    try:
        await ws.prepare(request)
    except ValueError:  # a key that is not ASCII
        raise Refusal("web_bad_message") from None
    return ws


class PageSockets:
    """One per process."""

    def __init__(self, services: Services, live: Live, limits: Limits, visitors: Visitors) -> None:
        self._services = services
        self._commands = PageCommands(services, limits)
        self._live_updates = live
        self._limits = limits
        self._visitors = visitors

    def routes(self) -> list[web.RouteDef]:
        return [web.get(SOCKETS_PATH, self._live)]

    async def _live(self, request: web.Request) -> web.StreamResponse:
        visitor = visitor_of(request)
        page = request.query.get("page", "")[:MAX_NAME]
        with contextlib.ExitStack() as counted:
            counted.enter_context(self._live_updates.admitted(visitor, page, request.transport))
            ws = await _accepted(request)
            await self._serve(request.transport, _Incoming(ws), visitor, counted, page)
        return ws

    async def refuse(self, request: web.Request, refusal: Refusal) -> web.StreamResponse | None:
        """Open the socket to say why it ends; None where the request is for no socket.

        Browsers hide the answer to a refused socket from the page, whose opponent would seem to think.
        """
        if request.path != SOCKETS_PATH or refusal.key == "web_bad_message":
            return None
        try:
            ws = await _accepted(request)
        except (Refusal, web.HTTPException):
            return None
        await self._say_goodbye(ws, visitor_of(request), refusal)
        return ws

    async def _serve(
        self,
        transport: asyncio.Transport | None,
        incoming: _Incoming,
        visitor: Visitor,
        counted: contextlib.ExitStack,
        name: str,
    ) -> None:
        """Serve the page until it closes.

        counted: holds the visitor's place among the sockets. name: the one that the page gave itself.
        """
        socket, ws = None, incoming.ws
        if transport is not None:
            Counted.put_before(
                transport, incoming.budget,
                lambda: self._services.background.spawn(
                    self._say_goodbye(ws, visitor, Refusal("web_slow_down"))
                ),
            )  # fmt: skip
        try:
            async with asyncio.timeout(FIRST_MESSAGE_SECONDS):
                first = content_of(await incoming.next())
            if first.get("type") != "watch":
                raise Refusal("web_bad_message")
            if "session" in first:
                found = await self._visitors.signed_in(str(first["session"]), visitor.t.language)
                if found is None:
                    raise NotFound("play_link_gone")
                visitor = found
                # The address may be a proxy's, which many people share.
                counted.close()
                counted.enter_context(self._live_updates.admitted(visitor, name, transport))
            self._limits.take(visitor.who, PAGE_COST)
            page = await self._services.web.page(str(first.get("match"))[:64])
            socket = Socket(ws, transport, visitor, page)
            have, is_same = first.get("have"), first.get("epoch") == self._services.web.epoch
            # After a restore the stored match may be older than what the page shows.
            socket.version = have if is_same and isinstance(have, int) else -1
            delivering = await self._live_updates.watch(socket)
            try:
                await self._listen(socket, incoming)
            finally:
                delivering.cancel()
        except (Refusal, TimeoutError) as error:
            await self._say_goodbye(ws, visitor, error)
        except ConnectionError:  # the page has gone, while it was sent something
            pass
        finally:
            if socket is not None:
                self._live_updates.leave(socket)

    async def _listen(self, socket: Socket, incoming: _Incoming) -> None:
        """Run the commands of the page, one after another, until it closes; raises Refusal for rubbish."""
        receiving = asyncio.create_task(self._receive(incoming))
        try:
            while (received := await receiving) is not None:
                # Received while the command before it runs, which may take its time, as a hint does.
                receiving = asyncio.create_task(self._receive(incoming))
                await self._obey(socket, *received)
        finally:
            receiving.cancel()
            await asyncio.wait([receiving])

    async def _receive(self, incoming: _Incoming) -> tuple[datetime, WSMessage] | None:
        """Return the next message and the moment of its arrival; None once the page has closed."""
        message = await incoming.next()
        return None if message.type in _CLOSED else (self._services.clock(), message)

    async def _obey(self, socket: Socket, arrived_at: datetime, received: WSMessage) -> None:
        message = content_of(received)
        try:
            self._limits.take(socket.visitor.who, MESSAGE_COST)
            if not await is_signed_in(self._services, socket.visitor):
                raise NotFound("play_link_gone")
            if message.get("type") == "watch":
                socket.version = -1
                socket.is_stale.set()
            else:
                await self._commands.run(socket, message, arrived_at)
        except Refusal as refusal:
            if refusal.key == "web_bad_message":
                raise
            await self._refuse(socket, message, refusal)

    async def _refuse(self, socket: Socket, message: Mapping[str, Any], refusal: Refusal) -> None:
        match = await self._services.matches.latest(socket.page.match_id)
        told = await told_of(self._services, socket.visitor, refusal)
        await socket.tell(type="refused", id=id_of(message), version=match.version, **told)

    async def _say_goodbye(self, ws: web.WebSocketResponse, visitor: Visitor, error: Exception) -> None:
        """Say why the socket ends, and whether for good: a page comes back after all that may pass."""
        message: dict[str, Any] = {"type": "bye", "reason": "late", "final": False}
        if isinstance(error, Refusal):
            is_final = isinstance(error, NotFound) or error.key == "web_bad_message"
            message |= {"reason": error.key, "text": text_of(visitor.t, error), "final": is_final}
        if not ws.closed:
            with contextlib.suppress(ConnectionError):
                await ws.send_json(message)
            await ws.close(code=WSCloseCode.POLICY_VIOLATION)
