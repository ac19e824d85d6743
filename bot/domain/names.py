"""Names that people, servers and other people's agents choose, cleaned so that none disturbs another text."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import NewType

import regex

CleanName = NewType("CleanName", str)
"""A name as `clean` returns it: visible, on one line, without floods. Not escaped yet: `bot.i18n.plain`."""

LONGEST_NAME = 100
"""Characters of a name, as the database stores it. Discord's own limit for a display name is 32."""

MOST_MARKS, MOST_EMOJI, LONGEST_EMOJI = 2, 5, 12
"""How many marks in a row and how many emoji a name may have, and the code points of one emoji."""

LAST_LETTERS = 0x2000
"""First code point of the blocks that hold all emoji; earlier symbols, such as ©, are not limited."""

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_ARABIC = "[\u0620-\u064a\u0671-\u06d3\u06d5\u06fa-\u06ff\u0750-\u077f\u08a0-\u08c9]"

_BLANK = regex.compile("[\\s\u115f\u1160\u2800\u3164\uffa0\ufffc]+")
"""Spaces, line breaks, and invisible letters and symbols, which are used to make names that look empty."""

_HIDDEN = regex.compile(
    rf"(?![\u200c\u200d{_SELECTORS}])[\p{{Cc}}\p{{Cf}}\p{{Cs}}\p{{Co}}\p{{DI}}\p{{Noncharacter_Code_Point}}]"
)
"""Controls, marks of direction, half surrogates, private characters, and others that are not displayed."""

_IDLE = regex.compile(
    rf"(?!(?<={_ARABIC})\u200c{_ARABIC}"  # separates letters in Persian
    r"|(?<=\p{ccc=9})[\u200c\u200d]\p{L}"  # shapes two letters in the scripts of India
    r"|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\u200d\p{Extended_Pictographic}"
    rf"|(?<=[\p{{Extended_Pictographic}}#*0-9])[\ufe0e\ufe0f]|(?<=\p{{Han}})[{_SELECTORS}])"
    rf"[\u200c\u200d{_SELECTORS}]"
)
"""Joiners and selectors without effect. They are invisible, so one name could imitate another with them."""

_CLUSTER = regex.compile(r"\X")
_SEEN = regex.compile(r"[^\p{M}\p{C}\p{Z}]|\p{Cn}")
_EMOJI = regex.compile(r"[\p{So}\p{Sk}\p{Extended_Pictographic}\p{Regional_Indicator}]|.[\ufe0f\u20e3]")


def clean(*texts: str | None) -> CleanName:
    """Return the first of these texts that shows anything, cleaned; `?` if none does.

    Every name passes here before it is kept or shown: the later texts are what else the person is called.
    """
    tidied = (tidy(text) for text in texts if text)
    return CleanName(shortened(next(filter(None, tidied), "?"), LONGEST_NAME))


@lru_cache(maxsize=4096)
def tidy(text: str) -> str:
    """Put the text on one line, with at most MOST_MARKS marks in a row and MOST_EMOJI emoji.

    Characters that are not displayed are dropped, except joiners and selectors with an effect. Invisible
    letters become spaces. Returns "" if nothing is visible.
    """
    # Dropped characters may have stood between others that belong together, so what is left is cleaned again.
    left = _tidied(_tidied(text))
    return left if _SEEN.search(left) else ""


def shortened(text: str, length: int) -> str:
    """Cut the text between two graphemes, with an ellipsis, to at most `length` characters."""
    if len(text) <= length:
        return text
    ends = (cluster.end() for cluster in _CLUSTER.finditer(text))
    return text[: max((end for end in ends if end < length), default=0)].rstrip() + "…"


def _tidied(text: str) -> str:
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    written = _HIDDEN.sub("", _BLANK.sub(" ", text))
    kept, emoji = [], 0
    for cluster in _CLUSTER.findall(_IDLE.sub("", unicodedata.normalize("NFC", written))):
        parts = _with_few_marks(cluster)
        if _EMOJI.match(cluster) and (ord(cluster[0]) > LAST_LETTERS or len(cluster) > 1):
            emoji += 1
            # No emoji has more; a row that is joined without an end shows its first one.
            parts = "" if emoji > MOST_EMOJI else parts if len(parts) <= LONGEST_EMOJI else parts[0]
        kept.append(parts)
    return " ".join("".join(kept).split())


def _with_few_marks(cluster: str) -> str:
    kept, marks = [], 0
    for character in cluster:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        if marks <= MOST_MARKS:
            kept.append(character)
    return "".join(kept)
