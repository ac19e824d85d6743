"""Text as people type or paste it, folded to the characters that games read.

Every front end folds with `typed`: moves, whole games, boards, and the numbers and names of options.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

_ALIKE = MappingProxyType(
    {
        **dict.fromkeys("−⁃", "-"),
        **dict.fromkeys("×✕✖⨯", "x"),
        **dict.fromkeys("،、", ","),
        "؛": ";",
        "。": ".",
        "…": "...",
        **dict.fromkeys("“”„«»‘’‚", '"'),
        **dict.fromkeys("\ufe0e\ufe0f\u20e3", ""),  # the parts of an emoji such as 4️⃣ beside its digit
    }
)
"""Characters that stand for others, besides those that Unicode says so of."""

_FORMS = ("<wide>", "<narrow>", "<font>", "<circle>")
"""Forms of a letter or digit that are read as it. Raised ones are not: they are the marks of notes."""

_SPACE = re.compile(r"\s", re.ASCII)
_LOOSE = re.compile(r"(?<![0-9]) +| +(?![0-9])")
NUMBER = re.compile(r"([0-9]{1,3})(?:\.[ .]*|\))(?=[ ,;]*[a-z0-9-])")
"""The number of a move in a folded text: `1.`, `1...`, `12)`. Something follows it."""

SEPARATORS = " ,;\"'`"
"""Characters of a folded text between moves and around them."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A folded text. columns: for each of its characters the index of the typed one, and the end."""

    typed: str
    text: str
    columns: Sequence[int]

    def quoted(self, start: int, end: int) -> str:
        """Return what was typed for that part of the folded text, without characters that are not seen."""
        part = self.typed[self.columns[start] : self.columns[end]]
        return repr("".join(character for character in part if _folded(character)))


def typed(text: str) -> Typed:
    """Fold the text: digits of all scripts, full-width forms, dashes, spaces and punctuation, lower case.

    Invisible marks, such as those of the direction of writing, are dropped. Other characters stay, so that
    they are refused.
    """
    if text.isascii():
        return Typed(text, _SPACE.sub(" ", text.lower()), range(len(text) + 1))
    parts = [_folded(character) for character in text]
    columns = (at for at, part in enumerate(parts) for _ in part)
    return Typed(text, "".join(parts), (*columns, len(text)))


def fold(text: str) -> str:
    """As `typed`, without spaces at the ends; for names of options, and for numbers."""
    return typed(text).text.strip()


def compact(text: str) -> str:
    """As `fold`, without any spaces; for names of boards and algorithms."""
    return fold(text).replace(" ", "")


def one_move(text: str) -> str:
    """Return the folded name of one move without a move number, quotes, and spaces between its parts.

    A space between two digits stays, since it may separate two moves.
    """
    name = fold(text).strip(SEPARATORS)
    number = NUMBER.match(name)
    return joined(name[number.end() if number else 0 :].rstrip(SEPARATORS + ".!"))


def joined(name: str) -> str:
    """Return a move's name without the spaces between its parts: `f5` for `f 5`, `11-15` for `11 - 15`."""
    return _LOOSE.sub("", name)


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    if character in _ALIKE:  # first: Unicode says otherwise of them, or nothing
        return _ALIKE[character]
    if character.isascii():
        return " " if character.isspace() else character.lower()
    digit = unicodedata.decimal(character, None)
    if digit is not None:
        return str(digit)
    category = unicodedata.category(character)
    if category == "Pd":
        return "-"
    if category == "Cf":
        return ""
    if character.isspace():
        return " "
    if unicodedata.decomposition(character).partition(" ")[0] in _FORMS:
        # Only forms of ASCII characters: no game reads others.
        plain = unicodedata.normalize("NFKC", character)
        return plain.lower() if plain.isascii() else character
    return character.lower()
