"""The themes of puzzles, as keys of catalogue texts; each has an exact test."""

from __future__ import annotations

import enum


class PuzzleTheme(enum.StrEnum):
    """What the only winning move does, or how the win ends; docs/puzzles.md has the definitions."""

    AT_ONCE = "at-once"
    """It completes a line."""
    DOUBLE_THREAT = "double-threat"
    """It threatens to win on two cells that are both playable."""
    STACKED = "stacked"
    """It threatens to win on one cell, and the cell right above that wins as well."""
    FORCED = "forced"
    """It starts a sequence of threats with one answer each that wins in three moves or more."""
    QUIET = "quiet"
    """It makes no immediate threat."""
    ODD_THREAT = "odd-threat"
    """After it a threat of the first player decides the game, by proof."""
    FOLLOW_UP = "follow-up"
    """After it the second player wins, by proof, by answering on top and taking the even rows."""
    ZUGZWANG = "zugzwang"
    """At the end the other side would be safe if it could pass, and every move of it loses at once."""
    CORNER = "corner"
    """It takes a corner."""
    SACRIFICE = "sacrifice"
    """It lets the other side take a corner that it could not take before."""
    X_SQUARE = "x-square"
    """It takes the square diagonally next to an empty corner."""
    EDGE = "edge"
    """It takes a square of the edge other than a corner."""
    WEDGE = "wedge"
    """It lies between two discs of the other side on an edge, and turns neither of them."""
    PARITY = "parity"
    """It leaves an even number of empty squares in each of at least two regions."""
    NO_REPLY = "no-reply"
    """The other side has to pass."""
    MOBILITY = "mobility"
    """It leaves the other side a move, and fewer than any other move would."""
