"""The composition root: the only place where the bot's parts are made and wired together."""

from __future__ import annotations

import asyncio
import logging
import os
import platform
import secrets
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AsyncExitStack
from datetime import datetime, timedelta
from functools import partial
from random import Random
from typing import Any

import aiohttp
import discord
from discord.ext import commands

from bot.commands import add_commands
from bot.config import Settings
from bot.discord_events import DiscordEvents
from bot.domain.lru_dict import LruDict
from bot.domain.preferences import ServerSettings
from bot.domain.reminder import ReminderKind
from bot.domain.shards import Shards
from bot.housekeeping import DailyBackup, DamageNotices, ForgetRequests
from bot.i18n import Texts
from bot.parts import FrontEnd, Parts
from bot.presentation.tiles.grid import all_tiles
from bot.presentation.tiles.tile import digest, png, word
from bot.process.command_sync import CommandSync
from bot.process.emoji_sync import Drawing, EmojiSync
from bot.process.memory import give_back_now
from bot.scheduler import Job, Jobs
from bot.services.background import Background
from bot.services.command_costs import Budget
from bot.services.outgoing import Sender
from bot.services.reconciler import TICK_SECONDS, Reconciler, Source
from bot.services.shard_leases import BEAT_SECONDS, ShardLeases
from bot.services.shown_versions import FLUSH_SECONDS
from bot.services.sources.champion_roles import ChampionRoles
from bot.services.sources.tournament_events import TournamentEvents
from bot.store.announcements import Listener
from bot.store.count_cache import REFRESH_SECONDS
from bot.store.identify import IdentifyTurns
from bot.store.match_rows import matches
from bot.store.postgres import is_postgres
from bot.store.stores import Stores
from bot.ui.answers import Presses
from bot.ui.client import INTENTS, Client, UiState
from bot.ui.command_links import CommandLinks
from bot.ui.command_queue import CommandQueue
from bot.ui.debounce import Debouncer
from bot.ui.discord_internals import interaction_tasks, intercept_events, limit_old_edits
from bot.ui.dispatch import ROUTER
from bot.ui.duplicate_bots import DuplicateBotDetector
from bot.ui.error_replies import MAX_CONCURRENT_REFUSALS
from bot.ui.match.board_views import BoardViews
from bot.ui.match.coach import Coach
from bot.ui.match.delivery import BoardDelivery
from bot.ui.match.display import MessageDisplay
from bot.ui.match.invitations import InvitationMessages
from bot.ui.match.lost_channels import LostChannels
from bot.ui.match.mirrors import Mirrors
from bot.ui.match.notices import MatchNotices
from bot.ui.match.pings import PingMessages
from bot.ui.match.predictions import PredictionMessages
from bot.ui.match.routes import PLAY
from bot.ui.match.tables import Tables
from bot.ui.match.turn_reminders import waiting_matches
from bot.ui.match.vote_results import VoteResults
from bot.ui.messages import Messages
from bot.ui.panel.welcome import Welcomer
from bot.ui.people.champion_roles import Roles
from bot.ui.people.news import News
from bot.ui.picture_cache import (
    MAX_ANIMATIONS,
    MAX_PICTURES,
    PictureCache,
)
from bot.ui.play_here import PlayMessage
from bot.ui.press_gate import PressGate
from bot.ui.puzzle.course_handlers import StormMessages
from bot.ui.puzzle.daily import DailyPuzzle, unanswered_puzzle
from bot.ui.reminders import DailyReminders
from bot.ui.server_notices import ServerNotices, ServerTexts
from bot.ui.threads import BoardThreads
from bot.ui.tournament.display import TournamentBoards
from bot.ui.tournament.events import Events
from bot.ui.translator import Translator

log = logging.getLogger(__name__)

MOST_CONNECTIONS = 256
"""Connections to Discord at once: more would use up the files that a process may open."""

SHARED_AGAIN = timedelta(days=1)
"""The least time between two shares of the same thing by one person in a channel."""

_THINKING_SHARE = 0.8
"""The share of the time for an orderly end in which agents may think; the rest is for displaying."""


class Commands(discord.app_commands.CommandTree[Client]):
    """The commands, admitted by the command queue."""

    async def interaction_check(self, interaction: discord.Interaction[Client]) -> bool:
        is_admitted: bool = await interaction.client.ui.commands.admit(interaction)
        return is_admitted


def drawings() -> list[Drawing]:
    """Return our own emoji, those of the usual look first; nothing is drawn yet."""
    return [Drawing(tile, word(tile), digest(tile), partial(png, tile)) for tile in all_tiles()]


