"""Why a move is good, as keys that a catalogue puts into words, each true by the rules or by proof."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from engine.core import Player


class Why(enum.StrEnum):
    """What a move does, the most telling first; `number` of a Reason is what the text counts."""

    WINS = "wins"
    STOPS_ROW = "stops_row"
    STOPS_COLUMN = "stops_column"
    STOPS_DIAGONAL = "stops_diagonal"
    STOPS_LINE = "stops_line"
    TWO_THREATS = "two_threats"
    FORCES = "forces"
    """Every answer is forced, and so many moves win."""
    THREAT_DECIDES = "threat_decides"
    FOLLOW_UP_WINS = "follow_up_wins"
    """Answering every stone right on top of it."""
    EVEN_ROWS_WIN = "even_rows_win"
    CORNER = "corner"
    KEEPS_CORNER = "keeps_corner"
    """The other move opens it to the other side."""
    X_SQUARE = "x_square"
    """It is not the square diagonally beside an empty corner that the other move takes."""
    ONLY_MOVE = "only_move"
    KEEPS_TURN = "keeps_turn"
    FOLLOW_UP_HOLDS = "follow_up_holds"
    LINES_STOPPED = "lines_stopped"
    SAFE_DISCS = "safe_discs"
    """At least so many discs can never be turned over; more than are seen to be after the other move."""
    FEWER_REPLIES = "fewer_replies"
    TEMPO = "tempo"
    """So many squares that it could take and the other side cannot; more than after the other move."""
    EVEN_REGIONS = "even_regions"
    FEW_REPLIES = "few_replies"
    THREAT = "threat"
    THREAT_WAITS = "threat_waits"
    """On a square that falls to the mover when all else is filled."""
    THREAT_ABOVE = "threat_above"
    CENTRE = "centre"


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a move does.

    number: the line's length, the moves until the end, or the replies that are left. cell: the square that it
    is about, as an index into `State.cells()`.
    """

    why: Why
    number: int = 0
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Threat:
    """An empty cell that would complete a line for that side.

    cell: as an index into `State.cells()`. comes_to_it: it can be played now, or falls to that side once all
    other columns are full.
    """

    cell: int
    side: Player
    comes_to_it: bool
