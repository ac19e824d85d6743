"""Puzzles in words, the same in Discord and on the web."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from bot.domain.puzzle import (
    AnswerMark,
    Attempt,
    Judged,
    PuzzleKind,
    Status,
    Task,
    number_of,
    run_of,
)
from bot.i18n import Text
from bot.presentation import names
from bot.presentation.award_texts import run_line
from bot.presentation.verdicts import move_words, opening_words, score_words
from bot.services.puzzles import Answered
from engine.analysis.puzzles import GRADES
from engine.core import Move, State
from engine.games import spec_of
from engine.games.puzzle_themes import PuzzleTheme
from engine.score import Score

MARKS = {AnswerMark.BEST: "🟩", AnswerMark.KEEPS: "🟨", AnswerMark.LOSES: "🟥"}

LONG_RUN = 7
"""Days in a row that are a run worth a flame."""

Pieces = tuple[str, str]
"""How the pieces of both sides are written, by Player."""


@dataclass(frozen=True, slots=True)
class Solution:
    """The position where an attempt failed, and the best move there with its score."""

    state: State
    best: Move
    score: Score
    themes: Sequence[PuzzleTheme] = ()


def task_line(t: Text, task: Task, pieces: Pieces) -> str:
    """The task: the side to move, and a draw, a win, or a win within a number of moves."""
    disc = pieces[task.state.to_move]
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


def attempt_title(t: Text, attempt: Attempt) -> str:
    """The source of the puzzle, and its game."""
    if attempt.day is not None:
        return days_title(t, attempt.day, attempt.task.game)
    key = "puzzle_title_daily" if attempt.kind is PuzzleKind.DAILY else "puzzle_title_free"
    return t(key, game=names.game_title(t, attempt.task.game))


def days_title(t: Text, day: date, game: str) -> str:
    """The day's puzzle by its number, and its game."""
    return t("puzzle_days_title", number=number_of(day), game=names.game_title(t, game))


def share_line(t: Text, attempt: Attempt, days: int) -> str:
    """The result of a finished try at a day's puzzle without its solution; "" of any other.

    days: solved in a row, up to that one.
    """
    if attempt.day is None or not attempt.is_over:
        return ""
    is_solved, number = attempt.status is Status.SOLVED, t("daily_number", number=number_of(attempt.day))
    parts = [number, names.game_title(t, attempt.task.game)]
    if is_solved and attempt.marks:
        parts.append(t("daily_moves", n=len(attempt.marks)))
    parts += [marks_of_answers(attempt.marks), run_words(t, days) if is_solved else t("daily_missed")]
    return " · ".join(part for part in parts if part)


def marks_of_answers(marks: Sequence[AnswerMark]) -> str:
    """The marks as squares."""
    return "".join(MARKS[mark] for mark in marks)


def run_words(t: Text, days: int) -> str:
    """The day of a run, such as "day 12"; "" where there is none."""
    if days < 2:
        return t("daily_first") if days else ""
    return t("daily_run", n=days) + (" 🔥" if days >= LONG_RUN else "")


def days_lines(t: Text, attempt: Attempt, days: int) -> tuple[str, ...]:
    """The result of a finished try at a day's puzzle, and what its marks mean; () of any other."""
    line = share_line(t, attempt, days)
    return (f"**{line}**", f"-# {t('daily_marks')}") if line else ()


def attempt_terms(t: Text, attempt: Attempt) -> str:
    """The difficulty, the theme that the person asked for, and whether the attempt counts."""
    said = [stars(t, attempt.task.grade)]
    if attempt.theme is not None:
        said.append(t("puzzle_theme_asked", theme=t(f"theme_{attempt.theme}")))
    if not attempt.counts:
        said.append(t("puzzle_practice"))
    return " · ".join(said)


def attempt_lines(
    t: Text,
    attempt: Attempt,
    pieces: Pieces,
    told: Sequence[str] = (),
    solution: Solution | None = None,
    days: int = 0,
) -> Sequence[str]:
    """The task, or the state of the attempt. told: lines about the last answer. days: as in `share_line`."""
    task = attempt.task
    if solution is not None:
        best = opening_words(t, task.game, solution.state, solution.best)
        solved_by = t("puzzle_solution", move=best, worth=score_words(t, task.game, solution.score))
        return (solved_by, *theme_lines(t, solution.themes))
    if attempt.is_over:
        ended = t("puzzle_is_solved" if attempt.status is Status.SOLVED else "puzzle_is_failed")
        return (*(told or (ended,)), *days_lines(t, attempt, days))
    if not attempt.moves:
        return (task_line(t, task, pieces),)
    disc = pieces[attempt.player]
    return (*told, t("puzzle_keep_win" if task.goal else "puzzle_keep_draw", disc=disc))


def answer_lines(t: Text, answered: Answered, tries: tuple[int, int], pieces: Pieces) -> tuple[str, ...]:
    """The result of an answer. tries: how many people solved the puzzle at once, and how many tried."""
    before, attempt, judged = answered.before, answered.attempt, answered.judged
    move = opening_words(t, before.task.game, before.state, judged.move)
    worth = score_words(t, before.task.game, judged.kept)
    said = [t("puzzle_wrong" if attempt.status is Status.FAILED else "puzzle_right", move=move, worth=worth)]
    if len(attempt.moves) > len(before.moves) + 1:
        said.append(_replies(t, before, judged, pieces))
    if attempt.status is Status.SOLVED:
        said.append(t("puzzle_solved"))
        said.extend(theme_lines(t, answered.themes))
    if (record := answered.record) is not None:
        run = run_of(record)
        said.append(t("puzzle_rated", points=names.rating(t, record.points, record.margin)))
        if run > 1:
            said.append(run_line(t, run) or t("puzzle_run", n=run))
    solved, people = tries
    if attempt.is_over and people > 1:
        said.append(f"-# {t('puzzle_tries', n=people, solved=solved)}")
    return tuple(said)


def theme_lines(t: Text, themes: Sequence[PuzzleTheme]) -> tuple[str, ...]:
    """The puzzle's themes, one per line."""
    return tuple(
        t("puzzle_theme_line", theme=t(f"theme_{theme}"), told=t(f"told_{theme}")) for theme in themes
    )


def _replies(t: Text, before: Attempt, judged: Judged, pieces: Pieces) -> str:
    """The opponent's replies without passes."""
    game, spec, player = before.task.game, spec_of(before.task.game), before.player
    state, moves = before.state.play(judged.move), []
    for reply in judged.replies:
        if state.to_move is not player and not spec.is_pass(state, reply):
            moves.append(move_words(t, game, state, reply))
        state = state.play(reply)
    disc = pieces[player.other]
    if not moves:
        return t("puzzle_other_passes", disc=disc)
    return t("puzzle_replied", disc=disc, moves=", ".join(moves))
