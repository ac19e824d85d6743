"""Shown: where the reader of an answer sees a match as it is now, and the texts that speak of its board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bot.domain.location import Channel, Location, Web
from bot.i18n import Text
from bot.ui.layout import linked


@dataclass(frozen=True, slots=True)
class Shown:
    """The message that shows the match as it is now; None: no message does yet."""

    on: Location | None

    NOT_YET: ClassVar[Shown]

    def line(self, t: Text, key: str, **params: str | int) -> str:
        """Return the text, which may say that something is on the board, or else the one for `not yet`."""
        return t(key if self.on is not None else f"{key}_not_yet", **params)

    def linked(self, t: Text, line: str) -> str:
        """Return the line with a link to the board, if a message shows it."""
        return linked(t, line, self.on) if isinstance(self.on, Channel | Web) else line


Shown.NOT_YET = Shown(None)
