"""What can be pressed under tournaments, as custom_ids say it."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from typing import Any

import discord
from discord import ui

from bot.ui.ids import PREFIX

_TOURNAMENT = r"(?P<tournament>[1-9][0-9]{0,17})"


class TournamentAction(enum.StrEnum):
    JOIN = "join"
    LEAVE = "leave"
    LEAVE_NOW = "leave-now"
    AGENTS = "agents"
    START = "start"
    STANDINGS = "standings"


ACTION = rf"{PREFIX}:t:{_TOURNAMENT}:(?P<action>{'|'.join(map(re.escape, TournamentAction))})"
AGENTS = rf"{PREFIX}:ts:{_TOURNAMENT}"


def action_button(
    tournament_id: int,
    action: TournamentAction,
    label: str,
    *,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
    disabled: bool = False,
) -> ui.Button[Any]:
    custom_id = f"{PREFIX}:t:{tournament_id}:{action}"
    return ui.Button(label=label, style=style, disabled=disabled, custom_id=custom_id)


def agent_select(
    tournament_id: int, options: Sequence[discord.SelectOption], placeholder: str
) -> ui.Select[Any]:
    """Any number of the options, none included."""
    return ui.Select(
        custom_id=f"{PREFIX}:ts:{tournament_id}",
        options=list(options),
        placeholder=placeholder,
        min_values=0,
        max_values=len(options),
    )
