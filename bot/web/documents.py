"""Documents of matches for each kind of reader, with the names and ratings that they may see."""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from bot.domain.errors import NotFound
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.names import CleanName
from bot.domain.person import Person
from bot.domain.rating import Record
from bot.domain.web_page import WebPage
from bot.domain.web_session import WebSession
from bot.i18n import Text
from bot.parts import Services
from bot.presentation.web_match import Reader, match_document, review_document, with_hidden_names
from engine.analysis.review import Review
from engine.core import Player

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Visitor:
    """The reader of a page. user_id: None for a stranger. who: the person or address that is limited.

    session: says which of the person's matches they play here; None for all of them.
    """

    t: Text
    who: str
    user_id: int | None = None
    session: WebSession | None = None

    def seat_in(self, match: Match) -> Player | None:
        if self.user_id is None or not match.players_of(self.user_id):
            return None
        if self.session is not None and not self.session.covers(match):
            return None
        return match.player_of(self.user_id)

    def person_in(self, match: Match) -> Person:
        """Return the player of the match; raises NotFound for others."""
        seat = self.seat_in(match)
        if seat is None or self.user_id is None:
            raise NotFound("web_only_watching")
        return Person(self.user_id, match.seats[seat].name, match.seats[seat].account)


@dataclass(frozen=True, slots=True)
class SeatFacts:
    """The facts about a match that no move changes."""

    records: tuple[Record, Record]
    names: Mapping[int, CleanName]

    @classmethod
    async def load(cls, services: Services, match: Match) -> SeatFacts:
        return cls(await services.web.records(match), await services.web.names(match))


FRESH_SECONDS = 0.5
"""How long a document serves other readers of the same kind: it carries the time at which clocks stood so."""

MAX_KINDS = 256

ReaderKind = tuple[Hashable, ...]
"""All that makes a difference for readers, such as the page, the reader's seat and their language."""


def kind_of(page: WebPage, match: Match, visitor: Visitor) -> ReaderKind:
    return page.key, visitor.seat_in(match), visitor.t.language


class Fresh(Generic[T]):
    """What was made of a match for each kind of reader, as long as it serves others of that kind."""

    def __init__(self) -> None:
        self._made: LruDict[ReaderKind, tuple[int, float, T]] = LruDict(MAX_KINDS)

    def get(self, kind: ReaderKind, match: Match) -> T | None:
        """Return it unless it is of another version of the match, or too old."""
        version, made_at, made = self._made.get(kind, (None, 0.0, None))
        return made if version == match.version and time.monotonic() - made_at <= FRESH_SECONDS else None

    def keep(self, kind: ReaderKind, match: Match, made: T) -> T:
        self._made[kind] = (match.version, time.monotonic(), made)
        return made


def check_readable(services: Services, page: WebPage, match: Match, visitor: Visitor) -> None:
    """Raise NotFound unless the page is shared, or the visitor plays the match or is in its channel."""
    is_shared = page.shared_by is not None and services.web.is_shareable(match)
    if not is_shared and visitor.seat_in(match) is None and not _is_in_room(visitor, match):
        raise NotFound("page_gone")


def document_of(
    services: Services, page: WebPage, match: Match, visitor: Visitor, facts: SeatFacts
) -> dict[str, Any]:
    match, reader = _as_seen(services, page, match, visitor, facts)
    records = facts.records
    now = services.clock()
    document = match_document(visitor.t, match, page.key, reader, now, services.roster, records)
    return document | {"epoch": services.web.epoch}


def review_of(
    services: Services, page: WebPage, match: Match, visitor: Visitor, facts: SeatFacts, review: Review
) -> dict[str, Any]:
    match, reader = _as_seen(services, page, match, visitor, facts)
    return review_document(visitor.t, match, reader, review)


def seen_by(services: Services, page: WebPage, match: Match, visitor: Visitor, facts: SeatFacts) -> Match:
    """Return the match with the names that the visitor may see."""
    match, reader = _as_seen(services, page, match, visitor, facts)
    return with_hidden_names(visitor.t, match, reader)


def _as_seen(
    services: Services, page: WebPage, match: Match, visitor: Visitor, facts: SeatFacts
) -> tuple[Match, Reader]:
    seat = visitor.seat_in(match)
    if seat is not None:
        return match, Reader(seat)
    if page.shared_by is None and _is_in_room(visitor, match):
        return match, Reader(None)
    hidden = [player for player in Player if not services.web.may_be_named(page, match.seats[player].user_id)]
    return match.called(facts.names), Reader(None, tuple(hidden))


def _is_in_room(visitor: Visitor, match: Match) -> bool:
    session = visitor.session
    return session is not None and session.room is not None and session.covers(match)


def encoded(document: object) -> bytes:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode()
