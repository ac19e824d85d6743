"""What every press and command tells: who it was, where, and in which language to answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Any

import discord
from discord import ui

from bot.domain.errors import Refusal, SetupError, Shown
from bot.domain.look import Look
from bot.domain.match import Location, Match
from bot.i18n import Text, tidy
from bot.services.command_costs import Cost
from bot.services.setup_checks import Person
from bot.ui.board import pictures_of
from bot.ui.client import Interaction
from bot.ui.discord_errors import CONNECTION_ERRORS, DISCORD_ERRORS
from bot.ui.followups import follow_up

TOKEN_LIFE = timedelta(minutes=14)
"""For so long an interaction's token is used; Discord lets it live for 15 minutes."""

CLOCKS_DISAGREE = timedelta(seconds=30)
"""What a message may seem older than what it shows, by the time that its sending took."""

GIVE_UP_SECONDS = 2.7
"""After so long nobody sees the answer to a press: Discord waits for 3 seconds."""

_ARRIVED, _PROMISED, _LOCK = "arrived", "promised", "answering"
"""Of an interaction's `extras`: when it came in; whether a private answer is promised, if any is; a lock."""

ALREADY_ACKNOWLEDGED = 40060
"""Discord's code for a second answer to one press: an earlier request got through, whatever became of it."""


def person_of(interaction: Interaction) -> Person:
    return person(interaction.user)


def person(user: discord.User | discord.Member) -> Person:
    """Called here by their nickname, everywhere else by their account's name, without floods in either.

    Of a name that shows nothing the next one takes the place.
    """
    account = tidy(user.global_name or "") or tidy(user.name) or str(user.id)
    return Person(user.id, tidy(user.display_name) or account, account)


def location_of(interaction: Interaction, message_id: int | None = None) -> Location:
    """Where the answer stands; its language is the server's, or the person's own in direct messages.

    What a server or a person has chosen here goes before what Discord says of them. Raises SetupError where
    Discord has a kind of channel that discord.py does not know.
    """
    if interaction.channel_id is None:
        raise SetupError("strange_channel")
    if interaction.guild_id is None:
        return Location(interaction.channel_id, None, message_id, _own_language(interaction))
    chosen = interaction.client.services.settings.server(interaction.guild_id).language
    return Location(
        interaction.channel_id,
        interaction.guild_id,
        message_id,
        chosen or str(interaction.guild_locale or interaction.locale),
        interaction.channel.parent_id if isinstance(interaction.channel, discord.Thread) else None,
    )


def own_text(interaction: Interaction) -> Text:
    """The texts for an answer that only this person sees."""
    return interaction.client.services.texts.of(_own_language(interaction))


def own_look(interaction: Interaction) -> Look:
    """How boards look in what only this person sees."""
    look = interaction.client.services.settings.person(interaction.user.id).look
    return look.written_in(interaction.client.emoji)


def location_text(interaction: Interaction) -> Text:
    """The texts for an answer that everybody in the channel sees."""
    return interaction.client.services.texts.of(location_of(interaction).locale)


def _own_language(interaction: Interaction) -> str:
    return interaction.client.services.settings.person(interaction.user.id).language or str(
        interaction.locale
    )


def spend(interaction: Interaction, cost: Cost) -> None:
    """Takes what is asked for out of what the person and the server may spend; raises SetupError."""
    interaction.client.ui.budget.spend(interaction.user.id, interaction.guild_id, cost)


def check_channel(interaction: Interaction) -> None:
    """Refuses to start anything where the server does not want it; a thread counts as its channel.

    Raises SetupError.
    """
    settings = interaction.client.services.settings.server(interaction.guild_id)
    parent = getattr(interaction.channel, "parent_id", None)
    if not settings.allows(interaction.channel_id, parent):
        allowed = ", ".join(f"<#{channel_id}>" for channel_id in sorted(settings.play_channels))
        raise SetupError("not_in_this_channel", channels=Shown(allowed))


def check_open_to_everywhere(interaction: Interaction) -> None:
    """Refuses to show boards of everywhere in a server that keeps to itself; raises SetupError."""
    if interaction.client.services.settings.server(interaction.guild_id).is_closed:
        raise SetupError("server_closed")


