"""discord.py's private parts are where the bot expects them: a test fails when a new version moves one."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import aiohttp
import discord
import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from discord.http import Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

from bot.ui.discord_internals import (
    BriefAnswers,
    interaction_tasks,
    intercept_events,
    limit_old_edits,
    unrepeated,
    use_brief_answers,
)
from tests.bot.live import live_bot
from tests.bot.table import Table


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own: the others of these tests want discord.py as no bot of simcord's has left it."""
    return own_table


def test_the_event_parsers_are_a_table_that_can_be_changed() -> None:
    client = discord.Client(intents=discord.Intents.none())
    seen: list[Any] = []
    intercept_events(client, lambda _handle: seen.append)
    parsers = client._connection.parsers
    parsers["INTERACTION_CREATE"]({"id": "5"})
    assert seen == [{"id": "5"}]
    assert not {"MESSAGE_CREATE", "MESSAGE_UPDATE"} & parsers.keys()
    assert {"READY", "RESUMED", "MESSAGE_DELETE", "GUILD_CREATE"} <= parsers.keys()


async def test_an_unreadable_event_is_logged_and_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    client = discord.Client(intents=discord.Intents.none())
    intercept_events(client, lambda handle: handle)
    client._connection.parsers["MESSAGE_DELETE"]({})
    assert "MESSAGE_DELETE cannot be read" in caplog.text


async def test_the_tasks_that_answer_interactions_are_known_by_their_names(table: Table) -> None:
    found: list[str] = []
    respond = discord.InteractionResponse.edit_message

    async def record(*args: Any, **options: Any) -> Any:
        found.extend(task.get_name() for task in interaction_tasks())
        return await respond(*args, **options)

    board = await table.start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discord.InteractionResponse, "edit_message", record)
        await table.ada.click(board, label="4")
    assert any(name.startswith("discord.py: on_interaction") for name in found)


async def test_the_tasks_that_run_commands_are_known_by_their_names(table: Table) -> None:
    found: list[str] = []
    respond = discord.InteractionResponse.send_message

    async def record(*args: Any, **options: Any) -> Any:
        found.extend(task.get_name() for task in interaction_tasks())
        return await respond(*args, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discord.InteractionResponse, "send_message", record)
        await table.ada.slash(table.games, "help")
    assert any(name.startswith("CommandTree") for name in found)


async def test_answers_are_sent_by_the_adapter_of_the_context() -> None:
    assert isinstance(async_context.get(), AsyncWebhookAdapter)

    async def adapter() -> AsyncWebhookAdapter:
        use_brief_answers()
        return async_context.get()

    assert isinstance(await asyncio.create_task(adapter()), BriefAnswers)


async def test_a_webhook_sends_through_its_session_and_does_not_repeat_server_errors(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    async def fail(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=500)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", fail)
    async with TestServer(app) as server, aiohttp.ClientSession() as session:
        monkeypatch.setattr(Route, "BASE", str(server.make_url("/api")))
        webhook = unrepeated(discord.Webhook.partial(1, "token", session=session))
        with pytest.raises(aiohttp.ClientResponseError):
            await webhook.send("once")
    assert len(asked) == 1


@pytest.mark.slow
async def test_discord_is_not_asked_for_the_message_that_an_edit_results_in() -> None:
    async with live_bot() as (server, _):
        ada, ben = server.user("ada"), server.user("ben")
        asked = await ada.slash(None, "challenge", game="connect-four", opponent=ben, first="me")
        board = await (await ben.click(await asked.result(), "Accept")).result()
        await ada.click(board, "4")
        await ben.click(board, "5")
        assert "ben played **5**" in board.text

        answers = [record for record in server.recorder.http if record.path.endswith("/callback")]
        asked_for = {(record.body["type"], "with_response" in record.query) for record in answers}
        assert asked_for == {(4, True), (7, False)}
        await server.verify()


class Editor:
    """A client with an HTTP server that answers edits after `seconds`."""

    def __init__(self, seconds: float) -> None:
        self.client = discord.Client(intents=discord.Intents.none())
        self._seconds = seconds

    async def _answer(self, request: web.Request) -> web.Response:
        await asyncio.sleep(self._seconds)
        return web.json_response({})

    async def edit(self, monkeypatch: pytest.MonkeyPatch, age: timedelta, limit_seconds: float) -> None:
        """Edit a message of that age through the client."""
        app = web.Application()
        app.router.add_patch("/channels/1/messages/{message}", self._answer)
        message_id = discord.utils.time_snowflake(discord.utils.utcnow() - age)
        route = "/channels/{channel_id}/messages/{message_id}"
        async with TestServer(app) as server, self.client:
            monkeypatch.setattr(Route, "BASE", str(server.make_url("")).rstrip("/"))
            self.client.http._HTTPClient__session = aiohttp.ClientSession()  # type: ignore[attr-defined]
            self.client.http._global_over = asyncio.Event()
            self.client.http._global_over.set()
            limit_old_edits(self.client, limit_seconds)
            edit = Route("PATCH", route, channel_id=1, message_id=message_id)
            await self.client.http.request(edit)


async def test_a_slow_edit_of_an_old_message_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(discord.RateLimited):
        await Editor(60).edit(monkeypatch, timedelta(hours=2), limit_seconds=0.2)


async def test_an_edit_of_a_new_message_may_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    await Editor(0.3).edit(monkeypatch, timedelta(minutes=5), limit_seconds=0.01)
