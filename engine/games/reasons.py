"""Reasons why a move is good, as keys of catalogue texts; each is true by the rules or by proof."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from engine.core import Player


class Why(enum.StrEnum):
    """What a move does, the strongest reason first; `number` of a Reason is the count in its text."""

    WINS = "wins"
    STOPS_ROW = "stops_row"
    STOPS_COLUMN = "stops_column"
    STOPS_DIAGONAL = "stops_diagonal"
    STOPS_LINE = "stops_line"
    TWO_THREATS = "two_threats"
    FORCES = "forces"
    """Every answer is forced, and it wins in `number` moves."""
    THREAT_DECIDES = "threat_decides"
    FOLLOW_UP_WINS = "follow_up_wins"
    """By answering every stone right on top of it."""
    EVEN_ROWS_WIN = "even_rows_win"
    CORNER = "corner"
    KEEPS_CORNER = "keeps_corner"
    """The other move gives the corner away."""
    X_SQUARE = "x_square"
    """It avoids the X-square next to an empty corner that the other move takes."""
    TAKES_SEEDS = "takes_seeds"
    KEEPS_SEEDS = "keeps_seeds"
    """After the other move, the other side could capture `number` seeds."""
    MOVES_AGAIN = "moves_again"
    TAKES_PIECES = "takes_pieces"
    TAKES_KING = "takes_king"
    """Of the `number` pieces that it takes one or more are kings."""
    SHOT = "shot"
    """The other side has to take, and then it takes `number` pieces, more than it gave."""
    CROWNS = "crowns"
    KEEPS_PIECES = "keeps_pieces"
    """After the other move, the other side could take `number` pieces."""
    CLOSES_BOXES = "closes_boxes"
    KEEPS_BOXES = "keeps_boxes"
    """The other move would give `number` boxes away."""
    GIVES_NO_BOX = "gives_no_box"
    ONLY_MOVE = "only_move"
    KEEPS_TURN = "keeps_turn"
    FOLLOW_UP_HOLDS = "follow_up_holds"
    LINES_STOPPED = "lines_stopped"
    SAFE_DISCS = "safe_discs"
    """At least `number` discs can never be turned over; more than after the other move."""
    FEWER_REPLIES = "fewer_replies"
    TEMPO = "tempo"
    """It keeps `number` squares that the other side cannot take; more than after the other move."""
    EVEN_REGIONS = "even_regions"
    FEW_REPLIES = "few_replies"
    THREAT = "threat"
    THREAT_WAITS = "threat_waits"
    """On a square that the mover gets once all other columns are full."""
    THREAT_ABOVE = "threat_above"
    SURE_CHAIN = "sure_chain"
    """Stones and bridges join both edges, and nothing cuts them any more."""
    HOLDS_BRIDGE = "holds_bridge"
    """It answers an attack on a bridge."""
    BRIDGE = "bridge"
    """It makes a bridge: two stones with two free cells between them."""
    CENTRE = "centre"


@dataclass(frozen=True, slots=True)
class Reason:
    """One effect of a move.

    number: the line's length, the moves until the end, or the remaining replies. cell: the square in
    question, as an index into `State.cells()`.
    """

    why: Why
    number: int = 0
    cell: int | None = None


@dataclass(frozen=True, slots=True)
class Threat:
    """An empty cell that would complete a line for that side.

    cell: as an index into `State.cells()`. comes_to_it: it is playable now, or that side gets it once all
    other columns are full.
    """

    cell: int
    side: Player
    comes_to_it: bool
