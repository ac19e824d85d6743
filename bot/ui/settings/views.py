"""Preferences, server settings, privacy and deletion as private messages."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import discord
from discord import ui

from bot.domain.preferences import TENTHS, UP_TO, Preferences, ServerSettings, Starters, Threads
from bot.domain.reminder import ReminderKind
from bot.domain.vote import Voters
from bot.i18n import Text, Texts
from bot.presentation import Look, Size, Theme, names
from bot.presentation.examples import example
from bot.ui.board import board_part
from bot.ui.layout import Item, box, lines, options_of, worded_options
from bot.ui.permissions import may_create_events, may_open_threads, may_post, role_problem
from bot.ui.reminders import remind_button
from bot.ui.settings.routes import (
    CHANNELS,
    DAILY,
    DECISION,
    DELETION,
    GROUP,
    MY_DATA,
    ORDER,
    OVERVIEW,
    PLAY,
    ROLE,
    SWITCH,
    WISH,
)
from engine.agents.levels import STRENGTHS
from engine.games import USUAL

DISCORDS = "discord"
"""The option that follows Discord's own language."""

ALL_LEVELS = ALL_BOARDS = "all"

OFFERED_BOARDS = (1, 3, 5, 10, 20)
"""The numbers of running boards to which a channel can be limited."""

ZONES = (
    "Pacific/Honolulu", "America/Anchorage", "America/Los_Angeles", "America/Denver", "America/Chicago",
    "America/New_York", "America/Halifax", "America/Sao_Paulo", "America/Argentina/Buenos_Aires", "UTC",
    "Europe/London", "Europe/Berlin", "Europe/Athens", "Europe/Istanbul", "Europe/Moscow", "Asia/Tehran",
    "Asia/Dubai", "Asia/Karachi", "Asia/Kolkata", "Asia/Dhaka", "Asia/Bangkok", "Asia/Shanghai", "Asia/Tokyo",
    "Australia/Sydney", "Pacific/Auckland",
)  # fmt: skip
"""The time zones that are offered, as many as a menu takes: one of nearly every time of day."""

MOST_CHANNELS = 25
"""Discord's limit for a channel select."""

NAMED_CHANNELS = 5
"""How many channels a warning names."""

_TEXT_CHANNELS = [discord.ChannelType.text, discord.ChannelType.news]

CHANNEL_TYPES = {
    "play": [*_TEXT_CHANNELS, discord.ChannelType.voice, discord.ChannelType.forum],
    "puzzle": _TEXT_CHANNELS,
    "panel": _TEXT_CHANNELS,
    "lobby": _TEXT_CHANNELS,
}
"""The offered channels by field. Matches also start in forum threads and in voice channels' text."""


def preferences_view(
    t: Text, texts: Texts, wishes: Preferences, look: Look, *, is_reminded: bool
) -> ui.LayoutView:
    """The person's preferences with an example board. is_reminded: daily of their turns."""
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
        lines(f"**{t('preferences_turns')}**"),
        ui.ActionRow(remind_button(t, ReminderKind.TURNS, is_on=not is_reminded)),
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


def settings_view(t: Text, settings: ServerSettings) -> ui.LayoutView:
    """The groups of the server's settings, each with its choices and a button that opens it."""
    return box(
        lines(f"### {t('settings_title')}", f"-# {t('settings_about')}"),
        *(_group(t, group, chosen) for group, chosen in _chosen(t, settings).items()),
    )


def _chosen(t: Text, settings: ServerSettings) -> Mapping[str, Sequence[str]]:
    """Return the server's choices, by group."""
    channels = ", ".join(f"<#{one}>" for one in sorted(settings.play_channels)[:NAMED_CHANNELS])
    puzzle, hour = settings.puzzle_channel, _hour(t, settings, settings.puzzle_hour)
    lobby = settings.lobby_channel
    return {
        PLAY: (
            channels or t("settings_everywhere"),
            *(option.label for option in _levels(t, settings) if option.default),
            t(f"threads_{settings.threads}"),
            t("settings_no_lobby") if lobby is None else f"{t('settings_lobby')}: <#{lobby}>",
        ),
        DAILY: (
            t("settings_no_puzzle") if puzzle is None else f"<#{puzzle}> {hour}",
            t("settings_events_on" if settings.is_scheduling else "settings_events_off"),
            t("settings_predict_on" if settings.is_predicting else "settings_predict_off"),
        ),
        ORDER: (
            t(f"starters_{settings.starters}"),
            t(f"voters_{settings.voters}"),
            _boards(t, settings.most_boards),
            t("settings_sharing_on" if settings.is_sharing else "settings_sharing_off"),
        ),
    }


def _group(t: Text, group: str, chosen: Sequence[str]) -> Item:
    change = ui.Button[Any](label=t("button_change"), custom_id=GROUP(group))
    text = lines(f"**{t(f'settings_group_{group}')}**", *chosen, f"-# {t(f'settings_in_{group}')}")
    return ui.Section(text, accessory=change)


def _boards(t: Text, most: int | None) -> str:
    return t("settings_all_boards") if most is None else t("settings_boards", n=most)


