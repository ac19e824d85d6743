"""What a person wishes for themselves, and what a server has decided for everybody in it."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Self

from bot.domain.look import Look, Size, Theme, shared_look
from bot.domain.start_choices import Start

HIGHEST_LEVEL = 10
"""As many words as say how strong a level is (`engine.agents.levels.STRENGTHS`)."""

DEFAULT_PUZZLE_HOUR = 9


@dataclass(frozen=True, slots=True)
class Preferences:
    """One person's wishes; None where they have not chosen.

    language: the name of a catalogue; None follows Discord. is_called: whether a message tells them that
    it is their turn. is_listed: whether leaderboards of everywhere, which strangers read, may name them.
    start: what they began last, and so what they are offered first; None for who has begun nothing.
    """

    theme: Theme | None = None
    size: Size | None = None
    language: str | None = None
    is_called: bool = True
    is_listed: bool = False
    start: Start | None = None

    @property
    def look(self) -> Look:
        return shared([self])


def shared(people: Iterable[Preferences]) -> Look:
    """The look of what these people see together: whoever needs more gets it (docs/playing.md)."""
    wishes = tuple(people)
    return shared_look((wish.theme for wish in wishes), (wish.size for wish in wishes))


class Threads(enum.StrEnum):
    """Which boards stand in threads that the bot makes, instead of in the channel itself."""

    OFF = "off"
    TOURNAMENTS = "tournaments"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """One server's decisions.

    language: of what everybody in it sees; None follows Discord.
    play_channels: ids of the channels in which matches may be started; none means everywhere.
    puzzle_channel, puzzle_hour: where and at which full hour (UTC, 0 to 23) the daily puzzle is posted;
    without a channel it is not.
    highest_level: how many words of strength are open in every game, from the weakest on; None for all.
    role: the id of a role whose members may change these settings besides those who manage the server.
    is_closed: it keeps to itself: its matches count here alone, and boards of everywhere are not shown.
    is_sharing: whether people may have their reviews, replays and the like posted. panel_channel,
    panel_message: the permanent message to play from. threads: whose boards stand in threads.
    leader_role, winner_role: ids of the roles of who leads the month, and of who won the last tournament.
    is_scheduling: whether tournaments are announced as events of the server.
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
    panel_message: int | None = None
    threads: Threads = Threads.OFF
    leader_role: int | None = None
    winner_role: int | None = None
    is_scheduling: bool = False

    def __post_init__(self) -> None:
        if not 0 <= self.puzzle_hour <= 23:
            raise ValueError(f"no hour: {self.puzzle_hour}")
        if self.highest_level is not None and not 1 <= self.highest_level <= HIGHEST_LEVEL:
            raise ValueError(f"no level: {self.highest_level}")

    def allows(self, *channels: int | None) -> bool:
        """Whether matches may be started in one of these: a channel, or a thread and its parent."""
        return not self.play_channels or not self.play_channels.isdisjoint(channels)

    def changed(self, **changes: object) -> Self:
        """Raises ValueError for a value that is not allowed."""
        return replace(self, **changes)  # type: ignore[arg-type]
