"""The local Discord keeps to Discord's rules, and its faults are those that are asked for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import discord
import pytest

from tests.discord_server import ClientRefused, FakeDiscord, Interaction, Limit, NoResponse, RateLimits
from tests.discord_server.gateway import HELLO, IDENTIFY, RESUME
from tests.discord_server.interactions import COMMAND
from tests.discord_server.limits import Window
from tests.working import MAX_TEST_WAIT_SECONDS


class Bot:
    """A bot made of requests."""

    def __init__(self, server: FakeDiscord, session: aiohttp.ClientSession) -> None:
        self.server, self._session = server, session
        self.headers: Any = {}

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        url = f"{self.server.url}/1/api/v10{path}"
        about = {"Authorization": f"Bot {self.server.token}"}
        async with self._session.request(method, url, json=body, headers=about) as response:
            self.headers = response.headers
            return response.status, await response.json() if response.status != 204 else None

    async def send(self, **body: Any) -> tuple[int, Any]:
        return await self.ask("POST", f"/channels/{self.server.channel.id}/messages", body)

    async def answer(self, interaction: Interaction, kind: int, **data: Any) -> tuple[int, Any]:
        path = f"/interactions/{interaction.id}/{interaction.token}/callback"
        return await self.ask("POST", path, {"type": kind, "data": data})

    @asynccontextmanager
    async def gateway(self) -> AsyncIterator[aiohttp.ClientWebSocketResponse]:
        async with self._session.ws_connect(f"{self.server.url}/1/gateway/") as socket:
            assert (await socket.receive_json())["op"] == HELLO
            yield socket

    async def identify(self, socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
        """Begin a session and read its first events; return READY."""
        intents = discord.Intents(guilds=True, guild_messages=True).value
        await socket.send_json({"op": IDENTIFY, "d": {"token": self.server.token, "intents": intents}})
        ready: dict[str, Any] = (await socket.receive_json())["d"]
        assert (await socket.receive_json())["t"] == "GUILD_CREATE"
        return ready


@asynccontextmanager
async def bot_at(server: FakeDiscord) -> AsyncIterator[Bot]:
    async with server, aiohttp.ClientSession() as session:
        yield Bot(server, session)


@pytest.fixture
async def bot() -> AsyncIterator[Bot]:
    async with bot_at(FakeDiscord()) as made:
        yield made


def used(bot: Bot) -> Interaction:
    """A command that Ada used."""
    ada = bot.server.user("ada")
    data = {"id": "1", "name": "play", "type": 1}
    return bot.server.begin(Interaction(bot.server, COMMAND, ada.user, bot.server.channel, data, None))


async def test_a_message_beyond_the_window_must_wait_in_its_channel_alone() -> None:
    limits = RateLimits({"POST /channels/{channel}/messages": Limit(2, 600.0)})
    async with bot_at(FakeDiscord(rate_limits=limits)) as bot:
        assert [(await bot.send(content="hello"))[0] for _ in range(2)] == [200, 200]
        assert bot.headers["X-RateLimit-Remaining"] == "0"
        status, body = await bot.send(content="hello")
        assert status == 429
        assert 500 < body["retry_after"] <= 600
        other = bot.server.new_channel("other")
        assert (await bot.ask("POST", f"/channels/{other.id}/messages", {"content": "hello"}))[0] == 200
        assert not bot.server.recorder.violations, "discord.py may send one message too many"
        assert (await bot.send(content="hello"))[0] == 429
        assert [one.kind for one in bot.server.recorder.violations] == ["rate-limited"]


async def test_a_process_that_begins_anew_may_find_a_window_used_up() -> None:
    limits = RateLimits({"POST /channels/{channel}/messages": Limit(1, 600.0)})
    async with bot_at(FakeDiscord(rate_limits=limits)) as bot:
        await bot.send(content="hello")
        assert (await bot.send(content="hello"))[0] == 429
        limits.forget(1)
        assert (await bot.send(content="hello"))[0] == 429
        assert not bot.server.recorder.violations
        await bot.send(content="hello")
        assert [one.kind for one in bot.server.recorder.violations] == ["rate-limited"]


def test_a_window_begins_anew_after_its_end() -> None:
    window = Window(Limit(1, 0.05))
    assert window.take() == 0
    time.sleep(0.06)
    assert window.take() == 0


async def test_answers_to_interactions_use_up_nothing_of_the_limit_of_all_requests() -> None:
    async with bot_at(FakeDiscord(rate_limits=RateLimits(all_requests=Limit(2, 600.0)))) as bot:
        answers = [used(bot) for _ in range(5)]
        assert {(await bot.answer(one, 4, content="hello"))[0] for one in answers} == {204}
        assert [(await bot.ask("GET", f"/users/{number}"))[0] for number in range(3)] == [404, 404, 429]


async def test_an_answer_that_is_lost_after_its_effect_has_had_it(bot: Bot) -> None:
    bot.server.faults.disconnect("POST", "*/messages", after_effect=True)
    with pytest.raises(aiohttp.ClientConnectionError):
        await bot.send(content="hello")
    assert [one.text for one in bot.server.messages()] == ["hello"]


async def test_a_request_that_is_lost_before_its_effect_has_none(bot: Bot) -> None:
    bot.server.faults.disconnect("POST", "*/messages")
    bot.server.faults.rate_limit("POST", "*/messages", retry_after=7.0)
    with pytest.raises(aiohttp.ClientConnectionError):
        await bot.send(content="hello")
    assert (await bot.send(content="hello"))[1]["retry_after"] == 7.0
    assert not bot.server.messages()
    assert (await bot.send(content="hello"))[0] == 200


async def test_a_delayed_request_is_carried_out_later(bot: Bot) -> None:
    bot.server.faults.delay("POST", "*/messages", 0.2)
    sending = asyncio.create_task(bot.send(content="hello"))
    await bot.server.until(lambda: bot.server.recorder.http, MAX_TEST_WAIT_SECONDS, "the request")
    assert not bot.server.messages()
    assert (await sending)[0] == 200


async def test_a_second_answer_to_an_interaction_is_refused(bot: Bot) -> None:
    interaction = used(bot)
    assert (await bot.answer(interaction, 4, content="first"))[0] == 204
    status, body = await bot.answer(interaction, 4, content="second")
    assert (status, body["code"]) == (400, 40060)
    assert (await interaction.result()).text == "first"
    with pytest.raises(AssertionError, match="double-ack"):
        await bot.server.verify()


async def test_an_answer_after_three_seconds_finds_no_interaction(bot: Bot) -> None:
    bot.server.ack_seconds = 0.1
    interaction = used(bot)
    with pytest.raises(NoResponse):
        await interaction.acknowledged()
    status, body = await bot.answer(interaction, 4, content="late")
    assert (status, body["code"]) == (404, 10062)


async def test_the_message_after_a_promise_fills_it(bot: Bot) -> None:
    interaction = used(bot)
    await bot.answer(interaction, 5, flags=64)
    assert interaction.message is not None
    assert interaction.message.loading
    path = f"/webhooks/{bot.server.world.bot.id}/{interaction.token}"
    await bot.ask("POST", path, {"content": "here"})
    assert (await interaction.result()).text == "here"
    assert interaction.ephemeral
    assert not interaction.followups
    assert not bot.server.user("ben").sees(interaction.message)
    await bot.ask("POST", path, {"content": "and more"})
    assert [one.text for one in interaction.followups] == ["and more"]


TEXT = {"type": 10, "content": "hello"}
BUTTON = {"type": 2, "style": 1, "label": "x", "custom_id": "a"}
V2 = 1 << 15


@pytest.mark.parametrize(
    "body",
    [
        {"content": ""},
        {"content": "x" * 2001},
        {"components": [TEXT]},
        {"components": [TEXT], "flags": V2, "content": "both"},
        {"components": [TEXT] * 41, "flags": V2},
        {"components": [{"type": 10, "content": "x" * 4001}], "flags": V2},
        {"components": [{"type": 1, "components": [BUTTON | {"label": "x" * 81}]}]},
        {"components": [{"type": 1, "components": [BUTTON, BUTTON]}]},
        {"components": [{"type": 1, "components": []}]},
        {"components": [{"type": 1, "components": [{"type": 3, "custom_id": "a", "options": []}]}]},
    ],
)  # fmt: skip
async def test_a_malformed_message_is_refused(bot: Bot, body: dict[str, Any]) -> None:
    assert (await bot.send(**body))[0] == 400
    assert not bot.server.messages()


async def test_a_message_with_a_nonce_is_sent_once(bot: Bot) -> None:
    first = await bot.send(content="hello", nonce="a", enforce_nonce=True)
    assert await bot.send(content="hello", nonce="a", enforce_nonce=True) == first
    assert len(bot.server.messages()) == 1


async def test_only_people_who_are_allowed_to_be_mentioned_are(bot: Bot) -> None:
    ada, ben = bot.server.user("ada"), bot.server.user("ben")
    about = {"parse": [], "users": [str(ada.id)]}
    await bot.send(content=f"<@{ada.id}> <@{ben.id}>", allowed_mentions=about)
    assert len(ada.pings()) == 1
    assert not ben.pings()


async def test_a_disabled_button_cannot_be_pressed(bot: Bot) -> None:
    await bot.send(components=[{"type": 1, "components": [BUTTON | {"disabled": True}]}])
    with pytest.raises(ClientRefused):
        await bot.server.user("ada").click(bot.server.messages()[0], "x")


async def test_a_denied_channel_is_closed_to_the_bot(bot: Bot) -> None:
    bot.server.deny_bot(bot.server.channel, discord.Permissions(view_channel=True).value)
    status, body = await bot.send(content="hello")
    assert (status, body["code"]) == (403, 50001)


async def test_a_resumed_session_hears_what_it_missed(bot: Bot) -> None:
    async with bot.gateway() as socket:
        ready = await bot.identify(socket)
        bot.server.gateway.drop()
        assert (await socket.receive()).type is not aiohttp.WSMsgType.TEXT
    bot.server.new_channel("missed")
    async with bot.gateway() as socket:
        about = {"token": bot.server.token, "session_id": ready["session_id"], "seq": 2}
        await socket.send_json({"op": RESUME, "d": about})
        heard = [(await socket.receive_json())["t"] for _ in range(2)]
    assert heard == ["CHANNEL_CREATE", "RESUMED"]
    assert (bot.server.gateway.identifies, bot.server.gateway.resumes) == (1, 1)


async def test_a_connection_is_closed_with_the_code_that_is_asked_for(bot: Bot) -> None:
    async with bot.gateway() as socket:
        await bot.identify(socket)
        await bot.server.gateway.close(4014)
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
        assert socket.close_code == 4014


async def test_a_wrong_token_is_refused(bot: Bot) -> None:
    async with bot.gateway() as socket:
        await socket.send_json({"op": IDENTIFY, "d": {"token": "another", "intents": 1}})
        assert (await socket.receive()).data == 4004


async def test_a_server_is_heard_by_the_session_of_its_shard_alone() -> None:
    async with bot_at(FakeDiscord(shards=2)) as bot, bot.gateway() as socket:
        about = {"token": bot.server.token, "intents": 1, "shard": [1, 2]}
        await socket.send_json({"op": IDENTIFY, "d": about})
        assert (await socket.receive_json())["d"]["guilds"] == []
        bot.server.new_guild(shard=0)
        guild = bot.server.new_guild(shard=1)
        assert (await socket.receive_json())["d"]["id"] == str(guild.id)


async def test_an_unknown_route_is_a_violation(bot: Bot) -> None:
    assert (await bot.ask("GET", "/voice/regions"))[0] == 404
    with pytest.raises(AssertionError, match="unknown-route"):
        await bot.server.verify()
