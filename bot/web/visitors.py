"""The reader behind a request, found once and kept with the request."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from aiohttp import web

from bot.domain.guest import LOCAL_USER, guest_id
from bot.domain.lru_dict import LruDict
from bot.domain.web_session import hash_of
from bot.parts import Services
from bot.web.documents import Visitor
from bot.web.security import REMEMBERED, address_of, guest_cookie_name, secret_of

_VISITOR = web.RequestKey("visitor", Visitor)
_ARRIVED_AT = web.RequestKey("arrived_at", datetime)


class Visitors:
    """One per process.

    is_local: every reader is the person at this machine. has_guests: whether people without Discord may play.
    """

    def __init__(self, services: Services, *, is_local: bool, has_guests: bool = False) -> None:
        self._services = services
        self._is_local = is_local
        self._has_guests = has_guests
        self._lately: LruDict[str, str] = LruDict(REMEMBERED)

    def arrived(self, request: web.Request) -> str:
        """Note the reader as one who has not said who they are, and the request's arrival, for `arrival_of`.

        Returns who pays for finding the person: the one whose session it was lately, or the address.
        """
        request[_ARRIVED_AT] = self._services.clock()
        accepted = _accepted(request)
        if self._is_local:
            wished = self._services.settings.person(LOCAL_USER).language or accepted
            visitor = Visitor(self._services.texts.of(wished), "local", LOCAL_USER)
        else:
            visitor = Visitor(self._services.texts.of(accepted), address_of(request))
        request[_VISITOR] = visitor
        secret = secret_of(request)
        return visitor.who if secret is None else self._lately.get(hash_of(secret), visitor.who)

    async def admit(self, request: web.Request) -> Visitor:
        """Find the person of the request, for `visitor_of`, unless it has no session."""
        secret = secret_of(request)
        if secret is not None and not self._is_local:
            found = await self.signed_in(secret, _accepted(request))
            request[_VISITOR] = found or visitor_of(request)
        guest = request.cookies.get(guest_cookie_name(request))
        visitor = visitor_of(request)
        if self._has_guests and guest and visitor.user_id is None:
            # Their address pays for guests: a cookie is thrown away in a moment.
            request[_VISITOR] = replace(visitor, user_id=guest_id(guest))
        return visitor_of(request)

    async def signed_in(self, secret: str, accepted: str) -> Visitor | None:
        """Return the person of that secret. accepted: the language of one who chose none."""
        key = hash_of(secret)
        session = await self._services.web.session(key)
        if session is None:
            self._lately.pop(key, None)
            return None
        who = self._lately[key] = who_is(session.user_id)
        wished = self._services.settings.person(session.user_id).language or accepted
        return Visitor(self._services.texts.of(wished), who, session.user_id, session)


def _accepted(request: web.Request) -> str:
    """Return the language that the browser asks for first."""
    return request.headers.get("Accept-Language", "").partition(",")[0].partition(";")[0].strip()


def who_is(user_id: int) -> str:
    """Return how a person is named where limits are counted."""
    return f"person {user_id}"


def visitor_of(request: web.Request) -> Visitor:
    return request[_VISITOR]


def arrival_of(request: web.Request) -> datetime:
    return request[_ARRIVED_AT]


async def is_signed_in(services: Services, visitor: Visitor) -> bool:
    """Return whether the visitor's session goes on; strangers have none to lose."""
    return visitor.session is None or await services.web.session(visitor.session.key) is not None
