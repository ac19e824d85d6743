"""The reader behind a request, found once and kept with the request."""

from __future__ import annotations

from aiohttp import web

from bot.parts import Services
from bot.web.documents import Visitor
from bot.web.security import address_of

LOCAL_USER = 1
"""The id of the person at this machine: no person on Discord has it."""

_VISITOR = web.RequestKey("visitor", Visitor)


class Visitors:
    """One per process. is_local: every reader is the person at this machine."""

    def __init__(self, services: Services, *, is_local: bool) -> None:
        self._services = services
        self._is_local = is_local

    async def admit(self, request: web.Request) -> Visitor:
        """Find the reader of the request, for `visitor_of`."""
        request[_VISITOR] = visitor = self._found(request)
        return visitor

    def _found(self, request: web.Request) -> Visitor:
        accepted = request.headers.get("Accept-Language", "").partition(",")[0].partition(";")[0].strip()
        if self._is_local:
            wished = self._services.settings.person(LOCAL_USER).language or accepted
            return Visitor(self._services.texts.of(wished), "local", LOCAL_USER)
        return Visitor(self._services.texts.of(accepted), address_of(request))


def visitor_of(request: web.Request) -> Visitor:
    return request[_VISITOR]
