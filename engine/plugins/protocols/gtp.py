"""The Go Text Protocol for Othello (Gunnar Farnebäck, "GTP version 2, draft 2").

Words of moves as ours, `f5` from the top left; `pass`. Black begins and is our first side.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.core import Move, NotationError, Player, State
from engine.games import spec_of_state
from engine.plugins.protocols import Refused, Resigned, told_seconds

if TYPE_CHECKING:
    from engine.plugins.protocols.engine import Engine
    from engine.plugins.protocols.lines import Lines
    from engine.plugins.wire import Ask

GAME = "othello"
BOARDS = ("8x8",)

COLOURS = ("black", "white")
"""The names of the sides, by `Player`."""


def write(state: State, move: Move) -> str:
    """Return the word of a move: `f5` or `pass`."""
    return spec_of_state(state).rules.move_name(state, move)


def read(state: State, word: str) -> Move:
    """Return the legal move of a word in any case; raises NotationError or IllegalMove."""
    return spec_of_state(state).rules.parse_move(state, word.strip().lower())


def player_of(word: str) -> Player:
    """Return the side of `black`, `b`, `white` or `w` in any case; raises NotationError."""
    for player, name in zip(Player, COLOURS, strict=True):
        if word.lower() in (name, name[0]):
            return player
    raise NotationError(f"{word!r} is no colour: write {' or '.join(COLOURS)}")


class Gtp:
    """A client; see `engine.plugins.protocols.engine.Client`. No command has a number: Edax ignores those."""

    def __init__(self, lines: Lines, engine: Engine) -> None:
        self._lines, self._engine = lines, engine
        self._known: tuple[str, ...] = ()

    def greet(self) -> None:
        self._known = tuple(self._told("list_commands", is_long=True).split())
        if "set_game" in self._known:
            self._told("set_game Othello")
        for option in self._engine.options:
            self._told(option)

    def move(self, ask: Ask) -> Move:
        """No board can be stated, so all moves are played again; passes are left to the engine."""
        history, spec = ask.history, spec_of_state(ask.state)
        if history.start != spec.rules.start(BOARDS[0]):
            raise Refused("plays from the usual start only: GTP for Othello has no other")
        state = history.start
        self._clear(state)
        for move in history.moves:
            if not spec.is_pass(state, move):
                self._told(f"play {COLOURS[state.to_move]} {write(state, move)}")
            state = state.play(move)
        return self._asked(state, ask.limit.seconds)

    def _clear(self, state: State) -> None:
        self._told(f"boardsize {state.rows}")
        self._told("clear_board")

    def _asked(self, state: State, seconds: float | None) -> Move:
        if "time_settings" in self._known:
            self._told(f"time_settings 0 {max(1, int(told_seconds(seconds)))} 1")
        word = self._told(f"genmove {COLOURS[state.to_move]}")
        if word.lower() == "resign":
            raise Resigned
        return read(state, word)

    def _told(self, command: str, *, is_long: bool = False) -> str:
        """Return the answer to a command; raises Refused. is_long: it has several lines."""
        self._lines.say(command)
        while not (line := self._lines.next()).startswith(("=", "?")):
            pass
        if line.startswith("?"):
            raise Refused(f"answers {line!r} to {command!r}")
        said = [line[1:].strip()]
        while is_long and (line := self._lines.next()):
            said.append(line)
        return " ".join(said)
