"""Makes untrusted texts, such as display names, safe to repeat in a message."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

NAME_LENGTH = 32
"""Discord's limit for a display name."""

MOST_MARKS, MOST_EMOJI = 2, 5
"""How many marks one letter and how many emoji one name may have."""

LAST_LETTERS = 0x2000
"""First code point of the blocks that hold all emoji; earlier symbols, such as ©, are not limited."""

JOINER = "\u200d"
"""Joins several emoji into one."""

NON_JOINER = "\u200c"
"""Separates two letters that would be joined; Persian needs it in many words and names."""

_ARABIC = "[\u0620-\u064a\u0671-\u06d3\u06d5\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9]"
_STRAY = re.compile(f"(?<!{_ARABIC}){NON_JOINER}|{NON_JOINER}(?!{_ARABIC})")
"""A non-joiner without effect. It is invisible, so one name could imitate another with it."""

_UNSEEN = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Invisible letters and symbols, used to make names that look empty."""

_SPECIAL = frozenset("\\*_~`|[]()<>#/@")
_LEADING = frozenset("-+>#")


@lru_cache(maxsize=4096)
def plain(name: str, length: int = NAME_LENGTH) -> str:
    """Escape the name as Markdown: no styles, links, mentions, headings, quotes or lists.

    Control characters and characters that change the text's direction are dropped. `@` gets a zero-width
    space, because Discord detects @everyone before it handles backslashes.
    """
    text = shortened(tidy(name), length)
    escaped = "".join(_escape(character) for character in text)
    if escaped[:1] in _LEADING or escaped.partition(".")[0].isdecimal():
        escaped = "\u200b" + escaped
    return escaped or "?"


def shortened(text: str, length: int) -> str:
    """Cut the text with an ellipsis to at most `length` characters; for labels without Markdown."""
    return text if len(text) <= length else text[: length - 1].rstrip() + "…"


def _escape(character: str) -> str:
    if character == "@":
        return "@\u200b"
    return "\\" + character if character in _SPECIAL else character


@lru_cache(maxsize=4096)
def tidy(name: str) -> str:
    """Put the name on one line, with at most MOST_MARKS marks on a letter and MOST_EMOJI emoji.

    Control (Cc), surrogate (Cs) and format (Cf) characters are dropped, except emoji joiners and
    non-joiners between Arabic letters. Invisible letters become spaces. Returns "" if nothing is visible.
    """
    kept, marks, emoji = [], 0, 0
    written = _STRAY.sub("", "".join(map(_printable, name)))
    for character in unicodedata.normalize("NFC", " ".join(written.split())):
        category = unicodedata.category(character)
        marks = marks + 1 if category in ("Mn", "Me") else 0
        # A variation selector follows its emoji and is kept or dropped with it.
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
