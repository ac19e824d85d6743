"""Why a move is good, as keys that a catalogue puts into words."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Why(enum.StrEnum):
    """What a move does, the most telling first; `number` of a Reason is what the text counts."""

    WINS = "wins"
    STOPS_ROW = "stops_row"
    STOPS_COLUMN = "stops_column"
    STOPS_DIAGONAL = "stops_diagonal"
    STOPS_LINE = "stops_line"
    TWO_THREATS = "two_threats"
    CORNER = "corner"
    ONLY_MOVE = "only_move"
    KEEPS_TURN = "keeps_turn"
    FEW_REPLIES = "few_replies"
    THREAT = "threat"
    CENTRE = "centre"


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that a move does. number: the line's length, or the replies that are left."""

    why: Why
    number: int = 0
