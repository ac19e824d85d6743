"""Outgoing messages as values: where one is to stand, and how far it got."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.names import CleanName
from bot.domain.result import End


@dataclass(frozen=True, slots=True)
class Place:
    """A channel in which a message is to stand. parent_id: of a thread. locale: of its texts.

    user_id: of the person whose direct messages it means; the channel has their id then.
    Unlike `Channel` it names no message, so that none can be taken for another.
    """

    channel_id: int
    guild_id: int | None = None
    locale: str = ""
    parent_id: int | None = None
    user_id: int | None = None

    def channel(self, message_id: int | None) -> Channel:
        """Return where the message stands."""
        return Channel(self.channel_id, self.guild_id, message_id, self.locale, self.parent_id)


def place_of(channel: Channel) -> Place:
    """Return the place of a message."""
    return Place(channel.channel_id, channel.guild_id, channel.locale, channel.parent_id)


def direct(user_id: int, locale: str) -> Place:
    """Return the place of direct messages to a person."""
    return Place(user_id, None, locale, user_id=user_id)


class Fate(enum.StrEnum):
    """How far an outgoing message got."""

    SENDING = "sending"
    """Claimed before it is sent, so it may have been sent."""

    SHOWN = "shown"
    GIVEN_UP = "given-up"
    """Discord refused it, and nothing is tried while the same is wanted in the same channel."""

    ASKED = "asked"
    """Not sent before another player agrees."""


BOTH_SEATS = 3
"""Both players of a match, in `Outgoing.seats`."""

VOTE_RESULT = "vote result"
"""The kind of the message about a channel's best voters, whose note is stored with the end of the match."""

MATCH_NOTICE = "match notice"
"""The kind of the line about what others did to a match, whose note is stored with that."""


class Notice(enum.IntEnum):
    """What others did to a match; stored as the part of its note's key."""

    ENDED = 0
    """A moderator has ended the match."""

    BOARD_GONE = 1
    """People have deleted its board."""


Key = tuple[int, int]
"""Subject and part, such as a match and a channel: one message of a kind each."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A message that is to stand.

    shows: its content in short, such as a version; another one means an edit. item: what its kind draws it
    from.
    """

    subject: int
    part: int
    place: Place
    shows: str = ""
    item: Any = field(default=None, compare=False)

    @property
    def key(self) -> Key:
        return self.subject, self.part


@dataclass(frozen=True, slots=True)
class Handover:
    """The board of the person who sits down from another server, in the match that begins.

    note: returns its note. replaces: kind and key of the note that its message has until then; None for a new
    message. names: of both people for strangers, by user id.
    """

    place: Place
    note: Callable[[Match], Outgoing]
    replaces: tuple[str, Key] | None = None
    names: Mapping[int | None, CleanName] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The stored note of a message.

    claimed_at: before it was sent. seats: of a match's players who last pressed here, or agreed to it; 1 for
    the first, 2 for the second, 3 for both.
    """

    kind: str
    subject: int
    part: int
    place: Place
    message_id: int | None
    shows: str
    fate: Fate
    claimed_at: datetime
    seats: int = 0

    @property
    def key(self) -> Key:
        return self.subject, self.part


def notice_of(before: Match, after: Match) -> Outgoing | None:
    """Return the note of the line that tells a match's people what this change did to it; None for most.

    On the web alone, and where only agents play, nobody needs to be told. A deleted board is told of
    once: the second time it stops no clock.
    """
    # Where the clock stood before for a deleted board, it goes on at the moment of this loss.
    lost_at = after.stands_since if after.has_lost_board and not before.has_lost_board else None
    if after.result is not None and after.result.end is End.MODERATED and not before.is_over:
        told, at = Notice.ENDED, after.touched_at
    elif lost_at is not None and lost_at != after.stands_until:
        told, at = Notice.BOARD_GONE, lost_at
    else:
        return None
    place = after.location
    if not isinstance(place, Channel) or not people_told(after, place.guild_id):
        return None
    return Outgoing(MATCH_NOTICE, after.id, told, place_of(place), None, "", Fate.SENDING, at)


def people_told(match: Match, guild_id: int | None) -> list[int]:
    """Return the match's people, each once; a deleted person has a negative number.

    guild_id: of the server in which they are told; people of others are not named there.
    """
    seated = dict.fromkeys(seat.user_id for seat in match.seats if seat.guild_id in (None, guild_id))
    return [user_id for user_id in seated if user_id is not None and user_id > 0]
