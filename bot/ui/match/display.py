"""MessageDisplay: makes the messages on Discord show what is stored, and nothing older than they showed.

A board is edited through the token of the press that it answered last, for as long as that lives: Discord
counts such edits for each press, and those by the bot's own token for all boards of a channel together. The
bot's own edit comes next, by message id, and a new board last. Where the bot itself cannot edit (servers and
channels that it is not in) the press is the only way.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import discord
from discord import ui

from bot.domain.challenge import Challenge
from bot.domain.errors import Refusal
from bot.domain.look import Look
from bot.domain.match import Location, Match
from bot.domain.preferences import Threads, shared
from bot.i18n import Texts
from bot.presentation import status
from bot.presentation.picture import is_picture
from bot.services.changes import Changes
from bot.services.ports import Delivered
from bot.services.settings import SettingsCache
from bot.services.shown_versions import ShownVersions
from bot.store.calls import Call
from bot.ui.answers import edit_pressed, reply, respond, respond_to_all
from bot.ui.board import pictures_of, without_files
from bot.ui.client import Interaction
from bot.ui.context import is_private, is_reachable, location_of, own_text
from bot.ui.discord_errors import (
    DISCORD_ERRORS,
    UNKNOWN_CHANNEL,
    UNKNOWN_MESSAGE,
    classify,
    find_own,
    is_deleted,
    wants_new_board,
)
from bot.ui.layout import custom_ids, linked, mentioning
from bot.ui.match import views as board
from bot.ui.match.calls import Calls
from bot.ui.match.invitation import invitation_view
from bot.ui.match.routes import ACTION, CHALLENGE, PLAY
from bot.ui.match.shown import Awaited, ShownBoards
from bot.ui.threads import BoardThreads
from engine.agents.roster import Roster

log = logging.getLogger(__name__)

FRESH_FOR = timedelta(minutes=55)
"""Discord limits edits of messages older than an hour, by a limit that it does not publish."""

BLINK_SECONDS = 0.7
"""How long the answer to a press waits for the agent's, so that one edit shows both moves."""


