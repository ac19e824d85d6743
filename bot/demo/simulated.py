"""An in-memory Discord in real time, served as a web page on this machine; the only user of simcord.

simcord is made for tests. It stops the clock, controls every task and timer of the bot, and accepts an action
only when all of them are idle. The demo differs in three ways, so that the bot runs as on the real Discord:

- Time is real, and the event loop alone runs the bot's tasks, timers and threads. An action is complete as
  soon as the bot has answered it, within the three seconds that Discord allows.
- Later changes, such as an agent's move or an expired clock, are published to every open page at once.
  The page polls twice a second, so its Refresh button is not needed.
- simcord rejects a press on any page that was published again in the meantime. Here only a press on a
  changed message is rejected.

The page shows one channel, `#games`. It has no context menus, direct messages, threads or user installs, and
its only locale is en-US.

Users, server and channels keep their ids between starts, so stored matches keep their players. Messages,
interactions and commands get new ids, so a stored id never matches a new message. The simulated Discord keeps
nothing between starts: the bot finds neither its old messages nor its commands.

Rules for tests, which use simcord itself with its stopped clock:

- simcord waits for executor work. A task that waits for an event, a queue or a future that is never filled
  never settles, and every verb then raises TimeoutError.
- `asyncio.sleep` shorter than the settle timeout really sleeps; longer ones, timers and
  `discord.ext.tasks` loops wait for `env.advance_time`.
- `time.monotonic` stands still in the bot's code, also in its threads: measure a search's limit with
  `time.perf_counter`. `discord.utils.utcnow` follows the simulated clock, `datetime.now` does not.
- simcord never closes the bot; close it before leaving `simcord.run`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Literal, Self

import discord
from simcord import ChannelHandle, Env, MemberActor, SetupError
from simcord._clock import Clock
from simcord.backend.cdn import CDN_BASE
from simcord.preview import Preview
from simcord.preview._pages import _Page

from bot.demo.page import DemoServer
from bot.domain.lru_dict import LruDict

USUAL_PORT = 8377

_ANSWER_SECONDS = 3.0  # Discord: "Interactions: Receiving and Responding", first answer
_POLL_SECONDS = 0.01
_PUBLISH_SECONDS = 0.1
_REMEMBERED_REVISIONS = 1000
_PNG = b"\x89PNG\r\n\x1a\n"

_Reason = Literal[
    "initial", "refresh", "snapshot", "navigation", "query", "presentation", "action", "capture"
]


class PortTaken(OSError):
    """Another program uses the requested port."""


class SimulatedDiscord:
    """A small Discord with two people in it; inside `async with` the bot is online and the page is served.

    Takes an unstarted bot and closes it on exit.
    """

    people: tuple[MemberActor, ...]
    channel: ChannelHandle

    def __init__(
        self,
        bot: discord.Client,
        *,
        port: int | None = None,
        is_inspected: bool = False,
        emoji: Mapping[str, Callable[[], bytes]] | None = None,
    ) -> None:
        """Prepare the demo.

        port: None or 0 for the usual port, or a free one if it is in use; for any other number PortTaken is
        raised if it is in use. is_inspected: show simcord's controls for testing bots. emoji: the
        application's emoji by name, each with the function that draws its PNG.
        """
        self._bot = bot
        self._is_inspected = is_inspected
        self._emoji = emoji or {}
        self.written_emoji: dict[str, str] = {}
        """Each emoji by name, as it is written in a message."""
        self._port = port or None
        self.env: Env = _LiveEnv(bot)
        self._preview: _LivePreview | None = None

    @property
    def url(self) -> str:
        """The page's address. It is a secret: it lets its reader act as either person."""
        return self._page.url

    async def __aenter__(self) -> Self:
        clock = _PausedClock()
        self.env.backend.clock = clock
        self._make_world()
        # simcord discards the picture of an uploaded emoji, so the emoji exist before the bot starts.
        pictures = EmojiPictures(self._emoji, self._make_emoji)
        clock.is_running = True
        try:
            await self.env.start()
            self._preview = await self._serve_page(pictures)
        except BaseException:
            await self._leave()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._page.close()
        await self._leave()

    async def run(self) -> None:
        """Keep the open pages up to date until the page's End button closes the session."""
        while self._page.is_open:
            await self._page.publish_news()
            await asyncio.sleep(_PUBLISH_SECONDS)

    @property
    def _page(self) -> _LivePreview:
        if self._preview is None:
            raise RuntimeError("SimulatedDiscord is used outside of its async with")
        return self._preview

    def _make_world(self) -> None:
        """Create server, channel and people. Ids depend on the order of creation: append new objects last."""
        self.env.backend.edit_bot_profile("Discade")
        ada = self.env.create_user("ada", global_name="Ada")
        ben = self.env.create_user("ben", global_name="Ben")
        guild = self.env.create_guild("Discade demo")
        self.channel = guild.create_text_channel(
            "games",
            topic="A Discord on this machine alone: nothing that you do here is sent anywhere.",
        )
        self.people = (guild.add_member(ada), guild.add_member(ben))
        for person in self.people:
            _ = person.user.dm_channel  # created on first use; now it gets a stable id
        # Ada manages the server, so that /settings can be tried. simcord assigns roles on joining only.
        host = guild.create_role("Host", permissions=discord.Permissions(manage_guild=True))
        self.env.backend.guilds[guild.id].members[ada.id].role_ids.append(host.id)

    def _make_emoji(self, name: str) -> str:
        """Create the emoji and return its picture's address; called last, so that other ids stay stable."""
        made = self.env.backend.create_application_emoji(name)
        self.written_emoji[name] = f"<:{name}:{made.id}>"
        return f"{CDN_BASE}/emojis/{made.id}.png"

    async def _serve_page(self, pictures: EmojiPictures) -> _LivePreview:
        for port in (self._port,) if self._port else (USUAL_PORT, 0):
            page = _LivePreview(
                self.env, self.channel, self.people, port, pictures, is_inspected=self._is_inspected
            )
            try:
                await page.__aenter__()
            except SetupError as error:
                if not isinstance(error.__cause__, OSError):
                    raise
            else:
                return page
        raise PortTaken(f"port {self._port} is taken")

    async def _leave(self) -> None:
        await self._bot.close()
        await self.env.shutdown()


