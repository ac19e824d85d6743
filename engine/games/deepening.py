"""The games of `engine.kernels.game_search` for Python: the moves of a position, deepening, and the agent."""

from __future__ import annotations

import random
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from engine.core import Choice, Limit, Move, Player, SearchInfo, State, moves_of
from engine.games.kept_memory import KeptMemory
from engine.kernels.control import (
    BEFORE,
    BLUNDER_RATES,
    GENERATION,
    INFINITY,
    PATH,
    PV,
    PV_WIDTH,
    REDUCES,
    SEED,
)
from engine.kernels.game_search import Kernel
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.jit import Words
from engine.kernels.running import Array, Run, running
from engine.kernels.transposition import HISTORY, KILLERS, LISTS, LONGEST, new_memory

_WIDTH = LONGEST + 3
_QUICK_TABLE, _TABLE, _KEPT_TABLE = 11, 17, 19
"""In bits. Kept ones have 2 ** 20 entries."""
MAX_KEPT_BYTES = 8 * 33 << 20
"""Of the tables that are kept for the next move of their match: eight, so that a process stays small."""
_QUICK_DEPTH = 6

S = TypeVar("S", bound=State)


@dataclass(frozen=True, slots=True)
class Depth:
    """The result of one depth, for the side to move.

    scores: of moves that are at most the margin worse than the best. proved: those whose scores contain no
    estimate. is_whole: whether every move was searched. is_proved: whether no move was estimated.
    """

    line: tuple[Move, ...]
    score: int
    scores: dict[Move, int]
    depth: int
    proved: frozenset[Move] = frozenset()
    is_whole: bool = True
    is_proved: bool = False

    @property
    def is_decided(self) -> bool:
        """Whether the score is that of a forced end within the depth, so that none is faster."""
        return abs(self.score) > DECIDED and WIN - abs(self.score) <= self.depth


@dataclass(frozen=True, slots=True)
class Habits:
    """How a player searches; by default as well as it can, for proofs.

    overlooks: the chance to miss a move, by `seed`. is_selective: late moves are searched less deep, so that
    values are only likely. is_moving: no position of the game may come again, so that a side ahead makes
    progress.
    """

    overlooks: float = 0.0
    seed: int = 0
    is_selective: bool = False
    is_moving: bool = False


PERFECT = Habits()


