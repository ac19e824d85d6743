"""Answers of the web server, and the bodies of requests to it."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiohttp import WSMessage, WSMsgType, web
from aiohttp.http_exceptions import HttpProcessingError

from bot.domain.errors import Refusal
from bot.i18n import Text
from bot.parts import Services
from bot.presentation.links import board_link
from bot.presentation.refusals import refusal_line
from bot.presentation.web_match import bare, without_commands
from bot.web.documents import Visitor, encoded

BODY_SECONDS = 10.0
"""How long a request may take to send its body."""

FOR_EVER = {"Cache-Control": "public, max-age=31536000, immutable"}


def text_of(t: Text, refusal: Refusal) -> str:
    return bare(without_commands(refusal_line(t, refusal) or t("page_failed")))


async def told_of(services: Services, visitor: Visitor, refusal: Refusal) -> dict[str, str]:
    """Return the key and text of the refusal, and a link to the match that is in the way, if one is."""
    told = {"reason": refusal.key, "text": text_of(visitor.t, refusal)}
    if refusal.in_the_way is not None:
        with suppress(Refusal):  # without the database the words are still true
            match = await services.matches.latest(refusal.in_the_way)
            # A session may be for another channel than the match's: then its board in Discord is the way.
            is_here = visitor.seat_in(match) is not None
            page = await services.web.page_of_players(match.id) if is_here else None
            address = board_link(match.location) if page is None else f"/m/{page.key}"
            if address is not None:
                told |= {"to": address, "go": visitor.t("button_go_to_it")}
    return told


@dataclass(frozen=True, slots=True)
class Kept:
    """A body that answers many requests, and the same packed."""

    type: str
    body: bytes
    packed: bytes

    @classmethod
    def html(cls, text: str) -> Kept:
        return cls.of("text/html", text.encode())

    @classmethod
    def json(cls, document: object) -> Kept:
        return cls.of("application/json", encoded(document))

    @classmethod
    def of(cls, kind: str, body: bytes) -> Kept:
        return cls(kind, body, gzip.compress(body, mtime=0))

    def answer(
        self, request: web.Request, headers: Mapping[str, str] | None = None, status: int = 200
    ) -> web.Response:
        headers, body = {"Vary": "Accept-Encoding", **(headers or {})}, self.body
        if "gzip" in request.headers.get("Accept-Encoding", ""):
            headers["Content-Encoding"], body = "gzip", self.packed
        charset = "utf-8" if self.type.startswith("text/") else None
        return web.Response(
            body=body, status=status, content_type=self.type, charset=charset, headers=headers
        )


def html_answer(text: str) -> web.Response:
    answer = web.Response(text=text, content_type="text/html")
    answer.enable_compression()
    return answer


def json_answer(document: object, headers: Mapping[str, str] | None = None) -> web.Response:
    answer = web.Response(body=encoded(document), content_type="application/json", headers=headers)
    answer.enable_compression()
    return answer


async def body_of(request: web.Request) -> dict[str, Any]:
    """Return the JSON object of a request; raises Refusal."""
    if request.content_type != "application/json":
        raise Refusal("web_bad_message")
    try:
        async with asyncio.timeout(BODY_SECONDS):
            text = await request.text()
    # No UTF-8, an unknown charset or encoding, chunks that are none, or a body that does not come.
    except (ValueError, LookupError, web.RequestPayloadError, HttpProcessingError, OSError, TimeoutError):
        raise Refusal("web_bad_message") from None
    return _object(text)


def whole_of(asked: Mapping[str, Any], name: str) -> int:
    """Return a number of the body, as databases store them; raises Refusal for anything else."""
    number = asked.get(name)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < 2**31:
        raise Refusal("web_bad_message")
    return number


def content_of(message: WSMessage) -> dict[str, Any]:
    """Return the JSON object of a message; raises Refusal for anything else."""
    if message.type is not WSMsgType.TEXT:
        raise Refusal("web_bad_message")
    return _object(message.data)


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
        encoded(found)  # raises UnicodeEncodeError, a ValueError, for a lone surrogate
    except (ValueError, RecursionError):
        raise Refusal("web_bad_message") from None
    if not isinstance(found, dict):
        raise Refusal("web_bad_message")
    return found
