"""The coach's words about a trained opening: when its line was left, by whom, and what would have stayed."""

from __future__ import annotations

from datetime import UTC, datetime

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.presentation.advice import line_words
from engine.games import GAMES
from engine.games.notation import parse_moves
from tests.bot.made_once import all_texts

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def after(game: str, opening: str, text: str, board: str | None = None) -> str | None:
    """Return the coach's words after these moves of a match from that opening."""
    rules = GAMES[game]
    name = board or rules.boards[0]
    moves = parse_moves(rules, name, opening + text)
    begun = len(parse_moves(rules, name, opening))
    seats = Seat("Ada", 1), Seat("Pip", level="pip")
    match = Match.begin(game, name, seats, Channel(1), NOW, opening=moves[:begun])
    for move in moves[begun:]:
        if match.seat_to_move.is_agent:
            match = match.play_agent(move, NOW, turn=match.turn, seconds=0)
        else:
            match = match.play(1, move, NOW)
    return line_words(all_texts().of("en"), match)


TIGER = "f5d6c3d3c4"


def test_as_long_as_the_line_goes_on_nothing_is_told() -> None:
    assert after("othello", TIGER, "f4") is None
    assert after("othello", TIGER, "f4c5b3") is None


def test_the_one_that_leaves_is_told_once() -> None:
    told = after("othello", TIGER, "f4c5b3d2")
    assert told == (
        "**d2** leaves the known openings after **Tiger**. They go on with **c2** (Rose\u2011Bill)."
    ).replace("\u2011", "-")
    assert after("othello", TIGER, "f4c5b3d2e3") is not None, "the answer comes before it is told again"
    assert after("othello", TIGER, "f4c5b3d2e3f3") is None


def test_a_bot_that_leaves_is_named_after_the_persons_next_move() -> None:
    told = after("othello", TIGER, "f3e3")
    assert told is not None
    assert told.startswith("Pip left the known openings after **Tiger** with **f3**. They go on with ")


def test_the_end_of_an_opening_is_told() -> None:
    told = after("gomoku", "h8h9i9", "g9")
    assert told == "The opening **Kagetsu** ends here. From now on no known line helps."
    assert after("connect-four", "4444", "4") is not None


def test_a_match_that_begins_elsewhere_or_on_another_board_has_no_line() -> None:
    assert after("othello", "", TIGER + "f3") is None
    assert after("othello", "f5d6c3d3c4f3", "e3") is None
    assert after("gomoku", "", "h8h9i9g9") is None
