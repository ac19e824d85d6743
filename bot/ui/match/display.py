"""MessageDisplay: the messages of matches and invitations, as answers to interactions and by themselves."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import discord

from bot.domain.challenge import Challenge
from bot.domain.errors import HelpBarred, MatchError, Refusal
from bot.domain.location import Channel, Web
from bot.domain.match import Match
from bot.domain.outgoing import Outgoing
from bot.domain.preferences import Threads
from bot.services.background import held_soon
from bot.services.changes import Changes
from bot.services.ports import Delivered
from bot.ui.answers import acknowledge, edit_pressed, reply, respond, respond_to_all
from bot.ui.client import Interaction
from bot.ui.context import board_location_of, is_private, is_reachable, location_of, own_text
from bot.ui.discord_errors import DISCORD_ERRORS, classify
from bot.ui.layout import box, lines
from bot.ui.match import views as board
from bot.ui.match.board_state import LOCK_WAIT_SECONDS, PendingAnswer
from bot.ui.match.delivery import BoardDelivery
from bot.ui.match.invitations import InvitationMessages
from bot.ui.match.mirrors import Mirrors
from bot.ui.match.pings import PingMessages
from bot.ui.match.routes import BOARD, CHALLENGE
from bot.ui.match.tables import Tables
from bot.ui.move_choices import Picked
from bot.ui.rate_question import ask_to_rate
from bot.ui.shown import Shown
from bot.ui.threads import BoardThreads

log = logging.getLogger(__name__)

AGENT_WAIT_SECONDS = 0.7
"""How long the answer to a press waits for the agent's move, so that one edit shows both."""

FRESH_FOR = timedelta(minutes=55)
"""Discord limits edits of messages older than an hour, by a limit that it does not publish."""


