"""The Discord client as screens and commands know it, and the interactions that reach it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Hashable, Mapping
from datetime import datetime
from typing import Any, Protocol, TypeAlias

import discord
from discord.ext import commands

from bot.config import Settings
from bot.domain.challenge import Challenge
from bot.domain.course import Course
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.tournament.model import Tournament
from bot.i18n import Texts
from bot.search.pool import SearchPool
from bot.services.achievements import Achievements
from bot.services.changes import Changes
from bot.services.command_costs import Budget
from bot.services.courses import Courses
from bot.services.daily_puzzle import PuzzlePosts
from bot.services.matches import MatchService
from bot.services.ports import Display
from bot.services.privacy import Privacy
from bot.services.puzzles import Puzzles
from bot.services.reviews import Reviews
from bot.services.settings import SettingsCache
from bot.services.tournaments import TournamentDisplay, Tournaments
from bot.ui.command_links import CommandLinks
from bot.ui.once import Once
from bot.ui.pictures import Pictures
from bot.ui.review.animations import Replays
from bot.ui.start.tokens import PanelTokens
from bot.ui.twins import Twins
from engine.agents.roster import Roster

Interaction: TypeAlias = "discord.Interaction[Client]"
"""What Discord sends for a button, a select, a command or a form."""

AnyInteraction: TypeAlias = "discord.Interaction[Any]"
"""The same where discord.py's signatures know nothing of our client."""


class Boards(Display, Protocol):
    """Boards and invitations as the answer to an interaction, besides what services ask for."""

    @property
    def remembered(self) -> int: ...
    def has_deleted(self, message_id: int) -> bool: ...
    async def open(self, match: Match) -> Match: ...
    async def refresh(self, interaction: Interaction, match: Match) -> None: ...
    async def post(self, interaction: Interaction, match: Match) -> Match: ...
    async def answer_with_board(self, interaction: Interaction, match: Match) -> Match: ...
    async def answer(self, interaction: Interaction, match: Match) -> Match: ...
    async def answer_privately(self, interaction: Interaction, match: Match, line: str) -> Match: ...
    async def turn_page(self, interaction: Interaction, match: Match, page: int) -> None: ...
    async def ask_to_resign(self, interaction: Interaction, match: Match) -> None: ...
    async def answer_resignation(
        self, interaction: Interaction, match: Match, *, has_resigned: bool
    ) -> None: ...
    async def post_challenge(self, interaction: Interaction, challenge: Challenge) -> None: ...
    async def answer_challenge(self, interaction: Interaction, challenge: Challenge) -> None: ...


class TournamentMessages(TournamentDisplay, Protocol):
    """Tournaments as the answer to an interaction, besides what services ask for."""

    async def answer(self, interaction: Interaction, tournament: Tournament) -> None: ...
    def is_shown(self, tournament: Tournament) -> None: ...
    def shown_by(self, message_ids: Collection[int]) -> tuple[int, ...]: ...
    def is_gone(self, tournament_id: int) -> None: ...


class StormEnds(Protocol):
    """The messages of storms under way."""

    def note(self, interaction: Interaction, found: Course) -> None: ...
    async def end_due(self) -> None: ...


class Admission(Protocol):
    """Where commands wait for their turn."""

    async def admit(self, interaction: Interaction) -> bool: ...


class Client(commands.AutoShardedBot):
    """What every interaction can reach: texts, services, boards; `bot.app` makes and wires them."""

    settings: Settings
    clock: Callable[[], datetime]
    texts: Texts
    emoji: Mapping[Hashable, str]
    search: SearchPool
    roster: Roster
    settings_cache: SettingsCache
    changes: Changes
    service: MatchService
    reviews: Reviews
    achievements: Achievements
    puzzles: Puzzles
    puzzle_posts: PuzzlePosts
    courses: Courses
    storms: StormEnds
    tournaments: Tournaments
    privacy: Privacy
    display: Boards
    tournament_display: TournamentMessages
    turned: LruDict[int, bool]
    """Review messages that somebody has turned to another ply: better values do not turn them back."""
    budget: Budget
    replays: Replays
    once: Once
    shared: Once
    panels: PanelTokens
    refusals: asyncio.Semaphore
    twins: Twins
    desk: Admission
    pictures: Pictures
    command_links: CommandLinks
