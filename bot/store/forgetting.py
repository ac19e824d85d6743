"""Files beside the database: requests to delete people, and deletions to repeat on a restored backup."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from bot.store.versions import Unusable

_FORGET, _FORGOTTEN = ".forget-", ".forgotten"

REMEMBERED = timedelta(days=366)
"""How long a deletion is repeated on backups from before it."""

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


def note_forgotten(database: Path, user_id: int, now: datetime) -> None:
    """Remember that a person's data was deleted, by a hash of the id; raises Unusable.

    The hashes are salted, so that they are no list of ids; a known id can be looked for.
    """
    file = _forgotten_file(database)
    noted = _read(file)
    recent = {
        key: at for key, at in noted["deleted"].items() if now - datetime.fromisoformat(at) < REMEMBERED
    }
    noted["deleted"] = recent | {_hash(noted["salt"], user_id): now.isoformat()}
    part = file.with_name(f".{file.name}.part")
    try:
        with open(
            os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w", encoding="utf-8"
        ) as stream:
            json.dump(noted, stream)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(file)
    except OSError as error:
        raise Unusable(f"{file} cannot be written: {error.strerror}.") from error


def was_forgotten(database: Path, since: datetime | None) -> Callable[[int], bool]:
    """Return the test whether a person's data was deleted after that moment; None for ever."""
    noted = _read(_forgotten_file(database))
    later = {
        key for key, at in noted["deleted"].items() if since is None or datetime.fromisoformat(at) >= since
    }
    return lambda user_id: bool(later) and _hash(noted["salt"], user_id) in later


def _forgotten_file(database: Path) -> Path:
    return database.with_name(f"{database.name}{_FORGOTTEN}")


def _read(file: Path) -> dict[str, Any]:
    try:
        with contextlib.suppress(FileNotFoundError):
            found: dict[str, Any] = json.loads(file.read_text("utf-8"))
            return found
    except (OSError, ValueError) as error:
        raise Unusable(f"{file}, the deletions to repeat on a backup, cannot be read: {error}.") from error
    return {"salt": secrets.token_hex(16), "deleted": {}}


def _hash(salt: str, user_id: int) -> str:
    return hashlib.sha256(f"{salt} {user_id}".encode()).hexdigest()
