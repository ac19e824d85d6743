"""Storms and streaks on screen: the puzzle that waits, what the last answer was, and how the course ended."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial

import discord
from discord import ui

from bot.domain.clock import LATEST_PRESS
from bot.domain.course import PENALTY, STORM_TIME, Course, CourseKind
from bot.domain.errors import NotFound, Refusal
from bot.domain.look import CLASSIC, Look
from bot.domain.puzzle import Task
from bot.i18n import Text
from bot.presentation import marks_of, names
from bot.presentation.verdicts import move_words, opening_words
from bot.services.courses import CourseAnswer
from bot.ui.answers import edit_pressed, respond
from bot.ui.board import board_part, buttons_are_board
from bot.ui.client import Client, Interaction
from bot.ui.context import check_channel, own_look, own_text, person_of
from bot.ui.discord_errors import DISCORD_ERRORS
from bot.ui.layout import Item, box, lines
from bot.ui.moves import Ids, Offer, offered_moves, press_select
from bot.ui.puzzle.routes import COURSE_ANSWER, COURSE_COLUMN, COURSE_SELECT, COURSE_STEP, CourseStep
from bot.ui.puzzle.views import stars, task_board, task_line
from bot.ui.share_button import What, with_sharing
from engine.analysis.puzzles import Puzzle
from engine.core import Move
from engine.games import game as game_of
from engine.games import spec_of

log = logging.getLogger(__name__)


class CourseMessages:
    """The messages of storms under way: each is told when its time is over. Lives while the process does."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._running: dict[int, tuple[datetime, Interaction]] = {}

    def note(self, interaction: Interaction, found: Course) -> None:
        """Remembers where the storm is shown, or forgets it when it is over."""
        if found.is_over or found.ends_at is None:
            self._running.pop(found.id, None)
        else:
            self._running[found.id] = found.ends_at, interaction

    async def end_due(self) -> None:
        """Shows the result of every storm whose time is over."""
        now = self._client.services.clock()
        due = [key for key, (ends_at, _) in self._running.items() if now >= ends_at + LATEST_PRESS]
        for course_id in due:
            try:
                found = await self._client.services.courses.course(course_id)
            except NotFound:  # deleted with its person
                self._running.pop(course_id, None)
                continue
            except Refusal as error:  # a database that cannot be had, a press that was faster: the next look
                log.info("storm %d: its end is shown later: %s", course_id, error)
                continue
            if course_id not in self._running:
                continue
            _, interaction = self._running[course_id]
            self.note(interaction, found)
            if not found.is_over:  # its time was moved by an outage
                continue
            view = _with_sharing(interaction, over_view(found, own_text(interaction)), found)
            try:
                await interaction.edit_original_response(view=view, attachments=[])
            except DISCORD_ERRORS as error:
                log.info("storm %d: its end is not shown: %r", course_id, error)


async def open_course(interaction: Interaction, kind: CourseKind, game: str | None) -> None:
    """Answers with the person's course that is under way, or a new one; raises Refusal."""
    check_channel(interaction)
    service = interaction.client.services.courses
    found = await service.begin(person_of(interaction), interaction.guild_id, kind, game)
    view = await _running_view(interaction, found)
    interaction.client.storms.note(interaction, found)
    await respond(interaction, view)


async def answer(interaction: Interaction, course_id: int, number: int, move: Move) -> None:
    """Judges the answer and shows the next puzzle; a second press shows how things stand. Raises Refusal."""
    service = interaction.client.services.courses
    given = await service.answer(course_id, person_of(interaction), number, move, interaction.created_at)
    if given is None:
        await _show(interaction, await service.course(course_id))
    else:
        await _show(interaction, given.course, given)


async def select(interaction: Interaction, course_id: int, number: int, page: int) -> None:
    """One of the page's moves as the answer, or the next page; raises Refusal."""
    subject = interaction, course_id, number
    await press_select(interaction, page, partial(answer, *subject), partial(pick_column, *subject))


async def pick_column(interaction: Interaction, course_id: int, number: int, page: int) -> None:  # noqa: ARG001
    """Offers other squares of the same position; raises Refusal."""
    found = await interaction.client.services.courses.course(course_id)
    found.check_owner(interaction.user.id)
    await _show(interaction, found, page=page)


async def step(interaction: Interaction, course_id: int, wanted: CourseStep) -> None:
    """Ends the course, or begins another one like it; raises Refusal."""
    service, person = interaction.client.services.courses, person_of(interaction)
    if wanted is CourseStep.STOP:
        await _show(interaction, await service.stop(course_id, person))
        return
    before = await service.course(course_id)
    before.check_owner(person.user_id)
    await _show(interaction, await service.begin(person, interaction.guild_id, before.kind, before.game))


async def _show(
    interaction: Interaction, found: Course, given: CourseAnswer | None = None, page: int = 0
) -> None:
    found.check_owner(interaction.user.id)
    interaction.client.storms.note(interaction, found)
    if found.is_over:
        view = over_view(found, own_text(interaction), given, own_look(interaction))
        view = _with_sharing(interaction, view, found)
    else:
        view = await _running_view(interaction, found, given, page)
    await edit_pressed(interaction, view)


