"""Othello: rules, pattern evaluation, selective search, exact endgames and an opening book."""

from engine.games.othello.rules import Othello, OthelloState
from engine.games.othello.spec import SPEC

__all__ = ["SPEC", "Othello", "OthelloState"]
