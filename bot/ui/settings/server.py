"""The panel of /settings: what a server decides, for those who may; each choice is stored, then shown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import discord
from discord import ui

from bot.domain.errors import SetupError, Shown
from bot.domain.preferences import HIGHEST_LEVEL, ServerSettings, Threads
from bot.i18n import Text
from bot.presentation.names import level_word
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import own_text
from bot.ui.layout import Item, box, lines, options_of, worded_options
from bot.ui.permissions import may_create_events, may_open_threads, may_post, role_problem
from bot.ui.play_here import post_play_here, remove_play_here
from bot.ui.routing import choice, chosen
from bot.ui.server_notices import ServerTexts
from bot.ui.settings.preferences import DISCORDS, language_options
from bot.ui.settings.routes import CHANNELS, DECISION, ROLE, SWITCH
from engine.agents.levels import WORDS

ALL_LEVELS = "all"
MOST_CHANNELS = 25
"""As many as Discord's channel select lets one choose."""

NAMED = 5
"""Channels that are named where something is missing."""

_PLAIN = [discord.ChannelType.text, discord.ChannelType.news]

CHANNEL_TYPES = {
    "play": [*_PLAIN, discord.ChannelType.voice, discord.ChannelType.forum],
    "puzzle": _PLAIN,
    "panel": _PLAIN,
}
"""By field. Matches are started in forums' threads too, and in the text of voice channels."""


async def decide(interaction: Interaction, field: str) -> None:
    """One decision among a few; raises SetupError."""
    value = choice(interaction)
    if field == "language" and value in (DISCORDS, *interaction.client.services.texts.languages):
        await _settle(interaction, language=None if value == DISCORDS else value)
    elif field == "hour" and re.fullmatch(r"1?[0-9]|2[0-3]", value):
        await _settle(interaction, puzzle_hour=int(value))
    elif field == "level" and re.fullmatch(rf"{ALL_LEVELS}|[1-9]|{HIGHEST_LEVEL}", value):
        await _settle(interaction, highest_level=None if value == ALL_LEVELS else int(value))
    elif field == "closed" and value in ("yes", "no"):
        await _settle(interaction, is_closed=value == "yes")
    elif field == "threads" and value in tuple(Threads):
        await _settle(interaction, threads=Threads(value))
    else:
        raise SetupError("unknown_choice", choice=value)


async def choose_channels(interaction: Interaction, field: str) -> None:
    """Channels where matches may be started, or the one for the daily puzzle; none is a choice too."""
    _checked(interaction)
    ids = [_channel(interaction, value, field) for value in chosen(interaction)[: _most(field)]]
    if field == "play":
        await _settle(interaction, play_channels=frozenset(ids))
        return
    if ids and interaction.guild is not None:
        _check_writable(interaction.guild, ids[0])
    if field == "puzzle":
        await _settle(interaction, puzzle_channel=ids[0] if ids else None)
    else:
        await _settle_panel(interaction, ids[0] if ids else None)


async def _settle_panel(interaction: Interaction, channel_id: int | None) -> None:
    """Sends the message to play from to its new channel, and takes the old one away."""
    client, guild = interaction.client, interaction.guild
    before = client.services.settings.server(interaction.guild_id)
    message_id = None
    channel = None if guild is None or channel_id is None else guild.get_channel(channel_id)
    if guild is not None and isinstance(channel, discord.TextChannel):
        with client.ui.starts.attempt(("panel", guild.id)) as is_first:
            if is_first:
                t = ServerTexts(client.services.texts, client.services.settings).of(guild)
                message_id = await post_play_here(channel, t)
        if message_id is None:
            raise SetupError("busy")
    await _settle(interaction, panel_channel=channel_id, panel_message=message_id)
    if before.panel_channel is not None and before.panel_message is not None:
        await remove_play_here(client, before.panel_channel, before.panel_message)


async def switch(interaction: Interaction, field: str, is_on: bool) -> None:
    """Whether people may share what they found, or whether tournaments are announced as events."""
    await _settle(interaction, **{"is_sharing" if field == "share" else "is_scheduling": is_on})


