"""What the host asks of the bot that runs, by files beside the database: only the bot may write to that."""

from __future__ import annotations

import os
from pathlib import Path

from bot.store.versions import Unusable

_FORGET = ".forget-"

MOST_DIGITS = 20
"""More than any of Discord's ids has."""


def ask_to_forget(database: Path, user_id: int) -> Path:
    """Asks the running bot to delete what is stored of the person; the file goes when that is done.

    Raises Unusable.
    """
    request = database.with_name(f"{database.name}{_FORGET}{user_id}")
    try:
        os.close(os.open(request, os.O_CREAT | os.O_WRONLY, 0o600))
    except OSError as error:
        raise Unusable(f"{request} cannot be written: {error.strerror}.") from error
    return request


def to_forget(database: Path) -> dict[int, Path]:
    """Whom the bot was asked to forget, with the file of each."""
    found = {}
    for request in database.parent.glob(f"{database.name}{_FORGET}*"):
        number = request.name.removeprefix(f"{database.name}{_FORGET}")
        if number.isascii() and number.isdecimal() and len(number) < MOST_DIGITS:
            found[int(number)] = request
    return found
