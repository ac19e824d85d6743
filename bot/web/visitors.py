"""The reader behind a request, found once and kept with the request."""

from __future__ import annotations

from datetime import datetime

from aiohttp import web

from bot.domain.web_session import hash_of
from bot.parts import Services
from bot.web.documents import Visitor
from bot.web.security import address_of, secret_of

LOCAL_USER = 1
"""The id of the person at this machine: no person on Discord has it."""

_VISITOR = web.RequestKey("visitor", Visitor)
_ARRIVED_AT = web.RequestKey("arrived_at", datetime)


class Visitors:
    """One per process. is_local: every reader is the person at this machine."""

    def __init__(self, services: Services, *, is_local: bool) -> None:
        self._services = services
        self._is_local = is_local

    async def admit(self, request: web.Request) -> Visitor:
        """Find the reader of the request, for `visitor_of`, and note its arrival, for `arrival_of`."""
        request[_ARRIVED_AT] = self._services.clock()
        request[_VISITOR] = visitor = await self._found(request)
        return visitor

    def stranger(self, request: web.Request) -> Visitor:
        """Return the reader as one without a session."""
        return Visitor(self._services.texts.of(_accepted(request)), address_of(request))

    async def _found(self, request: web.Request) -> Visitor:
        accepted = _accepted(request)
        if self._is_local:
            wished = self._services.settings.person(LOCAL_USER).language or accepted
            return Visitor(self._services.texts.of(wished), "local", LOCAL_USER)
        secret = secret_of(request)
        found = None if secret is None else await self.signed_in(secret, accepted)
        return found or self.stranger(request)

    async def signed_in(self, secret: str, accepted: str) -> Visitor | None:
        """Return the person of that secret. accepted: the language of one who chose none."""
        session = await self._services.web.session(hash_of(secret))
        if session is None:
            return None
        wished = self._services.settings.person(session.user_id).language or accepted
        return Visitor(self._services.texts.of(wished), f"person {session.user_id}", session.user_id, session)


def _accepted(request: web.Request) -> str:
    """Return the language that the browser asks for first."""
    return request.headers.get("Accept-Language", "").partition(",")[0].partition(";")[0].strip()


def visitor_of(request: web.Request) -> Visitor:
    return request[_VISITOR]


def arrival_of(request: web.Request) -> datetime:
    return request[_ARRIVED_AT]


async def is_signed_in(services: Services, visitor: Visitor) -> bool:
    """Return whether the visitor's session goes on; strangers have none to lose."""
    return visitor.session is None or await services.web.session(visitor.session.key) is not None
