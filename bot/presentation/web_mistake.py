"""The document of a position from one's own games: the same form as a puzzle's (docs/web.md)."""

from __future__ import annotations

from typing import Any

from bot.i18n import Text
from bot.presentation import icons
from bot.presentation.training_texts import (
    better_move,
    comes_again,
    counts_line,
    mistake_task,
    mistake_title,
    origin,
    trained_lines,
)
from bot.presentation.web_board import game_part, position_after
from bot.presentation.web_match import bare
from bot.presentation.web_puzzle import PIECES
from bot.services.training import PosedMistake, Trained
from engine.core import Move


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

    def after(count: int) -> dict[str, Any]:
        line = (*mistake.line, *played[:count])
        return position_after(t, mistake.game, mistake.board, line, can_move=not played)

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
        "game": game_part(t, mistake.game, mistake.board),
        "seat": int(mistake.player),
        "pieces": list(icons(mistake.game)),
        "steps": steps,
        "frames": [after(count) for count in range(1, len(played))],
        "position": after(len(played)),
    }
