"""The page that takes a game from elsewhere, as a text or a file, and leads to its review."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from bot.domain.errors import NotFound, Refusal, SetupError
from bot.domain.person import Person
from bot.parts import Services
from bot.presentation.board_choices import board_choices
from bot.presentation.records import choices_of
from bot.services.imports import ANY_GAME, SIDES, Submission, WhichOne
from bot.web.answers import BODY_SECONDS, html_answer, json_answer, text_of
from bot.web.assets import Assets
from bot.web.documents import Visitor
from bot.web.security import Limits
from bot.web.visitors import visitor_of
from engine.records.record import PERSON

GAME_COST = 150.0
"""Milliseconds for a file: it is read in a thread, and reviewed."""


class GameReviews:
    """One per process. For the person at this machine and signed-in people; guests get no help."""

    def __init__(self, services: Services, assets: Assets, limits: Limits) -> None:
        self._services = services
        self._assets = assets
        self._limits = limits

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/review", self._page),
            web.get("/api/games", self._form),
            web.post("/api/games", self._take),
        ]

    async def _page(self, request: web.Request) -> web.Response:
        t, first = visitor_of(request).t, _form_for(visitor_of(request))
        return html_answer(self._assets.page(t, "review", f"{t('import_title')} · Discade", {"first": first}))

    async def _form(self, request: web.Request) -> web.Response:
        """The form alone, for a page in Discord's frame."""
        return json_answer(_form_for(visitor_of(request)))

    async def _take(self, request: web.Request) -> web.Response:
        """Lead to the review of the game in the body, or ask which one it is; raises Refusal."""
        visitor, query = visitor_of(request), request.query
        user_id = _check(visitor)
        asked = Submission.asked(
            game=query.get("game", ANY_GAME), side=query.get("side", "none"), number=query.get("number", "")
        )
        self._limits.take(visitor.who, GAME_COST)  # before the body, which may be a megabyte
        submitted = replace(asked, content=await _content_of(request), name=query.get("name") or None)
        return json_answer(await self._answered(visitor, user_id, submitted))

    async def _answered(self, visitor: Visitor, user_id: int, submitted: Submission) -> dict[str, Any]:
        """Return the way to the review, or the choices of a question; raises Refusal."""
        t, name = visitor.t, await self._services.web.name_of(user_id)
        if name is None and visitor.session is not None:
            name = visitor.session.name  # of a person who is new here, inside Discord
        person = Person(user_id, name or t("web_guest"))
        words = t("web_first_player"), t("web_second_player")
        try:
            match = await self._services.imports.take(person, submitted, words)
        except WhichOne as question:
            field = "game" if question.games else "number"
            return {"ask": field, "text": text_of(t, question), "choices": choices_of(t, question)}
        return {"to": f"/m/{(await self._services.web.page_of_players(match.id)).key}"}


def may_review(visitor: Visitor) -> bool:
    """Return whether the visitor may bring games: a guest's rated matches cannot be known."""
    return visitor.user_id is not None and not visitor.is_guest


def _check(visitor: Visitor) -> int:
    """Return the person's id; raises NotFound for strangers and guests."""
    if visitor.user_id is None or not may_review(visitor):
        raise NotFound("page_gone")
    return visitor.user_id


def _form_for(visitor: Visitor) -> dict[str, Any]:
    """Return the words and the choices of the form; raises NotFound for strangers and guests."""
    _check(visitor)
    t = visitor.t
    return {
        "title": t("import_title"),
        "fields": {key: t(f"import_field_{key}") for key in ("text", "file", "side", "game", "number")},
        "told": {key: t(f"import_told_{key}") for key in ("text", "file")},
        "tooLarge": t("import_too_large", most=PERSON.characters // 1024),
        "sides": [[side, t(f"import_side_{side}")] for side in SIDES],
        "games": [[ANY_GAME, t("import_any_game")], *board_choices(t)],
    }


async def _content_of(request: web.Request) -> bytes:
    """Return the body, which is longer than those of other requests; raises Refusal."""
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await request.clone(client_max_size=PERSON.bytes).read()
    except web.HTTPRequestEntityTooLarge:
        raise SetupError("import_too_large", most=PERSON.characters // 1024) from None
    # Chunks that are none, a lost connection, or a body that does not come.
    except (web.RequestPayloadError, HttpProcessingError, OSError, TimeoutError):
        raise Refusal("web_bad_message") from None
