"""The person and place of an interaction, the language of its answer, and the rules of its channel."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import discord

from bot.domain.errors import Markup, Refusal, SetupError
from bot.domain.location import Channel
from bot.domain.look import Look
from bot.domain.match import Match
from bot.domain.names import clean
from bot.domain.person import Person
from bot.domain.preferences import Starters
from bot.i18n import Text
from bot.services.command_costs import Cost
from bot.services.tournaments import Organiser
from bot.ui.client import Interaction
from bot.ui.permissions import is_moderator, is_public

MAX_SENDING_TIME = timedelta(seconds=30)
"""How much older than its subject a message may seem, by the time that its sending took."""


def person_of(interaction: Interaction) -> Person:
    """Return the person who acts, and the moment at which Discord received that."""
    return replace(named(interaction.user), pressed_at=interaction.created_at)


def organiser_of(interaction: Interaction) -> Organiser:
    """Return the person as one who decides about tournaments."""
    is_admin = interaction.permissions.manage_guild
    return Organiser(interaction.user.id, is_admin=is_admin, pressed_at=interaction.created_at)


def named(user: discord.User | discord.Member) -> Person:
    """Return the person, with nickname and account name; a name that shows nothing is replaced."""
    return Person(user.id, user.display_name, clean(user.global_name, user.name, str(user.id)))


async def find_user(interaction: Interaction, user_id: int) -> discord.User | discord.Member:
    """Return the user, as a member of the server where possible; raises SetupError."""
    guild = interaction.guild_id and interaction.client.get_guild(interaction.guild_id)
    try:
        if guild:
            return guild.get_member(user_id) or await guild.fetch_member(user_id)
        return interaction.client.get_user(user_id) or await interaction.client.fetch_user(user_id)
    except (discord.NotFound, discord.Forbidden):
        raise SetupError("unknown_person") from None


def location_of(interaction: Interaction, message_id: int | None = None) -> Channel:
    """Return where the answer stands, with the language of the server, or of the person in direct messages.

    Languages chosen in the bot's settings precede Discord's. Raises SetupError in channels of a kind that
    discord.py does not know.
    """
    if interaction.channel_id is None:
        raise SetupError("strange_channel")
    if interaction.guild_id is None:
        return Channel(interaction.channel_id, None, message_id, _own_language(interaction))
    chosen = interaction.client.services.settings.server(interaction.guild_id).language
    return Channel(
        interaction.channel_id,
        interaction.guild_id,
        message_id,
        chosen or str(interaction.guild_locale or interaction.locale),
        interaction.channel.parent_id if isinstance(interaction.channel, discord.Thread) else None,
    )


def board_location_of(interaction: Interaction, match: Match, message_id: int | None = None) -> Channel:
    """Return where the board of the match stands, with the person's own language against a bot."""
    here = location_of(interaction, message_id)
    is_for_one = match.has_agent and not match.is_watched and not match.is_voted
    return replace(here, locale=_own_language(interaction)) if is_for_one else here


def own_text(interaction: Interaction) -> Text:
    """Return the texts for a private answer."""
    return interaction.client.services.texts.of(_own_language(interaction))


def own_look(interaction: Interaction) -> Look:
    """Return how boards look in private answers."""
    look = interaction.client.services.settings.person(interaction.user.id).look
    return look.written_in(interaction.client.emoji)


def location_text(interaction: Interaction) -> Text:
    """Return the texts for a public answer."""
    return interaction.client.services.texts.of(location_of(interaction).locale)


def _own_language(interaction: Interaction) -> str:
    chosen = interaction.client.services.settings.person(interaction.user.id).language
    return chosen or str(interaction.locale)


def spend(interaction: Interaction, cost: Cost) -> None:
    """Charge the person and the server for an expensive answer; raises SetupError."""
    interaction.client.ui.budget.spend(interaction.user.id, interaction.guild_id, cost)


