"""The games there are: a folder and one word each, and those of installed packages."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType

from engine.core import Game, State, UnknownName
from engine.games.spec import GameSpec

FOLDERS = ("connect_four", "othello", "tic_tac_toe", "pop_out", "gomoku")
"""Each has a `SPEC`; in the order in which the games are offered, the usual one first."""

GROUP = "discade.games"
"""The entry points in which packages name their games: each a GameSpec, or a module with a `SPEC`."""

log = logging.getLogger(__name__)


def _specs() -> dict[str, GameSpec]:
    own: list[GameSpec] = [import_module(f"{__name__}.{folder}").SPEC for folder in FOLDERS]
    found = {spec.key: spec for spec in own}
    for spec in _installed():
        if spec.key in found or type(spec.rules.start()) in map(_state_type, found.values()):
            log.error("a package brings the game %s once more; the first one stays", spec.key)
        else:
            found[spec.key] = spec
    return found


def _state_type(spec: GameSpec) -> type:
    """By which a state tells its game."""
    return type(spec.rules.start())


def _installed() -> Iterator[GameSpec]:
    """The games of installed packages, by the names of entry points; what cannot be loaded is logged."""
    for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
        try:
            yield _loaded(entry)
        except Exception as error:  # noqa: BLE001 - whatever a package does, the other games are there
            log.error("the game %s (%s) cannot be loaded: %s", entry.name, entry.value, error)


def _loaded(entry: EntryPoint) -> GameSpec:
    found: object = entry.load()
    spec = getattr(found, "SPEC", found)
    if not isinstance(spec, GameSpec):
        raise TypeError(f"it is a {type(spec).__name__}, no GameSpec")
    spec.rules.start()
    return spec


SPECS: Mapping[str, GameSpec] = MappingProxyType(_specs())
"""What is known of each game, by key."""

_BY_STATE = {_state_type(spec): spec for spec in SPECS.values()}

GAMES: Mapping[str, Game] = MappingProxyType({key: spec.rules for key, spec in SPECS.items()})
"""Their rules."""

USUAL = next(iter(SPECS))
"""The key of the game that is taken where nobody has named one."""


def spec_of(key: str) -> GameSpec:
    """All about the game of that key; raises UnknownName."""
    if key not in SPECS:
        raise UnknownName(f"There is no game {key!r}: there are {', '.join(SPECS)}.")
    return SPECS[key]


def spec_of_state(state: State) -> GameSpec:
    """All about the game that the state is one of; raises UnknownName."""
    spec = _BY_STATE.get(type(state))
    if spec is None:
        raise UnknownName(f"No game has states of the type {type(state).__name__}.")
    return spec


def game(key: str) -> Game:
    """The rules of the game of that key; raises UnknownName."""
    return spec_of(key).rules


def titles() -> str:
    """What the games are called, for people: `Connect Four, Othello and Tic-tac-toe`."""
    *others, last = (spec.title for spec in SPECS.values())
    return f"{', '.join(others)} and {last}" if others else last
