"""Commands in a crowd: each is acknowledged at once, and answered when it is its turn."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from discord import app_commands

import bot.ui
from bot.commands import COMMANDS
from bot.ui.command_queue import (
    BY_FORM,
    IN_PUBLIC,
    IN_PUBLIC_WITH_OPTIONS,
    MAX_CONCURRENT_COMMANDS,
    CommandQueue,
)
from tests.bot.table import Table, text_of
from tests.working import MAX_TEST_WAIT_SECONDS


def queue_of(table: Table) -> CommandQueue:
    queue = table.bot.ui.commands
    assert isinstance(queue, CommandQueue)
    return queue


@asynccontextmanager
async def crowded(table: Table) -> AsyncIterator[None]:
    """As many commands as are worked on at once take their time until the end of the block."""
    places = queue_of(table)._places
    for _ in range(MAX_CONCURRENT_COMMANDS):
        await places.acquire()
    try:
        yield
    finally:
        for _ in range(MAX_CONCURRENT_COMMANDS):
            places.release()


async def in_a_crowd(table: Table, command: str, **options: Any) -> Any:
    """The command as it is answered after it had to wait."""
    async with crowded(table):
        asked = asyncio.create_task(table.ada.slash(table.games, command, **options))
        async with asyncio.timeout(MAX_TEST_WAIT_SECONDS):
            while not promises(table):
                await asyncio.sleep(0.01)
    return await asked


def promises(table: Table) -> list[Any]:
    """The flags of each promised answer."""
    sent = table.writes("POST", "*/callback")
    return [body.get("data", {}).get("flags", 0) for body in sent if body["type"] == 5]


async def test_a_match_with_a_promised_public_answer_has_a_normal_board(table: Table) -> None:
    answer = await in_a_crowd(table, "play", game="connect-four", level="pip", first="me")
    assert promises(table) == [0]
    board = answer.response
    await table.ada.click(board, label="4")
    assert "Ada played **4**" in text_of(board) or "Pip played" in text_of(board)


@pytest.mark.slow
async def test_promised_private_rules_have_their_picture(table: Table) -> None:
    answer = await in_a_crowd(table, "help", game="othello")
    assert promises(table) == [64]
    assert answer.response.ephemeral
    assert answer.response.attachments


async def test_the_panel_of_play_without_options_is_promised_privately(table: Table) -> None:
    answer = await in_a_crowd(table, "play")
    assert promises(table) == [64]
    assert answer.response.ephemeral


async def test_a_refusal_after_a_public_promise_is_private(table: Table) -> None:
    answer = await in_a_crowd(table, "play", game="connect-four", level="nobody")
    assert promises(table) == [0]
    assert len(table.writes("DELETE", "*/messages/@original")) == 1
    assert answer.followups[-1].ephemeral
    assert "nobody" in answer.followups[-1].content


async def test_without_a_crowd_no_command_is_promised_an_answer(table: Table) -> None:
    await table.ada.slash(table.games, "help", game="othello")
    await table.ada.slash(table.games, "help")
    assert promises(table) == []


async def test_a_refused_command_frees_its_place(table: Table) -> None:
    for _ in range(MAX_CONCURRENT_COMMANDS + 1):
        await table.ada.slash(table.games, "review hint")
    assert queue_of(table)._places._value == MAX_CONCURRENT_COMMANDS
    assert promises(table) == []


def everything() -> Iterator[app_commands.Command[Any, ..., Any] | app_commands.ContextMenu]:
    for command in COMMANDS:
        if isinstance(command, app_commands.Group):
            yield from (one for one in command.walk_commands() if isinstance(one, app_commands.Command))
        else:
            yield command


def test_every_command_declares_its_visibility_in_a_form_that_the_queue_knows() -> None:
    assert all(command.extras in ({}, IN_PUBLIC, IN_PUBLIC_WITH_OPTIONS, BY_FORM) for command in everything())
    assert {command.qualified_name for command in everything() if command.extras == IN_PUBLIC} >= {
        "watch", "challenge", "match board", "profile", "leaderboard", "tournament create",
    }  # fmt: skip


def test_first_answers_are_sent_by_one_file_alone() -> None:
    folder = Path(bot.ui.__file__).parent.parent
    files = [*folder.glob("ui/**/*.py"), *folder.glob("commands/*.py")]
    by_hand = [file.name for file in files if re.search(r"response\.send_message\(", file.read_text("utf-8"))]
    assert by_hand == ["answers.py"]
