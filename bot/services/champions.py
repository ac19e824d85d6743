"""Champions' roles: who ought to have one, made so again and again, whatever was missed in between."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Protocol

from bot.domain.season import Season
from bot.domain.tournament.model import Stage
from bot.domain.tournament.standings import champions
from bot.store.champions import Holding, Title
from bot.store.stores import Stores
from engine.games import GAMES

log = logging.getLogger(__name__)

LOOKED_AT = 25
"""Of a server's tournaments the latest, of which one may be over."""


class Wish(Protocol):
    """A server's decision."""

    @property
    def leader_role(self) -> int | None: ...
    @property
    def winner_role(self) -> int | None: ...


class RoleGiver(Protocol):
    """Whoever gives and takes roles. Nothing here raises: False calls for another try later."""

    async def give(self, holding: Holding) -> bool: ...
    async def take(self, holding: Holding) -> bool: ...

    def is_in(self, guild_id: int) -> bool:
        """Whether the bot is in that server; where it is not, it can take nothing back."""


class Champions:
    """One for each process. wishes: what servers want, by their id; clock: the current UTC time."""

    def __init__(
        self,
        stores: Stores,
        giver: RoleGiver,
        wishes: Callable[[], Mapping[int, Wish]],
        *,
        clock: Callable[[], datetime],
    ) -> None:
        self._stores = stores
        self._giver = giver
        self._wishes = wishes
        self._clock = clock

    async def step(self) -> None:
        """Takes roles from those who lead no more, and gives them to those who do."""
        held = await self._stores.champions.all()
        for guild_id, wish in self._wishes().items():
            here = {holding for holding in held if holding.guild_id == guild_id}
            here -= await self._taken_back(here)
            if here or wish.leader_role is not None or wish.winner_role is not None:
                await self._put_right(here, await self._due(guild_id, wish))

    async def leave(self, user_id: int) -> tuple[Holding, ...]:
        """Takes every such role from a person who deletes their data; returns those that they still have.

        Those are taken at one of the next steps, by the process that looks after their server.
        """
        return tuple(
            [
                holding
                for holding in await self._stores.champions.of(user_id)
                if not await self._giver.take(holding)
            ]
        )

    async def _taken_back(self, held: set[Holding]) -> set[Holding]:
        """Of these the roles of people who have deleted their data; they are gone now, or wait for more."""
        found = {holding for holding in held if holding.title is Title.NONE}
        for holding in found:
            if await self._giver.take(holding) or not self._giver.is_in(holding.guild_id):
                await self._stores.champions.forget(holding)
        return found

    async def _put_right(self, held: set[Holding], due: set[Holding]) -> None:
        for holding in held - due:
            # One role may be both titles': then it stays with who still has the other.
            is_kept = any(_same_role(holding, other) for other in due)
            if is_kept or await self._giver.take(holding):
                await self._stores.champions.forget(holding)
        for holding in due - held:
            if await self._giver.give(holding):
                await self._stores.champions.note(holding)

    async def _due(self, guild_id: int, wish: Wish) -> set[Holding]:
        due = set()
        if (role := wish.leader_role) is not None:
            due |= {Holding(guild_id, Title.LEADER, user, role) for user in await self._leaders(guild_id)}
        if (role := wish.winner_role) is not None:
            due |= {Holding(guild_id, Title.WINNER, user, role) for user in await self._winners(guild_id)}
        return due

    async def _leaders(self, guild_id: int) -> set[int]:
        """Who has the first place in a game this month; until somebody has, who had it last."""
        now = Season.of(self._clock())
        for season in (await self._stores.seasons.seasons(guild_id))[:2]:
            found = {
                int(player)
                for game in GAMES
                for player, place in (await self._stores.seasons.medals(season, guild_id, game)).items()
                if place == 1 and int(player) > 0
            }
            if found and season.key <= now.key:
                return found
        return set()

    async def _winners(self, guild_id: int) -> set[int]:
        """Who won the server's latest tournament of people that is over and has a winner."""
        for tournament in await self._stores.tournaments.of_guild(guild_id, LOOKED_AT):
            if tournament.stage is Stage.OVER and not tournament.is_of_agents:
                found = {entrant.seat.user_id for entrant in champions(tournament)}
                if found != set():
                    return {user_id for user_id in found if user_id is not None and user_id > 0}
        return set()


def _same_role(one: Holding, other: Holding) -> bool:
    return (one.guild_id, one.user_id, one.role_id) == (other.guild_id, other.user_id, other.role_id)
