"""The vocabulary of every game and every agent: players, moves, states, outcomes, limits and choices.

Errors of the engine. Each is a ValueError whose message names the mistake and the allowed values:

    EngineError
    ├── IllegalMove      the rules forbid this move in this state
    ├── BoardError       the game has no board of this size
    ├── NotationError    the text names no move
    └── UnknownName      no registry has a game, agent or level of this name
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

Move = int
"""A small non-negative int; the docstring of each game's rules says what the numbers mean."""


class EngineError(ValueError):
    """A request that the engine refuses, and that the caller can correct."""


class IllegalMove(EngineError):
    """The rules forbid this move in this state; `reason` is a short key for translation: `column_full`."""

    def __init__(self, move: Move, reason: str, message: str) -> None:
        super().__init__(message)
        self.move = move
        self.reason = reason


class BoardError(EngineError):
    """The game has no board of this size; the message lists the sizes it has."""


class NotationError(EngineError):
    """The text names no move in this state; `column` is the 0-based index of the first bad character.

    reason: a short key for translation, such as `bracket`, filled in by the facts; "" without one.
    """

    def __init__(self, message: str, column: int = 0, *, reason: str = "", **facts: str | int) -> None:
        super().__init__(message)
        self.column = column
        self.reason = reason
        self.facts = facts


class AmbiguousName(NotationError):
    """The text names several moves in this state. names: of each of them."""

    def __init__(self, message: str, names: Iterable[str]) -> None:
        super().__init__(message)
        self.names = tuple(names)


class UnknownName(EngineError):
    """No registry entry has this name; the message lists the existing ones and points out the nearest."""

    def __init__(self, message: str, name: str = "", known: Iterable[str] = ()) -> None:
        near = get_close_matches(name.lower(), known, 1)
        super().__init__(f"{message.rstrip('.')}. Did you mean {near[0]!r}?" if near else message)


class Player(enum.IntEnum):
    """The two sides; FIRST begins."""

    FIRST = 0
    SECOND = 1

    @property
    def other(self) -> Player:
        return Player.SECOND if self is Player.FIRST else Player.FIRST


class EndReason(enum.StrEnum):
    """Why a state is over by the rules alone (resignation and time-outs belong to the match)."""

    LINE = "line"
    BOARD_FULL = "board_full"
    DISC_COUNT = "disc_count"
    REPETITION = "repetition"
    POINTS = "points"
    OTHER = "other"
    """Another rule of the game."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a state ended: the winner (None: a draw), the reason, and the cells of the winning line.

    `line` holds indices into `State.cells()`, ascending: the cells of every line that the last move
    completed, or () if no line decided the game. `points`: those of both sides, if they decided it.
    """

    winner: Player | None
    reason: EndReason
    line: tuple[int, ...] = ()
    points: tuple[int, int] | None = None


class State(Protocol):
    """An immutable, hashable position."""

    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def to_move(self) -> Player:
        """The side to move; undefined once the state is over."""
        ...

    @property
    def ply(self) -> int:
        """The number of moves made so far, including passes."""
        ...

    def legal_moves(self) -> tuple[Move, ...]:
        """Return the legal moves, ascending; () if the state is over."""
        ...

    def play(self, move: Move) -> Self:
        """Return the state after `move`; raises IllegalMove."""
        ...

    def outcome(self) -> Outcome | None:
        """Return the outcome, or None while the game goes on."""
        ...

    def cells(self) -> tuple[Player | None, ...]:
        """Return the owner of each cell, row-major, top row first."""
        ...

    def __hash__(self) -> int: ...


class Game(Protocol):
    """The rules of a game: makes its starting states and names its moves."""

    @property
    def key(self) -> str:
        """The registry key, e.g. `connect-four`. Databases store it, so it never changes."""
        ...

    @property
    def title(self) -> str: ...
    @property
    def boards(self) -> tuple[str, ...]:
        """The boards offered to players, the default first, e.g. `6x7x4`."""
        ...

    def start(self, board: str | None = None) -> State:
        """Return the starting state on `board` (None: the default); raises BoardError."""
        ...

    def move_name(self, state: State, move: Move) -> str:
        """Return the notation of the move in this state: `4`, `d3`, `pass`."""
        ...

    def parse_move(self, state: State, text: str) -> Move:
        """Return the legal move that `text` names; raises NotationError or IllegalMove.

        text: as `engine.games.typed` folds it, in lower case, without spaces.
        """
        ...

    def cell_of(self, state: State, move: Move) -> int | None:
        """Return the index in `cells()` that `move` will occupy; None if it occupies none."""
        ...


@dataclass(frozen=True, slots=True)
class History:
    """The course of a match: the game's key, the board's name, the first state, and all moves since."""

    game: str
    board: str
    start: State
    moves: tuple[Move, ...] = ()


class Stop:
    """A flag that ends a search from another thread.

    Kernels get `flag`, an int64 array of one element, and poll it; they run without the GIL.
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
    """When a search must end; None: no limit of this kind.

    seconds: wall-clock time for the whole choice, > 0.
    nodes: states visited (simulations in MCTS), > 0.
    depth: plies to search, > 0.
    stop: when set from another thread, the search ends at once with the best move so far.
    threads: the number of cores the search may use, at least 1.
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
    """The findings of a search; every score is from the viewpoint of the side to move.

    score: in the agent's own unit, higher is better; None if it does not score.
    proven: the score is the game-theoretic value, not an estimate.
    depth: plies searched in full; 0 for agents without look-ahead.
    nodes: states visited; simulations in MCTS.
    pv: the principal variation, starting with the chosen move.
    move_scores: (move, score) of the scored legal moves, ascending by move.
    visits: (move, visits) per legal move; MCTS only.
    said: what the agent printed, a few lines at most; plug-ins only.
    forfeit: why the agent gave no valid move in time, so that a random one stands in for it; "" if it did.
    resigns: the agent gives the game up instead of moving; its move is a random one.
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
    forfeit: str = ""
    resigns: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move and the findings of the search behind it."""

    move: Move
    info: SearchInfo


class Agent(Protocol):
    """Chooses moves. One instance serves one search at a time; equal seeds make equal choices."""

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return a legal move within the limit; the state must not be over."""
        ...


def is_opening(state: State) -> bool:
    """Whether less than a third of the board has been played; agents vary their moves until then."""
    return opening_left(state) > 0


def opening_left(state: State) -> float:
    """Return the share of the opening that remains: 1 before the first move, 0 once it is over."""
    return max(0.0, 1 - 3 * state.ply / (state.rows * state.columns))


def moves_of(state: State) -> tuple[Move, ...]:
    """Return the legal moves, at least one; raises EngineError if the game is over."""
    moves = state.legal_moves()
    if not moves:
        raise EngineError("the game is over: there is no move to choose")
    return moves


def states_of(start: State, moves: Sequence[Move]) -> tuple[State, ...]:
    """Return the state before each of the moves, and the final one; raises IllegalMove."""
    states = [start]
    for move in moves:
        states.append(states[-1].play(move))
    return tuple(states)


def replay(start: State, moves: Sequence[Move]) -> State:
    """Return the state after `moves` from `start`; raises IllegalMove at the first illegal one."""
    state = start
    for move in moves:
        state = state.play(move)
    return state
