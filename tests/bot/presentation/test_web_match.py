"""The document that the page of a match shows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from bot.domain.location import Web
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.presentation.web_match import Reader, match_document
from engine.agents.roster import Roster
from engine.core import Player
from engine.games import game as game_of
from engine.games.notation import parse_moves
from tests.bot.made_once import all_texts

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEATS = (Seat("Ada", user_id=1), Seat("Ben", user_id=2))


def listed_moves(language: str, game: str, board: str, text: str) -> list[dict[str, Any]]:
    """The list of moves on the page of the match."""
    match = Match.begin(game, board, SEATS, Web(language), NOW)
    for move in parse_moves(game_of(game), board, text):
        match = match.play(match.seats[match.to_move].user_id or 0, move, NOW)
    document = match_document(all_texts().of(language), match, "key", Reader(None), NOW, Roster())
    moves: list[dict[str, Any]] = document["moves"]
    return moves


@pytest.mark.parametrize("language", all_texts().languages)
@pytest.mark.parametrize(
    ("game", "board", "text", "key"),
    [
        ("hex", "7x7", "a2swapd4", "words_hex_swap"),
        ("gomoku", "15x15-swap2", "h8h9j9swap", "words_gomoku_swap"),
        ("gomoku", "15x15-swap2", "h8h9j9two", "words_gomoku_two"),
    ],
)
def test_a_move_without_a_square_is_listed_in_the_readers_language(
    language: str, game: str, board: str, text: str, key: str
) -> None:
    moves = listed_moves(language, game, board, text)
    words = all_texts().of(language)(key, move="swap" if "swap" in key else "two")
    assert [one["name"] for one in moves if "(" in one["name"]] == [words]
    assert [one["label"] for one in moves if "(" in one["label"]] == [words]
    assert moves[0]["name"] == text[:2]


def test_a_move_with_a_notation_is_listed_by_it_and_called_by_its_words() -> None:
    moves = listed_moves("en", "pop-out", "6x7", "44p4")
    assert [one["name"] for one in moves] == ["4", "4", "p4"]
    assert [one["label"] for one in moves] == ["column 4", "column 4", "the pop from column 4"]


@pytest.mark.parametrize(
    ("text", "end"), [("h8", "now white."), ("h8h9", "now black."), ("h8h9j9two", "now black.")]
)
def test_the_note_of_swap2_names_the_colour_of_the_next_disc(text: str, end: str) -> None:
    match = Match.begin("gomoku", "15x15-swap2", SEATS, Web("en"), NOW)
    for move in parse_moves(game_of("gomoku"), "15x15-swap2", text):
        match = match.play(match.seats[match.to_move].user_id or 0, move, NOW)
    note = match_document(all_texts().of("en"), match, "key", Reader(None), NOW, Roster())["note"]
    assert note.endswith(end)


def test_the_list_shows_each_disc_of_swap2_as_the_board_showed_it() -> None:
    moves = listed_moves("en", "gomoku", "15x15-swap2", "h8h9j9twoa1b1swapc1")
    assert [one["disc"] for one in moves] == [0, 1, 0, None, 0, 1, None, 1]
    assert [one["disc"] for one in listed_moves("en", "pop-out", "6x7", "44p4")] == [0, 1, 0]


def test_a_person_who_has_to_pass_reads_why_and_others_do_not() -> None:
    match = Match.begin("othello", "6x6", SEATS, Web("en"), NOW)
    for move in parse_moves(game_of("othello"), "6x6", "b3d2e1d1e2f1d5f3"):
        assert _note(match, match.to_move) is None
        match = match.play(match.seats[match.to_move].user_id or 0, move, NOW)
    assert _note(match, match.to_move) == "You have no move this time: press Pass."
    assert (_note(match, match.to_move.other), _note(match, None)) == (None, None)
    assert _note(match.resign(match.seats[match.to_move].user_id or 0, NOW), match.to_move) is None


def _note(match: Match, seat: Player | None) -> str | None:
    note: str | None = match_document(all_texts().of("en"), match, "key", Reader(seat), NOW, Roster())["note"]
    return note
