"""A game added by the page is played in Discord: between two people, and against `random`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from bot.domain.errors import MatchError
from bot.presentation.refusals import refusal_line
from bot.services.reviews import Reviews
from engine.agents import make_agent
from engine.agents.levels import Level, levels_of
from engine.core import Limit, replay
from engine.games import game
from engine.games.notation import parse_moves
from tests.bot.made_once import all_texts
from tests.bot.table import Table, buttons_of, text_of

GAME = "caro"
FIVE = ("a1", "a2", "b1", "b2", "c1", "c2", "d1", "d2", "e1")
SQUARE = re.compile("[a-i][1-9]")


async def move(actor: Any, board: Any, name: str) -> Any:
    """Presses the square's button, its column's first where squares are many; returns the answer."""
    if name not in buttons_of(board):
        board = (await actor.click(board, label=name[0])).response
    return (await actor.click(board, label=name)).response


async def test_the_game_is_offered_by_its_own_name_and_has_rules_with_a_picture(table: Table) -> None:
    (command,) = (command for command in table.bot.tree.get_commands() if command.name == "help")
    (option,) = command.to_dict(table.bot.tree)["options"]
    assert {"name": "Caro", "value": GAME} in [
        {"name": choice["name"], "value": choice["value"]} for choice in option["choices"]
    ]
    shown = (await table.ada.slash(table.games, "help", game=GAME)).response
    assert "### Caro\nPut a disc on any free square." in text_of(shown)
    assert shown.attachments


async def test_two_people_play_to_a_win_that_is_shown_as_one(table: Table) -> None:
    board = await table.pair(game=GAME)
    assert "### Caro" in text_of(board)
    for index, name in enumerate(FIVE):
        board = await move((table.ada, table.ben)[index % 2], table.board(), name)
    text = text_of(board)
    assert "**Ada wins**: five in a row, across, a1 to e1." in text
    assert "Ada played **e1**" in text
    assert "to move" not in text
    assert next(iter(buttons_of(board))) == "Rematch"


async def test_a_known_reason_why_a_move_is_refused_is_said_as_for_every_game(table: Table) -> None:
    await table.pair(game=GAME)
    await move(table.ada, table.board(), "a1")
    said = await table.refused(table.ben.slash(table.games, "move", to="a1"))
    assert said == "a1 is taken. Choose a free square."


def test_another_reason_is_said_in_the_games_own_words() -> None:
    refusal = MatchError("illegal_too_hot", move="a1", why="The square is too hot.")
    assert refusal_line(all_texts().of("de"), refusal) == "a1 geht nicht: The square is too hot."


async def test_a_match_against_random_goes_on_to_its_end(table: Table) -> None:
    levels = await table.ada.autocomplete(table.games, "play", "level", "", game=GAME)
    board = await table.start(game=GAME, level=levels[0]["value"])
    for _ in range(81):
        if "Rematch" in buttons_of(board):
            break
        columns = [name for name, is_open in buttons_of(board).items() if len(name) == 1 and is_open]
        if columns:
            board = (await table.ada.click(board, label=columns[0])).response
        free = (name for name, is_open in buttons_of(board).items() if is_open and SQUARE.fullmatch(name))
        await table.ada.click(board, label=next(free))
        board = table.board()
    assert "**Ada wins**" in text_of(board) or "**Pip wins**" in text_of(board)


@pytest.mark.parametrize("level", levels_of(GAME), ids=lambda level: level.key)
def test_every_level_of_its_ladder_wins_where_it_can_at_once(level: Level) -> None:
    rules = game(GAME)
    state = replay(rules.start(), parse_moves(rules, None, "a1a2b1b2c1c2d1d2"))
    choice = make_agent(level.agent).choose(state, level.limit)
    assert level.key == "pip" or rules.move_name(state, choice.move) == "e1"


def test_monte_carlo_stops_a_four() -> None:
    rules = game(GAME)
    state = replay(rules.start(), parse_moves(rules, None, "a1a2b1b2c1c2d1"))
    assert rules.move_name(state, make_agent("mcts").choose(state, Limit(nodes=300, seconds=60)).move) == "e1"


async def won_match(table: Table) -> Any:
    """Finished on the board: Ada's five, which Ben could have stopped."""
    board = await table.pair(game=GAME)
    for index, name in enumerate(FIVE):
        board = await move((table.ada, table.ben)[index % 2], table.board(), name)
    return board


async def test_a_finished_match_is_reviewed_and_replayed(table: Table) -> None:
    board = await won_match(table)
    reviews = Reviews(table.bot.services.search, later_seconds=0.1)
    table.bot.services = replace(table.bot.services, reviews=reviews)
    review = (await table.ben.click(board, label="Review")).response
    assert "### Review: Caro" in text_of(review)
    assert "The losing move: 🟡 Ben’s" in text_of(review)
    assert review.attachments
    replay = (await table.ada.click(board, label="Replay")).response
    assert "a1a2b1b2c1c2d1d2e1" in text_of(replay)
    assert replay.attachments


async def test_it_has_a_leaderboard_and_stands_in_profiles(table: Table) -> None:
    await won_match(table)
    shown = (await table.eve.slash(table.games, "leaderboard", game=GAME)).response
    assert "Caro" in text_of(shown)
    assert "Ada" in text_of(shown)
    profile = (await table.ada.slash(table.games, "profile")).response
    assert "Caro" in text_of(profile)


async def test_a_hint_and_an_explanation_are_given(table: Table) -> None:
    await table.pair(game=GAME, rated=False)
    for index, name in enumerate(FIVE[:8]):
        await move((table.ada, table.ben)[index % 2], table.board(), name)
    hint = (await table.ada.slash(table.games, "review hint")).response
    assert "**e1**" in text_of(hint)
    level = levels_of(GAME)[1].key
    board = await table.start(game=GAME, level=level, rated=False)
    await move(table.ada, board, "e5")
    explained = (await table.ada.slash(table.games, "review explanation", match="2")).response
    assert "played" in text_of(explained)
