"""The seats of a match: the people, agents and channels that play it."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.domain.names import CleanName, clean

BY_VOTES = "@votes"
"""The level of a seat for which a channel votes; no agent has it, since their keys have no such sign."""


@dataclass(frozen=True, slots=True, init=False)
class Seat:
    """A user, an agent or a voting channel in a match; exactly one of `user_id` and `level` is set.

    name: display name of the person when the match began, or name of the level. level: key of the agent's
    level, or BY_VOTES. account: name of the person's account; not stored with the match, so None once it was
    loaded. guild_id: the server from which the person plays in a match between servers; None in any other.
    There `name` is what strangers may read, in place of the person's.
    Names are cleaned here, wherever they come from: a name that shows nothing gives way to the next.
    """

    name: CleanName
    user_id: int | None = None
    level: str | None = None
    account: CleanName | None = field(default=None, compare=False, repr=False)
    guild_id: int | None = None

    def __init__(
        self,
        name: str,
        user_id: int | None = None,
        level: str | None = None,
        account: str | None = None,
        guild_id: int | None = None,
    ) -> None:
        if (user_id is None) == (level is None):
            raise ValueError("a seat holds either a user or an agent")
        otherwise = level if user_id is None else str(user_id)
        put = object.__setattr__
        put(self, "name", clean(name, account, otherwise))
        put(self, "user_id", user_id)
        put(self, "level", level)
        put(self, "account", None if account is None else clean(account, otherwise))
        put(self, "guild_id", guild_id)

    @property
    def is_agent(self) -> bool:
        return self.level is not None and self.level != BY_VOTES

    @property
    def is_channel(self) -> bool:
        """Whether a channel votes for its moves."""
        return self.level == BY_VOTES