def settings_group_view(
    t: Text, texts: Texts, settings: ServerSettings, guild: discord.Guild | None, group: str
) -> ui.LayoutView:
    """One group of the server's settings. guild: None where the bot is not a member of the server."""
    rows = {PLAY: _play_rows, DAILY: _daily_rows, ORDER: _order_rows}[group]
    back = ui.Button[Any](label=t("button_back"), custom_id=GROUP(OVERVIEW))
    return box(
        lines(f"### {t('settings_title')}: {t(f'settings_group_{group}')}"),
        *rows(t, texts, settings, guild),
        ui.ActionRow(back),
    )


def _play_rows(
    t: Text, texts: Texts, settings: ServerSettings, guild: discord.Guild | None
) -> Iterable[Item]:
    yield lines(f"**{t('settings_play')}**")
    yield _channels("play", sorted(settings.play_channels), t("settings_everywhere"))
    yield lines(f"**{t('settings_level')}**")
    yield _select("level", _levels(t, settings))
    yield lines(f"**{t('settings_threads')}**", _missing_threads(t, settings, guild))
    yield _select("threads", worded_options("threads", t, Threads, settings.threads))
    yield lines(f"**{t('settings_panel')}**")
    yield _channels("panel", _known(settings.panel_channel), t("settings_no_panel"))
    yield lines(f"**{t('settings_lobby')}**", f"-# {t('settings_lobby_about')}")
    yield _channels("lobby", _known(settings.lobby_channel), t("settings_no_lobby"))
    yield lines(f"**{t('settings_language')}**")
    yield _select("language", _languages(t, texts, settings.language))


def _daily_rows(
    t: Text, _texts: Texts, settings: ServerSettings, guild: discord.Guild | None
) -> Iterable[Item]:
    yield lines(f"**{t('settings_puzzle')}**")
    yield _channels("puzzle", _known(settings.puzzle_channel), t("settings_no_puzzle"))
    yield lines(f"**{t('settings_puzzle_hour')}**")
    yield _select("hour", _hours(t, settings))
    yield lines(f"**{t('settings_puzzle_zone')}**")
    yield _select("zone", options_of(((zone, _zone_name(zone)) for zone in ZONES), settings.puzzle_zone))
    yield lines(f"**{t('settings_leader')}**", *_role_problems(t, settings.leader_role, guild))
    yield _role("leader", settings.leader_role, t("settings_no_leader"))
    yield lines(f"**{t('settings_winner')}**", *_role_problems(t, settings.winner_role, guild))
    yield _role("winner", settings.winner_role, t("settings_no_winner"))
    yield lines(f"**{t('settings_events')}**")
    yield from _missing_events(t, settings, guild)
    yield ui.ActionRow(_switch(t, "events", "settings_events", is_on=settings.is_scheduling))
    yield lines(f"**{t('settings_predict')}**", f"-# {t('settings_predict_about')}")
    yield ui.ActionRow(_switch(t, "predict", "settings_predict", is_on=settings.is_predicting))


def _order_rows(
    t: Text, _texts: Texts, settings: ServerSettings, _guild: discord.Guild | None
) -> Iterable[Item]:
    yield lines(f"**{t('settings_starters')}**")
    yield _select("starters", worded_options("starters", t, Starters, settings.starters))
    yield lines(f"**{t('settings_voters')}**")
    yield _select("voters", worded_options("voters", t, Voters, settings.voters))
    yield lines(f"**{t('settings_most_boards')}**")
    numbers = ((str(most or ALL_BOARDS), _boards(t, most)) for most in (None, *OFFERED_BOARDS))
    yield _select("boards", options_of(numbers, str(settings.most_boards or ALL_BOARDS)))
    yield lines(f"**{t('settings_role')}**")
    yield _role("role", settings.role, t("settings_no_role"))
    yield lines(f"**{t('settings_closed')}**")
    is_closed = "yes" if settings.is_closed else "no"
    yield _select("closed", worded_options("closed", t, ("no", "yes"), is_closed))
    yield lines(f"**{t('settings_sharing')}**")
    yield ui.ActionRow(_switch(t, "share", "settings_sharing", is_on=settings.is_sharing))


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
    labels = ((str(hour), _hour(t, settings, hour)) for hour in range(24))
    return options_of(labels, str(settings.puzzle_hour))


def _hour(t: Text, settings: ServerSettings, hour: int) -> str:
    return t("settings_hour", hour=f"{hour:02}", zone=_zone_name(settings.puzzle_zone))


def _zone_name(zone: str) -> str:
    return zone.replace("_", " ")


def _levels(t: Text, settings: ServerSettings) -> list[discord.SelectOption]:
    """Return no limit and the strengths, and a limit in tenths if the server has one of before."""
    labels = [(str(number), names.strength(t, word)) for word, number in UP_TO.items()]
    highest = settings.highest_level
    if highest is not None and highest <= TENTHS:
        labels.append((str(highest), names.level_word(t, STRENGTHS[highest - 1])))
    offered = ((value, t("settings_level_up_to", word=word)) for value, word in labels)
    return options_of([(ALL_LEVELS, t("settings_all_levels")), *offered], str(highest or ALL_LEVELS))


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


def _role_problems(t: Text, role_id: int | None, guild: discord.Guild | None) -> Iterable[str]:
    """A warning about a champions' role that the bot cannot give."""
    role = None if guild is None or role_id is None else guild.get_role(role_id)
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
