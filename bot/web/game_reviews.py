"""The page that takes a game from elsewhere, as a text or a file, and leads to its review."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from bot.domain.errors import NotFound, Refusal, SetupError
from bot.domain.person import Person
from bot.i18n import Text
from bot.parts import Services
from bot.presentation import names
from bot.presentation.records import line_of
from bot.services.checked_terms import checked_board, checked_game
from bot.services.imports import Submission, WhichGame
from bot.web.answers import BODY_SECONDS, html_answer, json_answer, text_of
from bot.web.assets import Assets
from bot.web.documents import Visitor
from bot.web.security import Limits
from bot.web.visitors import visitor_of
from engine.core import Player
from engine.games import GAMES
from engine.records.record import PERSON

GAME_COST = 150.0
"""Milliseconds for a file: it is read in a thread, and reviewed."""

SIDES: Mapping[str, Player | None] = {"none": None, "first": Player.FIRST, "second": Player.SECOND}


class GameReviews:
    """One per process. For the person at this machine and signed-in people; guests get no help."""

    def __init__(self, services: Services, assets: Assets, limits: Limits) -> None:
        self._services = services
        self._assets = assets
        self._limits = limits

    def routes(self) -> list[web.RouteDef]:
        return [web.get("/review", self._page), web.post("/api/games", self._take)]

    async def _page(self, request: web.Request) -> web.Response:
        visitor = visitor_of(request)
        _check(visitor)
        t, first = visitor.t, _form(visitor.t)
        return html_answer(self._assets.page(t, "review", f"{t('import_title')} · Discade", {"first": first}))

    async def _take(self, request: web.Request) -> web.Response:
        """Lead to the review of the game in the body, or ask which one it is; raises Refusal."""
        visitor, asked = visitor_of(request), request.query
        user_id = _check(visitor)
        side, number = asked.get("side", "none"), asked.get("number", "")
        if side not in SIDES:
            raise Refusal("web_bad_message")
        if number and not (number.isascii() and number.isdecimal() and len(number) < 7 and int(number)):
            raise SetupError("import_bad_number", number=number)
        game, _, board = asked.get("game", "").partition(" ")
        rules = checked_game(game) if game else None
        self._limits.take(visitor.who, GAME_COST)  # before the body, which may be a megabyte
        submitted = Submission(
            await _content_of(request),
            asked.get("name") or None,
            None if rules is None else rules.key,
            None if rules is None or not board else checked_board(rules, board),
            SIDES[side],
            int(number) if number else None,
        )
        return json_answer(await self._answered(visitor, user_id, submitted))

    async def _answered(self, visitor: Visitor, user_id: int, submitted: Submission) -> dict[str, Any]:
        """Return the way to the review, or the choices of a question; raises Refusal."""
        t, imports = visitor.t, self._services.imports
        try:
            records = await imports.read(submitted)
        except WhichGame as refusal:
            choices = [[key, names.game_title(t, key)] for key in refusal.games]
            return {"ask": "game", "text": text_of(t, refusal), "choices": choices}
        if len(records) > 1:
            numbered = [[str(place), f"{place}. {line_of(t, one)}"] for place, one in enumerate(records, 1)]
            question = t("import_which_number", n=len(records))
            return {"ask": "number", "text": question, "choices": numbered}
        name = await self._services.web.name_of(user_id) or t("web_guest")
        words = t("web_first_player"), t("web_second_player")
        match = await imports.add(Person(user_id, name), records[0], submitted.side, words)
        return {"to": f"/m/{(await self._services.web.page_of_players(match.id)).key}"}


def may_review(visitor: Visitor) -> bool:
    """Return whether the visitor may bring games: a guest's rated matches cannot be known."""
    return visitor.user_id is not None and not visitor.is_guest


def _check(visitor: Visitor) -> int:
    """Return the person's id; raises NotFound for strangers and guests."""
    if visitor.user_id is None or not may_review(visitor):
        raise NotFound("page_gone")
    return visitor.user_id


def _form(t: Text) -> dict[str, Any]:
    """Return the words and the choices of the form."""
    boards = [
        [f"{key} {board}", names.title(t, key, board)]
        for key, rules in GAMES.items()
        for board in rules.boards
    ]
    return {
        "title": t("import_title"),
        "fields": {key: t(f"import_field_{key}") for key in ("text", "file", "side", "game", "number")},
        "told": {key: t(f"import_told_{key}") for key in ("text", "file")},
        "tooLarge": t("import_too_large", most=PERSON.characters // 1024),
        "sides": [[side, t(f"import_side_{side}")] for side in SIDES],
        "games": [["", t("import_any_game")], *boards],
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
