"""Games as text: `4453` for Connect Four, `f5d6c3` for Othello, `b2a1` for Tic-tac-toe.

Connect Four writes a column as one character, 1 to 9 and then a, b, c … for the tenth and further ones.
The other games write squares. An Othello pass is written `--`, and may be left out: where a side must
pass, the next square is the other side's. Spaces are ignored.
"""

from __future__ import annotations

import string
from collections.abc import Sequence

from engine.core import Game, IllegalMove, Move, NotationError, State

COLUMNS = string.digits[1:] + string.ascii_lowercase
"""The character of each Connect Four column."""

PASS = "--"


def format_moves(game: Game, board: str | None, moves: Sequence[Move]) -> str:
    """The moves from the start on that board as text; raises IllegalMove."""
    state = game.start(board)
    parts = []
    for move in moves:
        parts.append(_written(game, state, move))
        state = state.play(move)
    return "".join(parts)


def parse_moves(game: Game, board: str | None, text: str) -> tuple[Move, ...]:
    """The moves that `text` names, passes filled in.

    Raises NotationError with the column of the first character that is wrong, for illegal moves too.
    """
    state = game.start(board)
    moves: list[Move] = []
    column = 0
    while column < len(text):
        if text[column].isspace():
            column += 1
            continue
        width = 1 if game.key == "connect-four" else 2
        word = text[column : column + width].lower()
        try:
            for move in _read(game, state, word):
                state = state.play(move)
                moves.append(move)
        except (IllegalMove, NotationError) as error:
            raise NotationError(f"Character {column + 1}, {word!r}: {error}", column) from error
        column += width
    return tuple(moves)


def _written(game: Game, state: State, move: Move) -> str:
    if game.key == "connect-four":
        return COLUMNS[move] if 0 <= move < len(COLUMNS) else "?"
    return PASS if game.cell_of(state, move) is None else game.move_name(state, move)


def _read(game: Game, state: State, word: str) -> tuple[Move, ...]:
    """The moves that one word stands for: with a pass before it where one was left out."""
    if game.key == "connect-four":
        if word not in COLUMNS:
            raise NotationError(f"the columns are 1 to {_written(game, state, state.columns - 1)}.")
        return (COLUMNS.index(word),)
    if word == PASS:
        return (game.parse_move(state, "pass"),)
    forced = state.legal_moves()
    if len(forced) == 1 and game.cell_of(state, forced[0]) is None:
        return (forced[0], game.parse_move(state.play(forced[0]), word))
    return (game.parse_move(state, word),)
