"""A puzzle as a private message: the position, the task or the last answer, and the buttons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

import discord
from discord import ui

from bot.domain.look import CLASSIC, Look
from bot.domain.puzzle import Attempt, Status, Task
from bot.domain.reminder import ReminderKind
from bot.i18n import Text
from bot.presentation import icons, marks_of, names
from bot.presentation.puzzle_texts import (
    Solution,
    attempt_lines,
    attempt_terms,
    attempt_title,
    stars,
    task_line,
)
from bot.ui.board import board_part, buttons_are_board
from bot.ui.layout import Item, box, lines
from bot.ui.move_choices import Picked
from bot.ui.move_views import MoveOffer, offered_moves
from bot.ui.puzzle.routes import ANSWER, DAY, STEP, PuzzleStep
from bot.ui.reminders import remind_button
from engine.games import game as game_of
from engine.games import spec_of


def puzzle_view(
    attempt: Attempt,
    t: Text,
    look: Look = CLASSIC,
    *,
    told: Sequence[str] = (),
    solution: Solution | None = None,
    picked: Picked | None = None,
    days: int = 0,
) -> ui.LayoutView:
    """The attempt in its present state.

    told: lines about the last answer. picked: on the way to a move. days: as in `share_line`.
    """
    parts: list[Item] = [
        lines(f"### {attempt_title(t, attempt)}", f"-# {attempt_terms(t, attempt)}"),
        *_board(t, attempt, solution, look),
        lines(*attempt_lines(t, attempt, icons(attempt.task.game, look), told, solution, days)),
    ]
    if attempt.is_over:
        parts.append(ui.ActionRow(*_steps(attempt, t, has_solution=solution is not None)))
    else:
        spec = spec_of(attempt.task.game)
        board, state = attempt.task.board, attempt.state
        offer = MoveOffer(
            spec, board, state, ANSWER, attempt.id, attempt.turn, look, picked, fades_taken=True
        )
        parts.extend(offered_moves(offer, t))
    return box(*parts, colour=names.accent(attempt.task.game, attempt.player, look.theme))


def posed_view(attempt: Attempt, t: Text, look: Look = CLASSIC) -> ui.LayoutView:
    """The puzzle before the first answer, for sharing."""
    task = attempt.task
    return box(
        lines(f"### {attempt_title(t, attempt)}", f"-# {stars(t, task.grade)}"),
        task_board(t, task, look),
        lines(task_line(t, task, icons(task.game, look))),
        colour=names.accent(task.game, attempt.player, look.theme),
    )


def task_board(t: Text, task: Task, look: Look = CLASSIC) -> Item:
    """The position to solve, with legal moves marked where they are hard to see."""
    rules, has_hints = game_of(task.game), spec_of(task.game).look.shows_legal_moves
    marks = marks_of(rules, rules.start(task.board), task.line, hints=has_hints)
    return board_part(t, task.game, task.state, marks, look)


def solve_button(t: Text, day: date) -> ui.Button[Any]:
    """Return the button that opens that day's puzzle for each person."""
    style = discord.ButtonStyle.primary
    return ui.Button(label=t("button_puzzle_solve"), emoji="🧩", style=style, custom_id=DAY(day))


def _board(t: Text, attempt: Attempt, solution: Solution | None, look: Look) -> Iterable[Item]:
    """The position, unless the buttons show it."""
    task, rules = attempt.task, game_of(attempt.task.game)
    if solution is not None:
        marks = marks_of(rules, solution.state, [solution.best])
        yield board_part(t, task.game, solution.state.play(solution.best), marks, look)
    elif attempt.is_over or not buttons_are_board(task.game, look):
        has_hints = spec_of(task.game).look.shows_legal_moves and not attempt.is_over
        marks = marks_of(rules, rules.start(task.board), task.line + attempt.moves, hints=has_hints)
        yield board_part(t, task.game, attempt.state, marks, look)


def _steps(attempt: Attempt, t: Text, *, has_solution: bool) -> list[Item]:
    offered = {PuzzleStep.NEXT: t("button_puzzle_next")}
    if attempt.status is Status.FAILED:
        offered = {PuzzleStep.AGAIN: t("button_puzzle_again"), **offered}
        if not has_solution:
            offered = {PuzzleStep.SOLUTION: t("button_puzzle_solution"), **offered}
    primary, secondary = discord.ButtonStyle.primary, discord.ButtonStyle.secondary
    buttons: list[Item] = [
        ui.Button(
            label=label,
            style=primary if step is PuzzleStep.NEXT else secondary,
            custom_id=STEP(attempt.id, step),
        )
        for step, label in offered.items()
    ]
    return buttons if attempt.day is None else [*buttons, remind_button(t, ReminderKind.PUZZLE)]
