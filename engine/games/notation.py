"""Whole games as text: `4453` for Connect Four, `f5d6c3` for Othello, `b2a1` for Tic-tac-toe.

The game's spec says how a move is written. A pass is written `--` and may be left out: if a side must pass,
the next word is the other side's move. A typed text is folded (`engine.games.typed`) and cut into words;
`walk` plays them. A format of records yields words of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from textwrap import shorten

from engine.core import Game, IllegalMove, Move, NotationError, State
from engine.games import spec_of
from engine.games.move_text import DASH, PASS, Word
from engine.games.spec import GameSpec
from engine.games.typed import NUMBER, SEPARATORS, joined, one_move, typed

_DASHES = re.compile(r"-+")
_PASSES = re.compile(r"-+|pass(?![a-z])|pa(?![a-z0-9])")
MOST_WORDS = 2_000
"""The most words of a text that are read: no game has as many."""

_QUOTED = 40
_END = " .!"
"""Characters after the last move: a sentence may end with the game."""


class WrongMove(NotationError):
    """A word that cannot be played. quoted: as written. state: before it. number: of the move, from 1."""

    def __init__(self, word: Word, why: str, spec: GameSpec, state: State, number: int) -> None:
        super().__init__(_line(word, why), word.column)
        self.quoted = _quoted(word)
        self.spec = spec
        self.state = state
        self.number = number


def format_moves(game: Game, board: str | None, moves: Sequence[Move]) -> str:
    """Return the text of the moves from the start on that board; raises IllegalMove."""
    return format_of(spec_of(game.key), game.start(board), moves)


def format_of(spec: GameSpec, state: State, moves: Sequence[Move]) -> str:
    """As `format_moves`, from that state on, for a spec that need not be registered."""
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
    return tuple(_walked(spec, board, text))


def first_moves(game: Game, board: str | None, text: str, most: int) -> tuple[Move, ...]:
    """As `parse_moves`, but stop after that many moves; the rest of the text is not read."""
    return tuple(islice(_walked(spec_of(game.key), board, text), most))


def _walked(spec: GameSpec, board: str | None, text: str) -> Iterator[Move]:
    state = spec.rules.start(board)
    words, problem = cut(spec, state, text)
    yield from walk(spec, state, words)
    if problem is not None:
        raise problem


def cut(
    spec: GameSpec, state: State, text: str, where: Callable[[int], str] = lambda _column: ""
) -> tuple[list[Word], NotationError | None]:
    """Return the words of a typed game from that state on, with our names of moves, and the first problem.

    The words before a problem come first, so that an earlier wrong move is refused first. where: names the
    place of a column; "" for its number. Raises NotationError if the words can't all be named in one way,
    such as columns 0 and 7 of seven.
    """
    words, problem = list[Word](), None
    try:
        for word in words_of(spec, text, where):
            if len(words) == MOST_WORDS:
                why = f"There are more than {MOST_WORDS:,} moves."
                raise _refused(word, why, reason="too_long", most=MOST_WORDS)
            words.append(word)
    except NotationError as error:
        problem = error
    return spec.play.move_text.adapted(words, state), problem


def read_move(game: Game, state: State, text: str) -> Move:
    """Return the legal move that somebody typed: `4`, `Ｆ５`, `۱۱–۱۵`, `1. d3`.

    Every front end reads single moves with it. Raises NotationError or IllegalMove.
    """
    return game.parse_move(state, one_move(text))


def words_of(spec: GameSpec, text: str, where: Callable[[int], str] = lambda _column: "") -> Iterator[Word]:
    """Yield the words of a typed game, without move numbers and separators.

    Numbers must count turns or single moves from 1, so that a number is never taken for a move, nor a
    move for a number. Raises NotationError for another one.
    """
    folded, at, number, is_apart, is_numbered = typed(text), 0, 0, True, False
    dashes, end = _PASSES if spec.play.can_pass else _DASHES, len(folded.text.rstrip(_END))
    while at < end:
        if folded.text[at] in SEPARATORS:
            at, is_apart = at + 1, True
            continue
        # Only after a separator: within a word, digits and a dot are not the number of the next move.
        counted = NUMBER.match(folded.text, at) if is_apart else None
        dash = dashes.match(folded.text, at)
        raw = (counted or dash or (spec.play.move_text.cut(folded.text, at),))[0]
        column = folded.columns[at]
        word = Word(joined(raw), column, folded.quoted(at, at + len(raw.rstrip())), where(column))
        if counted is None:
            yield word if dash is None else replace(word, text=DASH if raw == DASH else PASS)
        # The same number may come again, before the second side's move: `1. d3 1... c3`.
        elif is_numbered or int(counted[1]) not in ((number, number + 1) if number else (1,)):
            raise _refused(word, "Moves are numbered from 1 on, without a gap.", reason="numbering")
        else:
            number = int(counted[1])
        at, is_apart, is_numbered = at + len(raw), False, counted is not None


def walk(spec: GameSpec, state: State, words: Iterable[Word]) -> Iterator[Move]:
    """Play the words from that state on, one at a time; yield their moves, with passes that are left out.

    Raises WrongMove for the first word that cannot be played, NotationError for one of the other side.
    """
    played = 0
    for word in words:
        try:
            mover = state.to_move
            for move in _read(spec, state, word.text):
                mover, state = state.to_move, state.play(move)
                played += 1
                yield move
        except (IllegalMove, NotationError) as error:
            raise WrongMove(word, str(error), spec, state, played + 1) from error
        if word.side not in (None, mover):
            names = spec.play.sides
            why = f"It says {names[mover.other]}, but {names[mover]} is to move."
            raise _refused(word, why, reason="wrong_side")


def _refused(word: Word, why: str, *, reason: str, **facts: int) -> NotationError:
    move = _quoted(word).strip("'")
    return NotationError(_line(word, why), word.column, reason=reason, move=move, **facts)


def _line(word: Word, why: str) -> str:
    return f"{word.where or f'Character {word.column + 1}'}, {_quoted(word)}: {why}"


def _quoted(word: Word) -> str:
    return shorten(word.quoted, _QUOTED, placeholder=" …")


def _read(spec: GameSpec, state: State, word: str) -> tuple[Move, ...]:
    """Return the moves of one word: with an omitted pass before it."""
    if word == PASS:
        return (spec.rules.parse_move(state, "pass" if spec.play.can_pass else word),)
    forced = state.legal_moves()
    must_pass = len(forced) == 1 and spec.is_pass(state, forced[0])
    if word == DASH:
        return forced if must_pass else ()  # a dash between two moves
    if must_pass:
        after = state.play(forced[0])
        return (forced[0], spec.play.move_text.read(spec.rules, after, word))
    return (spec.play.move_text.read(spec.rules, state, word),)