async def choose_role(interaction: Interaction, field: str) -> None:
    """A champion's role, or that whose members may change the settings too; none is a choice too.

    The latter only who manages the server gives out. Raises SetupError.
    """
    if field == "role" and not interaction.permissions.manage_guild:
        raise SetupError("settings_role_not_yours")
    _checked(interaction)
    value = next(iter(chosen(interaction)), None)
    role = None if value is None else _known(value, getattr(interaction.guild, "get_role", _nobody))
    if field != "role" and role is not None:
        _check_givable(interaction, role)
    column = field if field == "role" else f"{field}_role"
    await _settle(interaction, **{column: None if role is None else role.id})


def _check_givable(interaction: Interaction, role: discord.Role) -> None:
    """Only who could give that role themselves may have the bot give it: it would lift people too high."""
    if (problem := role_problem(role)) is not None:
        own = role.guild.me.top_role.mention
        raise SetupError(f"champion_role_{problem}", role=Shown(role.mention), own=Shown(own))
    is_owner = interaction.user.id == role.guild.owner_id
    highest = getattr(interaction.user, "top_role", role)
    if not is_owner and not (interaction.permissions.manage_roles and highest > role):
        raise SetupError("settings_champion_not_yours")


def _channel(interaction: Interaction, value: str, field: str) -> int:
    """The id of one of the server's channels, of a kind that was offered; raises SetupError."""
    channel = _known(value, getattr(interaction.guild, "get_channel", _nobody))
    if channel.type not in CHANNEL_TYPES[field]:
        raise SetupError("unknown_choice", choice=value)
    return int(channel.id)


def _known(value: str, find: Callable[[int], Any]) -> Any:
    """What the server calls by that id; raises SetupError."""
    found = find(int(value)) if re.fullmatch(r"[0-9]{1,20}", value) else None
    if found is None:
        raise SetupError("unknown_choice", choice=value)
    return found


def _nobody(_key: int) -> None:
    """Where the bot is no member of the server, it knows nothing there."""


def _most(field: str) -> int:
    return MOST_CHANNELS if field == "play" else 1


async def show_settings(interaction: Interaction) -> None:
    """Answers with the panel, privately; raises SetupError for who may not change anything."""
    _, settings = _checked(interaction)
    await respond(interaction, settings_view(interaction, settings))


async def _settle(interaction: Interaction, **changes: object) -> None:
    """Checked again at every press: a message stays, and permissions change."""
    guild_id, settings = _checked(interaction)
    settings = settings.changed(**changes)
    await interaction.client.services.settings.save(guild_id, settings)
    await interaction.response.edit_message(view=settings_view(interaction, settings))


def _check_writable(guild: discord.Guild, channel_id: int) -> None:
    """Refuses a channel that nothing could be sent to."""
    channel = guild.get_channel(channel_id)
    if channel is None or not may_post(channel):
        raise SetupError("settings_puzzle_closed", channel=Shown(f"<#{channel_id}>"))


def _checked(interaction: Interaction) -> tuple[int, ServerSettings]:
    """The server and its settings, for somebody who may change them; raises SetupError."""
    if interaction.guild_id is None:
        raise SetupError("settings_no_server")
    settings = interaction.client.services.settings.server(interaction.guild_id)
    roles = {role.id for role in getattr(interaction.user, "roles", ())}
    if not interaction.permissions.manage_guild and settings.role not in roles:
        raise SetupError("settings_not_yours")
    return interaction.guild_id, settings


def settings_view(interaction: Interaction, settings: ServerSettings) -> ui.LayoutView:
    """What the server has decided, and what else it may."""
    t, is_closed = own_text(interaction), "yes" if settings.is_closed else "no"
    puzzle_channels = () if settings.puzzle_channel is None else (settings.puzzle_channel,)
    panel_channels = () if settings.panel_channel is None else (settings.panel_channel,)
    return box(
        lines(f"### {t('settings_title')}", f"-# {t('settings_about')}"),
        lines(f"**{t('settings_language')}**"),
        ui.ActionRow(_select("language", language_options(interaction, t, settings.language))),
        lines(f"**{t('settings_play')}**"),
        ui.ActionRow(_channels("play", sorted(settings.play_channels), t("settings_everywhere"))),
        lines(f"**{t('settings_puzzle')}**"),
        ui.ActionRow(_channels("puzzle", puzzle_channels, t("settings_no_puzzle"))),
        ui.ActionRow(_select("hour", _hours(t, settings))),
        lines(f"**{t('settings_level')}**"),
        ui.ActionRow(_select("level", _levels(t, settings))),
        lines(f"**{t('settings_closed')}**"),
        ui.ActionRow(_select("closed", worded_options("closed", t, ("no", "yes"), is_closed))),
        lines(f"**{t('settings_threads')}**", _without_threads(interaction, t, settings)),
        ui.ActionRow(_select("threads", worded_options("threads", t, Threads, settings.threads))),
        lines(f"**{t('settings_role')}**"),
        ui.ActionRow(_role("role", settings.role, t("settings_no_role"))),
        lines(f"**{t('settings_champions')}**", *_role_problems(interaction, t, settings)),
        ui.ActionRow(_role("leader", settings.leader_role, t("settings_no_leader"))),
        ui.ActionRow(_role("winner", settings.winner_role, t("settings_no_winner"))),
        lines(f"**{t('settings_panel')}**"),
        ui.ActionRow(_channels("panel", panel_channels, t("settings_no_panel"))),
        *_without_events(interaction, t, settings),
        ui.ActionRow(
            _switch(t, "share", "settings_sharing", is_on=settings.is_sharing),
            _switch(t, "events", "settings_events", is_on=settings.is_scheduling),
        ),
    )


