"""The Play message, which stays pinned in a channel and starts games, and its buttons."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Any

import discord
from discord import ui

from bot.domain.outgoing import Outgoing, Place, Wanted
from bot.domain.preferences import ServerSettings
from bot.i18n import Text
from bot.presentation import names
from bot.services.outgoing import MessageKind
from bot.services.settings import SettingsCache
from bot.ui.layout import box, custom_ids, lines
from bot.ui.messages import Content
from bot.ui.routing import route
from bot.ui.server_notices import ServerTexts
from engine.games import GAMES

OPEN = route("so")
"""Opens a start panel for the person that presses it."""

HERE = route("sp")
"""As OPEN, under the Play message, which is found by it."""

TODAY = route("sd")
"""Opens today's puzzle for the person that presses it."""

COMMANDS = route("sh")
"""Shows the list of all commands."""


def play_here_view(t: Text) -> ui.LayoutView:
    """The message; its button opens a start panel for each person that presses it."""
    return box(
        lines(f"### {t('play_here_title')}", t("play_here", games=game_titles(t))),
        ui.ActionRow(*start_buttons(t, HERE())),
    )


def start_buttons(t: Text, play_id: str | None = None) -> list[ui.Button[Any]]:
    """Buttons that open the start panel, the daily puzzle and the list of commands.

    play_id: the custom_id of the first.
    """
    return [
        ui.Button(label=t("button_play"), style=discord.ButtonStyle.success, custom_id=play_id or OPEN()),
        ui.Button(label=t("button_daily"), emoji="🧩", custom_id=TODAY()),
        ui.Button(label=t("button_commands"), custom_id=COMMANDS()),
    ]


def game_titles(t: Text) -> str:
    """The titles of all games as one list."""
    return t.listed(names.game_title(t, key) for key in GAMES)


class PlayMessage(MessageKind):
    """One message per server, in the channel that it chose and in its language. servers: by their id."""

    name = "start"
    is_standing = True

    def __init__(
        self,
        client: discord.Client,
        texts: ServerTexts,
        settings: SettingsCache,
        servers: Callable[[], Mapping[int, ServerSettings]],
    ) -> None:
        self._client = client
        self._texts = texts
        self._settings = settings
        self._servers = servers

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:  # noqa: ARG002
        return [
            Wanted(guild_id, 0, Place(chosen.panel_channel, guild_id), chosen.language or "")
            for guild_id, chosen in self._servers().items()
            if chosen.panel_channel is not None
        ]

    async def draw(self, wanted: Wanted) -> Content:
        t = self._texts.of(self._client.get_guild(wanted.subject))
        return Content(play_here_view(t), is_pinned=True)

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:  # noqa: ARG002
        return HERE() in custom_ids(message)

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:
        """Without a message that stood, the channel is gone, so the server has chosen none."""
        if not was_shown:
            await self._settings.change(
                wanted.subject,
                lambda now: (
                    replace(now, panel_channel=None) if now.panel_channel == wanted.place.channel_id else now
                ),
            )
        return not was_shown