def check_channel(
    interaction: Interaction, channel: discord.abc.GuildChannel | discord.Thread | None = None
) -> None:
    """Raise SetupError unless the server wants matches in the channel; a thread counts as its channel.

    channel: of this server; None for that of the interaction.
    """
    settings = interaction.client.services.settings.server(interaction.guild_id)
    channel_id = interaction.channel_id if channel is None else channel.id
    parent = getattr(channel or interaction.channel, "parent_id", None)
    if not settings.allows(channel_id, parent):
        allowed = ", ".join(f"<#{channel_id}>" for channel_id in sorted(settings.play_channels))
        raise SetupError("not_in_this_channel", channels=Markup(allowed))


def check_may_start(interaction: Interaction) -> None:
    """Raise SetupError unless the server lets the person start tournaments and matches to watch."""
    settings = interaction.client.services.settings.server(interaction.guild_id)
    roles = {role.id for role in getattr(interaction.user, "roles", ())}
    is_trusted = is_moderator(interaction) or settings.role in roles
    if settings.starters is Starters.MODERATORS and not is_trusted:
        raise SetupError("start_not_yours")


def check_open_to_everywhere(interaction: Interaction) -> None:
    """Raise SetupError in servers that show no leaderboards of everywhere."""
    if interaction.client.services.settings.server(interaction.guild_id).is_closed:
        raise SetupError("server_closed")


def check_scope(interaction: Interaction, guild_id: int | None) -> None:
    """Raise SetupError for a leaderboard of another server, and of everywhere in closed servers."""
    if guild_id not in (None, interaction.guild_id):
        raise SetupError("leaderboard_elsewhere")
    if guild_id is None:
        check_open_to_everywhere(interaction)


async def seen_match(interaction: Interaction, match_id: int) -> Match:
    """Return the match with the names of its players here; raises Refusal if it is hidden from the person.

    Not hidden is a match in a channel of this server that the person can see: it may be shown here, too.
    """
    services = interaction.client.services
    match = await services.matches.match(match_id)
    is_seen = _sees_channel(interaction, match.location.channel_id) or _is_shown_abroad(interaction, match)
    if not is_seen:
        match.check_visible(interaction.user.id, interaction.channel_id)
    return (await services.matches.called_in(interaction.guild_id, match))[0]


def _sees_channel(interaction: Interaction, channel_id: int | None) -> bool:
    """Return whether the person can see that channel of this server; False where that is unknown."""
    guild, user = interaction.guild, interaction.user
    channel = None if guild is None else guild.get_channel_or_thread(channel_id or 0)
    if isinstance(channel, discord.Thread):
        channel = None if channel.is_private() else channel.parent
    return (
        channel is not None
        and isinstance(user, discord.Member)
        and channel.permissions_for(user).view_channel
    )


def _is_shown_abroad(interaction: Interaction, match: Match) -> bool:
    """Return whether a message of another server than the match's shows it: its players wanted it there.

    The router has checked that the pressed message has a control of the match.
    """
    is_abroad = interaction.guild_id not in (None, match.location.guild_id)
    can_see = match.is_played_in(interaction.guild_id) or is_public(interaction.client, match.location)
    return is_abroad and interaction.message is not None and can_see


def has_web(interaction: Interaction, match: Match) -> bool:
    """Return whether the match can be shared on the web."""
    web = interaction.client.services.web
    return web.url is not None and web.is_shareable(match)


def check_not_older(interaction: Interaction, created_at: datetime, message_id: int | None) -> None:
    """Raise Refusal for a press on a message that is older than its subject.

    Such a message is about something else with the same number, from before a backup was restored.
    created_at, message_id: of the subject, and of the message known to show it. Ages are compared, since
    Discord's clock differs from ours.
    """
    message = interaction.message
    if message is None or message_id in (None, message.id):
        return
    age = interaction.client.services.clock() - created_at
    if interaction.created_at - message.created_at > age + MAX_SENDING_TIME:
        raise Refusal("button_gone")


def is_private(interaction: Interaction) -> bool:
    """Return whether the pressed message is visible to this person alone."""
    return interaction.message is not None and interaction.message.flags.ephemeral


def is_reachable(interaction: Interaction) -> bool:
    """Return whether the bot itself can edit messages there, besides answering this interaction.

    False where it is installed for the user alone: servers without the bot, and private channels.
    """
    if interaction.guild_id is not None:
        return (
            interaction.client.get_guild(interaction.guild_id) is not None
            and interaction.app_permissions.view_channel
        )
    return interaction.context.dm_channel
