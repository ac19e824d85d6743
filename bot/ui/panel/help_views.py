"""Help, the list of all commands, rules, and the greeting in a new server."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import discord
from discord import ui

from bot.i18n import Text
from bot.presentation import CLASSIC, Look, names
from bot.presentation.examples import example
from bot.ui.board import board_part
from bot.ui.layout import MOST_OPTIONS, Item, box, gallery, layout, lines, options_of
from bot.ui.panel.routes import RULES
from bot.ui.play_here import game_titles, start_buttons
from engine.games import GAMES, USUAL, spec_of

HELP_GROUPS = {
    "help_start": ("play", "challenge", "watch"),
    "help_match": ("move", "match board", "match undo", "match draw", "match resign", "match list"),
    "help_learn": (
        *("review hint", "review analysis", "review replay", "review explanation"),
        *("puzzle play", "puzzle daily", "puzzle storm"),
    ),
    "help_standings": (
        *("leaderboard", "profile", "puzzle standing"),
        *("tournament create", "tournament show", "tournament list"),
    ),
    "help_care": ("preferences", "settings", "my-data"),
    "help_more": ("help",),
}


def commands_view(t: Text, links: Mapping[str, str], *, has_emoji: bool) -> ui.LayoutView:
    """Return every command, clickable where its link is known, and the legend of the board."""
    parts: list[Item] = [
        lines(
            f"**{t(heading)}**",
            *(_command_line(t, name, links.get(name) or f"`/{typed_name(t, name)}`") for name in commands),
        )
        for heading, commands in HELP_GROUPS.items()
    ]
    legend = "help_legend" if has_emoji else "help_legend_plain"
    titles = options_of(((key, names.game_title(t, key)) for key in list(GAMES)[:MOST_OPTIONS]), None)
    rules = ui.Select[Any](custom_id=RULES(), options=titles, placeholder=t("help_rules"))
    return box(*parts, lines(f"**{t('help_board')}**", t(legend)), ui.ActionRow(rules))


def rules_view(t: Text, game: str, picture: discord.File) -> ui.LayoutView:
    """Return the rules of a game in words and as a picture."""
    title = names.game_title(t, game)
    described = t(f"picture_{game}") if f"picture_{game}" in t else title
    told = t(f"rules_{game}") if f"rules_{game}" in t else spec_of(game).play.about
    return box(lines(f"### {title}", told), gallery(picture, described=described))


def help_view(t: Text, panel: ui.LayoutView | None, latency_seconds: float) -> ui.LayoutView:
    """Return the help with the start panel below it, or with a button that opens one."""
    said = (
        t("help_friends"),
        t("help_learning"),
        t("help_yours", letters=t("theme_letters")),
        _pong(t, latency_seconds),
    )
    if panel is None:
        return box(lines(f"### {t('help_title')}", t("help_play"), *said), ui.ActionRow(*start_buttons(t)))
    _, *others = start_buttons(t)
    return layout(
        lines(f"### {t('help_title')}", t("help_play_below"), *said), *panel.children, ui.ActionRow(*others)
    )


def welcome_view(t: Text, look: Look = CLASSIC, *, note: str | None = None) -> ui.LayoutView:
    """Return the greeting in a new server, with a board and three things to do first.

    note: the last line, by default for its managers.
    """
    games, shown = game_titles(t), example(USUAL)
    first = (t("welcome_play"), t("welcome_friend"), t("welcome_puzzle"))
    said = (t("welcome_hello", games=games), *first, f"-# {note or t('welcome_settings')}")
    return box(
        lines(f"### {t('welcome_title')}"),
        board_part(t, USUAL, shown.state, shown.marks, look),
        lines(*said),
        ui.ActionRow(*start_buttons(t)),
    )


def typed_name(t: Text, name: str) -> str:
    """Return a command as people type it: in their language, while links keep the English name."""
    keys = ((f"name_command_{part}", part) for part in name.split())
    return " ".join(t(key) if key in t else part for key, part in keys)


def _pong(t: Text, latency_seconds: float) -> str | None:
    """The gateway's delay, which is unknown before the first heartbeat; None where it says nothing."""
    if not math.isfinite(latency_seconds):
        return f"-# {t('pong_new')}"
    milliseconds = round(latency_seconds * 1000)
    return f"-# {t('pong', n=milliseconds)}" if milliseconds else None


def _command_line(t: Text, name: str, link: str) -> str:
    return f"{t.left_to_right(link)} {t('command_' + name.replace(' ', '_'))}"
