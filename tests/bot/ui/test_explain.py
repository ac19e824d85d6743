"""Explanations: each kind of agent explains its last move."""

from __future__ import annotations

import re
from typing import Any

import pytest

from bot.domain.even_match import level_at
from bot.domain.look import Theme
from bot.ui.match.explanation_views import ExplainedMove, _visits, varied_line
from engine.agents import make_agent
from engine.agents.levels import LEVELS
from engine.core import Choice, Limit, Player, SearchInfo, states_of
from engine.games import game
from tests.bot.made_once import all_texts
from tests.bot.table import Table, parts_of, text_of
from tests.slow_cases import mark_slow

NUMBER = re.compile(r"found move (\d+)")


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """Kernels compile here where they have to, not while simcord waits for an answer."""
    for key in ("tic-tac-toe", "connect-four"):
        for name in ("alphabeta", "minimax", "mcts"):
            make_agent(name).choose(game(key).start(), Limit(nodes=50, depth=2))


async def answered(table: Table, level: str, key: str = "tic-tac-toe", **options: str) -> Any:
    """The answer to /review explanation after the person gave up against a level that began."""
    await table.start(game=key, level=level, first="opponent", rated=False)
    await table.bot.services.playing.resign(table.first_match, table.person(table.ada))
    return (await table.ada.slash(table.games, "review explanation", **options)).response


async def asked(table: Table, level: str, key: str = "tic-tac-toe", **options: str) -> str:
    return text_of(await answered(table, level, key, **options))


def described(message: Any) -> list[str]:
    """The alternative texts of the message's pictures."""
    return [item["description"] for part in parts_of(message) if part["type"] == 12 for item in part["items"]]


async def test_monte_carlo_shows_games_and_win_rates(table: Table) -> None:
    text = await asked(table, "kit")
    assert "### How Kit found move 1" in text
    assert "won" in text
    assert "█" in text
    assert "It played **" in text


async def test_a_move_of_echo_is_explained_by_the_level_that_made_it(table: Table) -> None:
    text = await asked(table, "echo", "tic-tac-toe")
    match = await table.bot.services.matches.match(table.first_match)
    level = level_at(match, Player.FIRST, 0)
    assert level in ("pip", "bo", "mia")
    assert f"### How {match.seats[0].name} found move 1" in text
    assert ("moves at random" in text) == (level == "pip")
    assert ("misses things" in text) == (level != "pip")


@pytest.mark.slow
async def test_one_step_shows_the_score_of_every_move(table: Table) -> None:
    answer = await answered(table, "otto", "connect-four")
    (told,) = described(answer)
    assert all(f"{column}: " in told for column in range(1, 8))
    assert "by its own count" in told
    text = text_of(answer)
    assert "Below each board: its score in points" in text
    assert "**4** ·" not in text, "the picture replaces the list"


@pytest.mark.parametrize(
    ("level", "key"), [("bo", "connect-four"), ("bo", "tic-tac-toe"), ("finn", "othello")]
)
async def test_a_level_that_overlooks_moves_has_a_score_for_its_own(
    table: Table, level: str, key: str
) -> None:
    text = await asked(table, level, key)
    match = await table.bot.services.matches.match(table.first_match)
    rules = game(key)
    played = rules.move_name(rules.start(match.board), match.moves[0])
    assert f"**{played}** ·" in text


@pytest.mark.parametrize(
    ("level", "key"),
    mark_slow(
        [("alfie", "draughts"), ("bela", "kalah"), ("dora", "dots-and-boxes"), ("momo", "gomoku")],
        lambda case: case != ("bela", "kalah"),
    ),
)
async def test_a_games_own_level_that_overlooks_moves_has_a_score_for_its_own(
    table: Table, level: str, key: str
) -> None:
    answer = await answered(table, level, key)
    *_, told = described(answer)
    match, number = await table.bot.services.matches.match(table.first_match), NUMBER.search(text_of(answer))
    assert number is not None
    rules, ply = game(key), int(number[1]) - 1
    state = states_of(rules.start(match.board), match.moves)[ply]
    assert f"{rules.move_name(state, match.moves[ply])}: " in told
    assert "Now and then it misses something" in text_of(answer)


@pytest.mark.parametrize("level", ["luca", "una"])
async def test_bars_are_written_once_and_every_value_has_a_unit(table: Table, level: str) -> None:
    answer = await answered(table, level, "connect-four")
    assert described(answer) == []
    rows = [line for line in text_of(answer).splitlines() if "█" in line or "░" in line]
    assert len(rows) == 7
    assert all(any(unit in row for unit in ("game", "moves", "move", "draw", "to win")) for row in rows)


async def test_a_tree_search_says_what_pruning_saves(table: Table) -> None:
    text = await asked(table, "tia")
    assert "positions with pruning," in text


