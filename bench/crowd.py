"""A crowd plays in one channel under Discord's observed rate limits: delay of updates after a move.

The bot runs in its own process at the local Discord of `tests/discord_server`. `CROWD_SECONDS` (default 30)
is the duration, `CROWD_ROOMS` (default 1) the number of channels (more channels avoid Discord's limits), and
`CROWD_BESIDE` another checkout with a `.venv`, whose bot runs at the same time for comparison.
"""

from __future__ import annotations

import asyncio
import os
import re
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

from bench import fake_discord
from bench.fake_discord import ROOT, move_ids
from tests.discord_server import FakeDiscord

PEOPLE = 12
SECONDS_A_MOVE = 2.0
MAX_UPDATE_SECONDS = 60.0

Scene = Callable[[Any, list[Any], float], Awaitable[list[float]]]
MOVE_ID = re.compile(r"d1:m:(\d+):(\d+):(\d+)")


async def run() -> None:
    (seconds,) = fake_discord.asked("CROWD", SECONDS=30.0)
    (rooms,) = fake_discord.asked("CROWD", ROOMS=1)
    beside = os.environ.get("CROWD_BESIDE")
    folders = [ROOT, *([Path(beside).resolve()] if beside else [])]
    where = "one channel" if rooms == 1 else f"{rooms} channels"
    print(f"{PEOPLE} people in {where}, a move every {SECONDS_A_MOVE:g} s each, for {seconds:g} s\n")
    found: list[str] = []
    print("| seconds until … | times | median | p95 | longest |\n|---|---|---|---|---|")
    for title, scene in (("Pip's answer is seen", _against_pip), ("the opponent is called", in_pairs)):
        begin = asyncio.Barrier(len(folders))
        costs = await asyncio.gather(
            *(_one(folder, title, scene, seconds, rooms, begin) for folder in folders)
        )
        ratio = "" if len(costs) == 1 else f", {costs[0] / costs[1]:.2f} of {costs[1]:.1f} beside it"
        found.append(f"{title}: {costs[0]:.1f} ms of the bot's processor a press{ratio}")
    print("\n" + "\n".join(found))


async def _one(
    folder: Path, title: str, scene: Scene, seconds: float, rooms: int, begin: asyncio.Barrier
) -> float:
    """Run the scene with the bot of that checkout on its own Discord; return milliseconds a press."""
    async with FakeDiscord() as server:
        fake_discord.give_emoji(server)
        channels = [server.channel, *(server.new_channel(f"room{n}") for n in range(1, rooms))]
        async with fake_discord.online(server, folder) as bot:
            # The scenes run concurrently, so that other load on the machine slows all of them.
            await begin.wait()
            used_before = fake_discord.cpu_seconds(bot)
            waits = await scene(server, channels, seconds)
            used = fake_discord.cpu_seconds(bot) - used_before
            acknowledged = [latency for _, latency in server.ack_latencies()]
            broken = [line for line in server.recorder.violations if line.kind != "rate-limited"]
            refused = [line for line in bot.lines if " ERROR " in line]
    if folder != ROOT:
        title += f", {folder.name}"
    print(row(title, waits), row(f"… acknowledged, {title}", acknowledged), sep="\n", flush=True)
    for line in (*map(str, broken[:5]), *refused[:5]):
        print(f"\n    {line}")
    return 1000 * used / max(1, len(acknowledged))


def row(title: str, waits: list[float]) -> str:
    if not waits:
        return f"| {title} | 0 | – | – | – |"
    median, late = fake_discord.percentile(waits, 0.5), fake_discord.percentile(waits, 0.95)
    return f"| {title} | {len(waits)} | {median:.3f} | {late:.3f} | {max(waits):.3f} |"


async def _against_pip(server: Any, channels: list[Any], seconds: float) -> list[float]:
    """Let each person play Pip, match after match."""
    waits: list[float] = []

    async def play(number: int) -> None:
        rng, person = Random(number), server.user(f"person{number}")
        channel = channels[number % len(channels)]
        until = time.monotonic() + seconds
        board = None
        while time.monotonic() < until:
            await asyncio.sleep(rng.uniform(0.5, 1.5) * SECONDS_A_MOVE)
            if board is None or not move_ids(board):
                used = await person.slash(channel, "play", game="connect-four", level="pip", first="me")
                board = await used.result()
                continue
            waits.append(await _answered(server, person, board, rng.choice(move_ids(board))))

    await asyncio.gather(*(play(number) for number in range(PEOPLE)))
    return waits


async def in_pairs(server: Any, channels: list[Any], seconds: float) -> list[float]:
    """Let six pairs play each other with half the pause; return the seconds until each ping."""
    waits: list[float] = []

    async def play(number: int) -> None:
        rng, channel = Random(number), channels[number % len(channels)]
        pair = [server.user(f"person{number}a"), server.user(f"person{number}b")]
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            asked = await pair[0].slash(
                channel, "challenge", game="connect-four", opponent=pair[1], first="me"
            )
            board = (await pair[1].click(await asked.result(), "Accept")).message
            while move_ids(board) and time.monotonic() < until:
                await asyncio.sleep(rng.uniform(0.5, 1.5) * SECONDS_A_MOVE / 2)
                mover, other = pair if (_turn(board) or 0) % 2 == 0 else pair[::-1]
                waits.extend(await _called(server, mover, other, board, rng.choice(move_ids(board))))

    await asyncio.gather(*(play(number) for number in range(PEOPLE // 2)))
    return waits


async def _answered(server: Any, person: Any, board: Any, move: str) -> float:
    """Make the move; return the seconds until the board shows the agent's answer, or the end."""
    turn, began = _turn(board) or 0, time.monotonic()
    await person.click(board, move)
    await server.until(lambda: _turn(board) in (None, turn + 2), MAX_UPDATE_SECONDS, "the agent's answer")
    return time.monotonic() - began


async def _called(server: Any, mover: Any, other: Any, board: Any, move: str) -> list[float]:
    """Make the move; return the seconds until the opponent's ping, empty if the move ended the match."""
    seen, began = {ping.id for ping in other.pings()}, time.monotonic()
    await mover.click(board, move)
    if not move_ids(board):
        return []
    await server.until(
        lambda: any(ping.id not in seen for ping in other.pings()), MAX_UPDATE_SECONDS, "a call"
    )
    return [time.monotonic() - began]


def _turn(board: Any) -> int | None:
    """Return the turn of the board's buttons, enabled or not; None once the match is over."""
    found = (MOVE_ID.fullmatch(button.get("custom_id", "")) for button in board.buttons)
    return max((int(match[2]) for match in found if match), default=None)
