"""MatchServices: what concerns matches and invitations, made together since each needs others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

from bot.search.pool import SearchPool
from bot.services.agent_runner import STORE_RETRY_SECONDS, AgentRunner
from bot.services.allowed_help import AllowedHelp
from bot.services.background import Background
from bot.services.challenges import Challenges
from bot.services.changes import Changes
from bot.services.clocks import Clocks
from bot.services.leaderboards import Standings
from bot.services.matches import Matches
from bot.services.open_levels import OpenLevels
from bot.services.playing import Playing
from bot.services.ports import Display
from bot.services.retry_queue import RetryQueue
from bot.services.settings import SettingsCache
from bot.services.shown_versions import ShownVersions
from bot.services.sources.boards import Boards, Invitations
from bot.services.sources.pings import TurnPings
from bot.services.starting import Starting
from bot.store.stores import Stores
from engine.agents.roster import Roster


@dataclass(frozen=True)
class MatchServices:
    """One per process."""

    changes: Changes
    matches: Matches
    levels: OpenLevels
    starting: Starting
    playing: Playing
    allowed_help: AllowedHelp
    challenges: Challenges
    standings: Standings
    agents: AgentRunner
    pings: TurnPings
    boards: Boards
    invitations: Invitations
    clocks: Clocks
    background: Background

    @classmethod
    def build(
        cls,
        stores: Stores,
        search: SearchPool,
        roster: Roster,
        settings: SettingsCache,
        display: Display,
        changes: Changes,
        versions: ShownVersions,
        *,
        clock: Callable[[], datetime],
        rng: Random,
        pace_seconds: float = 1.5,
        retry_seconds: Sequence[float] = STORE_RETRY_SECONDS,
        retries: RetryQueue | None = None,
        hears: Callable[[], bool] = lambda: True,
    ) -> MatchServices:
        """Make them; `background.close()` ends their tasks."""
        retries, background = retries or RetryQueue(), Background()
        allowed_help, levels = AllowedHelp(stores), OpenLevels(roster, settings)
        agents = AgentRunner(
            stores, search, roster, changes, background, allowed_help,
            rng=rng, pace_seconds=pace_seconds, retry_seconds=retry_seconds,
        )  # fmt: skip
        pings = TurnPings(stores, display, changes, versions, background)
        challenges = Challenges(stores, changes, clock=clock, rng=rng)
        clocks = Clocks(stores, changes, challenges, agents, retries, clock=clock, hears=hears)
        return cls(
            changes=changes,
            matches=Matches(stores, changes),
            levels=levels,
            starting=Starting(stores, levels, changes, challenges, allowed_help, clock=clock, rng=rng),
            playing=Playing(stores, changes, clocks, allowed_help, rng=rng),
            allowed_help=allowed_help,
            challenges=challenges,
            standings=Standings(stores, clock),
            agents=agents,
            pings=pings,
            boards=Boards(stores, display, changes, versions, pings, background),
            invitations=Invitations(stores, display, changes, versions, background),
            clocks=clocks,
            background=background,
        )
