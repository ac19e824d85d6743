"""The puzzle document: everything about a puzzle that its page on the web shows (docs/web.md).

A pure function of the attempt. While it is open, nothing in it tells the solution.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bot.domain.puzzle import Attempt, Status
from bot.i18n import Text
from bot.presentation import icons, marks_of, names
from bot.presentation.puzzle_texts import (
    Solution,
    attempt_lines,
    attempt_terms,
    attempt_title,
    share_line,
)
from bot.presentation.web_board import description_of, position_at
from bot.presentation.web_match import bare
from engine.core import Move
from engine.games import game as game_of
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
    description = description_of(task.game, task.board)
    # A solution that was shown is not offered again.
    steps = []
    if attempt.status is Status.FAILED:
        steps = ["again"] if solution is not None else ["solution", "again"]
    turns = range(len(attempt.moves)) if since is None else range(since + 1, len(attempt.moves))
    return {
        "attempt": attempt.id or None,
        "turn": attempt.turn,
        "status": attempt.status.value,
        "title": bare(attempt_title(t, attempt)),
        "terms": bare(attempt_terms(t, attempt)),
        "lines": [bare(line) for line in attempt_lines(t, attempt, PIECES, told, solution, days) if line],
        "share": bare(share_line(t, attempt, days)),
        "game": {
            "key": task.game,
            "title": names.game_title(t, task.game),
            "description": f"/boards/{task.game}/{task.board}.{description['digest']}.json",
        },
        "seat": int(attempt.player),
        "pieces": list(icons(task.game)),
        "steps": steps if may_answer else [],
        "frames": [] if since is None else [_position(t, attempt, attempt.moves[:turn]) for turn in turns],
        "position": _solved(t, solution, task.game)
        if solution is not None
        else _position(t, attempt, attempt.moves, can_move=may_answer and not attempt.is_over),
    }


def _position(
    t: Text, attempt: Attempt, moves: tuple[Move, ...], *, can_move: bool = False
) -> dict[str, Any]:
    """Return the position after these moves of the attempt."""
    task, spec = attempt.task, spec_of(attempt.task.game)
    start = game_of(task.game).start(task.board)
    marks = marks_of(spec.rules, start, task.line + moves, hints=can_move and spec.look.shows_legal_moves)
    state = task.state
    for move in moves:
        state = state.play(move)
    return position_at(spec, state, marks, t, is_over=state.outcome() is not None, can_move=can_move)


def _solved(t: Text, solution: Solution, game: str) -> dict[str, Any]:
    """Return the position after the right move."""
    spec, after = spec_of(game), solution.state.play(solution.best)
    marks = marks_of(spec.rules, solution.state, [solution.best])
    return position_at(spec, after, marks, t, is_over=after.outcome() is not None, can_move=False)
