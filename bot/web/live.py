"""Live updates: one subscriber to the changes sends each socket the newest document of its match.

Each socket has one slot instead of a queue: a slow reader skips positions and never gets an old one.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import WSMsgType, web

from bot.domain.errors import MatchError, NotFound, Refusal, Unavailable
from bot.domain.guest import has_guest, is_guest
from bot.domain.imported import is_imported
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.web_page import WebPage
from bot.parts import Services
from bot.presentation.web_match import bare
from bot.scheduler import Job
from bot.services.changes import Changed
from bot.web.answers import told_of
from bot.web.documents import (
    Fresh,
    ReaderKind,
    SeatFacts,
    Visitor,
    check_readable,
    document_of,
    encoded,
    kind_of,
    review_of,
)
from engine.analysis.review import Review
from engine.core import Player

log = logging.getLogger(__name__)

MAX_OF_PERSON, MAX_OF_ADDRESS = 4, 50
"""Sockets of one person, and of the strangers at one address, which a school or a company shares."""

PRESENCE_SECONDS = 2.0
"""The least time between two messages about the readers of a page."""

WITHHELD_SECONDS = 10.0
"""How often a review that would have helped somebody is asked for again: their rated match may be over."""

OTHERS_SECONDS = 0.25
"""How often the matches of open pages are compared with the stored ones, which other processes may change."""

SILENCE_SECONDS = 25.0
"""The longest time without a message. A page that hears nothing for 40 s calls its connection lost."""

SLOW_SECONDS = 10.0
"""How long a reader may take none of the waiting data before the socket is closed."""

CLOSE_SECONDS = 1.0
"""How long pages have to take the word that the server ends."""

SOCKETS_AT_ONCE = 10
"""How many sockets get a document before other work goes on, such as the next step of a press."""


@dataclass(eq=False, slots=True)
class Socket:
    """An open page. version: the newest that was sent. full_since: when its buffer was first found in use.

    has_review: whether it was sent the best review so far, instead of a reason why not.
    """

    ws: web.WebSocketResponse
    transport: asyncio.Transport | None
    visitor: Visitor
    page: WebPage
    version: int = -1
    full_since: float | None = None
    has_review: bool = False
    is_stale: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, body: bytes) -> None:
        """Send a message; does nothing once the socket is closed."""
        try:
            await self.ws.send_frame(body, WSMsgType.TEXT)
        except (ConnectionError, RuntimeError):
            log.debug("a message to a closed socket was dropped")

    def is_free(self) -> bool:
        """Return whether the system took everything that was sent, so that more can be written at once."""
        transport = self.transport
        return transport is not None and not transport.is_closing() and not transport.get_write_buffer_size()

    async def tell(self, **message: Any) -> None:
        await self.send(encoded(message))


@dataclass(eq=False, slots=True)
class Watched:
    """A match and its open pages. documents: by kind of reader.

    rematch: its number, once its players were sent there. is_compared: with the stored match.
    is_waiting: its pages were told that something is still being compiled.
    review: the best one so far, or the reason why there is none. reviews: by kind of reader, with the review.
    """

    match: Match
    facts: SeatFacts
    sockets: set[Socket] = field(default_factory=set)
    documents: Fresh[bytes] = field(default_factory=Fresh)
    is_reviewed: bool = False
    review: Review | Refusal | None = None
    reviews: dict[ReaderKind, tuple[object, bytes]] = field(default_factory=dict)
    presence: object = None
    told_at: float = 0.0
    rematch: int | None = None
    is_compared: bool = False
    is_waiting: bool = False

    def refresh(self) -> None:
        """Mark every socket as stale, so that it is sent the document that it lacks."""
        for socket in self.sockets:
            socket.is_stale.set()


@dataclass(frozen=True, eq=False, slots=True)
class CountedPage:
    """A socket that counts for its reader. page: the name that the open page gave itself."""

    page: str
    transport: asyncio.Transport | None


class Live:
    """One per process. most: sockets at once. counts_readers: not on one's own machine."""

    def __init__(self, services: Services, most: int, *, counts_readers: bool = True) -> None:
        self._services = services
        self._most = most
        self._counts_readers = counts_readers
        self._watched: dict[int, Watched] = {}
        self._open: dict[str, list[CountedPage]] = {}
        services.changes.subscribe(Match, self._on_change)
        services.web.subscribe(self._close_page)

    def jobs(self) -> list[Job]:
        """Return the recurring work for open pages."""
        found = [
            Job("readers of pages", self.run_once, PRESENCE_SECONDS),
            Job("withheld reviews", self.offer_withheld, WITHHELD_SECONDS),
        ]
        if self._services.web.has_other_processes:
            found.append(Job("pages and other processes", self.follow_others, OTHERS_SECONDS))
        return found

    @property
    def sockets(self) -> int:
        return sum(len(places) for places in self._open.values())

    @contextmanager
    def admitted(
        self, visitor: Visitor, page: str = "", transport: asyncio.Transport | None = None
    ) -> Iterator[None]:
        """Count a socket of the visitor's inside the block; raises Refusal beyond the limits.

        page: the name that the open page gave itself. It has one socket: an earlier one, whose connection
        broke without a word, is closed. Otherwise a page in a bad network would use up its reader's places.
        """
        most = MAX_OF_ADDRESS if visitor.user_id is None or visitor.is_guest else MAX_OF_PERSON
        # Before the limits are checked: the page asks for its own place again.
        for earlier in [one for one in self._open.get(visitor.who, ()) if page and one.page == page]:
            self._free(visitor.who, earlier)
            if earlier.transport is not None:
                earlier.transport.abort()
        if self.sockets >= self._most:
            raise Unavailable("web_full")
        if self._counts_readers and len(self._open.get(visitor.who, ())) >= most:
            raise Refusal("web_too_many_pages", most=most)
        place = CountedPage(page, transport)
        self._open.setdefault(visitor.who, []).append(place)
        try:
            yield
        finally:
            self._free(visitor.who, place)

    def _free(self, who: str, place: CountedPage) -> None:
        """Count the socket no more, unless that was done before."""
        places = self._open.get(who, [])
        if place in places:
            places.remove(place)
        if not places:
            self._open.pop(who, None)

    async def watch(self, socket: Socket) -> asyncio.Task[None]:
        """Send the socket its match now and after every change; raises NotFound. Cancel the task to stop."""
        match = await self._services.matches.match(socket.page.match_id)
        check_readable(self._services, socket.page, match, socket.visitor)
        watched = self._watched.get(match.id)
        if watched is None:
            facts = await SeatFacts.load(self._services, match)
            # Another socket may have come first.
            watched = self._watched.setdefault(match.id, Watched(match, facts))
            watched.sockets.add(socket)
            # Changes from now on are told; one that was stored before is read.
            self._show(watched, await self._services.matches.match(match.id))
        watched.sockets.add(socket)
        socket.is_stale.set()
        self._start_review(watched)
        return asyncio.create_task(self._deliver(watched, socket))

    def leave(self, socket: Socket) -> None:
        """Forget a socket that was watching."""
        watched = self._watched.get(socket.page.match_id)
        if watched is None or socket not in watched.sockets:
            return
        watched.sockets.discard(socket)
        if not watched.sockets:
            del self._watched[socket.page.match_id]

    async def run_once(self) -> None:
        """Tell the pages who is there, and close sockets that take no message or may not read any more."""
        now = asyncio.get_running_loop().time()
        for watched in tuple(self._watched.values()):
            for socket in tuple(watched.sockets):
                try:
                    check_readable(self._services, socket.page, watched.match, socket.visitor)
                except NotFound:  # the server does not want sharing any more
                    self._services.background.spawn(socket.ws.close(code=1008))
                socket.full_since = None if socket.is_free() else socket.full_since or now
                if socket.full_since is not None and now - socket.full_since >= SLOW_SECONDS:
                    log.info("match %d: a slow reader is dropped", watched.match.id)
                    if socket.transport is not None:
                        socket.transport.abort()
            await self._tell_readiness(watched)
            seats = {socket.visitor.seat_in(watched.match) for socket in watched.sockets}
            # The only reader of an imported game is no watcher, even without a side in it.
            watching = (
                0
                if is_imported(watched.match.id)
                else [socket.visitor.seat_in(watched.match) for socket in watched.sockets].count(None)
            )
            presence = (watching, [player in seats for player in Player])
            if presence != watched.presence or now - watched.told_at > SILENCE_SECONDS - PRESENCE_SECONDS:
                watched.presence, watched.told_at = presence, now
                body = encoded({"type": "presence", "watching": watching, "here": presence[1]})
                await self._send_all(watched, body)

    async def _tell_readiness(self, watched: Watched) -> None:
        """Tell the pages how long compiling still takes for them, and when it is over."""
        is_waiting = bool(self._services.search.readiness.missing) and not watched.match.is_over
        if not is_waiting and not watched.is_waiting:
            return
        watched.is_waiting = is_waiting
        for socket in tuple(watched.sockets):
            found = document_of(self._services, socket.page, watched.match, socket.visitor, watched.facts)
            await socket.tell(
                type="ready", turn=found["turn"], status=found["status"], waits=found.get("waits")
            )

    async def offer_withheld(self) -> None:
        """Give the pages the reviews that were withheld, where they help nobody any more."""
        for watched in self._watched.values():
            if isinstance(watched.review, Refusal):
                self._start_review(watched)
            elif watched.review is not None:
                for socket in watched.sockets:
                    if not socket.has_review:
                        socket.is_stale.set()

    async def close(self) -> None:
        """Tell every page that the server restarts, and close the sockets."""
        body = encoded({"type": "bye", "reason": "restart", "final": False})

        async def end(socket: Socket) -> None:
            await socket.send(body)
            await socket.ws.close(code=1001)

        sockets = [socket for watched in self._watched.values() for socket in watched.sockets]
        ending = [asyncio.create_task(end(socket)) for socket in sockets]
        if ending:
            await asyncio.wait(ending, timeout=CLOSE_SECONDS)
        for socket, task in zip(sockets, ending, strict=True):
            # A reader that takes nothing must not hold up the end.
            if not task.done() and socket.transport is not None:
                socket.transport.abort()

    async def _send_all(self, watched: Watched, body: bytes) -> None:
        free = [socket for socket in watched.sockets if socket.is_free()]
        sent = [asyncio.create_task(socket.send(body)) for socket in free]
        if sent:
            # A slow reader must not keep the others waiting; its message goes on by itself.
            await asyncio.wait(sent, timeout=0.5)

    def _show(self, watched: Watched, match: Match) -> None:
        """Give the pages this version unless they have a newer one."""
        if match.version > watched.match.version:
            watched.match = match
            self._services.background.spawn(self._broadcast(watched))
            self._start_review(watched)
            if match.is_over:
                self._services.background.spawn(self._ask_to_rate(watched))

    async def _ask_to_rate(self, watched: Watched) -> None:
        """Ask each player here, once in their life, whether to rate the next match."""
        for socket in tuple(watched.sockets):
            user_id, t = socket.visitor.user_id, socket.visitor.t
            if user_id is None or is_guest(user_id) or socket.visitor.seat_in(watched.match) is None:
                continue
            if await self._services.settings.may_ask_to_rate(user_id):
                text = f"{t('rate_next')} {bare(t('rate_next_told'))}"
                await socket.tell(type="rate", text=text, yes=t("button_rate_yes"), no=t("button_rate_no"))

    def _on_change(self, changed: Changed[Match]) -> None:
        match = changed.after
        if (watched := self._watched.get(match.id)) is not None:
            self._show(watched, match)
        if changed.before is None and (before := self._watched.get(match.rematch_of or 0)) is not None:
            before.rematch = match.id
            self._services.background.spawn(self._lead_to(match, before))

    async def follow_others(self) -> None:
        """Show the changes of other processes: moves, rematches and withdrawn pages."""
        watched = dict(self._watched)
        if not watched:
            return
        for number, version, rematch_of in await self._services.web.versions(watched):
            before = watched.get(rematch_of or 0)
            if number in watched and version > watched[number].match.version:
                match = await self._services.matches.match(number)
                self._on_change(Changed(watched[number].match, match))
            # A page of the old match that is opened after the rematch began shows the old match.
            if before is not None and before.is_compared and before.rematch != number:
                self._on_change(Changed(None, await self._services.matches.match(number)))
            elif before is not None:
                before.rematch = number
        for one in watched.values():
            one.is_compared = True
        keys = {socket.page.key for one in watched.values() for socket in one.sockets}
        for key in keys - await self._services.web.existing(keys):
            self._close_page(key)

    def _close_page(self, key: str) -> None:
        """Close the sockets of a withdrawn page or an ended session.

        When they come back they are told that the page is gone, or watch it.
        """
        for watched in self._watched.values():
            for socket in watched.sockets:
                session = socket.visitor.session
                if socket.page.key == key or (session is not None and session.key == key):
                    self._services.background.spawn(socket.ws.close(code=1008))

    async def _lead_to(self, match: Match, before: Watched) -> None:
        """Send the players of a match on to their rematch."""
        try:
            page = await self._services.web.page_of_players(match.id)
        except Refusal as refusal:
            log.warning("match %d: its players were not sent to it: %s", match.id, refusal)
            return
        for socket in tuple(before.sockets):
            if socket.visitor.seat_in(match) is not None:
                await socket.tell(type="moved", to=f"/m/{page.key}")

    def _start_review(self, watched: Watched) -> None:
        """Have a finished match reviewed, once while it has pages; guests get no reviews."""
        if has_guest(watched.match):
            return
        if watched.match.is_over and watched.match.timed_moves and not watched.is_reviewed:
            watched.is_reviewed = True
            self._services.background.spawn(self._follow_review(watched))

    async def _follow_review(self, watched: Watched) -> None:
        """Give the pages each better review, unless it would help a player in another match."""
        try:
            seconds = self._services.reviews.seconds_until_ready(watched.match.game)
            if seconds is not None:
                raise Refusal("review_gets_ready", seconds=seconds)
            for seat in watched.match.seats:
                if seat.user_id is not None:
                    await self._check_player(watched.match, Person(seat.user_id, seat.name))
            async for review in self._services.reviews.steps(watched.match):
                watched.review = review
                watched.refresh()
        except Refusal as refusal:
            watched.is_reviewed, watched.review = False, refusal
            watched.refresh()

    async def _check_player(self, match: Match, person: Person) -> None:
        """Raise Refusal if the review would help that player elsewhere; its words are for all readers."""
        try:
            await self._services.allowed_help.check_reviewed(match, person)
        except MatchError:
            raise Refusal("review_waits") from None

    async def _broadcast(self, watched: Watched) -> None:
        """Write the newest document to every socket that takes it now, and leave the others to their tasks.

        That costs half of what a woken task a socket does. Presses go on after every few sockets.
        """
        frames: dict[bytes, bytes] = {}
        for number, socket in enumerate(tuple(watched.sockets), start=1):
            if socket.is_stale.is_set() or not socket.is_free():
                socket.is_stale.set()
            else:
                version, body = self._document(watched, socket)
                if version > socket.version and socket.transport is not None:
                    socket.version = version
                    # aiohttp's `send_frame` makes a frame for each socket, which costs a fifth more.
                    socket.transport.write(frames.get(body) or frames.setdefault(body, _frame_of(body)))
            if number % SOCKETS_AT_ONCE == 0:
                await asyncio.sleep(0)

    async def _deliver(self, watched: Watched, socket: Socket) -> None:
        review, told, is_answered = None, b"", False
        while True:
            await socket.is_stale.wait()
            socket.is_stale.clear()
            version, body = self._document(watched, socket)
            if version > socket.version:
                socket.version = version
                await socket.send(body)
            elif not is_answered:
                # The page waits for a word before it takes commands.
                await socket.tell(type="current")
            is_answered = True
            if watched.review is not review or (review is not None and not socket.has_review):
                review = watched.review
                before, told = told, await self._review(watched, socket)
                if told != before:
                    await socket.send(told)

    async def _review(self, watched: Watched, socket: Socket) -> bytes:
        """Return the best review as that reader may see it, or why they may not."""
        review = watched.review
        kind = kind_of(socket.page, watched.match, socket.visitor)
        user_id = socket.visitor.user_id
        if user_id is not None:
            # It would help somebody who only watches, too, in a rated match of their own.
            try:
                await self._services.allowed_help.check_reviewed(watched.match, Person(user_id, str(user_id)))
            except Refusal as refusal:
                review = refusal
        socket.has_review = not isinstance(review, Refusal)
        if isinstance(review, Refusal):
            told = await told_of(self._services, socket.visitor, review)
            return encoded({"type": "review", "review": None} | told)
        known, body = watched.reviews.get(kind, (None, b""))
        if review is not None and known is not review:
            found = review_of(
                self._services, socket.page, watched.match, socket.visitor, watched.facts, review
            )
            body = encoded({"type": "review", "review": found})
            watched.reviews[kind] = (review, body)
        return body

    def _document(self, watched: Watched, socket: Socket) -> tuple[int, bytes]:
        match, visitor = watched.match, socket.visitor
        kind = kind_of(socket.page, match, visitor)
        body = watched.documents.get(kind, match)
        if body is None:
            document = document_of(self._services, socket.page, match, visitor, watched.facts)
            body = watched.documents.keep(kind, match, encoded({"type": "match", "match": document}))
        return match.version, body


def _frame_of(body: bytes) -> bytes:
    """Return the body as one WebSocket frame of text (RFC 6455, section 5.2); a server masks nothing."""
    size = len(body)
    if size < 126:
        return bytes((0x81, size)) + body
    return bytes((0x81, 126 if size < 2**16 else 127)) + size.to_bytes(2 if size < 2**16 else 8, "big") + body
