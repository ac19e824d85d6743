"""A tournament whose process is killed with SIGKILL, again and again: it ends as if nothing had happened."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import pytest

from bot.domain.tournament.model import Stage
from bot.domain.tournament.standings import standings
from tests.bot.domain.tournament.test_standings import separately
from tests.bot.services.tournaments.evenings import evening
from tests.bot.services.tournaments.killed_process import LEVELS, NO_SHOW, PEOPLE

pytestmark = pytest.mark.postgres

KILLS = 3


def _run(file: Path, seconds: float | None) -> bool:
    """Plays in a process, for some seconds after its first move or to the end; whether it got there."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bot.services.tournaments.killed_process", str(file)],
        cwd=Path(__file__).parents[4],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout as stdout:
        first = stdout.readline()
        if seconds is not None:
            time.sleep(seconds)
            process.send_signal(signal.SIGKILL)
        lines = [first, *stdout]
    process.wait()
    return "over\n" in lines


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
async def test_a_tournament_survives_every_kill(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"
    rng = Random(5)
    killed = sum(not _run(file, rng.uniform(0.01, 0.12)) for _ in range(KILLS))
    assert killed >= 2, "the processes came to the end before they were killed"
    assert _run(file, None)

    async with evening(file) as here:
        over = (await here.tournaments.of_guild(20))[0]
        matches = [
            await here.table.services.matches.match(pairing.match_id)
            for pairing in over.pairings
            if pairing.match_id
        ]
    assert over.stage is Stage.OVER
    assert (len(over.entrants), over.round) == (PEOPLE + len(LEVELS), 4)
    assert all(match.is_over for match in matches)
    assert next(entrant for entrant in over.entrants if entrant.seat.user_id == NO_SHOW).is_out
    met = [frozenset(pairing.numbers) for pairing in over.pairings]
    assert len(met) == len(set(met))
    for number in range(1, 5):
        seated = sorted(entrant for pairing in over.of_round(number) for entrant in pairing.numbers)
        assert len(seated) == len(set(seated))
    found = [(place.entrant.number, place.points, list(place.tie_breaks)) for place in standings(over)]
    assert found == [
        (number, float(points), [float(part) for part in breaks])
        for number, points, breaks in separately(over)
    ]