class EmojiPictures(dict[str, tuple[str, bytes]]):
    """(name, PNG) of each emoji by its address, drawn on first use."""

    def __init__(self, pictures: Mapping[str, Callable[[], bytes]], address_of: Callable[[str], str]) -> None:
        """pictures: the drawing function of each emoji by name. address_of: creates an emoji of that name."""
        super().__init__()
        self._waiting = {address_of(name): (f"{name}.png", draw) for name, draw in pictures.items()}

    def get(self, address: str, default: Any = None) -> Any:
        """Return the picture at that address, drawing it first if necessary."""
        if address in self._waiting:
            name, draw = self._waiting.pop(address)
            self[address] = name, draw()
        return super().get(address, default)


class _PausedClock(Clock):
    """Shows simcord's start time until it is set running; then it shows the real time."""

    def __init__(self) -> None:
        super().__init__()
        self.is_running = False

    def now(self) -> datetime:
        return datetime.now(UTC) if self.is_running else super().now()

    def advance(self, seconds: float) -> None:  # noqa: ARG002
        raise RuntimeError("the demo's time is the real time")


class _LiveEnv(Env):
    """An Env that leaves the bot's tasks and timers to the event loop."""

    @contextmanager
    def _bot_scope(self) -> Iterator[None]:
        # simcord controls everything in its own scope; this one only lets the bot's answers reach simcord.
        with self.time_context():
            yield

    def _capture_errors(self) -> None:
        # simcord reports an action as failed when the bot raised an error, even one that it answered.
        return

    async def _settle_internal(self, *, dispatch: str | None = None, **_limits: float | None) -> None:
        """Wait until the newest interaction is answered; other changes appear when they happen."""
        if dispatch != "INTERACTION_CREATE":
            await asyncio.sleep(0)
            return
        interaction = next(reversed(self.backend.interactions.values()))
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _ANSWER_SECONDS
        while not interaction.responded and loop.time() < deadline:
            await asyncio.sleep(_POLL_SECONDS)