def _switch(t: Text, field: str, key: str, *, is_on: bool) -> ui.Button[Any]:
    return ui.Button(
        label=t(f"{key}_on" if is_on else f"{key}_off"),
        style=discord.ButtonStyle.primary if is_on else discord.ButtonStyle.secondary,
        custom_id=SWITCH(field, not is_on),
    )


def _select(field: str, options: list[discord.SelectOption]) -> ui.Select[Any]:
    return ui.Select(custom_id=DECISION(field), options=options)


def _channels(field: str, already: Sequence[int], placeholder: str) -> ui.ChannelSelect[Any]:
    most = _most(field)
    return ui.ChannelSelect(
        custom_id=CHANNELS(field),
        channel_types=CHANNEL_TYPES[field],
        min_values=0,
        max_values=most,
        placeholder=placeholder,
        default_values=[
            discord.SelectDefaultValue(id=channel_id, type=discord.SelectDefaultValueType.channel)
            for channel_id in already[:most]
        ],
    )


def _role(field: str, already: int | None, placeholder: str) -> ui.RoleSelect[Any]:
    defaults = [] if already is None else [
        discord.SelectDefaultValue(id=already, type=discord.SelectDefaultValueType.role)
    ]  # fmt: skip
    return ui.RoleSelect(
        custom_id=ROLE(field), min_values=0, placeholder=placeholder, default_values=defaults
    )


def _hours(t: Text, settings: ServerSettings) -> list[discord.SelectOption]:
    labels = ((str(hour), t("settings_hour", hour=f"{hour:02}")) for hour in range(24))
    return options_of(labels, str(settings.puzzle_hour))


def _levels(t: Text, settings: ServerSettings) -> list[discord.SelectOption]:
    labels = (
        (str(level), t("settings_level_up_to", n=level, word=level_word(t, WORDS[level - 1])))
        for level in range(1, HIGHEST_LEVEL + 1)
    )
    return options_of(
        [(ALL_LEVELS, t("settings_all_levels")), *labels], str(settings.highest_level or ALL_LEVELS)
    )


def _without_threads(interaction: Interaction, t: Text, settings: ServerSettings) -> str | None:
    """Names channels in which threads are wanted and the bot may not make them."""
    guild = interaction.guild
    if guild is None or settings.threads is Threads.OFF:
        return None
    missing = [
        channel.mention
        for channel in guild.text_channels
        if settings.allows(channel.id) and may_post(channel) and not may_open_threads(channel)
    ]
    return f"-# {t('settings_threads_missing', channels=', '.join(missing[:NAMED]))}" if missing else None


def _without_events(interaction: Interaction, t: Text, settings: ServerSettings) -> Iterable[Item]:
    """That events are wanted and the bot may make none."""
    if interaction.guild is not None and settings.is_scheduling and not may_create_events(interaction.guild):
        yield lines(f"-# {t('settings_events_missing')}")


def _role_problems(interaction: Interaction, t: Text, settings: ServerSettings) -> Iterable[str]:
    """What keeps a champion's role that was chosen from being given."""
    for role_id in filter(None, (settings.leader_role, settings.winner_role)):
        role = None if interaction.guild is None else interaction.guild.get_role(role_id)
        if role is not None and (problem := role_problem(role)) is not None:
            yield f"-# {t(f'champion_role_{problem}', role=role.mention, own=role.guild.me.top_role.mention)}"
