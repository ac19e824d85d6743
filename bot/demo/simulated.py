"""The only door to simcord: an in-memory Discord in real time, served as a web page on loopback.

simcord is made for tests: it stops the clock, takes over every task and timer of the bot, and lets a
person act only when all of them are at rest. A game that people watch never rests, so here three
things differ from simcord's own way, and the bot runs just as it does on the real Discord:

- Time is the real time, and the bot's tasks, timers and threads belong to the event loop alone. An
  action is over as soon as the bot has answered it, within the three seconds that Discord allows.
- Whatever the bot changes later, an agent's move or an expired clock, is published to every open
  page at once; the page itself asks for news twice a second. The page's button Refresh is not needed.
- A press is judged by the message it was made on. simcord refuses every press on a page that has been
  published anew meanwhile; here only a press on a message that itself has changed is refused.

What a person sees is always `#games`: simcord's page shows one channel, has no context menus, and shows
neither direct messages nor threads. User installs and other locales than en-US do not exist in it.

Users, server and channels keep their ids from one start to the next, so that stored matches keep their
players; messages, interactions and commands get new ids, so that a stored id never hits a new message.
Everything in Discord is forgotten at the end: the bot finds neither its old messages nor its commands.

Rules for tests, which use simcord itself with its stopped clock:

- Executor work is waited for. A task that waits for an event, a queue or a future without anybody
  about to fill it never settles, and every verb then ends in a TimeoutError.
- `asyncio.sleep` shorter than the settle timeout is really slept; longer ones, timers and
  `discord.ext.tasks` loops wait for `env.advance_time`.
- `time.monotonic` stands still in the bot's code, in its threads too: measure a search's limit with
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

from bot.demo.emoji import EmojiPictures
from bot.demo.page import DemoServer
from bot.domain.lru_dict import LruDict

USUAL_PORT = 8377

_ANSWER_SECONDS = 3.0  # Discord: "Interactions: Receiving and Responding", first answer
_POLL_SECONDS = 0.01
_PUBLISH_SECONDS = 0.1
_REMEMBERED_REVISIONS = 1000

_Reason = Literal[
    "initial", "refresh", "snapshot", "navigation", "query", "presentation", "action", "capture"
]


class PortTaken(OSError):
    """The loopback port that was asked for belongs to another program."""


class SimulatedDiscord:
    """A small Discord with two people in it; inside `async with` the bot is online and the page is served.

    Takes the bot unstarted and closes it in the end.
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
        """`port`: None or 0 takes the usual one, or a free one; any other is taken or PortTaken is raised.

        is_inspected: the page has the controls of simcord for those who test a bot. emoji: of the bot's
        application, by name, each with what draws its PNG.
        """
        self._bot = bot
        self._is_inspected = is_inspected
        self._emoji = emoji or {}
        self._port = port or None
        self.env: Env = _LiveEnv(bot)
        self._preview: _LivePreview | None = None

    @property
    def url(self) -> str:
        """The page's address; whoever has it can act as everybody in the demo."""
        return self._page.url

    async def __aenter__(self) -> Self:
        clock = _PausedClock()
        self.env.backend.clock = clock
        self._make_world()
        # simcord would take an upload and throw its picture away: these are there before the bot looks.
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
        """Keeps the open pages up to date until the page's End button closes the session."""
        while self._page.is_open:
            await self._page.publish_news()
            await asyncio.sleep(_PUBLISH_SECONDS)

    @property
    def _page(self) -> _LivePreview:
        if self._preview is None:
            raise RuntimeError("SimulatedDiscord is used outside of its async with")
        return self._preview

    def _make_world(self) -> None:
        """Ids come from the clock and the order of creation: with a paused clock only append at the end."""
        self.env.backend.edit_bot_profile("Discade")
        ada = self.env.create_user("ada", global_name="Ada")
        ben = self.env.create_user("ben", global_name="Ben")
        guild = self.env.create_guild("Discade demo")
        self.channel = guild.create_text_channel(
            "games",
            topic="Press Play, or type /play. You are Ada; at the top you can become Ben.",
        )
        self.people = (guild.add_member(ada), guild.add_member(ben))
        for person in self.people:
            _ = person.user.dm_channel  # made on first use, and so with a stable id
        # Ada manages the server, so that /settings can be tried; the simulator gives roles on joining only.
        host = guild.create_role("Host", permissions=discord.Permissions(manage_guild=True))
        self.env.backend.guilds[guild.id].members[ada.id].role_ids.append(host.id)

    def _make_emoji(self, name: str) -> str:
        """The address of its picture; made after all that keeps its id from one start to the next."""
        return f"{CDN_BASE}/emojis/{self.env.backend.create_application_emoji(name).id}.png"

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


