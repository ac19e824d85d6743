"""The door of the web server: how many connections it takes, and how long one may say nothing.

Beyond the first limit requests are refused in words, beyond the second connections are closed unread.
Discord and the database keep the files that they need.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from functools import partial
from typing import cast

from aiohttp import web

from bot.services.bucket import Bucket

log = logging.getLogger(__name__)

RESERVED_FILES = 512
"""For Discord (256 connections at most), the database, agents, and connections not yet closed."""

MOST_CONNECTIONS = 2500

SPARE_CONNECTIONS = 32
"""Those above the limit that are told why they are refused."""

BACKLOG = 64
"""How many connections the system takes in one go, each of them an open file."""

SILENCE_SECONDS = 20.0
"""How long a connection may send no whole request, or take none of what was sent to it."""


def most_connections(open_files: int) -> int:
    """Return how many connections the server takes where the process may open so many files."""
    most = max(open_files - RESERVED_FILES, open_files // 8)
    if most < MOST_CONNECTIONS:
        log.warning(
            "at most %d connections for pages: this process may open %d files (docs/web.md)", most, open_files
        )
    return min(MOST_CONNECTIONS, most)


class Door:
    """Makes the protocol of each new connection. most: connections that are served."""

    def __init__(self, most: int = MOST_CONNECTIONS) -> None:
        self._most = most
        self._servers: list[web.Server] = []

    async def open(self, server: web.Server, host: str, port: int) -> asyncio.Server:
        """Listen at that address; raises OSError."""
        self._servers.append(server)
        listening = await asyncio.get_running_loop().create_server(
            partial(self._protocol, server), host, port, backlog=BACKLOG
        )
        option = getattr(socket, "TCP_USER_TIMEOUT", None)
        for one in listening.sockets:
            if option is not None:  # Linux: connections inherit it, and end if a reader takes nothing
                one.setsockopt(socket.IPPROTO_TCP, option, round(SILENCE_SECONDS * 1000))
        return listening

    @property
    def most_sockets(self) -> int:
        """How many of the connections may be open pages; the others are for requests."""
        return self._most * 4 // 5

    @property
    def is_full(self) -> bool:
        return sum(len(server.connections) for server in self._servers) > self._most

    def _protocol(self, server: web.Server) -> asyncio.Protocol:
        return _Closed() if len(server.connections) >= self._most + SPARE_CONNECTIONS else server()


class Counted(asyncio.Protocol):
    """Passes on what a connection sends while its budget of bytes lasts, and nothing afterwards.

    Pings and empty pieces of messages reach no handler of ours: aiohttp answers and joins them itself.
    on_excess: is called once.
    """

    @classmethod
    def put_before(
        cls, transport: asyncio.Transport, budget: Bucket, on_excess: Callable[[], object]
    ) -> None:
        """Count what the connection sends from now on."""
        before = cast("asyncio.Protocol", transport.get_protocol())
        transport.set_protocol(cls(before, budget, on_excess))

    def __init__(self, protocol: asyncio.Protocol, budget: Bucket, on_excess: Callable[[], object]) -> None:
        self._budget = budget
        self._on_excess = on_excess
        self._is_open = True
        self._protocol = protocol

    def connection_lost(self, exc: Exception | None) -> None:
        self._protocol.connection_lost(exc)

    def eof_received(self) -> bool | None:
        return self._protocol.eof_received()

    def pause_writing(self) -> None:
        self._protocol.pause_writing()

    def resume_writing(self) -> None:
        self._protocol.resume_writing()

    def data_received(self, data: bytes) -> None:
        self._budget.spend(len(data))
        if self._is_open and self._budget.left < 0:
            self._is_open = False
            self._on_excess()
        if self._is_open:
            self._protocol.data_received(data)


class _Closed(asyncio.Protocol):
    """Closes the connection unread."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).abort()
