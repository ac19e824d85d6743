"""Pop Out: Connect Four in which one may also take out one's own disc at the bottom of a column."""

from engine.games.pop_out.rules import PopOut, PopOutState
from engine.games.pop_out.spec import SPEC

__all__ = ["SPEC", "PopOut", "PopOutState"]
