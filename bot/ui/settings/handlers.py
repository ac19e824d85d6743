"""Handlers of preferences, server settings, privacy and deletion; every choice is stored, then shown."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

import discord
from discord import ui

from bot.domain.errors import Markup, NotFound, SetupError
from bot.domain.preferences import HIGHEST_LEVEL, Preferences, ServerSettings, Starters, Threads
from bot.domain.reminder import ReminderKind
from bot.domain.vote import Voters
from bot.presentation import Size, Theme
from bot.services.command_costs import Cost
from bot.ui.answers import edit_pressed, promise, respond
from bot.ui.client import Interaction
from bot.ui.context import own_look, own_text, person_of, spend
from bot.ui.layout import box, lines
from bot.ui.permissions import may_post, role_problem
from bot.ui.routing import choice, chosen
from bot.ui.settings.routes import DAILY, ORDER, OVERVIEW, PLAY
from bot.ui.settings.views import (
    ALL_BOARDS,
    ALL_LEVELS,
    CHANNEL_TYPES,
    DISCORDS,
    OFFERED_BOARDS,
    ZONES,
    deletion_view,
    most_channels,
    my_data_view,
    preferences_view,
    settings_group_view,
    settings_view,
)

T = TypeVar("T")

EXPORT_NAME = "discade-my-data.zip"


async def show_preferences(interaction: Interaction) -> None:
    """Answer with the person's preferences, privately."""
    await respond(interaction, await _preferences(interaction))


async def wish(interaction: Interaction, field: str) -> None:
    """Change one preference of the person that presses; raises SetupError for an unknown value."""
    services, user_id = interaction.client.services, interaction.user.id
    languages = services.texts.languages
    wishes = _wished(services.settings.person(user_id), field, choice(interaction), languages)
    await services.settings.prefer(user_id, wishes)
    await edit_pressed(interaction, await _preferences(interaction))


async def _preferences(interaction: Interaction) -> ui.LayoutView:
    services, user_id = interaction.client.services, interaction.user.id
    reminder = await services.reminders.of(user_id, ReminderKind.TURNS)
    wishes, look = services.settings.person(user_id), own_look(interaction)
    is_reminded = reminder is not None
    return preferences_view(own_text(interaction), services.texts, wishes, look, is_reminded=is_reminded)


def _wished(wishes: Preferences, field: str, value: str, languages: tuple[str, ...]) -> Preferences:
    # The value may never have been offered: see `choice`.
    if field == "theme" and value in set(Theme):
        return replace(wishes, theme=Theme(value))
    if field == "size" and value in set(Size):
        return replace(wishes, size=Size(value))
    if field == "language" and value in (DISCORDS, *languages):
        return replace(wishes, language=None if value == DISCORDS else value)
    if field == "calls" and value in ("yes", "no"):
        return replace(wishes, is_called=value == "yes")
    if field == "listed" and value in ("yes", "no"):
        return replace(wishes, is_listed=value == "yes")
    raise SetupError("unknown_choice", choice=value)


async def show_settings(interaction: Interaction) -> None:
    """Answer with the server's settings, privately; raises SetupError without the right to change them."""
    _, settings = _check_allowed(interaction)
    await respond(interaction, settings_view(own_text(interaction), settings))


async def open_group(interaction: Interaction, group: str) -> None:
    """Show a group of the server's settings in place of the list of groups, or that list again."""
    _, settings = _check_allowed(interaction)
    await interaction.response.edit_message(view=_view(interaction, settings, group))


def _view(interaction: Interaction, settings: ServerSettings, group: str) -> ui.LayoutView:
    t, texts = own_text(interaction), interaction.client.services.texts
    if group == OVERVIEW:
        return settings_view(t, settings)
    return settings_group_view(t, texts, settings, interaction.guild, group)


async def decide(interaction: Interaction, field: str) -> None:
    """Change a setting with a few options; raises SetupError."""
    value = choice(interaction)
    # The value may never have been offered: see `choice`.
    if field == "language" and value in (DISCORDS, *interaction.client.services.texts.languages):
        await _settle(interaction, PLAY, language=None if value == DISCORDS else value)
    elif field == "hour" and re.fullmatch(r"1?[0-9]|2[0-3]", value):
        await _settle(interaction, DAILY, puzzle_hour=int(value))
    elif field == "zone" and value in ZONES:
        await _settle(interaction, DAILY, puzzle_zone=value)
    elif field == "level" and value in {ALL_LEVELS, *map(str, range(1, HIGHEST_LEVEL + 1))}:
        await _settle(interaction, PLAY, highest_level=None if value == ALL_LEVELS else int(value))
    elif field == "closed" and value in ("yes", "no"):
        await _settle(interaction, ORDER, is_closed=value == "yes")
    elif field == "starters" and value in tuple(Starters):
        await _settle(interaction, ORDER, starters=Starters(value))
    elif field == "voters" and value in tuple(Voters):
        await _settle(interaction, ORDER, voters=Voters(value))
    elif field == "boards" and value in (ALL_BOARDS, *map(str, OFFERED_BOARDS)):
        await _settle(interaction, ORDER, most_boards=None if value == ALL_BOARDS else int(value))
    elif field == "threads" and value in tuple(Threads):
        await _settle(interaction, PLAY, threads=Threads(value))
    else:
        raise SetupError("unknown_choice", choice=value)


async def switch(interaction: Interaction, field: str, is_on: bool) -> None:
    """Turn sharing, predictions or tournaments' events on or off; raises SetupError."""
    if field == "share":
        await _settle(interaction, ORDER, is_sharing=is_on)
    elif field == "predict":
        await _settle(interaction, DAILY, is_predicting=is_on)
    else:
        await _settle(interaction, DAILY, is_scheduling=is_on)


