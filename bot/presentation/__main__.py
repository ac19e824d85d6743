"""`python -m bot.presentation KEY FOLDER`: draw three positions of each board of a game, light and dark."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

from bot.domain.look import Look, Theme
from bot.presentation.picture import draw_picture
from bot.presentation.position import marks_of
from engine.core import replay
from engine.games import spec_of
from engine.games.conformance import playout


def draw_game(key: str, folder: Path) -> list[Path]:
    """Write the start, the middle and the end of a random game on each board; return the files."""
    spec, found = spec_of(key), []
    folder.mkdir(parents=True, exist_ok=True)
    for board in spec.rules.boards:
        start = spec.rules.start(board)
        moves = [move for _, move in playout(spec, board, Random(1))]
        for name, plies in (("start", 0), ("middle", len(moves) // 2), ("end", len(moves))):
            played = moves[:plies]
            state = replay(start, played)
            marks = marks_of(spec.rules, start, played, hints=spec.look.shows_legal_moves)
            for look, theme in (("light", Theme.CLASSIC), ("dark", Theme.DARK)):
                found.append(folder / f"{key}-{board}-{name}-{look}.png")
                found[-1].write_bytes(draw_picture(key, state, marks, Look(theme)))
    return found


if __name__ == "__main__":
    for file in draw_game(sys.argv[1], Path(sys.argv[2])):
        print(file)  # noqa: T201 - the program's output
