"""Preferences of a person, and settings of a server."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bot.domain.look import Look, Size, Theme, shared_look
from bot.domain.panel_choices import Mode, Start
from bot.domain.strengths import PlainStrength
from bot.domain.vote import Voters
from engine.games import USUAL

TENTHS = 10
"""How many steps every ladder has where a server limits it by tenths (`engine.agents.levels.STRENGTHS`)."""

UP_TO = {
    PlainStrength.BEGINNER: TENTHS + 1,
    PlainStrength.EASY: TENTHS + 2,
    PlainStrength.MEDIUM: TENTHS + 3,
    PlainStrength.HARD: TENTHS + 4,
}
"""The number of a server's highest level for each of the strengths that it may choose as its limit."""

HIGHEST_LEVEL = max(UP_TO.values())

DEFAULT_PUZZLE_HOUR = 9
DEFAULT_ZONE = "UTC"


@dataclass(frozen=True, slots=True)
class Preferences:
    """One person's preferences; None where they have not chosen.

    language: the name of a catalogue; None follows Discord. is_called: whether they get turn pings.
    is_listed: whether leaderboards across all servers, which strangers read, may name them. start: the match
    that they began last, which they are offered first. was_asked: whether they were asked if their next match
    is to be rated. quiet_until: the day (UTC) from which they may be reminded of mistakes.
    """

    theme: Theme | None = None
    size: Size | None = None
    language: str | None = None
    is_called: bool = True
    is_listed: bool = False
    start: Start | None = None
    was_asked: bool = False
    quiet_until: date | None = None

    @property
    def mode(self) -> Mode | None:
        """The mode that they chose last."""
        return None if self.start is None else self.start.mode

    def with_mode(self, mode: Mode) -> Preferences:
        """Return the preferences with that mode for the next match."""
        return replace(self, start=replace(self.start or Start(USUAL), mode=mode))

    @property
    def look(self) -> Look:
        return shared([self])


def shared(people: Iterable[Preferences]) -> Look:
    """Return the look of a board that these people see together (docs/playing.md)."""
    wishes = tuple(people)
    return shared_look((wish.theme for wish in wishes), (wish.size for wish in wishes))


class Threads(enum.StrEnum):
    """Which matches get a thread of their own instead of a message in the channel."""

    OFF = "off"
    TOURNAMENTS = "tournaments"
    ALWAYS = "always"


class Starters(enum.StrEnum):
    """The people that may start tournaments and matches to watch."""

    EVERYBODY = "everybody"
    MODERATORS = "moderators"


def _zone(name: str) -> tzinfo:
    """Return the time zone; UTC for one that this machine does not know."""
    try:
        return ZoneInfo(name)
    except ZoneInfoNotFoundError:
        return UTC


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """One server's settings.

    language: of public messages; None follows Discord. play_channels: ids of the channels in which matches
    may be started; empty for all. puzzle_channel, puzzle_hour, puzzle_zone: where, and at which full hour (0
    to 23) of which time zone, the daily puzzle is posted; None for not at all. highest_level: the highest
    strength that may be played: a number of `UP_TO`, or from 1 to 10 a tenth of each ladder, as servers chose
    before; None for all. role: id of a role whose members may change these settings, besides those who manage
    the server. is_closed: whether its matches count in this server alone; leaderboards across all servers are
    then not shown. is_sharing: whether people may post their reviews, replays and the like. panel_channel:
    where the Play message is. threads: which matches get a thread. leader_role, winner_role: ids of the roles
    for the month's leaders and the last tournament's winners. is_scheduling: whether tournaments are
    announced as events of the server. is_predicting: whether people may guess who wins matches of tournaments
    and between bots. starters: the people that may start tournaments and matches to watch. most_boards: how
    many running boards a channel takes; None for all. lobby_channel: where open tables of other servers
    appear; None for not at all. lobby_name: the name that other servers read beside its tables. voters: whose
    votes count in matches of a channel.
    """

    language: str | None = None
    play_channels: frozenset[int] = frozenset()
    puzzle_channel: int | None = None
    puzzle_hour: int = DEFAULT_PUZZLE_HOUR
    highest_level: int | None = None
    role: int | None = None
    is_closed: bool = False
    is_sharing: bool = True
    panel_channel: int | None = None
    threads: Threads = Threads.OFF
    leader_role: int | None = None
    winner_role: int | None = None
    is_scheduling: bool = False
    is_predicting: bool = False
    starters: Starters = Starters.EVERYBODY
    most_boards: int | None = None
    lobby_channel: int | None = None
    lobby_name: str | None = None
    voters: Voters = Voters.EVERYBODY
    puzzle_zone: str = DEFAULT_ZONE

    def __post_init__(self) -> None:
        if not 0 <= self.puzzle_hour <= 23:
            raise ValueError(f"no hour: {self.puzzle_hour}")
        if self.highest_level is not None and not 1 <= self.highest_level <= HIGHEST_LEVEL:
            raise ValueError(f"no level: {self.highest_level}")
        if self.most_boards is not None and self.most_boards < 1:
            raise ValueError(f"no number of boards: {self.most_boards}")

    @property
    def lobby(self) -> int | None:
        """The channel of open tables; a server that keeps its results to itself has none."""
        return None if self.is_closed else self.lobby_channel

    def posts_at(self, day: date) -> datetime:
        """Return when the puzzle of that day in UTC is posted: when it is first the chosen hour within it.

        When clocks are set back, a day may be without that hour; the puzzle is then posted as it begins.
        """
        for local_day in (day - timedelta(days=1), day, day + timedelta(days=1)):
            at = datetime.combine(local_day, time(self.puzzle_hour), _zone(self.puzzle_zone)).astimezone(UTC)
            if at.date() == day:
                return at
        return datetime.combine(day, time(), UTC)

    def allows(self, *channels: int | None) -> bool:
        """Whether matches may be started there. channels: a channel, or a thread and its parent."""
        return not self.play_channels or not self.play_channels.isdisjoint(channels)

    def changed(self, **changes: object) -> Self:
        """Return the settings with these changes; raises ValueError for a value that is not allowed."""
        return replace(self, **changes)  # type: ignore[arg-type]
