"""The text catalogues: a folder of `.po` files for each language, with keys such as `your_turn` as msgids.

Each file has the texts of one subject, with the same file names in every language. They are read once, at
start. A text names its parameters in braces, `{name}`. A text that depends on a number has plural forms,
chosen by the parameter `n`.

In right-to-left languages every parameter and every line is wrapped in a Unicode isolate (Standard Annex 9,
section 2.4.2). Names, moves and numbers then keep their order without moving the words around them, and a
sentence reads correctly even if the app lays messages out from left to right.
"""

from __future__ import annotations

import functools
import gettext
import io
import re
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Self

from babel.dates import format_skeleton
from babel.lists import format_list
from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from babel.numbers import format_decimal, format_percent

FOLDER = Path(__file__).parent
FALLBACK = "en"

LEFT_TO_RIGHT, RIGHT_TO_LEFT, OWN_DIRECTION, END_ISOLATE = "\u2066", "\u2067", "\u2068", "\u2069"
OPENING_ISOLATES = (LEFT_TO_RIGHT, RIGHT_TO_LEFT, OWN_DIRECTION)
RTL_MARK = "\u200f"
"""Goes before an isolate, because apps ignore isolated letters when they guess a paragraph's direction."""

_PARAMETER = re.compile(r"(?P<code>`[^`]+`)|\]\([^)]*\)|<[^>]*>|(?P<parameter>\{\w+\})")
"""A parameter in running text, not one in code, an address or a mention."""

_MARKUP = re.compile(r"(?P<mark>#{1,3} |-# |[-*>] |\d+\. )?(?P<line>.+)")

_RTL_LETTER = re.compile(r"[\u0590-\u08ff]")


class UnknownText(KeyError):
    """No catalogue has this key, which is a bug in the code."""


class Text:
    """The texts of one language: `t("your_turn", name="Ada")`.

    Missing texts fall back to English. Parameters are inserted unchanged: pass names chosen by users through
    `plain` first.
    """

    def __init__(
        self,
        language: str,
        messages: gettext.NullTranslations,
        keys: Mapping[str, bool],
        *,
        is_rtl: bool = False,
    ) -> None:
        """keys: each key, and whether its text has plural forms. is_rtl: the language reads right to left."""
        self.language = language
        self.is_rtl = is_rtl
        self._messages = messages
        self._keys = keys

    def __call__(self, key: str, **params: object) -> str:
        """Return the text; raises UnknownText for an unknown key and KeyError for a missing parameter."""
        has_plural = self._keys.get(key)
        if has_plural is None:
            raise UnknownText(key)
        if has_plural:
            number = params["n"]
            if not isinstance(number, int):
                raise TypeError(f"{key}: n must be a whole number, not {number!r}")
            template = self._messages.ngettext(key, key, number)
        else:
            template = self._messages.gettext(key)
        return template.format_map(params)

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def starting_with(self, prefix: str) -> dict[str, str]:
        """Return the texts of these keys with their parameters in braces, for a page to fill in."""
        keys = (key for key, has_plural in self._keys.items() if key.startswith(prefix) and not has_plural)
        return {key: self._messages.gettext(key) for key in keys}

    def percent(self, share: float) -> str:
        """0.62 as `62%` or `62 %`, depending on the language."""
        return format_percent(round(share, 2), locale=self.language)

    def decimal(self, number: float) -> str:
        """A number with one digit after its point or comma."""
        return _decimal(round(number, 1), self.language)

    def day(self, day: date) -> str:
        """A date without its year, such as `November 21`."""
        return format_skeleton("MMMMd", day, locale=self.language)

    def listed(self, names: Iterable[str]) -> str:
        """`A, B, and C` in the language's punctuation."""
        return format_list(list(names), locale=self.language)

    def left_to_right(self, written: str) -> str:
        """Keep the text's lines, such as a board or a command, in left-to-right order inside any text."""
        if not self.is_rtl:
            return written
        return "\n".join(_in_direction(line, LEFT_TO_RIGHT) for line in written.split("\n"))


@functools.lru_cache(maxsize=2000)
def _decimal(number: float, language: str) -> str:
    """Cached, because every board shows the time of its last move, mostly a few seconds."""
    return format_decimal(number, locale=language)


def directed(text: str) -> str:
    """Isolate every line that joins several right-to-left texts.

    Without it, a left-to-right layout would swap the parts of such a line.
    """
    return "\n".join(
        _in_direction(line, RTL_MARK + RIGHT_TO_LEFT)
        if RIGHT_TO_LEFT in line and not _is_whole(line)
        else line
        for line in text.split("\n")
    )


def in_own_direction(text: str) -> str:
    """Isolate a line that starts with a symbol and continues with a user's text, in that text's direction."""
    return f"{OWN_DIRECTION}{text}{END_ISOLATE}" if _RTL_LETTER.search(text) else text