class Discade(Client):
    """The Discord client with its parts; they are wired from `setup_hook` until `close`.

    pace_seconds: the least time between two moves of a match between agents.
    is_warm: the caller has compiled the kernels; else agents wait until `search.finish` of each stage.
    texts: read from the catalogues unless given.
    trace: is told of every request to Discord.
    """

    stores: Stores

    def __init__(
        self,
        settings: Settings,
        *,
        clock: Callable[[], datetime] = discord.utils.utcnow,
        rng: Random | None = None,
        pace_seconds: float = 1.5,
        is_warm: bool = False,
        texts: Texts | None = None,
        trace: aiohttp.TraceConfig | None = None,
    ) -> None:
        super().__init__(
            command_prefix=commands.when_mentioned,
            tree_cls=Commands,
            help_command=None,
            max_messages=None,  # nothing reads discord.py's copies of the last thousand messages
            intents=INTENTS,
            allowed_mentions=discord.AllowedMentions.none(),
            shard_count=settings.shard_count,
            shard_ids=None if settings.shard_ids is None else list(settings.shard_ids),  # type: ignore[arg-type]
            http_trace=trace,  # type: ignore[arg-type]
            connector=aiohttp.TCPConnector(limit=MOST_CONNECTIONS),
            allowed_installs=discord.app_commands.AppInstallationType(guild=True, user=True),
            allowed_contexts=discord.app_commands.AppCommandContext(
                guild=True, dm_channel=True, private_channel=True
            ),
        )
        self.parts = Parts(
            settings, clock=clock, rng=rng, pace_seconds=pace_seconds, is_warm=is_warm, texts=texts
        )
        self.is_started = False
        self.job_sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
        self.ui = UiState(
            budget=Budget(clock),
            commands=CommandQueue(),
            refusals=asyncio.Semaphore(MAX_CONCURRENT_REFUSALS),
            duplicates=DuplicateBotDetector(clock),
            presses=Presses(),
            starts=Debouncer(clock),
            shares=Debouncer(clock, SHARED_AGAIN),
            turned_reviews=LruDict[int, bool](500),
            pictures=PictureCache(MAX_PICTURES),
            animations=PictureCache(MAX_ANIMATIONS),
            command_links=CommandLinks(self.tree),
        )
        self._closing = AsyncExitStack()
        self.add_listener(ROUTER.answer, "on_interaction")
        self._jobs: Jobs | None = None
        self._identify: IdentifyTurns | None = None

    async def setup_hook(self) -> None:
        closing, parts = self._closing, self.parts
        await parts.open(closing)
        closing.push_async_callback(super().close)
        stores, choices, texts, clock = parts.stores, parts.settings_cache, parts.texts, parts.clock
        self.own_emoji = EmojiSync(self, stores.facts, drawings(), uploads=lambda: self.leases.covers(None))
        self.emoji = self.own_emoji.known
        server_texts = ServerTexts(texts, choices)
        owners = ServerNotices(self, server_texts, stores.facts)
        background = Background()
        closing.push_async_callback(background.close)
        messages = self.messages = Messages(
            self, self.ui.presses, lambda guild_id: self.leases.covers(guild_id)
        )
        threads = BoardThreads(self, messages, choices, owners, background)
        readiness, called_in = parts.search.readiness, stores.players.called_in
        views = BoardViews(
            self, texts, choices, parts.roster, parts.changes, readiness, self.emoji, called_in
        )
        mirrors = Mirrors(views, parts.changes, called_in, choices, background)
        mirrors.sender = Sender(mirrors, stores.outgoing, messages, clock=clock)
        notices = MatchNotices(texts, choices, parts.changes)
        notices.sender = Sender(notices, stores.outgoing, messages, clock=clock)
        display = self.display = MessageDisplay(
            BoardDelivery(messages, views, parts.changes, parts.marks, threads),
            InvitationMessages(messages, views, parts.changes, parts.marks),
            PingMessages(self, messages, self.ui.presses, texts, choices),
            mirrors,
            parts.changes,
            threads,
        )
        self.tournament_display = TournamentBoards(
            self, messages, texts, choices, self.display, parts.changes, parts.marks, threads
        )
        roles = ChampionRoles(
            stores, Roles(self, messages, server_texts), self._servers_to_look_after, clock=clock
        )
        front = FrontEnd(
            self.display,
            self.tournament_display,
            hears=self._hears,
            take_roles=roles.leave,
        )
        closing.callback(self.ui.pictures.close)
        closing.callback(self.ui.animations.close)
        self.services = parts.services(front, closing)
        services = self.services
        # The outage begins with the end.
        closing.push_async_callback(_tried, services.clocks.beat, "the end could not be noted")
        self.lost_channels = LostChannels(self, stores.shown, parts.changes, display)
        events = Events(self, messages, server_texts, owners)
        servers = self._servers_to_look_after
        # Direct messages arrive at one process, which sends them, too.
        wishes = services.reminders, texts, choices, lambda: self.leases.covers(None)
        kinds = (
            News(services.achievements, texts),
            DailyPuzzle(self, server_texts, services.puzzles, servers, self.emoji, clock=clock),
            PlayMessage(self, server_texts, choices, servers),
            PredictionMessages(services.predictions, texts, clock=clock),
            DailyReminders(ReminderKind.PUZZLE, partial(unanswered_puzzle, services.puzzles), *wishes),
            DailyReminders(
                ReminderKind.TURNS, partial(waiting_matches, services.matches, mirrors.board_of), *wishes
            ),
        )
        tables = display.tables = Tables(self, messages, server_texts, services.lobby, mirrors, servers)
        tables.sender = Sender(tables, stores.outgoing, messages, clock=clock)
        results = VoteResults(texts, parts.changes, services.vote_scores)
        voters = Sender(results, stores.outgoing, messages, clock=clock)
        services.boards.after_votes = voters.doubt  # the end has stored a note
        others = (Sender(kind, stores.outgoing, messages, clock=clock) for kind in kinds)
        self.senders = (mirrors.sender, tables.sender, notices.sender, voters, *others)
        for sender in self.senders:
            await sender.load()  # a press must find the note of its message
        sources: tuple[Source[Any], ...] = (
            services.boards,
            services.invitations,
            self.services.tournaments.messages,
            services.pings,
            self.lost_channels,
            TournamentEvents(stores, events, servers, clock=clock),
            roles,
            *self.senders,
        )
        self.reconciler = Reconciler(sources, parts.marks.flush, rate=parts.pace)
        # Otherwise the next process shows it once more.
        closing.push_async_callback(_tried, self.reconciler.close, "it could not be noted what is shown")
        # From the first press on; the other jobs wait for "ready", which discord.py says seconds later.
        flushing = Jobs(Job("shown versions", parts.marks.flush, FLUSH_SECONDS), sleep=self.job_sleep)
        closing.callback(flushing.stop)
        flushing.start()
        await self._share_with_other_processes()
        self.storms = StormMessages(self)
        self.coach = Coach(self)
        welcomer = Welcomer(server_texts, owners, self.emoji)
        await self.add_cog(
            DiscordEvents(self, parts, self.reconciler, self.lost_channels, self.senders, welcomer)
        )
        limit_old_edits(self)
        intercept_events(
            self, lambda handle: PressGate(handle, parts.changes, self.ui.refusals, PLAY.move).admit
        )
        add_commands(self)
        self.translator = Translator(texts)
        await self.tree.set_translator(self.translator)
        self.commands_at_discord = CommandSync(self, self.tree, stores.facts)
        await self.commands_at_discord.run_once()
        self.is_started = True
        waiting = await services.clocks.resume()
        log.info("%d matches wait for an agent", waiting)

    async def _share_with_other_processes(self) -> None:
        """Take the shards of this process, if others may share its database; raises InUse."""
        settings, shards = self.parts.settings, None
        count, numbers = settings.shard_count, settings.shard_ids
        if count is not None and numbers is not None and len(numbers) < count:
            shards = Shards(count, frozenset(numbers))
        elif is_postgres(settings.database_url):
            shards = Shards(1, frozenset({0}))
        name = f"{platform.node()[:60]}:{os.getpid()}:{secrets.token_hex(4)}"
        self.leases = ShardLeases(
            self.parts.stores,
            name,
            shards,
            time=self.loop.time,
            clock=self.parts.clock,
            on_more=lambda: self.services.clocks.resume(),
            on_alone=self._take_over,
            is_ready=lambda: self.parts.search.is_released,
        )
        # Otherwise its lease ends by itself.
        self._closing.push_async_callback(
            _tried, self.leases.close, "other processes could not be told of the end"
        )
        await self.leases.claim()
        beats = Jobs(Job("shard leases", self.leases.run_once, BEAT_SECONDS), sleep=self.job_sleep)
        self._closing.callback(beats.stop)
        beats.start()
        if is_postgres(settings.database_url):
            self._identify = IdentifyTurns(settings.database_url)
            self._closing.push_async_callback(self._identify.close)
            cache = self.parts.settings_cache
            listener = Listener(settings.database_url, self._hear, cache.read_all_again)
            self._closing.callback(asyncio.create_task(listener.run()).cancel)

    async def _hear(self, table: str, number: int) -> None:
        """Read what another process has announced, and show a match there that goes on here, too."""
        if table != matches.name:
            await self.parts.settings_cache.read_again(table, number)
            return
        match = await self.parts.changes.match(number)
        self.services.boards.follow(match)
        self.display.mirrors.follow(match)

    def _take_over(self) -> None:
        """Look for people whom a process that has ended did not ping."""
        self.services.pings.doubt()
        for sender in self.senders:
            sender.doubt()
        self.reconciler.wake()

    def _hears(self) -> bool:
        """Return whether presses arrive, as far as the bot knows; True before it is online."""
        return not self.shards or not all(shard.is_closed() for shard in self.shards.values())

    def _in_time(self, action: Callable[[], Awaitable[object]]) -> Callable[[], Awaitable[None]]:
        """Return the action that compensates outages first, and does nothing while one lasts."""

        async def act() -> None:
            if await self.services.clocks.make_up():
                await action()

        return act

    def _servers_to_look_after(self) -> Mapping[int, ServerSettings]:
        servers = self.services.settings.servers()
        return {key: chosen for key, chosen in servers.items() if self.leases.covers(key)}

    def remembered(self) -> dict[str, int]:
        """Return how many entries of each bounded cache are in memory."""
        return {
            "agents": self.services.agents.kept,
            "boards": self.display.remembered,
            "matches": self.parts.changes.remembered,
            "pictures": len(self.ui.pictures),
        }

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Waits until Discord lets another session of this bot begin."""
        if self._identify is None or shard_id is None:
            await super().before_identify_hook(shard_id, initial=initial)
            return
        limits = await self.fetch_session_start_limits()
        await self._identify.wait(shard_id % max(1, limits.max_concurrency))

    async def on_ready(self) -> None:
        """Start the jobs once the servers are known, so that every warning can be displayed.

        Discord may say READY again after a lost connection.
        """
        self.lost_channels.search_again()
        for sender in self.senders:
            sender.doubt()
        if self._jobs is None:
            self._jobs = Jobs(
                Job("messages", self.reconciler.run_once, TICK_SECONDS),
                Job("clocks", self.services.clocks.run_once, 2.0),  # the shortest clock gives ten seconds
                Job("heartbeat", self.services.clocks.beat, 10.0),  # an outage is measured this exactly
                Job("tournaments", self._in_time(self.services.tournaments.run_once), 3.0),
                Job("storms", self._in_time(self.storms.run_once), 2.0),
                Job("old invitations", self.services.privacy.forget_invitations, 60.0),
                Job("imported games", self.services.imports.forget_old, 600.0),
                Job("reported names", self.services.lobby.forget_old, 600.0),
                Job("guests", self.services.privacy.forget_guests, 600.0),
                Job("people to forget", ForgetRequests(self, self.parts).run_once),
                Job("damaged matches", DamageNotices(self, self.parts).run_once, 60.0),
                Job("backups", DailyBackup(self.parts).run_once, 600.0),
                Job("commands", self.commands_at_discord.run_once, 10.0),
                Job("free memory", partial(asyncio.to_thread, give_back_now), 60.0),
                Job("counts of players", self.parts.stores.counts.run_once, REFRESH_SECONDS),
                *(Job("own emoji", self.own_emoji.run_once, 600.0) for _ in range(self.parts.settings.emoji)),
                # Not while boards are shown again after a start, and seldom: each takes the engine seconds.
                Job("reviews", self.services.achievements.run_once, 60.0, 60.0),
                sleep=self.job_sleep,
            )
            self._jobs.start()

    async def drain(self, seconds: float) -> None:
        """Begin nothing new; give agents that are thinking this time to answer and be displayed."""
        if self._jobs is not None:
            self._jobs.stop()
        until = self.loop.time() + seconds
        await self.parts.search.drain(seconds * _THINKING_SHARE)
        if self.is_started:
            shown = asyncio.create_task(self.services.background.drain())
            await asyncio.wait((shown,), timeout=until - self.loop.time())
            shown.cancel()

    async def finish_presses(self, seconds: float) -> None:
        """Wait at most this long for the answers to interactions; call it once the gateway is closed."""
        self.parts.search.give_up()
        busy = interaction_tasks()
        if busy:
            await asyncio.wait(busy, timeout=seconds)

    async def close(self) -> None:
        """Stop everything in the order that loses nothing: jobs, agents, Discord, database."""
        if self._jobs is not None:
            self._jobs.stop()
        try:
            await self._closing.aclose()
        finally:
            # Also where the start failed before anything was there to be closed; a second call does nothing.
            await super().close()


async def _tried(deed: Callable[[], Awaitable[object]], problem: str) -> None:
    """Run the action; a failure, for example of the database, does not stop the shutdown."""
    try:
        await deed()
    except Exception:
        log.exception(problem)