class MessageDisplay:
    """The boards, pings and invitations of one client. Lives on its event loop."""

    tables: Tables
    """Set once, since they need services, which need this."""

    def __init__(
        self,
        boards: BoardDelivery,
        invitations: InvitationMessages,
        pings: PingMessages,
        mirrors: Mirrors,
        changes: Changes,
        threads: BoardThreads,
    ) -> None:
        self.boards = boards
        self.invitations = invitations
        self.pings = pings
        self.mirrors = mirrors
        self._changes = changes
        self._threads = threads
        self._states = boards.states

    @property
    def remembered(self) -> int:
        """How many boards are kept in memory."""
        return len(self._states)

    # For services

    async def show(self, match: Match) -> Delivered:
        """Make the match's message show it, unless it shows something newer already."""
        if isinstance(match.location, Web):
            return Delivered.DELIVERED
        if match.id in self.mirrors.sender.by_subject:
            self.mirrors.follow(match)
        state = self._states.of(match.id)
        if state.pending is not None:
            state.pending.offer(match)
            return Delivered.DELIVERED
        async with state.lock:
            try:
                if _is_left_behind(match):
                    outcome = (await self.boards.send(match))[1]
                else:
                    outcome = await self.boards.refresh(match)
            except Refusal as error:
                log.warning("match %d could not be displayed: %s", match.id, error)
                return Delivered.MESSAGE_REFUSED
            except Exception as error:
                log.exception("match %d could not be displayed", match.id)
                return classify(error)
        if outcome is Delivered.GONE and match.location.message_id is not None:
            self.pings.are_gone((match.location.message_id,))  # a warning of the clock does not link to it
        return outcome

    async def recover(self, match: Match) -> Delivered:
        """Deliver a match that the database calls stale; its message is found, or sent, if it has none."""
        return await self.boards.recover(match)

    async def open(self, match: Match, *, note: str | None = None) -> Match:
        """Send the first board of a match that did not begin with a command; returns the match as stored.

        It still has no message if the bot cannot send one. note: the key of a text below the board.
        """
        async with self._states.of(match.id).lock:
            return (await self.boards.send(match, note))[0]

    async def remove(self, match: Match) -> None:
        """Delete the board of a match that is over; raises NotDelivered."""
        async with self._states.of(match.id).lock:
            await self.boards.remove(match)

    def wants_ping(self, match: Match) -> bool:
        """Whether the person to act wants a ping and the bot itself can write there."""
        if isinstance(match.location, Web) or match.has_lost_channel:
            return False
        if match.stands_at(self._changes.now()):
            return False
        can_write = self._states.of(match.id).is_reachable
        return can_write and self.pings.is_wanted(match)

    async def ping(self, match: Match) -> int | Delivered:
        """Ping the person to act, or warn them of the clock: the message's id, or why there is none."""
        return await self.pings.send(match)

    def ping_places(self, match: Match) -> Sequence[Channel]:
        """Return the match's boards, first the one at which the person to act pressed last."""
        return self.mirrors.ping_places(match)

    async def find_pings(self, match: Match, since: int | None) -> Mapping[int, bool] | Delivered:
        """Return the pings since that message, oldest first, and whether each is for the person to act."""
        return await self.pings.find(match, since)

    async def delete_ping(self, channel_id: int, message_id: int) -> Delivered:
        """Delete a ping that has done its work."""
        return await self.pings.delete(channel_id, message_id)

    def pings_are_gone(self, message_ids: Collection[int]) -> list[int]:
        """Note that these messages, if they were pings or boards, are gone; returns those new to it."""
        return self.pings.are_gone(message_ids)

    async def boards_are_gone(self, channel_id: int, message_ids: Collection[int]) -> None:
        """Note which of these messages that people have deleted were boards; raises Unavailable.

        A mirror takes the place of the board, if there is one.
        """
        for match_id in await self._changes.matches_on(channel_id, *message_ids):
            match = await self._changes.latest(match_id)
            message_id = match.location.message_id
            if message_id not in message_ids or message_id is None:
                continue  # it has another board by now
            if not await self.mirrors.replace_home(match_id):
                await self._changes.lose_board(match_id, message_id)

    async def show_challenge(self, challenge: Challenge) -> Delivered:
        """Make the invitation's message show what became of it; send an open one that has no message."""
        return await self.invitations.show(challenge)

    # As the answer to a press or a command

    async def answer(self, interaction: Interaction, match: Match) -> Match:
        """Acknowledge a press on a board by editing it; returns the match as stored.

        If an agent is to answer a person, its move goes into the same edit if it comes soon. A board older
        than 55 minutes is replaced by a new one.
        """
        if match.id in self.mirrors.sender.by_subject:
            await self.mirrors.sit(match, interaction.user.id, interaction.channel_id)
            if self.mirrors.pressed(interaction, match) is not None:
                await self.mirrors.answer(interaction, match)
                return match
        state = self._states.of(match.id)
        if state.pending is not None:
            state.pending.offer(match)
        is_soon = match.awaits_agent and not match.is_watched
        pending = state.pending = PendingAnswer(match) if is_soon else None
        try:
            async with held_soon(self._states.of(match.id).lock, LOCK_WAIT_SECONDS) as is_locked:
                if is_locked and pending is not None:
                    match = await pending.newest(AGENT_WAIT_SECONDS)
                if state.pending is pending:
                    state.pending = None
                if is_locked:
                    return await self._answer(interaction, match)
                # Another edit holds the board; Discord wants an answer within 3 seconds.
                await acknowledge(interaction)
        finally:
            if state.pending is pending:
                state.pending = None
        await self.show(match if pending is None else pending.match)
        return match

    async def post(self, interaction: Interaction, match: Match) -> Match:
        """Answer with a new board, which becomes the match's; returns the match as stored.

        A match on the web alone, or whose channel was deleted, is in this channel from then on.
        """
        async with self._states.of(match.id).lock:
            if isinstance(match.location, Web) or match.has_lost_channel:
                # Stored first, so that the reconciler delivers a board that cannot be sent.
                match = await self._changes.attach(match.id, board_location_of(interaction, match))
            old = replace(match.channel, locale=board_location_of(interaction, match).locale)
            match = replace(match, location=old)
            in_thread = old.message_id is None and await self._threads.may_open(old, Threads.ALWAYS)
            view = (
                self.boards.views.line_above(match, old)
                if in_thread
                else await self.boards.views.board(match)
            )
            message_id = await respond_to_all(interaction, view)
            here = board_location_of(interaction, match, message_id)
            if in_thread:
                return await self.boards.open_thread(match, here)
            match = await self.boards.attach(match, here, interaction)
            if old.message_id not in (None, message_id):
                await self.boards.strip(match, old)
            elif old.message_id is None:
                await self._threads.keep_open(old)
            return match

    async def bring_back(self, match: Match) -> Shown:
        """Send a board again that people have deleted, where the match is; returns where it is seen."""
        async with self._states.of(match.id).lock:
            match = await self._changes.match(match.id)
            if match.has_lost_board:
                match, outcome = await self.boards.send(match)
                if outcome is not Delivered.DELIVERED:
                    return Shown.NOT_YET
        return Shown(match.location)

    async def answer_with_board(self, interaction: Interaction, match: Match) -> Match:
        """Turn the invitation that was pressed into the board; returns the match as stored."""
        if interaction.message is None:
            return await self.post(interaction, match)
        async with self._states.of(match.id).lock:
            here = board_location_of(interaction, match, interaction.message.id)
            if await self._threads.may_open(here, Threads.ALWAYS):
                await edit_pressed(interaction, self.boards.views.line_above(match, here))
                return await self.boards.open_thread(match, here)
            await edit_pressed(interaction, await self.boards.views.board(match))
            return await self.boards.attach(match, here, interaction)

    async def answer_privately(
        self, interaction: Interaction, match: Match, line: Callable[[Shown], str]
    ) -> Match:
        """Show the change on the board, then say the line privately; in place of a private menu, if pressed.

        After their first match, the person is then asked whether to rate the next. line: may speak of the
        board only as far as that shows the match.
        """
        match, shown = await self.show_to(interaction, match)
        t = own_text(interaction)
        said = f"{line(shown)} {t('call_without_board')}" if match.has_lost_board else line(shown)
        if is_private(interaction):
            await edit_pressed(interaction, box(lines(said)))
        else:
            await reply(interaction, shown.linked(t, said))
        await ask_to_rate(interaction, match)
        return match

    async def show_to(self, interaction: Interaction, match: Match) -> tuple[Match, Shown]:
        """Show the match before an answer speaks of its board; returns it as stored, and where it is seen.

        If only this interaction's own answer can show it, that becomes the new board.
        """
        place, pressed = match.location, interaction.message
        if isinstance(place, Web):
            return match, Shown(place)
        mirror = self.mirrors.here(match.id, interaction.channel_id)
        if mirror is not None:
            await self.mirrors.sit(match, interaction.user.id, interaction.channel_id)
            return match, await self._show_mirror(interaction, match, mirror)
        if pressed is not None and not pressed.flags.ephemeral:
            shown = await self.refresh(interaction, match)
            if shown.on is not None:
                return match, shown
        if place.message_id is not None:
            can_write = is_reachable(interaction)
            if can_write and pressed is None and _is_old(interaction, place.message_id):
                async with self._states.of(match.id).lock:
                    match, outcome = await self.boards.send(match)
                return match, Shown(match.location) if outcome is Delivered.DELIVERED else Shown.NOT_YET
            # Discord wants an answer within 3 seconds: an edit that takes longer goes on by itself.
            showing = interaction.client.services.background.spawn(self.show(match))
            await asyncio.wait((showing,), timeout=LOCK_WAIT_SECONDS)
            if showing.done() and showing.result() is Delivered.DELIVERED:
                return match, await self._seen(match)
            if can_write:
                # It may have turned out only now that people have deleted the board.
                return match if match.is_over else await self._changes.latest(match.id), Shown.NOT_YET
        if not match.players_of(interaction.user.id):
            return match, Shown.NOT_YET
        if is_private(interaction):
            # A first answer would be the board, and its menu could not be edited.
            await acknowledge(interaction)
        match = await self.post(interaction, match)
        return match, Shown(match.location)

    async def _show_mirror(self, interaction: Interaction, match: Match, mirror: Outgoing) -> Shown:
        """Bring the mirror of this channel up to date, as long as Discord waits for an answer."""
        showing = interaction.client.services.background.spawn(self.mirrors.bring(mirror, match))
        await asyncio.wait((showing,), timeout=LOCK_WAIT_SECONDS)
        if showing.done() and showing.result() is Delivered.DELIVERED:
            found = self.mirrors.here(match.id, mirror.part) or mirror
            return Shown(found.place.channel(found.message_id))
        return Shown.NOT_YET

    async def refresh(self, interaction: Interaction, match: Match) -> Shown:
        """Bring the board up to date after a press on an old one; returns where the match is seen."""
        pressed, known = interaction.message, match.location.message_id
        mirror = self.mirrors.pressed(interaction, match)
        if mirror is not None:
            return await self._show_mirror(interaction, match, mirror)
        if pressed is not None and not pressed.flags.ephemeral and pressed.id != known:
            if _may_be_board(pressed, match):
                match = await self._adopt(interaction, pressed, match) or match
            # Notes of mirrors go at the end: a board elsewhere may be one, and keeps its buttons.
            elif not match.is_over or pressed.channel.id == match.location.channel_id:
                await self.boards.strip(match, location_of(interaction, pressed.id))
        is_shown = await self.show(match) is Delivered.DELIVERED
        return await self._seen(match) if is_shown else Shown.NOT_YET

    async def _seen(self, match: Match) -> Shown:
        """Return where the match, which was just displayed, is seen: a deleted board gets a new message."""
        return Shown(match.location if match.is_over else (await self._changes.latest(match.id)).location)

    async def catch_up(self, interaction: Interaction, subject: Sequence[object]) -> None:
        """Draw a pressed board or invitation again where only the press can.

        subject: of the pressed message, with the family of its controls.
        """
        family, number = (*subject, None)[:2]
        if not isinstance(number, int):
            return
        try:
            if family == BOARD:
                await self.refresh(interaction, await self._changes.match(number))
            elif family == CHALLENGE.family:
                challenge = await self._changes.challenge(number)
                if challenge.match_id is None:  # else its message may be a board
                    await self.show_challenge(challenge)
        except (Refusal, *DISCORD_ERRORS) as error:
            log.info("%s %d: the pressed message stays as it is: %r", family, number, error)

    async def offer_next(self, interaction: Interaction, match: Match, picked: Picked) -> None:
        """Answer a choice before a move with the next ones, on the same board; raises MatchError."""
        if self.mirrors.pressed(interaction, match) is not None:
            await self.mirrors.offer_next(interaction, match, picked)
            return
        async with held_soon(self._states.of(match.id).lock, LOCK_WAIT_SECONDS) as is_locked:
            if not is_locked:
                raise MatchError("busy")
            if self._states.of(match.id).version > match.version:
                turn, match = match.turn, await self._changes.latest(match.id)
                match.check_to_move(interaction.user.id, turn=turn)
            await edit_pressed(interaction, await self.boards.views.board(match, picked=picked))

    async def ask_to_resign(self, interaction: Interaction, match: Match) -> None:
        view = board.resign_view(match, own_text(interaction), interaction.user.id)
        pressed = interaction.message
        if pressed is not None and is_private(interaction) and pressed.id != match.location.message_id:
            await interaction.response.edit_message(view=view)  # the menu that offered it
        else:
            await respond(interaction, view)

    async def show_in_the_way(self, interaction: Interaction, refusal: Refusal, line: str) -> None:
        """Say why not, with a link to the match that is in the way; one that bars help may be resigned.

        refusal: with `in_the_way`.
        """
        try:
            match = await self._changes.latest(refusal.in_the_way or 0)
        except Refusal:  # the database went away meanwhile; the words are still true
            await reply(interaction, line)
            return
        is_barring = isinstance(refusal, HelpBarred)
        view = board.in_the_way_view(match, own_text(interaction), line, may_resign=is_barring)
        await respond(interaction, view)

    async def post_challenge(self, interaction: Interaction, challenge: Challenge) -> None:
        """Answer with an invitation, which notifies the person invited."""
        await self.invitations.post(interaction, challenge)

    async def answer_challenge(self, interaction: Interaction, challenge: Challenge) -> None:
        """Acknowledge a press on an invitation by showing what became of it."""
        await self.invitations.answer(interaction, challenge)

    # Internals: the lock of the match is held from here on

    async def _answer(self, interaction: Interaction, match: Match) -> Match:
        state, pressed = self._states.of(match.id), interaction.message
        if match.version < state.version or pressed is None:
            await acknowledge(interaction)
            return match
        if pressed.id != match.location.message_id:
            return await self._answer_elsewhere(interaction, pressed, match)
        state.is_reachable = is_reachable(interaction)
        if state.is_reachable and _is_old(interaction, pressed.id):
            await acknowledge(interaction)
            return (await self.boards.send(match))[0]
        try:
            await edit_pressed(interaction, await self.boards.views.board(match))
        except Exception as error:  # noqa: BLE001 - the bot's own edit may succeed
            log.warning("match %d: the press could not be answered, %r; editing its board", match.id, error)
            await self.boards.refresh(match)
            await _acknowledge(interaction)
        else:
            if match.is_over:
                await self.boards.wind_up(match)
            self._states.displayed(match.id, match.version)
        return match

    async def _answer_elsewhere(
        self, interaction: Interaction, pressed: discord.Message, match: Match
    ) -> Match:
        """Answer a press on a message that is not the one that the match calls its board.

        It becomes the board if it may be that. Else it is a board that the match has left, or a mirror whose
        note is gone. A private message never becomes a board.
        """
        known = match.location
        if pressed.flags.ephemeral:
            await acknowledge(interaction)
            await self.boards.refresh(match)
        elif not _may_be_board(pressed, match):
            await edit_pressed(interaction, self.boards.views.moved(match, known))
            await self.boards.refresh(match)
        elif (adopted := await self._adopt(interaction, pressed, match)) is not None:
            match = await self._answer(interaction, adopted)
            await self.boards.strip(match, known)
        else:
            await acknowledge(interaction)
            await self.boards.refresh(match)
        return match

    async def _adopt(self, interaction: Interaction, pressed: discord.Message, match: Match) -> Match | None:
        """Make the newer message the match's board; None if the person has no part in the match.

        Its change is displayed by its subscriber. After the end it may be a mirror, whose note is deleted.
        """
        if match.is_over and match.location.message_id is not None:
            return None
        person = interaction.user.id
        if not match.players_of(person) and match.begun_by != person:
            return None
        log.info("match %d: message %d is pressed and may become its board", match.id, pressed.id)
        return await self._changes.adopt(match.id, board_location_of(interaction, match, pressed.id))


