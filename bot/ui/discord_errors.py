"""The errors of Discord and of the network, classified: gone, refused, transient, or a bug of ours."""

from __future__ import annotations

from datetime import timedelta

import discord
from aiohttp import ClientError

from bot.services.ports import Delivered, NotDelivered

CONNECTION_ERRORS = (ClientError, OSError, TimeoutError)
"""Errors of the network: the request may have had its effect or not."""

DISCORD_ERRORS = (discord.HTTPException, discord.RateLimited, *CONNECTION_ERRORS)
"""All errors of requests to Discord."""

UNKNOWN_CHANNEL = 10003
"""Discord's code for a channel or thread that was deleted."""

UNKNOWN_MESSAGE = 10008
"""Discord's code for a message that was deleted."""

OLD_MESSAGE_LIMIT = 30046
"""Discord's code: "Maximum number of edits to messages older than 1 hour reached"."""

ARCHIVED = 50083
"""Discord's code for a thread that is archived; a new message opens it again, an edit does not."""

UNKNOWN_INTERACTION = 10062
"""Discord's code for an answer that came after three seconds, or to another process's token."""

ALREADY_ACKNOWLEDGED = 40060
"""Discord's code for a second first answer: an earlier request got through, whatever became of it."""

INVALID_RECIPIENT = 50033
"""Discord's code where direct messages are opened with an account that is deleted."""

DMS_TOO_FAST = 40003
"""Discord's code: "You are opening direct messages too fast"; the person has refused nothing."""

_MALFORMED = (0, 50006, 50035, 50109)
"""Discord's codes for malformed requests: none, empty message, invalid form, invalid JSON."""

CLOCK_SLACK = timedelta(minutes=1)
"""Tolerance for the difference between this machine's clock and Discord's."""


def classify(error: Exception) -> Delivered:
    """Return the outcome of sending, editing or deleting a message that failed so."""
    if isinstance(error, NotDelivered):
        return error.outcome
    if isinstance(error, discord.RateLimited):
        return Delivered.CHANNEL_REFUSED
    if isinstance(error, CONNECTION_ERRORS):
        return Delivered.DISCORD_DOWN
    if not isinstance(error, discord.HTTPException):
        return Delivered.MESSAGE_REFUSED
    # Also during some outages: who asks believes it the second time.
    if error.status == 404 or error.code == INVALID_RECIPIENT:
        return Delivered.GONE
    if error.code == DMS_TOO_FAST:
        return Delivered.MESSAGE_REFUSED
    if error.status == 403 or error.code in (OLD_MESSAGE_LIMIT, ARCHIVED):
        return Delivered.CHANNEL_REFUSED
    if error.status in (401, 429) or error.status >= 500:
        return Delivered.DISCORD_DOWN
    return Delivered.MESSAGE_REFUSED


def is_transient(error: BaseException) -> bool:
    """Return whether the same request may succeed later."""
    if not isinstance(error, DISCORD_ERRORS):
        return False
    return isinstance(error, discord.RateLimited) or classify(error) is Delivered.DISCORD_DOWN


def is_our_bug(error: Exception) -> bool:
    """Return whether the error is no state or fault of Discord's, but a bug of the bot."""
    if isinstance(error, discord.HTTPException) and error.status != 400:
        return classify(error) is Delivered.MESSAGE_REFUSED
    if isinstance(error, discord.HTTPException):
        return error.code in _MALFORMED
    return not isinstance(error, (discord.RateLimited, ClientError, NotDelivered))


def wants_new_board(error: BaseException | None) -> bool:
    """Return whether the message is deleted or not editable for now, while a new one may be sent."""
    if isinstance(error, discord.HTTPException):
        return error.code in (OLD_MESSAGE_LIMIT, UNKNOWN_MESSAGE, ARCHIVED)
    return isinstance(error, discord.RateLimited)


def is_deleted(error: BaseException | None, code: int) -> bool:
    """Return whether the error has that code of Discord's, such as UNKNOWN_MESSAGE."""
    return isinstance(error, discord.HTTPException) and error.code == code
