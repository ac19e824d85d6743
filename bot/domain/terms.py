"""Terms: the subject of a match or an invitation, apart from its players and its place."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from bot.domain.colours import are_drawn
from bot.domain.match import Fair


class First(enum.StrEnum):
    """The side that begins, seen from the person who asks for the match."""

    ME = "me"
    OPPONENT = "opponent"
    RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a match or an invitation, as asked for or as checked.

    board: its name. first: after a position or an opening, the player of the next move; see also
    `are_colours_drawn`. rated: if the board and the opponent allow it. clock_seconds: the number of a clock
    (`bot.domain.clock`); None for the default, or in a stored invitation for no clock. fair: how it begins.
    """

    game: str
    board: str
    first: First = First.RANDOM
    rated: bool = True
    clock_seconds: int | None = None
    fair: Fair = Fair.USUAL

    @property
    def are_colours_drawn(self) -> bool:
        """Whether `first` has no effect."""
        return are_drawn(rated=self.rated, fair=self.fair)
