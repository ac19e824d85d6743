"""Handlers that open a mirror: a match is shown in a further channel, too."""

from __future__ import annotations

import discord

from bot.domain.errors import Markup, MatchError, SetupError
from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.outgoing import BOTH_SEATS, Place
from bot.presentation import status
from bot.ui.answers import reply
from bot.ui.client import Interaction
from bot.ui.context import check_channel, own_text
from bot.ui.permissions import can_post, is_public, may_post
from bot.ui.routing import choice

MAX_MIRRORS = 10
"""Of one match, and in one channel: each costs an edit a move."""


async def choose_channel(interaction: Interaction, match_id: int) -> None:
    """Show the match in the chosen channel as well; raises Refusal."""
    guild, value = interaction.guild, choice(interaction)
    # Ids are forged with ease; an unknown one names no channel.
    channel = guild.get_channel_or_thread(int(value)) if guild is not None and value.isdecimal() else None
    await show_also(interaction, await interaction.client.services.matches.match(match_id), channel)


async def show_again(interaction: Interaction, match: Match) -> None:
    """Send this channel's mirror again, below other messages, and say so; raises MatchError without one."""
    t, here = own_text(interaction), Markup(f"<#{interaction.channel_id}>")
    if not await interaction.client.display.mirrors.send_again(match.id, interaction.channel_id):
        if match.is_between and match.is_played_in(interaction.guild_id):
            # Their own server's board was deleted, or it was away.
            await show_also(interaction, match, interaction.channel)
            return
        raise MatchError("board_elsewhere", place=Markup(f"<#{match.channel.channel_id}>"))
    await reply(interaction, t("mirror_opens", game=status.title(t, match), channel=here))


async def show_also(interaction: Interaction, match: Match, channel: object) -> None:
    """Show the match in that channel as well, and say so; raises Refusal.

    Anybody may do that in a server from which it is played, as long as everybody can see its channel. In
    another server both players have to ask for it, and neither server may keep its results to itself.
    """
    client, user = interaction.client, interaction.user
    if match.is_over:
        raise MatchError("match_over")
    if match.is_voted:
        raise MatchError("vote_one_channel")
    if not isinstance(channel, discord.abc.GuildChannel | discord.Thread) or not isinstance(
        user, discord.Member
    ):
        raise MatchError("mirror_private")
    home, there = match.location, Markup(channel.mention)
    if not isinstance(home, Channel) or not is_public(client, home):
        raise MatchError("mirror_private")
    if home.channel_id == channel.id:
        raise MatchError("mirror_is_there", channel=there)
    # Within a server everybody can see the match anyway; abroad it would be shown to strangers.
    seats = BOTH_SEATS
    if not match.is_played_in(channel.guild.id):
        seats = sum(1 << player for player in match.players_of(user.id))
        servers = (client.services.settings.server(one) for one in (home.guild_id, channel.guild.id))
        if not seats or any(server.is_closed for server in servers):
            raise MatchError("mirror_elsewhere")
    if not can_post(channel, user):
        raise SetupError("mirror_not_yours", channel=there)
    if not may_post(channel):
        raise SetupError("settings_puzzle_closed", channel=there)
    check_channel(interaction, channel)
    mirrors = client.display.mirrors
    standing = mirrors.standing(match.id)
    t, game = own_text(interaction), status.title(own_text(interaction), match)
    if any(note.part == channel.id for note in standing):
        # Whoever plays has a say in where; others leave it to the people who manage messages there.
        if not match.players_of(user.id):
            raise MatchError("mirror_is_there", channel=there)
        await mirrors.close(match.id, channel.id)
        await reply(interaction, t("mirror_closed", game=game, channel=there))
        return
    if max(len(standing), len(mirrors.matches_in(channel.id))) >= MAX_MIRRORS:
        raise MatchError("mirror_too_many", n=MAX_MIRRORS)
    locale = client.services.settings.server(channel.guild.id).language or str(channel.guild.preferred_locale)
    parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
    opens = await mirrors.open(match, Place(channel.id, channel.guild.id, locale, parent_id), seats)
    if opens:
        await reply(interaction, t("mirror_opens", game=game, channel=there))
        return
    other = status.name_of(match, match.player_of(user.id).other)
    await reply(interaction, t("mirror_asked", game=game, channel=there, other=other))
