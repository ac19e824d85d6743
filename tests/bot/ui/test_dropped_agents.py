"""An agent dropped into the folder is an opponent like any other, and a broken one harms nobody."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bot.table import Table, text_of

DATA = Path(__file__).parents[2] / "data"

CRASHING = """
class Crashing:
    name = "Crash"

    def choose(self, state, limit):
        raise RuntimeError("out of order")
"""


async def test_a_dropped_agent_is_offered_and_plays(table: Table) -> None:
    await table.restart(DATA / "one_plugin")

    offered = await table.ada.autocomplete(table.games, "play", "level", "only", game="connect-four")
    board = await table.start(level=offered[0]["value"])
    answer = await table.ada.click(board, label="1")

    assert offered[0]["value"] == "plugin:only"
    assert "Only played **7**" in text_of(answer.response)


async def test_a_crashing_agent_forfeits_its_move_to_a_random_one(
    table: Table, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "crash_player.py").write_text(CRASHING, "utf-8")
    await table.restart(tmp_path)

    board = await table.start(level="plugin:crash")
    answer = await table.ada.click(board, label="1")

    assert "Crash played" in text_of(answer.response)
    assert "out of order" in caplog.text
