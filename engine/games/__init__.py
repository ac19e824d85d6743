"""The games: a folder and one word each, and those of installed packages."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from engine.core import BoardError, Game, State, UnknownName
from engine.games.spec import GameSpec

FOLDERS = (
    "connect_four",
    "othello",
    "tic_tac_toe",
    "pop_out",
    "gomoku",
    "kalah",
    "draughts",
    "dots_and_boxes",
    "hex",
)
"""Each has a `SPEC`. Games are offered in this order, the default game first."""

GROUP = "discade.games"
"""The entry point group of installed games: each entry is a GameSpec, or a module with a `SPEC`."""

log = logging.getLogger(__name__)


def _specs() -> dict[str, GameSpec]:
    own: list[GameSpec] = [import_module(f"{__name__}.{folder}").SPEC for folder in FOLDERS]
    found = {spec.key: spec for spec in own}
    for spec in _installed():
        if spec.key in found or type(spec.rules.start()) in map(_state_type, found.values()):
            log.error("installed game %s ignored: a game with this key or state type exists", spec.key)
        else:
            found[spec.key] = spec
    return found


def _state_type(spec: GameSpec) -> type:
    """Return the type that identifies the game of a state."""
    return type(spec.rules.start())


def _installed() -> Iterator[GameSpec]:
    """Yield the games of installed packages, by the names of entry points; failures are logged."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            yield _loaded(entry)
        except Exception as error:  # noqa: BLE001 - a broken package must not prevent other games
            log.error("the game %s (%s) cannot be loaded: %s", entry.name, entry.value, error)


def _loaded(entry: EntryPoint) -> GameSpec:
    found: object = entry.load()
    spec = getattr(found, "SPEC", found)
    if not isinstance(spec, GameSpec):
        raise TypeError(f"it is a {type(spec).__name__}, no GameSpec")
    spec.rules.start()
    return spec


SPECS: Mapping[str, GameSpec] = MappingProxyType(_specs())
"""The specs of all games, by key."""

_BY_STATE = {_state_type(spec): spec for spec in SPECS.values()}

GAMES: Mapping[str, Game] = MappingProxyType({key: spec.rules for key, spec in SPECS.items()})
"""The rules of all games, by key."""

USUAL = next(iter(SPECS))
"""The key of the default game."""


def spec_of(key: str) -> GameSpec:
    """Return the spec of the game with that key; raises UnknownName."""
    if key not in SPECS:
        raise UnknownName(f"There is no game {key!r}: there are {', '.join(SPECS)}.", key, SPECS)
    return SPECS[key]


def spec_of_state(state: State) -> GameSpec:
    """Return the spec of the game of that state; raises UnknownName."""
    spec = _BY_STATE.get(type(state))
    if spec is None:
        raise UnknownName(f"No game has states of the type {type(state).__name__}.")
    return spec


def game(key: str) -> Game:
    """Return the rules of the game with that key; raises UnknownName."""
    return spec_of(key).rules


def open_board(rules: Game, board: str | None) -> str | None:
    """Return the board if a new game may begin on it; raises BoardError for an old one."""
    if board is not None and spec_of(rules.key).is_old(name := board.strip().lower()):
        now = spec_of(rules.key).board_now(name)
        raise BoardError(f"{board!r} only reads old games, since its rule was mended: choose {now}.")
    return board


def titles() -> str:
    """Return the titles of all games for people: `Connect Four, Othello and Tic-tac-toe`."""
    *others, last = (spec.title for spec in SPECS.values())
    return f"{', '.join(others)} and {last}" if others else last
