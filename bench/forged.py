"""Presses that no app of Discord's would send: custom_ids and values of every shape, in thousands.

Needs ../shared/fakediscord; the bot runs as a process of its own. `FORGED_PRESSES` (default 4000) says how
many.
"""

from __future__ import annotations

import asyncio
import functools
import os
import random
import re
import sqlite3
import string
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench import fake_discord
from bot.ui.dispatch import ROUTER
from bot.ui.routing import VERSION

AT_ONCE = 16
BUTTON, SELECTS = 2, (3, 5, 6, 7, 8)
COMPONENT, MODAL = 3, 5

WORDS = (
    "0 1 2 -1 0x1 1.5 ١ x resign resign-now draw undo stay accept decline yes no join start cancel theme "
    "language level closed role play first worst people agents othello connect-four 2026-11 2026-13 "
    "2026-11-22 connect-four.r.c.b..bo othello.o.f.e.. 🙂 %s {0} ../.. <@1> `"
)
ODD = ("", "9" * 20, "9" * 40, "\u202e", "a\u0300" * 20, "\n", "\x00", "' OR 1=1 --")
PARTS = (*WORDS.split(), *ODD)

STRINGS = ("", "1", "99999", "-1", "more", "x" * 100, "yes", "dark", "de", "all", "\x00", "🙂" * 50)
STRANGE: tuple[Any, ...] = (None, [], "more", 7, {}, {"a": 1}, [None], [1], [[]], [{}], ["1"] * 30)
VALUES: tuple[Any, ...] = (*([text] for text in STRINGS), *STRANGE)

ASIDE = frozenset({"facts", "calls", "outages"})
"""Tables that change by themselves."""


@fake_discord.given
async def run(module: Any) -> None:
    presses, rng = int(os.environ.get("FORGED_PRESSES", "4000")), random.Random(11)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bot.db"
        env = {"DATABASE_URL": f"sqlite+aiosqlite:///{file}", "DISCADE_LOG_LEVEL": "INFO"}
        async with module.FakeDiscord() as server:
            bot = await server.start_bot([sys.executable, "-m", "bot"], env=env, cwd=fake_discord.ROOT)
            try:
                await bot.ready(["play"], timeout=60)
                await bot.wait_output("the agents are ready", timeout=fake_discord.KERNELS_SECONDS)
                await _forge(server, bot, file, presses, rng)
            finally:
                await bot.stop(timeout=15)


async def _forge(server: Any, bot: Any, file: Path, presses: int, rng: random.Random) -> None:
    ada, ben, eve = (server.user(name) for name in ("ada", "ben", "eve"))
    messages = await _messages(ada, ben)
    await asyncio.sleep(8)
    before, shown = _rows(file), [message.text for message in messages]
    free = asyncio.Semaphore(AT_ONCE)
    parts = [part for message in messages for part in (*message.buttons, *message.selects)]
    real = [str(part["custom_id"]) for part in parts if "custom_id" in part]

    async def press(number: int) -> Any:
        async with free:
            source = messages[number % len(messages)]
            data, kind = _made_up(rng, number, real)
            made = eve._use(kind, source.channel, data, f"forged {data!r}"[:80], source=source)
            try:
                await made.acknowledged()
            except AssertionError:
                return made
            return made

    made = await asyncio.gather(*(press(number) for number in range(presses)))
    await server.settle(timeout=60)
    lines = [line for life in (*bot.earlier, bot.lines) for line in life]
    print("| what was counted | |\n|---|---|")
    print(f"| presses and forms | {presses} |")
    print(f"| not answered | {sum(one.ack_type is None for one in made)} |")
    print(f"| answered where others see it | {sum(_is_public(one) for one in made)} |")
    bad = sum("Traceback" in one or " ERROR " in one for one in lines)
    print(f"| tracebacks and errors in the log | {bad} |")
    print(f"| rows that changed | {', '.join(_changed(before, _rows(file))) or 0} |")
    now = [message.text for message in messages]
    print(f"| messages that changed | {sum(a != b for a, b in zip(shown, now, strict=True))} |")
    for line in [one for one in lines if " ERROR " in one][:5]:
        print(f"\n    {line}")
    for one in [one for one in made if one.ack_type is None or _is_public(one)][:5]:
        print(f"\n    {one}")


