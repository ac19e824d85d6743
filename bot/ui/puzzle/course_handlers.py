"""Handlers of storms and streaks, and the end of storms whose time is up."""

from __future__ import annotations

import logging
from datetime import datetime

from discord import ui

from bot.domain.clock import heard_until
from bot.domain.course import Course, CourseKind
from bot.domain.errors import NotFound, Refusal, SetupError
from bot.i18n import Text
from bot.services.courses import CourseAnswer
from bot.ui.answers import edit_pressed, respond
from bot.ui.client import Client, Interaction
from bot.ui.context import check_channel, own_look, own_text, person_of
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.move_choices import Picked
from bot.ui.puzzle.course_views import course_view, missed_view, over_view, result_view
from bot.ui.puzzle.routes import CourseStep
from bot.ui.routing import choice
from bot.ui.sharing import Shared, What, with_sharing
from engine.core import Move

log = logging.getLogger(__name__)


class StormMessages:
    """The messages of running storms; shows each result when its time is up. Kept in memory only."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._running: dict[int, tuple[datetime, Interaction]] = {}

    def note(self, interaction: Interaction, found: Course) -> None:
        """Remember where a running storm is shown; forget a finished one."""
        if found.is_over or found.ends_at is None:
            self._running.pop(found.id, None)
        else:
            self._running[found.id] = found.ends_at, interaction

    async def run_once(self) -> None:
        """End every storm whose time is up, and show its result where this process knows the message."""
        await self._client.services.courses.end_due()
        heard = heard_until(self._client.services.clock())
        due = [key for key, (ends_at, _) in self._running.items() if heard >= ends_at]
        for course_id in due:
            try:
                found = await self._client.services.courses.course(course_id)
            except NotFound:  # deleted with the person's data
                self._running.pop(course_id, None)
                continue
            except Refusal as error:  # database unavailable, or changed at the same time: retried next time
                log.info("storm %d: result deferred: %s", course_id, error)
                continue
            if course_id not in self._running:
                continue
            _, interaction = self._running[course_id]
            self.note(interaction, found)
            if not found.is_over:  # an outage has extended its time
                continue
            missed = await self._client.services.courses.missed(found)
            view = _with_sharing(interaction, over_view(found, own_text(interaction), missed), found)
            try:
                await interaction.edit_original_response(view=view, attachments=[])
            except DISCORD_ERRORS as error:
                log.info("storm %d: result not shown: %r", course_id, error)


async def open_course(interaction: Interaction, kind: CourseKind, game: str | None) -> None:
    """Answer with the person's running course, or a new one; raises Refusal."""
    check_channel(interaction)
    service = interaction.client.services.courses
    found = await service.begin(person_of(interaction), interaction.guild_id, kind, game)
    view = await _running_view(interaction, found)
    interaction.client.storms.note(interaction, found)
    await respond(interaction, view)


async def answer(interaction: Interaction, course_id: int, number: int, move: Move) -> None:
    """Judge the answer and show the next puzzle; a repeated press is told that it is one. Raises Refusal."""
    service, person = interaction.client.services.courses, person_of(interaction)
    waiting = await service.puzzle(await service.course(course_id))
    allowed_help = interaction.client.services.allowed_help
    await allowed_help.check_positions(person, waiting.game, waiting.rules.boards[0], [waiting.state])
    given = await service.answer(course_id, person, number, move)
    await _show(interaction, given.course, given)


async def pick(interaction: Interaction, course_id: int, _number: int, picked: Picked) -> None:
    """Offer the next choices on the way to a move; raises Refusal."""
    found = await interaction.client.services.courses.course(course_id)
    found.check_owner(interaction.user.id)
    await _show(interaction, found, picked=picked)


async def step(interaction: Interaction, course_id: int, wanted: CourseStep) -> None:
    """End the course, or start another one like it; raises Refusal."""
    service, person = interaction.client.services.courses, person_of(interaction)
    if wanted is CourseStep.STOP:
        await _show(interaction, await service.stop(course_id, person))
        return
    before = await service.course(course_id)
    before.check_owner(person.user_id)
    await _show(interaction, await service.begin(person, interaction.guild_id, before.kind, before.game))


async def show_missed(interaction: Interaction, course_id: int) -> None:
    """Answer privately with the chosen puzzle that was answered wrongly; raises Refusal."""
    chosen, service = choice(interaction), interaction.client.services.courses
    found = await service.course(course_id)
    found.check_owner(interaction.user.id)
    missed = await service.missed(found)
    number = int(chosen) if chosen.isdecimal() else -1
    if number not in missed:
        raise SetupError("unknown_choice", choice=chosen)
    await respond(
        interaction, missed_view(own_text(interaction), number, missed[number], own_look(interaction))
    )


async def _show(
    interaction: Interaction, found: Course, given: CourseAnswer | None = None, picked: Picked | None = None
) -> None:
    found.check_owner(interaction.user.id)
    interaction.client.storms.note(interaction, found)
    if found.is_over:
        missed = await interaction.client.services.courses.missed(found)
        view = over_view(found, own_text(interaction), missed, given, own_look(interaction))
        view = _with_sharing(interaction, view, found)
    else:
        view = await _running_view(interaction, found, given, picked)
    await edit_pressed(interaction, view)


def _with_sharing(interaction: Interaction, view: ui.LayoutView, found: Course) -> ui.LayoutView:
    return with_sharing(interaction, view, What.COURSE, found.id) if found.solved else view


async def _running_view(
    interaction: Interaction, found: Course, given: CourseAnswer | None = None, picked: Picked | None = None
) -> ui.LayoutView:
    puzzle = await interaction.client.services.courses.puzzle(found)
    return course_view(
        found, puzzle, own_text(interaction), own_look(interaction), given=given, picked=picked
    )


async def share_course(interaction: Interaction, t: Text, course_id: int) -> Shared:
    """Return the result of a course to post; raises Refusal."""
    found = await interaction.client.services.courses.course(course_id)
    found.check_owner(interaction.user.id)
    if not found.is_over:
        raise Refusal("puzzle_moved_on")
    return Shared(result_view(found, t))
