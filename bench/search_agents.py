"""Search agents: depth and nodes in a second, alpha-beta beside naive minimax, playouts beside OpenSpiel's.

OpenSpiel is not a dependency of the project: `pip install open_spiel` adds its line to the table.
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from engine.agents import make_agent
from engine.agents.boards import board_of
from engine.core import Agent, Limit, State
from engine.games import game
from engine.games.connect_four.any_board_solver import LineSolver
from engine.games.connect_four.large_board import LargeBoard
from engine.games.connect_four.spec import as_connect_four
from engine.games.search_board import SearchBoard
from engine.kernels.control import INFINITY
from engine.kernels.heuristic_values import CENTRE_DISC, ONE_SHORT, OPPOSING_ONE_SHORT, TWO_SHORT, WIN
from engine.kernels.running import running

T = TypeVar("T")

SECOND, SOLVING_LIMIT = Limit(seconds=1.0), Limit(seconds=30.0)
SOLVED_BOARDS = ("5x5x3", "5x6x4", "6x6x4", "5x7x4", "6x7x4")
SIMULATIONS = 20_000
ROUNDS = 10
NAIVE_DEPTH = 6
BOARDS = (
    ("connect-four", "6x7x4"),
    ("connect-four", "5x5x3"),
    ("connect-four", "7x8x4"),
    ("connect-four", "6x9x5"),
    ("connect-four", "8x8x4"),
    ("connect-four", "10x10x5"),
    ("connect-four", "12x12x5"),
    ("othello", "8x8"),
    ("othello", "6x6"),
)


async def run() -> None:
    for key, board in BOARDS:  # load the kernels before timing
        for name in ("alphabeta:depth=60", "mcts"):
            make_agent(name).choose(game(key).start(board), Limit(nodes=1000))
    _one_second()
    _fixed_depths()
    _small_boards()
    _beside_naive()
    _playouts()
    _beside_cells()


def _beside_cells() -> None:
    """Compare a one-word board with one word per cell, on a board that both can play, in turn."""
    print("\nConnect Four 6x7x4, one word beside a word a cell, processor time, 8 plies unpruned:\n")
    word = game("connect-four").start()
    boards = board_of(word), LargeBoard.of(as_connect_four(word))
    costs = [_least(lambda: _values(board, 8)) for board in boards]  # noqa: B023 - called at once
    print("| word | cells | ratio |\n|---|---|---|")
    print(f"| {1000 * costs[0]:.0f} ms | {1000 * costs[1]:.0f} ms | {costs[1] / costs[0]:.1f} |")


def _values(board: SearchBoard, depth: int) -> None:
    with running(Limit()) as run:
        search = board.plain_search(run, prunes=False)
        for group in board.groups:
            for square in group:
                search.value(square, depth, -INFINITY)


def _one_second() -> None:
    print("One second from the first state, one thread:\n")
    print("| game | alphabeta: depth | nodes/s | mcts: simulations/s |\n|---|---|---|---|")
    for key, board in BOARDS:
        start = game(key).start(board)
        deep = make_agent("alphabeta:depth=60").choose(start, SECOND).info
        wide = make_agent("mcts").choose(start, SECOND).info
        depth = f"{deep.depth}{' (solved)' if deep.proven else ''}"
        rates = (deep.nodes / deep.seconds, wide.nodes / wide.seconds)
        print(f"| {key} {board} | {depth} | {rates[0]:,.0f} | {rates[1]:,.0f} |")


def _fixed_depths() -> None:
    print("\nConnect Four 6x7x4 from the first state to a fixed depth, processor time:\n")
    print("| depth | minimax | alphabeta | nodes |\n|---|---|---|---|")
    start = game("connect-four").start()
    for depth in (6, 8, 10, 12, 14, 16):
        plain = "" if depth > 8 else f"{1000 * _cost(make_agent(f'minimax:depth={depth}'), start):.1f} ms"
        pruned = make_agent(f"alphabeta:depth={depth}")
        nodes = pruned.choose(start, Limit()).info.nodes
        print(f"| {depth} | {plain} | {1000 * _cost(pruned, start):.2f} ms | {nodes:,} |")


def _small_boards() -> None:
    print("\nFrom the first state to its exact value, processor time (alphabeta: 30 s at most):\n")
    print("| board | value | solver of every board | nodes | alphabeta |\n|---|---|---|---|---|")
    for board in SOLVED_BOARDS:
        start = game("connect-four").start(board)
        solver = LineSolver()
        seconds, value = _timed(lambda: solver.solve(start))  # noqa: B023 - called at once
        other, choice = _timed(lambda: make_agent("alphabeta:depth=60").choose(start, SOLVING_LIMIT))  # noqa: B023
        beside = f"{other:.2f} s" if choice.info.proven else "not solved"
        print(f"| {board} | {value.low} | {seconds:.2f} s | {solver.nodes:,} | {beside} |")


def _timed(work: Callable[[], T]) -> tuple[float, T]:
    """Return (processor time, result)."""
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def _cost(agent: Agent, state: State, limit: Limit | None = None) -> float:
    """Seconds of processor time for one choice, the least of three."""
    return _least(lambda: agent.choose(state, limit or Limit()))


def _least(work: Callable[[], object]) -> float:
    costs = []
    for _ in range(3):
        began = time.process_time()
        work()
        costs.append(time.process_time() - began)
    return min(costs)


def _beside_naive() -> None:
    began = time.process_time()
    value = naive_minimax(np.zeros((6, 7), np.int8), NAIVE_DEPTH, -(10**9), 10**9, 1)
    naive = time.process_time() - began
    agent = make_agent(f"alphabeta:depth={NAIVE_DEPTH}")
    start = game("connect-four").start()
    ours = _cost(agent, start)
    info = agent.choose(start, Limit()).info
    print(f"\nDepth {NAIVE_DEPTH} from the empty 6x7 board, the same heuristic and value ({value}):\n")
    print("| | time | ratio |\n|---|---|---|")
    print(f"| numpy, board by board, with alpha-beta | {naive:.2f} s | 1 |")
    print(f"| alphabeta | {1000 * ours:.2f} ms | {naive / ours:,.0f} |")
    if info.score != value:
        raise AssertionError(f"the naive twin says {value}, alpha-beta {info.score}")


def _playouts() -> None:
    print(f"\nMonte Carlo tree search, {ROUNDS} x {SIMULATIONS:,} simulations from the empty 6x7 board:\n")
    start = game("connect-four").start()
    limit = Limit(nodes=SIMULATIONS)

    def ours() -> None:
        for seed in range(ROUNDS):
            make_agent("mcts", seed).choose(start, limit)

    rate = ROUNDS * SIMULATIONS / _least(ours)
    other = _openspiel_rate()
    if other is None:
        print(f"Discade: {rate:,.0f} simulations/s; OpenSpiel is not installed and was skipped.")
        return
    print("| | simulations/s | ratio |\n|---|---|---|")
    print(f"| OpenSpiel's MCTSBot (C++), random rollouts | {other:,.0f} | 1 |")
    print(f"| Discade's mcts, decisive moves in tree and rollouts | {rate:,.0f} | {rate / other:.1f} |")


def _openspiel_rate() -> float | None:
    """Simulations a second of OpenSpiel's C++ bot, one rollout each; None if it is not installed."""
    try:
        pyspiel = importlib.import_module("pyspiel")
    except ImportError:
        return None
    rules = pyspiel.load_game("connect_four")
    start = rules.new_initial_state()

    def theirs() -> None:
        for seed in range(ROUNDS):
            rollouts = pyspiel.RandomRolloutEvaluator(1, seed)
            pyspiel.MCTSBot(rules, rollouts, 1.0, SIMULATIONS, 1000, False, seed, False).mcts_search(start)

    return ROUNDS * SIMULATIONS / _least(theirs)


