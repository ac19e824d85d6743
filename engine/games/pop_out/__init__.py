"""Pop Out: Connect Four in which a player may also take out their own disc at the bottom of a column."""

from engine.games.pop_out.rules import PopOut, PopOutState
from engine.games.pop_out.spec import SPEC

__all__ = ["SPEC", "PopOut", "PopOutState"]