class _PausedClock(Clock):
    """Stands at simcord's beginning of time until it runs; then it is the real time."""

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
        # simcord takes over what runs in its own scope; this one only lets the bot's answers reach simcord.
        with self.time_context():
            yield

    def _capture_errors(self) -> None:
        # simcord reports an action as failed when the bot has met an error, even one that it has answered.
        return

    async def _settle_internal(self, *, dispatch: str | None = None, **_limits: float | None) -> None:
        """Waits until the newest interaction is answered; changes without one show when they happen."""
        if dispatch != "INTERACTION_CREATE":
            await asyncio.sleep(0)
            return
        interaction = next(reversed(self.backend.interactions.values()))
        loop = asyncio.get_running_loop()
        deadline = loop.time() + _ANSWER_SECONDS
        while not interaction.responded and loop.time() < deadline:
            await asyncio.sleep(_POLL_SECONDS)


class _LivePreview(Preview):
    """The page, published when something has changed and not only when somebody acts."""

    # A tab in the background hardly asks for news; it must still work when somebody returns to it.
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
        self._explicit_assets = pictures  # drawn on demand, where simcord would copy them all
        self._server = DemoServer(self, port, is_inspected=is_inspected)
        self._turn = asyncio.Lock()  # simcord refuses operations that overlap; these wait
        # When each (page, revision) was published.
        self._published: LruDict[tuple[str, int], datetime] = LruDict(_REMEMBERED_REVISIONS)

    async def _prepare_asset(
        self, context_id: str | None, asset_id: str, **wanted: Any
    ) -> tuple[str, bytes, str]:
        """Our own emoji at once: simcord has a process of its own look at every picture, for seconds."""
        _, record, body = self._authorized_asset(context_id, asset_id)
        if isinstance(record.source, tuple) and record.source[0] == "emoji":
            return "image/png", body, record.filename
        return await super()._prepare_asset(context_id, asset_id, **wanted)

    @property
    def is_open(self) -> bool:
        return self._active and not self._closed

    async def publish_news(self) -> None:
        """Publishes every page if Discord has changed since the last time."""
        async with self._turn:
            transcript = self.env.backend.transcript
            has_news = any(_is_news(*entry) for entry in transcript)
            # Nobody else reads these records; kept, they would grow for as long as the demo runs.
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
            return await super()._action(context_id, body)

    def _publish(self, page: _Page, *, reason: _Reason = "action") -> None:
        super()._publish(page, reason=reason)
        self._published[page.id, page.revision] = self.env.now()

    def _is_meant_for_now(self, page: _Page, body: Mapping[str, Any]) -> bool:
        """Whether the message that was acted on, if any, looks the same as when the person saw it."""
        if "target_id" not in body:
            return True
        messages = self.env.backend.messages.get(page.channel_id, {})
        message = messages.get(_whole(body["target_id"]))
        seen = self._published.get((page.id, body.get("published_revision", 0)))
        if message is None or seen is None:
            return False
        return datetime.fromisoformat(message.edited_timestamp or message.timestamp) <= seen


def _is_news(kind: str, name: str, payload: Any) -> bool:
    """Whether this record of simcord's transcript can have changed what a page shows."""
    if kind == "HTTP":
        # Answers to autocomplete come with every key; publishing then would only disturb the typing.
        is_autocomplete = (
            name.endswith("/callback") and isinstance(payload, dict) and payload.get("type") == 8
        )
        return not name.startswith("GET ") and not is_autocomplete
    return name != "INTERACTION_CREATE"


def _whole(value: object) -> int:
    """The id that a page sent as text; 0, which nothing has, for anything else."""
    return int(value) if isinstance(value, str) and value.isdecimal() else 0
