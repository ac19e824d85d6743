"""The requests that the web server accepts, and the headers of all its answers."""

from __future__ import annotations

import asyncio
import ipaddress
import math
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlsplit

from aiohttp import web

from bot.config import DEFAULT_GUEST_MATCHES
from bot.domain.errors import Refusal
from bot.domain.lru_dict import LruDict
from bot.services.bucket import Bucket

MAX_BYTES = 2048
"""Of a message or the body of a request."""

WORK_MOST, WORK_A_SECOND = 1000.0, 100.0
"""Milliseconds of the processor for a person, or an address of strangers: at once, and back each second."""

MESSAGES = 20
"""How many messages, or requests that change something, one may send at once."""

MESSAGE_COST = WORK_MOST / MESSAGES
"""Of each of them: most of its work is done elsewhere, and is not counted."""

REST_COST = 1.0
"""Of the work for a request that is not counted: the connection's, and the database's for the page's key."""

PAGE_COST = 5.0
"""What a request pays until its work is known; about what a page costs that no one else reads."""

AT_ONCE = 4
"""How many requests for pages are served at once for one payer; more wait, and other readers come between."""

STARTS, STARTS_WITHIN_SECONDS = 3, 60.0
"""How many matches one person may begin in that time."""

GUEST_STARTS, GUEST_STARTS_WITHIN_SECONDS = 20, 600.0
"""The same for the guests at one address, which a school or a company shares."""

DAY_SECONDS = 86_400.0

REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Site:
    """The addresses at which browsers reach the server, such as `https://play.example.org`.

    origins: empty where every host name of this machine is accepted. activity: of the page inside Discord.
    """

    origins: frozenset[str] = frozenset()
    activity: str | None = None

    @classmethod
    def on_loopback(cls, port: int) -> Site:
        return cls(frozenset(f"http://{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")))

    def knows_host(self, request: web.Request) -> bool:
        """Whether the request is for this site, and not for a foreign name that leads to this machine."""
        return not self.origins or any(urlsplit(one).netloc == request.host for one in self.origins)

    def is_own(self, request: web.Request) -> bool:
        """Whether a page of this site made the request: browsers name the page's origin."""
        origin = request.headers.get("Origin", "")
        if self.activity is not None and origin == self.activity:
            return True
        if self.origins:
            return origin in self.origins
        # Not urlsplit, which raises ValueError for some texts.
        return origin.partition("://")[2] == request.host


def cookie_name(request: web.Request) -> str:
    """Return the name of the session's cookie: browsers take one with that prefix from this host alone."""
    return "__Host-discade" if is_secure(request) else "discade"


def guest_cookie_name(request: web.Request) -> str:
    """Return the name of the cookie with a guest's secret."""
    return f"{cookie_name(request)}-guest"


def is_secure(request: web.Request) -> bool:
    """Whether the browser uses HTTPS, as the proxy tells."""
    return request.headers.get("X-Forwarded-Proto", request.scheme) == "https"


def secret_of(request: web.Request) -> str | None:
    """Return the secret of the browser's session, or that of an Activity, which has no cookie."""
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    if scheme == "Bearer":
        return given
    return request.cookies.get(cookie_name(request))


def address_of(request: web.Request) -> str:
    """Return the reader's address, as the proxy on this machine or in this network names it.

    Of an IPv6 address the network of 64 bits, since one machine has all of its addresses.
    """
    peer, forwarded = _address(request.remote), request.headers.get("X-Forwarded-For", "").rpartition(",")[2]
    if peer is None or peer.is_private:
        peer = _address(forwarded.strip()) or peer
    if isinstance(peer, ipaddress.IPv6Address):
        return str(ipaddress.IPv6Network((peer, 64), strict=False))
    return str(peer or "")


def _address(text: str | None) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address((text or "").partition("%")[0])
    except ValueError:
        return None
    # Some proxies write addresses of IPv4 so; as IPv6 they would all be of one network.
    return getattr(found, "ipv4_mapped", None) or found


class TooFast(Refusal):
    """A person or an address has used up its budget. seconds: until there is enough again."""

    def __init__(self, seconds: float, key: str = "web_slow_down", **params: str | int) -> None:
        super().__init__(key, **params)
        self.seconds = math.ceil(seconds)


T = TypeVar("T")


class Work:
    """Counts the processor's time of coroutines' own steps. who: pays. spent: milliseconds, with the rest."""

    def __init__(self, who: str) -> None:
        self.who = who
        self.spent = REST_COST

    def of(self, work: Awaitable[T]) -> Awaitable[T]:
        """Return what the coroutine returns. Other tasks, for which it waits, are not counted."""
        return _Counted(self, work.__await__())

    def step(self, go_on: Callable[..., Any], *arguments: Any) -> Any:
        began = time.thread_time()
        try:
            return go_on(*arguments)
        finally:
            self.spent += (time.thread_time() - began) * 1000


