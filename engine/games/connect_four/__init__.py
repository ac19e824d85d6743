"""Connect Four: rules, exact solvers and early scores."""

from engine.games.connect_four.rules import ConnectFour, ConnectFourState
from engine.games.connect_four.spec import SPEC

__all__ = ["SPEC", "ConnectFour", "ConnectFourState"]
