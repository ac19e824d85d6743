"""Answers to interactions, also where a command was acknowledged first or the connection was lost.

Discord takes one first answer within three seconds, and further messages for 15 minutes after it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import discord
from discord import ui

from bot.domain.lru_dict import LruDict
from bot.ui.board import pictures_of
from bot.ui.client import Interaction
from bot.ui.context import is_reachable
from bot.ui.discord_errors import ALREADY_ACKNOWLEDGED, CONNECTION_ERRORS, DISCORD_ERRORS
from bot.ui.followups import follow_up

ANSWER_DEADLINE_SECONDS = 2.7
"""Answers sent later are not tried: Discord has told the person that there is none."""

TOKEN_LIFE = timedelta(minutes=14)
"""How long an interaction's token is used; Discord lets it live for 15 minutes."""

MAX_MESSAGES, MAX_PRESSES = 2000, 8
"""Messages whose interactions are remembered, and interactions of one of them."""

_EDITS = (
    discord.InteractionResponseType.message_update,
    discord.InteractionResponseType.deferred_message_update,
)
"""First answers after which a press's token edits the pressed message; after others it edits the answer."""

ARRIVED_AT, _PROMISED, _LOCK = "arrived_at", "promised", "answering"
"""Keys of `extras`: the loop's time of arrival; whether a promised answer is private; a lock."""


def has_expired(interaction: Interaction) -> bool:
    """Return whether Discord has told the person that there was no answer in time."""
    arrived_at: float | None = interaction.extras.get(ARRIVED_AT)
    if arrived_at is None or interaction.response.is_done():
        return False
    return asyncio.get_running_loop().time() - arrived_at > ANSWER_DEADLINE_SECONDS


def has_live_token(interaction: Interaction) -> bool:
    """Return whether the interaction's token can still edit and send."""
    return discord.utils.utcnow() - interaction.created_at < TOKEN_LIFE


@dataclass(frozen=True, slots=True)
class PressToken:
    """An interaction of a message. is_pressed: of its control. is_follow_up: it is a later answer."""

    interaction: Interaction
    is_pressed: bool
    is_follow_up: bool


class Presses:
    """The newest interactions of every message, whose tokens edit it; otherwise, only the bot's own can.

    In memory alone: after a restart the next press brings a token. Lives on the event loop.
    """

    def __init__(self) -> None:
        self._by_message: LruDict[int, tuple[PressToken, ...]] = LruDict(MAX_MESSAGES)

    def note(self, message_id: int, interaction: Interaction, *, is_follow_up: bool = False) -> None:
        """Remember an interaction of the message: its press, or the one that it answers."""
        kept = [
            press
            for press in self._by_message.get(message_id, ())
            # One under way may yet keep the message; a refused one has lost it.
            if not press.is_pressed
            or press.interaction.response.type in _EDITS
            or not press.interaction.response.is_done()
        ]
        pressed = interaction.message
        is_pressed = pressed is not None and pressed.id == message_id
        self._by_message[message_id] = (
            *kept[1 - MAX_PRESSES :],
            PressToken(interaction, is_pressed, is_follow_up),
        )

    def newest(self, message_id: int | None) -> Interaction | None:
        """Return the newest interaction whose token edits the message."""
        press = self._newest(message_id)
        return None if press is None else press.interaction

    async def edit(self, message_id: int | None, **content: Any) -> bool:
        """Edit the message by the newest token; False if there is none. Raises the errors of Discord."""
        press = self._newest(message_id)
        if press is None or message_id is None:
            return False
        if press.is_follow_up:
            await press.interaction.followup.edit_message(message_id, **content)
        else:
            await press.interaction.edit_original_response(**content)
        return True

    def _newest(self, message_id: int | None) -> PressToken | None:
        presses = () if message_id is None else self._by_message.get(message_id, ())
        for press in reversed(presses):
            can_edit = not press.is_pressed or press.interaction.response.type in _EDITS
            if can_edit and has_live_token(press.interaction):
                return press
        return None


async def promise(interaction: Interaction, *, is_private: bool) -> None:
    """Acknowledge the interaction, unless that was done, so that `respond` and `reply` have 15 minutes.

    is_private: only this person is to see the answer.
    """
    async with _lock(interaction):
        if not interaction.response.is_done():
            await interaction.response.defer(ephemeral=is_private, thinking=True)
            interaction.extras[_PROMISED] = is_private


async def respond(
    interaction: Interaction,
    view: ui.LayoutView,
    *,
    is_private: bool = True,
    file: discord.File | None = None,
    **options: Any,
) -> int | None:
    """Answer with a new message, the promised one if there is one; return its id where Discord tells it."""
    async with _lock(interaction):
        promised = interaction.extras.pop(_PROMISED, None)
        files = [*([] if file is None else [file]), *await pictures_of(view)]
        if promised is None and not interaction.response.is_done():
            return await _send_first(interaction, view, files, options | {"ephemeral": is_private})
        if promised is is_private:
            edited = await interaction.edit_original_response(view=view, attachments=files, **options)
            return edited.id
        async with _withdrawn(interaction, promised):
            if not is_private:
                return await follow_up(interaction, view=view, files=files, **options)
            followed: discord.WebhookMessage = await interaction.followup.send(
                view=view, ephemeral=True, wait=True, files=files, **options
            )
        return followed.id


