"""What the service asks of whoever shows matches to people."""

from __future__ import annotations

from typing import Protocol

from bot.domain.challenge import Challenge
from bot.domain.match import Match
from bot.store import Notice


class Display(Protocol):
    """Where matches are shown. Nothing here raises for what Discord refuses: it is logged instead."""

    async def show(self, match: Match) -> None:
        """Makes the match's message show it; never anything older than was shown before."""

    async def call(self, match: Match) -> Notice | None:
        """Calls the person to move by a small message."""

    async def warn(self, match: Match) -> Notice | None:
        """Warns the person to move that their clock runs out."""

    async def remove(self, notice: Notice) -> None: ...

    async def show_challenge(self, challenge: Challenge) -> None: ...
