"""What agents written for Kaggle's ConnectX expect: their arguments, and the modules that their files import.

Used only inside a plug-in's worker process. `kaggle_environments` itself needs dozens of packages. Agents use
two of its functions, and notebooks play matches while they are loaded; those are not played here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from engine.core import Limit, State
from engine.plugins.modules import install_module

GAME = "connect-four"

ACT_SECONDS = 2.0
"""Kaggle's time for a move, for matches without a limit."""

_OVERAGE_SECONDS = 60.0
_EMPTY = 0


class Struct(dict[str, Any]):
    """A dict whose items are attributes, too: agents write `obs.board` and `obs["board"]`."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value


def observation(state: State) -> Struct:
    """Return a Connect Four state as Kaggle writes it: marks 1 and 2, row by row from the top."""
    cells = [_EMPTY if cell is None else int(cell) + 1 for cell in state.cells()]
    mark = int(state.to_move) + 1
    return Struct(board=cells, mark=mark, step=state.ply, remainingOverageTime=_OVERAGE_SECONDS)


def configuration(state: Any, limit: Limit) -> Struct:
    """Return the board's size, and the seconds for this move."""
    seconds = limit.seconds or ACT_SECONDS
    return Struct(
        rows=state.rows, columns=state.columns, inarow=state.k, actTimeout=seconds, timeout=seconds,
        agentTimeout=_OVERAGE_SECONDS, episodeSteps=1000, runTimeout=1200,
    )  # fmt: skip


def play(board: list[int], column: int, mark: int, config: Any) -> None:
    """Drop a disc into that list."""
    row = max(r for r in range(config.rows) if board[r * config.columns + column] == _EMPTY)
    board[row * config.columns + column] = mark


def is_win(board: Sequence[int], column: int, mark: int, config: Any, has_played: bool = True) -> bool:
    """Whether the mark's uppermost disc in the column is in a row; or its next one, if it has not played."""
    rows, columns = config.rows, config.columns
    wanted = mark if has_played else _EMPTY
    fitting = [r for r in range(rows) if board[r * columns + column] == wanted]
    row = min(fitting) if has_played else max(fitting)

    def reach(down: int, right: int) -> int:
        """Return how many discs of the mark follow in that direction."""
        r, c, count = row + down, column + right, 0
        while 0 <= r < rows and 0 <= c < columns and board[r * columns + c] == mark:
            r, c, count = r + down, c + right, count + 1
        return count

    return any(
        reach(down, right) + reach(-down, -right) >= config.inarow - 1
        for down, right in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


def random_agent(obs: Any, config: Any) -> int:
    return random.choice([c for c in range(config.columns) if obs.board[c] == _EMPTY])


def last_callable(code: str) -> Callable[..., object]:
    """Return the agent of a submission's text, as Kaggle's loader finds it."""
    names: dict[str, Any] = {}
    exec(code, names)
    agent: Callable[..., object] = [value for value in names.values() if callable(value)][-1]
    return agent


def _read_file(path: str) -> str:
    """Read a file that a notebook has just written, wherever it says that it lies."""
    return Path(Path(path).name).read_text("utf-8")


class _Environment:
    """An environment whose matches are over as soon as they begin."""

    def __init__(self, _name: str = "connectx", configuration: Any = None, **_more: object) -> None:
        start = Struct(rows=6, columns=7, inarow=4, actTimeout=ACT_SECONDS, timeout=ACT_SECONDS)
        self.configuration = Struct({**start, **(configuration or {})})
        self.agents = {"random": random_agent, "negamax": random_agent}
        self.name, self.done = "connectx", True
        self.reset()

    def reset(self, *_: object) -> list[Struct]:
        board = [_EMPTY] * (self.configuration.rows * self.configuration.columns)
        self.state = [
            Struct(
                observation=Struct(board=board, mark=mark, step=0), action=0, reward=0, status="DONE", info={}
            )
            for mark in (1, 2)
        ]
        self.steps = [self.state]
        return self.state

    def run(self, _agents: object) -> list[list[Struct]]:
        return self.steps

    def step(self, _actions: object) -> list[Struct]:
        return self.state

    def render(self, *_: object, **_more: object) -> str:
        return ""

    def train(self, _agents: object) -> Struct:
        seen = self.state[0].observation
        return Struct(reset=lambda: seen, step=lambda _action: (seen, 0, True, {}))


def _evaluate(
    _name: object, _agents: object, *_: object, num_episodes: int = 1, **_more: object
) -> list[list[int]]:
    return [[0, 0] for _ in range(num_episodes)]


def install() -> None:
    """Make the imports of Kaggle's files work in this process."""
    utils = {
        "read_file": _read_file,
        "get_last_callable": last_callable,
        "structify": _structify,
        "Struct": Struct,
    }
    connectx = {
        "EMPTY": _EMPTY, "play": play, "is_win": is_win,
        "random_agent": random_agent, "negamax_agent": random_agent,
    }  # fmt: skip
    install_module("kaggle_environments", {"make": _Environment, "evaluate": _evaluate}, [])
    install_module("kaggle_environments.utils", utils)
    install_module("kaggle_environments.envs", {}, [])
    install_module("kaggle_environments.envs.connectx", {}, [])
    install_module("kaggle_environments.envs.connectx.connectx", connectx)


def _structify(value: Any) -> Any:
    if isinstance(value, dict):
        return Struct({key: _structify(item) for key, item in value.items()})
    return [_structify(item) for item in value] if isinstance(value, list) else value
