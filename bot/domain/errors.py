"""Refusals: errors to tell the person who asked, as a translation key with its parameters.

    Refusal              the base: `key` names a text of the catalogue, `params` fill it
    ├── MatchError       a transition that the match does not allow now
    │   └── HelpBarred   help in a game in which the person's rated match against a bot runs
    ├── SetupError       a match or challenge that cannot be started as asked
    ├── NotFound         a match, challenge or player that is not stored
    └── Unavailable      the database cannot answer for the moment

Any other exception is a bug and is logged as one.
"""

from __future__ import annotations


class Markup(str):
    """A parameter that is displayed as it is, such as a channel's mention; other texts are escaped."""

    __slots__ = ()


class Refusal(Exception):
    """Is told to the person who asked, privately and in their language; nothing has changed.

    in_the_way: number of the person's running match that is the reason. The answer leads to it.
    """

    def __init__(self, key: str, in_the_way: int | None = None, /, **params: str | int) -> None:
        super().__init__(f"{key} {params}" if params else key)
        self.key = key
        self.in_the_way = in_the_way
        self.params = params


class MatchError(Refusal):
    """The match does not allow this transition now."""


class HelpBarred(MatchError):
    """Until that rated match is over, its person gets no help from bots in the game. number: of the match."""

    def __init__(self, number: int, game: str) -> None:
        super().__init__("help_barred", number, number=number, game=game)


class SetupError(Refusal):
    """The match or challenge cannot be started as asked."""


class NotFound(Refusal):
    """Nothing with that id is stored."""


class Unavailable(Refusal):
    """The database cannot answer at the moment: nothing has changed, and a retry may succeed."""
