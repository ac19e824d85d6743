"""Othello: its rules, and what plays it well: patterns, a selective search, exact endings, a book."""

from engine.games.othello.rules import Othello, OthelloState
from engine.games.othello.spec import SPEC

__all__ = ["SPEC", "Othello", "OthelloState"]
