"""The puzzle document: everything about a puzzle that its page on the web shows (docs/web.md).

A pure function of the attempt. While it is open, nothing in it tells the solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.domain.puzzle import Attempt, Status
from bot.i18n import Text
from bot.presentation import icons, marks_of
from bot.presentation.puzzle_texts import (
    Solution,
    attempt_lines,
    attempt_terms,
    attempt_title,
    share_line,
)
from bot.presentation.web_board import game_part, position_after, position_at
from bot.presentation.web_match import bare
from engine.core import Move
from engine.games import spec_of

PIECES = ("⟦0⟧", "⟦1⟧")
"""The pieces of both sides inside the document's texts: the page draws them in the reader's look."""


def puzzle_document(
    t: Text,
    attempt: Attempt,
    *,
    may_answer: bool = True,
    told: Sequence[str] = (),
    solution: Solution | None = None,
    since: int | None = None,
    days: int = 0,
) -> dict[str, Any]:
    """Return the document. An attempt that is not stored has the number 0.

    may_answer: whether the reader may. told: lines about the last answer. since: the turn of that answer; the
    document then has every position from it on. days: solved in a row, up to that of the attempt.
    """
    task = attempt.task
    # A solution that was shown is not offered again.
    steps = []
    if attempt.status is Status.FAILED:
        steps = ["again"] if solution is not None else ["solution", "again"]
    turns = range(len(attempt.moves)) if since is None else range(since + 1, len(attempt.moves))

    def after(moves: tuple[Move, ...], *, can_move: bool = False) -> dict[str, Any]:
        return position_after(t, task.game, task.board, task.line + moves, can_move=can_move)

    return {
        "attempt": attempt.id or None,
        "turn": attempt.turn,
        "status": attempt.status.value,
        "title": bare(attempt_title(t, attempt)),
        "terms": bare(attempt_terms(t, attempt)),
        "lines": [bare(line) for line in attempt_lines(t, attempt, PIECES, told, solution, days) if line],
        "share": bare(share_line(t, attempt, days)),
        "game": game_part(t, task.game, task.board),
        "seat": int(attempt.player),
        "pieces": list(icons(task.game)),
        "steps": steps if may_answer else [],
        "frames": [] if since is None else [after(attempt.moves[:turn]) for turn in turns],
        "position": _solved(t, solution, task.game)
        if solution is not None
        else after(attempt.moves, can_move=may_answer and not attempt.is_over),
    }


def _solved(t: Text, solution: Solution, game: str) -> dict[str, Any]:
    """Return the position after the right move."""
    spec, after = spec_of(game), solution.state.play(solution.best)
    marks = marks_of(spec.rules, solution.state, [solution.best])
    return position_at(spec, after, marks, t, is_over=after.outcome() is not None, can_move=False)