class MessageDisplay:
    """The boards, calls and invitations of one client. Lives on its event loop."""

    def __init__(
        self,
        client: discord.Client,
        texts: Texts,
        settings_cache: SettingsCache,
        roster: Roster,
        changes: Changes,
        marks: ShownVersions,
        emoji: Mapping[Hashable, str],
        threads: BoardThreads,
    ) -> None:
        self._client = client
        self._texts = texts
        self._settings_cache = settings_cache
        self._roster = roster
        self._changes = changes
        self._marks = marks
        self._emoji = emoji
        self._threads = threads
        self._calls = Calls(client, texts, settings_cache)
        self._boards = ShownBoards()

    # By the bot itself

    @property
    def remembered(self) -> int:
        """How many boards are kept in memory."""
        return len(self._boards)

    async def show(self, match: Match) -> Delivered:
        """Makes the match's message show it, unless it shows something newer already."""
        shown = self._boards.of(match.id)
        if shown.offer(match):
            return Delivered.DELIVERED
        async with shown.lock:
            return await self._safely(match, self._show)

    async def recover(self, match: Match) -> Delivered:
        """Shows the match once more: what the database takes for behind, whatever this process remembers.

        Another process may have edited its message since. Where the match knows no message, one is found (its
        id was lost with the connection or the process) or sent.
        """
        async with self._boards.of(match.id).lock:
            return await self._safely(match, self._recover)

    async def open(self, match: Match, *, note: str | None = None) -> Match:
        """Sends the first board of a match that nobody's command began; returns the match as stored.

        It still has no message where the bot cannot send one. note: the key of a text below the board.
        """
        async with self._boards.of(match.id).lock:
            return (await self._sent_anew(match, note))[0]

    async def replace_deleted(self, match_id: int, gone: Location) -> Match | None:
        """Sends a new board in place of the message that is gone from there, and says so.

        The match as stored; None for one that has ended or whose board stands elsewhere.
        """
        async with self._boards.of(match_id).lock:
            match = await self._changes.match(match_id)
            if match.is_over or match.location != gone:
                return None
            # Stored first, so that the reconciler sees to a board that cannot be sent or is lost on its way.
            match = await self._changes.attach(match_id, replace(gone, message_id=None))
            return (await self._sent_anew(match, "board_was_deleted"))[0]

    def wants_call(self, match: Match) -> bool:
        """Whether somebody has to act who wishes to be called; not where the bot itself cannot write."""
        return not self._is_out_of_reach(match) and self._calls.is_wanted(match)

    async def call(self, match: Match) -> int | Delivered:
        """Calls whoever has to move, or to answer an offer: the message's id, or why there is none."""
        return await self._calls.call(match, self._boards.of(match.id).live_press())

    async def warn(self, match: Match) -> int | Delivered:
        """Warns whoever has to move that the clock runs out."""
        return await self._calls.warn(match)

    async def find_calls(
        self, lost: Sequence[Call], match: Match | None = None
    ) -> tuple[int, ...] | Delivered:
        """The messages of calls to one board from the first to the last of these, or why nobody can tell.

        match: as it is now, for those alone that call whoever is to act in it.
        """
        return await self._calls.find(lost, match)

    async def remove(self, call: Call) -> Delivered:
        """Deletes a call that has done its work."""
        return await self._calls.remove(call)

    def has_deleted(self, message_id: int) -> bool:
        """Whether the bot has just deleted that message itself, which was no board then."""
        return self._calls.has_deleted(message_id)

    async def show_challenge(self, challenge: Challenge) -> Delivered:
        """Makes the invitation's message show what became of it."""
        location = challenge.location
        try:
            message_id = location.message_id or await self._found_challenge(challenge)
            if message_id is None:
                return Delivered.DELIVERED if challenge.is_open else Delivered.GONE
            view = invitation_view(challenge, self._texts.of(location.locale))
            await self._message(location.channel_id, message_id).edit(view=view)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must stop nothing but this message
            log.warning("invitation %d could not be shown: %r", challenge.id, error)
            return classify(error)
        self._marks.invitation(challenge.id, challenge.version)
        return Delivered.DELIVERED

    async def refresh(self, interaction: Interaction, match: Match) -> None:
        """Brings the board up to date after somebody pressed an old one; the press has been answered."""
        pressed, known = interaction.message, match.location.message_id
        if pressed is None or pressed.flags.ephemeral or pressed.id == known:
            await self.show(match)
        elif known is None or pressed.id > known:
            match = await self._changes.attach(match.id, location_of(interaction, pressed.id))
            await self.show(match)
        else:
            await self.show(match)
            await self._strip(match, replace(match.location, message_id=pressed.id))

    # As the answer to a press or a command

    async def post(self, interaction: Interaction, match: Match) -> Match:
        """Answers with a new board, which from now on is the match's; returns the match as stored."""
        async with self._boards.of(match.id).lock:
            old = match.location
            if old.message_id is None and await self._threads.may_open(old, Threads.ALWAYS):
                line = board.thread_view(match, self._texts.of(old.locale), self._look(match))
                message_id, is_answer = await respond_to_all(interaction, line)
                return await self._in_thread(
                    match, location_of(interaction, message_id), interaction if is_answer else None
                )
            message_id, is_answer = await respond_to_all(interaction, self._view(match))
            match = await self._attached(
                match, location_of(interaction, message_id), interaction if is_answer else None
            )
            if old.message_id not in (None, message_id):
                await self._strip(match, old)
            elif old.message_id is None:
                await self._threads.keep_open(old)
            return match

    async def answer_with_board(self, interaction: Interaction, match: Match) -> Match:
        """Turns the invitation that was pressed into the board; returns the match as stored."""
        if interaction.message is None:
            return await self.post(interaction, match)
        async with self._boards.of(match.id).lock:
            here = location_of(interaction, interaction.message.id)
            if await self._threads.may_open(here, Threads.ALWAYS):
                await edit_pressed(
                    interaction, board.thread_view(match, self._texts.of(here.locale), self._look(match))
                )
                return await self._in_thread(match, here, interaction)
            await edit_pressed(interaction, self._view(match))
            return await self._attached(match, location_of(interaction, interaction.message.id), interaction)

    async def answer(self, interaction: Interaction, match: Match) -> Match:
        """Acknowledges a press on a board by editing it; returns the match as stored.

        Where an agent is to answer a person, its move goes into the same edit if it comes within a blink.
        A board older than 55 minutes gives way to a new one.
        """
        shown = self._boards.of(match.id)
        shown.offer(match)
        is_near = match.awaits_agent and not match.is_watched
        awaited = shown.awaited = Awaited(match) if is_near else None
        try:
            async with self._boards.soon(match.id) as is_free:
                if is_free and awaited is not None:
                    match = await awaited.newest(BLINK_SECONDS)
                shown.settle(awaited)
                if is_free:
                    return await self._answer(interaction, match)
                await interaction.response.defer()
        finally:
            shown.settle(awaited)
        await self.show(match if awaited is None else awaited.match)
        return match

    async def answer_privately(self, interaction: Interaction, match: Match, line: str) -> Match:
        """Answers a command with a private line, and shows the change on the board.

        Where nothing but this command's own answer can show it, that becomes the new board.
        """
        board_of = self._boards.of(match.id)
        lost = not is_reachable(interaction) and board_of.live_press() is None
        if lost or match.location.message_id is None:
            return await self.post(interaction, match)
        await reply(interaction, linked(own_text(interaction), line, match.location))
        if not self._is_old(interaction, match.location.message_id) or not is_reachable(interaction):
            await self.show(match)
            return match
        async with board_of.lock:
            return await self._repost(match)

    async def turn_page(self, interaction: Interaction, match: Match, page: int) -> None:
        """Answers a press with another page of legal moves on the same board."""
        async with self._boards.soon(match.id) as is_free:
            if is_free and self._boards.of(match.id).version <= match.version:
                view = self._view(match, page=page)
                await interaction.response.edit_message(view=view, attachments=await pictures_of(view))
            else:
                await interaction.response.defer()

    async def ask_to_resign(self, interaction: Interaction, match: Match) -> None:
        view = board.resign_view(match, own_text(interaction), interaction.user.id)
        pressed = interaction.message
        if pressed is not None and is_private(interaction) and pressed.id != match.location.message_id:
            await interaction.response.edit_message(view=view)  # the menu it was chosen from
        else:
            await respond(interaction, view)

    async def answer_resignation(self, interaction: Interaction, match: Match, *, has_resigned: bool) -> None:
        view = board.resignation_view(match, own_text(interaction), has_resigned=has_resigned)
        if is_private(interaction):
            await interaction.response.edit_message(view=view)
        else:
            await respond(interaction, view)

    async def post_challenge(self, interaction: Interaction, challenge: Challenge) -> None:
        """Answers with an invitation; the person invited is notified."""
        view = invitation_view(challenge, self._texts.of(challenge.location.locale))
        opponent = challenge.opponent
        mentions = (
            discord.AllowedMentions.none()
            if opponent is None or opponent.user_id is None
            else mentioning(opponent.user_id)
        )
        message_id, _ = await respond_to_all(interaction, view, allowed_mentions=mentions)
        attached = await self._changes.attach_challenge(challenge.id, message_id)
        if attached.version == challenge.version + 1:
            self._marks.invitation(challenge.id, attached.version)

    async def answer_challenge(self, interaction: Interaction, challenge: Challenge) -> None:
        """Acknowledges a press on an invitation by showing what became of it."""
        view = invitation_view(challenge, self._texts.of(challenge.location.locale))
        await edit_pressed(interaction, view)
        self._marks.invitation(challenge.id, challenge.version)

    # Inside: the lock of the match is held from here on

    async def _safely(self, match: Match, show: Callable[[Match], Awaitable[Delivered]]) -> Delivered:
        """What came of it; whatever it raises stops nothing but this message."""
        try:
            return await show(match)
        except Refusal as error:
            log.warning("match %d could not be shown: %s", match.id, error)
            return Delivered.MESSAGE_REFUSED
        except Exception as error:
            log.exception("match %d could not be shown", match.id)
            return classify(error)

    async def _show(self, match: Match) -> Delivered:
        shown = self._boards.of(match.id)
        if match.version <= shown.version:
            return Delivered.DELIVERED
        if match.location.message_id is None:
            return Delivered.MESSAGE_REFUSED
        view = self._view(match)
        if not await self._edit_by_press(match, view):
            outcome = await self._edit_by_bot(match, view)
            if outcome is not Delivered.DELIVERED:
                return outcome
        await self._wind_up(match)
        self._is_shown(match.id, max(match.version, shown.version))
        return Delivered.DELIVERED

    def _is_shown(self, match_id: int, version: int) -> None:
        self._boards.of(match_id).version = version
        self._marks.board(match_id, version)

    async def _recover(self, match: Match) -> Delivered:
        match = await self._changes.match(match.id)
        location = match.location
        if location.message_id is not None:
            if not self._marks.is_waiting(match.id):
                self._boards.of(match.id).version = -1
            return await self._show(match)
        if self._is_out_of_guild(match):
            return Delivered.GONE
        try:
            found = await find_own(
                self._client, location.channel_id, match.created_at, lambda one: _is_board(one, match.id)
            )
        except discord.Forbidden as error:
            log.info("match %d: its board cannot be looked for: %s", match.id, error)
            found = []
        except DISCORD_ERRORS as error:
            return classify(error)
        if not found:
            return Delivered.GONE if match.is_over else (await self._sent_anew(match))[1]
        log.info("match %d: message %d becomes its board", match.id, found[0].id)
        there = replace(location, message_id=found[0].id)
        return await self._show(await self._changes.attach(match.id, there))

    async def _found_challenge(self, challenge: Challenge) -> int | None:
        """The message of an invitation that is over and knows none."""
        if challenge.is_open:
            return None
        ids = (CHALLENGE(challenge.id, True), CHALLENGE(challenge.id, False))
        found = await find_own(
            self._client,
            challenge.location.channel_id,
            challenge.created_at,
            lambda message: not custom_ids(message).isdisjoint(ids),
        )
        return found[0].id if found else None

    async def _edit_by_press(self, match: Match, view: ui.LayoutView) -> bool:
        """Edits the board through the press that it answered last; returns whether it could."""
        shown = self._boards.of(match.id)
        interaction = shown.live_press()
        if interaction is None:
            return False
        try:
            await interaction.edit_original_response(view=view, attachments=await pictures_of(view))
        except Exception as error:  # noqa: BLE001 - the bot's own edit may do it all the same
            log.info("match %d could not be shown through its last press: %r", match.id, error)
            return False
        return True

    async def _edit_by_bot(self, match: Match, view: ui.LayoutView) -> Delivered:
        """Edits the board by the bot's own token, or sends a new one."""
        if not self._boards.of(match.id).is_reachable:
            log.info("match %d waits for a press: its board is out of the bot's reach", match.id)
            return Delivered.MESSAGE_REFUSED
        if self._is_out_of_guild(match):
            return Delivered.GONE
        try:
            message = self._message(match.location.channel_id, match.location.message_id or 0)
            await message.edit(view=view, attachments=await pictures_of(view))
        except Exception as error:  # noqa: BLE001 - whatever Discord answers, the match goes on
            is_out = is_deleted(error, UNKNOWN_CHANNEL) and match.location.parent_id is not None
            if (is_out or wants_new_board(error)) and not match.is_over:
                log.info("match %d gets a new board: %s", match.id, error)
                note = "board_was_deleted" if is_deleted(error, UNKNOWN_MESSAGE) else None
                return (await self._sent_anew(match, note))[1]
            log.warning("match %d could not be shown: %r", match.id, error)
            return classify(error)
        return Delivered.DELIVERED

    async def _answer(self, interaction: Interaction, match: Match) -> Match:
        shown = self._boards.of(match.id)
        if match.version < shown.version or interaction.message is None:
            await interaction.response.defer()
            return match
        if interaction.message.id != match.location.message_id:
            return await self._answer_elsewhere(interaction, interaction.message, match)
        shown.interaction, shown.is_reachable = interaction, is_reachable(interaction)
        if shown.is_reachable and self._is_old(interaction, interaction.message.id):
            shown.interaction = None
            await interaction.response.defer()
            return await self._repost(match)
        try:
            await edit_pressed(interaction, self._view(match))
        except Exception as error:  # noqa: BLE001 - the bot's own edit may do it all the same
            log.warning("match %d: the press could not be answered, %r; editing its board", match.id, error)
            shown.interaction = None if shown.is_reachable else interaction
            await self._show(match)
            await _acknowledge(interaction)
        else:
            await self._wind_up(match)
            self._is_shown(match.id, max(shown.version, match.version))
        return match

    async def _answer_elsewhere(
        self, interaction: Interaction, message: discord.Message, match: Match
    ) -> Match:
        """Answers a press on a message that the match does not call its board.

        A newer one than it knows was sent and then lost before it was stored: it becomes the board. An older
        one is a board that the match has left. What only one person sees never becomes a board.
        """
        known = match.location
        if message.flags.ephemeral:
            await interaction.response.defer()
            await self._show(match)
        elif known.message_id is not None and message.id < known.message_id:
            t = self._texts.of(known.locale)
            await edit_pressed(interaction, board.moved_view(match, t))
            await self._show(match)
        else:
            log.info("match %d: message %d becomes its board", match.id, message.id)
            match = await self._changes.attach(match.id, location_of(interaction, message.id))
            match = await self._answer(interaction, match)
            await self._strip(match, known)
        return match

    async def _repost(self, match: Match) -> Match:
        """Sends a new board; the match as stored, unchanged where none could be sent."""
        return (await self._sent_anew(match))[0]

    async def _sent_anew(self, match: Match, note: str | None = None) -> tuple[Match, Delivered]:
        """Sends a new board, makes it the match's, and takes the controls from the old one.

        note: the key of a text below it. A match whose thread is gone goes on in the channel around it.
        """
        old = match.location
        channel = self._client.get_partial_messageable(old.channel_id, guild_id=old.guild_id)
        try:
            # The nonce makes a repeated request after a lost answer harmless.
            view = self._view(match, note=note)
            sent = await channel.send(
                view=view, files=await pictures_of(view), nonce=f"b{match.id}-{match.version}"[:25]
            )
        except Exception as error:  # noqa: BLE001 - whatever Discord answers, the match goes on
            if is_deleted(error, UNKNOWN_CHANNEL) and old.parent_id is not None and not match.is_over:
                await self._changes.move_out(old.channel_id, old.parent_id)
                return await self._sent_anew(await self._changes.match(match.id), "thread_was_deleted")
            log.warning("match %d: no new board could be sent: %r", match.id, error)
            return match, classify(error)
        match = await self._attached(match, replace(old, message_id=sent.id), None)
        await self._strip(match, old)
        return match, Delivered.DELIVERED

    async def _attached(self, match: Match, location: Location, interaction: Interaction | None) -> Match:
        """The match, whose new board has just been sent, as stored; press: whose answer the board is."""
        after = await self._changes.attach(match.id, location)
        shown = self._boards.of(match.id)
        shown.interaction = interaction
        shown.is_reachable = interaction is None or is_reachable(interaction)
        # Whatever changed while the board was sent is not on it yet.
        self._is_shown(match.id, after.version if after.version == match.version + 1 else match.version)
        await self._show(after)
        return after

    async def _in_thread(self, match: Match, line: Location, interaction: Interaction | None) -> Match:
        """Opens a thread below that line and sends the first board there; else the line becomes the board."""
        t = self._texts.of(line.locale)
        thread_id = await self._threads.open(line, status.thread_name(t, match))
        if thread_id is not None:
            there = replace(line, channel_id=thread_id, message_id=None, parent_id=line.channel_id)
            # Stored first, so that a board that is lost on its way is looked for in the thread.
            match = await self._changes.attach(match.id, there)
            match, outcome = await self._sent_anew(match)
            if outcome is Delivered.DELIVERED:
                await self._edit_line(line, board.thread_view(match, t, self._look(match)), interaction)
                return match
        match = await self._changes.attach(match.id, line)
        shown = self._boards.of(match.id)
        shown.interaction, shown.version = interaction, -1
        await self._show(match)
        return match

    async def _wind_up(self, match: Match) -> None:
        """The thread of a match that is over closes soon; before that is done it does not count as shown."""
        if not match.is_over or await self._threads.own(match.location) is None:
            return
        if not await self._changes.is_in_tournament(match.id):
            line = board.thread_view(match, self._texts.of(match.location.locale), self._look(match))
            await self._threads.wind_up(match.location, line)

    async def _edit_line(self, line: Location, view: ui.LayoutView, interaction: Interaction | None) -> None:
        try:
            if interaction is not None:
                await interaction.edit_original_response(view=view)
            else:
                await self._message(line.channel_id, line.message_id or 0).edit(view=view)
        except DISCORD_ERRORS as error:
            log.info("the line above thread %d has no link: %r", line.message_id, error)

    async def _strip(self, match: Match, old: Location) -> None:
        """Takes the controls from a message that the match has left; a message that is gone needs nothing."""
        if old.message_id is None:
            return
        view = board.moved_view(match, self._texts.of(old.locale))
        try:
            await self._message(old.channel_id, old.message_id).edit(view=view, attachments=[])
        except discord.NotFound:
            log.debug("match %d: its old board is gone", match.id)
        except Exception as error:  # noqa: BLE001 - pressed, it says where the board is
            log.info("match %d: its old board keeps its buttons: %r", match.id, error)

    # Parts

    def _view(self, match: Match, *, page: int = 0, note: str | None = None) -> ui.LayoutView:
        look = self._look(match)
        if is_picture(match.state, look) and not self._may_attach(match):
            look = without_files(match.state, look)
        t = self._texts.of(match.location.locale)
        said = None if note is None else t(note)
        return board.board_view(match, t, self._roster, look, page=page, note=said)

    def _look(self, match: Match) -> Look:
        """The one that everybody in the match can see."""
        people = (match.begun_by,) if match.is_watched else (seat.user_id for seat in match.seats)
        look = shared(self._settings_cache.person(user_id) for user_id in people)
        return look.written_in(self._emoji)

    def _may_attach(self, match: Match) -> bool:
        """Whether pictures may be sent to the match's channel; where nobody knows, they are tried."""
        guild = self._client.get_guild(match.location.guild_id or 0)
        channel = None if guild is None else guild.get_channel_or_thread(match.location.channel_id)
        if guild is None or channel is None:
            return True
        return channel.permissions_for(guild.me).attach_files

    def _message(self, channel_id: int, message_id: int) -> discord.PartialMessage:
        return self._client.get_partial_messageable(channel_id).get_partial_message(message_id)

    def _is_old(self, interaction: Interaction, message_id: int) -> bool:
        """Both times are Discord's own, so this machine's clock does not matter."""
        sent_at = discord.utils.snowflake_time(message_id)
        return interaction.created_at - sent_at > FRESH_FOR

    def _is_out_of_reach(self, match: Match) -> bool:
        return self._is_out_of_guild(match) or not self._boards.of(match.id).is_reachable

    def _is_out_of_guild(self, match: Match) -> bool:
        """Whether the match stands in a server that the bot is no member of."""
        guild_id = match.location.guild_id
        return guild_id is not None and self._client.get_guild(guild_id) is None


async def _acknowledge(interaction: Interaction) -> None:
    """What could not be answered by an edit, as where the message is gone, has been seen to all the same."""
    if not interaction.response.is_done():
        try:
            await interaction.response.defer()
        except DISCORD_ERRORS as error:
            log.info("%s could not be acknowledged: %r", interaction.id, error)


def _is_board(message: discord.Message, match_id: int) -> bool:
    """Whether the message is a board of that match."""
    routes = (PLAY.move, PLAY.page, PLAY.column, ACTION)
    read = (route.read(one) for one in custom_ids(message) for route in routes)
    return any(values is not None and values[0] == match_id for values in read)
