"""The answers of an engine to the programs that it plays in: one class a protocol, without input and output.

A speaker gets one line and returns the lines to write. The rules of the game judge every move; an error is
answered in the protocol's words, and the position stays as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Protocol

from engine.core import BoardError, Choice, EngineError, Game, History, Move, Player, State
from engine.games import spec_of, spec_of_state
from engine.games.notation import walk
from engine.plugins.protocols import gomocup, gtp, htp, nboard
from engine.records import ggf
from engine.records.sgf import mirrored

NAME = "Discade"

_MOVES_LEFT = 30
"""A game's time is shared among this number of moves, where a controller gives no time a move."""

_SHARE, _ON_THE_WAY_SECONDS, _LEAST_SECONDS = 0.7, 0.1, 0.02

_GTP_LINE = re.compile(r"([0-9]*)\s*(\S*)\s*(.*)", re.DOTALL | re.ASCII)

Choose = Callable[[History, float | None], Choice]
"""(match so far, seconds a move or None for the level's own) -> the level's choice."""


class Table:
    """The match that the other program keeps: a start, the moves since, and the level that answers."""

    def __init__(self, game: Game, choose: Choose) -> None:
        self.game = game
        self.board = game.boards[0]
        self.seconds: float | None = None
        self._choose = choose
        self._moves: list[Move] = []
        self._states: list[State] = [game.start()]

    @property
    def state(self) -> State:
        return self._states[-1]

    @property
    def moves(self) -> tuple[Move, ...]:
        return tuple(self._moves)

    def begin(self, board: str | None = None, start: State | None = None) -> None:
        """Begin anew on the board (None: the same one) or from the start; raises BoardError."""
        board = board or self.board
        self._states = [start or self.game.start(board)]
        self._moves = []
        self.board = board

    def play(self, move: Move) -> None:
        """Raises IllegalMove."""
        self._states.append(self.state.play(move))
        self._moves.append(move)

    def undo(self) -> None:
        """Take the last move back; raises EngineError if there is none."""
        if not self._moves:
            raise EngineError("there is no move to take back")
        self._states.pop()
        self._moves.pop()

    def choice(self) -> Choice:
        """Return the level's choice; raises EngineError if the game is over."""
        if self.state.outcome() is not None:
            raise EngineError("the game is over")
        history = History(self.game.key, self.board, self._states[0], self.moves)
        return self._choose(history, self.seconds)


class Speaker(Protocol):
    """Of the game with the key `game`; commands are in lower case."""

    game: str
    end: str
    """The last command of a session."""
    interrupts: tuple[str, ...]
    """The commands that end a search which still runs when they arrive."""

    def answer(self, line: str) -> str:
        """Return the text to write, with its line ends; often ""."""
        ...


def our_version() -> str:
    try:
        return version("discade")
    except PackageNotFoundError:  # run from a folder that was never installed
        return "0"


