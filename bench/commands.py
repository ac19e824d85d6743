"""Two hundred people use commands at once, one kind and all kinds mixed: seconds until each is acknowledged.

Then people type into options; the bench measures the delay of the suggested choices.

The bot runs in its own process; the local Discord (`tests/discord_server`) uses the other core.
`COMMANDS_PEOPLE` (default 200) is the number of people.
"""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

from bench import fake_discord
from tests.discord_server import FakeDiscord

KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("play", {"game": "connect-four", "level": "pip"}),
    ("help", {"game": "othello"}),
    ("profile", {"scope": "everywhere"}),
    ("leaderboard", {"game": "connect-four"}),
    ("match list", {}),
    ("help", {}),
    ("challenge", {"game": "othello"}),
    ("profile", {"page": "achievements"}),
    ("puzzle play", {"game": "connect-four"}),
)  # fmt: skip
TYPED: tuple[tuple[str, str, str, dict[str, Any]], ...] = (
    ("play", "level", "al", {"game": "connect-four"}),
    ("play", "board", "1", {"game": "connect-four"}),
    ("move", "to", "4", {}),
    ("review analysis", "match", "p", {}),
    ("leaderboard", "season", "", {"game": "tic-tac-toe"}),
    ("tournament show", "tournament", "", {}),
)  # fmt: skip
TRIES = 60
"""Letters typed into each option, one after another, by people with a match."""

MOST_SECONDS = 30.0
"""Time limit for an answer after its acknowledgement."""


async def run() -> None:
    people = int(os.environ.get("COMMANDS_PEOPLE", "200"))
    async with FakeDiscord() as server, fake_discord.online(server) as bot:
        crowd = [server.user(f"person{number}") for number in range(people)]
        await _play_once(crowd)
        print(f"{people} commands at once, each from another person; seconds\n")
        print("| command | acknowledged: median | p99 | longest | too late | answered: p99 | CPU |")
        print("|---|---|---|---|---|---|---|")
        for name, options in KINDS:
            print(
                await _row(server, bot, crowd, "/" + " ".join((name, *options)), [(name, options)] * people),
                flush=True,
            )
        mixed = [KINDS[number % len(KINDS)] for number in range(people)]
        print(await _row(server, bot, crowd, "all of them, mixed", mixed), flush=True)
        print("\n| what is typed into | choices offered after: median, ms | p95 | longest |")
        print("|---|---|---|---|")
        for typed in TYPED:
            print(await _typing(crowd, *typed), flush=True)
        for line in [line for line in bot.lines if " ERROR " in line][:5]:
            print(f"\n    {line}")


async def _play_once(crowd: list[Any]) -> None:
    """Give each person a finished rated match, so that pictures have content."""
    for first, second in zip(crowd[::2], crowd[1::2], strict=True):
        asked = await first.slash(None, "challenge", game="tic-tac-toe", opponent=second, first="me")
        board = (await second.click(await asked.result(), "Accept")).message
        for number, move in enumerate((0, 3, 1, 4, 2)):
            button = next(one for one in fake_discord.move_ids(board) if one.endswith(f":{move}"))
            await (first, second)[number % 2].click(board, button)


async def _row(
    server: Any, bot: Any, crowd: list[Any], title: str, uses: list[tuple[str, dict[str, Any]]]
) -> str:
    guild = server.new_guild(members=crowd)
    channel = server.channel_of(guild)
    await asyncio.sleep(1)
    before = fake_discord.cpu_seconds(bot)
    sent = [
        person.start_slash(channel, name, **options)
        for person, (name, options) in zip(crowd, uses, strict=True)
    ]
    waited = await asyncio.gather(*(_answered(one) for one in sent))
    await server.settle(timeout=60)
    spent = fake_discord.cpu_seconds(bot) - before
    acknowledged = [one.ack_latency for one in sent if one.ack_latency is not None]
    answered = [seconds for seconds in waited if seconds is not None]
    if not acknowledged:
        return f"| {title} | – | – | – | {len(sent)} | – | {spent:.1f} |"
    median, most = fake_discord.percentile(acknowledged, 0.5), fake_discord.percentile(acknowledged, 0.99)
    end = f"{fake_discord.percentile(answered, 0.99):.2f}" if answered else "–"
    if len(answered) < len(sent):
        end += f" ({len(sent) - len(answered)} never)"
    return (
        f"| {title} | {median:.2f} | {most:.2f} | {max(acknowledged):.2f} "
        f"| {len(sent) - len(acknowledged)} | {end} | {spent:.1f} |"
    )


async def _typing(crowd: list[Any], command: str, option: str, text: str, options: dict[str, Any]) -> str:
    waits = []
    for number in range(TRIES):
        started = time.perf_counter()
        await crowd[number % len(crowd)].autocomplete(None, command, option, text, **options)
        waits.append(1000 * (time.perf_counter() - started))
    median, most = fake_discord.percentile(waits, 0.5), fake_discord.percentile(waits, 0.95)
    return f"| /{command} {option}: | {median:.0f} | {most:.0f} | {max(waits):.0f} |"


async def _answered(use: Any) -> float | None:
    """Return the seconds until an answer was visible, or None if there was none."""
    try:
        await use.result(MOST_SECONDS)
    except AssertionError:
        return None
    return float(use.resolve_latency)
