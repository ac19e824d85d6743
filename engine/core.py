"""The words every game and every agent share: players, moves, states, outcomes, limits and choices.

Errors of the engine, all of them ValueErrors that name what was wrong and what is allowed:

    EngineError
    ├── IllegalMove      a move that the rules forbid in this state
    ├── BoardError       a board size that the game does not have
    ├── NotationError    text that names no move
    └── UnknownName      a game, agent or level that no registry holds
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

Move = int
"""A move is a small non-negative int; each game says in its docstring what the numbers mean."""


class EngineError(ValueError):
    """Anything that the caller of the engine can put right by asking for something else."""


class IllegalMove(EngineError):
    """The rules forbid this move here; `reason` is a short key such as `column_full`, for translation."""

    def __init__(self, move: Move, reason: str, message: str) -> None:
        super().__init__(message)
        self.move = move
        self.reason = reason


class BoardError(EngineError):
    """The game has no board of that size; the message names the sizes that it has."""


class NotationError(EngineError):
    """The text names no move in this state; `column` is the 0-based index of the first bad character."""

    def __init__(self, message: str, column: int = 0) -> None:
        super().__init__(message)
        self.column = column


class UnknownName(EngineError):
    """No registry entry has this name; the message lists those that exist."""


class Player(enum.IntEnum):
    """The two sides, in the order in which they begin."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Player:
        return Player.SECOND if self is Player.FIRST else Player.FIRST


class Reason(enum.StrEnum):
    """Why a state is over by the rules alone (resignations and clocks belong to the match)."""

    LINE = "line"
    BOARD_FULL = "board_full"
    DISC_COUNT = "disc_count"
    REPETITION = "repetition"
    OTHER = "other"
    """What the game's own rules say, and no word of these."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a state ended: who won (None: a draw), why, and the cells of the winning line.

    `line` holds indices into `State.cells()`, ascending; all cells of every line the last move
    completed, or () when no line decided the game.
    """

    winner: Player | None
    reason: Reason
    line: tuple[int, ...] = ()


class State(Protocol):
    """An immutable, hashable position."""

    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def to_move(self) -> Player:
        """Who moves; undefined once the state is over."""
        ...

    @property
    def ply(self) -> int:
        """Moves made so far, passes counted."""
        ...

    def legal_moves(self) -> tuple[Move, ...]:
        """The legal moves, ascending; () when the state is over."""
        ...

    def play(self, move: Move) -> Self:
        """The state after `move`; raises IllegalMove."""
        ...

    def outcome(self) -> Outcome | None:
        """How it ended, or None while somebody can move."""
        ...

    def cells(self) -> tuple[Player | None, ...]:
        """Who holds each cell, row-major, top row first."""
        ...


class Game(Protocol):
    """The rules of one game: makes its starting states and names its moves."""

    @property
    def key(self) -> str:
        """The registry key, such as `connect-four`; stored in databases, so it never changes."""
        ...

    @property
    def title(self) -> str: ...
    @property
    def boards(self) -> tuple[str, ...]:
        """The boards offered to players, the default first, such as `6x7x4`."""
        ...

    def start(self, board: str | None = None) -> State:
        """The first state on that board (None: the default); raises BoardError."""
        ...

    def move_name(self, state: State, move: Move) -> str:
        """What people call the move in this state: `4`, `d3`, `pass`."""
        ...

    def parse_move(self, state: State, text: str) -> Move:
        """The legal move that `text` names; raises NotationError or IllegalMove."""
        ...

    def cell_of(self, state: State, move: Move) -> int | None:
        """The index in `cells()` that `move`, played in `state`, will occupy; None where it takes none."""
        ...


class Stop:
    """A flag that ends a search from another thread.

    Kernels get `flag`, an int64 array of one element, and poll it while the GIL is released.
    """

    __slots__ = ("flag",)

    def __init__(self) -> None:
        self.flag: npt.NDArray[np.int64] = np.zeros(1, dtype=np.int64)

    def set(self) -> None:
        self.flag[0] = 1

    def is_set(self) -> bool:
        return bool(self.flag[0])


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search must end; None means that this side of it is unbounded.

    seconds: wall-clock time for the whole choice, > 0.
    nodes: states visited (for MCTS: simulations), > 0.
    depth: plies looked ahead, > 0.
    stop: set from another thread, ends the search at once with the best move found so far.
    threads: how many cores are idle, so that the search may use them, one at least.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    stop: Stop | None = field(default=None, compare=False)
    threads: int = field(default=1, compare=False)

    def __post_init__(self) -> None:
        for name in ("seconds", "nodes", "depth"):
            value = getattr(self, name)
            if value is not None and value <= 0:
                raise ValueError(f"Limit.{name} must be above 0 or None, not {value!r}")


@dataclass(frozen=True, slots=True)
class SearchInfo:
    """What a search found, for people and tests; every score from the viewpoint of the side to move.

    score: the agent's own unit (None: it does not score), higher is better for the side to move.
    proven: the score is the game-theoretic value, not an estimate.
    depth: plies looked ahead in full; 0 for agents that do not look ahead.
    nodes: states visited; for MCTS simulations.
    pv: the expected line of play, the chosen move first.
    move_scores: (move, score) for the legal moves that were scored, ascending by move.
    visits: (move, visits) per legal move, MCTS only.
    said: what the agent printed meanwhile, plug-ins only; a few lines at most.
    """

    score: float | None = None
    proven: bool = False
    depth: int = 0
    nodes: int = 0
    seconds: float = 0.0
    pv: tuple[Move, ...] = ()
    move_scores: tuple[tuple[Move, float], ...] = ()
    visits: tuple[tuple[Move, int], ...] = ()
    said: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move with what the search that found it knew."""

    move: Move
    info: SearchInfo


class Agent(Protocol):
    """Chooses moves. One instance serves one search at a time; equal seeds make equal choices."""

    def choose(self, state: State, limit: Limit) -> Choice:
        """A legal move of a state that is not over, within the limit."""
        ...


def is_opening(state: State) -> bool:
    """Whether less than a third of the board was played: where agents vary their games."""
    return opening_left(state) > 0


def opening_left(state: State) -> float:
    """The share of the opening that is still to come: 1 before the first move, 0 from its end on."""
    return max(0.0, 1 - 3 * state.ply / (state.rows * state.columns))


def moves_of(state: State) -> tuple[Move, ...]:
    """The legal moves, at least one; raises EngineError when the game is over."""
    moves = state.legal_moves()
    if not moves:
        raise EngineError("the game is over: there is no move to choose")
    return moves


def states_of(start: State, moves: Sequence[Move]) -> tuple[State, ...]:
    """The state before each of the moves from `start`, and the last one; raises IllegalMove as `replay`."""
    states = [start]
    for move in moves:
        states.append(states[-1].play(move))
    return tuple(states)


def replay(start: State, moves: Sequence[Move]) -> State:
    """The state after `moves` from `start`; raises IllegalMove at the first that the rules forbid."""
    state = start
    for move in moves:
        state = state.play(move)
    return state
