"""The real process against a local Discord: a crowd guesses at once, and a kill loses no guess."""

from __future__ import annotations

import asyncio

import pytest

from tests.bot.live import live_bot
from tests.discord_server import FakeDiscord, Message
from tests.working import MAX_TEST_WAIT_SECONDS

MANAGE_GUILD = 1 << 5
CROWD = 20


def questions(server: FakeDiscord) -> list[Message]:
    return [one for one in server.messages() if "Who wins?" in one.text and not one.ephemeral]


@pytest.mark.slow
async def test_a_kill_after_a_crowds_presses_loses_no_guess_and_asks_once() -> None:
    async with live_bot() as (server, bot):
        boss = server.user("boss")
        server.give_role(boss, server.add_role("Crew", MANAGE_GUILD))
        settings = await (await boss.slash(None, "settings")).result()
        daily = await (await boss.click(settings, "d1:gg:daily")).result()
        await boss.click(daily, "No guesses")
        levels = {"first_level": "pip", "second_level": "pip", "speed": "slow"}
        await boss.slash(None, "watch", game="tic-tac-toe", **levels)
        await server.until(lambda: questions(server), MAX_TEST_WAIT_SECONDS, "the question")
        (question,) = questions(server)
        people = [server.user(f"guesser{number}") for number in range(CROWD)]
        label = question.button_labels[-1]
        presses = [person.start_click(question, label) for person in people]
        answers = await asyncio.gather(*(press.acknowledged() for press in presses))
        await bot.kill()
        assert all("You said **Pip**" in answer.text for answer in answers)
        await bot.start()
        await bot.ready()
        told = f"{CROWD} people have guessed."
        await server.until(lambda: told in questions(server)[0].text, MAX_TEST_WAIT_SECONDS, "the count")
        assert len(questions(server)) == 1
