"""The games there are: a folder and one word each."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from engine.core import Game, State, UnknownName
from engine.games.spec import GameSpec

FOLDERS = ("connect_four", "othello", "tic_tac_toe")
"""Each has a `SPEC`; in the order in which the games are offered, the usual one first."""


def _specs() -> dict[str, GameSpec]:
    found: list[GameSpec] = [import_module(f"{__name__}.{folder}").SPEC for folder in FOLDERS]
    return {spec.key: spec for spec in found}


SPECS: Mapping[str, GameSpec] = MappingProxyType(_specs())
"""What is known of each game, by key."""

_BY_STATE = {type(spec.rules.start()): spec for spec in SPECS.values()}

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