class MoveSearch(Generic[S]):
    """Values the moves of one position for its side to move; the run holds the limits.

    memory: a `new_memory`, which may know earlier positions. Subclasses describe a game's states for its
    kernel, and pass its rules, and the words of the positions up to this one that may come again.
    """

    kernel: Kernel

    def __init__(
        self,
        state: S,
        run: Run,
        memory: Words,
        habits: Habits,
        rules: Sequence[int] = (),
        path: Sequence[tuple[int, int]] = (),
        rates: Array | None = None,
    ) -> None:
        self.state, self._run, self._rates = state, run, rates  # kernels hold the addresses of arrays
        self._pv = np.zeros((_WIDTH, _WIDTH), np.int64)
        self._path = np.zeros((len(path) + _WIDTH, 2), np.int64)
        if path:
            self._path[: len(path)] = path
        memory[HISTORY:KILLERS] //= 2
        memory[KILLERS:LISTS] = 0
        memory[GENERATION] += 1
        memory[PATH], memory[BEFORE] = self._path.ctypes.data, max(0, len(path) - 1)
        memory[PV], memory[PV_WIDTH] = self._pv.ctypes.data, _WIDTH
        memory[BLUNDER_RATES], memory[SEED] = 0 if rates is None else rates.ctypes.data, habits.seed
        memory[REDUCES] = habits.is_selective
        self.memory, self.place = memory, run.describe(memory, rules)
        self._after = {move: state.play(move) for move in state.legal_moves()}

    @property
    def order(self) -> Sequence[Move]:
        """The legal moves worth searching, at least one, the likeliest first."""
        return tuple(self._after)

    @abstractmethod
    def words(self, state: S) -> tuple[int, int]:
        """Return a position as the kernel has it."""

    @abstractmethod
    def move_of(self, state: S, code: int) -> Move | None:
        """Return the move that the kernel knows by this code; None if there is none."""

    def lead(self, after: S, mover: Player) -> int:  # noqa: ARG002 - used by subclasses
        """Return the points by which the mover is ahead after its move."""
        return 0

    def since(self, after: S) -> int:  # noqa: ARG002 - used by subclasses
        """Return the first place on the path that could occur again after the move."""
        return 0

    def is_sure(self, found: Depth) -> bool:
        """Whether the score of the best move is proved."""
        return found.is_proved

    def is_final(self, found: Depth) -> bool:
        """Whether a deeper search can tell nothing more."""
        return found.is_proved

    def overlooked(self, move: Move, rng: random.Random, chance: float) -> bool:  # noqa: ARG002 - as above
        """Whether an inattentive player misses the move; chance: of an ordinary one."""
        return rng.random() < chance

    def value(self, move: Move, depth: int, low: int, high: int) -> int:
        """Return the value after `depth` plies, this move included; only a bound outside (low, high)."""
        after, mover = self._after[move], self.state.to_move
        lead = self.lead(after, mover)
        self._pv[1, 0] = 0
        outcome = after.outcome()
        if outcome is not None:
            self._run.count_state()
            if outcome.winner is None or outcome.points is not None:
                return lead
            return WIN - 1 if outcome.winner is mover else 1 - WIN
        sign = 1 if after.to_move is mover else -1
        floor, ceiling = sorted((sign * (low - lead), sign * (high - lead)))
        place, since = self.place, self.since(after)
        return lead + sign * int(self.kernel(*self.words(after), depth - 1, floor, ceiling, 1, since, place))

    def line(self, move: Move) -> tuple[Move, ...]:
        """Return the principal variation of the move, which was valued last, and lay above `low`."""
        line, state = [move], self._after[move]
        for code in self._pv[1, 1 : 1 + self._pv[1, 0]]:
            following = self.move_of(state, int(code))
            if following is None:
                break
            line.append(following)
            state = state.play(following)
        return tuple(line)


def deepen(
    search: MoveSearch[S],
    moves: Sequence[Move],
    run: Run,
    deepest: int,
    margin: int | None = 0,
    window: int = 0,
) -> Iterator[Depth]:
    """Yield the best of these moves at each depth, until the run stops.

    The last result may be of some of the moves only; the best of the depth before came first, so it counts.
    margin: how much worse than the best a move may be to have an exact score; None: all have one.
    window: how far around the score of the depth before its best move is first looked for; 0: anywhere.
    """
    order, last = list(moves), 0
    for depth in range(1, deepest + 1):
        best, line, scores, estimates = -INFINITY, tuple(order[:1]), dict[Move, int](), 0
        searched, proved = 0, set[Move]()
        for move in order:
            # One below the margin: at most the floor, a value is only a bound.
            floor = best - margin - 1 if scores and margin is not None else -INFINITY
            low, high = floor, INFINITY if floor == -INFINITY else floor + 1
            if window and depth > 1 and not scores:
                low, high = last - window, last + window
            while True:
                run.forget_estimates()
                value = search.value(move, depth, low, high)
                if run.has_stopped or low < value < high or value <= floor:
                    break
                low, high = (low, INFINITY) if value >= high else (floor, high)
            if run.has_stopped:
                break
            searched, estimates = searched + 1, estimates + run.estimates
            if value > floor:
                scores[move] = value
                if not run.estimates:
                    proved.add(move)
            if value > best:
                best, line = value, search.line(move)
        if scores:
            # The best rose meanwhile, so early moves may have left the margin.
            near = {move: own for move, own in scores.items() if margin is None or own >= best - margin}
            is_whole = searched == len(order)
            is_proved = is_whole and estimates == 0
            yield Depth(line, best, near, depth, frozenset(proved), is_whole, is_proved)
            last = best
        if run.has_stopped:
            return
        order.sort(key=lambda move: -scores.get(move, -INFINITY))


