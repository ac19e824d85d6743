"""A thousand presses on one board at once: how many count, and how long the mover and the others wait.

Needs ../shared/fakediscord; the bot runs as a process of its own, and that Discord takes the other core.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from typing import Any

from bench import fake_discord

PRESSES = 1000
STRANGERS = 100


@fake_discord.given
async def run(module: Any) -> None:
    async with module.FakeDiscord() as server, fake_discord.online(server) as bot:
        ada, ben = server.user("ada"), server.user("ben")
        strangers = [server.user(f"stranger{number}") for number in range(STRANGERS)]
        asked = await ada.slash(None, "challenge", game="connect-four", opponent=ben, first="me")
        board = (await ben.click(await asked.result(), "Accept")).message
        await asyncio.sleep(2)
        began, spent, own = time.monotonic(), fake_discord.cpu_seconds(bot), time.process_time()
        presses = []
        for number in range(PRESSES):
            person = ada if number % 250 == 125 else ben if number % 250 == 200 else None
            person = person or strangers[number % STRANGERS]
            presses.append((person, person.start_click(board, str(number % 7 + 1), stale=True)))
        sent = time.monotonic() - began
        await _waited(next(press for person, press in presses if person is ada))
        by_bot, by_server = fake_discord.cpu_seconds(bot) - spent, time.process_time() - own
        await asyncio.gather(*(_waited(press) for _, press in presses))
        await server.settle(timeout=60)
        moves = board.text.count("🟥") + board.text.count("🟨")
        print(f"{PRESSES} presses sent in {sent:.2f} s by {STRANGERS + 2} people; moves made: {moves}\n")
        print("| seconds until answered | presses | median | p95 | longest | too late |")
        print("|---|---|---|---|---|---|")
        print(_row("the first of the mover's", [press for person, press in presses if person is ada][:1]))
        print(_row("the mover's", [press for person, press in presses if person is ada]))
        print(_row("everybody's", [press for _, press in presses]))
        ends = [(press.interaction.acked or 1e9, person) for person, press in presses]
        before = sorted(ends, key=lambda end: end[0])
        rank = next(rank for rank, (_, person) in enumerate(before) if person is ada)
        print(f"\n{rank} were answered before the mover.")
        print(f"Processor until the mover was answered: bot {by_bot:.2f} s, that Discord {by_server:.2f} s;")
        print(f"in all: bot {fake_discord.cpu_seconds(bot) - spent:.2f} s.")
        for line in [line for line in bot.lines if " ERROR " in line][:5]:
            print(f"\n    {line}")


async def _waited(press: Any) -> None:
    try:
        await press.acknowledged()
    except AssertionError:
        return


def _row(title: str, presses: Iterable[Any]) -> str:
    presses = list(presses)
    waits = [press.ack_latency for press in presses if press.ack_latency is not None]
    late = len(presses) - len(waits)
    if not waits:
        return f"| {title} | {len(presses)} | – | – | – | {late} |"
    median, most = fake_discord.percentile(waits, 0.5), fake_discord.percentile(waits, 0.95)
    return f"| {title} | {len(presses)} | {median:.3f} | {most:.3f} | {max(waits):.3f} | {late} |"
