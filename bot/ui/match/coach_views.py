"""The coach's advice on a move, and the key moments of a coached match."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.domain.match import Match
from bot.i18n import Text
from bot.ui.layout import box, lines
from bot.ui.match.routes import TAKE_BACK
from bot.ui.puzzle.routes import MOMENT
from engine.analysis.review import Reviewed


def advice_view(t: Text, match: Match, said: Sequence[str], ply: int) -> ui.LayoutView:
    """Return the advice about the move of that ply, with a button to take it back."""
    button: ui.Button[Any] = ui.Button(
        label=t("button_take_back"),
        style=discord.ButtonStyle.primary,
        custom_id=TAKE_BACK(match.id, ply),
    )
    return box(lines(*said), ui.ActionRow(button))


def moments_view(t: Text, match: Match, moments: tuple[Reviewed, ...]) -> ui.LayoutView:
    """Return buttons to the key moments, at most three."""
    if not moments:
        return box(lines(t("moments_none")))
    buttons = [
        ui.Button[Any](
            label=t("button_moment", number=moment.ply + 1),
            emoji="🧩",
            custom_id=MOMENT(match.id, moment.ply),
        )
        for moment in moments
    ]
    return box(lines(t("moments_title", n=len(moments))), ui.ActionRow(*buttons))
