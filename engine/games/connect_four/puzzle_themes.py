"""The themes of a Connect Four puzzle on a board of even height, from the rules, a proof or best play."""

from __future__ import annotations

from collections.abc import Callable

from engine.core import Move
from engine.games.connect_four.plans import forced_win, plans, playable_squares, winning_squares
from engine.games.connect_four.rules import ConnectFourState
from engine.games.puzzle_themes import PuzzleTheme
from engine.games.reasons import Why

MAX_POSITIONS = 20_000
"""The limit of the search for a forced win."""

_PLANS = {
    Why.THREAT_DECIDES: PuzzleTheme.ODD_THREAT,
    Why.FOLLOW_UP_WINS: PuzzleTheme.FOLLOW_UP,
    Why.EVEN_ROWS_WIN: PuzzleTheme.FOLLOW_UP,
}


def themes(
    state: ConnectFourState, best: Move, best_of: Callable[[ConnectFourState], Move]
) -> list[PuzzleTheme]:
    """best: the only winning move. best_of: returns the best move: fastest win, longest resistance."""
    after = state.play(best)
    if after.outcome() is not None:
        return [PuzzleTheme.AT_ONCE]
    squares = winning_squares(after, after.opponent)
    threats = squares & playable_squares(after)
    found = []
    if not threats:
        found.append(PuzzleTheme.QUIET)
    elif threats & (threats - 1):
        found.append(PuzzleTheme.DOUBLE_THREAT)
    elif squares & threats << 1:
        found.append(PuzzleTheme.STACKED)
    elif forced_win(state, best, MAX_POSITIONS) is not None:
        found.append(PuzzleTheme.FORCED)
    found += dict.fromkeys(_PLANS[reason.why] for reason in plans(after) if reason.why in _PLANS)
    if is_zugzwang(last_choice(after, best_of)):
        found.append(PuzzleTheme.ZUGZWANG)
    return found


def last_choice(lost: ConnectFourState, best_of: Callable[[ConnectFourState], Move]) -> ConnectFourState:
    """Return the last position of best play in which the losing side moves. lost: the side to move loses."""
    here = lost
    while True:
        after = here.play(best_of(here))
        after = after.play(best_of(after))
        if after.outcome() is not None:
            return here
        here = after


def is_zugzwang(state: ConnectFourState) -> bool:
    """Whether the side to move faces no threat, yet each of its moves allows an immediate win."""
    if winning_squares(state, state.opponent) & playable_squares(state):
        return False
    afters = [state.play(move) for move in state.legal_moves()]
    return all(
        after.outcome() is None and winning_squares(after, after.own) & playable_squares(after)
        for after in afters
    )