def check_scope(interaction: Interaction, guild_id: int | None) -> None:
    """Refuses a board of another server, and of everywhere where that is not shown; raises SetupError."""
    if guild_id not in (None, interaction.guild_id):
        raise SetupError("leaderboard_elsewhere")
    if guild_id is None:
        check_open_to_everywhere(interaction)


async def turn_board(interaction: Interaction, reader_id: int, view: Callable[[Text], ui.LayoutView]) -> None:
    """Turns the board for the person who asked for it; anybody else gets a copy of their own."""
    if interaction.user.id == reader_id:
        await interaction.response.edit_message(view=view(location_text(interaction)))
    else:
        await respond(interaction, view(own_text(interaction)))


def highest_level(interaction: Interaction) -> int | None:
    """How many levels of the ladder the server has opened; None for all."""
    return interaction.client.services.settings.server(interaction.guild_id).highest_level


async def seen_match(interaction: Interaction, match_id: int) -> Match:
    """The match of that number, called as it may be here, if this person may look at it; raises Refusal."""
    service = interaction.client.services.matches
    found = await service.seen(match_id, interaction.user.id, interaction.channel_id)
    return (await service.called_in(interaction.guild_id, found))[0]


def check_not_older(interaction: Interaction, created_at: datetime, message_id: int | None) -> None:
    """Refuses a press on a message that was there before what it would act on; raises Refusal.

    Such a message is about something else of the same number: of before a backup was restored, or deleted
    since. created_at, message_id: of what the press is about, and of the message that is known to show it.
    Ages are compared, since Discord's clock is not ours.
    """
    message = interaction.message
    if message is None or message_id in (None, message.id):
        return
    age = interaction.client.services.clock() - created_at
    if interaction.created_at - message.created_at > age + CLOCKS_DISAGREE:
        raise Refusal("button_gone")


def is_private(interaction: Interaction) -> bool:
    """Whether what was pressed is seen by this person alone."""
    return interaction.message is not None and interaction.message.flags.ephemeral


def is_reachable(interaction: Interaction) -> bool:
    """Whether the bot itself can edit messages there, not only answer this interaction.

    False where it is installed for the user alone: servers without the bot, and private channels.
    """
    if interaction.guild_id is not None:
        return (
            interaction.client.get_guild(interaction.guild_id) is not None
            and interaction.app_permissions.view_channel
        )
    return interaction.context.dm_channel


def is_alive(interaction: Interaction) -> bool:
    """Whether the press's token can still edit and send."""
    return discord.utils.utcnow() - interaction.created_at < TOKEN_LIFE


def arrived(interaction: Interaction) -> None:
    """Notes when it came in."""
    interaction.extras[_ARRIVED] = asyncio.get_running_loop().time()


def has_given_up(interaction: Interaction) -> bool:
    """Whether it came in so long ago, and was not answered, that Discord has told the person so."""
    since = interaction.extras.get(_ARRIVED)
    now = asyncio.get_running_loop().time()
    return since is not None and now - since > GIVE_UP_SECONDS and not interaction.response.is_done()


async def promise(interaction: Interaction, *, is_private: bool) -> None:
    """Acknowledges it where nothing has yet, so that `respond` and `reply` have a quarter of an hour.

    is_private: whether only this person is to see the answer.
    """
    async with _answering(interaction):
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
    """Answers with a new message, as promised or at once; returns its id, as far as Discord says it."""
    async with _answering(interaction):
        promised = interaction.extras.pop(_PROMISED, None)
        files = [*([] if file is None else [file]), *await pictures_of(view)]
        if promised is None and not interaction.response.is_done():
            try:
                sent = await interaction.response.send_message(
                    view=view, ephemeral=is_private, files=files, **options
                )
            except DISCORD_ERRORS as error:
                return await _said_again(interaction, error, view, files, options | {"ephemeral": is_private})
            return sent.message_id
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


