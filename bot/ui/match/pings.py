"""PingMessages: small messages that notify the person to act, since an edited mention sends no notification.

In a crowd, in one channel or in all together, pings go through the presses that led to them: Discord counts
those for each press, and the bot's own for the whole channel and among its 50 requests a second.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping

import discord

from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.turn_ping import CLOCK, DRAW, UNDO, ask_of
from bot.i18n import Texts, plain
from bot.presentation import status
from bot.services.ports import Delivered
from bot.services.rate_window import RateWindow
from bot.services.settings import SettingsCache
from bot.ui.answers import has_live_token
from bot.ui.client import Interaction
from bot.ui.discord_errors import CONNECTION_ERRORS, DISCORD_ERRORS, classify, find_own
from bot.ui.followups import follow_up
from bot.ui.layout import LINK, custom_ids, linked, mentioning
from engine.core import Player

log = logging.getLogger(__name__)

OWN_PINGS_PER_CHANNEL, CHANNEL_SECONDS = 3, 5.0
"""Pings by the bot's own token; Discord takes about five messages in a channel in that time."""

OWN_PINGS, OWN_PINGS_SECONDS = 10, 20.0
"""The same over all channels of one process: with their deletion a request a second, so that 25 processes
still have half of the 50 left (docs/scaling.md)."""

MAX_PRESSES = 500
"""Pings sent through a press that can still be deleted through it."""

MAX_DELETED = 2000
"""Deleted messages that are remembered: pings, and whatever else is deleted where the bot can see it."""

TEXTS = {0: "call_turn", DRAW: "call_draw", UNDO: "call_undo", CLOCK: "call_clock"}


class PingMessages:
    """Sends, finds and deletes the pings of one client. Lives on its event loop."""

    def __init__(self, client: discord.Client, texts: Texts, settings_cache: SettingsCache) -> None:
        self._client = client
        self._texts = texts
        self._settings_cache = settings_cache
        self._anywhere = RateWindow(OWN_PINGS, OWN_PINGS_SECONDS)
        self._there: LruDict[int, RateWindow] = LruDict(MAX_PRESSES)
        self._presses: LruDict[int, Interaction] = LruDict(MAX_PRESSES)
        self._deleted: LruDict[int, bool] = LruDict(MAX_DELETED)

    def is_wanted(self, match: Match) -> bool:
        """Whether the person to act wants pings; False for agents."""
        user_id = match.seats[_asked(match)].user_id
        return user_id is not None and self._settings_cache.person(user_id).is_called

    async def send(self, match: Match, interaction: Interaction | None) -> int | Delivered:
        """Ping the person to act: the message's id, or why there is none.

        interaction: a live press that led to this, if there is one.
        """
        player, location = _asked(match), match.channel
        user_id = match.seats[player].user_id or 0
        t = self._texts.of(location.locale)
        text = t(
            TEXTS[(ask_of(match) or 0) % 4],
            mention=f"<@{user_id}>",
            other=plain(match.seats[player.other].name),
            game=status.title(t, match),
            when="" if match.deadline is None else f"<t:{int(match.deadline.timestamp())}:R>",
        )
        line = linked(t, text, location)
        try:
            if interaction is not None and self._is_crowded(location.channel_id):
                sent = await self._follow_up(line, mentioning(user_id), interaction)
                if sent is not None:
                    return sent
            return await self._send(match, line, mentioning(user_id))
        except Exception as error:  # noqa: BLE001 - whatever it is, the match goes on
            log.warning("match %d: its player could not be pinged: %r", match.id, error)
            return classify(error)

    async def find(self, match: Match, since: int | None) -> Mapping[int, bool] | Delivered:
        """Return the pings that link to the board, oldest first, and whether each is for the person to act.

        since: a message after which they were sent; None for all of the match.
        """
        location = match.channel
        if location.message_id is None:
            return {}
        begun = match.created_at if since is None else discord.utils.snowflake_time(since)
        mention = f"<@{match.seats[_asked(match)].user_id}>"

        def is_ping(message: discord.Message) -> bool:
            is_plain = message.content.startswith(("<@", "⏳")) and not custom_ids(message)
            return is_plain and LINK in message.content and f"/{location.message_id}" in message.content

        try:
            found = await find_own(self._client, location.channel_id, begun, is_ping)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must stop nothing but this ping
            log.warning("match %d: its pings could not be searched for: %r", match.id, error)
            return classify(error)
        return {message.id: mention in message.content for message in found if message.id != since}

    async def delete(self, channel_id: int, message_id: int) -> Delivered:
        """Delete a ping that has done its work, unless Discord has told that it is gone."""
        if self._deleted.get(message_id):
            return Delivered.DELIVERED
        is_repeated = message_id in self._deleted
        # Noted before: Discord may tell of the deletion before it answers the request.
        self._deleted[message_id] = False
        try:
            interaction = self._presses.pop(message_id, None)
            if interaction is not None and has_live_token(interaction):
                await interaction.followup.delete_message(message_id)
            else:
                channel = self._client.get_partial_messageable(channel_id)
                await channel.get_partial_message(message_id).delete()
        except Exception as error:  # noqa: BLE001 - whatever it is, it must stop nothing but this message
            outcome = classify(error)
            if outcome is not Delivered.GONE:
                log.warning("ping %d could not be deleted: %r", message_id, error)
            # The first request succeeded although its answer was lost, or a person deleted the ping.
            return Delivered.DELIVERED if outcome is Delivered.GONE and is_repeated else outcome
        return Delivered.DELIVERED

    def deleted_by_others(self, message_ids: Collection[int]) -> frozenset[int]:
        """Note that these messages are gone; return those that `delete` was not asked to delete."""
        others = frozenset(key for key in message_ids if key not in self._deleted)
        for message_id in message_ids:
            self._deleted[message_id] = True
        return others

    async def _send(self, match: Match, line: str, mentions: discord.AllowedMentions) -> int:
        location = match.channel
        channel = self._client.get_partial_messageable(location.channel_id, guild_id=location.guild_id)
        # Discord recognises the nonce for some minutes: sent again, after a lost answer or a crash, it is the
        # same message. With the board in it, a ping for another board is another message.
        nonce = f"n{match.id}-{ask_of(match)}-{(location.message_id or 0) % 100_000}"[:25]
        try:
            return (await channel.send(line, allowed_mentions=mentions, nonce=nonce)).id
        except CONNECTION_ERRORS:
            return (await channel.send(line, allowed_mentions=mentions, nonce=nonce)).id

    async def _follow_up(
        self, line: str, mentions: discord.AllowedMentions, interaction: Interaction
    ) -> int | None:
        """Send it through the press: its id, or None if that failed."""
        try:
            message_id = await follow_up(interaction, content=line, allowed_mentions=mentions)
        except DISCORD_ERRORS as error:
            log.info("no ping could be sent through %s: %r", interaction.id, error)
            return None
        self._presses[message_id] = interaction
        return message_id

    def _is_crowded(self, channel_id: int) -> bool:
        """Whether one more ping by the bot's own token might have to wait; if not, it is counted."""
        there = self._there.get(channel_id) or RateWindow(OWN_PINGS_PER_CHANNEL, CHANNEL_SECONDS)
        self._there[channel_id] = there
        if there.left < 1 or self._anywhere.left < 1:
            return True
        there.spend(1)
        self._anywhere.spend(1)
        return False


def _asked(match: Match) -> Player:
    """Return the player to answer an offer, or else to move."""
    offer = match.undo_request if match.draw_offer is None else match.draw_offer
    return match.to_move if offer is None else offer.other
