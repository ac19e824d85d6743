"""Terms: the subject of a match or an invitation, apart from its players and its place."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from engine.games import game as game_of
from engine.games import spec_of


class First(enum.StrEnum):
    """The side that begins, seen from the person who asks for the match."""

    ME = "me"
    OPPONENT = "opponent"
    RANDOM = "random"


class Fair(enum.StrEnum):
    """Ways to begin a match that make up for the advantage of the first move.

    PIE: the other side may take the first move over. BALANCED: from an opening in which both sides can hold
    the draw.
    """

    USUAL = "usual"
    PIE = "pie"
    BALANCED = "balanced"


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


def are_drawn(*, rated: bool, fair: Fair) -> bool:
    """Return whether the first move is no choice: in rated matches, unless the start itself is fair."""
    return rated and fair is Fair.USUAL


def is_rated_on(game: str, board: str, *, has_agent: bool) -> bool:
    """Return whether matches on the board may be rated: against an agent, where its level was measured.

    A level can be far weaker on another board, and so would sell its rating there.
    """
    return board == game_of(game).boards[0] or (
        not has_agent and board in spec_of(game).play.boards_of_people
    )
