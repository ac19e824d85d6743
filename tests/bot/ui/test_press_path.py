"""How much code one press passes, from the gateway to the stored move and the displayed answer."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from tests.bot.table import Table, text_of

ROOT = Path(__file__).parents[3]

MAX_FUNCTIONS, MAX_FILES = 83, 27

DRAWING = ("bot/presentation/", "bot/i18n/", "bot/ui/layout.py", "bot/ui/board.py")
RULES = ("bot/domain/",)
THINKING = ("bot/search/", "bot/services/agent_search.py")


def is_on_path(file: str) -> bool:
    """Whether the file is neither drawing nor rules nor the agent's choice of a move."""
    return not file.startswith((*DRAWING, *RULES, *THINKING)) and not file.endswith("views.py")


@contextmanager
def called_functions() -> Iterator[set[tuple[str, str]]]:
    """The functions of the bot that this thread calls inside: (file, name)."""
    called: set[tuple[str, str]] = set()
    folder = f"{ROOT}/bot/"

    def note(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(folder) and not code.co_name.startswith("<"):
            called.add((code.co_filename[len(f"{ROOT}/") :], code.co_qualname))

    sys.setprofile(note)
    try:
        yield called
    finally:
        sys.setprofile(None)


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own: the test stops its jobs."""
    return own_table


async def test_a_press_against_an_agent_passes_few_functions(table: Table) -> None:
    board = await table.start()
    await table.ada.click(board, label="4")
    jobs = table.bot._jobs
    assert jobs is not None
    jobs.stop()
    await asyncio.sleep(0)  # until they have ended

    with called_functions() as called:
        await table.ada.click(board, label="5")

    assert text_of(board).count("🔴") == 4, "two discs of the player, the player's name and the turn"
    path = sorted(one for one in called if is_on_path(one[0]))
    listed = "\n".join(f"{file} {name}" for file, name in path)
    files = {file for file, _ in path}
    assert len(path) <= MAX_FUNCTIONS, f"{len(path)} functions in {len(files)} files:\n{listed}"
    assert len(files) <= MAX_FILES, f"{len(files)} files:\n{listed}"
