"""The check of a whole database: every row is read, and derived values are compared; nothing is changed."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from bot.domain.match import Match
from bot.domain.result import End, Result
from bot.store.challenges import find_challenges
from bot.store.connection import Connection
from bot.store.damage import BATCH, DAMAGE, Damage
from bot.store.database import Database
from bot.store.imported_games import IMPORTED_GAME, imported_games
from bot.store.match_rows import MATCH, matches, read_matches
from bot.store.moves import moves
from bot.store.preferences import PreferenceStore
from bot.store.puzzles import ATTEMPT, attempts
from bot.store.recount import Recounter
from bot.store.tournaments import find_tournaments
from bot.store.training import MISTAKE, mistakes
from engine.core import EndReason, Player

MOST_PAGES = 20
"""How many faults of the file SQLite lists."""


_ROUNDED = 0.001
"""Seconds by which stored times may be rounded."""

_OF_THE_BOARD = {End(reason.value) for reason in EndReason}
"""Ends that the last position proves."""


@dataclass(frozen=True, slots=True)
class Findings:
    """The result of a check. problems: one line each."""

    matches: int
    problems: tuple[str, ...]


class Checker:
    """Checks all rows, a batch at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._problems: list[str] = []

    async def check(self) -> Findings:
        """Check pages and references, replay every match, read all other rows, and recount ratings."""
        self._problems = []
        count = 0
        for check in (self._check_file, self._check_matches, self._check_others, self._check_ratings):
            try:
                count += await check()
            except sa.exc.DBAPIError as error:
                self._problems.append(f"the file cannot be read on: {error.orig}")
            except DAMAGE as error:
                self._problems.append(f"a row cannot be understood: {type(error).__name__}: {error}")
        return Findings(count, tuple(self._problems))

    async def _check_file(self) -> int:
        if not self._database.is_sqlite:  # PostgreSQL guards its references, and has pg_amcheck
            return 0
        async with self._database.reading() as connection:
            pages = (await connection.execute(sa.text(f"PRAGMA integrity_check({MOST_PAGES})"))).scalars()
            self._problems += [f"the file: {fault}" for fault in pages if fault != "ok"]
            for row in (await connection.execute(sa.text("PRAGMA foreign_key_check"))).all():
                self._problems.append(f"{row[0]}, row {row[1]}: what it names in {row[2]} does not exist")
        return 0

    async def _check_matches(self) -> int:
        """Return the number of matches."""
        damage, count = Damage("match", is_logged=False), 0
        async with self._database.reading() as connection:
            async for numbers in _numbers(connection, matches):
                count += len(numbers)
                found = await read_matches(connection, damage, numbers)
                rows = await _plain_rows(connection, [match.id for match in found])
                self._problems += await _stored_twice(connection, numbers)
                for match in found:
                    self._problems += [
                        f"match {match.id}: {fault}" for fault in _faults(match, rows[match.id])
                    ]
        self._problems += damage.lines
        return count

    async def _check_others(self) -> int:
        invitations = Damage("invitation", is_logged=False)
        tournaments = Damage("tournament", is_logged=False)
        tries = Damage("puzzle attempt", is_logged=False)
        async with self._database.reading() as connection:
            await find_challenges(connection, invitations)
            for tournament in await find_tournaments(connection, tournaments):
                known = {entrant.number for entrant in tournament.entrants}
                if any(set(pairing.numbers) - known for pairing in tournament.pairings):
                    self._problems.append(f"tournament {tournament.id}: somebody is paired who is not in it")
            async for numbers in _numbers(connection, attempts):
                await tries.whole(numbers, lambda batch: _attempts(connection, batch))
            brought, kept = Damage("imported game", is_logged=False), Damage("mistake", is_logged=False)
            for damage, table, read in (
                (brought, imported_games, lambda row: IMPORTED_GAME.read(row).match()),
                (kept, mistakes, lambda row: MISTAKE.read(row).state),
            ):
                async for numbers in _numbers(connection, table):
                    rows = await connection.execute(sa.select(table).where(table.c.id.in_(numbers)))
                    damage.without(rows.all(), read)
        choices = PreferenceStore(self._database, is_logged=False)
        await choices.all_preferences()
        await choices.all_settings()
        for damage in (invitations, tournaments, tries, brought, kept, choices.damage):
            self._problems += damage.lines
        return 0

    async def _check_ratings(self) -> int:
        found = await Recounter(self._database, is_logged=False).check()
        self._problems += found.differences
        if found.more:
            self._problems.append(f"{found.more} more rows are not what the rated matches give")
        return 0


async def _numbers(connection: Connection, table: sa.Table) -> AsyncIterator[Sequence[int]]:
    """Yield the ids of all rows in order, a batch at a time."""
    last = 0
    while True:
        query = sa.select(table.c.id).where(table.c.id > last).order_by(table.c.id).limit(BATCH)
        numbers = (await connection.execute(query)).scalars().all()
        if not numbers:
            return
        yield numbers
        last = numbers[-1]


async def _plain_rows(connection: Connection, batch: Sequence[int]) -> dict[int, sa.RowMapping]:
    found = (await connection.execute(sa.select(matches).where(matches.c.id.in_(batch)))).mappings()
    return {row["id"]: row for row in found}


async def _stored_twice(connection: Connection, batch: Sequence[int]) -> list[str]:
    apart = sa.exists().where(moves.c.match_id == matches.c.id)
    query = sa.select(matches.c.id).where(matches.c.id.in_(batch), matches.c.packed_plies.is_not(None), apart)
    found = (await connection.execute(query)).scalars()
    return [f"match {number}: its moves are packed, and stored apart as well" for number in found]


async def _attempts(connection: Connection, batch: Sequence[int]) -> dict[int, object]:
    found = (await connection.execute(sa.select(attempts).where(attempts.c.id.in_(batch)))).all()
    return {row.id: ATTEMPT.read(row) for row in found}


def _overdrawn(match: Match) -> list[str]:
    """Return a problem if a move was made after the player's whole clock had run out."""
    if match.clock is None or match.clock.increment is None:
        return []
    left = dict.fromkeys(Player, float(match.clock.seconds))
    for ply, (player, timed) in enumerate(zip(match.movers, match.timed_moves, strict=True)):
        if ply < match.opening or match.seats[player].is_agent:
            continue
        left[player] -= timed.seconds
        if left[player] < -_ROUNDED:
            return [f"{match.seats[player].name} made move {ply + 1} after the time was up"]
        left[player] += match.clock.increment
    return []


def _faults(match: Match, row: sa.RowMapping) -> list[str]:
    """Return the contradictions in a match and its row."""
    found = []
    outcome, result = match.state.outcome(), match.result
    shown = None if outcome is None else Result(outcome.winner, End(outcome.reason.value))
    if shown is not None and result != shown:
        found.append(f"its board says {shown}, and its row {result}")
    if shown is None and result is not None and result.end in _OF_THE_BOARD:
        found.append(f"it ended by {result.end.value}, which its board does not show")
    found += _overdrawn(match)
    if match.turn < len(match.timed_moves) - match.opening:
        found.append("more moves are stored than were ever made")
    # Derived values are stored for queries, and must agree with the match. An invisible name is read as "".
    found += [
        f"{name} is {row[name]!r}, and should be {value!r}"
        for name, value in MATCH.values(match).items()
        if row[name] != value and row[name] != ""
    ]
    return found
