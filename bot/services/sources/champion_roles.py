"""Champions' roles: given to the people who hold a title, and taken back from those who do not."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from bot.domain.champion import ChampionRole, Title
from bot.domain.season import Season
from bot.domain.tournament.model import Stage
from bot.domain.tournament.standings import champions
from bot.services.ports import Delivered
from bot.services.reconciler import Delivery
from bot.store.stores import Stores
from engine.games import GAMES

TOURNAMENTS_READ = 25
"""The latest of a server, among which the last one that is over is searched."""


class RoleSettings(Protocol):
    """A server's settings."""

    @property
    def leader_role(self) -> int | None: ...
    @property
    def winner_role(self) -> int | None: ...


class RoleDisplay(Protocol):
    """Where roles are given and taken. GONE: the bot is not in that server."""

    async def give(self, holding: ChampionRole) -> Delivered: ...
    async def take(self, holding: ChampionRole) -> Delivered: ...


class RoleChange(enum.Enum):
    FORGET = enum.auto()
    TAKE = enum.auto()
    GIVE = enum.auto()


@dataclass(frozen=True, slots=True)
class RoleStep:
    step: RoleChange
    holding: ChampionRole


class ChampionRoles:
    """One per process. settings: of the servers that are this process's, by their id."""

    name: Final = "champion's role"
    idle_seconds: Final = 120.0

    def __init__(
        self,
        stores: Stores,
        display: RoleDisplay,
        settings: Callable[[], Mapping[int, RoleSettings]],
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._stores = stores
        self._display = display
        self._settings = settings
        self._clock = clock

    async def stale(self, limit: int) -> Sequence[Delivery[RoleStep]]:
        held = await self._stores.champions.all()
        found: list[RoleStep] = []
        for guild_id, chosen in self._settings().items():
            here = {holding for holding in held if holding.guild_id == guild_id}
            if here or chosen.leader_role is not None or chosen.winner_role is not None:
                found += _steps(here, await self._due(guild_id, chosen))
        # Permissions for roles are the server's, not a channel's.
        return [Delivery(step, step, step.holding.guild_id) for step in found[:limit]]

    async def deliver(self, delivery: Delivery[RoleStep]) -> Delivered:
        step, holding = delivery.item.step, delivery.item.holding
        if step is RoleChange.GIVE:
            outcome = await self._display.give(holding)
            if outcome is Delivered.DELIVERED:
                await self._stores.champions.note(holding)
            return outcome
        outcome = Delivered.DELIVERED if step is RoleChange.FORGET else await self._display.take(holding)
        if outcome is Delivered.DELIVERED:
            await self._stores.champions.forget(holding)
        return outcome

    async def give_up(self, delivery: Delivery[RoleStep]) -> None:
        """Forget roles of deleted people in servers that the bot has left."""
        if delivery.item.holding.title is Title.NONE:
            await self._stores.champions.forget(delivery.item.holding)

    async def leave(self, user_id: int) -> tuple[ChampionRole, ...]:
        """Take every such role from a person who deletes their data; returns those that they still have.

        Those are taken later, by the process that looks after their server.
        """
        held = await self._stores.champions.of(user_id)
        return tuple([one for one in held if await self._display.take(one) is not Delivered.DELIVERED])

    async def _due(self, guild_id: int, chosen: RoleSettings) -> set[ChampionRole]:
        due = set()
        if (role := chosen.leader_role) is not None:
            due |= {
                ChampionRole(guild_id, Title.LEADER, user, role) for user in await self._leaders(guild_id)
            }
        if (role := chosen.winner_role) is not None:
            due |= {
                ChampionRole(guild_id, Title.WINNER, user, role) for user in await self._winners(guild_id)
            }
        return due

    async def _leaders(self, guild_id: int) -> set[int]:
        """The people with first place in a game this month; while there are none, last month's."""
        now = Season.of(self._clock())
        for season in (await self._stores.seasons.seasons(guild_id))[:2]:
            found = {
                int(player)
                for game in GAMES
                for player, place in (await self._stores.seasons.medals(guild_id, game, season)).items()
                if place == 1 and int(player) > 0
            }
            if found and season.key <= now.key:
                return found
        return set()

    async def _winners(self, guild_id: int) -> set[int]:
        """The winners of the server's last tournament of people that is over and has one."""
        for tournament in await self._stores.tournaments.of_guild(guild_id, TOURNAMENTS_READ):
            if tournament.stage is Stage.OVER and not tournament.is_of_agents:
                found = {entrant.seat.user_id for entrant in champions(tournament)}
                if found:
                    return {user_id for user_id in found if user_id is not None and user_id > 0}
        return set()


def _steps(held: set[ChampionRole], due: set[ChampionRole]) -> list[RoleStep]:
    """What turns the roles that are held into those that are due; taking comes first."""
    kept = {(holding.user_id, holding.role_id) for holding in due}
    # One role may stand for both titles: a holder of the other title keeps it.
    taken = [
        RoleStep(RoleChange.FORGET if (one.user_id, one.role_id) in kept else RoleChange.TAKE, one)
        for one in held - due
    ]
    return [*taken, *(RoleStep(RoleChange.GIVE, one) for one in due - held)]
