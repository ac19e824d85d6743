"""Hex: join your two edges on a board of hexagons."""

from engine.games.hex.rules import Hex, HexState
from engine.games.hex.spec import SPEC

__all__ = ["SPEC", "Hex", "HexState"]
