"""A fixed source of randomness, in which a test says which seat is drawn."""

from __future__ import annotations

from random import Random


class Draws(Random):
    """Draws the first move for the person that asks for a match, or else for the other one.

    is_askers: None to draw it as it comes.
    """

    is_askers: bool | None = True

    def __init__(self) -> None:
        super().__init__(7)

    def random(self) -> float:
        return super().random() if self.is_askers is None else 0.25 if self.is_askers else 0.75

    def getrandbits(self, k: int) -> int:
        """As before: with it, `choice` and `shuffle` don't use `random`."""
        return super().getrandbits(k)
