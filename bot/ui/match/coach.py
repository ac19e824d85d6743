"""The coach: one private message in a match, about a held answer, and how many better moves there were."""

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
from bot.domain.match import CoachChoice, Match
from bot.domain.training import blunders
from bot.presentation.advice import held_words, line_words
from bot.presentation.verdicts import move_words
from bot.services.changes import Changed
from bot.ui.answers import edit_pressed, has_live_token, respond
from bot.ui.client import Client, Interaction
from bot.ui.context import is_private, own_look, own_text, person_of
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import box, lines
from bot.ui.match.coach_views import held_view, moments_view

log = logging.getLogger(__name__)

MAX_COACHED_IN_MEMORY = 500


@dataclass(slots=True)
class CoachMessage:
    """The coach in one match.

    pressed: the person's last press. edit: edits the coach's message, by the token of `sent_by`; None before
    the first one. turn: at which an answer is held, and said: why; None once the person has chosen.
    """

    pressed: Interaction
    edit: Callable[..., Awaitable[Any]] | None = None
    sent_by: Interaction | None = None
    said: str = ""
    turn: int | None = None
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
    """The coach's private messages of running matches.

    Kept in memory only: after a restart the board still leads to the words, since the match stores them.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._coached: LruDict[int, CoachMessage] = LruDict(MAX_COACHED_IN_MEMORY)
        client.services.changes.subscribe(Match, self._on_change)

    async def advise(self, interaction: Interaction, match: Match) -> None:
        """Speak by this press about the match after the person's move, now or once an answer is held."""
        coaching = self._coached[match.id] = self._coached.get(match.id) or CoachMessage(interaction)
        coaching.pressed = interaction
        if match.is_over:
            await _logged(match, self._tell_moments(coaching, match))
            return
        line = line_words(own_text(interaction), match)
        if line is not None:
            await _logged(match, self._tell_line(coaching, match, line))
        if (waits := self._client.services.reviews.seconds_until_ready(match.game)) is not None:
            line = own_text(interaction)("coach_gets_ready", seconds=waits)
            await _logged(match, self._tell_line(coaching, match, line))
        await _logged(match, self._tell_held(coaching, await self._client.services.changes.latest(match.id)))

    async def show(self, interaction: Interaction, match_id: int, *, with_better: bool) -> None:
        """Show why the answer is held, and the better move if it was asked for; raises Refusal."""
        person, t = person_of(interaction), own_text(interaction)
        match = await self._client.services.playing.held(match_id, person)
        held = match.check_held(person.user_id)
        view = held_view(t, match, held, own_look(interaction) if with_better else None)
        coaching = self._coached.setdefault(match_id, CoachMessage(interaction))
        async with coaching.lock:
            await (edit_pressed if is_private(interaction) else respond)(interaction, view)
            coaching.said, coaching.turn = held_words(t, match, held), match.turn
            coaching.edit, coaching.sent_by = interaction.edit_original_response, interaction

    async def choose(self, interaction: Interaction, match_id: int, turn: int, choice: CoachChoice) -> None:
        """Make the person's choice about a held answer, and say so; raises Refusal."""
        services, person, t = self._client.services, person_of(interaction), own_text(interaction)
        coaching = self._coached.setdefault(match_id, CoachMessage(interaction))
        async with coaching.lock:
            match = await services.playing.answer_coach(match_id, person, choice, turn=turn)
            coaching.pressed, coaching.turn = interaction, None
            line = t("you_took_back" if choice is CoachChoice.BACK else "coach_played_on")
            if choice is CoachChoice.INSTEAD:
                line = t("you_played", move=move_words(t, match.game, match.states[-2], match.moves[-1]))
            await self._client.display.answer_privately(interaction, match, lambda _shown: line)
            coaching.edit, coaching.sent_by = interaction.edit_original_response, interaction
        if choice is CoachChoice.INSTEAD:
            await self.advise(interaction, match)

    def _on_change(self, changed: Changed[Match]) -> None:
        before, match = changed.before, changed.after
        coaching = self._coached.get(match.id)
        if coaching is None:
            return
        if match.is_over and before is not None and before.awaits_agent:
            self._spawn(match, self._tell_end(coaching, match))
        else:
            work = self._tell_held(coaching, match) if match.is_held else self._withdraw(coaching)
            self._spawn(match, work)

    def _spawn(self, match: Match, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        return self._client.services.background.spawn(_logged(match, work))

    async def _tell_line(self, coaching: CoachMessage, match: Match, line: str) -> None:
        person = person_of(coaching.pressed)
        states = match.states[-3:]
        await self._client.services.allowed_help.check_fair(person, match.game, match.board, states)
        async with coaching.lock:
            await coaching.show(box(lines(line)))

    async def _tell_held(self, coaching: CoachMessage, match: Match) -> None:
        """Tell once why the answer is held; the change and the press may both ask for it."""
        async with coaching.lock:
            if match.held is None or not match.is_held or coaching.turn == match.turn:
                return
            t = own_text(coaching.pressed)
            coaching.turn, coaching.said = match.turn, held_words(t, match, match.held)
            await coaching.show(held_view(t, match, match.held))

    async def _withdraw(self, coaching: CoachMessage) -> None:
        """Take the buttons away once the person has chosen in another way."""
        async with coaching.lock:
            if coaching.turn is None:
                return
            coaching.turn = None
            await coaching.show(box(lines(coaching.said)))

    async def _tell_end(self, coaching: CoachMessage, match: Match) -> None:
        """Tell how many better moves there were once the board shows the end."""
        await self._client.display.show(match)
        await self._tell_moments(coaching, match)

    async def _tell_moments(self, coaching: CoachMessage, match: Match) -> None:
        view = await _moments(coaching.pressed, match)
        async with coaching.lock:
            coaching.turn = None
            await coaching.show(view)


async def _logged(match: Match, work: Coroutine[object, object, None]) -> None:
    """Do it without raising, since the move is played and displayed already."""
    try:
        await work
    except (Refusal, *DISCORD_ERRORS) as error:
        log.info("match %d: no advice: %s", match.id, error)
    except Exception:
        log.exception("match %d: no advice", match.id)


async def _moments(interaction: Interaction, match: Match) -> ui.LayoutView:
    services = interaction.client.services
    await services.allowed_help.check_reviewed(match, person_of(interaction))
    review = await services.reviews.whole(match)
    found = blunders(review, match.players_of(interaction.user.id))
    return moments_view(own_text(interaction), match, len(found))
