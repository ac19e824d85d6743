"""Kalah: sow the seeds of a pit, and bring more seeds into your store than the other side."""

from engine.games.kalah.rules import Kalah, KalahState
from engine.games.kalah.spec import SPEC

__all__ = ["SPEC", "Kalah", "KalahState"]
