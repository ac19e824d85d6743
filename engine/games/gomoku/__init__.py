"""Gomoku: five in a row on a large board."""

from engine.games.gomoku.rules import Gomoku, GomokuState
from engine.games.gomoku.spec import SPEC

__all__ = ["SPEC", "Gomoku", "GomokuState"]
