"""How agents think: what each kind says of its last move."""

from __future__ import annotations

import pytest

from bot.ui.explain import KNOWN
from engine.agents import make_agent
from engine.agents.levels import LEVELS
from engine.core import Limit
from engine.games import game
from tests.bot.table import Table, text_of

pytestmark = pytest.mark.simcord(settle_timeout=30)


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """Kernels compile here where they have to, not while simcord waits for an answer."""
    for key in ("tic-tac-toe", "connect-four"):
        for name in ("alphabeta", "minimax", "mcts"):
            make_agent(name).choose(game(key).start(), Limit(nodes=50, depth=2))


async def asked(table: Table, level: str, key: str = "tic-tac-toe", **options: str) -> str:
    """What /explain says after the person gave up against a level that began."""
    await table.start(game=key, level=level, first="opponent", rated=False)
    await table.bot.service.resign(1, table.person(table.ada))
    return text_of((await table.ada.slash(table.games, "explain", **options)).response)


async def test_monte_carlo_shows_games_and_win_rates(table: Table) -> None:
    text = await asked(table, "kit")
    assert "### How Kit found move 1" in text
    assert "won" in text
    assert "█" in text
    assert "It played **" in text


async def test_one_step_shows_the_score_of_every_move(table: Table) -> None:
    text = await asked(table, "otto", "connect-four")
    assert text.count("█") > 0
    assert all(f"**{column}** ·" in text for column in range(1, 8))


async def test_a_tree_search_says_what_pruning_saves(table: Table) -> None:
    text = await asked(table, "tia")
    assert "positions with pruning and" in text


async def test_random_says_that_it_does_not_think(table: Table) -> None:
    assert "It does not think" in await asked(table, "pip")


async def test_a_match_between_people_has_no_agent_to_explain(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe")
    await table.play(board, "b2 a1 b1 a2 b3")
    assert "No player of mine" in await table.refused(table.ada.slash(table.games, "explain"))


async def test_a_rated_match_is_not_explained_before_its_end(table: Table) -> None:
    await table.start(game="tic-tac-toe", first="opponent")
    assert "still running" in await table.refused(table.ada.slash(table.games, "explain", match="1"))


async def test_every_kind_of_built_in_player_has_a_text() -> None:
    assert {level.agent.partition(":")[0] for level in LEVELS} <= KNOWN
