"""A game in the terminal: asks people for moves and agents for choices, and draws the board."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass

from rich.console import Console

from engine.agents.agent_cache import tell_history
from engine.cli.terminal import describe, draw, move_names, side_name
from engine.core import Agent, EngineError, Game, History, Limit, Move, State
from engine.games.notation import read_move
from engine.games.typed import fold

NO_LIMIT = Limit()

Ask = Callable[[str], str]

_LEAVING = ("quit", "exit", "q")

HELP = """\
Write a move as it is called ({example}), or
  hint   the moves that are legal now
  undo   take back your last move, and the answer to it
  board  draw the board again
  quit   leave the game"""


@dataclass(frozen=True, slots=True)
class Chair:
    """The player of a side. agent: None for a person; limit: of each of the agent's choices."""

    name: str
    agent: Agent | None = None
    limit: Limit = NO_LIMIT


class Sitting:
    """One game from the first move to the end, or until a person leaves."""

    def __init__(
        self,
        game: Game,
        board: str | None,
        chairs: tuple[Chair, Chair],
        console: Console,
        ask: Ask,
        *,
        as_text: bool = False,
        is_stepping: bool = False,
    ) -> None:
        """chairs: of Player.FIRST and Player.SECOND. ask: prompt -> the person's text; raises EOFError.

        is_stepping: an agent moves only after a person has pressed Enter.
        """
        self._game = game
        self._board = board or game.boards[0]
        self._states: list[State] = [game.start(board)]
        self._moves: list[Move] = []
        self._chairs = chairs
        self._console = console
        self._ask = ask
        self._as_text = as_text
        self._is_stepping = is_stepping
        self._turn_began = time.perf_counter()
        self._has_resigned = False

    @property
    def state(self) -> State:
        return self._states[-1]

    @property
    def moves(self) -> tuple[Move, ...]:
        return tuple(self._moves)

    def run(self) -> bool:
        """Play the game; return True if it ended, False if a person left."""
        self._show()
        while self.state.outcome() is None and not self._has_resigned:
            chair = self._chairs[self.state.to_move]
            if not (self._ask_person() if chair.agent is None else self._let_choose(chair, chair.agent)):
                self._say("Good bye.")
                return False
        if not self._has_resigned:
            self._say(self._described())
        return True

    def _let_choose(self, chair: Chair, agent: Agent) -> bool:
        """Make one move of the agent; return False if the watching person leaves."""
        if self._is_stepping and not self._step(chair):
            return False
        is_live = self._console.is_terminal and not self._as_text
        with self._console.status(f"{chair.name} thinks …") if is_live else nullcontext():
            tell_history(agent, History(self._game.key, self._board, self._states[0], self.moves))
            choice = agent.choose(self.state, chair.limit)
        for line in choice.info.said.splitlines():
            self._say(f"  | {line}")
        if choice.info.resigns:
            self._has_resigned = True
            self._say(f"{_capital(chair.name)} resigns.")
            return True
        self._play(choice.move, choice.info.seconds)
        if choice.info.forfeit:
            self._say(f"  That move is random: {choice.info.forfeit}.")
        return True

    def _step(self, chair: Chair) -> bool:
        """Wait for Enter; return False if the person leaves instead."""
        try:
            text = self._ask(f"Enter lets {chair.name} move, 'quit' leaves> ")
        except EOFError:
            return False
        return fold(text) not in _LEAVING

    def _ask_person(self) -> bool:
        """Handle one line of input, which may be a command; return False if the person leaves."""
        try:
            text = self._ask(f"{side_name(self._game, self.state.to_move, as_text=self._as_text)}> ").strip()
        except EOFError:
            return False
        match fold(text):
            case "":
                pass
            case word if word in _LEAVING:
                return False
            case "undo":
                self._undo()
            case "hint" | "hints" | "?":
                self._say(f"You can play {move_names(self._game, self.state)}.")
            case "board":
                self._show()
            case "help":
                self._say(HELP.format(example=self._example()))
            case _:
                self._try(text)
        return True

    def _try(self, text: str) -> None:
        try:
            move = read_move(self._game, self.state, text)
        except EngineError as error:
            self._say(f"{error} ('help' lists what else you can write.)")
        else:
            self._play(move, time.perf_counter() - self._turn_began)

    def _play(self, move: Move, seconds: float) -> None:
        chair, name = self._chairs[self.state.to_move], self._game.move_name(self.state, move)
        self._states.append(self.state.play(move))
        self._moves.append(move)
        self._show()
        self._say(f"{_capital(chair.name)} played {name} in {seconds:.2f} s.")
        self._turn_began = time.perf_counter()

    def _undo(self) -> None:
        """Return to the last state in which a person was to move."""
        turns = [i for i, state in enumerate(self._states[:-1]) if self._chairs[state.to_move].agent is None]
        if not turns:
            self._say("There is no move of yours to take back.")
            return
        del self._states[turns[-1] + 1 :]
        del self._moves[turns[-1] :]
        self._show()

    def _show(self) -> None:
        """Print the score and the side to move, and below them the board."""
        cell = self._game.cell_of(self._states[-2], self._moves[-1]) if self._moves else None
        person_moves = self.state.outcome() is None and self._chairs[self.state.to_move].agent is None
        self._console.print()
        self._say(self._described())
        self._console.print(
            draw(self._game, self.state, cell, hints=person_moves, as_text=self._as_text), no_wrap=True
        )

    def _described(self) -> str:
        names = (self._chairs[0].name, self._chairs[1].name)
        return describe(self._game, self.state, names, as_text=self._as_text)

    def _say(self, text: str) -> None:
        self._console.print(text)

    def _example(self) -> str:
        return self._game.move_name(self.state, self.state.legal_moves()[0])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
