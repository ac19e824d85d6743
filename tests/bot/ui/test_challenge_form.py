"""The form of a challenge offers as many boards as fit."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import discord

from bot.presentation.board_choices import offered_boards
from bot.ui.layout import MOST_OPTIONS
from bot.ui.match.challenge_views import challenge_form
from engine.games import GAMES
from engine.games.tic_tac_toe import TicTacToe
from tests.bot.made_once import all_texts


class Another(TicTacToe):
    boards = ("3x3", "4x4", "5x5", "6x6")  # type: ignore[assignment]

    def __init__(self, number: int) -> None:
        self.key = f"another-{number}"


def test_the_usual_boards_of_our_games_are_offered() -> None:
    offered = offered_boards(tuple(GAMES.values()), MOST_OPTIONS)
    assert len(offered) == MOST_OPTIONS
    for key, game in GAMES.items():
        boards = [board for name, board in offered if name == key]
        assert boards == list(game.boards[: len(boards)])
        assert len(boards) >= min(2, len(game.boards))


def test_the_form_says_that_the_first_move_is_a_choice_in_casual_matches_alone() -> None:
    opponent = SimpleNamespace(id=2, name="ben", global_name="Ben", display_name="Ben")
    form = challenge_form(cast(discord.Member, opponent), all_texts().of("en-US"))
    told = [label.get("description") for label in form.to_components()]
    assert told == [None, "In a rated match the first move is drawn; after that you take turns.", None, None]


def test_with_many_games_each_keeps_its_usual_boards() -> None:
    offered = offered_boards([Another(number) for number in range(10)], MOST_OPTIONS)
    assert len(offered) == MOST_OPTIONS
    for number in range(10):
        assert [board for key, board in offered if key == f"another-{number}"][:2] == ["3x3", "4x4"]


def test_a_board_is_named_in_its_games_order_in_a_language_from_right_to_left() -> None:
    opponent = SimpleNamespace(id=2, name="ben", global_name="Ben", display_name="Ben")
    form = challenge_form(cast(discord.Member, opponent), all_texts().of("fa"))
    (first, *_others) = form.to_components()[0]["component"]["options"]
    assert first["label"].startswith("\u200f\u2067"), "one sentence, whatever stands around it"
    assert first["label"].endswith("\u2069")
