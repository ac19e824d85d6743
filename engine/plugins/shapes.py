"""The shapes in which people write agents: how each is recognised, created and asked.

A further one is a line in `SHAPES`. Used only inside a plug-in's worker process.
"""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core import Player
from engine.games import spec_of_state
from engine.plugins import championship, kaggle
from engine.plugins.wire import Ask, Source

Settings = Mapping[str, object]


class UnfitPlugin(Exception):
    """The plug-in cannot be used as it is; the message has the reason."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A way of writing an agent.

    summary: its name for people.
    fits: whether a value in the file of that source is such an agent; of several the last one is taken.
    ask: (player, question) -> the answer. Raises UnfitPlugin for an answer that names no move.
    make: (value, question, settings) -> the player of one match.
    games: those it plays; () if the agent says so itself. boards: likewise.
    is_explicit: only values of the file itself count, and names that begin with _ do not.
    has_own_globals: the file is executed again for each player. has_colours: a player has one colour only.
    """

    summary: str
    fits: Callable[[Any, Source], bool]
    ask: Callable[[Any, Ask], object]
    make: Callable[[Any, Ask, Settings], Any] = lambda value, _question, settings: value(**settings)
    games: tuple[str, ...] = ()
    boards: tuple[str, ...] = ()
    is_explicit: bool = True
    has_own_globals: bool = False
    has_colours: bool = False


def shape_of(names: Mapping[str, object], module: str, source: Source) -> tuple[Shape, Any]:
    """Return the agent among a file's names, and its shape; raises UnfitPlugin if there is none."""
    own = [
        value
        for name, value in names.items()
        if not name.startswith("_") and getattr(value, "__module__", None) == module
    ]
    for shape in SHAPES:
        # Any function of a file that others import would do for Kaggle's rule, so that it takes no helpers.
        values = own if shape.is_explicit else () if source.is_imported else tuple(names.values())
        for value in reversed(values):
            if shape.fits(value, source):
                return shape, _not_a_class(value) if not shape.is_explicit else value
    raise UnfitPlugin(_NOTHING)


def setting_names(value: object, names: Collection[str]) -> list[str] | None:
    """Return the settings that an agent has: arguments of a class, else names in its file; None: any."""
    if not isinstance(value, type):
        return [name for name in names if not name.startswith("_")]
    parameters = _parameters(value)
    is_open = any(each.kind is each.VAR_KEYWORD for each in parameters)
    return None if is_open else [each.name for each in parameters]


def _not_a_class(value: object) -> object:
    if isinstance(value, type):
        raise UnfitPlugin(
            f"{_NOTHING}; its last class, {value.__name__}, needs the five lines of docs/your-agent.md"
        )
    return value


def _takes(call: object, count: int) -> bool:
    """Whether it can be called with `count` arguments; True if Python does not know."""
    if not callable(call):
        return False
    try:
        inspect.signature(call).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True


def _parameters(call: Callable[..., object]) -> Sequence[inspect.Parameter]:
    try:
        return tuple(inspect.signature(call).parameters.values())
    except (TypeError, ValueError):
        return ()


def _needs_arguments(value: type) -> bool:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return any(each.kind in kinds and each.default is each.empty for each in _parameters(value))


def _has(value: object, method: str, count: int) -> bool:
    """Whether it is a class with that method, of `count` arguments."""
    return isinstance(value, type) and _takes(getattr(value, method, None), count + 1)


# A class with choose


def _can_choose(value: Any, _source: Source) -> bool:
    # A championship player may have a method of this name as well; but its constructor takes a colour.
    is_player = _has(value, "play", 1) and _needs_arguments(value)
    return (_has(value, "choose", 2) or _has(value, "choose", 3)) and not is_player


def _choose(player: Any, question: Ask) -> object:
    if _takes(player.choose, 3):
        return player.choose(question.state, question.limit, question.history)
    return player.choose(question.state, question.limit)


# A function as on Kaggle


def _is_kaggle_agent(value: Any, _source: Source) -> bool:
    parameters = _parameters(value) if callable(value) and not isinstance(value, type) else ()
    return bool(parameters) and parameters[0].name.startswith("obs") and len(parameters) <= 2


def _is_callable(value: Any, _source: Source) -> bool:
    return callable(value)


def _itself(value: Any, _question: Ask, _settings: Settings) -> Any:
    return value


def _ask_kaggle_agent(player: Any, question: Ask) -> object:
    arguments = (kaggle.observation(question.state), kaggle.configuration(question.state, question.limit))
    # Kaggle cuts the arguments to those that a function takes; other callables get both.
    code = getattr(player, "__code__", None)
    return player(*arguments[: getattr(code, "co_argcount", 2)])


# A class with act


def _can_act(value: Any, _source: Source) -> bool:
    return _has(value, "act", 1)


_SIZES = {
    "rows": ("num_rows", "rows", "n_rows", "row_count"),
    "columns": ("num_cols", "num_columns", "cols", "columns", "n_cols", "n_columns", "column_count"),
    "k": ("in_a_row", "inarow", "k", "connect", "win_length"),
}
"""The names under which constructors ask for the board, by the attribute of the state."""


def _make_actor(value: Any, question: Ask, settings: Settings) -> Any:
    taken = {each.name for each in _parameters(value)}
    sizes = {
        name: getattr(question.state, size)
        for size, names in _SIZES.items()
        for name in names
        if name in taken
    }
    return value(**{**sizes, **settings})


def _act(player: Any, question: Ask) -> object:
    me = question.state.to_move
    cells = [0 if cell is None else 1 if cell is me else -1 for cell in question.state.cells()]
    return player.act(np.array(cells))


# A class with play and a colour


def _is_championship_player(value: Any, source: Source) -> bool:
    """Whether it has `play(board)`, and its file's name or its constructor says that it is a player."""
    if not _has(value, "play", 1):
        return False
    is_named = source.file is not None and source.file.stem.endswith(championship.SUFFIX)
    return is_named or any(each.name.startswith(("color", "colour", "cor")) for each in _parameters(value))


def _make_player(value: Any, question: Ask, settings: Settings) -> Any:
    return value(championship.color_of(Player(question.state.to_move)), **settings)


def _play(player: Any, question: Ask) -> object:
    state = question.state
    moves = state.legal_moves()
    if len(moves) == 1 and spec_of_state(state).is_pass(state, moves[0]):
        return moves[0]  # the championship never asks a player without a placement
    try:
        board = championship.board_of(state)
    except ValueError as error:
        raise UnfitPlugin(str(error)) from None
    answer = player.play(board)
    move = championship.engine_move(answer)
    if move is None:
        raise UnfitPlugin(f"answered {reprlib.repr(answer)}, which is no square")
    return move


SHAPES = (
    Shape("a class with choose(state, limit)", _can_choose, _choose),
    Shape(
        "a function of (observation, configuration)",
        _is_kaggle_agent,
        _ask_kaggle_agent,
        _itself,
        (kaggle.GAME,),
        has_own_globals=True,
    ),
    Shape("a class with act(state)", _can_act, _act, _make_actor, (kaggle.GAME,)),
    Shape(
        "a class with __init__(self, color) and play(self, board)",
        _is_championship_player,
        _play,
        _make_player,
        (championship.GAME,),
        (championship.BOARD,),
        has_own_globals=True,
        has_colours=True,
    ),
    Shape(
        "any callable, Kaggle's own rule",
        _is_callable,
        _ask_kaggle_agent,
        _itself,
        (kaggle.GAME,),
        is_explicit=False,
        has_own_globals=True,
    ),
)
"""The first shape that a file has is taken."""

_NOTHING = "has no agent in a shape that is known here"
