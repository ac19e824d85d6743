"""A real process, killed with SIGKILL at any moment: shown positions are stored, and play goes on."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from bot.store.recount import Recounter
from engine.core import replay
from engine.games import game as game_of
from tests.bot.made_once import database_url
from tests.bot.sittings import ADA, sitting

pytestmark = pytest.mark.postgres

KILLS = 4


def _play_and_kill(file: Path, seconds: float) -> list[tuple[int, int]]:
    """The (match, turn) pairs that the process showed before it was killed `seconds` after its first one."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bot.services.killed_process", str(file)],
        cwd=Path(__file__).parents[3],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as stdout:
        first = stdout.readline()
        time.sleep(seconds)
        process.send_signal(signal.SIGKILL)
        lines = [first, *stdout]
    process.wait()
    # The kill may have cut the last line in two.
    return [(int(line.split()[0]), int(line.split()[1])) for line in lines if line.endswith("\n")]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
async def test_a_killed_process_has_stored_every_position_it_showed(tmp_path: Path) -> None:
    database_url(file := tmp_path / "discade.db")  # of this process: another would end its own with itself
    rng = Random(3)
    shown: dict[int, int] = {}
    for _ in range(KILLS):
        seen = _play_and_kill(file, rng.uniform(0.05, 0.5))
        assert seen, "the process showed nothing before it was killed"
        shown.update(seen)

    async with sitting(file) as table:
        for match_id, turn in shown.items():
            match = await table.services.matches.match(match_id)
            assert match.turn >= turn
            assert replay(game_of(match.game).start(match.board), match.moves) == match.state
            assert match.is_over == (match.state.outcome() is not None)
        assert (await Recounter(table.stores.database).check()).differences == ()
        await table.services.clocks.resume()
        await table.services.background.drain()
        for match in await table.services.matches.running(ADA.user_id):
            assert match.seat_to_move.user_id == ADA.user_id
