"""What services ask of the code that displays matches."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from bot.domain.challenge import Challenge
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.outgoing import Place


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


class NotDelivered(Exception):
    """Discord or the network refused a request; `__cause__` is their error, if a request was made."""

    def __init__(self, outcome: Delivered, reason: object) -> None:
        super().__init__(f"{outcome.name.lower()}: {reason}")
        self.outcome = outcome


class Display(Protocol):
    """Where matches are displayed. Errors of Discord are logged and returned, not raised."""

    async def show(self, match: Match) -> Delivered:
        """Make the match's message show it, unless it shows something newer already."""

    async def recover(self, match: Match) -> Delivered:
        """Deliver a match that the database calls stale; its message is found, or sent, if it has none."""

    def wants_ping(self, match: Match) -> bool:
        """Whether the person to act wants a ping and can get one."""

    def ping_places(self, match: Match) -> Sequence[Channel]:
        """The match's boards, first the one at which the person to act pressed last and sees a ping.

        Between servers, those in the person's own; none where nothing can be shown there.
        """

    async def ping(self, match: Match) -> int | Delivered:
        """Ping the person to act, or warn them of the clock: the message's id, or why there is none."""

    async def find_pings(self, match: Match, since: int | None) -> Mapping[int, bool] | Delivered:
        """Return the pings since that message, oldest first, and whether each is for the person to act.

        That message itself is among them, as False, unless it is gone.
        """

    async def delete_ping(self, channel_id: int, message_id: int) -> Delivered:
        """Delete a ping that has done its work."""

    async def show_challenge(self, challenge: Challenge) -> Delivered:
        """Make the invitation's message show what became of it; send an open one that has no message."""


class Facts(Protocol):
    """Single values that outlive the process."""

    async def value(self, key: str) -> str | None: ...
    async def remember(self, key: str, value: str) -> None: ...


class RunningPlaces(Protocol):
    """Where running matches are displayed, as the database knows it."""

    async def running_places(self, guild_ids: Collection[int] | None) -> list[Place]: ...
