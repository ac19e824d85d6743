"""Private parts of discord.py that the bot uses because there is no public way. Each has a test.

- the table of event parsers, `Client._connection.parsers`
- the names of the tasks in which interactions are answered
- the adapter that sends answers to interactions, `discord.webhook.async_.async_context`
- the HTTP session of a webhook, `Webhook.session`
- the method that sends all other requests, `Client.http.request`
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from copy import copy
from datetime import timedelta
from typing import Any, TypeAlias

import aiohttp
import discord
from discord.enums import InteractionResponseType
from discord.http import Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

log = logging.getLogger(__name__)

EventHandler: TypeAlias = Callable[[Any], None]
"""Takes the payload of an event of the gateway."""

_INTERACTION = "INTERACTION_CREATE"

_SESSION_EVENTS = {"READY", "RESUMED"}
"""Events of the connection itself: it cannot go on without them, so their errors stay errors."""

_MESSAGE_EVENTS = ("MESSAGE_CREATE", "MESSAGE_UPDATE")
"""Dropped before discord.py makes objects of them: the bot does not read messages."""

_INTERACTION_TASKS = (
    "discord.py: on_interaction",
    "discord-ui-dynamic-item",
    "discord-ui-view-dispatch",
    "discord-ui-modal",
    "CommandTree",
)
"""How the names of the tasks begin in which discord.py runs handlers of interactions."""


def intercept_events(client: discord.Client, gate: Callable[[EventHandler], EventHandler]) -> None:
    """Put `gate` before interactions, drop message events, and keep unreadable events from ending the bot.

    gate: is given discord.py's handler of interactions, and returns the one to use in its place.
    """
    parsers: dict[str, EventHandler] = client._connection.parsers
    parsers[_INTERACTION] = gate(_tolerant(_INTERACTION, parsers[_INTERACTION]))
    for event in _MESSAGE_EVENTS:
        del parsers[event]
    parsers.update({event: _tolerant(event, parsers[event]) for event in parsers.keys() - _SESSION_EVENTS})


def _tolerant(event: str, parse: EventHandler) -> EventHandler:
    """Return a parser that logs and drops events that it cannot read.

    discord.py would end the connection with the error, and again after every start: one channel of an unknown
    kind is enough.
    """

    def read(payload: Any) -> None:
        try:
            parse(payload)
        except Exception as error:  # noqa: BLE001 - the border to discord.py
            log.error("gateway event %s cannot be read: %r", event, error)

    return read


def interaction_tasks() -> list[asyncio.Task[Any]]:
    """Return the running tasks that answer interactions."""
    return [task for task in asyncio.all_tasks() if task.get_name().startswith(_INTERACTION_TASKS)]


_SILENT_ANSWERS = tuple(
    kind.value
    for kind in (
        InteractionResponseType.deferred_channel_message,
        InteractionResponseType.deferred_message_update,
        InteractionResponseType.message_update,
    )
)
"""Answers after which the message is known already."""


class BriefAnswers(AsyncWebhookAdapter):
    """Adapter that asks Discord for the resulting message only after answers that make a new one.

    discord.py always asks for it, and makes objects of the whole board with each move.
    """

    async def create_interaction_response(self, interaction_id: int, token: str, **options: Any) -> Any:
        params = options["params"]
        if params.files or params.payload["type"] not in _SILENT_ANSWERS:
            return await super().create_interaction_response(interaction_id, token, **options)
        del options["params"]
        path = "/interactions/{webhook_id}/{webhook_token}/callback"
        route = Route("POST", path, webhook_id=interaction_id, webhook_token=token)
        await self.request(route, payload=params.payload, **options)
        return {"interaction": {"id": interaction_id}}


def use_brief_answers() -> None:
    """Use `BriefAnswers` in the current task and all tasks that it starts."""
    async_context.set(BriefAnswers())  # type: ignore[no-untyped-call]


OLD_MESSAGE = timedelta(hours=1)
"""Discord limits edits of older messages further, by a window that it does not publish."""

OLD_EDIT_SECONDS = 30.0
"""How long an edit of an old message may wait for that window."""


def limit_old_edits(client: discord.Client, seconds: float = OLD_EDIT_SECONDS) -> None:
    """Let edits of old messages raise RateLimited after `seconds`, so that a new message can be sent instead.

    discord.py's own `max_ratelimit_timeout` refuses requests of every route whose window is longer, even if
    the window has requests left; threads and emoji have such windows.
    """
    send = client.http.request

    async def request(route: Route, **options: Any) -> Any:
        if not _edits_old_message(route):
            return await send(route, **options)
        try:
            async with asyncio.timeout(seconds):
                return await send(route, **options)
        except TimeoutError as error:
            raise discord.RateLimited(seconds) from error

    client.http.request = request  # type: ignore[method-assign]


def _edits_old_message(route: Route) -> bool:
    if (
        route.method != "PATCH"
        or not route.path.endswith("/messages/{message_id}")
        or route.channel_id is None
    ):
        return False
    sent_at = discord.utils.snowflake_time(int(route.url.rpartition("/")[2]))
    return discord.utils.utcnow() - sent_at > OLD_MESSAGE


def unrepeated(webhook: discord.Webhook) -> discord.Webhook:
    """Return a webhook that sends each request at most once.

    discord.py repeats a request that was answered by a server error, though it may have had its effect.
    """
    once = copy(webhook)
    once.session = _UnrepeatedSession(webhook.session)  # type: ignore[assignment]
    return once


class _UnrepeatedSession:
    """Session that raises server errors, which discord.py then does not see as answers to repeat."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    def request(self, method: str, url: str, **options: Any) -> Any:
        return self._session.request(method, url, raise_for_status=_raise_server_error, **options)


async def _raise_server_error(response: aiohttp.ClientResponse) -> None:
    if response.status >= 500:
        response.raise_for_status()
