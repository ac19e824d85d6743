"""What an Othello position is worth at a glance; plain numbers, apart from numba."""

from __future__ import annotations

# The difference of both sides: a corner can never be lost, moves are what the middle game is
# about, discs only settle what is otherwise equal.
CORNER, MOBILITY, DISC = 30, 5, 1
PLY = 128
"""A ply sooner outweighs any difference of discs (at most 64), which is added to a won game's value."""
