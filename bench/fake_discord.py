"""The local Discord for benches of the real `python -m bot`, and readings of its boards and its process."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any, TypeVar

from bot.app import drawings
from bot.process.emoji_sync import names_for
from tests.discord_server import KERNELS_SECONDS as KERNELS_SECONDS
from tests.discord_server import BotProcess, FakeDiscord, Message
from tests.discord_server import online as online

N = TypeVar("N", int, float)

BUTTON = re.compile(r"d1:[msa]:(\d+):(\d+)(?::.*)?")
"""The custom_id of a board's button, with the numbers of match and turn."""

ROOT = Path(__file__).resolve().parent.parent


def asked(prefix: str, **usual: N) -> list[N]:
    """Return the numbers in the variables PREFIX_NAME of the environment, with `usual` as defaults."""
    return [type(number)(os.environ.get(f"{prefix}_{name}", number)) for name, number in usual.items()]


def give_emoji(server: FakeDiscord) -> None:
    """Give the application the bot's own emoji, so that no upload is measured."""
    for name in names_for(drawings(), {}):
        server.world.add_emoji(name)


def percentile(values: list[float], share: float) -> float:
    """Return the value below which that share of the values lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))]


def cpu_seconds(bot: BotProcess) -> float:
    """Processor seconds used by the bot's process."""
    fields = Path(f"/proc/{bot.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def match_of(message: Message) -> int | None:
    """Return the number of the match on the message's board."""
    return next((int(found[1]) for found in _buttons(message)), None)


def turn_of(message: Message, number: int) -> int | None:
    """Return the turn on that match's board; None if the message is not its board."""
    return max((int(found[2]) for found in _buttons(message) if int(found[1]) == number), default=None)


def move_ids(message: Any) -> list[str]:
    """The custom_ids of the enabled move buttons."""
    ids = (str(button.get("custom_id", "")) for button in message.enabled_buttons)
    return [custom_id for custom_id in ids if custom_id.startswith("d1:m:")]


def _buttons(message: Message) -> list[re.Match[str]]:
    found = (BUTTON.fullmatch(str(button.get("custom_id", ""))) for button in message.buttons)
    return [match for match in found if match]
