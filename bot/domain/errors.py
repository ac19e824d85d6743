"""Refusals: what a person asked for and may not have, as a translation key with its parameters.

    Refusal              the base: `key` names a text of the catalogue, `params` fill it
    ├── MatchError       a transition that the match does not allow now
    ├── SetupError       a match or challenge that cannot be started as asked
    ├── NotFound         a match, challenge or player that is not stored
    └── Unavailable      the database cannot answer for the moment

Everything else that is raised is a bug and is logged as one.
"""

from __future__ import annotations


class Shown(str):
    """A parameter of a refusal that is ours, such as a channel's mention: not escaped as people's text is."""

    __slots__ = ()


class Refusal(Exception):
    """Told to the person who asked, privately and in their language; nothing has changed."""

    def __init__(self, key: str, **params: str | int) -> None:
        super().__init__(f"{key} {params}" if params else key)
        self.key = key
        self.params = params


class MatchError(Refusal):
    """The match does not allow this transition now."""


class SetupError(Refusal):
    """The match or challenge cannot be started as asked."""


class NotFound(Refusal):
    """Nothing of that id is stored."""


class Unavailable(Refusal):
    """The database cannot answer for the moment: nothing has changed, and it may be tried again."""
