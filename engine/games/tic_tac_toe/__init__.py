"""Tic-tac-toe: rules and spec."""

from engine.games.tic_tac_toe.rules import TicTacToe, TicTacToeState
from engine.games.tic_tac_toe.spec import SPEC

__all__ = ["SPEC", "TicTacToe", "TicTacToeState"]
