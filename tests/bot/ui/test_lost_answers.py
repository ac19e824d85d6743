"""The real process against a local Discord that loses answers: each board works and is sent once."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest

from tests.bot.live import live_bot
from tests.discord_server import FakeDiscord, Message, NoResponse, Person
from tests.working import MAX_TEST_WAIT_SECONDS

CALLBACK = ("POST", "*/callback")
GAME = {"game": "connect-four", "level": "pip", "first": "me"}


@pytest.fixture
async def server() -> AsyncIterator[FakeDiscord]:
    async with live_bot() as (made, _):
        yield made
        # discord.py itself repeats requests that failed with 502.
        await made.verify(ignore=["double-ack"])


@pytest.mark.slow
async def test_lost_answers_leave_one_working_board_each(server: FakeDiscord) -> None:
    ada, ben = server.user("ada"), server.user("ben")
    faults = server.faults

    faults.disconnect(*CALLBACK, after_effect=True)
    board = await (await ada.slash(None, "play", **GAME)).result()
    await presses_count(server, ada, board, 3)

    faults.disconnect(*CALLBACK)
    board = await (await ada.slash(None, "play", **GAME)).result()
    await presses_count(server, ada, board, 3)

    faults.status(*CALLBACK, after_effect=True)
    board = await (await ada.slash(None, "play", **GAME)).result()
    await presses_count(server, ada, board, 3)

    asked = await ada.slash(None, "challenge", game="connect-four", opponent=ben, first="me")
    faults.disconnect(*CALLBACK, after_effect=True)
    board = await (await ben.click(await asked.result(), "Accept")).result()
    await ada.click(board, "4")
    assert "ada played **4**" in board.text
    faults.disconnect(*CALLBACK, after_effect=True)
    await ben.click(board, "4")
    assert "ben played **4**" in board.text
    faults.disconnect(*CALLBACK)
    await ada.click(board, "4")
    assert "ada played **4**" in board.text
    assert board.text.count("🔴") + board.text.count("🟡") >= 3

    # discord.py repeats failed requests; the queue acknowledges the command meanwhile.
    assert len([line for line in server.recorder.violations if line.kind == "double-ack"]) in (1, 2)
    living = [message for message in server.messages() if message.enabled_buttons and not message.ephemeral]
    assert len(living) == 4, "one for each match"


@pytest.mark.slow
async def test_a_lost_private_answer_is_given_once_and_without_an_apology(server: FakeDiscord) -> None:
    ada, faults = server.user("ada"), server.faults
    losses: tuple[Callable[[], None], ...] = (
        lambda: faults.disconnect(*CALLBACK, after_effect=True),
        lambda: faults.disconnect(*CALLBACK),
        lambda: faults.status(*CALLBACK, after_effect=True),
    )
    for lose in losses:
        lose()
        answer = await ada.slash(server.channel, "match list")
        await server.settle()
        assert "You have no running matches" in answer.text
        assert not answer.followups
    said = [line for bot in server.bots for line in bot.lines]
    assert not [line for line in said if "Traceback" in line or " ERROR " in line or " WARNING " in line]


@pytest.mark.slow
async def test_a_form_whose_answer_gets_lost_opens(server: FakeDiscord) -> None:
    ben = server.user("ben")
    for name, after_effect in (("ada", False), ("eve", True)):
        asking = server.user(name)
        server.faults.disconnect(*CALLBACK, after_effect=after_effect)
        form = await asking.menu(ben, "Challenge")
        await server.settle()
        assert not form.followups, "and no trouble is reported"
        values = {field["label"]: _usual(field["component"]) for field in form.modal["components"]}
        await asking.submit(form, values)
        await server.until(partial(standing, server, name), MAX_TEST_WAIT_SECONDS, "the invitation")


def _usual(menu: dict[str, Any]) -> str:
    """Return its preselected options."""
    usual: str = next(option["value"] for option in menu["options"] if option["default"])
    return usual


@pytest.mark.slow
async def test_a_public_answer_appears_once_whatever_gets_lost(server: FakeDiscord) -> None:
    faults, webhooks = server.faults, ("POST", "/webhooks/*")
    losses: tuple[Callable[[tuple[str, str]], None], ...] = (
        lambda path: faults.status(*path, after_effect=True),
        lambda path: faults.status(*path),
        lambda path: faults.disconnect(*path, after_effect=True),
        lambda path: faults.disconnect(*path),
    )
    for number, lose in enumerate(losses):
        person = server.user(f"person{number}")
        private = await (await person.slash(server.channel, "profile", page="achievements")).result()
        lose(webhooks)
        await person.click(private, "Share")
        said = f"Shared by person{number}"
        await server.until(partial(standing, server, said), MAX_TEST_WAIT_SECONDS, said)
        lose(CALLBACK)
        answer = await person.slash(server.channel, "leaderboard", game="othello")
        await server.settle()
        assert not answer.followups
        assert len(standing(server, "Othello")) == number + 1
    # Later than right after it, since discord.py waits a second before it says something again.
    assert [len(standing(server, f"Shared by person{number}")) for number in range(4)] == [1, 1, 1, 1]


def standing(server: FakeDiscord, said: str) -> list[Message]:
    return [one for one in server.messages() if said in one.text and not one.ephemeral]


@pytest.mark.slow
async def test_a_lost_refusal_is_not_logged_as_an_error(server: FakeDiscord) -> None:
    board = await (await server.user("ada").slash(None, "play", **GAME)).result()
    server.faults.disconnect(*CALLBACK, times=10)
    server.ack_seconds = 3.0
    with pytest.raises(NoResponse):
        await server.user("eve").click(board, "4")
    server.faults.clear()
    server.recorder.violations.clear()  # answers were impossible
    said = [line for bot in server.bots for line in bot.lines]
    assert not [line for line in said if "Traceback" in line or " ERROR " in line]


async def presses_count(server: FakeDiscord, person: Person, board: Message, times: int) -> None:
    """Moves of the person are made and answered on that board."""
    for _ in range(times):
        discs = board.text.count("🔴")
        column = next(button["label"] for button in board.enabled_buttons if button["label"].isdecimal())
        await person.click(board, column)
        await server.until(
            partial(_is_answered, board, discs), MAX_TEST_WAIT_SECONDS, "the answer on this board"
        )


def _is_answered(board: Message, discs: int) -> bool:
    """Whether the board shows more discs of the person than before, and the agent's move."""
    return board.text.count("🔴") > discs and "Pip played" in board.text
