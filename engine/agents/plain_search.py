"""Minimax and alpha-beta in plain Python, for games without a compiled search."""

from __future__ import annotations

from engine.agents.one_step import value_of
from engine.core import EngineError, Move, Player, State
from engine.kernels.blundering import PLAIN
from engine.kernels.control import CUT, INFINITY
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.running import Array, Run


class PlainBoard:
    """A state for `deepening`; the squares of moves are the moves themselves."""

    def __init__(self, state: State) -> None:
        self._state = state
        self.groups = [list(state.legal_moves())]

    def plain_search(
        self,
        run: Run,
        *,
        prunes: bool = True,
        rates: Array | None = None,
        seed: int = 0,  # noqa: ARG002 - only for missed moves
    ) -> PlainSearch:
        """Return the search; raises EngineError for `rates`, which only compiled searches support."""
        if rates is not None:
            raise EngineError(f"no search overlooks moves of {type(self._state).__name__}")
        return PlainSearch(self._state, run, prunes=prunes)

    def best_search(self, run: Run, depth: int) -> PlainSearch:  # noqa: ARG002 - the same at every depth
        return PlainSearch(self._state, run, prunes=True)

    def subtlety(self, square: int) -> int:  # noqa: ARG002 - every move is equally easy to see
        return PLAIN

    def move_of(self, square: int) -> Move:
        return square


class PlainSearch:
    """Values as in the compiled searches: WIN less the plies until then, else the game's heuristic."""

    def __init__(self, state: State, run: Run, *, prunes: bool) -> None:
        self._state = state
        self._run = run
        self._prunes = prunes
        self.line: tuple[Move, ...] = ()

    def value(self, square: int, depth: int, best: int) -> int:
        """As `RootSearch.value`."""
        value, self.line = self._looked_at(self._state, square, depth, best, INFINITY, 1)
        return value

    def _looked_at(
        self, state: State, move: Move, depth: int, alpha: int, beta: int, distance: int
    ) -> tuple[int, tuple[Move, ...]]:
        """Return (the value of the move for its player, the principal variation after it)."""
        mover, after = state.to_move, state.play(move)
        if not self._run.count_state():
            return 0, ()
        outcome = after.outcome()
        if outcome is not None:
            won = 0 if outcome.winner is None else 1 if outcome.winner is mover else -1
            return won * (WIN - distance), ()
        if depth <= 1:
            self._run.counters[CUT] += 1
            return _estimate(after, mover), ()
        is_own = after.to_move is mover
        low, high = (alpha, beta) if is_own else (-beta, -alpha)
        value, line = self._best(after, depth - 1, low, high, distance + 1)
        return (value if is_own else -value), line

    def _best(
        self, state: State, depth: int, alpha: int, beta: int, distance: int
    ) -> tuple[int, tuple[Move, ...]]:
        """Return (the value of the state for its side to move, its principal variation)."""
        best = -INFINITY
        line: tuple[Move, ...] = ()
        for move in state.legal_moves():
            floor = max(alpha, best) if self._prunes else -INFINITY
            value, following = self._looked_at(
                state, move, depth, floor, beta if self._prunes else INFINITY, distance
            )
            if self._run.has_stopped:
                return 0, ()
            if value > best:
                best, line = value, (move, *following)
            if self._prunes and best >= beta:
                break
        return best, line


def _estimate(state: State, mover: Player) -> int:
    """Return the heuristic value for the player who has just moved, always below that of a won game."""
    return max(1 - DECIDED, min(DECIDED - 1, round(value_of(state, mover))))
