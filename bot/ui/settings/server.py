"""The panel of /settings: what a server decides, for those who may; each choice is stored, then shown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Self

import discord
from discord import ui

from bot.domain.errors import SetupError, Shown
from bot.domain.preferences import HIGHEST_LEVEL, ServerSettings
from bot.i18n import Text
from bot.ui.client import AnyInteraction, Interaction
from bot.ui.context import own_text
from bot.ui.errors import guarded
from bot.ui.ids import PREFIX
from bot.ui.layout import box, lines
from bot.ui.settings.preferences import DISCORDS, language_options

ALL_LEVELS = "all"
MOST_CHANNELS = 25
"""As many as Discord's channel select lets one choose."""

CHANNELS = {
    "play": [
        discord.ChannelType.text,
        discord.ChannelType.news,
        discord.ChannelType.voice,
        discord.ChannelType.forum,
    ],
    "puzzle": [discord.ChannelType.text, discord.ChannelType.news],
}
"""By field. Matches are started in forums' threads too, and in the text of voice channels."""


class SettingSelect(ui.DynamicItem[ui.Select[Any]], template=rf"{PREFIX}:g:(?P<field>language|hour|level)"):
    """One decision among a few."""

    def __init__(self, field: str, options: Iterable[discord.SelectOption]) -> None:
        super().__init__(ui.Select(custom_id=f"{PREFIX}:g:{field}", options=list(options)))
        self.field = field

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match["field"], [discord.SelectOption(label="·")])

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        value = self.item.values[0]
        if self.field == "language" and value in (DISCORDS, *interaction.client.texts.languages):
            await _settle(interaction, language=None if value == DISCORDS else value)
        elif self.field == "hour" and re.fullmatch(r"1?[0-9]|2[0-3]", value):
            await _settle(interaction, puzzle_hour=int(value))
        elif self.field == "level" and re.fullmatch(rf"{ALL_LEVELS}|[1-9]|{HIGHEST_LEVEL}", value):
            await _settle(interaction, highest_level=None if value == ALL_LEVELS else int(value))
        else:
            raise SetupError("unknown_choice", choice=value)


class SettingChannels(ui.DynamicItem[ui.ChannelSelect[Any]], template=rf"{PREFIX}:g:(?P<field>play|puzzle)"):
    """Channels where matches may be started, or the one for the daily puzzle; none is a choice too."""

    def __init__(self, field: str, chosen: Sequence[int] = (), placeholder: str | None = None) -> None:
        most = MOST_CHANNELS if field == "play" else 1
        super().__init__(
            ui.ChannelSelect(
                custom_id=f"{PREFIX}:g:{field}",
                channel_types=CHANNELS[field],
                min_values=0,
                max_values=most,
                placeholder=placeholder,
                default_values=[
                    discord.SelectDefaultValue(id=channel_id, type=discord.SelectDefaultValueType.channel)
                    for channel_id in chosen[:most]
                ],
            )
        )
        self.field = field

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(match["field"])

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        chosen = [channel.id for channel in self.item.values]
        if self.field == "play":
            await _settle(interaction, play_channels=frozenset(chosen))
            return
        if chosen and interaction.guild is not None:
            _check_writable(interaction.guild, chosen[0])
        await _settle(interaction, puzzle_channel=chosen[0] if chosen else None)


class SettingRole(ui.DynamicItem[ui.RoleSelect[Any]], template=rf"{PREFIX}:g:role"):
    """The role whose members may change the settings too; only who manages the server gives it out."""

    def __init__(self, chosen: int | None = None, placeholder: str | None = None) -> None:
        defaults = [] if chosen is None else [
            discord.SelectDefaultValue(id=chosen, type=discord.SelectDefaultValueType.role)
        ]  # fmt: skip
        super().__init__(
            ui.RoleSelect(
                custom_id=f"{PREFIX}:g:role", min_values=0, placeholder=placeholder, default_values=defaults
            )
        )

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], _match: re.Match[str]) -> Self:
        return cls()

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, None)

    async def _press(self, interaction: Interaction) -> None:
        if not interaction.permissions.manage_guild:
            raise SetupError("settings_role_not_yours")
        await _settle(interaction, role=self.item.values[0].id if self.item.values else None)


