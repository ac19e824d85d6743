"""The catalogues: a folder of `.po` files for each language, their msgids being keys such as `your_turn`.

Each file has the texts of one subject, the same in every language. They are read once at start and never
written. A text names its parameters in braces, `{name}`; a text
that depends on a number has plural forms and is chosen by the parameter `n`.

In languages written from right to left every parameter and every line stands in an isolate of Unicode's
(Standard Annex 9, section 2.4.2): names, moves and numbers keep their order and move nothing around them,
and a sentence reads the right way also where the app lays messages out from left to right.
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
_OPENING = (LEFT_TO_RIGHT, RIGHT_TO_LEFT, OWN_DIRECTION)
RTL_MARK = "\u200f"
"""Before an isolate, whose letters do not count when an app guesses the direction of a paragraph."""

_PARAMETER = re.compile(r"(?P<code>`[^`]+`)|\]\([^)]*\)|<[^>]*>|(?P<parameter>\{\w+\})")
"""A parameter that people read, not one in code, which they copy, or in an address or mention."""

_MARKUP = re.compile(r"(?P<mark>#{1,3} |-# |[-*>] |\d+\. )?(?P<line>.+)")

_RTL_LETTER = re.compile(r"[\u0590-\u08ff]")


class UnknownText(KeyError):
    """No catalogue has this key: a mistake in the code, not of a person."""


class Text:
    """The texts of one language: `t("your_turn", name="Ada")`.

    What is missing in the language is taken from English. Parameters are put in as they are: names that
    people chose go through `plain` first.
    """

    def __init__(
        self,
        language: str,
        messages: gettext.NullTranslations,
        keys: Mapping[str, bool],
        *,
        is_rtl: bool = False,
    ) -> None:
        """keys: every key, and whether its text has plural forms. is_rtl: written from right to left."""
        self.language = language
        self.is_rtl = is_rtl
        self._messages = messages
        self._keys = keys

    def __call__(self, key: str, **params: object) -> str:
        """The text; raises UnknownText for an unknown key and KeyError for a missing parameter."""
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

    def percent(self, share: float) -> str:
        """0.62 as `62%` or `62 %`, as the language writes it."""
        return format_percent(round(share, 2), locale=self.language)

    def decimal(self, number: float) -> str:
        """A number with one digit behind its point or comma."""
        return _decimal(round(number, 1), self.language)

    def day(self, day: date) -> str:
        """A day without its year, such as `November 21`."""
        return format_skeleton("MMMMd", day, locale=self.language)

    def listed(self, names: Iterable[str]) -> str:
        """`A, B, and C`, as the language writes it."""
        return format_list(list(names), locale=self.language)

    def left_to_right(self, written: str) -> str:
        """A board's lines, or a command, in their order from left to right, whatever text stands around."""
        if not self.is_rtl:
            return written
        return "\n".join(_in_direction(line, LEFT_TO_RIGHT) for line in written.split("\n"))


@functools.lru_cache(maxsize=2000)
def _decimal(number: float, language: str) -> str:
    """Under every board stands how long its last move took, mostly a few seconds."""
    return format_decimal(number, locale=language)


def directed(text: str) -> str:
    """The text with every line that was put together from texts written from right to left going their way.

    Laid out from left to right, its parts would else change places.
    """
    return "\n".join(
        _in_direction(line, RTL_MARK + RIGHT_TO_LEFT)
        if RIGHT_TO_LEFT in line and not _is_whole(line)
        else line
        for line in text.split("\n")
    )


def in_own_direction(text: str) -> str:
    """A line that begins with a sign and goes on with what a person wrote: it goes the way of the writing."""
    return f"{OWN_DIRECTION}{text}{END_ISOLATE}" if _RTL_LETTER.search(text) else text


def _is_whole(line: str) -> bool:
    """Whether one isolate goes from the line's beginning, after its markup, to its end."""
    found = _MARKUP.fullmatch(line)
    if found is None or not found["line"].startswith(RTL_MARK + RIGHT_TO_LEFT):
        return False
    depth = 0
    for character in found["line"][len(RTL_MARK) : -1]:
        depth += character in _OPENING
        depth -= character == END_ISOLATE
        if depth == 0:
            return False
    return True


def _in_direction(line: str, direction: str) -> str:
    """The line isolated, but for what Discord must find at its beginning."""
    found = _MARKUP.fullmatch(line)
    if found is None or line.startswith("```"):
        return line
    return f"{found['mark'] or ''}{direction}{found['line']}{END_ISOLATE}"


class Texts:
    """The texts of every language there is a catalogue for."""

    def __init__(self, catalogs: Mapping[str, Catalog]) -> None:
        """catalogs: by language, `en` among them."""
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
        """Every language in the folder; raises OSError or ValueError when a catalogue cannot be read."""
        return cls({part.name: read_catalog(part) for part in language_folders(folder)})

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(self._texts)

    def of(self, locale: str) -> Text:
        """The texts for Discord's locale, such as `pt-BR`: that dialect, else its language, else English."""
        dialect = locale.replace("-", "_")
        language = dialect.partition("_")[0]
        return self._texts.get(dialect) or self._texts.get(language) or self._texts[FALLBACK]


@functools.cache
def english() -> Text:
    """The English texts, for what must be named while modules are imported: commands and their options."""
    return Texts({FALLBACK: read_catalog(FOLDER / FALLBACK)}).of(FALLBACK)


def language_folders(folder: Path = FOLDER) -> list[Path]:
    """The folders of the languages, each named by its language, such as `de` or `pt_BR`."""
    return sorted({path.parent for path in folder.glob("*/*.po")})


def read_catalog(folder: Path) -> Catalog:
    """All texts of one language; raises ValueError for a text that stands in two of its files."""
    whole = Catalog(locale=folder.name)
    for path in sorted(folder.glob("*.po")):
        with path.open("rb") as file:
            part = read_po(file, locale=folder.name, abort_invalid=True)
        whole.mime_headers = part.mime_headers  # how many plural forms, and when which
        for message in part:
            if not message.id:
                continue
            if message.id in whole:
                raise ValueError(f"{path}: {_key(message.id)} stands in another file already")
            whole[message.id] = message
    return whole


def _is_rtl(catalog: Catalog) -> bool:
    return catalog.locale is not None and catalog.locale.text_direction == "rtl"


def _isolated(catalog: Catalog) -> Catalog:
    """The catalogue with isolates around its texts' lines and parameters."""
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
    """A parameter in its own direction; code such as `/play` from left to right, its slash in front."""
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
