"""The result of a match: who won, if anybody did, and why it ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from engine.core import Player


class End(enum.StrEnum):
    """The reason why a match ended; the first six are the engine's."""

    LINE = "line"
    BOARD_FULL = "board_full"
    DISC_COUNT = "disc_count"
    REPETITION = "repetition"
    POINTS = "points"
    OTHER = "other"
    RESIGNATION = "resignation"
    TIME = "time"
    AGREEMENT = "agreement"
    TOO_LONG = "too_long"
    ABANDONED = "abandoned"
    STOPPED = "stopped"
    MODERATED = "moderated"
    UNVOTED = "unvoted"


WITHOUT_RESULT = frozenset({End.ABANDONED, End.STOPPED, End.MODERATED, End.UNVOTED})
"""Ends that leave no result: such a match has no winner and is no draw."""


@dataclass(frozen=True, slots=True)
class Result:
    """Winner (None: none) and reason. Some ends leave no result: see WITHOUT_RESULT."""

    winner: Player | None
    end: End

    @property
    def counts(self) -> bool:
        """Whether the result may count in ratings and records."""
        return self.end not in WITHOUT_RESULT
