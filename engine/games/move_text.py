"""The notation of one move in the text of a whole game; `engine.games.notation` handles whole games."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.core import Game, Move, Player, State

PASS, DASH = "--", "-"

_WORD = re.compile(r"[a-z]+(?:[0-9]+| +[0-9]+(?![0-9.)]))?|[0-9]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a whole game: the name of a move, PASS, or DASH.

    text: folded, without spaces. column: where it begins in the text as typed. quoted: as it was typed.
    where: its place for people; "" for its character. side: whose move it is said to be; None if unsaid.
    """

    text: str
    column: int
    quoted: str
    where: str = ""
    side: Player | None = None


class MoveText:
    """A move by its name in lower case: letters, digits, or letters followed by digits.

    width: the length of every name; None if names differ in length. words: names that the letters of the
    next name may follow, such as `swap`. A game with other names has a subclass, whose texts must be
    separable without a delimiter.
    """

    def __init__(self, width: int | None = None, words: tuple[str, ...] = ()) -> None:
        self.width, self.words = width, words
        # Spaces may separate the letter of a square from its number, or two squares of one move.
        self._shape = _WORD if width is None else re.compile(rf"\S(?: *\S){{{width - 1}}}")

    def cut(self, text: str, column: int) -> str:
        """Return the text of the move that starts at `column`, with the spaces in it; at least one character.

        text: as `engine.games.typed` folds it.
        """
        for word in self.words:
            if text.startswith(word, column):
                return word
        shape = self._shape.match(text, column)
        return text[column] if shape is None else shape[0]

    def write(self, rules: Game, state: State, move: Move) -> str:
        return rules.move_name(state, move).lower()

    def read(self, rules: Game, state: State, word: str) -> Move:
        """Return the legal move; raises NotationError or IllegalMove."""
        return rules.parse_move(state, word)

    def adapted(self, words: Sequence[Word], state: State) -> list[Word]:  # noqa: ARG002 - for subclasses
        """Return the words with the names that this program gives to moves.

        People may number columns from 0, or squares from another corner: the whole game tells. Raises
        NotationError if it doesn't.
        """
        return list(words)
