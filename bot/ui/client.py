"""The Discord client as handlers and commands use it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import discord
from discord.ext import commands

from bot.domain.challenge import Challenge
from bot.domain.course import Course
from bot.domain.errors import Refusal
from bot.domain.location import Location
from bot.domain.lru_dict import LruDict
from bot.domain.match import CoachChoice, Match
from bot.domain.outgoing import Outgoing, Place
from bot.domain.tournament.model import Tournament
from bot.parts import Services
from bot.services.command_costs import Budget
from bot.services.ports import Display
from bot.services.sources.tournaments import TournamentDisplay
from bot.ui.command_links import CommandLinks
from bot.ui.debounce import Debouncer
from bot.ui.duplicate_bots import DuplicateBotDetector
from bot.ui.messages import Messages, PressEdits
from bot.ui.move_choices import Picked
from bot.ui.picture_cache import PictureCache
from bot.ui.shown import Shown

Interaction: TypeAlias = "discord.Interaction[Client]"
"""A press on a button or select, a command, or a form."""


class MatchMirrors(Protocol):
    """The further channels in which matches are shown."""

    async def open(self, match: Match, place: Place, seats: int) -> bool: ...
    async def answer(self, interaction: Interaction, match: Match) -> None: ...
    def follow(self, match: Match) -> None: ...
    def know(self, note: Outgoing) -> None: ...
    async def close(self, match_id: int, channel_id: int) -> None: ...
    async def send_again(self, match_id: int, channel_id: int | None) -> bool: ...
    def at(self, message_id: int) -> Outgoing | None: ...
    def standing(self, match_id: int) -> list[Outgoing]: ...
    def matches_in(self, channel_id: int | None) -> list[int]: ...
    def board_of(self, match: Match, user_id: int) -> Location: ...


class OpenTables(Protocol):
    """The open seats in the lobbies of other servers."""

    async def turn_away(self, table_id: int, guild_id: int) -> None: ...
    async def sit_down(
        self, interaction: Interaction, table_id: int, place: Place, message_id: int
    ) -> Match: ...
    async def tell_open(self, interaction: Interaction, table: Challenge) -> None: ...


class BoardAnswers(Display, Protocol):
    """BoardAnswers and invitations as the answer to an interaction, besides what services ask for."""

    @property
    def remembered(self) -> int: ...

    @property
    def mirrors(self) -> MatchMirrors: ...
    @property
    def tables(self) -> OpenTables: ...
    async def remove(self, match: Match) -> None: ...
    def pings_are_gone(self, message_ids: Collection[int]) -> list[int]: ...
    async def boards_are_gone(self, channel_id: int, message_ids: Collection[int]) -> None: ...
    async def bring_back(self, match: Match) -> Shown: ...
    async def open(self, match: Match) -> Match: ...
    async def refresh(self, interaction: Interaction, match: Match) -> Shown: ...
    async def show_to(self, interaction: Interaction, match: Match) -> tuple[Match, Shown]: ...
    async def catch_up(self, interaction: Interaction, subject: Sequence[object]) -> None: ...
    async def post(self, interaction: Interaction, match: Match) -> Match: ...
    async def answer_with_board(self, interaction: Interaction, match: Match) -> Match: ...
    async def answer(self, interaction: Interaction, match: Match) -> Match: ...
    async def answer_privately(
        self, interaction: Interaction, match: Match, line: Callable[[Shown], str]
    ) -> Match: ...
    async def offer_next(self, interaction: Interaction, match: Match, picked: Picked) -> None: ...
    async def ask_to_resign(self, interaction: Interaction, match: Match) -> None: ...
    async def show_in_the_way(self, interaction: Interaction, refusal: Refusal, line: str) -> None: ...
    async def post_challenge(self, interaction: Interaction, challenge: Challenge) -> None: ...
    async def answer_challenge(self, interaction: Interaction, challenge: Challenge) -> None: ...


class TournamentAnswers(TournamentDisplay, Protocol):
    """Shows tournaments, also as answers to interactions."""

    async def answer(self, interaction: Interaction, tournament: Tournament) -> None: ...
    def is_shown(self, tournament: Tournament) -> None: ...
    def shown_by(self, message_ids: Collection[int]) -> tuple[int, ...]: ...
    def is_gone(self, tournament_id: int) -> None: ...


class StormEnds(Protocol):
    """Knows the messages of running storms."""

    def note(self, interaction: Interaction, found: Course) -> None: ...
    async def run_once(self) -> None: ...


class Coaching(Protocol):
    """The coach of every match with one."""

    async def advise(self, interaction: Interaction, match: Match) -> None: ...
    async def show(self, interaction: Interaction, match_id: int, *, with_better: bool) -> None: ...
    async def choose(
        self, interaction: Interaction, match_id: int, turn: int, choice: CoachChoice
    ) -> None: ...


class PressTokens(PressEdits, Protocol):
    """The newest interaction of every message, whose token edits the message."""

    def note(self, message_id: int, interaction: Interaction, *, is_follow_up: bool = False) -> None: ...
    def newest(self, message_id: int | None) -> Interaction | None: ...


class Admission(Protocol):
    """The queue of commands."""

    async def admit(self, interaction: Interaction) -> bool: ...


@dataclass(frozen=True, slots=True)
class UiState:
    """State of the user interface between interactions: bounded, in memory alone.

    presses: edit messages by the tokens of interactions. starts, shares: keep matches from being started,
    and results from being shared, twice. turned_reviews: review messages that were turned to another ply, so
    that better values do not turn them back.
    """

    budget: Budget
    commands: Admission
    refusals: asyncio.Semaphore
    duplicates: DuplicateBotDetector
    presses: PressTokens
    starts: Debouncer
    shares: Debouncer
    turned_reviews: LruDict[int, bool]
    pictures: PictureCache
    animations: PictureCache
    command_links: CommandLinks


INTENTS = discord.Intents(guilds=True, guild_messages=True)
"""Events that the gateway sends. Messages are for their deletion alone: a Play message comes back."""


class Client(commands.AutoShardedBot):
    """The client of every interaction; `bot.app` builds it."""

    services: Services
    ui: UiState
    messages: Messages
    emoji: Mapping[Hashable, str]
    display: BoardAnswers
    tournament_display: TournamentAnswers
    storms: StormEnds
    coach: Coaching
