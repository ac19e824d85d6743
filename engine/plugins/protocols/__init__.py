"""The protocols that programs for board games speak: one small module each.

`write` and `read` are the words of moves. Both directions use them: our client of an engine, and our levels
as an engine in other programs. A client states the whole position in every question, so that a move taken
back, a restart, and several matches on one process need nothing more.
"""

from __future__ import annotations


class Refused(Exception):
    """The engine answers that it does not do something; the message has its words."""


class Resigned(Exception):
    """The engine resigns instead of moving."""


def told_seconds(limit_seconds: float | None) -> float:
    """Return the time that an engine is told: engines use all of it, and are late on a busy machine."""
    return max(0.05, 0.78 * (limit_seconds or 1.0) - 0.1)
