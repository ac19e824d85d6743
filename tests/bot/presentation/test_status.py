"""The lines about a match: its last move."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.domain.location import Channel
from bot.domain.match import Match, RatingChange
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.presentation.names import rating
from bot.presentation.status import last_move, note, ratings, result
from engine.core import Player
from engine.games import GAMES
from engine.games.conformance import MAX_PLIES
from engine.games.draughts.rules import DraughtsState
from tests.bot.made_once import all_texts
from tests.long_game import long_game

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEATS = (Seat("Crash", level="plugin:crash"), Seat("Ada", user_id=1))


@pytest.mark.parametrize("language", all_texts().languages)
def test_the_line_under_the_board_says_that_an_agent_failed_and_why(language: str) -> None:
    match = Match.begin("connect-four", "6x7x4", SEATS, Channel(10, 20), NOW)
    t = all_texts().of(language)
    failed = last_move(t, match.play_agent(3, NOW, turn=0, seconds=0.1, forfeit="it raised *Oops*"))
    fine = last_move(t, match.play_agent(3, NOW, turn=0, seconds=0.1))
    assert failed is not None
    assert fine is not None
    assert failed.startswith(fine)
    assert "⚠️" in failed
    assert failed.count("Crash") == 2
    assert r"it raised \*Oops\*" in failed
    assert "⚠️" not in fine


def test_the_longest_match_is_shown_after_a_restart() -> None:
    seats = (Seat("Ada", user_id=1), Seat("Ben", user_id=2))
    moves = long_game(MAX_PLIES)
    # As a match that comes from the database: none of its positions was shown.
    match = Match.begin("pop-out", "6x7", seats, Channel(10, 20), NOW, opening=moves[:-1])
    match = match.play(2, moves[-1], NOW)
    assert result(all_texts().of("en"), match) == "🤝 **A draw**: the match has 1000 moves."
    assert (last_move(all_texts().of("en"), match) or "").startswith("Ben")


def finished(game: str, moves: str) -> Match:
    """A match between Ada and Ben after these moves by name."""
    seats = (Seat("Ada", user_id=1), Seat("Ben", user_id=2))
    match = Match.begin(game, GAMES[game].boards[0], seats, Channel(10, 20), NOW)
    for name in moves.split():
        state = match.state
        move = next(one for one in state.legal_moves() if GAMES[game].move_name(state, one) == name)
        match = match.play(match.seat_to_move.user_id or 0, move, NOW)
    return match


@pytest.mark.parametrize(
    ("game", "moves", "said"),
    [
        ("connect-four", "1 2 1 3 1 4 1", "Ada wins**: four in a row, upright, column 1."),
        ("connect-four", "1 1 2 2 3 3 4", "Ada wins**: four in a row, across, columns 1 to 4."),
        ("connect-four", "1 2 2 3 3 4 3 4 4 7 4", "Ada wins**: four in a row, slanting, columns 1 to 4."),
        ("connect-four", "1 1 2 2 3 3 5 6 4", "Ada wins**: four in a row."),
        ("tic-tac-toe", "a1 b1 b2 a2 c3", "Ada wins**: three in a row, slanting, a1 to c3."),
    ],
)
def test_the_result_says_where_the_line_lies_if_there_is_one_of_the_usual_length(
    game: str, moves: str, said: str
) -> None:
    assert said in result(all_texts().of("en"), finished(game, moves))


@pytest.mark.parametrize(
    ("left", "said"), [(0, "🏆 🟤 **Ada wins**: Ben has no piece left."), (1, "Ben has no move left.")]
)
def test_in_draughts_a_side_without_pieces_is_not_said_to_lack_a_move(left: int, said: str) -> None:
    state = DraughtsState(pieces=(1 << 20, left), ply=1)
    over = replace(finished("draughts", ""), states=(state,), result=Result(Player.FIRST, End.OTHER))
    assert result(all_texts().of("en"), over).endswith(said)


def test_in_draughts_a_forced_capture_is_named() -> None:
    t = all_texts().of("en")
    for in_words in (False, True):  # on the web a word takes the place of the disc
        assert note(t, finished("draughts", "11-15 22-18"), in_words=in_words) == "Ada has to take."
    assert note(t, finished("draughts", "11-15")) is None


@pytest.mark.parametrize(
    ("points", "margin", "shown"),
    [(1204, 109, "1204"), (1204, 110, "about 1200"), (1026, 349, "about 1050"), (1000, 350, "new")],
)
def test_a_rating_is_a_number_once_it_is_settled_and_rounded_before(
    points: int, margin: int, shown: str
) -> None:
    assert rating(all_texts().of("en"), points, margin) == shown


def test_a_match_moves_settled_ratings_by_points_and_others_from_about_to_about() -> None:
    people = Seat("Ada", user_id=1), Seat("Ben", user_id=2)
    match = Match.begin("connect-four", "6x7x4", people, Channel(10, 20), NOW)
    changes = RatingChange(1026, 1149, 280), RatingChange(1192, 1204, 80)
    over = replace(match, result=Result(None, End.AGREEMENT), rating_changes=changes)
    assert ratings(all_texts().of("en"), over) == "Ada about 1050 → **about 1150** · Ben **1204** (+12)"
    unmoved = replace(over, rating_changes=(RatingChange(1030, 1051, 280), changes[1]))
    assert "Ada **about 1050** · " in (ratings(all_texts().of("en"), unmoved) or "")
