"""Connect Four: its rules, and what is known about it: exact solvers, early scores."""

from engine.games.connect_four.rules import ConnectFour, ConnectFourState
from engine.games.connect_four.spec import SPEC

__all__ = ["SPEC", "ConnectFour", "ConnectFourState"]
