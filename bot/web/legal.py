"""Terms of use and privacy, for the addresses that Discord asks an application for.

They stand there once the host has named a contact: no host is to be bound by a text they have not chosen.
"""

from __future__ import annotations

from aiohttp import web

from bot.web.assets import Assets
from bot.web.visitors import visitor_of

SECTIONS = {
    "terms": ("bot", "play", "host", "promise", "age", "data"),
    "privacy": ("host", "stored", "web", "purpose", "seen", "kept", "rights"),
}


class LegalPages:
    """One page each, the same for everybody who reads its language."""

    def __init__(self, assets: Assets) -> None:
        self._assets = assets

    def routes(self) -> list[web.RouteDef]:
        if self._assets.contact is None:
            return []
        return [web.get(f"/{name}", self._page) for name in SECTIONS]

    async def _page(self, request: web.Request) -> web.Response:
        t, name = visitor_of(request).t, request.path[1:]
        texts = [*(t(f"legal_{name}_{part}") for part in SECTIONS[name]), t("legal_contact")]
        title = t(f"legal_{name}")
        first = {
            "title": title,
            # A text's first line is its heading.
            "sections": [text.replace("`", "").split("\n", 1) for text in texts],
            "contact": self._assets.contact,
        }
        return self._assets.plain_page(t, "legal", first, f"{title} · Discade").answer(request)
