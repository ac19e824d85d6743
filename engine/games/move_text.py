"""How one move stands in the text of a whole game; `engine.games.notation` has the whole."""

from __future__ import annotations

import re

from engine.core import Game, Move, State

_WORD = re.compile(r"[a-z]+[0-9]*|[0-9]+", re.ASCII)


class MoveText:
    """A move by its name, in lower case: letters, digits, or letters and then digits.

    width: so many characters each; None where names are not equally long. A game whose names are made
    otherwise brings a MoveText of its own, whose texts can be told apart without anything between them.
    """

    def __init__(self, width: int | None = None) -> None:
        self.width = width

    def cut(self, text: str, column: int) -> str:
        """The characters from that column on that stand for one move, in lower case; at least one."""
        if self.width is not None:
            return text[column : column + self.width].lower()
        found = _WORD.match(text.lower(), column)
        return text[column].lower() if found is None else found[0]

    def write(self, rules: Game, state: State, move: Move) -> str:
        return rules.move_name(state, move).lower()

    def read(self, rules: Game, state: State, word: str) -> Move:
        """The legal move; raises NotationError or IllegalMove."""
        return rules.parse_move(state, word)
