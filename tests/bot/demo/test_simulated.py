"""The demo's simulated Discord, with a small bot and a client of the page's protocol."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, Self
from urllib.parse import urldefrag, urlsplit

import aiohttp
import discord
import pytest
from discord import app_commands

from bot.demo.simulated import USUAL_PORT, PortTaken, SimulatedDiscord

BUTTON = 2


class Counter(discord.ui.View):
    """A button that counts its presses in its message."""

    def __init__(self) -> None:
        super().__init__(timeout=None)
        self.presses = 0

    @discord.ui.button(label="Press", custom_id="press")
    async def press(self, interaction: discord.Interaction, button: discord.ui.Button[Self]) -> None:
        self.presses += 1
        await interaction.response.edit_message(content=f"pressed {self.presses}")


class CountingBot(discord.Client):
    """Has three commands: one answers, one answers later, one fails."""

    def __init__(self) -> None:
        super().__init__(intents=discord.Intents(guilds=True))
        self.tree = app_commands.CommandTree(self)
        self.view = Counter()
        self.tasks: set[asyncio.Task[None]] = set()
        self.it_is_later = asyncio.Event()

        @self.tree.error
        async def answer(interaction: discord.Interaction, error: app_commands.AppCommandError) -> None:
            await interaction.response.send_message(str(error), ephemeral=True)

    async def setup_hook(self) -> None:
        @self.tree.command(description="A message with a button")
        async def count(interaction: discord.Interaction) -> None:
            await interaction.response.send_message("not pressed", view=self.view)

        @self.tree.command(description="An answer that changes by itself")
        async def later(interaction: discord.Interaction) -> None:
            await interaction.response.send_message("soon")
            self.tasks.add(asyncio.create_task(self._change(interaction)))

        @self.tree.command(description="A private answer to an error")
        async def refuse(interaction: discord.Interaction) -> None:
            raise app_commands.CheckFailure("not today")

        self.add_view(self.view)
        await self.tree.sync()

    async def _change(self, interaction: discord.Interaction) -> None:
        await self.it_is_later.wait()
        await interaction.edit_original_response(content="now")


class Page:
    """One open page, as its script sees it."""

    def __init__(self, session: aiohttp.ClientSession, address: str, headers: dict[str, str]) -> None:
        self._session = session
        self._address = address
        self._headers = headers
        self._sequence = 0
        self.seen: dict[str, Any] = {}

    async def open(self, viewer_id: int) -> Self:
        self.seen = await self._post("pages", {"viewer_id": str(viewer_id)})
        self._headers = {**self._headers, "X-Simcord-Context": self.seen["context"]["id"]}
        return self

    async def look(self) -> dict[str, Any]:
        self.seen = await self._get("state")
        return self.seen

    async def look_until(self, is_there: Callable[[str], bool]) -> str:
        """The newest message's text once it is as wanted."""
        async with asyncio.timeout(60):
            while not is_there(self.newest["content"]):
                await asyncio.sleep(0.05)
                await self.look()
        return str(self.newest["content"])

    @property
    def newest(self) -> dict[str, Any]:
        timeline = self.seen["timeline"]
        return dict(self.seen["messages"][timeline[-1]]) if timeline else {"content": ""}

    async def run(self, command: str) -> dict[str, Any]:
        catalog = await self._get("commands")
        entry = next(entry for entry in catalog["entries"] if entry["path"] == [command])
        return await self.act(
            "run_command",
            command_id=entry["commandId"],
            path=entry["path"],
            schema_fingerprint=entry["schemaFingerprint"],
            options={},
        )

    async def press(self, message: dict[str, Any]) -> dict[str, Any]:
        button = message["components"][0]["components"][0]
        assert button["type"] == BUTTON
        return await self.act("click", target_id=message["id"], control_key=button["control_key"])

    async def act(self, kind: str, **details: Any) -> dict[str, Any]:
        """Act on the last seen revision, like a person who has not looked since."""
        envelope = {
            "protocol_version": 3,
            "sequence": self._sequence + 1,
            "request_id": f"{id(self)}-{self._sequence + 1}",
            "generation": self.seen["context"]["generation"],
            "bot_generation": self.seen["botGeneration"],
            "published_revision": self.seen["publishedRevision"],
            "kind": kind,
        }
        receipt = await self._post("action", envelope | details)
        self._sequence = receipt["expectedSequence"]
        return receipt

    async def _get(self, what: str) -> dict[str, Any]:
        async with self._session.get(f"{self._address}api/{what}", headers=self._headers) as answer:
            assert answer.status == 200, await answer.text()
            return dict(await answer.json())

    async def _post(self, what: str, body: dict[str, Any]) -> dict[str, Any]:
        async with self._session.post(
            f"{self._address}api/{what}", headers=self._headers, json=body
        ) as answer:
            assert answer.status == 200, await answer.text()
            return dict(await answer.json())


class Demo:
    def __init__(self, discord_: SimulatedDiscord, session: aiohttp.ClientSession) -> None:
        self.discord = discord_
        self._session = session

    async def page(self, person: int = 0) -> Page:
        address, capability = urldefrag(self.discord.url)
        page = Page(self._session, address, {"X-Simcord-Capability": capability})
        return await page.open(self.discord.people[person].id)


