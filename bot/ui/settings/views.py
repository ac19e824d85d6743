"""Preferences, server settings, privacy and deletion as private messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import discord
from discord import ui

from bot.domain.preferences import HIGHEST_LEVEL, Preferences, ServerSettings, Threads
from bot.i18n import Text, Texts
from bot.presentation import Look, Size, Theme
from bot.presentation.examples import example
from bot.presentation.names import level_word
from bot.ui.board import board_part
from bot.ui.layout import Item, box, lines, options_of, worded_options
from bot.ui.permissions import may_create_events, may_open_threads, may_post, role_problem
from bot.ui.settings.routes import CHANNELS, DECISION, DELETION, MY_DATA, ROLE, SWITCH, WISH
from engine.agents.levels import STRENGTHS
from engine.games import USUAL

DISCORDS = "discord"
"""The option that follows Discord's own language."""

ALL_LEVELS = "all"

MOST_CHANNELS = 25
"""Discord's limit for a channel select."""

NAMED_CHANNELS = 5
"""How many channels a warning names."""

_TEXT_CHANNELS = [discord.ChannelType.text, discord.ChannelType.news]

CHANNEL_TYPES = {
    "play": [*_TEXT_CHANNELS, discord.ChannelType.voice, discord.ChannelType.forum],
    "puzzle": _TEXT_CHANNELS,
    "panel": _TEXT_CHANNELS,
}
"""The offered channels by field. Matches also start in forum threads and in voice channels' text."""


def preferences_view(t: Text, texts: Texts, wishes: Preferences, look: Look) -> ui.LayoutView:
    """The person's preferences with an example board."""
    shown = example(USUAL)
    yes_no = {True: "yes", False: "no"}
    offered = {
        "theme": _themes(t, wishes),
        "size": worded_options("size", t, Size, wishes.look.size),
        "language": _languages(t, texts, wishes.language),
        "calls": worded_options("calls", t, ("yes", "no"), yes_no[wishes.is_called]),
        "listed": worded_options("listed", t, ("no", "yes"), yes_no[wishes.is_listed]),
    }
    return box(
        lines(f"### {t('preferences_title')}", f"-# {t('preferences_about')}"),
        board_part(t, USUAL, shown.state, shown.marks, look),
        *chain.from_iterable(_preference(t, field, options) for field, options in offered.items()),
    )


def _preference(t: Text, field: str, options: list[discord.SelectOption]) -> tuple[Item, Item]:
    """The question and its menu; the menu repeats the question for screen readers."""
    question = t(f"preferences_{field}")
    menu: ui.Select[Any] = ui.Select(custom_id=WISH(field), options=options, placeholder=question)
    return lines(f"**{question}**"), ui.ActionRow(menu)


def _themes(t: Text, wishes: Preferences) -> list[discord.SelectOption]:
    options = worded_options("theme", t, Theme, wishes.look.theme)
    for option in options:
        option.description = t(f"theme_about_{option.value}")
    return options


def _languages(t: Text, texts: Texts, chosen: str | None) -> list[discord.SelectOption]:
    """Discord's language, then every language by its own name."""
    own_names = ((language, texts.of(language)("language_name")) for language in texts.languages)
    return options_of([(DISCORDS, t("language_discord")), *own_names], chosen or DISCORDS)


def settings_view(
    t: Text, texts: Texts, settings: ServerSettings, guild: discord.Guild | None
) -> ui.LayoutView:
    """The server's settings. guild: None where the bot is not a member, so nothing is known about it."""
    is_closed = "yes" if settings.is_closed else "no"
    return box(
        lines(f"### {t('settings_title')}", f"-# {t('settings_about')}"),
        lines(f"**{t('settings_language')}**"),
        _select("language", _languages(t, texts, settings.language)),
        lines(f"**{t('settings_play')}**"),
        _channels("play", sorted(settings.play_channels), t("settings_everywhere")),
        lines(f"**{t('settings_puzzle')}**"),
        _channels("puzzle", _known(settings.puzzle_channel), t("settings_no_puzzle")),
        _select("hour", _hours(t, settings)),
        lines(f"**{t('settings_level')}**"),
        _select("level", _levels(t, settings)),
        lines(f"**{t('settings_closed')}**"),
        _select("closed", worded_options("closed", t, ("no", "yes"), is_closed)),
        lines(f"**{t('settings_threads')}**", _missing_threads(t, settings, guild)),
        _select("threads", worded_options("threads", t, Threads, settings.threads)),
        lines(f"**{t('settings_role')}**"),
        _role("role", settings.role, t("settings_no_role")),
        lines(f"**{t('settings_champions')}**", *_role_problems(t, settings, guild)),
        _role("leader", settings.leader_role, t("settings_no_leader")),
        _role("winner", settings.winner_role, t("settings_no_winner")),
        lines(f"**{t('settings_panel')}**"),
        _channels("panel", _known(settings.panel_channel), t("settings_no_panel")),
        *_missing_events(t, settings, guild),
        ui.ActionRow(
            _switch(t, "share", "settings_sharing", is_on=settings.is_sharing),
            _switch(t, "events", "settings_events", is_on=settings.is_scheduling),
        ),
    )


