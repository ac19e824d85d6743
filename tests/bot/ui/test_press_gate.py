"""A crowd at one board: the player to move is served first, and presses to be refused wait."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from bot.domain.match import Match
from bot.domain.terms import First
from bot.services.changes import Changes
from bot.ui import press_gate
from bot.ui.match.routes import PLAY
from bot.ui.press_gate import PressGate
from tests.bot.sittings import ADA, BEN, HERE, Sitting, sitting, terms_of
from tests.bot.table import Table, line_of
from tests.working import MAX_TEST_WAIT_SECONDS

STRANGER = 99


def press(user_id: int, custom_id: str, *, is_in_server: bool = True) -> dict[str, Any]:
    """Return the payload of a press, with the fields that the gate reads."""
    user = {"user": {"id": str(user_id)}}
    return {"type": 3, "data": {"custom_id": custom_id}, **({"member": user} if is_in_server else user)}


async def begun(table: Sitting) -> Match:
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("connect-four", first=First.ME), HERE)
    match = (await table.services.challenges.accept(challenge.id, BEN))[1]
    return await table.services.matches.match(match.id)


def gate_of(changes: Changes, handle: Callable[[Any], None]) -> PressGate:
    return PressGate(handle, changes, asyncio.Semaphore(2), PLAY.move)


@asynccontextmanager
async def at_one_board(folder: Path) -> AsyncIterator[tuple[PressGate, str, list[Any]]]:
    """Yield the gate, the custom_id of Ada's first move, and the list of handled presses."""
    async with sitting(folder / "discade.db") as table:
        seen: list[Any] = []
        yield gate_of(table.changes, seen.append), f"d1:m:{(await begun(table)).id}:0:3", seen


async def test_the_player_to_move_is_served_before_earlier_presses_of_others(tmp_path: Path) -> None:
    async with at_one_board(tmp_path) as (gate, move, seen):
        strangers = [press(STRANGER + number, move) for number in range(100)]
        for one in (*strangers, press(BEN.user_id, move), press(ADA.user_id, move)):
            gate.admit(one)
        assert seen == [press(ADA.user_id, move)]
        await asyncio.sleep(0)
        assert len(seen) == 1, "in a crowd refusals wait"
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while len(seen) < 1 + len(strangers) + 1:
                await asyncio.sleep(press_gate.QUIET_SECONDS)
        assert seen[1:] == [*strangers, press(BEN.user_id, move)], "and all others get an answer"


async def test_the_player_to_move_is_served_at_once_while_a_crowd_presses(
    tmp_path: Path, monkeypatch: Any
) -> None:
    for name in ("QUIET_SECONDS", "MAX_WAIT_SECONDS"):
        monkeypatch.setattr(press_gate, name, 2 * MAX_TEST_WAIT_SECONDS)
    async with at_one_board(tmp_path) as (gate, move, seen):
        for burst in range(5):
            for number in range(press_gate.CROWD_SIZE + 1):
                gate.admit(press(STRANGER + 100 * burst + number, move))
            await asyncio.sleep(press_gate.FIRST_REFUSAL_SECONDS)
        gate.admit(press(ADA.user_id, move))
        assert seen == [press(ADA.user_id, move)]


async def test_presses_are_refused_also_while_a_crowd_never_ends(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(press_gate, "MAX_WAIT_SECONDS", 0.1)
    async with at_one_board(tmp_path) as (gate, move, seen):
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while not seen:
                for number in range(press_gate.CROWD_SIZE):
                    gate.admit(press(STRANGER + number, move))
                await asyncio.sleep(0.01)


async def test_presses_that_may_succeed_are_handled_at_once(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await begun(table)
        seen: list[Any] = []
        gate = gate_of(table.changes, seen.append)
        all_of_them = [
            {"type": 2, "data": {"name": "play"}, "user": {"id": "1"}},
            press(STRANGER, "anything"),
            press(STRANGER, ""),
            press(STRANGER, "d1:m:777:0:3"),
            press(STRANGER, f"d1:a:{match.id}:0:resign"),
            press(STRANGER, f"d1:m:{match.id}:1:3"),
            press(ADA.user_id, f"d1:m:{match.id}:0:3", is_in_server=False),
        ]
        for one in all_of_them:
            gate.admit(one)
        assert seen == all_of_them


async def test_a_press_that_discord_has_given_up_is_dropped(
    tmp_path: Path, monkeypatch: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "bot.ui.press_gate")
    monkeypatch.setattr(press_gate, "ANSWER_DEADLINE_SECONDS", 0.15)
    crowd = press_gate.CROWD_SIZE + 1
    async with at_one_board(tmp_path) as (gate, move, seen):
        for number in range(crowd):
            gate.admit(press(STRANGER + number, move))
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while f"{crowd} presses dropped" not in caplog.text:
                await asyncio.sleep(0.01)
        assert seen == []
        monkeypatch.setattr(press_gate, "ANSWER_DEADLINE_SECONDS", 2 * MAX_TEST_WAIT_SECONDS)
        gate.admit(press(STRANGER, move))
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while not seen:
                await asyncio.sleep(0.01)


@pytest.mark.slow
async def test_an_event_that_discord_py_cannot_read_is_logged_and_ends_nothing(
    own_table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    """It would end the bot: one stage without a bitrate did, and again after every start."""
    parsers = own_table.bot._connection.parsers
    stage = {"id": "5", "type": 13, "guild_id": str(own_table.guild.id), "name": "stage", "position": 0}
    unread = {
        "CHANNEL_CREATE": stage,
        "INTERACTION_CREATE": {"id": "5", "type": 2, "token": "t", "data": {"name": "games"}},
        "MESSAGE_DELETE": {},
        "GUILD_CREATE": {},
    }
    for event, said in unread.items():
        parsers[event](said)
    told = [record.getMessage() for record in caplog.records if "cannot be read" in record.getMessage()]
    assert [event in line for event, line in zip(unread, told, strict=True)] == [True] * 4
    assert "'bitrate'" in told[0]
    board = await own_table.start()
    await own_table.ada.click(board, label="4")


@pytest.mark.slow
async def test_commands_are_refused_in_an_unknown_kind_of_channel(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsers = table.bot._connection.parsers
    take = parsers["INTERACTION_CREATE"]
    elsewhere = {"id": "77", "type": 99}
    monkeypatch.setitem(parsers, "INTERACTION_CREATE", lambda raw: take({**raw, "channel": elsewhere}))
    refused = await table.ada.slash(table.games, "play", game="connect-four", level="pip")
    assert "this kind of channel" in line_of(refused.response)


async def test_an_unreadable_press_does_not_stop_later_refusals(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    board = await table.start()
    take = table.bot._connection.parsers["INTERACTION_CREATE"]
    for _ in range(2):
        take(press(STRANGER, "d1:m:1:0:3"))
    await asyncio.sleep(press_gate.FIRST_REFUSAL_SECONDS + 0.05)
    refused = await table.eve.click(board, label="4")
    assert refused.ephemeral
    told = [record for record in caplog.records if "cannot be read" in record.getMessage()]
    assert len(told) == 2
