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
from bot.services.coaching import TurnJudge
from bot.services.imports import Imports
from bot.services.leaderboards import Standings
from bot.services.lobby import Lobby
from bot.services.matches import Matches
from bot.services.open_levels import OpenLevels
from bot.services.playing import Playing
from bot.services.ports import Display
from bot.services.predictions import head_start
from bot.services.retry_queue import RetryQueue
from bot.services.reviews import Reviews
from bot.services.settings import SettingsCache
from bot.services.shown_versions import ShownVersions
from bot.services.sources.boards import Boards, Invitations
from bot.services.sources.pings import TurnPings
from bot.services.starting import Starting
from bot.services.vote_scores import VoteScores
from bot.services.votes import Votes
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
    lobby: Lobby
    standings: Standings
    agents: AgentRunner
    pings: TurnPings
    boards: Boards
    invitations: Invitations
    clocks: Clocks
    background: Background
    reviews: Reviews
    imports: Imports
    votes: Votes
    vote_scores: VoteScores

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
        allowed_help, levels, reviews = AllowedHelp(stores), OpenLevels(roster, settings), Reviews(search)
        coaching = TurnJudge(reviews, allowed_help)
        agents = AgentRunner(
            stores, search, roster, changes, background, allowed_help, coaching.judge,
            rng=rng, pace_seconds=pace_seconds, retry_seconds=retry_seconds,
            head_start=lambda match: head_start(settings, match, clock()),
        )  # fmt: skip
        pings = TurnPings(stores, display, changes, versions, background)
        challenges = Challenges(stores, changes, clock=clock, rng=rng)
        lobby = Lobby(stores, settings, challenges, changes, clock=clock)
        votes = Votes(stores, changes, background, rng=rng)
        clocks = Clocks(stores, changes, challenges, agents, retries, votes, clock=clock, hears=hears)
        return cls(
            changes=changes,
            matches=Matches(stores, changes),
            levels=levels,
            starting=Starting(stores, levels, changes, challenges, allowed_help, clock=clock, rng=rng),
            playing=Playing(stores, changes, clocks, allowed_help, rng=rng),
            allowed_help=allowed_help,
            challenges=challenges,
            lobby=lobby,
            standings=Standings(stores, clock),
            agents=agents,
            pings=pings,
            boards=Boards(stores, display, changes, versions, pings, background),
            invitations=Invitations(stores, display, changes, versions, background),
            clocks=clocks,
            background=background,
            reviews=reviews,
            imports=Imports(stores, allowed_help, clock=clock),
            votes=votes,
            vote_scores=VoteScores(stores, reviews),
        )
