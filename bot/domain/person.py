"""Person: somebody who acts, on Discord or on the web."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from bot.domain.names import CleanName, clean
from bot.domain.seat import Seat


@dataclass(frozen=True, slots=True, init=False)
class Person:
    """A user and their names, which are cleaned here.

    name: here, which may be a server's nickname. account: everywhere else, where that is something else.
    pressed_at: when Discord or the web server received the press of a user who acts.
    """

    user_id: int
    name: CleanName
    account: CleanName | None = field(default=None, compare=False)
    pressed_at: datetime | None = field(default=None, compare=False)

    def __init__(
        self, user_id: int, name: str, account: str | None = None, pressed_at: datetime | None = None
    ) -> None:
        put = object.__setattr__
        put(self, "user_id", user_id)
        put(self, "name", clean(name, account, str(user_id)))
        put(self, "account", None if account is None else clean(account, str(user_id)))
        put(self, "pressed_at", pressed_at)

    @property
    def seat(self) -> Seat:
        return Seat(self.name, self.user_id, account=self.account or self.name)
