"""Imports: games that people bring from elsewhere, read off the event loop and kept for their reviews."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from bot.domain.errors import Refusal, SetupError
from bot.domain.imported import ImportedGame
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.names import clean
from bot.domain.person import Person
from bot.domain.playable import playable
from bot.services.allowed_help import AllowedHelp
from bot.services.checked_terms import checked_board, checked_game
from bot.store.stores import Stores
from engine.core import Player
from engine.games import SPECS
from engine.games.notation import WrongMove
from engine.games.typed import fold
from engine.records.reading import read_games
from engine.records.record import (
    PERSON,
    AmbiguousRecord,
    Record,
    RecordError,
)

MOST_WAITING = 32
"""How many files wait for a choice."""


SIDES: Mapping[str, Player | None] = {"none": None, "first": Player.FIRST, "second": Player.SECOND}
"""The choices of a form by their words: the side that the person played."""

ANY_GAME = "any"
"""The choice of a form that leaves the game to be found out."""


class WhichOne(SetupError):
    """Several games have such moves, or a file has several. The answer is one of the keys, or a number.

    games: keys of games; () where `records` are to choose from by their numbers, from 1.
    """

    def __init__(self, games: Sequence[str] = (), records: Sequence[Record] = ()) -> None:
        if games:
            super().__init__("import_which_game")
        else:
            super().__init__("import_which_number", n=len(records))
        self.games = tuple(games)
        self.records = tuple(records)


@dataclass(frozen=True, slots=True)
class Submission:
    """A text or a file that a person gives. content: the text, or the file's bytes. name: of the file.

    game, board: as the person says; None: the moves tell. side: theirs. number: of the game in the file.
    """

    content: str | bytes
    name: str | None = None
    game: str | None = None
    board: str | None = None
    side: Player | None = None
    number: int | None = None

    @classmethod
    def asked(cls, *, game: str, side: str, number: str) -> Submission:
        """Return the choices of a form, before its text or file is known; raises SetupError.

        game: a game's key, perhaps a space and a board's name, or ANY_GAME. side: a word of SIDES. number:
        as typed, or "".
        """
        if side not in SIDES:
            raise SetupError("unknown_choice", choice=side)
        key, _, board = game.partition(" ")
        rules = None if game == ANY_GAME else checked_game(key)
        return cls(
            b"",
            game=None if rules is None else rules.key,
            board=None if rules is None or not board else checked_board(rules, board),
            side=SIDES[side],
            number=_number(number) if number.strip() else None,
        )

    def answered(self, answer: str) -> Submission:
        """Return it with the answer to a `WhichOne`; raises SetupError."""
        if answer in SPECS:
            return replace(self, game=answer)
        return replace(self, number=_number(answer))


class Imports:
    """One per process. Lives on the event loop."""

    def __init__(self, stores: Stores, allowed_help: AllowedHelp, *, clock: Callable[[], datetime]) -> None:
        self._games = stores.imported_games
        self._allowed_help = allowed_help
        self._clock = clock
        # One file at a time, for about a second at most: two were read no faster, since Python runs one
        # thread at a time, and the event loop would wait for both whenever it waits for anything.
        self._reading = asyncio.Lock()
        self._waiting: LruDict[int, Submission] = LruDict(MOST_WAITING)

    async def take(self, person: Person, submitted: Submission, words: tuple[str, str]) -> Match:
        """Keep its only game as `add` does; raises WhichOne if it is to be chosen, and Refusal."""
        records = await self.read(submitted)
        if len(records) > 1:
            raise WhichOne(records=records)
        return await self.add(person, records[0], submitted.side, words)

    async def read(self, submitted: Submission) -> tuple[Record, ...]:
        """Return the games in it, at least one; raises SetupError, which names the place that is wrong."""
        check_size(len(submitted.content), submitted.name)
        if not submitted.content.strip():
            raise SetupError("import_nothing")
        spec = None if submitted.game is None else SPECS[submitted.game]
        asked = (submitted.content, submitted.name, spec, submitted.board, PERSON, submitted.number)
        async with self._reading:
            try:
                return await asyncio.to_thread(read_games, *asked)
            except RecordError as error:
                raise _refusal(error) from error

    async def add(self, person: Person, record: Record, side: Player | None, words: tuple[str, str]) -> Match:
        """Keep the game for the person and return it as a match; raises Refusal.

        words: for players who are not the person. A game that could help in a running
        match of theirs is neither kept nor reviewed.
        """
        if not record.moves:
            raise SetupError("import_without_moves")
        write_board = record.spec.play.write_board
        if record.start is not None and write_board is None:
            raise SetupError("import_from_position")
        names = [clean(word) for word in words]
        if side is not None:
            names[side] = person.name
        game = ImportedGame(
            ImportedGame.new_id(), person.user_id, record.spec.key, record.board, record.moves, side,
            names[0], names[1], record.about.result, self._clock(),
            start="" if record.start is None or write_board is None else write_board(record.start),
        )  # fmt: skip
        await self._allowed_help.check_reviewed(game.match(), person)
        return (await self._games.add(game)).match()

    async def of(self, person: Person, most: int) -> list[ImportedGame]:
        """Return the person's last games, latest first."""
        return await self._games.of(person.user_id, most)

    def wait_for_choice(self, person: Person, submitted: Submission) -> None:
        """Remember it until the person says which game it is; in memory alone."""
        self._waiting[person.user_id] = submitted

    def chosen(self, person: Person, answer: str) -> Submission:
        """Return the person's last submission with their answer; raises SetupError if it is forgotten."""
        submitted = self._waiting.get(person.user_id)
        if submitted is None:
            raise SetupError("import_forgotten")
        return submitted.answered(answer)

    def forget(self, person: Person) -> None:
        """Drop the submission that waits for the person's choice."""
        self._waiting.pop(person.user_id, None)

    async def forget_old(self) -> None:
        """Delete the games whose time is over."""
        await self._games.forget_old(self._clock())


def check_size(size: int, name: str | None) -> None:
    """Refuse a file of more than that many bytes, or characters; raises SetupError."""
    most = PERSON.bytes if (name or "").lower().endswith(".wtb") else PERSON.characters
    if size > most:
        raise SetupError("import_too_large", most=most // 1024)


def _number(text: str) -> int:
    """Return the number of a game in a file, as people write it; raises SetupError."""
    number = fold(text).strip().removeprefix("#")
    if not (number.isascii() and number.isdecimal() and len(number) < 7 and int(number)):
        raise SetupError("import_bad_number", number=text)
    return int(number)


def _refusal(error: RecordError) -> Refusal:
    """Return the refusal in words of the catalogue; the reader's own are English."""
    if isinstance(error, AmbiguousRecord):
        return WhichOne(error.games) if error.games else SetupError("import_no_game")
    cause = error.__cause__
    if isinstance(cause, WrongMove):
        # A game that is over has no legal move to name.
        key = "import_wrong_move" if cause.state.legal_moves() else "import_after_end"
        allowed, move = playable(cause.spec.key, cause.state), cause.quoted.strip("'")
        return SetupError(key, game=cause.spec.key, number=cause.number, move=move, allowed=allowed)
    if error.reason:
        return SetupError(f"import_{error.reason}", **error.facts)
    # Notations of added games have no texts in the catalogue.
    return SetupError("import_unreadable", why=str(error))