SETTING_ITEMS: tuple[type[ui.DynamicItem[Any]], ...] = (SettingSelect, SettingChannels, SettingRole)


async def show_settings(interaction: Interaction) -> None:
    """Answers with the panel, privately; raises SetupError for who may not change anything."""
    _, settings = _checked(interaction)
    await interaction.response.send_message(view=settings_view(interaction, settings), ephemeral=True)


async def _settle(interaction: Interaction, **changes: object) -> None:
    """Checked again at every press: a message stays, and permissions change."""
    guild_id, settings = _checked(interaction)
    settings = settings.changed(**changes)
    await interaction.client.settings_cache.save(guild_id, settings)
    await interaction.response.edit_message(view=settings_view(interaction, settings))


def _check_writable(guild: discord.Guild, channel_id: int) -> None:
    """Refuses a channel that the daily puzzle could not be sent to."""
    channel = guild.get_channel(channel_id)
    allowed = None if channel is None else channel.permissions_for(guild.me)
    if allowed is None or not (allowed.view_channel and allowed.send_messages):
        raise SetupError("settings_puzzle_closed", channel=Shown(f"<#{channel_id}>"))


def _checked(interaction: Interaction) -> tuple[int, ServerSettings]:
    """The server and its settings, for somebody who may change them; raises SetupError."""
    if interaction.guild_id is None:
        raise SetupError("settings_no_server")
    settings = interaction.client.settings_cache.server(interaction.guild_id)
    roles = {role.id for role in getattr(interaction.user, "roles", ())}
    if not interaction.permissions.manage_guild and settings.role not in roles:
        raise SetupError("settings_not_yours")
    return interaction.guild_id, settings


def settings_view(interaction: Interaction, settings: ServerSettings) -> ui.LayoutView:
    """What the server has decided, and what else it may."""
    t = own_text(interaction)
    puzzle_channels = () if settings.puzzle_channel is None else (settings.puzzle_channel,)
    return box(
        lines(f"### {t('settings_title')}", f"-# {t('settings_about')}"),
        lines(f"**{t('settings_language')}**"),
        ui.ActionRow(SettingSelect("language", language_options(interaction, t, settings.language))),
        lines(f"**{t('settings_play')}**"),
        ui.ActionRow(SettingChannels("play", sorted(settings.play_channels), t("settings_everywhere"))),
        lines(f"**{t('settings_puzzle')}**"),
        ui.ActionRow(SettingChannels("puzzle", puzzle_channels, t("settings_no_puzzle"))),
        ui.ActionRow(SettingSelect("hour", _hours(t, settings))),
        lines(f"**{t('settings_level')}**"),
        ui.ActionRow(SettingSelect("level", _levels(t, settings))),
        lines(f"**{t('settings_role')}**"),
        ui.ActionRow(SettingRole(settings.role, t("settings_no_role"))),
    )


def _hours(t: Text, settings: ServerSettings) -> Iterable[discord.SelectOption]:
    for hour in range(24):
        yield discord.SelectOption(
            label=t("settings_hour", hour=f"{hour:02}"), value=str(hour), default=hour == settings.puzzle_hour
        )


def _levels(t: Text, settings: ServerSettings) -> Iterable[discord.SelectOption]:
    highest = settings.highest_level
    yield discord.SelectOption(label=t("settings_all_levels"), value=ALL_LEVELS, default=highest is None)
    for level in range(1, HIGHEST_LEVEL + 1):
        yield discord.SelectOption(
            label=t("settings_level_up_to", n=level), value=str(level), default=level == highest
        )
