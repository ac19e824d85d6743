"""The parts of one process: stores, searches and services, built from Settings without a front end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from random import Random, SystemRandom

from bot.config import Settings
from bot.domain.champion import ChampionRole
from bot.i18n import Texts
from bot.search.dask_client import Cluster
from bot.search.pool import SearchPool
from bot.search.readiness import Readiness
from bot.services.achievements import Achievements
from bot.services.changes import Changes
from bot.services.courses import Courses
from bot.services.match_services import MatchServices
from bot.services.ports import Display
from bot.services.predictions import Predictions
from bot.services.privacy import Privacy
from bot.services.puzzles import Puzzles
from bot.services.rate_window import RateWindow
from bot.services.reminders import Reminders
from bot.services.retry_queue import RetryQueue
from bot.services.settings import SettingsCache
from bot.services.shown_versions import ShownVersions
from bot.services.sources.tournaments import TournamentDisplay, TournamentMessages
from bot.services.tournaments import Tournaments
from bot.services.training import Training
from bot.services.web_access import WebAccess
from bot.store.backup import EPOCH
from bot.store.postgres import is_postgres
from bot.store.stores import Stores
from bot.store.versions import BUSY_SECONDS
from engine.agents.roster import Roster
from engine.plugins.discovery import discover

BUSY_PRESS_SECONDS = 1.5
"""How long a change waits for another program that locks the SQLite file: Discord waits 3 s for an answer."""


@dataclass(frozen=True)
class Services(MatchServices):
    """The services of one process, by name. clock: the current UTC time."""

    clock: Callable[[], datetime]
    texts: Texts
    settings: SettingsCache
    roster: Roster
    search: SearchPool
    achievements: Achievements
    puzzles: Puzzles
    courses: Courses
    predictions: Predictions
    reminders: Reminders
    training: Training
    tournaments: Tournaments
    privacy: Privacy
    web: WebAccess


@dataclass(frozen=True, slots=True)
class FrontEnd:
    """Where services display what happens.

    hears: whether presses can arrive. take_roles: takes the champions' roles from a person.
    """

    display: Display
    tournaments: TournamentDisplay
    hears: Callable[[], bool] = lambda: True
    take_roles: Callable[[int], Awaitable[Sequence[ChampionRole]]] | None = None


class Parts:
    """Call `open`, then `services`; whatever they start is closed by the stack that was passed to `open`.

    pace_seconds: the least time between two moves of a match between agents.
    is_warm: the kernels are compiled; otherwise agents wait until `search.finish` of each stage.
    """

    stores: Stores
    settings_cache: SettingsCache
    roster: Roster
    changes: Changes
    marks: ShownVersions

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        rng: Random | None = None,
        pace_seconds: float = 1.5,
        is_warm: bool = False,
        texts: Texts | None = None,
    ) -> None:
        self.settings = settings
        self.clock = clock
        self.texts = texts or Texts.load()
        self.rng = rng or SystemRandom()
        self._pace_seconds = pace_seconds
        self._cluster = None if settings.scheduler is None else Cluster(settings.scheduler)
        self.search = SearchPool(
            settings.search_threads, readiness=Readiness(is_ready=is_warm), elsewhere=self._cluster
        )
        self.retries = RetryQueue()
        self.pace = RateWindow()

    async def open(self, closing: AsyncExitStack) -> None:
        """Opens the database, reads the settings and looks for plug-ins; raises Unusable."""
        url = self.settings.database_url
        self.stores = await Stores.open(
            url, busy_seconds=BUSY_SECONDS if is_postgres(url) else BUSY_PRESS_SECONDS
        )
        closing.push_async_callback(self.stores.close)
        self._epoch = await self.stores.facts.value(EPOCH) or ""
        self.settings_cache = await SettingsCache.load(self.stores.preferences)
        self.roster = Roster(await asyncio.to_thread(discover, self.settings.agents_folder))
        closing.push_async_callback(asyncio.to_thread, self.roster.close)
        self.changes = Changes(self.stores, self.clock)
        self.marks = ShownVersions(self.stores.shown)
        if self._cluster is not None:
            self._cluster.start()

    def services(self, front: FrontEnd, closing: AsyncExitStack) -> Services:
        """Return the services, which display matches and news at that front end."""
        closing.push_async_callback(self.search.close)
        stores, clock = self.stores, self.clock
        matches = MatchServices.build(
            stores, self.search, self.roster, self.settings_cache, front.display, self.changes, self.marks,
            clock=clock, rng=self.rng, pace_seconds=self._pace_seconds,
            retries=self.retries, hears=front.hears,
        )  # fmt: skip
        closing.push_async_callback(matches.background.close)
        messages = TournamentMessages(
            stores.tournaments, front.tournaments, self.changes, clock=clock, rate=self.pace
        )
        tournaments = Tournaments(
            stores.tournaments,
            matches,
            front.tournaments,
            messages,
            self.changes,
            clock=clock,
        )
        return Services(
            clock=clock,
            texts=self.texts,
            settings=self.settings_cache,
            roster=self.roster,
            search=self.search,
            **vars(matches),
            achievements=Achievements(stores, matches.reviews, clock=clock),
            puzzles=Puzzles(stores, matches.reviews, clock=clock, rng=self.rng),
            reminders=Reminders(stores.reminders, clock=clock),
            predictions=Predictions(stores, self.changes, self.settings_cache, clock=clock),
            courses=Courses(stores, clock=clock, rng=self.rng),
            training=Training(
                stores, matches.reviews, matches.allowed_help, self.settings_cache, clock=clock
            ),
            tournaments=tournaments,
            privacy=Privacy(
                stores,
                matches,
                tournaments,
                self.settings_cache,
                clock=clock,
                take_roles=front.take_roles,
            ),
            web=WebAccess(
                stores,
                self.settings_cache,
                self.changes,
                self.settings.web_url,
                epoch=self._epoch,
                clock=clock,
            ),
        )
