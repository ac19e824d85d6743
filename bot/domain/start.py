"""What a person wants to begin: the game, against whom, who begins, and what it counts for."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass, replace
from typing import ClassVar, Self

from bot.domain.challenge import First

_LEVEL = r"[a-z0-9:_-]{1,32}"
"""A level's key: longer ones, as plug-ins may have, do not fit into a button."""


class Mode(enum.StrEnum):
    """What a match counts for, and what help it allows."""

    CASUAL = "casual"
    RATED = "rated"
    COACH = "coach"
    """Casual, and after each bad move the person is told why."""


class Against(enum.StrEnum):
    """Whom a person wants to meet."""

    BOT = "bot"
    FRIEND = "friend"
    ANYONE = "anyone"


_FIRST = {"m": First.ME, "o": First.OPPONENT, "r": First.RANDOM}
_MODE = {"c": Mode.CASUAL, "r": Mode.RATED, "k": Mode.COACH}
_AGAINST = {"b": Against.BOT, "f": Against.FRIEND, "a": Against.ANYONE}


@dataclass(frozen=True, slots=True)
class Start:
    """One choice of each. game, level: keys; level: None for the usual one. friend: a user's id.

    As text, `connect-four.r.c.b..otto`, it fits into a button and into a column; nothing says that its game
    and level exist.
    """

    PATTERN: ClassVar[str] = rf"[a-z0-9-]{{1,24}}\.[mor]\.[crk]\.[bfa]\.[0-9]{{0,20}}\.(?:{_LEVEL})?"

    game: str
    level: str | None = None
    first: First = First.RANDOM
    mode: Mode = Mode.CASUAL
    against: Against = Against.BOT
    friend: int | None = None

    def __str__(self) -> str:
        letters = (
            next(letter for letter, one in letters.items() if one is chosen)
            for letters, chosen in ((_FIRST, self.first), (_MODE, self.mode), (_AGAINST, self.against))
        )
        return ".".join((self.game, *letters, str(self.friend or ""), self.level or ""))

    @classmethod
    def read(cls, text: str) -> Self:
        """Raises ValueError for a text that is none."""
        if not re.fullmatch(cls.PATTERN, text):
            raise ValueError(f"no start: {text!r}")
        game, first, mode, against, friend, level = text.split(".")
        return cls(
            game,
            level or None,
            _FIRST[first],
            _MODE[mode],
            _AGAINST[against],
            int(friend) if friend else None,
        )

    @property
    def to_remember(self) -> Self:
        """Without the friend, who is somebody else next time, and without a level that no text can hold."""
        level = self.level if self.level is not None and is_writable(self.level) else None
        return replace(self, level=level, friend=None)


def is_writable(level: str) -> bool:
    """Whether a level's key can stand in the text; algorithms with options of their own cannot."""
    return re.fullmatch(_LEVEL, level) is not None
