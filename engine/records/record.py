"""A game written down elsewhere: as its file has it, and as the rules have played it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.core import Move, NotationError, State, states_of
from engine.games.move_text import Word
from engine.games.spec import GameSpec

FIRST_WON, SECOND_WON, DRAWN = "1-0", "0-1", "1/2-1/2"
"""The results of a record; the first number is always our FIRST's, as in English draughts."""


class RecordError(NotationError):
    """A file that cannot be read; its text names the place."""

    @classmethod
    def of_bracket(cls, text: str, at: int, problem: str) -> RecordError:
        """Return the refusal of what begins at that index and does not end as it should."""
        line, character = text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)
        place = f"Line {line}, character {character}" if "\n" in text.rstrip() else f"Character {character}"
        return cls(f"{place}: {problem}.", at, reason="bracket", line=line, character=character)


class AmbiguousRecord(RecordError):
    """A text that several games could have, or none. games: their keys, to choose from."""

    def __init__(self, message: str, games: Sequence[str]) -> None:
        super().__init__(message)
        self.games = tuple(games)


@dataclass(frozen=True, slots=True)
class RecordLimits:
    """How much is read. characters, bytes: of a text, of a binary file. games: in it. moves: of a game."""

    characters: int = 256 * 1024
    bytes: int = 1024 * 1024
    games: int = 50
    moves: int = 500


PERSON = RecordLimits()
"""For files that a person sends to the bot."""

HOST = RecordLimits(64 * 1024 * 1024, 64 * 1024 * 1024, 200_000)
"""For files on the own machine."""


@dataclass(frozen=True, slots=True)
class About:
    """A file's remarks besides the moves; "" where it has none.

    players: FIRST's and SECOND's names. date: as in the file, `2026.11.27` if we write it. result: FIRST_WON,
    SECOND_WON or DRAWN; the board may know otherwise. said: the result as the file writes it.
    """

    players: tuple[str, str] = ("", "")
    event: str = ""
    date: str = ""
    result: str = ""
    said: str = ""
    rules: str = ""


@dataclass(frozen=True, slots=True)
class RawGame:
    """A game as a file has it, before any rules are asked.

    words: the moves, for the spec of a game and the state they begin in; raises NotationError. game: the
    game's name in this format, as in `PlaySpec.formats`; None if the file doesn't say. title: the same for
    people. board: its name; "" for the usual one. start: a drawing for `PlaySpec.read_board`; "" if none.
    drawing: perhaps such a drawing instead of moves. names: the players by side, in lower case.
    """

    words: Callable[[GameSpec, State], Iterable[Word]]
    game: str | None = None
    title: str = ""
    board: str = ""
    start: str = ""
    drawing: str = ""
    names: Mapping[str, str] = field(default_factory=dict)
    about: About = field(default_factory=About)

    def players(self, spec: GameSpec) -> tuple[str, str]:
        """Return the names of FIRST and SECOND; "" for one that the file doesn't name."""
        first, second = (
            next((self.names[key] for key in keys if key in self.names), "")
            for keys in zip(
                map(str.lower, spec.play.sides), ("first", "second"), ("black", "white"), strict=True
            )
        )
        return first, second


@dataclass(frozen=True, slots=True)
class Record:
    """A game that was read. start: where it begins; None for the board's usual start."""

    spec: GameSpec
    board: str
    moves: tuple[Move, ...]
    start: State | None = None
    about: About = field(default_factory=About)

    @property
    def states(self) -> tuple[State, ...]:
        """The state before each move, and the final one."""
        return states_of(self.start or self.spec.rules.start(self.board), self.moves)


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write games down.

    key: its name for people who choose it. title: its name in sentences. fits: whether a text is in it. read:
    yields its games; raises RecordError. write: the text of a game; None if it is only read. suffix: of its
    files.
    """

    key: str
    title: str
    suffix: str
    fits: Callable[[str], bool]
    read: Callable[[str], Iterable[RawGame]]
    write: Callable[[Record], str] | None = None
