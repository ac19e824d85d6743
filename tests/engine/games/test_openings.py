"""Openings to train: legal, distinct, and known however they come about; and where a game leaves them."""

from __future__ import annotations

import pytest

from engine.core import replay, states_of
from engine.games import GAMES
from engine.games.notation import parse_moves
from engine.games.openings import (
    RESULTS,
    left_line,
    named_openings,
    opening_at,
    opening_named,
)
from engine.games.symmetry import canonical
from tools import name_openings

COUNTS = {"othello": 71, "gomoku": 26, "connect-four": 568}


@pytest.mark.parametrize("game", GAMES)
def test_each_opening_has_a_name_of_its_own_and_leads_to_a_position_of_its_own(game: str) -> None:
    found = named_openings(game)
    assert len(found) == COUNTS.get(game, 0)
    start = GAMES[game].start()
    assert len({canonical(replay(start, one.moves)) for one in found}) == len(found)
    names = [one.name for one in found if one.has_name]
    assert len(set(names)) == len(names)
    for one in found:
        assert opening_at(game, one.moves) == one


def test_the_list_of_connect_four_is_the_one_that_the_solved_scores_give() -> None:
    assert name_openings.FILE.read_text("ascii") == name_openings.page()
    assert {one.name for one in named_openings("connect-four")} == set(RESULTS)


def test_gomokus_openings_are_all_third_stones_around_a_direct_or_a_diagonal_second_one() -> None:
    """In the 5 by 5 squares in the middle; half of them, since the others are mirrored."""
    seconds = {one.text[:4] for one in named_openings("gomoku")}
    assert seconds == {"h8h9", "h8i9"}
    squares = [f"{column}{row}" for column in "fghij" for row in range(6, 11)]
    start = GAMES["gomoku"].start()
    third = {
        canonical(replay(start, parse_moves(GAMES["gomoku"], None, second + square)))
        for second in seconds
        for square in squares
        if square not in second
    }
    assert third == {canonical(replay(start, one.moves)) for one in named_openings("gomoku")}


@pytest.mark.parametrize("text", ["tiger", " Tiger ", "f5d6c3d3c4"])
def test_an_opening_is_found_by_its_name_or_its_moves(text: str) -> None:
    found = opening_named("othello", text)
    assert found is not None
    assert (found.name, found.text) == ("Tiger", "f5d6c3d3c4")


def test_a_turned_board_and_other_moves_to_the_same_position_are_the_same_opening() -> None:
    othello = GAMES["othello"]
    for text in ("c4e3f6e6f5", "d3c5f6f5e6", "e6f4c3c4d3", "f5d6c3d3c4"):
        found = opening_at("othello", parse_moves(othello, None, text))
        assert found is not None, text
        assert found.name == "Tiger"
    for text in ("4453", "4435"):
        mirrored = opening_at("connect-four", parse_moves(GAMES["connect-four"], None, text))
        assert mirrored == opening_at("connect-four", parse_moves(GAMES["connect-four"], None, "4354"))


@pytest.mark.parametrize("game", [game for game in GAMES if game not in COUNTS])
def test_a_game_without_named_openings_has_none_after_any_move(game: str) -> None:
    """Also on boards whose cells are no lattice of squares, such as Kalah's."""
    for move in GAMES[game].start().legal_moves():
        assert opening_at(game, (move,)) is None


@pytest.mark.parametrize("mark", ["+", "=", "-"])
def test_a_proved_result_is_no_name(mark: str) -> None:
    assert opening_named("connect-four", mark) is None
    assert opening_named("connect-four", named_openings("connect-four")[0].text) is not None


def test_a_game_that_stays_on_a_line_has_left_none() -> None:
    comp_oth = opening_named("othello", "Comp'Oth")
    assert comp_oth is not None
    assert left_line("othello", comp_oth.moves, 5) is None
    assert left_line("othello", (), 0) is None


def test_leaving_a_line_tells_the_last_opening_and_the_moves_that_stay() -> None:
    othello = GAMES["othello"]
    moves = parse_moves(othello, None, "f5d6c3d3c4f4c5b3d2")
    found = left_line("othello", moves, 5)
    assert found is not None
    assert (found.ply, found.opening.name) == (8, "Tiger")
    state = states_of(othello.start(), moves)[8]
    known = {othello.move_name(state, move): one and one.name for move, one in found.known.items()}
    assert known == {"c2": "Rose-Bill"}


def test_a_line_that_is_played_to_its_end_has_no_move_that_stays() -> None:
    moves = parse_moves(GAMES["gomoku"], None, "h8h9i9g9")
    found = left_line("gomoku", moves, 3)
    assert found is not None
    assert (found.ply, found.opening.name, found.known) == (3, "Kagetsu", {})


def test_a_game_that_began_elsewhere_is_on_no_line() -> None:
    moves = parse_moves(GAMES["othello"], None, "f5d6c3d3c4f4")
    assert left_line("othello", moves, 4) is None
