"""The question whether a moderator really ends a match, and the way back to a deleted board."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text, shortened
from bot.presentation import status
from bot.ui.layout import box, lines, rows
from bot.ui.match.routes import ACTION, Action

MOST_OF_LABEL = 80
"""Discord's limit for the label of a button."""

MOST_BROUGHT_BACK = 8


def end_view(match: Match, t: Text) -> ui.LayoutView:
    """Return the question, with the ways to answer it."""

    def button(action: Action, key: str, style: discord.ButtonStyle) -> ui.Button[ui.LayoutView]:
        return ui.Button(label=t(key), style=style, custom_id=ACTION(match.id, match.turn, action))

    danger, secondary = discord.ButtonStyle.danger, discord.ButtonStyle.secondary
    about = t("moderate_about", match=status.pairing(t, match), n=len(match.timed_moves))
    return box(
        lines(f"### {t('moderate_title')}", about),
        ui.ActionRow(
            button(Action.END_NOW, "button_end_now", danger),
            button(Action.END_AND_REMOVE, "button_end_and_remove", secondary),
            button(Action.KEEP, "button_keep_match", secondary),
        ),
    )


def bring_back_rows(t: Text, found: Sequence[Match], user_id: int) -> Iterable[ui.ActionRow[Any]]:
    """Return a button for each match whose board was deleted, up to MOST_BROUGHT_BACK."""
    buttons = [
        ui.Button[Any](
            label=shortened(f"{t('button_bring_back')}: {status.summary(t, match, user_id)}", MOST_OF_LABEL),
            custom_id=ACTION(match.id, match.turn, Action.BRING_BACK),
        )
        for match in found
        if match.has_lost_board
    ]
    return rows(buttons[:MOST_BROUGHT_BACK])