def _may_be_board(pressed: discord.Message, match: Match) -> bool:
    """Return whether the message may be a board that was sent, and whose id was lost before it was stored.

    Such a board is newer, and the match was already stored as being in its channel. A mirror is elsewhere,
    also one that was forgotten while the bot was no member of its server.
    """
    known = match.location
    is_newer = known.message_id is None or pressed.id > known.message_id
    return is_newer and pressed.channel.id == known.channel_id


def _is_old(interaction: Interaction, message_id: int) -> bool:
    """Both times are Discord's own, so this machine's clock does not matter."""
    return interaction.created_at - discord.utils.snowflake_time(message_id) > FRESH_FOR


def _is_left_behind(match: Match) -> bool:
    """Whether its message was old when the vote began: a new one can be edited, and is seen."""
    message_id = match.location.message_id
    if not match.awaits_votes or message_id is None or match.has_lost_board:
        return False
    return match.turn_started_at - discord.utils.snowflake_time(message_id) > FRESH_FOR


async def _acknowledge(interaction: Interaction) -> None:
    """Acknowledge a press that could not be answered by an edit, for example of a deleted message."""
    try:
        await acknowledge(interaction)
    except DISCORD_ERRORS as error:
        log.info("%s could not be acknowledged: %r", interaction.id, error)
