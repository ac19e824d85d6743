"""The bot's memory stays within the limits of bench memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.memory import AT_REST, UNDER_LOAD

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_bot_at_rest_stays_small_after_every_level_has_played() -> None:
    """Python and the C library of another machine may take some more."""
    said = subprocess.run(
        (sys.executable, "-m", "bench", "memory"), cwd=ROOT, capture_output=True, text=True, check=True
    )
    rows = [line.split("|") for line in said.stdout.splitlines() if line.startswith("|")]
    asked = {int(cells[3]): int(cells[2]) for cells in rows if cells[3].strip().isdigit()}
    assert asked[AT_REST] <= 1.1 * AT_REST
    assert asked[UNDER_LOAD] <= 1.1 * UNDER_LOAD
