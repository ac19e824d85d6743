"""Escapes untrusted texts, such as display names, so that they are safe to repeat in a message."""

from __future__ import annotations

from functools import lru_cache

from bot.domain.names import CleanName, shortened, tidy

NAME_LENGTH = 32
"""Discord's limit for a display name."""

_SPECIAL = frozenset("\\*_~`|[]()<>#/@")
_LEADING = frozenset("-+>#")


def plain(name: CleanName, length: int = NAME_LENGTH) -> str:
    """Escape the name as Markdown: no styles, links, mentions, headings, quotes or lists.

    `@` gets a zero-width space, because Discord detects @everyone before it handles backslashes.
    """
    # The cache is inside: the type checker does not see the arguments of a cached function.
    return _escaped(shortened(name, length))


def plain_line(text: str, length: int) -> str:
    """Clean and escape any other text in a line: `?` if it shows nothing."""
    return plain(CleanName(tidy(text) or "?"), length)


@lru_cache(maxsize=4096)
def _escaped(text: str) -> str:
    escaped = "".join(map(_escape, text))
    is_list = escaped[:1] in _LEADING or escaped.partition(".")[0].isdecimal()
    return "\u200b" + escaped if is_list else escaped


def _escape(character: str) -> str:
    if character == "@":
        return "@\u200b"
    return "\\" + character if character in _SPECIAL else character
