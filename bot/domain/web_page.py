"""Pages of matches on the web."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

from bot.domain.imported import is_imported

_KEY_BYTES = 16
_KEY = re.compile(r"[A-Za-z0-9_-]{22}")
_IMPORTED = re.compile(r"review([0-9]{16})")
"""The key of an imported game, opened by its owner alone: nothing is stored for it."""


@dataclass(frozen=True, slots=True)
class WebPage:
    """The page of a match, at an address that cannot be guessed.

    key: the last part of the address. shared_by: the person who lets everybody with the address watch; None
    for the page of its players alone.
    """

    key: str
    match_id: int
    shared_by: int | None = None

    @staticmethod
    def is_key(text: str) -> bool:
        """Return whether the text could be a key; a database cannot take every text."""
        return _KEY.fullmatch(text) is not None

    @classmethod
    def new(cls, match_id: int, shared_by: int | None = None) -> WebPage:
        return cls(secrets.token_urlsafe(_KEY_BYTES), match_id, shared_by)

    @classmethod
    def of_imported(cls, match_id: int) -> WebPage:
        """Return the page of an imported game."""
        return cls(f"review{match_id:016}", match_id)

    @classmethod
    def imported(cls, key: str) -> WebPage | None:
        """Return the page of an imported game by its key; None for any other key."""
        found = _IMPORTED.fullmatch(key)
        return None if found is None or not is_imported(int(found[1])) else cls.of_imported(int(found[1]))