async def _send_first(
    interaction: Interaction, view: ui.LayoutView, files: list[discord.File], options: dict[str, Any]
) -> int | None:
    """Send the first answer; where that fails, look whether Discord has it and send it again if not."""
    try:
        return (await interaction.response.send_message(view=view, files=files, **options)).message_id
    except DISCORD_ERRORS as error:
        found = await _find_answer(interaction, error)
    for file in files:
        file.reset()
    if found is None:
        return (await interaction.response.send_message(view=view, files=files, **options)).message_id
    if interaction.message is not None and found.id == interaction.message.id:
        # The press was acknowledged as such, perhaps by another bot: the answer becomes a second message.
        sent: discord.WebhookMessage = await interaction.followup.send(
            view=view, wait=True, files=files, **options
        )
        return sent.id
    if found.flags.loading:
        options.pop("ephemeral")
        await interaction.edit_original_response(view=view, attachments=files, **options)
    return found.id


async def reply(interaction: Interaction, text: str, **options: Any) -> None:
    """Say a line to this person alone, whether or not the interaction was answered already."""
    async with _lock(interaction):
        promised = interaction.extras.pop(_PROMISED, None)
        if promised:
            await interaction.edit_original_response(content=text, **options)
            return
        if promised is None and not interaction.response.is_done():
            try:
                await interaction.response.send_message(text, ephemeral=True, **options)
            except discord.HTTPException as error:
                if error.code != ALREADY_ACKNOWLEDGED:
                    raise
                interaction.client.ui.duplicates.record()
            else:
                return
        async with _withdrawn(interaction, promised):
            await interaction.followup.send(text, ephemeral=True, **options)


@asynccontextmanager
async def _withdrawn(interaction: Interaction, promised: bool | None) -> AsyncIterator[None]:
    """Take back a promised answer whose visibility is not that of the message sent in the block.

    The next message fills the promise, with its visibility: so it is filled, and deleted afterwards.
    """
    if promised is not None:
        await interaction.edit_original_response(content="…")
    yield
    if promised is not None:
        await interaction.delete_original_response()


async def respond_to_all(interaction: Interaction, view: ui.LayoutView, **options: Any) -> int:
    """Answer with a public message and return its id; the interaction's token can edit it."""
    # A promise of another visibility is withdrawn: the message is then a later one.
    is_first = not interaction.response.is_done() or interaction.extras.get(_PROMISED) is False
    message_id = await _respond_to_all(interaction, view, is_first=is_first, **options)
    interaction.client.ui.presses.note(message_id, interaction, is_follow_up=not is_first)
    return message_id


async def _respond_to_all(
    interaction: Interaction, view: ui.LayoutView, *, is_first: bool, **options: Any
) -> int:
    try:
        sent = await respond(interaction, view, is_private=False, **options)
    except DISCORD_ERRORS as error:
        if not is_first:
            raise
        found = await _find_answer(interaction, error)
        if found is not None and not found.flags.loading:
            return found.id
        sent = await respond(interaction, view, is_private=False, **options)
    if sent is None:
        raise RuntimeError("Discord's answer names no message")
    return sent


def _lock(interaction: Interaction) -> asyncio.Lock:
    """Return the lock of its answers: an interaction has one first answer."""
    lock: asyncio.Lock = interaction.extras.setdefault(_LOCK, asyncio.Lock())
    return lock


async def open_form(interaction: Interaction, form: ui.Modal) -> None:
    """Answer with the form; again after a lost connection, since it may not have opened."""
    try:
        await interaction.response.send_modal(form)
    except CONNECTION_ERRORS:
        try:
            await interaction.response.send_modal(form)
        except discord.HTTPException as error:
            if error.code != ALREADY_ACKNOWLEDGED:
                raise


async def acknowledge(interaction: Interaction) -> None:
    """Acknowledge a press whose message is edited later, unless it was acknowledged before."""
    if not interaction.response.is_done():
        await interaction.response.defer()


async def hold(interaction: Interaction) -> bool:
    """Acknowledge a press as an edit of its message, where only its token can edit that.

    Any other first answer would lose the message; words follow. Returns whether it was acknowledged.
    """
    message = interaction.message
    if message is None or message.flags.ephemeral or is_reachable(interaction):
        return False
    await interaction.response.defer()
    return True


async def edit_pressed(interaction: Interaction, view: ui.LayoutView) -> None:
    """Answer by editing the message that was pressed."""
    if interaction.response.is_done():
        await edit_answer(interaction, view)
        return
    try:
        await interaction.response.edit_message(view=view, attachments=await pictures_of(view))
    except DISCORD_ERRORS as error:
        if await _find_answer(interaction, error) is None:
            await interaction.response.edit_message(view=view, attachments=await pictures_of(view))
        elif not isinstance(error, CONNECTION_ERRORS):
            # The answer that Discord has may be another bot's.
            await edit_answer(interaction, view)


async def edit_answer(interaction: Interaction, view: ui.LayoutView) -> None:
    """Show the view in place of the promised answer, or of the pressed message once acknowledged."""
    await interaction.edit_original_response(view=view, attachments=await pictures_of(view))


async def _find_answer(interaction: Interaction, error: Exception) -> discord.InteractionMessage | None:
    """Return the answer that Discord has although sending it failed; None if there is none.

    Raises the error where Discord has plainly refused.
    """
    if isinstance(error, discord.HTTPException) and error.code == ALREADY_ACKNOWLEDGED:
        interaction.client.ui.duplicates.record()
        return await interaction.original_response()
    if not isinstance(error, CONNECTION_ERRORS):
        raise error
    try:
        return await interaction.original_response()
    except discord.NotFound:
        return None
