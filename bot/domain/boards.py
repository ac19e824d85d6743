"""Messages that display running matches and lag behind, or cannot be drawn."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StaleBoard:
    """A match whose message displays an older version, or whose message is unknown."""

    match_id: int
    channel_id: int
    message_id: int | None
    version: int


@dataclass(frozen=True, slots=True)
class DamagedMatch:
    """A running match whose row cannot be understood, and the message that displays it."""

    match_id: int
    channel_id: int
    message_id: int
    locale: str