def _known(channel_id: int | None) -> tuple[int, ...]:
    return () if channel_id is None else (channel_id,)


def _switch(t: Text, field: str, key: str, *, is_on: bool) -> ui.Button[Any]:
    return ui.Button(
        label=t(f"{key}_on" if is_on else f"{key}_off"),
        style=discord.ButtonStyle.primary if is_on else discord.ButtonStyle.secondary,
        custom_id=SWITCH(field, not is_on),
    )


def _select(field: str, options: list[discord.SelectOption]) -> Item:
    return ui.ActionRow(ui.Select[ui.LayoutView](custom_id=DECISION(field), options=options))


def most_channels(field: str) -> int:
    return MOST_CHANNELS if field == "play" else 1


def _channels(field: str, chosen: Sequence[int], placeholder: str) -> Item:
    most, kind = most_channels(field), discord.SelectDefaultValueType.channel
    select: ui.ChannelSelect[Any] = ui.ChannelSelect(
        custom_id=CHANNELS(field),
        channel_types=CHANNEL_TYPES[field],
        min_values=0,
        max_values=most,
        placeholder=placeholder,
        default_values=[discord.SelectDefaultValue(id=one, type=kind) for one in chosen[:most]],
    )
    return ui.ActionRow(select)


def _role(field: str, chosen: int | None, placeholder: str) -> Item:
    kind = discord.SelectDefaultValueType.role
    defaults = [] if chosen is None else [discord.SelectDefaultValue(id=chosen, type=kind)]
    select: ui.RoleSelect[Any] = ui.RoleSelect(
        custom_id=ROLE(field), min_values=0, placeholder=placeholder, default_values=defaults
    )
    return ui.ActionRow(select)


def _hours(t: Text, settings: ServerSettings) -> list[discord.SelectOption]:
    labels = ((str(hour), t("settings_hour", hour=f"{hour:02}")) for hour in range(24))
    return options_of(labels, str(settings.puzzle_hour))


def _levels(t: Text, settings: ServerSettings) -> list[discord.SelectOption]:
    labels = (
        (str(level), t("settings_level_up_to", n=level, word=level_word(t, STRENGTHS[level - 1])))
        for level in range(1, HIGHEST_LEVEL + 1)
    )
    chosen = str(settings.highest_level or ALL_LEVELS)
    return options_of([(ALL_LEVELS, t("settings_all_levels")), *labels], chosen)


def _missing_threads(t: Text, settings: ServerSettings, guild: discord.Guild | None) -> str | None:
    """A warning about channels where threads are wanted and the bot cannot create them."""
    if guild is None or settings.threads is Threads.OFF:
        return None
    missing = [
        channel.mention
        for channel in guild.text_channels
        if settings.allows(channel.id) and may_post(channel) and not may_open_threads(channel)
    ]
    if not missing:
        return None
    return f"-# {t('settings_threads_missing', channels=', '.join(missing[:NAMED_CHANNELS]))}"


def _missing_events(t: Text, settings: ServerSettings, guild: discord.Guild | None) -> Iterable[Item]:
    """A warning if events are wanted and the bot cannot create them."""
    if guild is not None and settings.is_scheduling and not may_create_events(guild):
        yield lines(f"-# {t('settings_events_missing')}")


def _role_problems(t: Text, settings: ServerSettings, guild: discord.Guild | None) -> Iterable[str]:
    """Warnings about champions' roles that the bot cannot give."""
    for role_id in filter(None, (settings.leader_role, settings.winner_role)):
        role = None if guild is None else guild.get_role(role_id)
        if role is not None and (problem := role_problem(role)) is not None:
            own = role.guild.me.top_role.mention
            yield f"-# {t(f'champion_role_{problem}', role=role.mention, own=own)}"


def my_data_view(t: Text) -> ui.LayoutView:
    """Which data is stored and why, with buttons that export and delete it."""
    export = ui.Button[Any](label=t("button_export"), custom_id=MY_DATA(True))
    delete = ui.Button[Any](
        label=t("button_delete_data"), style=discord.ButtonStyle.danger, custom_id=MY_DATA(False)
    )
    return box(lines(f"### {t('privacy_title')}", t("privacy_text")), ui.ActionRow(export, delete))


def deletion_view(t: Text, user_id: int) -> ui.LayoutView:
    """The question before a person's data is deleted."""
    delete: ui.Button[Any] = ui.Button(
        label=t("button_delete"), style=discord.ButtonStyle.danger, custom_id=DELETION(user_id, True)
    )
    keep: ui.Button[Any] = ui.Button(label=t("button_keep"), custom_id=DELETION(user_id, False))
    return box(
        lines(f"### {t('delete_title')}", t("delete_sure"), f"-# {t('delete_messages')}"),
        ui.ActionRow(delete, keep),
    )
