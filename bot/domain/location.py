"""Where a match is displayed: a channel of Discord, or the web alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Channel:
    """A place in Discord. guild_id: None in direct messages. message_id: None until it is sent.

    locale: language of the public texts there. parent_id: channel of a thread, if known.
    """

    channel_id: int
    guild_id: int | None = None
    message_id: int | None = None
    locale: str = "en-US"
    parent_id: int | None = None


@dataclass(frozen=True, slots=True)
class Web:
    """The web alone: in no server and no channel, without a message. locale: language of public texts."""

    locale: str = "en-US"

    # So that a location can be asked for them, whichever it is.
    channel_id: ClassVar[None] = None
    guild_id: ClassVar[None] = None
    message_id: ClassVar[None] = None
    parent_id: ClassVar[None] = None


Location = Channel | Web
"""Where a match is displayed."""
