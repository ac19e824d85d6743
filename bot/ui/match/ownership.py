"""Whose message it is: a press overwrites only what belongs to its own match or invitation.

Anybody can send any custom_id along with any of the bot's messages; the message itself is Discord's word.
"""

from __future__ import annotations

import re

import discord

from bot.ui.ids import PREFIX
from bot.ui.layout import custom_ids


def shows_board(message: discord.Message | None, match_id: int) -> bool:
    """Whether the message is a board of that match, the newest or an older one."""
    return _holds(message, rf"{PREFIX}:[msa]:{match_id}:.*")


def shows_challenge(message: discord.Message | None, challenge_id: int) -> bool:
    """Whether the message is that invitation."""
    return _holds(message, rf"{PREFIX}:c:{challenge_id}:.*")


def _holds(message: discord.Message | None, pattern: str) -> bool:
    """What only one person sees, such as the question whether to resign, is never a board."""
    if message is None or message.flags.ephemeral:
        return False
    return any(re.fullmatch(pattern, custom_id) for custom_id in custom_ids(message))