async def choose_channels(interaction: Interaction, field: str) -> None:
    """Set the channels for matches, or that of another message, or none; raises SetupError."""
    _check_allowed(interaction)
    ids = [_channel_id(interaction, value, field) for value in chosen(interaction)[: most_channels(field)]]
    if field == "play":
        await _settle(interaction, PLAY, play_channels=frozenset(ids))
        return
    channel_id = ids[0] if ids else None
    if channel_id is not None and interaction.guild is not None:
        channel = interaction.guild.get_channel(channel_id)
        # The person is still here to choose another one; the message itself would fail later, unseen.
        if channel is None or not may_post(channel):
            raise SetupError("settings_puzzle_closed", channel=Markup(f"<#{channel_id}>"))
        if field == "lobby":
            if interaction.client.services.settings.server(interaction.guild.id).is_closed:
                raise SetupError("lobby_closed")
            await interaction.client.services.lobby.rename(interaction.guild.id, interaction.guild.name)
    await _settle(interaction, DAILY if field == "puzzle" else PLAY, **{f"{field}_channel": channel_id})


async def choose_role(interaction: Interaction, field: str) -> None:
    """Set a champions' role or the role that may change the settings, or none; raises SetupError.

    Only people who manage the server may choose the role that may change the settings.
    """
    if field == "role" and not interaction.permissions.manage_guild:
        raise SetupError("settings_role_not_yours")
    _check_allowed(interaction)
    value = next(iter(chosen(interaction)), None)
    guild = interaction.guild
    role = None if value is None else _lookup(value, None if guild is None else guild.get_role)
    # The bot gives a champions' role to people; the other one it only reads, so any will do.
    if field != "role" and role is not None:
        _check_givable(interaction, role)
    column = field if field == "role" else f"{field}_role"
    await _settle(
        interaction, ORDER if field == "role" else DAILY, **{column: None if role is None else role.id}
    )


def _check_givable(interaction: Interaction, role: discord.Role) -> None:
    """Refuse roles that the person could not give themselves; the bot must not raise rights for them."""
    if (problem := role_problem(role)) is not None:
        own = role.guild.me.top_role.mention
        raise SetupError(f"champion_role_{problem}", role=Markup(role.mention), own=Markup(own))
    is_owner = interaction.user.id == role.guild.owner_id
    highest = getattr(interaction.user, "top_role", role)
    if not is_owner and not (interaction.permissions.manage_roles and highest > role):
        raise SetupError("settings_champion_not_yours")


def _channel_id(interaction: Interaction, value: str, field: str) -> int:
    guild = interaction.guild
    find: Callable[[int], discord.abc.GuildChannel | None] | None = (
        None if guild is None else guild.get_channel
    )
    channel = _lookup(value, find)
    if channel.type not in CHANNEL_TYPES[field]:
        raise SetupError("unknown_choice", choice=value)
    return int(channel.id)


def _lookup(value: str, find: Callable[[int], T | None] | None) -> T:
    """Return the server's channel or role with that id; a forged id may name none."""
    found = find(int(value)) if find is not None and re.fullmatch(r"[0-9]{1,20}", value) else None
    if found is None:
        raise SetupError("unknown_choice", choice=value)
    return found


async def _settle(interaction: Interaction, group: str, **changes: object) -> None:
    """Store the changes, then show the group. Rights are checked at every press: they may have changed."""
    guild_id, _ = _check_allowed(interaction)
    services = interaction.client.services
    settings = await services.settings.change(guild_id, lambda before: before.changed(**changes))
    await interaction.response.edit_message(view=_view(interaction, settings, group))


def _check_allowed(interaction: Interaction) -> tuple[int, ServerSettings]:
    """Return the server's id and settings; raises SetupError without the right to change them."""
    if interaction.guild_id is None:
        raise SetupError("settings_no_server")
    settings = interaction.client.services.settings.server(interaction.guild_id)
    roles = {role.id for role in getattr(interaction.user, "roles", ())}
    if not interaction.permissions.manage_guild and settings.role not in roles:
        raise SetupError("settings_not_yours")
    return interaction.guild_id, settings


async def show_my_data(interaction: Interaction) -> None:
    """Answer privately with which data is stored, and with buttons that export and delete it."""
    await respond(interaction, my_data_view(own_text(interaction)))


async def press_my_data(interaction: Interaction, is_export: bool) -> None:
    if is_export:
        await _send_export(interaction)
    else:
        await respond(interaction, deletion_view(own_text(interaction), interaction.user.id))


async def _send_export(interaction: Interaction) -> None:
    """Answer privately with a file of everything stored about the person."""
    spend(interaction, Cost.EXPORT)
    await promise(interaction, is_private=True)
    data = await interaction.client.services.privacy.export(person_of(interaction))
    file = discord.File(io.BytesIO(data), EXPORT_NAME)
    await interaction.followup.send(own_text(interaction)("export_done"), file=file, ephemeral=True)


async def answer_deletion(interaction: Interaction, user_id: int, is_sure: bool) -> None:
    """Delete the person's data if they are sure; raises NotFound for other people's presses."""
    if interaction.user.id != user_id:
        raise NotFound("delete_not_yours")
    t, client = own_text(interaction), interaction.client
    if not is_sure:
        await interaction.response.edit_message(view=box(lines(t("delete_kept"))))
        return
    await interaction.response.edit_message(view=box(lines(t("delete_begins"))))
    await client.services.privacy.delete(person_of(interaction))
    await interaction.edit_original_response(view=box(lines(t("delete_done"))))