class _LivePreview(Preview):
    """The page, published on every change and not only after an action."""

    # A tab in the background rarely polls; it must still work when its reader returns.
    _PAGE_LEASE_SECONDS = 24 * 3600.0
    _MAX_PAGES = 64

    def __init__(
        self,
        env: Env,
        channel: ChannelHandle,
        people: tuple[MemberActor, ...],
        port: int,
        pictures: EmojiPictures,
        *,
        is_inspected: bool,
    ) -> None:
        super().__init__(
            env,
            channel,
            people,
            layout="channel",
            display="responsive",
            width=960,
            height=720,
            locale="en-US",
            timezone="UTC",
            presentation_time=None,
            assets=None,
            port=port,
        )
        self._explicit_assets = pictures  # drawn on demand; simcord would copy them all
        self._server = DemoServer(self, port, is_inspected=is_inspected)
        self._turn = asyncio.Lock()  # simcord rejects overlapping operations; here they wait
        # When each (page, revision) was published.
        self._published: LruDict[tuple[str, int], datetime] = LruDict(_REMEMBERED_REVISIONS)

    async def _prepare_asset(
        self, context_id: str | None, asset_id: str, **wanted: Any
    ) -> tuple[str, bytes, str]:
        """Serve our own pictures directly: simcord checks each in a subprocess, which takes a second."""
        _, record, body = self._authorized_asset(context_id, asset_id)
        if body.startswith(_PNG):
            return "image/png", body, record.filename
        return await super()._prepare_asset(context_id, asset_id, **wanted)

    @property
    def is_open(self) -> bool:
        return self._active and not self._closed

    async def publish_news(self) -> None:
        """Publish every page if Discord has changed since the last call."""
        async with self._turn:
            transcript = self.env.backend.transcript
            has_news = any(_is_news(*entry) for entry in transcript)
            # These records have no other reader and would grow as long as the demo runs.
            transcript.clear()
            self.env.http_requests.clear()
            if has_news and self.is_open:
                await self.refresh()

    async def _action(self, context_id: str | None, body: Mapping[str, Any]) -> dict[str, Any]:
        async with self._turn:
            page = self._pages.get(context_id or "")
            if page is not None and isinstance(body, Mapping):
                is_current = self._is_meant_for_now(page, body)
                body = {**body, "published_revision": page.revision if is_current else page.revision - 1}
                if str(body.get("control_key")).startswith("message:"):
                    # simcord would keep what stood in a list of people when it was opened, whatever the bot
                    # has chosen since.
                    body.pop("selected_values", None)
            return await super()._action(context_id, body)

    def _publish(self, page: _Page, *, reason: _Reason = "action") -> None:
        super()._publish(page, reason=reason)
        self._published[page.id, page.revision] = self.env.now()

    def _is_meant_for_now(self, page: _Page, body: Mapping[str, Any]) -> bool:
        """Whether the pressed message, if any, is unchanged since the person saw it."""
        if "target_id" not in body:
            return True
        messages = self.env.backend.messages.get(page.channel_id, {})
        message = messages.get(_whole(body["target_id"]))
        seen = self._published.get((page.id, body.get("published_revision", 0)))
        if message is None or seen is None:
            return False
        return datetime.fromisoformat(message.edited_timestamp or message.timestamp) <= seen


def _is_news(kind: str, name: str, payload: Any) -> bool:
    """Whether this record of simcord's transcript can have changed a page."""
    if kind == "HTTP":
        # Autocomplete answers every key; publishing then would disturb the typing.
        is_autocomplete = (
            name.endswith("/callback") and isinstance(payload, dict) and payload.get("type") == 8
        )
        return not name.startswith("GET ") and not is_autocomplete
    return name != "INTERACTION_CREATE"


def _whole(value: object) -> int:
    """The id that a page sent as text; 0, which is no valid id, for anything else."""
    return int(value) if isinstance(value, str) and value.isdecimal() else 0
