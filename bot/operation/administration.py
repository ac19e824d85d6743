"""The verbs of the command line that work on the database, without Discord."""

from __future__ import annotations

import asyncio
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from bot.domain.errors import MatchError
from bot.services.changes import retry_conflicts
from bot.store.backup import back_up, restore
from bot.store.check import Checker
from bot.store.copying import copy_everything
from bot.store.database import Database
from bot.store.database_errors import usable
from bot.store.forgetting import ask_to_forget, note_forgotten, was_forgotten
from bot.store.lock import InUse, held
from bot.store.postgres import is_postgres
from bot.store.recount import Recount, Recounter
from bot.store.stores import Stores
from bot.store.versions import Unusable, existing_file, file_of, name_of

EXIT_OK = 0
EXIT_DIFFERENT = 1

FORGET_WAIT_SECONDS = 30.0
"""How long `forget` waits for the running bot."""

_POLL_SECONDS = 0.5

MAX_LINES = 20
"""Limit for the differences that are printed."""


async def recount(url: str, *, is_check: bool) -> int:
    """Compare ratings, seasons and histories with the matches, and print the differences.

    Returns the exit code. Without `is_check` they are repaired, while no bot may run. Raises Unusable.
    """
    with usable(url):
        found = await (_compared(url) if is_check else _mended(url))
    for line in found.differences[:MAX_LINES]:
        print(line)  # noqa: T201
    wrong, rated = found.wrong, found.matches
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
    """Check everything that is stored, also while the bot runs; return the exit code.

    Prints all problems and changes nothing. Raises Unusable.
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


async def forget(url: str, user_id: int) -> int:
    """Delete a person's data, as `/my-data` does; a running bot is asked to do it.

    Returns the exit code; raises Unusable.
    """
    if is_postgres(url):
        with usable(url):
            kept = await _forget(url, user_id)
    else:
        database = existing_file(url)
        try:
            with held(url), usable(url):
                kept = await _forget(url, user_id)
        except InUse:
            return await _ask_to_forget(database, user_id)
    print(f"What was stored of user {user_id} is deleted.")  # noqa: T201
    if kept:
        print("They have a champion's role at Discord, which the bot takes back once it runs.")  # noqa: T201
    return EXIT_OK


async def shut_out(url: str, number: int, *, is_out: bool) -> int:
    """Shut a person or a server out of open tables, or let them in again; raises Unusable.

    With SQLite no bot may run, with PostgreSQL one takes note at once. Reports of those let in are dropped.
    """
    with _alone(url), usable(url):
        stores = await Stores.open(url)
        try:
            await stores.lobby.shut_out(number, is_out=is_out)
        finally:
            await stores.close()
    what = "is shut out of open tables" if is_out else "may open tables and sit down at them again"
    print(f"{number} {what}.")  # noqa: T201
    return EXIT_OK


async def tell_reports(url: str) -> int:
    """Print the names of strangers that people have reported, also while the bot runs; raises Unusable."""
    database = await Database.open_to_read(url)
    try:
        with usable(url):
            found = await Stores(database).lobby.reports(datetime.now(UTC))
    finally:
        await database.close()
    for one in found:
        told = f"{one.last_at:%Y-%m-%d %H:%M}, by {one.reports}: {one.name}, person {one.user_id}"
        print(f"{told}; server {one.guild_id}, {one.server or '?'}")  # noqa: T201
    if not found:
        print("No name is reported.")  # noqa: T201
    return EXIT_OK


async def tell_players(url: str, match_id: int) -> int:
    """Print the people and servers of a match between servers; return the exit code."""
    database = await Database.open_to_read(url)
    try:
        with usable(url):
            match = await Stores(database).matches.find(match_id)
    finally:
        await database.close()
    if match is None or not match.is_between:
        print(f"Match {match_id} is not between two servers.")  # noqa: T201
        return EXIT_DIFFERENT
    for seat in match.seats:
        print(f"{seat.name}: person {seat.user_id}, server {seat.guild_id}")  # noqa: T201
    return EXIT_OK


def _alone(url: str) -> AbstractContextManager[object]:
    """Keep bots off a SQLite file meanwhile; raises InUse where one runs."""
    if is_postgres(url):
        return nullcontext()
    existing_file(url)
    return held(url)


async def _ask_to_forget(database: Path, user_id: int) -> int:
    request = await asyncio.to_thread(ask_to_forget, database, user_id)
    for _ in range(int(FORGET_WAIT_SECONDS / _POLL_SECONDS)):
        await asyncio.sleep(_POLL_SECONDS)
        if not request.exists():
            print(f"The running bot has deleted what was stored of user {user_id}.")  # noqa: T201
            return EXIT_OK
    print(f"The running bot is asked to; it is done when {request} is gone.")  # noqa: T201
    return EXIT_OK


async def _forget(url: str, user_id: int) -> bool:
    """End the person's matches, invitations and tournaments, then delete their data.

    Boards are updated at the next start. Returns whether they have a champion's role, which is removed then.
    Raises Unusable.
    """
    stores = await Stores.open(url)
    try:
        if (file := file_of(url)) is not None:
            await asyncio.to_thread(note_forgotten, file, user_id, datetime.now(UTC))
        # A bot on the same database server may change something at the same time.
        return await retry_conflicts(lambda: _taken_out(stores, user_id))
    except MatchError:
        raise Unusable(
            f"User {user_id} plays on and on: run `python -m bot forget {user_id}` once more."
        ) from None
    finally:
        await stores.close()


async def _taken_out(stores: Stores, user_id: int) -> bool:
    """Do what `_forget` does; raises Conflict, after which it can be repeated."""
    now = datetime.now(UTC)
    for tournament in await stores.tournaments.active():
        entrant = tournament.entrant_of(user_id)
        if entrant is not None and not entrant.is_out:
            await stores.tournaments.save(tournament, tournament.leave(entrant.seat), now)
    for running in await stores.matches.running(user_id):
        # Read again, since other matches may have changed meanwhile.
        match = await stores.matches.find(running.id)
        if match is not None and not match.is_over:
            # While no bot runs, clocks stand: one that seems to have run out must not refuse this.
            in_time = replace(match, turn_started_at=now, stands_since=None, stands_until=None)
            await stores.matches.save(match, in_time.resign(user_id, now))
    for challenge in await stores.challenges.open_of(user_id):
        if challenge.expires_at > now:
            await stores.challenges.save(challenge, challenge.decline(user_id, now))
    kept = await stores.champions.of(user_id)
    await stores.privacy.erase(user_id, kept_roles=kept)
    return bool(kept)


async def back_up_to(url: str, target: Path) -> int:
    """Copy the database to a new file, also while the bot runs; raises Unusable."""
    _refuse_server(url, "`pg_dump --format=custom --file=FILE` makes a backup of it")
    await asyncio.to_thread(back_up, existing_file(url), target)
    print(f"{target} is a whole copy of the database, {target.stat().st_size:,} bytes.")  # noqa: T201
    return EXIT_OK


async def restore_from(url: str, backup: Path) -> int:
    """Replace the database by a backup, while no bot may run; raises Unusable."""
    _refuse_server(url, "`pg_restore --clean --if-exists --dbname=NAME FILE` puts one back")
    database = file_of(url)
    if database is None:
        raise Unusable("DATABASE_URL names no file that a backup could be restored to.")
    again: list[int] = []

    def forget(coming: Path) -> None:
        again.append(asyncio.run(_forget_again(database, coming)))

    with held(url):
        aside = await asyncio.to_thread(restore, database, backup, datetime.now(UTC), forget)
    print(f"{database} is now what {backup} holds.")  # noqa: T201
    if sum(again):
        print(f"{sum(again)} of its people were deleted after it was made, and are deleted again.")  # noqa: T201
    if aside is not None:
        print(f"What it held before is in {aside}.")  # noqa: T201
    return EXIT_OK


async def _forget_again(database: Path, coming: Path) -> int:
    """Delete from a backup's copy the people who were deleted after it was made; return their number."""
    url = f"sqlite+aiosqlite:///{coming}"
    with usable(url):
        stores = await Stores.open(url)
        try:
            is_forgotten = was_forgotten(database, await stores.outages.last_beat())
            people = [user_id for user_id in await stores.privacy.people() if is_forgotten(user_id)]
            for user_id in people:
                await _taken_out(stores, user_id)
        finally:
            await stores.close()
    return len(people)


def _refuse_server(url: str, instead: str) -> None:
    if is_postgres(url):
        raise Unusable(f"{name_of(url)} is PostgreSQL's: {instead} (docs/hosting.md shows the whole line).")


async def copy_database(source_url: str, target_url: str) -> int:
    """Copy everything into an empty database, and check it there.

    Returns the exit code; raises Unusable.
    """
    source = await Database.open_to_read(source_url)
    try:
        with held(target_url):
            target = await Database.open(target_url)
            try:
                copied = await copy_everything(source, target)
            finally:
                await target.close()
    finally:
        await source.close()
    rows = sum(copied.values())
    print(f"{rows:,} rows of {len(copied)} tables are copied to {name_of(target_url)}.")  # noqa: T201
    code = await check(target_url)
    if code == EXIT_OK:
        print("Let DATABASE_URL name it, and start the bot.")  # noqa: T201
    return code


async def _compared(url: str) -> Recount:
    database = await Database.open_to_read(url)
    try:
        return await Recounter(database).check()
    finally:
        await database.close()


async def _mended(url: str) -> Recount:
    if not is_postgres(url):
        existing_file(url)
    with held(url):
        database = await Database.open(url)
        try:
            return await Recounter(database).repair()
        finally:
            await database.close()