# --- The naive twin: a beginner's implementation with numpy windows.


def naive_minimax(board: npt.NDArray[np.int8], depth: int, alpha: int, beta: int, player: int) -> int:
    """Return the value for player 1, who moves first; 1 and -1 on the board are the players' discs."""
    if _has_four(board, -player):
        return -player * (WIN - (NAIVE_DEPTH - depth))
    columns = [column for column in (3, 2, 4, 1, 5, 0, 6) if board[5, column] == 0]
    if not columns:
        return 0
    if depth == 0:
        return _heuristic(board)
    best = -player * 10**9
    for column in columns:
        following = board.copy()
        following[int(np.argmax(board[:, column] == 0)), column] = player
        value = naive_minimax(following, depth - 1, alpha, beta, -player)
        if player == 1:
            best = max(best, value)
            alpha = max(alpha, best)
        else:
            best = min(best, value)
            beta = min(beta, best)
        if alpha >= beta:
            break
    return best


def _windows(board: npt.NDArray[np.int8]) -> list[npt.NDArray[np.int8]]:
    found = [board[row, column : column + 4] for row in range(6) for column in range(4)]
    found += [board[row : row + 4, column] for row in range(3) for column in range(7)]
    for row in range(3):
        for column in range(4):
            square = board[row : row + 4, column : column + 4]
            found += [square.diagonal(), square[::-1].diagonal()]
    return found


def _has_four(board: npt.NDArray[np.int8], player: int) -> bool:
    return any(bool(np.all(window == player)) for window in _windows(board))


def _heuristic(board: npt.NDArray[np.int8]) -> int:
    value = CENTRE_DISC * int(np.count_nonzero(board[:, 3] == 1))
    for window in _windows(board):
        mine, theirs = np.count_nonzero(window == 1), np.count_nonzero(window == -1)
        if theirs == 0 and mine == 3:
            value += ONE_SHORT
        elif theirs == 0 and mine == 2:
            value += TWO_SHORT
        elif mine == 0 and theirs == 3:
            value += OPPOSING_ONE_SHORT
    return value
