"""The demo's page: simcord's preview with Discade's name, icon and colours.

Only a few words and style rules change. All of simcord's scripts and elements stay, since they depend on one
another; the controls for testing bots are hidden unless requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from aiohttp import web
from simcord.preview import Preview
from simcord.preview._server import PreviewServer

TITLE = "Discade"
STATIC = Path(__file__).parent / "static"
STYLE, HIDDEN = ((STATIC / name).read_text("utf-8") for name in ("page.css", "hidden.css"))

WORDS = {
    "<title>SimCord Preview</title>": (
        f'<title>{TITLE}</title>\n    <link rel="icon" type="image/svg+xml" href="/icon.svg">'
        '\n    <script type="module" src="/demo.js"></script>'
    ),
    '<span class="brand-mark" aria-hidden="true">S</span>': (
        '<img class="brand-mark" src="/icon.svg" alt="" width="30" height="30">'
    ),
    "<strong>SimCord</strong><small>Preview</small>": f"<strong>{TITLE}</strong><small>Demo</small>",
    'aria-label="SimCord preview"': f'aria-label="{TITLE} demo"',
    'Viewing as\n          <select id="viewer-picker" aria-label="Viewing as">': (
        'You are\n          <select id="viewer-picker" aria-label="You are">'
    ),
}
"""Replacements in simcord's page: its words -> ours."""

CHOICES = {
    "\nexport function renderSelect(": "\nconst offered = new Map();\nexport function renderSelect(",
    "  if (draftValue(key) === undefined) {\n    const initial =": "  {\n    const initial =",
    "    onInit?.(key, initial);\n  }": """
    const isKnown = component.type === TYPE.STRING_SELECT || Array.isArray(descriptor?.selected);
    const offer = isKnown ? JSON.stringify([component.type, initial]) : offered.get(key);
    if (draftValue(key) === undefined) onInit?.(key, initial);
    else if (dropdown?.key !== key && offered.get(key) !== offer) options.onReconcileDraft?.(key, initial);
    if (dropdown?.key !== key) offered.set(key, offer);
  }""",
}
"""Replacements in simcord's select script. On Discord a new select shows its own default choice; simcord
keeps the first choice made at that place, even when a list of people has replaced a list of levels."""


class DemoServer(PreviewServer):
    """Serves simcord's page with Discade's look. is_inspected: keep the controls for testing bots."""

    _STATIC_FILES: ClassVar[dict[str, str]] = {
        **PreviewServer._STATIC_FILES,
        "/icon.svg": "icon.svg",
        "/demo.js": "demo.js",
    }

    def __init__(self, preview: Preview, port: int, *, is_inspected: bool) -> None:
        super().__init__(preview, port)
        self._is_inspected = is_inspected

    async def _static(self, request: Any) -> Any:
        # Else a page elsewhere could let its own name point to this machine, and read and press as the host.
        if self.port is None or request.headers.get("Host", "") not in self._allowed_hosts():
            raise web.HTTPForbidden
        if request.path == "/icon.svg":
            return self._own("icon.svg", "image/svg+xml")
        if request.path == "/demo.js":
            return self._own("demo.js", "application/javascript")
        found = await super()._static(request)
        if request.path == "/":
            found.text = branded(found.text)
        elif request.path == "/selects.js":
            found.text = branded(found.text, CHOICES)
        elif request.path == "/preview.css":
            found.text += STYLE if self._is_inspected else STYLE + HIDDEN
        return found

    def _own(self, name: str, content_type: str) -> web.Response:
        text = (STATIC / name).read_text("utf-8")
        return web.Response(text=text, content_type=content_type, headers=self._SECURITY_HEADERS)


def branded(page: str, words: Mapping[str, str] = WORDS) -> str:
    """Return simcord's page with our words; raises ValueError if a word to replace is not on it."""
    for theirs, ours in words.items():
        if theirs not in page:
            raise ValueError(f"simcord's page has changed: {theirs!r} is not on it")
        page = page.replace(theirs, ours)
    return page
