"""What a plug-in says about its move, made fit for the rest: numbers checked and bounded, times our own.

The rest of the program stores, draws and compares what a `SearchInfo` holds. Out of a plug-in come infinite
times, scores that are no numbers and lines of play that cannot be played; none of them gets past here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.core import Move, SearchInfo, State

MOST_DEPTH = 1_000
MOST_NODES = 1 << 53  # beyond it JSON readers round
MOST_SCORE = 1e9
LONGEST_LINE = 64


def checked_info(state: State, move: Move, info: SearchInfo, seconds: float) -> SearchInfo:
    """The info about the legal `move` in `state`, as far as it can be true.

    info: of plain types, with any values. Scores that are no finite number are dropped, numbers out of all
    bounds brought within them, and the line of play ends before its first illegal move. seconds: as measured
    here, instead of those that the info tells.
    """
    legal = frozenset(state.legal_moves())
    score = _score(info.score)
    scores = {move: _score(score) for move, score in info.move_scores}
    return SearchInfo(
        score=score,
        proven=info.proven and score is not None,
        depth=_bounded(info.depth, MOST_DEPTH),
        nodes=_bounded(info.nodes, MOST_NODES),
        seconds=seconds,
        pv=_line(state, move, info.pv),
        move_scores=tuple((m, s) for m, s in sorted(scores.items()) if m in legal and s is not None),
        visits=tuple(
            (m, _bounded(n, MOST_NODES)) for m, n in sorted(dict(info.visits).items()) if m in legal
        ),
    )


def _score(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) and abs(value) <= MOST_SCORE else None


def _bounded(value: int, most: int) -> int:
    return min(max(value, 0), most)


def _line(state: State, move: Move, pv: Iterable[Move]) -> tuple[Move, ...]:
    """As many moves of the line as can be played; the move alone where it begins with another one."""
    line: list[Move] = []
    for step in pv:
        if len(line) == LONGEST_LINE or step not in state.legal_moves():
            break
        line.append(step)
        state = state.play(step)
    return tuple(line) if line[:1] == [move] else (move,)
