"""The demo's page: simcord's preview with Discade's name, icon and colours.

Only a few words and style rules change. All of simcord's scripts and elements stay, since they depend on one
another; the controls for testing bots are hidden unless requested.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from aiohttp import web
from simcord.preview import Preview
from simcord.preview._server import PreviewServer

TITLE = "Discade"

ICON = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<rect width="64" height="64" rx="16" fill="#2a5db4"/>
<circle cx="21" cy="21" r="10" fill="#db3740"/><circle cx="43" cy="21" r="10" fill="#ffd243"/>
<circle cx="21" cy="43" r="10" fill="#ffd243"/><circle cx="43" cy="43" r="10" fill="#db3740"/>
</svg>
"""

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
    const own = component.type === TYPE.STRING_SELECT ? initial : null;
    const offer = JSON.stringify([component.type, own]);
    if (draftValue(key) === undefined) onInit?.(key, initial);
    else if (dropdown?.key !== key && offered.get(key) !== offer) options.onReconcileDraft?.(key, initial);
    if (dropdown?.key !== key) offered.set(key, offer);
  }""",
}
"""Replacements in simcord's select script. On Discord a new select shows its own default choice; simcord
keeps the first choice made at that place, even when a list of people has replaced a list of levels."""

STYLE = """
/* As in Discord's web app, emoji are as high as their line, so that a board has no gaps. An emoji that is
   still loading shows nothing instead of its name. */