def _with_sharing(interaction: Interaction, view: ui.LayoutView, found: Course) -> ui.LayoutView:
    return with_sharing(interaction, view, What.COURSE, found.id) if found.solved else view


async def _running_view(
    interaction: Interaction, found: Course, given: CourseAnswer | None = None, page: int = 0
) -> ui.LayoutView:
    puzzle = await interaction.client.services.courses.puzzle(found)
    return course_view(found, puzzle, own_text(interaction), own_look(interaction), given=given, page=page)


def course_view(
    found: Course,
    puzzle: Puzzle,
    t: Text,
    look: Look = CLASSIC,
    *,
    given: CourseAnswer | None = None,
    page: int = 0,
) -> ui.LayoutView:
    """The puzzle that waits. given: the answer to the one before. page: of the legal moves."""
    task = Task.of(puzzle)
    parts: list[Item] = [
        lines(f"### {course_title(t, found.kind, found.game)}", f"-# {_state(t, found)}", _given(t, given))
    ]
    if not buttons_are_board(puzzle.game, look):
        parts.append(task_board(t, task, look))
    parts.append(
        lines(f"-# {names.game_title(t, puzzle.game)} · {stars(t, puzzle.grade)}", task_line(t, task, look))
    )
    parts.extend(_moves(found, task, t, page, look))
    stop = ui.Button[ui.LayoutView](
        label=t("button_course_stop"), custom_id=COURSE_STEP(found.id, CourseStep.STOP)
    )
    parts.append(ui.ActionRow(stop))
    return box(*parts, colour=names.accent(puzzle.game, task.state.to_move, look.theme))


def over_view(
    found: Course, t: Text, given: CourseAnswer | None = None, look: Look = CLASSIC
) -> ui.LayoutView:
    """How it ended; after a mistake in a streak with the right move on the board."""
    parts: list[Item] = [lines(f"### {course_title(t, found.kind, found.game)}", _given(t, given))]
    if given is not None and given.is_right is False and found.kind is CourseKind.STREAK:
        parts.append(_missed(t, given.puzzle, look))
    parts.append(lines(*_result(t, found)))
    again = ui.Button[ui.LayoutView](
        label=t("button_course_again"),
        style=discord.ButtonStyle.primary,
        custom_id=COURSE_STEP(found.id, CourseStep.AGAIN),
    )
    parts.append(ui.ActionRow(again))
    return box(*parts)


def result_view(found: Course, t: Text) -> ui.LayoutView:
    """What others are shown of a course that is over."""
    result = t("course_result", n=found.solved, missed=found.missed)
    return box(lines(f"### {course_title(t, found.kind, found.game)}", result))


def course_title(t: Text, kind: CourseKind, game: str | None) -> str:
    """What a course of that kind and game is called."""
    name = t(f"course_title_{kind}")
    return name if game is None else t("course_of_game", name=name, game=names.game_title(t, game))


def _state(t: Text, found: Course) -> str:
    """What is at stake, and what was done so far."""
    solved = t("course_solved", n=found.solved)
    if found.kind is CourseKind.STREAK:
        return f"{solved} · {t('course_streak_rule')}"
    if found.ends_at is None:
        return t("course_storm_rule", minutes=STORM_TIME.seconds // 60, seconds=PENALTY.seconds)
    return f"{solved} · {t('course_ends', when=f'<t:{int(found.ends_at.timestamp())}:R>')}"


def _given(t: Text, given: CourseAnswer | None) -> str:
    if given is None:
        return ""
    puzzle = given.puzzle
    if given.is_right is None:
        return t("course_too_late")
    move = opening_words(t, puzzle.game, puzzle.state, given.move)
    if given.is_right:
        return t("course_right", move=move)
    return t("course_wrong", move=move, best=move_words(t, puzzle.game, puzzle.state, puzzle.best))


def _missed(t: Text, puzzle: Puzzle, look: Look) -> Item:
    task, rules = Task.of(puzzle), game_of(puzzle.game)
    marks = marks_of(rules, rules.start(task.board), task.line)
    best = rules.cell_of(task.state, puzzle.best)
    return board_part(t, puzzle.game, task.state, replace(marks, best=best), look)


def _result(t: Text, found: Course) -> Iterable[str]:
    yield t("course_result", n=found.solved, missed=found.missed)
    if found.is_record:
        yield t("course_record", n=found.solved)
    elif found.to_beat:
        yield t("course_to_beat", n=found.to_beat)


def _moves(found: Course, task: Task, t: Text, page: int, look: Look) -> Iterable[Item]:
    ids = Ids.of((COURSE_ANSWER, COURSE_SELECT, COURSE_COLUMN), found.id, found.number)
    return offered_moves(Offer(spec_of(task.game), task.state, ids, look, page, fades_taken=True), t)
