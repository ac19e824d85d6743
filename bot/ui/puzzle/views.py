"""A puzzle as a private message: the position, the task or the last answer, and the buttons."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import discord
from discord import ui

from bot.domain.look import CLASSIC, Look
from bot.domain.puzzle import Attempt, Judged, PuzzleKind, Status, Task, run_of
from bot.i18n import Text
from bot.presentation import icon, marks_of, names
from bot.presentation.award_texts import run_line
from bot.presentation.verdicts import move_words, opening_words, score_words
from bot.services.puzzles import Answered
from bot.ui.board import board_part, buttons_are_board
from bot.ui.layout import Item, box, lines
from bot.ui.move_choices import Picked
from bot.ui.move_views import MoveOffer, offered_moves
from bot.ui.puzzle.routes import ANSWER, STEP, PuzzleStep
from engine.analysis.puzzles import GRADES
from engine.core import Move, State
from engine.games import game as game_of
from engine.games import spec_of
from engine.games.puzzle_themes import PuzzleTheme
from engine.score import Score


@dataclass(frozen=True, slots=True)
class Solution:
    """The position where an attempt failed, and the best move there with its score."""

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
    picked: Picked | None = None,
) -> ui.LayoutView:
    """The attempt in its present state. told: lines about the last answer. picked: on the way to a move."""
    parts: list[Item] = [
        lines(f"### {_title(t, attempt)}", f"-# {_terms(t, attempt)}"),
        *_board(t, attempt, solution, look),
        lines(*_text(t, attempt, told, solution, look)),
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
        lines(f"### {_title(t, attempt)}", f"-# {stars(t, task.grade)}"),
        task_board(t, task, look),
        lines(task_line(t, task, look)),
        colour=names.accent(task.game, attempt.player, look.theme),
    )


def answer_lines(
    t: Text, answered: Answered, tries: tuple[int, int], look: Look = CLASSIC
) -> tuple[str, ...]:
    """The result of an answer. tries: how many people solved the puzzle at once, and how many tried."""
    before, attempt, judged = answered.before, answered.attempt, answered.judged
    move = opening_words(t, before.task.game, before.state, judged.move)
    worth = score_words(t, before.task.game, judged.kept)
    found = [t("puzzle_wrong" if attempt.status is Status.FAILED else "puzzle_right", move=move, worth=worth)]
    if len(attempt.moves) > len(before.moves) + 1:
        found.append(_replies(t, before, judged, look))
    if attempt.status is Status.SOLVED:
        found.append(t("puzzle_solved"))
        found.extend(theme_lines(t, answered.themes))
    if (record := answered.record) is not None:
        run = run_of(record)
        found.append(t("puzzle_rated", points=names.rating(record.points, record.margin)))
        if run > 1:
            found.append(run_line(t, run) or t("puzzle_run", n=run))
    solved, people = tries
    if attempt.is_over and people > 1:
        found.append(f"-# {t('puzzle_tries', n=people, solved=solved)}")
    return tuple(found)


def theme_lines(t: Text, themes: Sequence[PuzzleTheme]) -> tuple[str, ...]:
    """The puzzle's themes, one per line."""
    return tuple(
        t("puzzle_theme_line", theme=t(f"theme_{theme}"), told=t(f"told_{theme}")) for theme in themes
    )


def task_board(t: Text, task: Task, look: Look = CLASSIC) -> Item:
    """The position to solve, with legal moves marked where they are hard to see."""
    rules, has_hints = game_of(task.game), spec_of(task.game).look.shows_legal_moves
    marks = marks_of(rules, rules.start(task.board), task.line, hints=has_hints)
    return board_part(t, task.game, task.state, marks, look)


def task_line(t: Text, task: Task, look: Look = CLASSIC) -> str:
    """The task: the side to move, and a draw, a win, or a win within a number of moves."""
    disc = icon(task.game, task.state.to_move, look)
    if task.goal == 0:
        return t("puzzle_task_draw", disc=disc)
    spec = spec_of(task.game)
    if not task.depth or spec.teach.puzzle_depth is not None:
        return t("puzzle_task_win", disc=disc)
    key = "puzzle_task_win_empties" if spec.play.counts_discs else "puzzle_task_win_in"
    return t(key, disc=disc, n=task.depth)


def stars(t: Text, grade: int) -> str:
    """The difficulty as stars and in words."""
    return f"{'★' * grade}{'☆' * (len(GRADES) - grade)} {t(f'puzzle_grade_{grade}')}"


def _title(t: Text, attempt: Attempt) -> str:
    keys = {PuzzleKind.DAILY: "puzzle_title_daily", PuzzleKind.OWN: "puzzle_title_own"}
    return t(keys.get(attempt.kind, "puzzle_title_free"), game=names.game_title(t, attempt.task.game))


def _terms(t: Text, attempt: Attempt) -> str:
    said = [stars(t, attempt.task.grade)]
    if attempt.theme is not None:
        said.append(t("puzzle_theme_asked", theme=t(f"theme_{attempt.theme}")))
    if not attempt.counts:
        said.append(t("puzzle_practice"))
    return " · ".join(said)


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


def _text(
    t: Text, attempt: Attempt, told: Sequence[str], solution: Solution | None, look: Look
) -> Iterable[str]:
    task = attempt.task
    if solution is not None:
        best = opening_words(t, task.game, solution.state, solution.best)
        found = t("puzzle_solution", move=best, worth=score_words(t, task.game, solution.score))
        return (found, *theme_lines(t, solution.themes))
    if attempt.is_over:
        return told or (t("puzzle_is_solved" if attempt.status is Status.SOLVED else "puzzle_is_failed"),)
    if not attempt.moves:
        return (task_line(t, task, look),)
    disc = icon(task.game, attempt.player, look)
    return (*told, t("puzzle_keep_win" if task.goal else "puzzle_keep_draw", disc=disc))


def _replies(t: Text, before: Attempt, judged: Judged, look: Look) -> str:
    """The opponent's replies without passes."""
    game, spec, player = before.task.game, spec_of(before.task.game), before.player
    state, moves = before.state.play(judged.move), []
    for reply in judged.replies:
        if state.to_move is not player and not spec.is_pass(state, reply):
            moves.append(move_words(t, game, state, reply))
        state = state.play(reply)
    disc = icon(game, player.other, look)
    if not moves:
        return t("puzzle_other_passes", disc=disc)
    return t("puzzle_replied", disc=disc, moves=", ".join(moves))


def _steps(attempt: Attempt, t: Text, *, has_solution: bool) -> list[Item]:
    offered = {PuzzleStep.NEXT: t("button_puzzle_next")}
    if attempt.status is Status.FAILED:
        offered = {PuzzleStep.AGAIN: t("button_puzzle_again"), **offered}
        if not has_solution:
            offered = {PuzzleStep.SOLUTION: t("button_puzzle_solution"), **offered}
    primary, secondary = discord.ButtonStyle.primary, discord.ButtonStyle.secondary
    return [
        ui.Button(
            label=label,
            style=primary if step is PuzzleStep.NEXT else secondary,
            custom_id=STEP(attempt.id, step),
        )
        for step, label in offered.items()
    ]