.custom-emoji { width: 1.375em; height: 1.375em; vertical-align: bottom; }
.custom-emoji:not([src]) { visibility: hidden; }
.brand-mark { background: none; border-radius: 8px; }
.preview-toolbar { background: #16244a; }
.preview-toolbar .preview-brand, .preview-toolbar .viewer-control { color: #f3f3f4; }
.preview-toolbar .preview-brand small { color: #c3cdea; }
@media (prefers-color-scheme: light) {
  :root {
    color-scheme: light; background: #fbfbfb; color: #2f3035;
    --discord-bg: #fbfbfb; --discord-surface: #f3f3f4; --discord-elevated: #ebebed;
    --discord-control: #e3e3e7; --discord-hover: #dcdce2; --discord-text: #2f3035;
    --discord-muted: #62636c; --discord-subtle: #4f5058; --discord-border: #d5d6dc;
    --component-surface: #ffffff; --component-border: #dfdfe3; --modal-surface: #ffffff;
    --modal-separator: #e3e3e7; --control-border: #cfcfd8; --chip-surface: #ebebed;
    --list-surface: #ffffff; --option-hover: #ededf0; --subtle-surface: #e3e3e7;
    --subtle-surface-text: #2f3035; --entity-text: #2f3035; --entity-dim: #62636c;
    --input-surface: #f3f3f4; --input-placeholder: #70717b; --modal-trigger-border: #cfcfd8;
    --choice-border: #8d8e98; --button-alt: #e3e3e7; --button-alt-hover: #d5d6dc;
    --button-alt-active: #cfcfd8; --code-surface: #ebebed; --code-border: #d5d6dc;
    --code-text: #2f3035; --embed-field-name: #2f3035; --link-text: #0b66c3; --link-accent: #0b66c3;
    --scrollbar-thumb: #b5b6bf; --disclaimer-bg: #fff4d9; --disclaimer-text: #2f3035;
    --button-secondary-surface: #e3e3e7;
  }
  .channel-message:hover, .channel-message:focus-within {
    background: #00000008; --button-secondary-surface: #dcdce2;
  }
  .button-style-2, .button-style-5, .button-style-6, .button-secondary, .link-button { color: #2f3035; }
  .button-style-2:hover:not(:disabled), .button-secondary:hover:not(:disabled),
  .button-style-5:hover:not(:disabled), .button-style-2:active:not(:disabled) { background: #cfcfd8; }
  .channel-composer, .channel-composer:has(.command-row) { background: #ebebed; }
  .channel-header { border-color: #dfdfe3; }
  .preview-stage { background: #fbfbfb; }
  .command-popup, .command-app-rail { background: #ffffff; }
  .preview-toolbar select { color: #2f3035; background: #ffffff; }
  .command-suggestion.is-active, .command-suggestion:hover,
  .command-entry.is-active, .command-entry:hover { background: #e3e3e7; }
  .command-entry-description, .command-popup-heading, .command-context,
  .command-context-detail { color: #62636c; }
  .message-content { color: #2f3035; }
  .mention, .command-mention { color: #3c45a5; background: #5865f226 !important; }
  .message-badge, .emoji-unavailable, .button-unavailable, .media-unavailable,
  .component-unavailable { color: #85540a; border-color: #85540a; }
  .field-error, .command-unavailable { color: #b3261e; }
  .channel-composer:has(.command-row) .send-message { color: #4450d8; }
}
@media (prefers-color-scheme: dark) {
  .preview-toolbar select { background: #0e1834; border-color: #3b4f87; }
}
"""
"""Discade's blue in the toolbar; below it Discord's own colours, light ones under a light theme."""

PLAIN = """
#messages-toggle, #messages-sidebar, #refresh, #capture-open, #inspector-toggle, .session-menu,
#layout-label, #view-action-output, #back-activity { display: none !important; }
#action-status { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media (max-width: 760px) {
  .preview-shell { --toolbar-height: 52px; }
  .preview-toolbar { justify-content: space-between; padding: 6px 12px; }
}
@media (max-width: 400px) {
  .preview-brand > span:last-child { display: block; }
  .viewer-control select { max-width: 8rem; }
}
"""
"""Hides the controls for testing bots; screen readers still announce the result of a press."""

SCRIPT = """// Offer choices before anything is typed, as Discord does; simcord waits for a letter.
let asked = "";
document.addEventListener("focusin", ({ target }) => {
  if (!(target instanceof HTMLInputElement) || !target.matches(".command-option-input")) return;
  const option = `${target.dataset.option} ${target.closest("form")?.textContent ?? ""}`;
  if (target.value || asked === option) return;
  asked = option;
  target.dispatchEvent(new Event("input", { bubbles: true }));
});

// Keep "in 3 minutes" counting from now; simcord counts from when the page was opened.
const said = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" });
const isRelative = /^(in |now$|this |tomorrow$|yesterday$|next |last )| ago$/;
const units = [["second", 1, 60], ["minute", 60, 3600], ["hour", 3600, 86400], ["day", 86400, Infinity]];
function count() {
  for (const time of document.querySelectorAll("time.discord-timestamp")) {
    if (!isRelative.test(time.textContent)) continue;
    const seconds = (Date.parse(time.dateTime) - Date.now()) / 1000;
    const [unit, size] = units.find(([, , end]) => Math.abs(seconds) < end);
    const text = said.format(Math.round(seconds / size), unit);
    if (time.textContent !== text) time.textContent = text;
  }
}
setInterval(count, 1000);
new MutationObserver(count).observe(document, { childList: true, subtree: true });
"""


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
        if self.port is None or request.headers.get("Host", "") not in self._allowed_hosts():
            raise web.HTTPForbidden
        if request.path == "/icon.svg":
            return self._own(ICON, "image/svg+xml")
        if request.path == "/demo.js":
            return self._own(SCRIPT, "application/javascript")
        found = await super()._static(request)
        if request.path == "/":
            found.text = branded(found.text)
        elif request.path == "/selects.js":
            found.text = branded(found.text, CHOICES)
        elif request.path == "/preview.css":
            found.text += STYLE if self._is_inspected else STYLE + PLAIN
        return found

    def _own(self, text: str, content_type: str) -> web.Response:
        return web.Response(text=text, content_type=content_type, headers=self._SECURITY_HEADERS)


def branded(page: str, words: Mapping[str, str] = WORDS) -> str:
    """Return simcord's page with our words; raises ValueError if a word to replace is not on it."""
    for theirs, ours in words.items():
        if theirs not in page:
            raise ValueError(f"simcord's page has changed: {theirs!r} is not on it")
        page = page.replace(theirs, ours)
    return page