class GomocupSpeaker:
    """A brain for Piskvork and other managers of Gomoku programs. Moves are `x,y` from 0."""

    game = gomocup.GAME
    end = "end"
    interrupts: tuple[str, ...] = ()

    def __init__(self, table: Table) -> None:
        self._table = table
        self._stones: list[str] | None = None
        """The lines of BOARD until DONE; None outside."""
        self._rule = "0"

    def answer(self, line: str) -> str:
        """Answer a command; a move is answered by a move."""
        word, _, rest = line.partition(" ")
        try:
            if self._stones is not None:
                return self._placed(line)
            return self._answered(word.upper(), rest.strip())
        except EngineError as error:
            return f"ERROR {error}\r\n"

    def _answered(self, word: str, rest: str) -> str:
        table = self._table
        match word:
            case "START":
                table.begin(_board_of(rest, gomocup.BOARDS))
                return "OK\r\n"
            # On the same board, while START may name another one.
            case "RESTART":
                table.begin()
                return "OK\r\n"
            case "BEGIN":
                return self._move()
            case "TURN":
                table.play(gomocup.read(table.state, rest))
                return self._move()
            case "TAKEBACK":
                table.undo()
                return "OK\r\n"
            case "BOARD":
                self._stones = []
                return ""
            case "INFO":
                self._note(*rest.lower().partition(" ")[::2])
                return ""
            case "ABOUT":
                return f'name="{NAME}", version="{our_version()}"\r\n'
            case "END" | "":
                return ""
        return "UNKNOWN command\r\n"

    def _note(self, key: str, value: str) -> None:
        """Take note of a setting; of those that are not known here nothing is said, as the protocol wants."""
        if key == "rule":
            self._rule = value.strip()
        elif key == "timeout_turn" and re.fullmatch("[0-9]{1,9}", value.strip(), re.ASCII):
            self._table.seconds = _within(int(value) / 1000)

    def _placed(self, line: str) -> str:
        """Collect the lines of BOARD, and answer the whole position at DONE."""
        stones = self._stones or []
        if line.upper() != "DONE":
            self._stones = [*stones, line]
            return ""
        self._stones = None
        self._table.begin()
        # Own stones and the other side's come in any order. Their number says who began, since our side is to
        # move: then each side's stones are played in turn.
        cells: dict[str, list[str]] = {"1": [], "2": []}
        for stone in stones:
            square, _, side = stone.rpartition(",")
            if side.strip() not in cells:
                raise EngineError(f"{stone!r} is no stone of the form x,y,1 or x,y,2")
            cells[side.strip()].append(square)
        own, other = cells["1"], cells["2"]
        if len(other) - len(own) not in (0, 1):
            raise EngineError(f"{len(own)} and {len(other)} stones: it is not this side's turn")
        first, second = (own, other) if len(own) == len(other) else (other, own)
        for turn in range(len(stones)):
            square = (first, second)[turn % 2][turn // 2]
            self._table.play(gomocup.read(self._table.state, square))
        return self._move()

    def _move(self) -> str:
        if self._rule != "0":
            raise EngineError("rule 0 alone is played here: five or more in a row win")
        table = self._table
        move = table.choice().move
        word = gomocup.write(table.state, move)
        table.play(move)
        return f"{word}\r\n"


class NBoardSpeaker:
    """An engine of Othello for NBoard. `go` does not play its own move: the program sends it back."""

    game = nboard.GAME
    end = "quit"
    interrupts: tuple[str, ...] = ("ping",)

    def __init__(self, table: Table) -> None:
        self._table = table

    def answer(self, line: str) -> str:
        """Answer a command; unknown ones are ignored, as the protocol wants."""
        word, _, rest = line.partition(" ")
        try:
            match word.lower():
                case "nboard":
                    return f"set myname {NAME}\n"
                case "set":
                    self._set(*rest.partition(" ")[::2])
                case "move":
                    self._table.play(nboard.read(self._table.state, rest))
                case "go":
                    return self._gone()
                case "hint":
                    return self._hint()
                case "ping":
                    return f"pong {rest.strip()}\n"
                case "learn":
                    return "learned\n"
        except EngineError as error:
            return f"status {error}\n"
        return ""

    def _set(self, key: str, value: str) -> None:
        """Take over a game. The level decides how far it looks, so that `set depth` changes nothing."""
        if key.lower() != "game":
            return
        spec, games = spec_of(self.game), list(ggf.read(value))
        if not games:
            raise EngineError(f"{value[:20]!r} is no game in GGF")
        for raw in games:
            # Also a game without its board is refused here, as a drawing of nothing.
            self._table.begin(start=spec.play.read_board(raw.start) if spec.play.read_board else None)
            start = self._table.state
            for move in walk(spec, start, raw.words(spec, start)):
                self._table.play(move)

    def _gone(self) -> str:
        choice = self._table.choice()
        evaluation = "" if choice.info.score is None else f"/{choice.info.score:.2f}"
        return f"status\n=== {nboard.write(self._table.state, choice.move)}{evaluation}\n"

    def _hint(self) -> str:
        """One line is enough: the level searches for the best move alone."""
        info = self._table.choice().info
        state, words = self._table.state, []
        for move in info.pv:
            words.append(nboard.write(state, move))
            state = state.play(move)
        return f"search {''.join(words)} {info.score or 0:.2f} 0 {info.depth}\nstatus\n"


class GtpSpeaker:
    """An engine of Othello for controllers of the Go Text Protocol. `genmove` plays its move."""

    game = gtp.GAME
    end = "quit"
    interrupts: tuple[str, ...] = ()
    _boards: tuple[str, ...] = gtp.BOARDS

    def __init__(self, table: Table) -> None:
        self._table = table
        self._commands: dict[str, Callable[[Sequence[str]], str]] = {
            "protocol_version": lambda _: "2",
            "name": lambda _: NAME,
            "version": lambda _: our_version(),
            "list_commands": lambda _: "\n".join(self._commands),
            "known_command": lambda words: str(words[:1] and words[0] in self._commands).lower(),
            "quit": lambda _: "",
            "boardsize": self._size,
            "clear_board": self._clear,
            "play": self._play,
            "genmove": self._generate,
            "undo": self._undo,
            "showboard": lambda _: f"\n{table.state}",
            "final_score": self._score,
            "time_settings": self._settings,
            "time_left": self._left,
        }

    def answer(self, line: str) -> str:
        """Answer a command, with its number if it has one; raises nothing for wrong arguments."""
        number, command, rest = _GTP_LINE.fullmatch(line.partition("#")[0].strip()).groups()  # type: ignore[union-attr] # it fits every line
        if not command:
            return ""
        try:
            if command.lower() not in self._commands:
                raise EngineError("unknown command")
            return f"={number} {self._commands[command.lower()](rest.split())}\n\n"
        except EngineError as error:
            return f"?{number} {error}\n\n"

    def _size(self, words: Sequence[str]) -> str:
        self._table.begin(_board_of(" ".join(words[:1]), self._boards))
        return ""

    def _clear(self, _words: Sequence[str]) -> str:
        self._table.begin()
        return ""

    def _play(self, words: Sequence[str]) -> str:
        if len(words) != 2:
            raise EngineError("write a colour and a move, such as: play black f5")
        self._await(self._player(words[0]))
        self._table.play(self._read(words[1]))
        return ""

    def _generate(self, words: Sequence[str]) -> str:
        self._await(self._player(" ".join(words)))
        move = self._table.choice().move
        word = self._write(move)
        self._table.play(move)
        return word

    def _player(self, word: str) -> Player:
        return gtp.player_of(word)

    def _read(self, word: str) -> Move:
        return gtp.read(self._table.state, word)

    def _write(self, move: Move) -> str:
        return gtp.write(self._table.state, move)

    def _await(self, player: Player) -> None:
        """Let the other side pass, where it must and the controller did not say so; raises EngineError."""
        table = self._table
        if table.state.outcome() is None and table.state.to_move is not player:
            spec, moves = spec_of_state(table.state), table.state.legal_moves()
            if not spec.is_pass(table.state, moves[0]):
                raise EngineError("it is the other side's turn")
            table.play(moves[0])

    def _undo(self, _words: Sequence[str]) -> str:
        self._table.undo()
        return ""

    def _score(self, _words: Sequence[str]) -> str:
        outcome = self._table.state.outcome()
        if outcome is None:
            raise EngineError("the game is not over")
        if outcome.winner is None:
            return "0"
        margin = "" if outcome.points is None else abs(outcome.points[0] - outcome.points[1])
        sides = {self._player(colour): colour[0].upper() for colour in gtp.COLOURS}
        return f"{sides[outcome.winner]}+{margin}"

    def _settings(self, words: Sequence[str]) -> str:
        """Take main time, byo-yomi and its stones, in whole seconds; byo-yomi alone is a time a move."""
        main, byo, stones = (*map(_whole, words), 0, 0, 0)[:3]
        if main:
            self._table.seconds = _within(main / _MOVES_LEFT)
        else:
            # No stones, or no time for them, means no limit.
            self._table.seconds = _within(byo / stones) if byo and stones else None
        return ""

    def _left(self, words: Sequence[str]) -> str:
        """Take a colour, the seconds that are left and the moves they are for; 0: for the whole game."""
        seconds, stones = (*map(_whole, words[1:]), 0, 0)[:2]
        self._table.seconds = _within(seconds / (stones or _MOVES_LEFT))
        return ""


class HtpSpeaker(GtpSpeaker):
    """An engine of Hex for HexGui and others.

    After their swap the stone stays, and White moves again. Ours moves the stone to its mirror image and
    gives it the other colour. Both are the same position; after a swap, cells are therefore mirrored and
    colours exchanged on the way in and out, though not in `showboard`.
    """

    game = htp.GAME
    _boards = htp.BOARDS

    def __init__(self, table: Table) -> None:
        super().__init__(table)
        self._commands["hexgui-analyze_commands"] = lambda _: ""

    @property
    def _is_swapped(self) -> bool:
        state = self._table.state
        return self._table.moves[1:2] == (state.rows * state.columns,)

    def _player(self, word: str) -> Player:
        player = super()._player(word)
        return player.other if self._is_swapped else player

    def _read(self, word: str) -> Move:
        if word.lower() == "swap-pieces":
            return gtp.read(self._table.state, "swap")
        return htp.read(self._table.state, mirrored(word.lower()) if self._is_swapped else word)

    def _write(self, move: Move) -> str:
        word = super()._write(move)
        if word == "swap":
            return "swap-pieces"
        return mirrored(word) if self._is_swapped else word


SPEAKERS: dict[str, type[GomocupSpeaker | NBoardSpeaker | GtpSpeaker]] = {
    "gomocup": GomocupSpeaker,
    "nboard": NBoardSpeaker,
    "gtp": GtpSpeaker,
    "htp": HtpSpeaker,
}
"""By protocol."""


def _board_of(size: str, boards: Sequence[str]) -> str:
    """Return the square board of that size; raises BoardError with the known sizes."""
    board = f"{size}x{size}"
    if board not in boards:
        known = " or ".join(name.partition("x")[0] for name in boards)
        raise BoardError(f"{size!r} is no size of the board here: {known}")
    return board


def _within(seconds: float) -> float:
    """Return the time that a search is given; its answer then arrives within `seconds` on a busy machine."""
    return max(_LEAST_SECONDS, _SHARE * seconds - _ON_THE_WAY_SECONDS)


def _whole(word: str) -> int:
    """Raises EngineError."""
    if not re.fullmatch("[0-9]{1,9}", word, re.ASCII):
        raise EngineError(f"{word!r} is no whole number of seconds")
    return int(word)
