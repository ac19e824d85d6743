"""Tic-tac-toe: its rules."""

from engine.games.tic_tac_toe.rules import TicTacToe, TicTacToeState

__all__ = ["TicTacToe", "TicTacToeState"]