_MEMORIES: KeptMemory[Words] = KeptMemory(MAX_KEPT_BYTES)

MakeSearch = Callable[[State, Run, Words, Habits], MoveSearch[Any]]
"""Makes the search of a position; raises EngineError for another game's."""


class DeepeningAgent:
    """Alpha-beta; what its moves are worth is the game's.

    depth: plies. spread: where it varies its moves, one that is at most this much worse than the best counts
    as equally good. early: it varies them before this ply; 0: as `varies` says. overlooks: the probability,
    in percent, that it misses one of its moves. selective: 1 for one that searches late moves less deep,
    remembers positions for the whole match, and makes a move at once that is its only one.
    """

    def __init__(
        self,
        make: MakeSearch,
        varies: Callable[[State], bool],
        seed: int = 0,
        depth: int = 8,
        spread: int = 0,
        overlooks: int = 0,
        selective: int = 0,
        early: int = 0,
        window: int = 0,
    ) -> None:
        self._make, self._rng = make, random.Random(seed)
        self._varies = (lambda state: state.ply < early) if early else varies
        self._depth, self._spread, self._overlooks = depth, spread, overlooks / 100
        self._is_selective, self._window = bool(selective), window * selective

    def choose(self, state: State, limit: Limit) -> Choice:
        """Return the best move found; raises EngineError if the game is over."""
        started = time.perf_counter()
        moves = moves_of(state)
        deepest = self._depth if limit.depth is None else min(self._depth, limit.depth)
        spread = self._spread if self._varies(state) else 0
        seed = self._rng.getrandbits(62) if self._overlooks else 0
        habits = Habits(self._overlooks, seed, self._is_selective, is_moving=True)
        bits = _KEPT_TABLE if self._is_selective else _QUICK_TABLE if deepest <= _QUICK_DEPTH else _TABLE
        memory = _MEMORIES.take(self, bits, lambda: new_memory(bits))
        with running(limit) as run:
            search = self._make(state, run, memory, habits)
            others = [move for move in moves if move not in search.order]
            # A player who overlooks every good move plays one that the search would leave out.
            seen = self._seen(search, search.order) or self._seen(search, others) or [moves[0]]
            if self._is_selective and len(seen) == 1:
                deepest = 1
            best, last = Depth((seen[0],), 0, {}, 0, is_whole=False), None
            for found in deepen(search, seen, run, deepest, spread, self._window):
                last, best = best, found
                if search.is_final(found):
                    break
        if self._is_selective:
            _MEMORIES.give_back(self, bits, memory.nbytes, memory)
        if not best.is_whole and last is not None and spread:
            best = last  # an interrupted search has not compared all moves
        is_sure = not self._overlooks and search.is_sure(best)
        # A certain result is not given away for variety.
        near = [move for move, score in best.scores.items() if score == best.score or not is_sure]
        move = self._rng.choice(near or seen) if abs(best.score) < DECIDED else best.line[0]
        info = SearchInfo(
            score=float(best.score) if best.scores else None,
            proven=is_sure,
            depth=best.depth,
            nodes=run.nodes,
            seconds=time.perf_counter() - started,
            pv=best.line if move == best.line[0] else (move,),
            move_scores=tuple(sorted((move, float(score)) for move, score in best.scores.items())),
        )
        return Choice(move, info)

    def _seen(self, search: MoveSearch[Any], moves: Sequence[Move]) -> list[Move]:
        """Return the moves that are not overlooked, in random order."""
        shuffled = self._rng.sample(moves, len(moves))
        return [move for move in shuffled if not search.overlooked(move, self._rng, self._overlooks)]
