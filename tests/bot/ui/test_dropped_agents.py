"""An agent dropped into the folder is an opponent like any other, and a broken one does no harm."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.bot.table import Table, text_of

DATA = Path(__file__).parents[2] / "data"

CRASHING = """
class Crashing:
    name = "Crash"

    def choose(self, state, limit):
        if limit.seconds > 1:  # more than in its trial
            raise RuntimeError("out of order")
        return state.legal_moves()[0]
"""

COUNTING = """
class Counting:
    name = "Count"

    def __init__(self):
        self.asked = 0

    def choose(self, state, limit):
        self.asked += 1
        print("`move`", self.asked, "@everyone")
        return self.asked - 1
"""


@pytest.mark.slow
async def test_a_dropped_agent_is_offered_and_plays(table: Table) -> None:
    await table.restart(DATA / "one_plugin")

    offered = await table.ada.autocomplete(table.games, "play", "level", "only", game="connect-four")
    board = await table.start(level=offered[0]["value"])
    answer = await table.ada.click(board, label="1")

    assert offered[0]["value"] == "plugin:only"
    assert "Only played **7**" in text_of(answer.response)


@pytest.mark.slow
async def test_a_crashing_agent_forfeits_its_move_to_a_random_one(
    own_table: Table, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "crash_player.py").write_text(CRASHING, "utf-8")
    await own_table.restart(tmp_path)

    board = await own_table.start(level="plugin:crash", rated=False)
    answer = await own_table.ada.click(board, label="1")

    assert "Crash played" in text_of(answer.response)
    where = r"\(crash\_player.py, line 7\)"
    failed = f"⚠️ A random move, for Crash failed: it raised: RuntimeError: out of order {where}."
    assert failed in text_of(answer.response)
    assert "out of order" in caplog.text
    await own_table.bot.services.playing.resign(1, own_table.person(own_table.ada))
    assert failed in text_of(
        (
            await own_table.ada.slash(own_table.games, "review explanation", match=str(own_table.first_match))
        ).response
    )


@pytest.mark.slow
async def test_a_dropped_agent_remembers_its_match_until_a_restart(table: Table, tmp_path: Path) -> None:
    (tmp_path / "count_player.py").write_text(COUNTING, "utf-8")
    await table.restart(tmp_path)
    first = await table.start(level="plugin:count", rated=False)
    second = await table.start(level="plugin:count", rated=False)

    for number in (1, 2, 3):
        answer = await table.ada.click(first, label="7")
        assert f"Count played **{number}**" in text_of(answer.response)
    assert "Count played **1**" in text_of((await table.ada.click(second, label="7")).response)

    await table.restart(tmp_path)
    answer = await table.ada.click(first, label="5")
    assert "Count played **1**" in text_of(answer.response), "a new one has taken over"


@pytest.mark.slow
async def test_the_output_of_a_dropped_agent_is_in_its_explanation(own_table: Table, tmp_path: Path) -> None:
    (tmp_path / "count_player.py").write_text(COUNTING, "utf-8")
    await own_table.restart(tmp_path)
    board = await own_table.start(level="plugin:count", rated=False)
    await own_table.ada.click(board, label="7")
    await own_table.bot.services.playing.resign(1, own_table.person(own_table.ada))

    text = text_of(
        (
            await own_table.ada.slash(own_table.games, "review explanation", match=str(own_table.first_match))
        ).response
    )

    assert "While thinking it printed:\n```text\n'move' 1 @everyone\n```" in text


ONCE = """
from pathlib import Path

class Once:
    name = "Once"

    def choose(self, state, limit):
        mark = Path(__file__).with_suffix(".failed")
        if limit.seconds > 1 and not mark.exists():  # more than in its trial
            mark.touch()
            raise RuntimeError("out of order")
        return state.legal_moves()[0]
"""


@pytest.mark.slow
async def test_a_failed_move_is_in_the_explanation_after_a_restart(own_table: Table, tmp_path: Path) -> None:
    (tmp_path / "once_player.py").write_text(ONCE, "utf-8")
    await own_table.restart(tmp_path)
    board = await own_table.start(level="plugin:once", rated=False)
    await own_table.ada.click(board, label="1")
    await own_table.restart(tmp_path)
    await own_table.bot.services.playing.resign(1, own_table.person(own_table.ada))
    text = text_of(
        (
            await own_table.ada.slash(own_table.games, "review explanation", match=str(own_table.first_match))
        ).response
    )
    assert "⚠️ Once failed at 1 move, which was random: it raised: RuntimeError: out of order" in text


@pytest.mark.slow
async def test_the_standings_of_a_championship_name_an_agent_that_fails(table: Table, tmp_path: Path) -> None:
    (tmp_path / "crash_player.py").write_text(CRASHING, "utf-8")
    await table.restart(tmp_path)
    made = await table.ada.slash(
        table.games, "tournament create", players="bots", game="tic-tac-toe", system="swiss"
    )
    await table.soon(lambda: "Crash failed at" in text_of(made.response))
    await table.restart(tmp_path)
    shown = text_of((await table.ada.slash(table.games, "tournament show")).response)
    (line,) = (line for line in shown.splitlines() if "⚠️" in line)
    assert line.startswith("⚠️ 🤖 Crash failed at ")
    assert "RuntimeError: out of order" in line


@pytest.mark.slow
async def test_the_submission_of_the_page_for_courses_plays_in_discord(table: Table, tmp_path: Path) -> None:
    page = (Path(__file__).parents[3] / "docs" / "your-agent.md").read_text("utf-8")
    (code,) = re.findall(
        r"<!-- dropped: submission.py -->\n```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE
    )
    (tmp_path / "submission.py").write_text(code, "utf-8")
    await table.restart(tmp_path)
    offered = await table.ada.autocomplete(table.games, "play", "level", "submission", game="connect-four")
    board = await table.start(level=offered[0]["value"], rated=False)
    for _ in range(3):
        answer = await table.ada.click(board, label="4")
    assert "Submission played **4**" in text_of(answer.response), "three in a column are blocked"


SEQUEL = """
class Sequel:
    def choose(self, state, limit, match):
        print(match.game, match.board, match.start.ply, *match.moves)
        return state.legal_moves()[0]
"""


@pytest.mark.slow
async def test_a_dropped_agent_is_told_the_whole_match_after_a_restart_too(
    own_table: Table, tmp_path: Path
) -> None:
    (tmp_path / "sequel.py").write_text(SEQUEL, "utf-8")
    await own_table.restart(tmp_path)
    board = await own_table.start(level="plugin:sequel", rated=False)
    await own_table.ada.click(board, label="7")
    await own_table.restart(tmp_path)
    await own_table.ada.click(board, label="6")
    await own_table.bot.services.playing.resign(1, own_table.person(own_table.ada))

    text = text_of(
        (
            await own_table.ada.slash(own_table.games, "review explanation", match=str(own_table.first_match))
        ).response
    )

    assert "connect-four 6x7x4 0 6 0 5" in text
