"""Shards: how Discord splits a bot's servers, and how processes share them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm


@dataclass(frozen=True, slots=True)
class Shards:
    """Some of `count` shards, by number from 0."""

    count: int
    numbers: frozenset[int]

    def covers(self, guild_id: int | None) -> bool:
        """Whether the server is on one of them; direct messages are on shard 0.

        By Discord's rule: discord.com/developers, "Gateway", section "Sharding".
        """
        return ((guild_id or 0) >> 22) % self.count in self.numbers

    def overlaps(self, other: Shards) -> bool:
        """Whether a server is on shards of both, whose counts may differ."""
        shards = range(lcm(self.count, other.count))
        return any(one % self.count in self.numbers and one % other.count in other.numbers for one in shards)


def share_of(name: str, live: Mapping[str, Shards], count: int) -> Shards:
    """Return the shards of the process of that name. live: all live processes, itself included.

    A shard belongs to the process that is connected for it, otherwise to the first process by name. All
    processes compute the same from the same list.
    """
    first = min(live)
    numbers = set()
    for number in range(count):
        connected = [process for process, shards in live.items() if number in shards.numbers]
        if (min(connected) if connected else first) == name:
            numbers.add(number)
    return Shards(count, frozenset(numbers))
