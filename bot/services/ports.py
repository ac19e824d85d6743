"""What the service asks of whoever shows matches to people."""

from __future__ import annotations

import enum
from collections.abc import Collection, Sequence
from typing import Protocol

from bot.domain.challenge import Challenge
from bot.domain.match import BoardLocation, Match
from bot.store.calls import Call


class Delivered(enum.Enum):
    """The outcome of one attempt to bring a message up to date, and so whether to try again."""

    DELIVERED = enum.auto()
    """The message shows the wanted version."""

    GONE = enum.auto()
    """There is nothing left to show it on."""

    MESSAGE_REFUSED = enum.auto()
    """Discord refuses this message; others may go on."""

    CHANNEL_REFUSED = enum.auto()
    """The bot may not write in this channel for now."""

    DISCORD_DOWN = enum.auto()
    """Discord or the network fails, for every message."""


class Display(Protocol):
    """Where matches are shown. Nothing here raises, whatever Discord answers: it is logged instead."""

    async def show(self, match: Match) -> Delivered:
        """Makes the match's message show it; never anything older than was shown before."""

    async def recover(self, match: Match) -> Delivered:
        """Shows the match once more, on a message found or sent where it knows none."""

    def wants_call(self, match: Match) -> bool:
        """Whether somebody is to be called who has to act, and can be."""

    async def call(self, match: Match) -> int | Delivered:
        """Calls the person to move by a small message: its id, or why there is none."""

    async def warn(self, match: Match) -> int | Delivered:
        """Warns the person to move that their clock runs out, in the same way."""

    async def find_calls(
        self, lost: Sequence[Call], match: Match | None = None
    ) -> tuple[int, ...] | Delivered:
        """The messages of calls to one board from the first to the last of these, or why nobody can tell.

        match: as it is now, for those alone that call whoever is to act in it.
        """

    async def remove(self, call: Call) -> Delivered:
        """Deletes the message of a call that has done its work."""

    async def show_challenge(self, challenge: Challenge) -> Delivered:
        """Makes the invitation's message show what became of it."""


class Facts(Protocol):
    """Single values that outlive the process."""

    async def value(self, key: str) -> str | None: ...
    async def remember(self, key: str, value: str) -> None: ...


class RunningBoards(Protocol):
    """The boards of running matches, as the database knows them."""

    async def running_boards(
        self, before: int, most: int, guild_id: int | None = None
    ) -> list[BoardLocation]: ...
    async def boards_among(self, channel_id: int, message_ids: Collection[int]) -> list[BoardLocation]: ...
