"""Requests of the host to the running bot, as files beside the database that only the bot may write."""

from __future__ import annotations

import os
from pathlib import Path

from bot.store.versions import Unusable

_FORGET = ".forget-"

MOST_DIGITS = 20
"""Longer than any of Discord's ids."""


def ask_to_forget(database: Path, user_id: int) -> Path:
    """Ask the running bot to delete a person's data; it deletes the returned file when that is done.

    Raises Unusable.
    """
    request = database.with_name(f"{database.name}{_FORGET}{user_id}")
    try:
        os.close(os.open(request, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise Unusable(f"{request} cannot be written: {error.strerror}.") from error
    return request


def to_forget(database: Path) -> dict[int, Path]:
    """Return the people whom the bot was asked to forget, each with the request's file."""
    found = {}
    for request in database.parent.glob(f"{database.name}{_FORGET}*"):
        number = request.name.removeprefix(f"{database.name}{_FORGET}")
        if number.isascii() and number.isdecimal() and len(number) < MOST_DIGITS:
            found[int(number)] = request
    return found
