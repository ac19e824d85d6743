"""Choices for a new match: game, opponent, first move, mode and clock."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from bot.domain.terms import Fair, First, Terms
from engine.games import game as game_of

_LEVEL = r"[a-z0-9:=_-]{1,32}"
"""A level's key; longer keys, as plug-ins may have, do not fit into a custom_id."""


class Mode(enum.StrEnum):
    """Whether a match is rated, and which help it allows."""

    CASUAL = "casual"
    RATED = "rated"
    COACH = "coach"
    """Casual; each bad move is explained to the person."""


class Against(enum.StrEnum):
    """The kind of opponent."""

    BOT = "bot"
    FRIEND = "friend"
    ANYONE = "anyone"
    CHANNEL = "channel"
    """The channel plays by votes."""

    HALVES = "halves"
    """Two halves of the channel play each other by votes."""


BY_CHANNEL = frozenset({Against.CHANNEL, Against.HALVES})


_FIRST = {"m": First.ME, "o": First.OPPONENT, "r": First.RANDOM}
_MODE = {"c": Mode.CASUAL, "r": Mode.RATED, "k": Mode.COACH, "n": None}
_AGAINST = {
    "b": Against.BOT,
    "f": Against.FRIEND,
    "a": Against.ANYONE,
    "c": Against.CHANNEL,
    "h": Against.HALVES,
}
_FAIR = {"u": Fair.USUAL, "p": Fair.PIE, "b": Fair.BALANCED}

_MAX_LEVEL_WITH_FRIEND = 20
"""Characters of a level for which a custom_id with a friend's id has room."""


@dataclass(frozen=True, slots=True)
class Start:
    """Choices for a new match.

    game, level: keys; level: None for the usual one. mode: None where the person has not chosen one; such a
    match is casual. friend: a user's id. fair: how it begins. clock: a
    clock's number (`bot.domain.clock`); None for the mode's default. As text, such as
    `connect-four.r.c.b..otto`, or with `fair` and `clock` `connect-four.r.c.b..otto.p-180002`, it fits into a
    custom_id and a column. A text that can be read may still name a game, level or clock that does not exist.
    """

    PATTERN: ClassVar[str] = (
        rf"[a-z0-9-]{{1,24}}\.[mor]\.[crkn]\.[bfach]\.[0-9]{{0,20}}\.(?:{_LEVEL})?(?:\.[upb](?:-?[0-9]{{1,7}})?)?"
    )

    game: str
    level: str | None = None
    first: First = First.RANDOM
    mode: Mode | None = None
    against: Against = Against.BOT
    friend: int | None = None
    fair: Fair = Fair.USUAL
    clock: int | None = None

    def __str__(self) -> str:
        letters = (
            next(letter for letter, one in letters.items() if one is chosen)
            for letters, chosen in ((_FIRST, self.first), (_MODE, self.mode), (_AGAINST, self.against))
        )
        level = self.level or ""
        if self.friend is not None and len(level) > _MAX_LEVEL_WITH_FRIEND:
            level = ""
        return ".".join((self.game, *letters, str(self.friend or ""), level, *self._beginning()))

    def _beginning(self) -> tuple[str, ...]:
        """Return the part for `fair` and `clock`, which is left out if neither was chosen."""
        if self.fair is Fair.USUAL and self.clock is None:
            return ()
        letter = next(letter for letter, one in _FAIR.items() if one is self.fair)
        return (f"{letter}{'' if self.clock is None else self.clock}",)

    @classmethod
    def read(cls, text: str) -> Self:
        """Return the choices of a text; raises ValueError for an invalid one."""
        if not re.fullmatch(cls.PATTERN, text):
            raise ValueError(f"no start: {text!r}")
        game, first, mode, against, friend, level, *beginning = text.split(".")
        fair, clock = (beginning[0][0], beginning[0][1:]) if beginning else ("u", "")
        return cls(
            game,
            level or None,
            _FIRST[first],
            _MODE[mode],
            _AGAINST[against],
            int(friend) if friend else None,
            _FAIR[fair],
            int(clock) if clock else None,
        )

    @property
    def played_mode(self) -> Mode:
        """The mode of the match that begins with these choices."""
        return self.mode or Mode.CASUAL

    @property
    def terms(self) -> Terms:
        """The terms of that match, on the usual board of the game, which must be a known one."""
        return Terms(
            self.game,
            game_of(self.game).boards[0],
            self.first,
            rated=self.mode is Mode.RATED,
            clock_seconds=self.clock,
            fair=self.fair,
        )

    @property
    def to_remember(self) -> Self:
        """The choices to offer next time: without the friend, and without a level that no text can hold."""
        level = self.level if self.level is not None and is_writable(self.level) else None
        return replace(self, level=level, friend=None)


def is_writable(level: str) -> bool:
    """Whether a level's key can be part of the text; a longer one of a plug-in cannot."""
    return re.fullmatch(_LEVEL, level) is not None
