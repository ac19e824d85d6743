"""Start the real `python -m bot` against a local Discord, if one is beside the project.

That Discord (`shared/fakediscord` and its requirements.txt) is not part of the project. Without it the
benches that need it print a message and do nothing.
"""

from __future__ import annotations

import functools
import importlib
import os
import re
import sys
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from bot.app import drawings
from bot.process.emoji_sync import names_for

N = TypeVar("N", int, float)

BUTTON = re.compile(r"d1:[msa]:(\d+):(\d+)(?::.*)?")
"""The custom_id of a board's button, with the numbers of match and turn."""

ROOT = Path(__file__).resolve().parent.parent

MISSING = "skipped: ../shared/fakediscord or a package of its requirements.txt is missing"

KERNELS_SECONDS = 240.0
"""Time limit for compiling the agents' kernels at the first start in a folder."""


def load() -> Any | None:
    """Return the package `fakediscord`, or None if it is missing."""
    shared = next((folder / "shared" for folder in ROOT.parents if (folder / "shared").is_dir()), None)
    if shared is None or not (shared / "fakediscord").is_dir():
        return None
    os.environ.setdefault("FAKEDISCORD_OPENAPI", str(shared / "data" / "discord-openapi.json"))
    if str(shared) not in sys.path:
        sys.path.append(str(shared))
    try:
        return importlib.import_module("fakediscord")
    except ImportError:
        return None


def given(bench: Callable[[Any], Awaitable[None]]) -> Callable[[], Awaitable[None]]:
    """Pass the package `fakediscord` to the bench; if it is missing, print a message instead."""

    @functools.wraps(bench)
    async def run() -> None:
        module = load()
        if module is None:
            print(MISSING)
        else:
            await bench(module)

    return run


def asked(prefix: str, **usual: N) -> list[N]:
    """Return the numbers in the variables PREFIX_NAME of the environment, with `usual` as defaults."""
    return [type(number)(os.environ.get(f"{prefix}_{name}", number)) for name, number in usual.items()]


@asynccontextmanager
async def online(server: Any, *, at: Path = ROOT, **env: str) -> AsyncIterator[Any]:
    """Run the bot in its own process on a fresh database, ready to play, until the block ends.

    at: another checkout, run in its own environment.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bot.db"
        settings = {"DATABASE_URL": f"sqlite+aiosqlite:///{file}", "DISCADE_LOG_LEVEL": "INFO", **env}
        python = sys.executable if at == ROOT else str(at / ".venv" / "bin" / "python")
        bot = await server.start_bot([python, "-m", "bot"], env=settings, cwd=at)
        try:
            await bot.ready(["play"], timeout=60)
            await bot.wait_output("the agents are ready", timeout=KERNELS_SECONDS)
            yield bot
        finally:
            await bot.stop(timeout=15)


def give_emoji(server: Any) -> None:
    """Give the application the bot's own emoji, so that no upload is measured."""
    rules = importlib.import_module("fakediscord.rules")
    drawn = drawings()
    picture = rules.Image("image/png", drawn[0].draw())
    for name in names_for(drawn, {}):
        server.world.add_emoji(name, picture, server.world.bot_user)


def percentile(values: list[float], share: float) -> float:
    """Return the value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def cpu_seconds(bot: Any) -> float:
    """Processor seconds used by the bot's process."""
    fields = Path(f"/proc/{bot.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def match_of(message: Any) -> int | None:
    """Return the number of the match on the message's board."""
    return next((int(found[1]) for found in _buttons(message)), None)


def turn_of(message: Any, number: int) -> int | None:
    """Return the turn on that match's board; None if the message is not its board."""
    return max((int(found[2]) for found in _buttons(message) if int(found[1]) == number), default=None)


def move_ids(message: Any) -> list[str]:
    """The custom_ids of the enabled move buttons."""
    ids = (str(button.get("custom_id", "")) for button in message.enabled_buttons)
    return [custom_id for custom_id in ids if custom_id.startswith("d1:m:")]


def _buttons(message: Any) -> list[re.Match[str]]:
    found = (BUTTON.fullmatch(str(button.get("custom_id", ""))) for button in message.buttons)
    return [match for match in found if match]
