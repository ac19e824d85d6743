"""A puzzle as a message: the position, what is to be found, what the last answer led to, and the buttons.

Every attempt is private to the person whose it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

import discord
from discord import ui

from bot.domain.look import CLASSIC, Look
from bot.domain.puzzle import Attempt, Judged, Kind, Status, Task, run_of
from bot.i18n import Text
from bot.presentation import icon, marks_of, names
from bot.presentation.award_texts import run_line
from bot.presentation.verdicts import move_words, opening_words, score_words
from bot.services.puzzles import Answered
from bot.ui.board import board_part, buttons_are_board
from bot.ui.layout import Item, box, lines
from bot.ui.moves import Ids, Offer, offered_moves
from bot.ui.puzzle.routes import ANSWER, COLUMN, SELECT, STEP, Step
from engine.analysis.puzzles import GRADES
from engine.core import Move, State
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.puzzle_themes import PuzzleTheme
from engine.score import Score


@dataclass(frozen=True, slots=True)
class Solution:
    """Where an attempt went wrong, and what would have been right and what that is worth."""

    state: State
    best: Move
    score: Score
    themes: Sequence[PuzzleTheme] = ()


def puzzle_view(
    attempt: Attempt,
    t: Text,
    look: Look = CLASSIC,
    *,
    told: Sequence[str] = (),
    solution: Solution | None = None,
    page: int = 0,
) -> ui.LayoutView:
    """The attempt as it stands.

    told: about the last answer. page: of the legal moves, where they are many.
    """
    parts: list[Item] = [
        lines(f"### {_title(t, attempt)}", f"-# {_terms(t, attempt)}"),
        *_board(t, attempt, solution, look),
        lines(*_said(t, attempt, told, solution, look)),
    ]
    if attempt.is_over:
        parts.append(ui.ActionRow(*_steps(attempt, t, has_solution=solution is not None)))
    else:
        parts.extend(_moves(attempt, t, page, look))
    return box(*parts, colour=names.accent(attempt.task.game, attempt.player, look.theme))


def posed_view(attempt: Attempt, t: Text, look: Look = CLASSIC) -> ui.LayoutView:
    """The puzzle as it was before the first answer, for people who have not seen it."""
    task = attempt.task
    return box(
        lines(f"### {_title(t, attempt)}", f"-# {stars(t, task.grade)}"),
        task_board(t, task, look),
        lines(task_line(t, task, look)),
        colour=names.accent(task.game, attempt.player, look.theme),
    )


def answer_lines(
    t: Text, answered: Answered, tries: tuple[int, int], look: Look = CLASSIC
) -> tuple[str, ...]:
    """What the answer led to; tries: how many people solved the puzzle at the first try, how many tried."""
    before, attempt, judged = answered.before, answered.attempt, answered.judged
    move = opening_words(t, before.task.game, before.state, judged.move)
    worth = score_words(t, judged.kept)
    is_wrong = attempt.status is Status.FAILED
    found = [t("puzzle_wrong" if is_wrong else "puzzle_right", move=move, worth=worth)]
    if len(attempt.moves) > len(before.moves) + 1:
        found.append(_replied(t, before, judged, look))
    if attempt.status is Status.SOLVED:
        found.append(t("puzzle_solved"))
        found.extend(theme_lines(t, answered.themes))
    if answered.record is not None:
        run = run_of(answered.record)
        found.append(t("puzzle_rated", points=names.rating(answered.record.points, answered.record.margin)))
        if run > 1:
            found.append(run_line(t, run) or t("puzzle_run", n=run))
    solved, people = tries
    if attempt.is_over and people > 1:
        found.append(f"-# {t('puzzle_tries', n=people, solved=solved)}")
    return tuple(found)


def theme_lines(t: Text, themes: Sequence[PuzzleTheme]) -> tuple[str, ...]:
    """What the puzzle was about, a line for each theme."""
    return tuple(
        t("puzzle_theme_line", theme=t(f"theme_{theme}"), told=t(f"told_{theme}")) for theme in themes
    )


def task_board(t: Text, task: Task, look: Look = CLASSIC) -> Item:
    """The position that is to be solved, with what is legal in it where that is hard to see."""
    rules, has_hints = game_of(task.game), spec_of(task.game).look.shows_legal_moves
    marks = marks_of(rules, rules.start(task.board), task.line, hints=has_hints)
    return board_part(t, task.game, task.state, marks, look)


def task_line(t: Text, task: Task, look: Look = CLASSIC) -> str:
    """What is to be found, by whom, and how far away it is."""
    game, depth, counts_discs = task.game, task.depth, spec_of(task.game).play.counts_discs
    disc = icon(game, task.state.to_move, look)
    if task.goal == 0:
        return t("puzzle_task_draw", disc=disc)
    if not depth:
        return t("puzzle_task_win", disc=disc)
    return t("puzzle_task_win_empties" if counts_discs else "puzzle_task_win_in", disc=disc, n=depth)


def stars(t: Text, grade: int) -> str:
    """The grade to be seen and to be read."""
    return f"{'★' * grade}{'☆' * (len(GRADES) - grade)} {t(f'puzzle_grade_{grade}')}"


def day_name(t: Text, day: date) -> str:
    """The day as that language writes it, without the year."""
    return t.day(day)


def _title(t: Text, attempt: Attempt) -> str:
    game = names.game_title(t, attempt.task.game)
    if attempt.kind is Kind.DAILY:
        return t("puzzle_title_daily", game=game)
    return t("puzzle_title_own" if attempt.kind is Kind.OWN else "puzzle_title_free", game=game)


def _terms(t: Text, attempt: Attempt) -> str:
    said = [stars(t, attempt.task.grade)]
    if attempt.theme is not None:
        said.append(t("puzzle_theme_asked", theme=t(f"theme_{attempt.theme}")))
    if not attempt.counts:
        said.append(t("puzzle_practice"))
    return " · ".join(said)


def _board(t: Text, attempt: Attempt, solution: Solution | None, look: Look) -> Iterable[Item]:
    """The position; nothing where the buttons show it."""
    task, rules = attempt.task, game_of(attempt.task.game)
    if solution is not None:
        marks = marks_of(rules, solution.state, [solution.best])
        yield board_part(t, task.game, solution.state.play(solution.best), marks, look)
        return
    if not attempt.is_over and buttons_are_board(task.game, look):
        return
    has_hints = spec_of(task.game).look.shows_legal_moves and not attempt.is_over
    start = rules.start(task.board)
    marks = marks_of(rules, start, task.line + attempt.moves, hints=has_hints)
    yield board_part(t, task.game, attempt.state, marks, look)


def _said(
    t: Text, attempt: Attempt, told: Sequence[str], solution: Solution | None, look: Look
) -> Iterable[str]:
    task = attempt.task
    if solution is not None:
        best = opening_words(t, task.game, solution.state, solution.best)
        found = t("puzzle_solution", move=best, worth=score_words(t, solution.score))
        return (found, *theme_lines(t, solution.themes))
    if attempt.is_over:
        return told or (t("puzzle_is_solved" if attempt.status is Status.SOLVED else "puzzle_is_failed"),)
    if not attempt.moves:
        return (task_line(t, task, look),)
    disc = icon(task.game, attempt.player, look)
    return (*told, t("puzzle_keep_win" if task.goal else "puzzle_keep_draw", disc=disc))


def _replied(t: Text, before: Attempt, judged: Judged, look: Look) -> str:
    """What the other side answered; passes in between are left out."""
    game, spec, player = before.task.game, spec_of(before.task.game), before.player
    state, names = before.state.play(judged.move), []
    for reply in judged.replies:
        if state.to_move is not player and not spec.is_pass(state, reply):
            names.append(move_words(t, game, state, reply))
        state = state.play(reply)
    disc = icon(game, player.other, look)
    if not names:
        return t("puzzle_other_passes", disc=disc)
    return t("puzzle_replied", disc=disc, moves=", ".join(names))


# Buttons


def _moves(attempt: Attempt, t: Text, page: int, look: Look) -> Iterable[Item]:
    ids = Ids.of((ANSWER, SELECT, COLUMN), attempt.id, attempt.turn)
    offer = Offer(spec_of(attempt.task.game), attempt.state, ids, look, page, fades_taken=True)
    return offered_moves(offer, t)


def _steps(attempt: Attempt, t: Text, *, has_solution: bool) -> list[Item]:
    offered = {Step.NEXT: t("button_puzzle_next")}
    if attempt.status is Status.FAILED:
        offered = {Step.AGAIN: t("button_puzzle_again"), **offered}
        if not has_solution:
            offered = {Step.SOLUTION: t("button_puzzle_solution"), **offered}
    primary, secondary = discord.ButtonStyle.primary, discord.ButtonStyle.secondary
    return [
        ui.Button(
            label=label,
            style=primary if step is Step.NEXT else secondary,
            custom_id=STEP(attempt.id, step),
        )
        for step, label in offered.items()
    ]
