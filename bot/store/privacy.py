"""Privacy: the tables that name people, and the deletion of one person from all of them.

A test walks the tables and fails if one that names people is not listed in TRACES.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa

from bot.domain.challenge import ChallengeStatus
from bot.domain.champion import ChampionRole, Title
from bot.domain.guest import GUEST_IDS, is_guest
from bot.store.announcements import announce
from bot.store.champions import add_champion_role
from bot.store.connection import Connection
from bot.store.database import Store, uncancellable
from bot.store.facts import facts
from bot.store.ranking import is_person, list_person
from bot.store.rows import put
from bot.store.shared import metadata

PSEUDONYM = "Deleted player"

LAST_PSEUDONYM = "last_pseudonym"
"""The fact that stores the last pseudonym's id. Discord's ids are above zero, and pseudonyms' below."""


@dataclass(frozen=True, slots=True)
class Trace:
    """The columns of a table that name people.

    users: columns with a person's id, each with the column of their name or None. players: columns with the
    id as text, in rows whose is_agent is false if there is that column. stays: rows are kept under a
    pseudonym, since other people's results and ratings depend on them.
    """

    table: str
    users: tuple[tuple[str, str | None], ...] = ()
    players: tuple[tuple[str, str | None], ...] = ()
    stays: bool = False


TRACES = (
    Trace(
        "matches",
        users=(("first_user", "first_name"), ("second_user", "second_name"), ("begun_by", None)),
        stays=True,
    ),
    Trace("records", players=(("player", None),), stays=True),
    Trace("players", players=(("player", "name"),), stays=True),
    Trace("tournaments", users=(("organiser_id", None),), stays=True),
    Trace("tournament_entrants", users=(("user_id", "name"),), stays=True),
    Trace("tournament_judges", users=(("user_id", None),)),
    Trace("challenges", users=(("challenger_user", "challenger_name"), ("opponent_user", "opponent_name"))),
    Trace("never_meet", users=(("user_id", None), ("other_user_id", None))),
    Trace("name_reports", users=(("user_id", None), ("other_user_id", "name"))),
    Trace("hints", users=(("user_id", None),)),
    Trace("imported_games", users=(("user_id", "first_name"), ("user_id", "second_name"))),
    Trace("votes", users=(("user_id", None),)),
    Trace("web_pages", users=(("shared_by", None),)),
    Trace("web_sessions", users=(("user_id", None),)),
    Trace("achievements", users=(("user_id", None),)),
    Trace("accuracies", users=(("user_id", None),)),
    Trace("puzzle_attempts", users=(("user_id", None),)),
    Trace("puzzle_solvers", users=(("user_id", None),)),
    Trace("puzzle_places", players=(("player", None),)),
    Trace("puzzle_courses", users=(("user_id", None),)),
    Trace("puzzle_bests", users=(("user_id", None),)),
    Trace("predictions", users=(("user_id", None),)),
    Trace("reminders", users=(("user_id", None),)),
    Trace("outgoing", users=(("user_id", None),)),
    Trace("mistakes", users=(("user_id", None),)),
    Trace("champion_roles", users=(("user_id", None),)),
    Trace("preferences", users=(("user_id", None),)),
)


