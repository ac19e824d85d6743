"""`python -m tools.name_openings`: list Connect Four's positions after four plies with their proved results.

Positions that are mirrored or come about by other moves are listed once, by their most central moves. The
named openings of Othello and Gomoku are written by hand.
"""

from __future__ import annotations

import itertools
import sys

from engine.arena.ladder import DATA
from engine.core import replay
from engine.games import GAMES
from engine.games.connect_four.early_scores import early_scores
from engine.games.connect_four.rules import ConnectFourState
from engine.games.symmetry import canonical

PLIES = 4
FILE = DATA / "names_connect_four.txt"


def main() -> int:
    """Write the file; return the exit code."""
    FILE.write_text(page(), "ascii")
    return 0


def page() -> str:
    """Return the text of the file."""
    scores, start, seen, lines = early_scores(), GAMES["connect-four"].start(), set(), []
    columns = sorted(range(7), key=lambda column: (abs(column - 3), column))
    for moves in itertools.product(columns, repeat=PLIES):
        state = replay(start, moves)
        place = canonical(state)
        if place in seen or not isinstance(state, ConnectFourState):
            continue
        seen.add(place)
        score = scores.score_of(state)
        if score is None:
            raise ValueError(f"{moves} has no known score")
        lines.append(f"{''.join(str(move + 1) for move in moves)} {'-=+'[(score > 0) - (score < 0) + 1]}")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
