"""A match as a file for other programs."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.domain.location import Web
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.presentation.records import file_of
from engine.games import GAMES, spec_of
from engine.games.notation import parse_moves
from engine.records.reading import read_games

NOW = datetime(2026, 11, 28, tzinfo=UTC)
SEATS = (Seat("Ada [x]", user_id=1), Seat("Ben", user_id=2))


def played(game: str, board: str, text: str) -> Match:
    match = Match.begin(game, board, SEATS, Web("en"), NOW)
    for move in parse_moves(GAMES[game], board, text):
        match = match.play(match.seats[match.to_move].user_id or 0, move, NOW)
    return match


@pytest.mark.parametrize(
    ("game", "board", "text", "suffix", "said"),
    [
        ("connect-four", "6x7x4", "44332", ".txt", '[Red "Ada [x]"]'),
        ("draughts", "8x8", "11-1523-19", ".pdn", '[GameType "21"]'),
        ("othello", "8x8", "f5d6", ".ggf", "PB[Ada  x ]PW[Ben]"),
        ("gomoku", "15x15", "h8h9", ".psq", "8,8,0\n8,9,0\nAda [x]\nBen\n"),
        ("hex", "7x7", "a2d4", ".sgf", "GM[11]"),
    ],
)
def test_a_finished_match_is_written_in_the_usual_format_of_its_game(
    game: str, board: str, text: str, suffix: str, said: str
) -> None:
    match = played(game, board, text).resign(2, NOW)
    written = file_of(match)
    assert written.name == f"{game}-2026-11-28{suffix}"
    assert said in written.text
    (record,) = read_games(written.text, written.name, spec_of(game))
    assert (record.board, record.moves) == (board, match.moves)
    if game != "gomoku":  # its files have no results
        assert record.about.result == "1-0"


def test_after_a_swap_in_hex_the_file_names_the_colours_at_the_end() -> None:
    match = played("hex", "7x7", "a2swapd4").resign(2, NOW)
    (record,) = read_games(file_of(match).text)
    assert (record.about.players, record.about.result) == (("Ben", "Ada [x]"), "0-1")