class PrivacyStore(Store):
    """Deletes personal data."""

    has_limit = False

    @uncancellable
    async def erase(self, user_id: int, *, kept_roles: Iterable[ChampionRole] = ()) -> int:
        """Delete the person from every table in one transaction; return the pseudonym's id, below zero.

        Results and ratings of other people do not change, and SQLite's log holds no copy afterwards.
        kept_roles: champions' roles that they still have on Discord; they stay noted until they are removed.
        """
        async with self._database.writing() as connection:
            pseudonym = await _next_pseudonym(connection)
            await list_person(connection, user_id, is_listed=False)
            for trace in TRACES:
                if trace.stays:
                    await _rename(connection, trace, user_id, pseudonym)
                else:
                    await connection.execute(
                        sa.delete(metadata.tables[trace.table]).where(names_of(trace, user_id))
                    )
            for holding in kept_roles:
                await add_champion_role(connection, replace(holding, title=Title.NONE))
            await announce(connection, "preferences", user_id)
            await _forget_channels(connection, pseudonym)
            await _outdate_tournaments(connection, pseudonym)
        await self._database.empty_log()
        return pseudonym

    @uncancellable
    async def people(self) -> set[int]:
        """Return the ids of all people whom a table names."""
        found: set[int] = set()
        async with self._database.reading() as connection:
            for trace in TRACES:
                table = metadata.tables[trace.table]
                for column, _ in trace.users:
                    query = sa.select(table.c[column]).distinct().where(table.c[column] > 0)
                    found.update((await connection.execute(query)).scalars())
                for column, _ in trace.players:
                    query = sa.select(table.c[column]).distinct().where(is_person(table))
                    found.update(int(key) for key in (await connection.execute(query)).scalars())
        return {user_id for user_id in found if user_id > 0}

    @uncancellable
    async def forget_invitations(self, now: datetime) -> int:
        """Delete closed invitations whose time is over, and return their number.

        Names of people who are stored nowhere else are deleted with them.
        """
        challenges, players = metadata.tables["challenges"], metadata.tables["players"]
        is_past = sa.and_(challenges.c.status != ChallengeStatus.OPEN.value, challenges.c.expires_at <= now)
        async with self._database.writing() as connection:
            gone = (
                await connection.execute(
                    sa.delete(challenges)
                    .where(is_past)
                    .returning(challenges.c.challenger_user, challenges.c.opponent_user)
                )
            ).all()
            for user_id in {user_id for row in gone for user_id in row if user_id is not None}:
                elsewhere = [
                    sa.exists().where(names_of(trace, user_id))
                    for trace in TRACES
                    if trace.table != "players"
                ]
                await connection.execute(
                    sa.delete(players).where(_is_player(players, "player", user_id), ~sa.or_(*elsewhere))
                )
        if gone:
            await self._database.empty_log()
        return len(gone)

    @uncancellable
    async def forget_guests(self, before: datetime) -> int:
        """Delete the guests' finished matches and puzzles that began before that moment; return their number.

        Guests without one of them left are deleted from every table.
        """
        matches, attempts = metadata.tables["matches"], metadata.tables["puzzle_attempts"]
        guests = {column: _is_guest(matches.c[column]) for column in ("first_user", "second_user")}
        is_past = sa.and_(matches.c.end.is_not(None), matches.c.created_at < before, sa.or_(*guests.values()))
        async with self._database.writing() as connection:
            gone = (
                await connection.execute(
                    sa.delete(matches).where(is_past).returning(matches.c.first_user, matches.c.second_user)
                )
            ).all()
            is_old = sa.and_(_is_guest(attempts.c.user_id), attempts.c.started_at < before)
            puzzles = sa.delete(attempts).where(is_old).returning(attempts.c.user_id)
            gone = [*gone, *(await connection.execute(puzzles)).all()]
            for user_id in {user_id for row in gone for user_id in row if is_guest(user_id)}:
                is_left = sa.or_(
                    sa.exists().where(names_of(TRACES[0], user_id)),
                    sa.exists().where(attempts.c.user_id == user_id),
                )
                if await connection.scalar(sa.select(is_left)):
                    continue
                for trace in TRACES[1:]:
                    await connection.execute(
                        sa.delete(metadata.tables[trace.table]).where(names_of(trace, user_id))
                    )
        if gone:
            await self._database.empty_log()
        return len(gone)

    @uncancellable
    async def guests_running(self, before: datetime) -> list[tuple[int, int]]:
        """Return the number and the guest of each running match that a guest began before that moment."""
        matches = metadata.tables["matches"]
        seats = (matches.c.first_user, matches.c.second_user)
        query = sa.select(matches.c.id, *seats).where(
            matches.c.end.is_(None), matches.c.created_at < before, sa.or_(*map(_is_guest, seats))
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(query)).all()
        return [(number, first if is_guest(first) else second) for number, first, second in rows]


def _is_guest(column: sa.ColumnElement[int | None]) -> sa.ColumnElement[bool]:
    return column.between(GUEST_IDS.start, GUEST_IDS.stop - 1)


async def _forget_channels(connection: Connection, pseudonym: int) -> None:
    """Delete the channels of direct messages with the bot: they would still identify the person."""
    matches = metadata.tables["matches"]
    alone = sa.or_(
        sa.and_(matches.c.first_user == pseudonym, matches.c.second_user.is_(None)),
        sa.and_(matches.c.second_user == pseudonym, matches.c.first_user.is_(None)),
    )
    await connection.execute(
        sa.update(matches)
        .where(matches.c.guild_id.is_(None), matches.c.channel_id.is_not(None), alone)
        .values(channel_id=0, message_id=None)
    )


async def _outdate_tournaments(connection: Connection, pseudonym: int) -> None:
    """Raise the version of the person's tournaments, so that a loaded copy cannot store them again."""
    tournaments, entrants = metadata.tables["tournaments"], metadata.tables["tournament_entrants"]
    entered = sa.select(entrants.c.tournament_id).where(entrants.c.user_id == pseudonym)
    await connection.execute(
        sa.update(tournaments).where(tournaments.c.id.in_(entered)).values(version=tournaments.c.version + 1)
    )


def names_of(trace: Trace, user_id: int) -> sa.ColumnElement[bool]:
    """Return the condition that a row of the trace's table names the person."""
    table = metadata.tables[trace.table]
    users = [table.c[column] == user_id for column, _ in trace.users]
    return sa.or_(*users, *(_is_player(table, column, user_id) for column, _ in trace.players))


def _is_player(table: sa.Table, column: str, user_id: int) -> sa.ColumnElement[bool]:
    return sa.and_(is_person(table), table.c[column] == str(user_id))


async def _next_pseudonym(connection: Connection) -> int:
    """Return a number below all pseudonyms in use."""
    last = await connection.scalar(sa.select(facts.c.value).where(facts.c.key == LAST_PSEUDONYM))
    pseudonym = int(last or 0) - 1
    await put(connection, facts, {"key": LAST_PSEUDONYM}, {"value": str(pseudonym)})
    return pseudonym


async def _rename(connection: Connection, trace: Trace, user_id: int, pseudonym: int) -> None:
    table = metadata.tables[trace.table]
    changes: list[tuple[str, str | None, sa.ColumnElement[bool], int | str]] = [
        (column, name, table.c[column] == user_id, pseudonym) for column, name in trace.users
    ]
    changes += [
        (column, name, _is_player(table, column, user_id), str(pseudonym)) for column, name in trace.players
    ]
    for column, name, where, value in changes:
        values: dict[str, object] = {column: value}
        if name is not None:
            values[name] = PSEUDONYM
        if "version" in table.c:
            # A copy that was loaded before must not store the person again.
            values["version"] = table.c.version + 1
        await connection.execute(sa.update(table).where(where).values(values))
