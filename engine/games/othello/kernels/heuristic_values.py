"""Weights of Othello's heuristic; plain numbers, independent of numba."""

from __future__ import annotations

# Applied to the difference of both sides: a corner can never be lost, mobility decides the middle game, discs
# only break ties.
CORNER, MOBILITY, DISC = 30, 5, 1
PLY = 128
"""One ply outweighs any difference of discs (at most 64), which is added to the value of a won game."""
