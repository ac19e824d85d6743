"""Storms and streaks as messages: the current puzzle, the last answer, and the result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import discord
from discord import ui

from bot.domain.course import PENALTY, STORM_TIME, Course, CourseKind
from bot.domain.look import CLASSIC, Look
from bot.domain.puzzle import Task
from bot.i18n import Text
from bot.presentation import cell_of_move, icons, marks_of, names
from bot.presentation.puzzle_texts import stars, task_line
from bot.presentation.verdicts import move_words, opening_words
from bot.services.courses import CourseAnswer
from bot.ui.board import board_part, buttons_are_board
from bot.ui.layout import MOST_OPTIONS, Item, box, lines, options_of
from bot.ui.move_choices import Picked
from bot.ui.move_views import MoveOffer, offered_moves
from bot.ui.puzzle.routes import COURSE_ANSWER, COURSE_MISSED, COURSE_STEP, CourseStep
from bot.ui.puzzle.views import task_board
from engine.analysis.puzzles import Puzzle
from engine.games import game as game_of
from engine.games import spec_of


def course_view(
    found: Course,
    puzzle: Puzzle,
    t: Text,
    look: Look = CLASSIC,
    *,
    given: CourseAnswer | None = None,
    picked: Picked | None = None,
) -> ui.LayoutView:
    """The current puzzle. given: the answer to the previous one. picked: on the way to a move."""
    task = Task.of(puzzle)
    parts: list[Item] = [
        lines(f"### {course_title(t, found.kind, found.game)}", f"-# {_state(t, found)}", _given(t, given)),
        lines(f"**{t('course_number', n=found.number + 1)}**"),
    ]
    if not buttons_are_board(puzzle.game, look):
        parts.append(task_board(t, task, look))
    terms = f"{names.game_title(t, puzzle.game)} · {stars(t, puzzle.grade)}"
    parts.append(lines(f"-# {terms}", task_line(t, task, icons(task.game, look))))
    spec = spec_of(task.game)
    offer = MoveOffer(
        spec, task.board, task.state, COURSE_ANSWER, found.id, found.number, look, picked, fades_taken=True
    )
    parts.extend(offered_moves(offer, t))
    stop = COURSE_STEP(found.id, CourseStep.STOP)
    parts.append(ui.ActionRow(ui.Button[ui.LayoutView](label=t("button_course_stop"), custom_id=stop)))
    return box(*parts, colour=names.accent(puzzle.game, task.state.to_move, look.theme))


def over_view(
    found: Course,
    t: Text,
    missed: Mapping[int, Puzzle],
    given: CourseAnswer | None = None,
    look: Look = CLASSIC,
) -> ui.LayoutView:
    """The result, and a menu of what was missed; after a mistake in a streak, the right move on the board."""
    parts: list[Item] = [lines(f"### {course_title(t, found.kind, found.game)}", _given(t, given))]
    if given is not None and given.is_right is False and found.kind is CourseKind.STREAK:
        parts.append(_right_move(t, given.puzzle, look))
    parts.append(lines(*_result(t, found)))
    if missed and found.kind is CourseKind.STORM:
        parts.append(_missed(t, found, missed))
    again = ui.Button[ui.LayoutView](
        label=t("button_course_again"),
        style=discord.ButtonStyle.primary,
        custom_id=COURSE_STEP(found.id, CourseStep.AGAIN),
    )
    parts.append(ui.ActionRow(again))
    return box(*parts)


def _missed(t: Text, found: Course, missed: Mapping[int, Puzzle]) -> Item:
    """Return a menu of the puzzles that were answered wrongly, the last of them where they are too many."""
    labels = (
        (
            str(number),
            f"{t('course_number', n=number + 1)} · {names.game_title(t, one.game)} {stars(t, one.grade)}",
        )
        for number, one in list(missed.items())[-MOST_OPTIONS:]
    )
    menu: ui.Select[ui.LayoutView] = ui.Select(
        custom_id=COURSE_MISSED(found.id), options=options_of(labels, None), placeholder=t("course_missed")
    )
    return ui.ActionRow(menu)


def missed_view(t: Text, number: int, puzzle: Puzzle, look: Look) -> ui.LayoutView:
    """A puzzle that was answered wrongly, with its right move."""
    best = move_words(t, puzzle.game, puzzle.state, puzzle.best)
    said = t("course_said", n=number + 1, said=t("course_best", best=best))
    return box(
        lines(f"### {names.game_title(t, puzzle.game)} · {stars(t, puzzle.grade)}", said),
        _right_move(t, puzzle, look),
        colour=names.accent(puzzle.game, puzzle.state.to_move, look.theme),
    )


def result_view(found: Course, t: Text) -> ui.LayoutView:
    """The result of a finished course, for sharing."""
    result = t("course_result", n=found.solved, missed=found.missed)
    return box(lines(f"### {course_title(t, found.kind, found.game)}", result))


def course_title(t: Text, kind: CourseKind, game: str | None) -> str:
    """The name of a course of that kind and game."""
    name = t(f"course_title_{kind}")
    return name if game is None else t("course_of_game", name=name, game=names.game_title(t, game))


def _state(t: Text, found: Course) -> str:
    """The score so far, and the rule or the remaining time."""
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
        return t("course_closed" if given.was_closed else "course_too_late")
    move = opening_words(t, puzzle.game, puzzle.state, given.move)
    best = move_words(t, puzzle.game, puzzle.state, puzzle.best)
    said = t("course_right", move=move) if given.is_right else t("course_wrong", move=move, best=best)
    # The puzzle's number, since the board below it is the next one's.
    return t("course_said", n=given.course.number, said=said)


def _right_move(t: Text, puzzle: Puzzle, look: Look) -> Item:
    task, rules = Task.of(puzzle), game_of(puzzle.game)
    marks = marks_of(rules, rules.start(task.board), task.line)
    best = cell_of_move(spec_of(puzzle.game), task.state, puzzle.best)
    return board_part(t, puzzle.game, task.state, replace(marks, best=best), look)


def _result(t: Text, found: Course) -> Iterable[str]:
    yield t("course_result", n=found.solved, missed=found.missed)
    if found.is_record:
        yield t("course_record", n=found.solved)
    elif found.to_beat:
        yield t("course_to_beat", n=found.to_beat)
