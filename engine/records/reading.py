"""Reads games in any of the formats: finds the format, the game and the board, and plays the moves."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from engine.core import AmbiguousName, BoardError, IllegalMove, Move, NotationError, State
from engine.games import SPECS
from engine.games.notation import walk
from engine.games.spec import GameSpec, Layout
from engine.records import ggf, hexworld, kaggle, psq, sgf, text, wthor
from engine.records.record import (
    PERSON,
    AmbiguousRecord,
    Format,
    RawGame,
    Record,
    RecordError,
    RecordLimits,
)

FORMATS: Sequence[Format] = (
    *(ggf.FORMAT, sgf.FORMAT, psq.FORMAT, kaggle.FORMAT, hexworld.FORMAT, wthor.FORMAT),
    *(text.PDN, text.FORMAT),
)
"""In this order a text is asked which one it is in; the last fits all."""

_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_MOST_CHOICES = 16
"""How often a game is read with other moves where a name fits several."""

_SURE = math.log(1_000)
"""How much less likely by chance a game must be than another one, so that nobody is asked which it is."""


def read_games(
    data: bytes | str,
    name: str | None = None,
    spec: GameSpec | None = None,
    board: str | None = None,
    limits: RecordLimits = PERSON,
    number: int | None = None,
) -> tuple[Record, ...]:
    """Return the games of a text or a file, at least one.

    name: of the file. spec, board: the person's choice; None: the file says so, or its moves do. number: of
    the one game to read, from 1. Raises RecordError with the place of the first thing that is wrong; its
    cause is a WrongMove if it is a move. Raises AmbiguousRecord if several games fit.
    """
    records = list[Record]()
    for record in read_each(data, name, spec, board, limits, number):
        if isinstance(record, RecordError):
            raise record
        records.append(record)
    return tuple(records)


def read_each(
    data: bytes | str,
    name: str | None = None,
    spec: GameSpec | None = None,
    board: str | None = None,
    limits: RecordLimits = PERSON,
    number: int | None = None,
) -> Iterator[Record | RecordError]:
    """As `read_games`, one game after the other; a wrong one does not end the others.

    Raises RecordError if the file as a whole cannot be read.
    """
    form, games = _format_and_games(data, name or "", limits)
    # There are not more games in it than characters, and no iterator counts as far as a person writes.
    first, most = (0, limits.games + 1) if number is None else (min(number - 1, len(data)), 1)
    raws = list(islice(games, first, first + most))
    if len(raws) > limits.games:
        message = f"There are more than {limits.games:,} games in it."
        raise RecordError(message, reason="number_missing", n=limits.games)
    if not raws:
        wanted = number or 1
        raise RecordError(f"There is no game {wanted:,} in it.", reason="no_number", number=wanted)
    for place, raw in enumerate(raws, 1):
        try:
            record = _played(form, raw, spec, board, limits)
        except NotationError as error:
            yield _numbered(error, place if len(raws) > 1 else 0)
        else:
            spec = spec or record.spec  # a file holds games of one kind, and the first may tell which
            yield record


def _format_and_games(data: bytes | str, name: str, limits: RecordLimits) -> tuple[Format, Iterable[RawGame]]:
    """Return the format, and the games as the file has them; raises RecordError."""
    if isinstance(data, bytes) and data and wthor.fits(data, name):
        if len(data) > limits.bytes:
            message = f"It has {len(data):,} bytes; {limits.bytes:,} can be read."
            raise RecordError(message, reason="too_large", most=limits.bytes // 1024)
        return wthor.FORMAT, wthor.read(data)
    content = decoded(data, limits)
    form = next(form for form in FORMATS if form.fits(content))
    return form, form.read(content)


def _numbered(error: NotationError, number: int) -> RecordError:
    message = f"Game {number}: {error}" if number else str(error)
    games = error.games if isinstance(error, AmbiguousRecord) else None
    if games is None:
        numbered = RecordError(message, error.column, reason=error.reason, **error.facts)
    else:
        numbered = AmbiguousRecord(message, games)
    numbered.__cause__ = error
    return numbered


def decoded(data: bytes | str, limits: RecordLimits = PERSON) -> str:
    """Return the text: UTF-8 or, by its mark, UTF-16, else Latin-1; raises RecordError if it is none."""
    if len(data) > limits.characters:
        message = f"It has {len(data):,} characters; {limits.characters:,} can be read."
        raise RecordError(message, reason="too_large", most=limits.characters // 1024)
    content = data if isinstance(data, str) else _from_bytes(data)
    if (control := _CONTROL.search(content)) is not None:
        message = f"Character {control.start() + 1} is {control[0]!r}: this is no text."
        raise RecordError(message, control.start(), reason="no_text")
    if not content.strip():
        raise RecordError("There is nothing in it.", reason="nothing")
    return content


def _from_bytes(data: bytes) -> str:
    for mark, coding in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(coding, errors="replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _played(
    form: Format, raw: RawGame, spec: GameSpec | None, board: str | None, limits: RecordLimits
) -> Record:
    """Return the game, played by the rules; raises NotationError."""
    candidates = _candidates(form, raw, spec)
    if len(candidates) == 1:
        return _Attempt(candidates[0]).play(raw, board, limits)
    fitting, failed = list[tuple[float, Record]](), list[tuple[_Attempt, NotationError]]()
    for candidate in candidates:
        attempt = _Attempt(candidate)
        try:
            record = attempt.play(raw, board, limits)
        except NotationError as error:
            failed.append((attempt, error))
        else:
            fitting.append((attempt.surprise, record))
    if failed:
        nearest, problem = max(failed, key=lambda pair: (pair[0].surprise, len(pair[0].moves)))
        # A text that goes wrong late in a game of few legal moves is of that game, whatever else fits it.
        if fitting and nearest.surprise > max(surprise for surprise, _ in fitting) + _SURE:
            raise problem
        if not fitting:
            message = f"No game here has such moves: say which it is. ({problem})"
            raise problem if nearest.moves else AmbiguousRecord(message, ())
    fitting.sort(key=lambda pair: -pair[0])
    likely = [record for surprise, record in fitting if surprise + _SURE > fitting[0][0]]
    if len(likely) > 1:
        titles = [record.spec.title for record in likely]
        raise AmbiguousRecord(
            f"This can be a game of {', '.join(titles[:-1])} or {titles[-1]}: say which.",
            [record.spec.key for record in likely],
        )
    return likely[0]


def _candidates(form: Format, raw: RawGame, spec: GameSpec | None) -> list[GameSpec]:
    """Return the games that the raw may be of, at least one; raises RecordError."""
    known = [one for one in SPECS.values() if form.key == text.FORMAT.key or form.key in one.play.formats]
    # A format knows games by names of its own; only a text that names none may be of any game.
    said = [one for one in known if raw.game in (*one.play.formats.values(), one.key, one.title)]
    if spec is not None:
        if said and spec not in said:
            message = f"This is a game of {said[0].title}, not of {spec.title}."
            raise RecordError(message, reason="other_than_chosen", game=said[0].key)
        return [spec]
    if raw.game is not None and not said:
        message = f"This is a game of {raw.title}, which is not played here."
        raise RecordError(message, reason="other_game", title=raw.title)
    return said or known


@dataclass(slots=True)
class _Attempt:
    """Reads a raw by the rules of one game.

    surprise: the logarithm of how unlikely it is that squares by chance are such legal moves: Othello allows
    few, Hex nearly all. moves: up to the first wrong one.
    """

    spec: GameSpec
    surprise: float = 0.0
    moves: list[Move] = field(default_factory=list)

    def play(self, raw: RawGame, board: str | None, limits: RecordLimits) -> Record:
        """Return the game; raises NotationError."""
        name = _board(self.spec, raw, board)
        try:
            return self._play_on(name, raw, limits)
        except NotationError as error:
            other = self.spec.play.record_boards.get(name)
            is_over = isinstance(error.__cause__, IllegalMove) and error.__cause__.reason == "over"
            if other is None or not is_over:
                raise
            self.surprise = 0.0
            self.moves.clear()
            return self._play_on(other, raw, limits)

    def _play_on(self, name: str, raw: RawGame, limits: RecordLimits) -> Record:
        usual = self.spec.rules.start(name)
        start = _start(self.spec, raw)
        if start is not None and raw.start and (start.rows, start.columns) != (usual.rows, usual.columns):
            # Kept under that board, it would be compared with matches of another size alone.
            message = f"The position has {start.rows}x{start.columns} squares, and the game is on {name}."
            raise RecordError(message, reason="from_position")
        start = None if start == usual else start
        state = start or usual
        if start is None or raw.start:
            self._walk(state, raw, limits)
        about = replace(raw.about, players=raw.players(self.spec))
        return Record(self.spec, name, tuple(self.moves), start, about)

    def _walk(self, start: State, raw: RawGame, limits: RecordLimits) -> None:
        """Play the moves; where a name fits two, as `10x26` may, find the one after which the rest fits."""
        choices, fitting, problem = [dict[int, str]()], list[tuple[float, list[Move]]](), None
        for _ in range(_MOST_CHOICES):
            if not choices:
                break
            chosen = choices.pop()
            self.surprise = 0.0
            self.moves.clear()
            try:
                self._walk_as(chosen, start, raw, limits)
            except NotationError as error:
                problem = problem or error
                place = len(self.moves)
                if isinstance(error.__cause__, AmbiguousName) and place not in chosen:
                    choices += [chosen | {place: name} for name in reversed(error.__cause__.names)]
            else:
                fitting.append((self.surprise, list(self.moves)))
        if problem is not None and len(fitting) != 1:
            raise problem
        self.surprise, self.moves = fitting[0]

    def _walk_as(self, chosen: Mapping[int, str], start: State, raw: RawGame, limits: RecordLimits) -> None:
        """chosen: the full names of moves, by the number of moves before them."""
        state = start
        words = (
            replace(word, text=chosen.get(len(self.moves), word.text)) if chosen else word
            for word in raw.words(self.spec, state)
        )
        for move in walk(self.spec, state, words):
            if len(self.moves) == limits.moves:
                message = f"The game has more than {limits.moves} moves."
                raise RecordError(message, reason="too_long", most=limits.moves)
            self.surprise += _surprise(self.spec, state)
            state = state.play(move)
            self.moves.append(move)


def _surprise(spec: GameSpec, state: State) -> float:
    places = state.rows * state.columns if spec.look.layout is not Layout.COLUMNS else state.columns
    return math.log(places / max(1, len(state.legal_moves())))


def _board(spec: GameSpec, raw: RawGame, board: str | None) -> str:
    """Return the board's name; raises RecordError for one that the game isn't played on here."""
    name = raw.board or board or spec.rules.boards[0]
    try:
        spec.rules.start(name)
    except BoardError:
        # Boards of the same size differ in a rule alone, which no format says.
        boards = [one for one in spec.rules.boards if one.replace("x", "").isdecimal()]
        message = f"{spec.title} is played on {' and '.join(boards)} here; this is {name}."
        raise RecordError(
            message, reason="other_board", game=spec.key, board=name, boards=", ".join(boards)
        ) from None
    return name.strip().lower()


def _start(spec: GameSpec, raw: RawGame) -> State | None:
    """Return the position that the game begins in; None for the usual start. Raises NotationError."""
    read = spec.play.read_board
    if raw.start and read is None:
        raise RecordError(f"{spec.title} begins from no position here.", reason="from_position")
    drawing = raw.start or (raw.drawing if raw.drawing.startswith(spec.play.board_marks) else "")
    if read is None or not drawing:
        return None
    try:
        return read(drawing)
    except NotationError as error:
        raise RecordError(str(error), error.column, reason="from_position") from error