async def _messages(ada: Any, ben: Any) -> list[Any]:
    """What stands in a channel: boards, an invitation, a tournament, a leaderboard, a puzzle of the day."""
    asked = await (await ada.slash(None, "challenge", game="connect-four", opponent=ben)).result()
    board = await (await ada.slash(None, "play", game="othello", level="pip", first="me")).result()
    tournament = await (await ada.slash(None, "tournament create", game="tic-tac-toe")).result()
    standings = await (await ada.slash(None, "leaderboard", game="connect-four")).result()
    other = await (await ada.slash(None, "challenge", game="tic-tac-toe", opponent=ben, first="me")).result()
    await ben.click(other, "Accept")
    return [asked, board, tournament, standings, other]


def _made_up(rng: random.Random, number: int, real: list[str]) -> tuple[dict[str, Any], int]:
    """The data of an interaction, and its type. real: custom_ids that stand somewhere."""
    if number % 7 == 0:
        custom_id = "".join(rng.choice(string.printable) for _ in range(rng.randrange(0, 100)))
    elif number % 5 == 0:
        parts = rng.choice(real).split(":")
        parts[rng.randrange(len(parts))] = rng.choice(PARTS)
        custom_id = ":".join(parts)[:100]
    else:
        version = rng.choice((*(VERSION,) * 6, "d0", "d2", "d99", "D1", "", "d"))
        custom_id = ":".join((version, *_parts(rng)))[:100]
    values = rng.choice(VALUES)
    if number % 11 == 0:
        fields: Any = rng.choice((None, [], [{}], [{"type": 18, "component": None}], "x", [None], [[]]))
        if rng.random() < 0.6:
            field = {"type": 3, "custom_id": rng.choice(("board", "first", "clock", "")), "values": values}
            fields = [{"type": 18, "component": field}]
        return {"custom_id": custom_id, "components": fields}, MODAL
    data: dict[str, Any] = {"custom_id": custom_id, "component_type": BUTTON, "id": 1}
    if rng.random() < 0.6:
        data["component_type"] = rng.choice(SELECTS)
    if values is not None:
        data["values"] = values
    return data, COMPONENT


def _parts(rng: random.Random) -> list[str]:
    """Of some declared route: its kind and parts as they may be, but for some that are none of it."""
    route = rng.choice(ROUTER.routes)
    parts = [rng.choice(_fitting(part.pattern) or PARTS) for part in route.parts]
    if rng.random() < 0.4:
        parts.insert(rng.randrange(len(parts) + 1), rng.choice(PARTS))
    if parts and rng.random() < 0.4:
        parts[rng.randrange(len(parts))] = rng.choice(PARTS)
    return [route.kind if rng.random() < 0.95 else "form", *parts[: rng.choice((9, 9, 9, 1, 2))]]


@functools.cache
def _fitting(pattern: str) -> tuple[str, ...]:
    """What such a part may look like: words that stand in the pattern itself, numbers, ids."""
    words = {*PARTS, *(word.replace("\\", "") for word in re.split(r"[|()?:]", pattern))}
    return tuple(sorted(word for word in words if re.fullmatch(pattern, word)))


def _is_public(made: Any) -> bool:
    """Whether the answer is a message that others see."""
    return made.ack_type == 4 and not made.ephemeral


def _rows(file: Path) -> dict[str, list[Any]]:
    connection = sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=5)
    try:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}
    finally:
        connection.close()


def _changed(before: dict[str, list[Any]], after: dict[str, list[Any]]) -> list[str]:
    found = [name for name in after if name not in ASIDE and before.get(name) != after[name]]
    return [f"{name}: {set(after[name]) ^ set(before.get(name, ()))}" for name in found]
