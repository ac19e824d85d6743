"""The roles that servers give to their champions."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Title(enum.StrEnum):
    """LEADER: of the month's season. WINNER: of the server's last tournament.

    NONE: they have deleted their data, and the role has not been removed yet.
    """

    LEADER = "leader"
    WINNER = "winner"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ChampionRole:
    """A role that a person has as a champion."""

    guild_id: int
    title: Title
    user_id: int
    role_id: int
