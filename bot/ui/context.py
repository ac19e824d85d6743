"""What every press and command tells: who it was, where, and in which language to answer."""

from __future__ import annotations

from typing import Any

import discord

from bot.domain.errors import SetupError, Shown
from bot.domain.look import Look
from bot.domain.match import Match, Place
from bot.i18n import Text
from bot.services import Person
from bot.services.validation import open_levels
from bot.ui.client import AnyInteraction, Interaction

Press = Interaction
AnyPress = AnyInteraction


def person_of(press: Press) -> Person:
    return person(press.user)


def person(user: discord.User | discord.Member) -> Person:
    return Person(user.id, user.display_name)


def place_of(press: Press, message_id: int | None = None) -> Place:
    """Where the answer stands; its language is the server's, or the person's own in direct messages.

    What a server or a person has chosen here goes before what Discord says of them.
    """
    if press.channel_id is None:
        raise ValueError("an interaction without a channel")
    if press.guild_id is None:
        return Place(press.channel_id, None, message_id, _own_language(press))
    chosen = press.client.care.server(press.guild_id).language
    return Place(
        press.channel_id, press.guild_id, message_id, chosen or str(press.guild_locale or press.locale)
    )


def own_text(press: Press) -> Text:
    """The texts for an answer that only this person sees."""
    return press.client.texts.of(_own_language(press))


def own_look(press: Press) -> Look:
    """How boards look in what only this person sees."""
    return press.client.care.person(press.user.id).look


def place_text(press: Press) -> Text:
    """The texts for an answer that everybody in the channel sees."""
    return press.client.texts.of(place_of(press).locale)


def _own_language(press: Press) -> str:
    return press.client.care.person(press.user.id).language or str(press.locale)


def check_channel(press: Press) -> None:
    """Refuses to start anything where the server does not want it; a thread counts as its channel."""
    settings = press.client.care.server(press.guild_id)
    parent = getattr(press.channel, "parent_id", None)
    if not settings.allows(press.channel_id, parent):
        allowed = ", ".join(f"<#{channel_id}>" for channel_id in sorted(settings.play_channels))
        raise SetupError("not_in_this_channel", channels=Shown(allowed))


def check_levels(press: Press, match: Match) -> None:
    """Refuses to repeat a match with an agent that the server has closed since."""
    highest = press.client.care.server(press.guild_id).highest_level
    allowed = open_levels(press.client.roster, match.game, highest=highest)
    closed = [
        seat.name
        for seat in match.seats
        if seat.level is not None and seat.level not in {level.key for level in allowed}
    ]
    if closed and highest is not None:
        names = ", ".join(level.name for level in allowed)
        raise SetupError("level_closed", level=closed[0], allowed=names)


def check_sees(press: Press, match: Match) -> None:
    """Refuses people who neither play the match nor are where it is shown: a custom_id is only a claim."""
    if match.place.channel_id != press.channel_id:
        match.player_of(press.user.id)


def is_reachable(press: Press) -> bool:
    """Whether the bot itself can edit messages there, not only answer this interaction.

    False where it is installed for the user alone: servers without the bot, and private channels.
    """
    if press.guild_id is not None:
        return press.client.get_guild(press.guild_id) is not None and press.app_permissions.view_channel
    return press.context.dm_channel


async def reply(press: Press, text: str, **options: Any) -> None:
    """A line that only this person sees, whether or not the press was answered already."""
    if press.response.is_done():
        await press.followup.send(text, ephemeral=True, **options)
    else:
        await press.response.send_message(text, ephemeral=True, **options)


def id_of(sent: discord.InteractionCallbackResponse[Any]) -> int:
    """The message that answered an interaction."""
    if sent.message_id is None:
        raise RuntimeError("Discord's answer names no message")
    return sent.message_id
