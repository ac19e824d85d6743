"""Connect Four: its rules, and what is known about it: exact solvers, early scores, an opening book."""

from engine.games.connect_four.rules import ConnectFour, ConnectFourState

__all__ = ["ConnectFour", "ConnectFourState"]
