"""Help: four lines and the buttons that lead on, the list of all commands, and the messages that greet."""

from __future__ import annotations

from discord import ui

from bot.i18n import Text
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import own_text
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


async def show_commands(interaction: Interaction) -> None:
    """Answers with every command, ready to be clicked."""
    t = own_text(interaction)
    links = await interaction.client.ui.command_links.all()
    parts: list[Item] = [
        lines(
            f"**{t(heading)}**",
            *(_command_line(t, name, links.get(name) or f"`/{typed_name(t, name)}`") for name in names),
        )
        for heading, names in HELP_GROUPS.items()
    ]
    parts.append(
        lines(f"**{t('help_board')}**", t("help_legend" if interaction.client.emoji else "help_legend_plain"))
    )
    await respond(interaction, box(*parts))


def help_view(t: Text, panel: ui.LayoutView | None) -> ui.LayoutView:
    """Four lines, the panel to play from, and the way to the rest; without a panel a button opens one."""
    said = (t("help_friends"), t("help_learning"), t("help_yours"))
    if panel is None:
        return box(lines(f"### {t('help_title')}", t("help_play"), *said), ui.ActionRow(*start_buttons(t)))
    _, *others = start_buttons(t)
    return layout(
        lines(f"### {t('help_title')}", t("help_play_below"), *said), *panel.children, ui.ActionRow(*others)
    )


def welcome_view(t: Text, *, note: str | None = None) -> ui.LayoutView:
    """What the bot says when it is new in a server; whoever reads it can play at once.

    note: the last line, for whoever manages the server unless it says something else.
    """
    said = (t("welcome_hello", games=game_titles(t)), t("help_play"), f"-# {note or t('welcome_settings')}")
    return box(lines(f"### {t('welcome_title')}", *said), ui.ActionRow(*start_buttons(t)))


def typed_name(t: Text, name: str) -> str:
    """A command as its readers type it: Discord lists it in their own language, a link keeps the default."""
    keys = ((f"name_command_{part}", part) for part in name.split())
    return " ".join(t(key) if key in t else part for key, part in keys)


def _command_line(t: Text, name: str, link: str) -> str:
    return f"{t.left_to_right(link)} {t('command_' + name.replace(' ', '_'))}"
