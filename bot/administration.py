"""What the person who runs the bot does with its database: the verbs that need no Discord."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from pathlib import Path

from bot.store import Recount, Recounter
from bot.store.backup import back_up, restore
from bot.store.check import Checker
from bot.store.database import Database
from bot.store.lock import held
from bot.store.versions import Unusable, existing_file, file_of, usable

EXIT_OK = 0
EXIT_DIFFERENT = 1

MOST_LINES = 20
"""Differences that are printed, of those that were found."""


async def recount(url: str, *, is_check: bool) -> int:
    """Compares ratings, seasons and histories with the matches, and prints how they differ.

    Returns the exit code. Without `is_check` it makes them agree, for which no bot may run. Raises Unusable.
    """
    found = await (_compared(url) if is_check else _mended(url))
    for line in found.differences[:MOST_LINES]:
        print(line)  # noqa: T201
    wrong, rated = len(found.differences), found.matches
    if not wrong:
        print(f"Ratings, seasons and histories are what the {rated} rated matches give.")  # noqa: T201
        return EXIT_OK
    print(f"{wrong} rows are not what the {rated} rated matches give.")  # noqa: T201
    if is_check:
        print("Stop the bot and run `python -m bot recount` to mend them.")  # noqa: T201
        return EXIT_DIFFERENT
    print("They are mended.")  # noqa: T201
    return EXIT_OK


async def check(url: str) -> int:
    """Looks through everything that is stored, also while the bot runs; returns the exit code.

    Prints what is wrong. Nothing is made or changed. Raises Unusable.
    """
    database = await Database.open_to_read(url)
    try:
        with usable(url):
            found = await Checker(database).check()
    finally:
        await database.close()
    for line in found.problems:
        print(line)  # noqa: T201
    if found.problems:
        print(f"{len(found.problems)} things are wrong, in {found.matches} matches and what belongs to them.")  # noqa: T201
        return EXIT_DIFFERENT
    print(f"All is well: {found.matches} matches were replayed, and everything agrees.")  # noqa: T201
    return EXIT_OK


async def back_up_to(url: str, target: Path) -> int:
    """Copies the database to a new file, also while the bot runs; raises Unusable."""
    await asyncio.to_thread(back_up, existing_file(url), target)
    print(f"{target} is a whole copy of the database, {target.stat().st_size:,} bytes.")  # noqa: T201
    return EXIT_OK


async def restore_from(url: str, backup: Path) -> int:
    """Puts a backup in the place of the database, for which no bot may run; raises Unusable."""
    database = file_of(url)
    if database is None:
        raise Unusable("DATABASE_URL names no file that a backup could be restored to.")
    with held(url):
        aside = await asyncio.to_thread(restore, database, backup, datetime.now(UTC))
    print(f"{database} is now what {backup} holds.")  # noqa: T201
    if aside is not None:
        print(f"What it held before is in {aside}.")  # noqa: T201
    return EXIT_OK


async def _compared(url: str) -> Recount:
    database = await Database.open_to_read(url)
    try:
        return await Recounter(database).check()
    finally:
        await database.close()


async def _mended(url: str) -> Recount:
    existing_file(url)
    with held(url):
        database = await Database.open(url)
        try:
            return await Recounter(database).repair()
        finally:
            await database.close()
