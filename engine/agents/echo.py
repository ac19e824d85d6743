"""Echo: the level that plays as well as the person. Its strength, in Elo, is part of its key: `echo:1525`.

`echo` alone is a person's choice, before their strength is known. `engine.arena.mixture` says how Echo plays.
"""

from __future__ import annotations

import re

from engine.agents.levels import NO_LIMIT, Level
from engine.games import SPECS

ECHO = "echo"
"""The key of the choice."""

_NAMED = re.compile(rf"{ECHO}(?::(-?[0-9]{{1,4}}))?", re.ASCII)


def is_echo(key: str | None) -> bool:
    """Whether this is a key of Echo, with a strength or without."""
    return key is not None and _NAMED.fullmatch(key) is not None


def elo_in(key: str | None) -> int | None:
    """Return the strength in a key of Echo; None if it has none, or is another level's."""
    found = None if key is None else _NAMED.fullmatch(key)
    return None if found is None or found[1] is None else int(found[1])


def echo(elo: int | None = None) -> Level:
    """Return Echo at that strength; None: not yet known. It has no agent of its own."""
    key, name = (ECHO, "Echo") if elo is None else (f"{ECHO}:{elo}", f"Echo {elo}")
    return Level(key, name, "plays as well as you do", "", NO_LIMIT, tuple(SPECS))
