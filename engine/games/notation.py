"""Whole games as text: `4453` for Connect Four, `f5d6c3` for Othello, `b2a1` for Tic-tac-toe.

The game's spec says how a move is written. A pass is written `--` and may be left out: if a side must pass,
the next word is the other side's move. Spaces are ignored.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from engine.core import Game, IllegalMove, Move, NotationError, State
from engine.games import spec_of
from engine.games.spec import GameSpec

PASS = "--"


def format_moves(game: Game, board: str | None, moves: Sequence[Move]) -> str:
    """Return the text of the moves from the start on that board; raises IllegalMove."""
    return format_of(spec_of(game.key), board, moves)


def format_of(spec: GameSpec, board: str | None, moves: Sequence[Move]) -> str:
    """As `format_moves`, for a spec that need not be registered."""
    state = spec.rules.start(board)
    parts = []
    for move in moves:
        following = state.play(move)
        parts.append(
            PASS if spec.is_pass(state, move) else spec.play.move_text.write(spec.rules, state, move)
        )
        state = following
    return "".join(parts)


def parse_moves(game: Game, board: str | None, text: str) -> tuple[Move, ...]:
    """Return the moves that `text` names, including omitted passes.

    Raises NotationError with the column of the first wrong character, for illegal moves as well.
    """
    return parse_of(spec_of(game.key), board, text)


def parse_of(spec: GameSpec, board: str | None, text: str) -> tuple[Move, ...]:
    """As `parse_moves`, for a spec that need not be registered; raises NotationError."""
    return tuple(_each_move(spec, board, text))


def first_moves(game: Game, board: str | None, text: str, most: int) -> tuple[Move, ...]:
    """As `parse_moves`, but stop after that many moves; the rest of the text is not read."""
    return tuple(islice(_each_move(spec_of(game.key), board, text), most))


def _each_move(spec: GameSpec, board: str | None, text: str) -> Iterator[Move]:
    state = spec.rules.start(board)
    column = 0
    while column < len(text):
        if text[column].isspace():
            column += 1
            continue
        is_pass = spec.play.can_pass and text.startswith(PASS, column)
        word = PASS if is_pass else spec.play.move_text.cut(text, column)
        try:
            for move in _read(spec, state, word):
                state = state.play(move)
                yield move
        except (IllegalMove, NotationError) as error:
            raise NotationError(f"Character {column + 1}, {word!r}: {error}", column) from error
        column += len(word)


def _read(spec: GameSpec, state: State, word: str) -> tuple[Move, ...]:
    """Return the moves of one word: with an omitted pass before it."""
    if word == PASS:
        return (spec.rules.parse_move(state, "pass"),)
    forced = state.legal_moves()
    if len(forced) == 1 and spec.is_pass(state, forced[0]):
        after = state.play(forced[0])
        return (forced[0], spec.play.move_text.read(spec.rules, after, word))
    return (spec.play.move_text.read(spec.rules, state, word),)
