"""The coach: one private message in a match, about the last mistake, and its key moments at the end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

import discord
from discord import ui

from bot.domain.errors import Refusal
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.presentation.advice import coach_words
from bot.services.changes import Changed
from bot.ui.answers import has_live_token, promise
from bot.ui.client import Client, Interaction
from bot.ui.context import own_text, person_of, seen_match
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import box, lines
from bot.ui.match.coach_views import advice_view, moments_view

log = logging.getLogger(__name__)

MAX_COACHED_IN_MEMORY = 500

LEAD_SECONDS = 3.0
"""How long the opponent's reply is held back for the coach; a busy machine may need longer to search."""


@dataclass(slots=True)
class CoachMessage:
    """The coach in one match.

    pressed: the person's last press. edit: edits the coach's message, by the token of `sent_by`; None before
    the first one. ply: of the move that can be taken back. said: about it.
    """

    pressed: Interaction
    edit: Callable[..., Awaitable[Any]] | None = None
    sent_by: Interaction | None = None
    said: tuple[str, ...] = ()
    ply: int | None = None
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def show(self, view: ui.LayoutView) -> None:
        """Edit the coach's message, or send it if there is none that can still be edited."""
        if self.edit is not None and self.sent_by is not None and has_live_token(self.sent_by):
            try:
                await self.edit(view=view)
            except discord.NotFound:
                log.debug("the coach's message is gone; a new one is sent")
            else:
                return
        sent = await self.pressed.followup.send(view=view, ephemeral=True, wait=True)
        self.edit, self.sent_by = sent.edit, self.pressed


class Coach:
    """The coach's messages of running matches. Kept in memory only; a restart begins a new message."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._coached: LruDict[int, CoachMessage] = LruDict(MAX_COACHED_IN_MEMORY)
        client.services.changes.subscribe(Match, self._on_change)

    async def advise(self, interaction: Interaction, match: Match) -> None:
        """Tell of a mistake, or of the key moments of a match that the press has ended.

        Returns after LEAD_SECONDS at most; advice that takes longer follows.
        """
        coaching = self._coached[match.id] = self._coached.get(match.id) or CoachMessage(interaction)
        coaching.pressed = interaction
        work = self._tell_moments(coaching, match) if match.is_over else self._tell_mistake(coaching, match)
        await asyncio.wait([self._spawn(match, work)], timeout=LEAD_SECONDS)

    async def take_back(self, interaction: Interaction, match_id: int, ply: int) -> None:
        """Take back the move that the advice is about, if it is the person's last; raises Refusal."""
        services, person = self._client.services, person_of(interaction)
        coaching = self._coached.setdefault(match_id, CoachMessage(interaction))
        async with coaching.lock:
            await services.playing.ask_undo(match_id, person, ply=ply)
            coaching.ply = None
            view = box(lines(own_text(interaction)("you_took_back")))
            await interaction.response.edit_message(view=view)
            coaching.edit, coaching.sent_by = interaction.edit_original_response, interaction

    def _on_change(self, changed: Changed[Match]) -> None:
        before, match = changed.before, changed.after
        coaching = self._coached.get(match.id)
        if coaching is None:
            return
        if match.is_over and before is not None and before.awaits_agent:
            self._spawn(match, self._tell_end(coaching, match))
        else:
            self._spawn(match, self._withdraw(coaching, match))

    def _spawn(self, match: Match, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        return self._client.services.background.spawn(_logged(match, work))

    async def _tell_mistake(self, coaching: CoachMessage, match: Match) -> None:
        interaction, services = coaching.pressed, self._client.services
        t = own_text(interaction)
        words = coach_words(t, match, await services.reviews.advice(match))
        if words is None:
            return
        person = person_of(interaction)
        await services.allowed_help.check_fair(person, match.game, match.board, words.states)
        async with coaching.lock:
            coaching.said, coaching.ply = words.lines, words.ply
            plain = box(lines(*words.lines))
            view = plain if words.ply is None else advice_view(t, match, words.lines, words.ply)
            await coaching.show(view)
        await self._withdraw(coaching, await services.changes.latest(match.id))  # it took its time

    async def _withdraw(self, coaching: CoachMessage, match: Match) -> None:
        """Take the button away once the move can no longer be taken back."""
        async with coaching.lock:
            player = match.player_of(coaching.pressed.user.id)
            if coaching.ply is None or (not match.is_over and match.last_choice(player) == coaching.ply):
                return
            coaching.ply = None
            await coaching.show(box(lines(*coaching.said)))

    async def _tell_end(self, coaching: CoachMessage, match: Match) -> None:
        """Tell the key moments once the board shows the end."""
        await self._client.display.show(match)
        await self._tell_moments(coaching, match)

    async def _tell_moments(self, coaching: CoachMessage, match: Match) -> None:
        view = await _moments(coaching.pressed, match)
        async with coaching.lock:
            coaching.ply = None
            await coaching.show(view)


async def _logged(match: Match, work: Coroutine[object, object, None]) -> None:
    """Do it without raising, since the move is played and displayed already."""
    try:
        await work
    except (Refusal, *DISCORD_ERRORS) as error:
        log.info("match %d: no advice: %s", match.id, error)
    except Exception:
        log.exception("match %d: no advice", match.id)


async def take_back(interaction: Interaction, match_id: int, ply: int) -> None:
    """Take back the move that the advice is about; raises Refusal."""
    await interaction.client.coach.take_back(interaction, match_id, ply)


async def show_moments(interaction: Interaction, match_id: int) -> None:
    """Answer with the key moments of a finished match; raises Refusal."""
    match = await seen_match(interaction, match_id)
    match.player_of(interaction.user.id)
    await promise(interaction, is_private=True)
    await interaction.edit_original_response(view=await _moments(interaction, match))


async def _moments(interaction: Interaction, match: Match) -> ui.LayoutView:
    person = person_of(interaction)
    await interaction.client.services.allowed_help.check_reviewed(match, person)
    moments = await interaction.client.services.puzzles.moments(match, person)
    return moments_view(own_text(interaction), match, moments)
