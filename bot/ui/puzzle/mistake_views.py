"""The messages of training one's own mistakes: a position, the verdict on its answer, and the end."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

import discord
from discord import ui

from bot.domain.training import Mistake, TrainingDay
from bot.i18n import Text
from bot.presentation import Look, cell_of_move, icons, marks_of, names
from bot.presentation.training_texts import (
    better_move,
    comes_again,
    counts_line,
    day_lines,
    mistake_task,
    mistake_title,
    origin,
    trained_lines,
)
from bot.services.training import PosedMistake, Trained
from bot.ui.board import board_part, buttons_are_board
from bot.ui.layout import Item, box, lines
from bot.ui.move_choices import Picked
from bot.ui.move_views import MoveOffer, offered_moves
from bot.ui.nudge import MISTAKES, NUDGE, Nudge
from bot.ui.puzzle.routes import MISTAKE_ANSWER, MISTAKE_STEP, MistakeStep
from engine.core import Move
from engine.games import spec_of

_LABELS = {
    MistakeStep.AGAIN: "button_puzzle_again",
    MistakeStep.SHOW: "button_show_better",
    MistakeStep.NEXT: "button_next_position",
    MistakeStep.STOP: "button_course_stop",
}


def mistake_view(t: Text, posed: PosedMistake, look: Look, picked: Picked | None = None) -> ui.LayoutView:
    """Return the position to find a better move in. picked: on the way to a move."""
    mistake = posed.mistake
    spec, state = spec_of(mistake.game), mistake.state
    offer = MoveOffer(
        spec,
        mistake.board,
        state,
        MISTAKE_ANSWER,
        mistake.id,
        mistake.version,
        look,
        picked,
        fades_taken=True,
    )
    has_board = not buttons_are_board(mistake.game, look)
    return _box(
        t, posed, look,
        *([_board(t, mistake, look, hints=spec.look.shows_legal_moves)] if has_board else []),
        lines(mistake_task(t, mistake, icons(mistake.game, look))),
        *offered_moves(offer, t),
        _steps(t, mistake, MistakeStep.SHOW, MistakeStep.STOP),
    )  # fmt: skip


def trained_view(t: Text, trained: Trained, look: Look) -> ui.LayoutView:
    """Return the board after the answer, with the reply to a wrong one marked, and the verdict."""
    posed, mistake = trained.posed, trained.posed.mistake
    steps, reply = [MistakeStep.NEXT, MistakeStep.STOP], None
    if not trained.is_right:
        # Without Stop, since a fourth button with a word wraps on a narrow phone.
        steps, reply = [MistakeStep.AGAIN, MistakeStep.SHOW, MistakeStep.NEXT], trained.reply
    return _box(
        t, posed, look,
        _board(t, mistake, look, trained.judged.move, reply),
        lines(*trained_lines(t, trained, icons(mistake.game, look)), counts_line(t, posed.day)),
        _steps(t, mistake, *steps),
    )  # fmt: skip


def better_view(t: Text, posed: PosedMistake, look: Look) -> ui.LayoutView:
    """Return the better move, marked on the board, with its reason."""
    mistake = posed.mistake
    return _box(
        t, posed, look,
        _board(t, mistake, look, reply=mistake.best),
        lines(better_move(t, mistake), comes_again(t, mistake), counts_line(t, posed.day)),
        _steps(t, mistake, MistakeStep.NEXT, MistakeStep.STOP),
    )  # fmt: skip


def day_view(t: Text, day: TrainingDay, quiet_until: date | None) -> ui.LayoutView:
    """Return how far the person has come today. quiet_until: as in their preferences."""
    buttons = []
    if day.waiting:
        buttons.append(ui.Button[Any](label=t("button_nudge_start"), custom_id=MISTAKES()))
    if quiet_until == date.max:
        custom_id = NUDGE(Nudge.AGAIN)
        buttons.append(ui.Button[Any](label=t("button_nudge_remind"), custom_id=custom_id))
    told = lines(f"### {t('mistakes_title')}", *day_lines(t, day))
    return box(told, *([ui.ActionRow(*buttons)] if buttons else []))


def _box(t: Text, posed: PosedMistake, look: Look, *parts: Item) -> ui.LayoutView:
    mistake = posed.mistake
    heading = lines(f"### {mistake_title(t, posed)}", f"-# {origin(t, posed)}")
    return box(heading, *parts, colour=names.accent(mistake.game, mistake.player, look.theme))


def _board(
    t: Text, mistake: Mistake, look: Look, move: Move | None = None, reply: Move | None = None, *,
    hints: bool = False,
) -> Item:  # fmt: skip
    """Return the position, or the one after that move. reply: a move there that is marked as the best."""
    spec, states = spec_of(mistake.game), mistake.states
    line = mistake.line if move is None else (*mistake.line, move)
    state = states[-1] if move is None else states[-1].play(move)
    marks = marks_of(spec.rules, states[0], line, hints=hints)
    if reply is not None:
        marks = replace(marks, best=cell_of_move(spec, state, reply))
    return board_part(t, mistake.game, state, marks, look)


def _steps(t: Text, mistake: Mistake, *steps: MistakeStep) -> Item:
    """Return a button for each step; one that leads on stands out."""
    styles = {MistakeStep.NEXT: discord.ButtonStyle.primary}
    return ui.ActionRow(
        *(
            ui.Button[Any](
                label=t(_LABELS[step]),
                style=styles.get(step, discord.ButtonStyle.secondary),
                custom_id=MISTAKE_STEP(mistake.id, step),
            )
            for step in steps
        )
    )
