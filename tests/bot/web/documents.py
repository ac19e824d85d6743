"""Documents as the server makes them, of matches between Ada and Ben, for tests of the page's modules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from bot.domain.clock import Clock
from bot.domain.location import Web
from bot.domain.match import Match, RatingChange
from bot.domain.puzzle import Attempt, Judged, PuzzleKind, Task
from bot.domain.rating import Record
from bot.domain.seat import Seat
from bot.presentation.web_board import description_of
from bot.presentation.web_match import Reader, match_document, replay_document
from bot.presentation.web_puzzle import puzzle_document
from engine.agents.roster import Roster
from engine.analysis.puzzles import select
from engine.core import Player
from engine.games import GAMES
from engine.games import game as game_of
from engine.games.notation import parse_moves
from engine.score import Score
from tests.bot.made_once import all_texts

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ADA, BEN = Seat("Ada", user_id=11), Seat("Ben", user_id=12)
RECORDS = Record(rating=1700.0, deviation=60.0, wins=30), Record(rating=1500.0, deviation=300.0)
FIVE_MINUTES = Clock(300, 3).number


@dataclass
class Board:
    """A match in the making. now: moves on with each move."""

    match: Match
    now: datetime = NOW

    @classmethod
    def begin(
        cls, game: str, board: str | None = None, *, clock: int | None = None, rated: bool = False
    ) -> Board:
        name = board or GAMES[game].boards[0]
        return cls(Match.begin(game, name, (ADA, BEN), Web("en"), NOW, rated=rated, clock_seconds=clock))

    def wait(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    def play(self, text: str, seconds: Sequence[float] = ()) -> Board:
        """Make these moves, each after so many seconds."""
        moves = parse_moves(game_of(self.match.game), self.match.board, text)
        for ply, move in enumerate(moves):
            self.wait(seconds[ply] if ply < len(seconds) else 1)
            self.match = self.match.play(self.match.seat_to_move.user_id or 0, move, self.now)
        return self

    def document(self, seat: Player | None) -> dict[str, Any]:
        """The document for a reader in that seat."""
        texts = all_texts().of("en")
        made = match_document(texts, self.match, "key", Reader(seat), self.now, Roster(), RECORDS)
        return made | {"epoch": "one"}

    def all(self) -> dict[str, Any]:
        """What a page of each reader has, with the positions of all plies."""
        match = self.match
        return {
            "board": description_of(match.game, match.board),
            "readers": [self.document(seat) for seat in (*Player, None)],
            "replay": replay_document(match),
        }


def of_puzzle() -> dict[str, Any]:
    """What the page of a puzzle has: before an answer, after a right one, and after a wrong one."""
    texts = all_texts().of("en")
    puzzle = next(one for one in select("connect-four", 1).values() if one.depth > 1)
    new = Attempt(5, 11, None, PuzzleKind.FREE, Task.of(puzzle), True, NOW)

    def answered(move: int, score: Score) -> dict[str, Any]:
        reply = new.state.play(move).legal_moves()[0]
        after = new.answered(Judged(move, score, (reply,)), NOW)
        return document(after, since=0)

    def document(attempt: Attempt, **options: Any) -> dict[str, Any]:
        return puzzle_document(texts, attempt, **options) | {"by": {}, "note": "", "text": ""}

    wrong = next(move for move in new.state.legal_moves() if move != puzzle.best)
    return {
        "description": description_of(new.task.game, new.task.board),
        "best": puzzle.best,
        "wrong": wrong,
        "open": document(new),
        "right": answered(puzzle.best, Score.won(1)),
        "failed": answered(wrong, Score.lost(1)),
    }


def documents_for_modules() -> dict[str, Any]:
    """Return documents by what they show, with the texts of the page."""
    # Ada has used 20 and 31 s of her five minutes, Ben 45 s; each move gave 3 s back. Ben is next, for 10 s.
    clocks = Board.begin("connect-four", clock=FIVE_MINUTES).play("414", (20, 45, 31))
    clocks.wait(10)
    offers = Board.begin("connect-four").play("4")
    offers.match = offers.match.offer_draw(11, offers.now).ask_undo(11, offers.now)
    over = Board.begin("connect-four", clock=FIVE_MINUTES, rated=True).play("1212121")
    changes = RatingChange(1700, 1712, 60), RatingChange(1500, 1441, 280)
    over.match = replace(over.match, rating_changes=changes)
    return {
        "texts": all_texts().of("en").starting_with("page_"),
        "clocks": clocks.all(),
        "offers": offers.all(),
        "over": over.all(),
        "dots": Board.begin("dots-and-boxes", "3x3").all(),
        "draughts": Board.begin("draughts").all(),
        "gomoku": Board.begin("gomoku").play("h8h9").all(),
        "kalah": Board.begin("kalah").all(),
        "othello": Board.begin("othello").play("d3").all(),
        "pop out": Board.begin("pop-out").play("44").all(),
        "hex": Board.begin("hex", "7x7").play("d4").all(),
        "puzzle": of_puzzle(),
        "tic-tac-toe": Board.begin("tic-tac-toe").play("b2").all(),
    }
