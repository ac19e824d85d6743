"""Pages of matches, their documents, and the files that they load."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from aiohttp import web

from bot.domain.errors import NotFound
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.web_page import WebPage
from bot.parts import Services
from bot.presentation import status
from bot.presentation.picture import draw_picture
from bot.presentation.records import file_of
from bot.presentation.web_board import description_of
from bot.presentation.web_match import bare, replay_document
from bot.services.checked_terms import board_read
from bot.web.answers import FOR_EVER, Kept
from bot.web.assets import Assets
from bot.web.documents import (
    Fresh,
    ReaderKind,
    SeatFacts,
    Visitor,
    check_readable,
    document_of,
    kind_of,
    seen_by,
)
from bot.web.security import MESSAGE_COST, PAGE_COST, Limits
from bot.web.visitors import visitor_of

MAX_PICTURES, MAX_REPLAYS, MAX_BOARDS = 64, 16, 64


class MatchPages:
    """One per process."""

    def __init__(self, services: Services, assets: Assets, limits: Limits) -> None:
        self._services = services
        self._assets = assets
        self._limits = limits
        self._answers: Fresh[asyncio.Task[Kept]] = Fresh()
        self._pictures: LruDict[tuple[int, int], bytes] = LruDict(MAX_PICTURES)
        self._replays: LruDict[tuple[int, int], Kept] = LruDict(MAX_REPLAYS)
        self._boards: LruDict[str, Kept] = LruDict(MAX_BOARDS)

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/m/{key}", self._match_page),
            web.get("/m/{key}/picture.png", self._picture),
            web.get("/api/matches/{key}", self._match),
            web.get("/api/matches/{key}/replay", self._replay),
            web.get("/api/matches/{key}/file", self._file),
            web.get("/boards/{game}/{board}.json", self._board),
            web.get("/static/{name}", self._static),
        ]

    async def _opened(self, request: web.Request) -> tuple[WebPage, Match, Visitor]:
        """Return the page of the request; raises NotFound unless the visitor may read it."""
        visitor = visitor_of(request)
        page = await self._services.web.page(request.match_info["key"])
        match = await self._services.matches.match(page.match_id)
        check_readable(self._services, page, match, visitor)
        return page, match, visitor

    async def _match_page(self, request: web.Request) -> web.Response:
        page, match, visitor = await self._opened(request)
        origin = self._services.web.url or f"{request.scheme}://{request.host}"
        kind = (*kind_of(page, match, visitor), visitor.session is not None, origin)
        made = await self._shared(kind, match, visitor, lambda: self._made_page(page, match, visitor, origin))
        return made.answer(request)

    async def _shared(
        self, kind: ReaderKind, match: Match, visitor: Visitor, make: Callable[[], Coroutine[Any, Any, Kept]]
    ) -> Kept:
        """Return the answer for readers of that kind, made once for all who ask meanwhile."""
        making = self._answers.get(kind, match)
        if making is None:
            self._limits.charge(visitor.who, PAGE_COST)  # the work of another task
            making = self._answers.keep(kind, match, asyncio.create_task(make()))
        return await asyncio.shield(making)

    async def _made_page(self, page: WebPage, match: Match, visitor: Visitor, origin: str) -> Kept:
        facts = await SeatFacts.load(self._services, match)
        document = document_of(self._services, page, match, visitor, facts)
        title = bare(status.pairing(visitor.t, seen_by(self._services, page, match, visitor, facts)))
        data: dict[str, Any] = {"first": document, "board": description_of(match.game, match.board)}
        if visitor.session is not None:
            data["session"] = True
        preview = {"og:title": title, "og:image": f"{origin}/m/{page.key}/picture.png", "og:type": "website"}
        return Kept.html(self._assets.page(visitor.t, "match", title, data, preview, game=match.game))

    async def _picture(self, request: web.Request) -> web.Response:
        """The board as the bot draws it in Discord, for link previews."""
        _, match, visitor = await self._opened(request)
        key, drawn = (match.id, match.version), self._pictures.get((match.id, match.version))
        if drawn is None:
            self._limits.take(visitor.who, MESSAGE_COST)
            drawn = await asyncio.to_thread(draw_picture, match.game, match.state, status.marks(match))
            self._pictures[key] = drawn
        return web.Response(body=drawn, content_type="image/png", headers={"Cache-Control": "no-cache"})

    async def _match(self, request: web.Request) -> web.Response:
        page, match, visitor = await self._opened(request)
        kind = kind_of(page, match, visitor)
        made = await self._shared(kind, match, visitor, lambda: self._made_document(page, match, visitor))
        return made.answer(request)

    async def _made_document(self, page: WebPage, match: Match, visitor: Visitor) -> Kept:
        facts = await SeatFacts.load(self._services, match)
        return Kept.json(document_of(self._services, page, match, visitor, facts))

    async def _replay(self, request: web.Request) -> web.Response:
        _, match, visitor = await self._opened(request)
        match.check_reviewable()
        known = self._replays.get((match.id, match.version))
        if known is None:
            self._limits.take(visitor.who, MESSAGE_COST)
            known = Kept.json(await asyncio.to_thread(replay_document, match))
            self._replays[match.id, match.version] = known
        return known.answer(request)

    async def _file(self, request: web.Request) -> web.Response:
        """The finished match for other programs, with the names that this visitor sees."""
        page, match, visitor = await self._opened(request)
        match.check_reviewable()
        self._limits.take(visitor.who, MESSAGE_COST)
        facts = await SeatFacts.load(self._services, match)
        seen = seen_by(self._services, page, match, visitor, facts)
        written = await asyncio.to_thread(file_of, seen)
        headers = {
            "Content-Disposition": f'attachment; filename="{written.name}"',
            "Cache-Control": "no-cache",
        }
        return web.Response(text=written.text, content_type="text/plain", charset="utf-8", headers=headers)

    async def _board(self, request: web.Request) -> web.Response:
        game, (board, _, digest) = request.match_info["game"], request.match_info["board"].partition(".")
        known = board_read(game, board)
        if known is None or digest != (description := description_of(game, known))["digest"]:
            raise NotFound("page_gone")
        if digest not in self._boards:
            self._boards[digest] = Kept.json(description)
        return self._boards[digest].answer(request, FOR_EVER)

    async def _static(self, request: web.Request) -> web.Response:
        asset = self._assets.by_path.get(request.path)
        if asset is None:
            raise NotFound("page_gone")
        return asset.kept.answer(request, FOR_EVER)
