"""Help, the list of all commands, and the greeting in a new server."""

from __future__ import annotations

from collections.abc import Mapping

from discord import ui

from bot.i18n import Text
from bot.ui.layout import Item, box, layout, lines
from bot.ui.play_here import game_titles, start_buttons

HELP_GROUPS = {
    "help_start": ("play", "challenge", "watch"),
    "help_match": ("move", "board", "draw", "undo", "resign", "games"),
    "help_learn": ("hint", "analyze", "replay", "explain", "puzzle play", "puzzle storm"),
    "help_standings": ("leaderboard", "profile", "achievements", "tournament create"),
    "help_care": ("preferences", "settings", "privacy", "my-data export"),
    "help_more": ("rules", "help", "ping"),
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
    return box(*parts, lines(f"**{t('help_board')}**", t(legend)))


def help_view(t: Text, panel: ui.LayoutView | None) -> ui.LayoutView:
    """Return the help with the start panel below it, or with a button that opens one."""
    said = (t("help_friends"), t("help_learning"), t("help_yours"))
    if panel is None:
        return box(lines(f"### {t('help_title')}", t("help_play"), *said), ui.ActionRow(*start_buttons(t)))
    _, *others = start_buttons(t)
    return layout(
        lines(f"### {t('help_title')}", t("help_play_below"), *said), *panel.children, ui.ActionRow(*others)
    )


def welcome_view(t: Text, *, note: str | None = None) -> ui.LayoutView:
    """Return the greeting in a new server. note: the last line, by default for its managers."""
    games = game_titles(t)
    said = (t("welcome_hello", games=games), t("help_play"), f"-# {note or t('welcome_settings')}")
    return box(lines(f"### {t('welcome_title')}", *said), ui.ActionRow(*start_buttons(t)))


def typed_name(t: Text, name: str) -> str:
    """Return a command as people type it: in their language, while links keep the English name."""
    keys = ((f"name_command_{part}", part) for part in name.split())
    return " ".join(t(key) if key in t else part for key, part in keys)


def _command_line(t: Text, name: str, link: str) -> str:
    return f"{t.left_to_right(link)} {t('command_' + name.replace(' ', '_'))}"
