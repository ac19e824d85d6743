"""The files of the pages: each is served under a name with a digest, so that browsers keep it for ever."""

from __future__ import annotations

import hashlib
import html
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Template
from typing import Any

from bot.domain.lru_dict import LruDict
from bot.i18n import Text
from bot.web.answers import Kept

FOLDER = Path(__file__).parent / "static"
TEMPLATE = "page.html"

TYPES = {
    ".js": "text/javascript",
    ".css": "text/css",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webmanifest": "application/manifest+json",
}

MAX_PLAIN = 64

WITHOUT_BAR = frozenset({"activity"})
"""Pages inside Discord's client, which has ways of its own."""

CLOSED = "closed"
"""The page at `/` on which its reader can begin no match."""

_MENTION = re.compile(r"""(?P<quote>["'(])\./(?P<name>[\w-]+\.(?:js|css|svg|png))(?=["')])""")
"""Another file of the folder, named in a file: `"./board.js"`."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file. mentions: the names of the files that it loads, and of those that these load."""

    path: str
    kept: Kept
    mentions: tuple[str, ...]


class Assets:
    """The files of a folder, read once. Modules must not import each other in a circle.

    can_play: whether a match can be begun at `/`. invite: the address at which the bot is added to a server.
    contact: of the host, where terms of use and privacy are to have pages.
    """

    def __init__(
        self,
        folder: Path = FOLDER,
        *,
        can_play: bool = True,
        invite: str | None = None,
        contact: str | None = None,
    ) -> None:
        self._folder = folder
        self.can_play = can_play
        self.invite = invite
        self.contact = contact
        self._files: dict[str, Asset] = {}
        for path in sorted(folder.iterdir()):
            if path.suffix in TYPES:
                self._load(path.name, ())
        self._plain: LruDict[tuple[str, str, str], Kept] = LruDict(MAX_PLAIN)
        self.by_path: Mapping[str, Asset] = {asset.path: asset for asset in self._files.values()}

    @cached_property
    def _template(self) -> Template:
        return Template((self._folder / TEMPLATE).read_text("utf-8"))

    def path_of(self, name: str) -> str:
        return self._files[name].path

    def page(
        self,
        t: Text,
        name: str,
        title: str,
        data: Mapping[str, Any],
        meta: Mapping[str, str] | None = None,
        *,
        game: str = "",
    ) -> str:
        """Return the HTML of a page that runs the module of that name.

        data: documents for it, by the id of their element; `session` if the reader is signed in. meta:
        properties for link previews. game: whose rules and new matches the head leads to.
        """
        script = self._files[f"{name}.js"]
        # Readers who are signed in play matches of Discord; they begin none here.
        can_play = self.can_play and name != CLOSED and "session" not in data
        head = [
            *(_tag("meta", property=key, content=value) for key, value in (meta or {}).items()),
            _tag("link", rel="icon", href=self.path_of("icon.svg")),
            _tag("link", rel="stylesheet", href=self.path_of("style.css")),
            *(
                _tag("link", rel="modulepreload", href=self.path_of(one))
                for one in script.mentions
                if one.endswith(".js")
            ),
            _tag("script", type="module", src=script.path) + "</script>",
        ]
        documents = (
            f'<script type="application/json" id="{key}">{_embedded(value)}</script>'
            for key, value in {**data, "texts": t.starting_with("page_")}.items()
        )
        return self._template.substitute(
            lang=t.language.replace("_", "-"),
            dir="rtl" if t.is_rtl else "ltr",
            title=html.escape(title),
            page=name,
            bar="" if name in WITHOUT_BAR else self._bar(t, game, can_play=can_play),
            head="\n".join(head),
            foot="" if name in WITHOUT_BAR else self._foot(t),
            data="\n".join(documents),
        )

    def _bar(self, t: Text, game: str, *, can_play: bool) -> str:
        """Return the head of the page: the way home, the rules, and a new match or the way to Discord."""
        icon = _tag("img", src=self.path_of("icon.svg"), alt="", width="36", height="36")
        links = [("button", f"/rules/{game}" if game else "/rules", t("page_rules"))]
        if can_play:
            links.append(("button main", f"/?game={game}" if game else "/", t("page_new_game")))
        elif self.invite is not None:
            links.append(("button main", self.invite, t("page_play_in_discord")))
        ways = "".join(
            _tag("a", **{"class": kind}, href=href) + html.escape(text) + "</a>" for kind, href, text in links
        )
        brand = f'<a class="brand" href="/">{icon}<span>Discade</span></a>'
        return f'<header class="bar">{brand}<nav>{ways}</nav></header>'

    def _foot(self, t: Text) -> str:
        """Return the foot of the page: the way to the terms of use and to privacy, where they have pages."""
        if self.contact is None:
            return ""
        titles = {"terms": t("legal_terms"), "privacy": t("legal_privacy")}
        ways = (f'<a href="/{name}">{html.escape(title)}</a>' for name, title in titles.items())
        return f'<footer class="foot">{"".join(ways)}</footer>'

    def plain_page(
        self, t: Text, name: str, first: object = None, title: str = "Discade", game: str = ""
    ) -> Kept:
        """Return a page that everybody who reads the language gets alike. first: its document."""
        key = (t.language, name, _embedded(first))
        if key not in self._plain:
            self._plain[key] = Kept.html(
                self.page(t, name, title, {} if first is None else {"first": first}, game=game)
            )
        return self._plain[key]

    def _load(self, name: str, above: Sequence[str]) -> Asset:
        if name in above:
            raise ValueError(f"{' → '.join((*above, name))}: these files load each other in a circle")
        if name in self._files:
            return self._files[name]
        file = self._folder / name
        body, mentions = file.read_bytes(), list[str]()
        if file.suffix in (".js", ".css"):

            def named(found: re.Match[str]) -> str:
                other = self._load(found["name"], (*above, name))
                mentions.extend((found["name"], *other.mentions))
                return f"{found['quote']}{other.path}"

            body = _MENTION.sub(named, body.decode("utf-8")).encode()
        digest = hashlib.sha256(body).hexdigest()[:16]
        path, kept = f"/static/{file.stem}.{digest}{file.suffix}", Kept.of(TYPES[file.suffix], body)
        made = Asset(path, kept, tuple(dict.fromkeys(mentions)))
        self._files[name] = made
        return made


def _tag(name: str, **attributes: str) -> str:
    written = "".join(f' {key}="{html.escape(value)}"' for key, value in attributes.items())
    return f"<{name}{written}>"


def _embedded(document: object) -> str:
    """Return the document as JSON that cannot end its element."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
