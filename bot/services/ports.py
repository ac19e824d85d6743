"""What the service asks of whoever shows matches to people."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Protocol

from bot.domain.challenge import Challenge
from bot.domain.match import Match
from bot.store.calls import Call


class Shown(enum.Enum):
    """What came of showing something, and so whether and when it is worth another try."""

    YES = enum.auto()
    """The message shows it."""

    NEVER = enum.auto()
    """There is nothing left to show it on."""

    NOT_THIS = enum.auto()
    """Discord refuses this message; others may go on."""

    NOT_HERE = enum.auto()
    """The bot may not write in this channel for now."""

    NOT_NOW = enum.auto()
    """Discord or the network fails, for everybody."""


class Display(Protocol):
    """Where matches are shown. Nothing here raises, whatever Discord answers: it is logged instead."""

    async def show(self, match: Match) -> Shown:
        """Makes the match's message show it; never anything older than was shown before."""

    async def recover(self, match: Match) -> Shown:
        """Shows the match once more, on a message found or sent where it knows none."""

    def wants_call(self, match: Match) -> bool:
        """Whether somebody is to be called who has to act, and can be."""

    async def call(self, match: Match) -> int | Shown:
        """Calls the person to move by a small message: its id, or why there is none."""

    async def warn(self, match: Match) -> int | Shown:
        """Warns the person to move that their clock runs out, in the same way."""

    async def find_calls(self, lost: Sequence[Call], match: Match | None = None) -> tuple[int, ...] | Shown:
        """The messages of calls to one board from the first to the last of these, or why nobody can tell.

        match: as it is now, for those alone that call whoever is to act in it.
        """

    async def remove(self, call: Call) -> Shown:
        """Deletes the message of a call that has done its work."""

    async def show_challenge(self, challenge: Challenge) -> Shown:
        """Makes the invitation's message show what became of it."""
