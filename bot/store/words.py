"""Words that stand in very many rows, of which SQLite keeps a letter."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

_CODES = {
    "connect-four": "c", "othello": "o", "tic-tac-toe": "t", "gomoku": "g", "pop-out": "p", "puzzles": "z",
    "3x3": "3", "6x7x4": "6", "8x8": "8", "en-US": "e", "usual": "u", "normal": "n",
}  # fmt: skip
"""What stands for a word stays so for ever; any other, such as a new game's key, is kept as it is."""

_WORDS = {code: word for word, code in _CODES.items()}


class Word(sa.types.TypeDecorator[str]):
    """A text of which SQLite keeps one letter, if it is one of the usual ones. To be compared, not sorted."""

    impl = sa.String
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: sa.Dialect) -> str | None:
        if value is None or dialect.name != "sqlite":
            return value
        return _CODES.get(value) or (f"={value}" if len(value) == 1 else value)

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Any:
        if not isinstance(value, str) or dialect.name != "sqlite":
            return value
        return _WORDS.get(value) or (value[1:] if len(value) == 2 and value[0] == "=" else value)
