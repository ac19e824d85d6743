"""Starts the real `python -m bot` against a local Discord, where there is one beside the project.

That Discord (`shared/fakediscord`, with what its requirements.txt names) is no part of the project: whatever
needs it says so and does nothing elsewhere.
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

MISSING = "skipped: there is no ../shared/fakediscord here, or what its requirements.txt names is missing"

KERNELS_SECONDS = 240.0
"""How long the first start in a folder may take to compile the agents' kernels."""


def load() -> Any | None:
    """The package `fakediscord`, or None where it is missing."""
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
    """The bench, which takes that package; where it is missing, it says so and does nothing."""

    @functools.wraps(bench)
    async def run() -> None:
        module = load()
        if module is None:
            print(MISSING)
        else:
            await bench(module)

    return run


def asked(prefix: str, **usual: N) -> list[N]:
    """What the environment says in PREFIX_NAME, by name, each a number as the usual one is."""
    return [type(number)(os.environ.get(f"{prefix}_{name}", number)) for name, number in usual.items()]


@asynccontextmanager
async def online(server: Any, *, at: Path = ROOT, **env: str) -> AsyncIterator[Any]:
    """The bot as a process of its own on a fresh database, ready to play; ends with the block.

    at: another checkout, which runs in its own environment.
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
    """The application has the bot's own emoji already, as after its first minutes: no upload is measured."""
    rules = importlib.import_module("fakediscord.rules")
    drawn = drawings()
    picture = rules.Image("image/png", drawn[0].draw())
    for name in names_for(drawn, {}):
        server.world.add_emoji(name, picture, server.world.bot_user)


def percentile(values: list[float], share: float) -> float:
    """The value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def cpu_seconds(bot: Any) -> float:
    """Seconds of a processor that the bot's process has used."""
    fields = Path(f"/proc/{bot.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def match_of(message: Any) -> int | None:
    """The match whose board the message is."""
    return next((int(found[1]) for found in _buttons(message)), None)


def turn_of(message: Any, number: int) -> int | None:
    """The turn that the board of that match shows; None where the message is not its board."""
    return max((int(found[2]) for found in _buttons(message) if int(found[1]) == number), default=None)


def move_ids(message: Any) -> list[str]:
    """The custom_ids of the moves that can be pressed."""
    ids = (str(button.get("custom_id", "")) for button in message.enabled_buttons)
    return [custom_id for custom_id in ids if custom_id.startswith("d1:m:")]


def _buttons(message: Any) -> list[re.Match[str]]:
    found = (BUTTON.fullmatch(str(button.get("custom_id", ""))) for button in message.buttons)
    return [match for match in found if match]
