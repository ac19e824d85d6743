"""English draughts, also called American checkers."""

from engine.games.draughts.rules import Draughts, DraughtsState
from engine.games.draughts.spec import SPEC

__all__ = ["SPEC", "Draughts", "DraughtsState"]
