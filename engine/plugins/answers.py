"""Validation of a plug-in's information about its move.

The rest of the program stores, draws and compares the values of a `SearchInfo`. A plug-in may return infinite
times, scores that are not numbers, and lines of play that are illegal; none of them gets past this module.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from engine.core import Move, SearchInfo, State

MAX_DEPTH = 1_000
MAX_NODES = 1 << 53  # JSON readers round larger numbers
MAX_SCORE = 1e9
MAX_LINE_LENGTH = 64


def checked_info(state: State, move: Move, info: SearchInfo, seconds: float) -> SearchInfo:
    """Return the valid part of the info about the legal `move` in `state`.

    info: of plain types, with any values. Scores that are not finite numbers are dropped, numbers are clipped
    to their bounds, and the line of play ends before its first illegal move. seconds: the measured time,
    which replaces the info's own.
    """
    legal = frozenset(state.legal_moves())
    score = _score(info.score)
    scores = {move: _score(score) for move, score in info.move_scores}
    return SearchInfo(
        score=score,
        proven=info.proven and score is not None,
        depth=_bounded(info.depth, MAX_DEPTH),
        nodes=_bounded(info.nodes, MAX_NODES),
        seconds=seconds,
        pv=_line(state, move, info.pv),
        move_scores=tuple((m, s) for m, s in sorted(scores.items()) if m in legal and s is not None),
        visits=tuple((m, _bounded(n, MAX_NODES)) for m, n in sorted(dict(info.visits).items()) if m in legal),
    )


def _score(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) and abs(value) <= MAX_SCORE else None


def _bounded(value: int, most: int) -> int:
    return min(max(value, 0), most)


def _line(state: State, move: Move, pv: Iterable[Move]) -> tuple[Move, ...]:
    """Return the legal start of the line; the move alone if it begins with another one."""
    line: list[Move] = []
    for step in pv:
        if len(line) == MAX_LINE_LENGTH or step not in state.legal_moves():
            break
        line.append(step)
        state = state.play(step)
    return tuple(line) if line[:1] == [move] else (move,)