@pytest.mark.parametrize(
    ("level", "key", "start"),
    [
        ("otto", "connect-four", "The board after each move"),
        ("theo", "connect-four", "The top of the tree, 4 moves deep"),
        ("otto", "othello", "The board after each move"),
        ("theo", "othello", "The top of the tree"),
    ],
)
async def test_explanations_are_drawn_and_have_alternative_texts(
    table: Table, level: str, key: str, start: str
) -> None:
    answer = await answered(table, level, key)
    (text,) = described(answer)
    assert text.startswith(start)
    assert (await answer.attachments[0].read()).startswith(b"\x89PNG")


@pytest.mark.slow
async def test_tic_tac_toe_shows_its_whole_tree_when_few_cells_are_empty(table: Table) -> None:
    board = await table.start(game="tic-tac-toe", level="tia", first="me", rated=False)
    rules = game("tic-tac-toe")
    for _ in range(3):
        state = (await table.bot.services.matches.match(table.first_match)).state
        await table.ada.click(board, label=rules.move_name(state, state.legal_moves()[0]))
    answer = (await table.ada.slash(table.games, "review explanation", match=str(table.first_match))).response
    tree, whole = described(answer)
    assert "top of the tree" in tree
    assert "The whole tree from here has" in whole


@pytest.mark.slow
async def test_patterns_say_how_deep_they_looked(table: Table) -> None:
    unknown = "c4c5b6d3c2a7d6e7d7e3b5"  # moves at random, which no book has
    board = await table.start(game="othello", level="sage", first="opponent", position=unknown)
    assert "Sage played" in text_of(board)
    text = text_of(
        (await table.ada.slash(table.games, "review explanation", match=str(table.first_match))).response
    )
    assert "positions looked at, to a depth of" in text
    assert text.count("about ") == 8, "every move has its estimate"


@pytest.mark.slow
async def test_patterns_say_that_they_knew_the_position(table: Table) -> None:
    assert "from its opening book" in await asked(table, "sage", "othello")


async def test_random_says_that_it_does_not_think(table: Table) -> None:
    assert "It doesn’t think" in await asked(table, "pip")


async def test_a_match_between_people_has_no_agent_to_explain(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe")
    await table.play(board, "b2 a1 b1 a2 b3")
    assert "No bot has moved" in await table.refused(table.ada.slash(table.games, "review explanation"))


async def test_without_a_match_the_last_one_against_a_bot_is_explained(table: Table) -> None:
    await asked(table, "pip")
    board = await table.pair(game="tic-tac-toe")
    await table.play(board, "b2 a1 b1 a2 b3")
    assert "How Pip" in text_of((await table.ada.slash(table.games, "review explanation")).response)


def test_a_level_that_varies_says_why_it_chose_a_lower_score() -> None:
    t, levels, scores = all_texts().of("en"), {level.key: level for level in LEVELS}, {0: 0.4, 1: 0.6}
    assert "varies its moves" in (varied_line(t, 0, levels["luca"], scores) or "")
    assert varied_line(t, 1, levels["luca"], scores) is None, "it played its best move"
    assert varied_line(t, 0, levels["kit"], scores) is None, "this level never varies"


async def test_moves_without_a_game_are_not_listed(table: Table) -> None:
    await table.start(game="tic-tac-toe", level="kit", first="opponent", rated=False)
    match = await table.bot.services.matches.match(table.first_match)
    asked_move = ExplainedMove(match, 0, game("tic-tac-toe").start(), Theme.CLASSIC)
    choice = Choice(0, SearchInfo(visits=((0, 5), (1, 0))))
    lines = _visits(all_texts().of("en"), asked_move, choice).lines
    assert [line for line in lines if "game" in line] == [line for line in lines if "a1" in line]


async def test_the_match_being_played_is_meant_before_the_last_finished_one(table: Table) -> None:
    await table.start(game="connect-four", level="una", first="opponent", rated=False)
    await table.bot.services.playing.resign(table.first_match, table.person(table.ada))
    await table.start(game="tic-tac-toe", level="kit", first="opponent", rated=False)
    text = text_of((await table.ada.slash(table.games, "review explanation")).response)
    assert "How Kit found move 1" in text
    offered = await table.ada.autocomplete(table.games, "review explanation", "match", "")
    assert [choice["value"] for choice in offered] == [str(table.first_match + 1), str(table.first_match)]
    await table.bot.services.playing.resign(table.first_match + 1, table.person(table.ada))
    assert "How Kit" in text_of((await table.ada.slash(table.games, "review explanation")).response)


async def test_a_match_whose_bot_searched_is_meant_before_a_later_one_that_has_nothing_to_explain(
    table: Table,
) -> None:
    await asked(table, "kit")
    await table.start(game="tic-tac-toe", level="pip", first="opponent", rated=False)
    assert "How Kit" in text_of((await table.ada.slash(table.games, "review explanation")).response)


async def test_a_rated_match_is_not_explained_before_its_end(table: Table) -> None:
    await table.start(game="tic-tac-toe", first="opponent")
    assert "still running" in await table.refused(
        table.ada.slash(table.games, "review explanation", match=str(table.first_match))
    )


async def test_every_kind_of_built_in_player_has_a_text() -> None:
    t = all_texts().of("en-US")
    assert [level.key for level in LEVELS if f"thinks_{level.kind}" not in t] == []
