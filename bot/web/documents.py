"""Documents of matches for each kind of reader, with the names and ratings that they may see."""

from __future__ import annotations

import json
import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from bot.domain.errors import NotFound
from bot.domain.guest import GUEST_STRENGTHS, has_guest, is_guest, is_unnamed
from bot.domain.imported import is_imported
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.names import CleanName
from bot.domain.person import Person
from bot.domain.rating import Record
from bot.domain.result import WITHOUT_RESULT
from bot.domain.strengths import PlainStrength, following, strengths
from bot.domain.training import blunders
from bot.domain.web_page import WebPage
from bot.domain.web_session import WebSession
from bot.i18n import Text
from bot.parts import Services
from bot.presentation import names
from bot.presentation.web_match import Reader, match_document, review_document, with_names_for
from bot.services.agent_search import seconds_until_ready
from engine.agents.levels import Level
from engine.analysis.review import Review
from engine.core import Player
from engine.games import spec_of

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

    @property
    def is_guest(self) -> bool:
        return is_guest(self.user_id)

    def seat_in(self, match: Match) -> Player | None:
        if self.user_id is None or not match.players_of(self.user_id):
            return None
        if self.session is not None and not is_imported(match.id) and not self.session.covers(match):
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
    """Raise NotFound unless the page is shared, or the visitor plays the match or is in its channel.

    An imported game is its owner's alone.
    """
    if is_imported(match.id) and match.begun_by == visitor.user_id:
        return
    is_shared = page.shared_by is not None and services.web.is_shareable(match)
    if not is_shared and visitor.seat_in(match) is None and not _is_in_room(visitor, match):
        raise services.web.page_gone()


def document_of(
    services: Services, page: WebPage, match: Match, visitor: Visitor, facts: SeatFacts
) -> dict[str, Any]:
    match, reader = _as_seen(services, page, match, visitor, facts)
    # Figures say nothing to strangers, nor to people who play without Discord until they play for a rating.
    is_stranger = page.shared_by is not None and reader.seat is None
    has_figures = not (is_stranger or is_imported(match.id)) and (
        match.rated or not any(is_unnamed(seat.user_id) for seat in match.seats)
    )
    records = facts.records if has_figures else ()
    now = services.clock()
    ready_in = seconds_until_ready(match, services.search.readiness, services.roster)
    document = match_document(
        visitor.t, match, page.key, reader, now, services.roster, records, ready_in=ready_in
    )
    if is_stranger and document["result"]:
        document["result"]["ratings"] = None
    word = None if reader.seat is None else following_of(services, match, reader.seat)
    if word is not None:
        key = "page_next" if _is_stronger(match, reader.seat) else "page_easier"
        document["next"] = visitor.t(key, strength=names.strength(visitor.t, word[0]))
    if visitor.is_guest:  # a hint could help in a rated match, which cannot be known
        document["viewer"]["may"] = [one for one in document["viewer"]["may"] if one != "hint"]
    elif match.is_over and reader.seat is not None and services.web.can_share(match):
        document["viewer"]["may"].append("share")
    waits = services.reviews.seconds_until_ready(match.game) if match.is_coached else None
    if waits is not None and reader.seat is not None and not match.is_over:
        document["waits"] = visitor.t("coach_gets_ready", seconds=waits)
    return document | {"epoch": services.web.epoch}


def following_of(services: Services, match: Match, seat: Player) -> tuple[PlainStrength, Level] | None:
    """Return the strength that a player goes on to: a stronger one, after a loss an easier one.

    None before the end, without a result or an agent, and where there is no such strength.
    """
    level = match.seats[seat.other].level
    if (
        match.result is None
        or match.result.end in WITHOUT_RESULT
        or level is None
        or match.seats[seat].is_agent
    ):
        return None
    allowed = services.levels.of(match.location.guild_id, match.game, match.board)
    found = following(match.game, match.board, level, allowed, is_stronger=_is_stronger(match, seat))
    if found is not None and has_guest(match):
        return found if found[1] in for_guests(match.game, match.board, allowed) else None
    return found


def for_guests(game: str, board: str, levels: Sequence[Level]) -> tuple[Level, ...]:
    """Return the levels that play against guests: those of the lowest strengths."""
    return tuple(strengths(game, board, levels).values())[:GUEST_STRENGTHS]


def _is_stronger(match: Match, seat: Player | None) -> bool:
    return match.result is not None and match.result.winner in (seat, None)


def review_of(
    services: Services, page: WebPage, match: Match, visitor: Visitor, facts: SeatFacts, review: Review
) -> dict[str, Any]:
    match, reader = _as_seen(services, page, match, visitor, facts)
    found = review_document(visitor.t, match, reader, review)
    if reader.seat is not None and visitor.user_id is not None and review.share == 1:
        is_trained = not (match.is_set_up or spec_of(match.game).is_old(match.board))
        if is_trained and blunders(review, match.players_of(visitor.user_id)):
            found["train"] = f"/puzzle?match={page.key}"
    return found


def seen_by(services: Services, page: WebPage, match: Match, visitor: Visitor, facts: SeatFacts) -> Match:
    """Return the match with the names that the visitor may see."""
    match, reader = _as_seen(services, page, match, visitor, facts)
    return with_names_for(visitor.t, match, reader)


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
