"""Signing in on the web: a personal link, and the press that exchanges it for a session."""

from __future__ import annotations

from aiohttp import web

from bot.domain.web_session import SESSION_LIFETIME
from bot.parts import Services
from bot.web.answers import body_of, json_answer
from bot.web.assets import Assets
from bot.web.security import cookie_name, is_secure, secret_of
from bot.web.visitors import visitor_of


class SessionPages:
    """One per process. Opening a link does nothing, so that previews and scanners do not use it up."""

    def __init__(self, services: Services, assets: Assets) -> None:
        self._services = services
        self._assets = assets

    def routes(self) -> list[web.RouteDef]:
        return [
            web.get("/play", self._play_page),
            web.post("/api/session", self._sign_in),
            web.delete("/api/session", self._sign_out),
        ]

    async def _play_page(self, request: web.Request) -> web.Response:
        return self._assets.plain_page(visitor_of(request).t, "play").answer(request)

    async def _sign_in(self, request: web.Request) -> web.Response:
        token = str((await body_of(request)).get("token"))
        page, secret = await self._services.web.open_link(token, secret_of(request))
        answer = json_answer({"to": f"/m/{page.key}"})
        answer.set_cookie(
            cookie_name(request), secret, max_age=int(SESSION_LIFETIME.total_seconds()), path="/",
            httponly=True, secure=is_secure(request), samesite="Lax",
        )  # fmt: skip
        return answer

    async def _sign_out(self, request: web.Request) -> web.Response:
        session = visitor_of(request).session
        if session is not None:
            await self._services.web.sign_out(session.key)
        answer = json_answer({})
        answer.del_cookie(
            cookie_name(request), path="/", httponly=True, secure=is_secure(request), samesite="Lax"
        )
        return answer
