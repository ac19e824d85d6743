"""Pages of matches on the web."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass

_KEY_BYTES = 16
_KEY = re.compile(r"[A-Za-z0-9_-]{22}")


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