async def _said_again(
    interaction: Interaction,
    error: Exception,
    view: ui.LayoutView,
    files: list[discord.File],
    options: dict[str, Any],
) -> int | None:
    """An answer whose sending failed with `error`, unless Discord has it after all."""
    found = await _original(interaction, error)
    for file in files:
        file.reset()
    if found is None:
        again = await interaction.response.send_message(view=view, files=files, **options)
        return again.message_id
    if interaction.message is not None and found.id == interaction.message.id:
        sent: discord.WebhookMessage = await interaction.followup.send(
            view=view, wait=True, files=files, **options
        )
        return sent.id
    if found.flags.loading:
        options.pop("ephemeral")
        await interaction.edit_original_response(view=view, attachments=files, **options)
    return found.id


async def reply(interaction: Interaction, text: str, **options: Any) -> None:
    """A line that only this person sees, whether or not the press was answered already."""
    async with _answering(interaction):
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
                interaction.client.ui.twins.note()
            else:
                return
        async with _withdrawn(interaction, promised):
            await interaction.followup.send(text, ephemeral=True, **options)


@asynccontextmanager
async def _withdrawn(interaction: Interaction, promised: bool | None) -> AsyncIterator[None]:
    """Takes away what was promised to others than will see what is sent in the block.

    Who sees an answer is settled with its promise, which is filled by whatever is sent next: so it is filled,
    and deleted in the end.
    """
    if promised is not None:
        await interaction.edit_original_response(content="…")
    yield
    if promised is not None:
        await interaction.delete_original_response()


async def answer_with(interaction: Interaction, view: ui.LayoutView, **options: Any) -> tuple[int, bool]:
    """Answers with a message that everybody sees; returns its id, and whether the press's token edits it."""
    is_first = not interaction.response.is_done() or _PROMISED in interaction.extras
    try:
        sent = await respond(interaction, view, is_private=False, **options)
    except DISCORD_ERRORS as error:
        if not is_first:
            raise
        found = await _original(interaction, error)
        if found is not None and not found.flags.loading:
            return found.id, True
        sent = await respond(interaction, view, is_private=False, **options)
    if sent is None:
        raise RuntimeError("Discord's answer names no message")
    return sent, is_first


def _answering(interaction: Interaction) -> asyncio.Lock:
    """Held by whoever answers it, since there is one first answer."""
    lock: asyncio.Lock = interaction.extras.setdefault(_LOCK, asyncio.Lock())
    return lock


async def open_form(interaction: Interaction, form: ui.Modal) -> None:
    """Answers with the form; once more where the connection tore, for it may not have opened."""
    try:
        await interaction.response.send_modal(form)
    except CONNECTION_ERRORS:
        try:
            await interaction.response.send_modal(form)
        except discord.HTTPException as error:
            if error.code != ALREADY_ACKNOWLEDGED:
                raise


async def edit_pressed(interaction: Interaction, view: ui.LayoutView) -> None:
    """Answers by editing the message that was pressed."""
    try:
        await interaction.response.edit_message(view=view, attachments=await pictures_of(view))
    except DISCORD_ERRORS as error:
        if await _original(interaction, error) is None:
            await interaction.response.edit_message(view=view, attachments=await pictures_of(view))
        elif not isinstance(error, CONNECTION_ERRORS):
            # Somebody else's answer, perhaps.
            await edit_answer(interaction, view)


async def edit_answer(interaction: Interaction, view: ui.LayoutView) -> None:
    """Shows the view in place of what was promised, or of the message whose press was acknowledged."""
    await interaction.edit_original_response(view=view, attachments=await pictures_of(view))


async def _original(interaction: Interaction, error: Exception) -> discord.InteractionMessage | None:
    """What an answer that failed with `error` left behind after all; None where it has to be given again.

    Raises the error where Discord has plainly refused.
    """
    if isinstance(error, discord.HTTPException) and error.code == ALREADY_ACKNOWLEDGED:
        interaction.client.ui.twins.note()
        return await interaction.original_response()
    if not isinstance(error, CONNECTION_ERRORS):
        raise error
    try:
        return await interaction.original_response()
    except discord.NotFound:
        return None