class _Counted(Generator[Any, Any, T], Awaitable[T]):
    """A coroutine whose steps are counted."""

    def __init__(self, work: Work, steps: Generator[Any, Any, T]) -> None:
        self._work = work
        self._steps = steps

    def __await__(self) -> Generator[Any, Any, T]:
        return self

    def send(self, value: Any) -> Any:
        return self._work.step(self._steps.send, value)

    def throw(self, *error: Any) -> Any:
        return self._work.step(self._steps.throw, *error)


class Limits:
    """How much people, and addresses of strangers, may do. Lives on the event loop.

    clock: in seconds. counts_starts: not on one's own machine. guest_matches: of one address, within a day.
    """

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        *,
        counts_starts: bool = True,
        guest_matches: int = DEFAULT_GUEST_MATCHES,
    ) -> None:
        self._counts_starts = counts_starts
        self._guest_matches = guest_matches
        # When the day of each address began, and how many matches since.
        self._days: LruDict[str, tuple[float, int]] = LruDict(REMEMBERED)
        self._clock = clock
        self._work: LruDict[str, Bucket] = LruDict(REMEMBERED)
        self._starts: LruDict[str, Bucket] = LruDict(REMEMBERED)
        self._turns: LruDict[str, asyncio.Semaphore] = LruDict(REMEMBERED)

    def check(self, who: str, cost: float) -> None:
        """Raise TooFast if fewer milliseconds of work are left."""
        _check(self._bucket(who), cost)

    def take(self, who: str, cost: float) -> None:
        """Take so many milliseconds of work; raises TooFast if fewer are left."""
        self.check(who, cost)
        self.charge(who, cost)

    def charge(self, who: str, cost: float) -> None:
        """Take them also where fewer are left."""
        self._bucket(who).spend(cost)

    def turn(self, who: str) -> asyncio.Semaphore:
        """Return the turns of those who pay together: inside a turn, few of their requests are served."""
        if who not in self._turns:
            self._turns[who] = asyncio.Semaphore(AT_ONCE)
        return self._turns[who]

    @contextmanager
    def paying(self, who: str, least: float) -> Iterator[Work]:
        """Charge the work that is counted inside the block; raises TooFast unless `least` is left.

        So much is taken meanwhile, so that a hundred requests at once do not all find enough.
        """
        if least:
            self.take(who, least)
        work = Work(who)
        try:
            yield work
        finally:
            self.charge(who, -least)
            self.charge(work.who, work.spent)

    def start(self, who: str, *, is_guest: bool = False) -> None:
        """Count a match that a person begins, or a guest of that address; raises TooFast."""
        if not self._counts_starts:
            return
        if who not in self._starts:
            most, seconds = (
                (GUEST_STARTS, GUEST_STARTS_WITHIN_SECONDS) if is_guest else (STARTS, STARTS_WITHIN_SECONDS)
            )
            self._starts[who] = Bucket(most, most / seconds, self._clock)
        _check(self._starts[who], 1)
        if is_guest:
            self._count_guest(who)
        self._starts[who].spend(1)

    def _count_guest(self, who: str) -> None:
        """Count a match of the address's guests in its day, which the first one begins; raises TooFast."""
        now = self._clock()
        began, number = self._days.get(who, (now, 0))
        if now - began >= DAY_SECONDS:
            began, number = now, 0
        if number >= self._guest_matches:
            raise TooFast(began + DAY_SECONDS - now, "web_guests_played", most=self._guest_matches)
        self._days[who] = began, number + 1

    def _bucket(self, who: str) -> Bucket:
        if who not in self._work:
            self._work[who] = Bucket(WORK_MOST, WORK_A_SECOND, self._clock)
        return self._work[who]


def _check(bucket: Bucket, cost: float) -> None:
    if bucket.left < cost:
        raise TooFast(bucket.seconds_until(cost))


_FRAMED = web.RequestKey("framed", bool)

_DISCORD = "https://discord.com https://*.discord.com https://*.discordsays.com"


def let_discord_frame(request: web.Request) -> None:
    """Allow Discord's client, and nothing else, to show the answer in a frame."""
    request[_FRAMED] = True


async def add_headers(request: web.Request, response: web.StreamResponse) -> None:
    """Add the headers that every answer has."""
    is_framed = request.get(_FRAMED, False)
    framing = _DISCORD if is_framed else "'none'"
    scheme = "wss" if is_secure(request) else "ws"
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        f"connect-src 'self' {scheme}://{request.host}; base-uri 'none'; form-action 'self'; "
        f"frame-ancestors {framing}"
    )
    response.headers.update(
        {
            "Content-Security-Policy": policy,
            "Referrer-Policy": "no-referrer",
            "Server": "Discade",
            "X-Content-Type-Options": "nosniff",
        }
    )
    if not is_framed:
        response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    response.headers.setdefault("Cache-Control", "no-store")
