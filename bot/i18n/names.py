"""Makes texts written by strangers, such as display names, safe to repeat in a message."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

NAME_LENGTH = 32
"""As long as Discord lets a display name be."""

MOST_MARKS, MOST_EMOJI = 2, 5
"""Marks on one letter that writing needs, and emoji that still leave a name one."""

LAST_LETTERS = 0x2000
"""Above it are symbols, among them all emoji; symbols below it, such as ©, are no flood."""

JOINER = "\u200d"
"""Makes one emoji of several."""

NON_JOINER = "\u200c"
"""Parts two letters that would be joined, as Persian writes many words and names."""

_ARABIC = "[\u0620-\u064a\u0671-\u06d3\u06d5\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9]"
_STRAY = re.compile(f"(?<!{_ARABIC}){NON_JOINER}|{NON_JOINER}(?!{_ARABIC})")
"""One that parts nothing: it is not seen, so a name could pass for another's."""

_UNSEEN = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and a sign that are drawn as nothing, of which names are made that look empty."""

_SPECIAL = frozenset("\\*_~`|[]()<>#/@")
_LEADING = frozenset("-+>#")


@lru_cache(maxsize=4096)
def plain(name: str, length: int = NAME_LENGTH) -> str:
    """The name as Markdown that shows just the name: no styles, links, mentions, headings, quotes or lists.

    Control characters and those that turn the direction of the text around are dropped. `@` gets a
    zero-width space, since Discord looks for @everyone before it looks at backslashes.
    """
    text = shortened(tidy(name), length)
    escaped = "".join(_escape(character) for character in text)
    if escaped[:1] in _LEADING or escaped.partition(".")[0].isdecimal():
        escaped = "\u200b" + escaped
    return escaped or "?"


def shortened(text: str, length: int) -> str:
    """The text, cut with an ellipsis to at most `length` characters; for labels, which know no Markdown."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _escape(character: str) -> str:
    if character == "@":
        return "@\u200b"
    return "\\" + character if character in _SPECIAL else character


@lru_cache(maxsize=4096)
def tidy(name: str) -> str:
    """The name on one line and without floods: MOST_MARKS marks on one letter, MOST_EMOJI emoji in all.

    Control (Cc), surrogate (Cs) and format (Cf) characters are dropped, except emoji joiners and
    non-joiners between Arabic letters; letters that nobody sees are gaps. "" where nothing is left to see.
    """
    kept, marks, emoji = [], 0, 0
    written = _STRAY.sub("", "".join(map(_printable, name)))
    for character in unicodedata.normalize("NFC", " ".join(written.split())):
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        # A variation selector follows what it is about.
        emoji += category in ("So", "Sk") and ord(character) > LAST_LETTERS
        if marks <= MOST_MARKS and (emoji <= MOST_EMOJI or not _belongs_to_emoji(character, category)):
            kept.append(character)
    seen = "".join(kept).strip()
    return seen if any(unicodedata.category(character)[0] not in "MC" for character in seen) else ""


def _belongs_to_emoji(character: str, category: str) -> bool:
    return ord(character) > LAST_LETTERS and (category in ("So", "Sk", "Mn") or character == JOINER)


def _printable(character: str) -> str:
    if character in (JOINER, NON_JOINER):
        return character
    if character.isspace() or character in _UNSEEN:
        return " "
    return "" if unicodedata.category(character) in ("Cc", "Cf", "Cs") else character
