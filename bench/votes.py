"""A channel of 100 people votes while others play: delay of ordinary moves, and edits of the vote's board.

The bot runs in its own process at the local Discord of `tests/discord_server`. `VOTES_PEOPLE` (default 100)
is the number of voters, `VOTES_SECONDS` (default 10) the time in which each of them votes once, and
`VOTES_ROUNDS` (default 3) how often.
"""

from __future__ import annotations

import asyncio
import time
from random import Random
from typing import Any

from bench import fake_discord
from bench.fake_discord import move_ids
from tests.discord_server import FakeDiscord, Interaction, Message, Person

PLAYERS = 4
SECONDS_A_MOVE = 1.0


async def run() -> None:
    people, rounds = fake_discord.asked("VOTES", PEOPLE=100, ROUNDS=3)
    (seconds,) = fake_discord.asked("VOTES", SECONDS=10.0)
    async with FakeDiscord() as server:
        fake_discord.give_emoji(server)
        async with fake_discord.online(server):
            players = [server.user(f"player{number}") for number in range(PLAYERS)]
            rooms = [server.new_channel(f"room{number}") for number in range(PLAYERS)]
            boards = [await _board(one, room) for one, room in zip(players, rooms, strict=True)]
            print("| an ordinary press is acknowledged | presses | p50, ms | p95, ms |\n|---|---|---|---|")
            pairs = list(zip(players, boards, strict=True))
            print(_row("without a vote", await _play(pairs, seconds)))
            board = await begin_votes(server, server.user("starter"))
            voters = [server.user(f"voter{number}") for number in range(people)]
            votes: list[float] = []
            moves: list[float] = []
            edits = 0
            for number in range(rounds):
                before = len(server.recorder.asked("PATCH", "*"))
                waits = await asyncio.gather(
                    _play(pairs, seconds),
                    *(
                        _vote(one, board, seconds, Random(index + 1000 * number))
                        for index, one in enumerate(voters)
                    ),
                )
                edits += len(server.recorder.asked("PATCH", "*")) - before
                moves += waits[0]
                votes += [wait for (wait,) in waits[1:]]
            print(_row(f"beside a vote of {people}", moves))
            print(_row("a vote itself", votes))
    print(f"\n{len(votes)} votes in {rounds * seconds:g} s: {edits} edits besides the answers to presses")


async def begin_votes(server: FakeDiscord, starter: Person) -> Message:
    """Let the channel play from the start panel; return its board."""
    panel = await (await starter.slash(None, "play")).result()
    menu = next(one["custom_id"] for one in panel.selects if ":pick-opponent:" in one["custom_id"])
    await starter.select(panel, menu, "channel")
    await starter.click(panel, "Start")
    await server.until(lambda: vote_boards(server), 10, "the board")
    return vote_boards(server)[0]


def vote_boards(server: FakeDiscord) -> list[Message]:
    """The boards on which people can vote."""
    return [
        one
        for one in server.messages()
        if any("d1:vm:" in button["custom_id"] for button in one.enabled_buttons)
    ]


async def _board(person: Any, room: Any) -> Any:
    return await (await person.slash(room, "play", game="connect-four", level="pip", first="me")).result()


async def _vote(person: Any, board: Any, seconds: float, rng: Random) -> list[float]:
    """Vote once at some moment of that time; return the seconds until it was acknowledged."""
    await asyncio.sleep(rng.uniform(0, seconds))
    buttons = [one["custom_id"] for one in board.enabled_buttons if "d1:vm:" in one["custom_id"]]
    return [await _timed(person.start_click(board, rng.choice(buttons)))]


async def _play(pairs: list[tuple[Any, Any]], seconds: float) -> list[float]:
    """Let each person play their match; return the seconds until each press was acknowledged."""

    async def play(person: Any, board: Any) -> list[float]:
        waits, rng, until = [], Random(person.id), time.monotonic() + seconds
        while time.monotonic() < until:
            await asyncio.sleep(rng.uniform(0.5, 1.5) * SECONDS_A_MOVE)
            if moves := move_ids(board):
                waits.append(await _timed(person.start_click(board, rng.choice(moves))))
            else:
                board = await _board(person, board.channel)
        return waits

    found = await asyncio.gather(*(play(person, board) for person, board in pairs))
    return [wait for waits in found for wait in waits]


async def _timed(press: Interaction) -> float:
    began = time.monotonic()
    await press.acknowledged()
    return time.monotonic() - began


def _row(title: str, waits: list[float]) -> str:
    half, late = (1000 * fake_discord.percentile(waits, share) for share in (0.5, 0.95))
    return f"| {title} | {len(waits)} | {half:.0f} | {late:.0f} |"