@contextlib.asynccontextmanager
async def demo(bot: discord.Client | None = None, port: int | None = None) -> AsyncIterator[Demo]:
    async with (
        SimulatedDiscord(bot or CountingBot(), port=port) as simulated,
        aiohttp.ClientSession() as session,
    ):
        running = asyncio.create_task(simulated.run())
        try:
            yield Demo(simulated, session)
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running


async def test_a_command_is_answered_and_every_page_shows_it() -> None:
    async with demo() as running:
        ada, ben = await running.page(0), await running.page(1)
        receipt = await ada.run("count")
        assert (receipt["settlement"], receipt["acknowledgement"]) == ("settled", "acknowledged")
        assert (await ada.look())["timeline"] == [ada.newest["id"]]
        assert await ben.look_until(bool) == "not pressed"


async def test_later_changes_by_the_bot_appear_by_themselves() -> None:
    bot = CountingBot()
    async with demo(bot) as running:
        page = await running.page()
        await page.run("later")
        await page.look()
        assert page.newest["content"] == "soon"
        bot.it_is_later.set()
        assert await page.look_until(lambda text: text != "soon") == "now"


async def test_a_press_counts_although_the_page_was_published_again() -> None:
    bot = CountingBot()
    async with demo(bot) as running:
        page = await running.page()
        await page.run("count")
        await page.look()
        message = page.newest
        await say(bot, running, "something else")
        await (await running.page(1)).look_until(lambda text: text == "something else")
        receipt = await page.press(message)
        assert receipt["rejected"] is False
        await page.look()
        assert page.seen["messages"][message["id"]]["content"] == "pressed 1"


async def test_a_press_on_a_changed_message_is_refused() -> None:
    async with demo() as running:
        ada, ben = await running.page(0), await running.page(1)
        await ada.run("count")
        await ada.look()
        await ben.look_until(bool)
        await ben.press(ben.newest)
        receipt = await ada.press(ada.newest)
        assert receipt["rejected"] is True
        assert await ada.look_until(lambda text: text != "not pressed") == "pressed 1"


async def test_simultaneous_presses_of_two_people_both_count() -> None:
    bot = CountingBot()
    bot.it_is_later.set()
    async with demo(bot) as running:
        ada, ben = await running.page(0), await running.page(1)
        await ada.run("later")
        await ada.look_until(lambda text: text == "now")
        await asyncio.gather(ada.run("count"), ben.run("count"))
        await ada.look()
        assert [ada.seen["messages"][key]["content"] for key in ada.seen["timeline"]] == [
            "now",
            "not pressed",
            "not pressed",
        ]


async def test_an_error_answered_by_the_bot_is_an_ordinary_private_answer() -> None:
    async with demo() as running:
        ada, ben = await running.page(0), await running.page(1)
        receipt = await ada.run("refuse")
        assert (receipt["settlement"], receipt["uncertain"]) == ("settled", False)
        assert await ada.look_until(bool) == "not today"
        assert (await ben.look())["timeline"] == []


async def test_people_and_places_keep_their_ids_and_messages_get_new_ones() -> None:
    starts: list[tuple[list[int], int]] = []
    for _ in range(2):
        bot = CountingBot()
        async with demo(bot) as running:
            message = await say(bot, running, "hello")
            people = running.discord.people
            places = [people[0].guild.id, message.channel.id, *(person.id for person in people)]
            directs = [person.user.dm_channel.id for person in people]
            starts.append((places + directs, message.id))
    (ids, message_id), (later_ids, later_message_id) = starts
    assert ids == later_ids
    assert message_id < later_message_id


async def test_old_messages_are_gone_after_a_restart() -> None:
    bot = CountingBot()
    async with demo(bot) as running:
        old = await say(bot, running, "hello")
    bot = CountingBot()
    async with demo(bot) as running:
        channel = bot.get_partial_messageable(running.discord.channel.id)
        with pytest.raises(discord.NotFound):
            await channel.get_partial_message(old.id).edit(content="hello again")


async def test_the_demo_runs_in_real_time() -> None:
    bot = CountingBot()
    before = datetime.now(UTC) - timedelta(milliseconds=1)  # ids hold whole milliseconds
    async with demo(bot) as running:
        message = await say(bot, running, "hello")
    assert before <= message.created_at <= datetime.now(UTC)


async def test_the_demo_closes_the_bot() -> None:
    bot = CountingBot()
    async with demo(bot):
        assert not bot.is_closed()
    assert bot.is_closed()


async def test_a_requested_port_in_use_is_an_error_and_closes_the_bot() -> None:
    bot = CountingBot()
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(PortTaken):
        await SimulatedDiscord(bot, port=taken.getsockname()[1]).__aenter__()
    assert bot.is_closed()


async def test_a_second_demo_uses_a_free_port() -> None:
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # another program has it: just as good
            stack.enter_context(socket.create_server(("127.0.0.1", USUAL_PORT)))
        async with demo() as running:
            assert urlsplit(running.discord.url).port not in (None, USUAL_PORT)


async def test_the_pages_end_button_ends_the_demo() -> None:
    async with SimulatedDiscord(CountingBot()) as simulated, aiohttp.ClientSession() as session:
        running = asyncio.create_task(simulated.run())
        page = await Demo(simulated, session).page()
        await page.act("close")
        await asyncio.wait_for(running, 60)


async def say(bot: discord.Client, running: Demo, text: str) -> discord.Message:
    return await bot.get_partial_messageable(running.discord.channel.id).send(text)
