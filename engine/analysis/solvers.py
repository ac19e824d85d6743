"""Who finds out what positions are worth, game by game: proved, or where that takes too long, estimated."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from engine.core import EngineError, Game, Limit, Move, State, UnknownName
from engine.games.connect_four import ConnectFourState
from engine.games.othello import OthelloState
from engine.games.tic_tac_toe import TicTacToeState
from engine.score import (
    TIC_TAC_TOE_SQUARES,
    disc_label,
    estimate_label,
    label,
    undecided_label,
    winner_label,
)

if TYPE_CHECKING:
    from engine.games.connect_four.any_board_solver import Bounds
    from engine.games.othello.analysis import Solution
    from engine.games.othello.searcher import Searcher


_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Value:
    """What a position is worth to the side to move, or a move to the side that makes it.

    score: higher is better, 0 a draw; its unit is the game's. exact: proved, else an estimate from `depth`
    plies (where lines decide: 0, and nobody can force a win within so many). winner_only: who wins is proved,
    and the score only estimates by how much. most: the score is proved to be no higher. line: the expected
    moves from the position on, as far as they are known.
    """

    score: int
    exact: bool = True
    winner_only: bool = False
    depth: int = 0
    most: int | None = None
    line: tuple[Move, ...] = ()

    @property
    def kind(self) -> str:
        """One word: `exact`, `winner` where only that is proved, or `depth-22` for an estimate."""
        return "exact" if self.exact else "winner" if self.winner_only else f"depth-{self.depth}"


class Solver(Protocol):
    """Finds out what states of one game are worth; raises EngineError for boards that it does not know.

    None: the limit ended the search before there was anything to say.
    """

    @property
    def nodes(self) -> int:
        """How many states the last call searched."""
        ...

    def solve(self, state: State, limit: Limit) -> Value | None: ...
    def analyze(self, state: State, limit: Limit) -> Mapping[Move, Value] | None:
        """The value of every legal move; raises EngineError once the game is over."""
        ...


@dataclass(frozen=True, slots=True)
class Solved:
    """A game with a solver.

    label: what a value in that state means to people. proves: whether everything on the state's board can be
    proved, and soon. read: a state from a drawing of its board, which raises NotationError; begins: the
    characters that such a drawing begins with, and no list of moves does.
    """

    make: Callable[[], Solver]
    label: Callable[[Value, State], str]
    proves: Callable[[State], bool]
    read: Callable[[str], State] | None = None
    begins: str = ""

    def limit(self, state: State, seconds: float | None) -> Limit:
        """None: as long as it takes where everything can be proved, and 10 seconds elsewhere."""
        return Limit(seconds=_SECONDS if seconds is None and not self.proves(state) else seconds)


class _ConnectFour:
    """Stones from the end: always proved on 6 x 7, on other boards as far as there is time."""

    def __init__(self) -> None:
        from engine.games.connect_four.any_board_solver import LineSolver
        from engine.games.connect_four.exact_solver import (
            ConnectFourSolver,  # loads compiled code: only when used
        )

        self._solver = ConnectFourSolver()
        self._elsewhere = LineSolver()
        self.nodes = 0

    def solve(self, state: State, limit: Limit) -> Value | None:
        if not _is_usual_board(state):
            bounds = self._elsewhere.solve(state, limit)
            self.nodes = self._elsewhere.nodes
            return _value_within(bounds, state)
        score = self._solver.solve(state, limit)
        self.nodes = self._solver.nodes
        return None if score is None else Value(score)

    def analyze(self, state: State, limit: Limit) -> Mapping[Move, Value] | None:
        if not _is_usual_board(state):
            found = self._elsewhere.analyze(state, limit)
            self.nodes = self._elsewhere.nodes
            return {move: _value_within(bounds, state) for move, bounds in found.items()}
        scores = self._solver.analyze(state, limit)
        self.nodes = self._solver.nodes
        return None if scores is None else {move: Value(score) for move, score in scores.items()}


def _is_usual_board(state: State) -> bool:
    return not isinstance(state, ConnectFourState) or state.is_usual_board


def _value_within(bounds: Bounds, state: State) -> Value:
    if bounds.is_exact:
        return Value(bounds.low)
    depth = bounds.quiet_plies(state.ply, state.rows * state.columns)
    score = 0 if bounds.winner is None else bounds.low if bounds.low > 0 else bounds.high
    return Value(score, exact=False, winner_only=bounds.winner is not None, depth=depth, most=bounds.high)


class _Othello:
    """Differences of discs, empty squares counted for the winner; proved towards the end of the game."""

    def __init__(self) -> None:
        import engine.games.othello.analysis as analysis  # loads compiled code: only when used

        self._analysis = analysis
        self._searchers: dict[int, Searcher] = {}
        self.nodes = 0

    def solve(self, state: State, limit: Limit) -> Value | None:
        found = self._analysis.solve(state, limit, self._searcher_for(state))
        self.nodes = found.nodes
        return _value_of(found)

    def analyze(self, state: State, limit: Limit) -> Mapping[Move, Value] | None:
        if not state.legal_moves():
            raise EngineError("the game is over: there is no move to choose")
        searcher = self._searcher_for(state)
        found = self._analysis.analyze(state, limit, searcher)
        self.nodes = searcher.nodes
        return {
            value.move: Value(round(value.value), value.exact, depth=value.depth, line=(value.move,))
            for value in found
        }

    def _searcher_for(self, state: State) -> Searcher:
        if not isinstance(state, OthelloState):
            raise EngineError(f"this solver plays Othello only, not {type(state).__name__}")
        if state.size not in self._searchers:
            self._searchers[state.size] = self._analysis.make_searcher(state.size)
        return self._searchers[state.size]


def _value_of(found: Solution) -> Value:
    if found.value is not None and not found.winner_only:
        return Value(found.value, line=found.line)
    # Only who wins is proved: an estimate may say otherwise, and then it is worth nothing.
    if found.value is not None:
        is_likely = found.estimate * found.value > 0 or found.value == 0 == found.estimate
        score = found.estimate if is_likely else 2 * found.value
        return Value(score, exact=False, winner_only=True, depth=found.depth, line=found.line)
    return Value(found.estimate, exact=False, depth=found.depth, line=found.line)


class _TicTacToe:
    """Marks from the end, as in Connect Four, by playing everything out."""

    def __init__(self) -> None:
        self._known: dict[TicTacToeState, int] = {}
        self.nodes = 0

    def solve(self, state: State, limit: Limit) -> Value:
        return max(self.analyze(state, limit).values(), key=lambda value: value.score)

    def analyze(self, state: State, limit: Limit) -> Mapping[Move, Value]:  # noqa: ARG002 (takes a moment)
        if not isinstance(state, TicTacToeState):
            raise EngineError(f"this solver plays Tic-tac-toe only, not {type(state).__name__}")
        if not state.legal_moves():
            raise EngineError("the game is over: there is no move to choose")
        self.nodes = 0
        return {move: Value(-self._score(state.play(move)), line=(move,)) for move in state.legal_moves()}

    def _score(self, state: TicTacToeState) -> int:
        known = self._known.get(state)
        if known is not None:
            return known
        self.nodes += 1
        outcome = state.outcome()
        if outcome is None:
            score = max(-self._score(state.play(move)) for move in state.legal_moves())
        else:
            # The winner has just moved, and the other side would place the next mark.
            score = 0 if outcome.winner is None else -((TIC_TAC_TOE_SQUARES - state.ply) // 2 + 1)
        self._known[state] = score
        return score


def _stone_words(value: Value, state: State) -> str:
    if value.exact:
        return label(value.score, state.ply, state.rows * state.columns)
    return winner_label(value.score) if value.winner_only else undecided_label(value.depth)


def _disc_words(value: Value, state: State) -> str:  # noqa: ARG001 (discs are counted at the end alone)
    if value.exact:
        return disc_label(value.score)
    return winner_label(value.score) if value.winner_only else estimate_label(value.score)


def _always(_state: State) -> bool:
    return True


def _never(_state: State) -> bool:
    return False


def _read_othello(text: str) -> State:
    from engine.games.othello.analysis import read_board

    return read_board(text)


SOLVED: Mapping[str, Solved] = MappingProxyType(
    {
        "connect-four": Solved(_ConnectFour, _stone_words, _is_usual_board),
        "othello": Solved(_Othello, _disc_words, _never, _read_othello, "-.XxOo*"),
        "tic-tac-toe": Solved(_TicTacToe, _stone_words, _always),
    }
)
"""By game key; a game with a new solver gets a line here."""


def solved(rules: Game) -> Solved:
    """The game's solver; raises UnknownName, listing the games that have one."""
    if rules.key not in SOLVED:
        raise UnknownName(f"{rules.key} has no solver yet; there is one for {', '.join(SOLVED)}")
    return SOLVED[rules.key]
