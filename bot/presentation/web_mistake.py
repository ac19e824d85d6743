"""The document of a position from one's own games: the same form as a puzzle's (docs/web.md)."""

from __future__ import annotations

from typing import Any

from bot.i18n import Text
from bot.presentation import icons, marks_of, names
from bot.presentation.training_texts import (
    better_move,
    comes_again,
    counts_line,
    mistake_task,
    mistake_title,
    origin,
    trained_lines,
)
from bot.presentation.web_board import description_of, position_at
from bot.presentation.web_match import bare
from bot.presentation.web_puzzle import PIECES
from bot.services.training import PosedMistake, Trained
from engine.core import Move
from engine.games import spec_of


def mistake_document(
    t: Text, posed: PosedMistake, trained: Trained | None = None, *, is_told: bool = False
) -> dict[str, Any]:
    """Return the document. trained: the answer. is_told: with the better move.

    While it waits for an answer, nothing in it tells the better move.
    """
    mistake = posed.mistake
    played: tuple[Move, ...] = ()
    said, status, steps = [mistake_task(t, mistake, PIECES)], "open", ["solution"]
    if trained is not None:
        replies = () if trained.is_right or trained.reply is None else (trained.reply,)
        played, said = (trained.judged.move, *replies), [*trained_lines(t, trained, PIECES)]
        status, steps = ("solved", []) if trained.is_right else ("failed", ["solution", "again"])
    elif is_told:
        played, said = (mistake.best,), [better_move(t, mistake), comes_again(t, mistake)]
        status, steps = "failed", []
    description = description_of(mistake.game, mistake.board)
    return {
        "attempt": mistake.id,
        "where": f"/api/mistakes/{mistake.id}",
        "by": {},
        "turn": mistake.version,
        "status": status,
        "title": bare(mistake_title(t, posed)),
        "terms": bare(origin(t, posed)),
        "lines": [bare(line) for line in said],
        "note": bare(counts_line(t, posed.day)),
        "text": "",
        "game": {
            "key": mistake.game,
            "title": names.game_title(t, mistake.game),
            "description": f"/boards/{mistake.game}/{mistake.board}.{description['digest']}.json",
        },
        "seat": int(mistake.player),
        "pieces": list(icons(mistake.game)),
        "steps": steps,
        "frames": [_position(t, posed, played[:count]) for count in range(1, len(played))],
        "position": _position(t, posed, played),
    }


def _position(t: Text, posed: PosedMistake, played: tuple[Move, ...]) -> dict[str, Any]:
    """Return the position after these moves; one may move in that without any."""
    mistake, states, can_move = posed.mistake, posed.mistake.states, not played
    spec, state = spec_of(mistake.game), states[-1]
    for move in played:
        state = state.play(move)
    hints = can_move and spec.look.shows_legal_moves
    marks = marks_of(spec.rules, states[0], (*mistake.line, *played), hints=hints)
    return position_at(spec, state, marks, t, is_over=state.outcome() is not None, can_move=can_move)