def _is_whole(line: str) -> bool:
    """Whether a single isolate covers the line from its markup to its end."""
    found = _MARKUP.fullmatch(line)
    if found is None or not found["line"].startswith(RTL_MARK + RIGHT_TO_LEFT):
        return False
    depth = 0
    for character in found["line"][len(RTL_MARK) : -1]:
        depth += character in OPENING_ISOLATES
        depth -= character == END_ISOLATE
        if depth == 0:
            return False
    return True


def _in_direction(line: str, direction: str) -> str:
    """Isolate the line, except for the Markdown that Discord expects at its start."""
    found = _MARKUP.fullmatch(line)
    if found is None or line.startswith("```"):
        return line
    return f"{found['mark'] or ''}{direction}{found['line']}{END_ISOLATE}"


class Texts:
    """The texts of every language that has a catalogue."""

    def __init__(self, catalogs: Mapping[str, Catalog]) -> None:
        """catalogs: by language; `en` is required."""
        english = catalogs[FALLBACK]
        keys = MappingProxyType({_key(message.id): message.pluralizable for message in english if message.id})
        fallback = _translations(english)
        self._texts: dict[str, Text] = {}
        for language, catalog in catalogs.items():
            messages, is_rtl = fallback, _is_rtl(catalog)
            if language != FALLBACK:
                messages = _translations(_isolated(catalog) if is_rtl else catalog)
                messages.add_fallback(fallback)
            extra = {_key(message.id): message.pluralizable for message in catalog if message.id}
            self._texts[language] = Text(
                language, messages, MappingProxyType({**extra, **keys}), is_rtl=is_rtl
            )

    @classmethod
    def load(cls, folder: Path = FOLDER) -> Self:
        """Load every language in the folder; raises OSError or ValueError if a catalogue is unreadable."""
        return cls({part.name: read_catalog(part) for part in language_folders(folder)})

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self._texts)

    def of(self, locale: str) -> Text:
        """Return the texts for a Discord locale such as `pt-BR`: the dialect, its language, or English."""
        dialect = locale.replace("-", "_")
        language = dialect.partition("_")[0]
        return self._texts.get(dialect) or self._texts.get(language) or self._texts[FALLBACK]


@functools.cache
def english() -> Text:
    """Return the English texts, for names that imports need: commands and their options."""
    return Texts({FALLBACK: read_catalog(FOLDER / FALLBACK)}).of(FALLBACK)


def language_folders(folder: Path = FOLDER) -> list[Path]:
    """Return the languages' folders, each named after its language, such as `de` or `pt_BR`."""
    return sorted({path.parent for path in folder.glob("*/*.po")})


def read_catalog(folder: Path) -> Catalog:
    """Read all texts of one language; raises ValueError for a key that is in two files."""
    whole = Catalog(locale=folder.name)
    for path in sorted(folder.glob("*.po")):
        with path.open("rb") as file:
            part = read_po(file, locale=folder.name, abort_invalid=True)
        whole.mime_headers = part.mime_headers  # they hold the plural rule
        for message in part:
            if not message.id:
                continue
            if message.id in whole:
                raise ValueError(f"{path}: {_key(message.id)} is already in another file")
            whole[message.id] = message
    return whole


def _is_rtl(catalog: Catalog) -> bool:
    return catalog.locale is not None and catalog.locale.text_direction == "rtl"


def _isolated(catalog: Catalog) -> Catalog:
    """Return the catalogue with isolates around the lines and parameters of its texts."""
    isolated = Catalog(locale=catalog.locale)
    isolated.mime_headers = catalog.mime_headers
    for message in catalog:
        if message.id:
            forms = message.string
            isolated[message.id] = Message(
                message.id,
                _with_isolates(forms)
                if isinstance(forms, str)
                else tuple(_with_isolates(form) for form in forms or ()),
            )
    return isolated


def _with_isolates(form: str) -> str:
    parted = _PARAMETER.sub(_isolate, form)
    return "\n".join(
        _in_direction(line, RTL_MARK + RIGHT_TO_LEFT) if _RTL_LETTER.search(line) else line
        for line in parted.split("\n")
    )


def _isolate(found: re.Match[str]) -> str:
    """Isolate a parameter in its own direction, and code such as `/play` from left to right."""
    if found["parameter"] is not None:
        return f"{OWN_DIRECTION}{found[0]}{END_ISOLATE}"
    return found[0] if found["code"] is None else f"{LEFT_TO_RIGHT}{found[0]}{END_ISOLATE}"


def _translations(catalog: Catalog) -> gettext.GNUTranslations:
    binary = io.BytesIO()
    write_mo(binary, catalog)
    binary.seek(0)
    return gettext.GNUTranslations(binary)


def _key(message_id: object) -> str:
    return str(message_id[0] if isinstance(message_id, (tuple, list)) else message_id)
