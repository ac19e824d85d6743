"""What puzzles are about: themes as keys that a catalogue names, each to be tested exactly."""

from __future__ import annotations

import enum


class PuzzleTheme(enum.StrEnum):
    """What the one winning move does, or how the win ends; docs/puzzles.md has the definitions."""

    AT_ONCE = "at-once"
    """It completes a line."""
    DOUBLE_THREAT = "double-threat"
    """It threatens to win on two cells that can be played at once."""
    STACKED = "stacked"
    """It threatens to win on one cell, and the cell right on top of that wins as well."""
    FORCED = "forced"
    """It begins a row of threats, each with one answer, that wins in three moves or more."""
    QUIET = "quiet"
    """It threatens to win nowhere at once."""
    ODD_THREAT = "odd-threat"
    """After it a threat of the first player decides, by proof, whatever is played."""
    FOLLOW_UP = "follow-up"
    """After it the second player wins, by proof, answering on top and taking the even rows."""
    ZUGZWANG = "zugzwang"
    """In the end the other side would be safe if it could pass, and loses at once with whatever it plays."""
    CORNER = "corner"
    """It takes a corner."""
    SACRIFICE = "sacrifice"
    """It lets the other side take a corner that was closed to it."""
    X_SQUARE = "x-square"
    """It takes the square diagonally beside an empty corner."""
    EDGE = "edge"
    """It takes a square of the edge that is no corner."""
    WEDGE = "wedge"
    """It stands between two discs of the other side on an edge, and turns neither of them."""
    PARITY = "parity"
    """Of two regions or more, it leaves an even number of empty squares in every one."""
    NO_REPLY = "no-reply"
    """The other side has to pass."""
    MOBILITY = "mobility"
    """It leaves the other side a move, and fewer than any other move would."""
