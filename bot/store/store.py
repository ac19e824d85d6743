"""Store: matches, invitations and what belongs to them, each question and change in one short transaction."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Self

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert as upsert

from bot.domain.challenge import Challenge, ChallengeStatus
from bot.domain.match import Match
from bot.store import rows
from bot.store.database import BUSY_SECONDS, Database, whole
from bot.store.endings import count_ending
from bot.store.queries import (
    Conflict,
    find_challenges,
    find_matches,
    insert_match,
    name_players,
    new_id,
    update_challenge,
)
from bot.store.ratings import RatingStore
from bot.store.tables import challenges, facts, hints, matches, moves, notices, players
from bot.store.tournaments import tournament_pairings


@dataclass(frozen=True, slots=True)
class Notice:
    """A small message that called somebody to their turn."""

    channel_id: int
    message_id: int


class Store:
    """The database of one process. Reads and writes wait for one another: SQLite has one writer."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self.ratings = RatingStore(database)

    @classmethod
    async def open(cls, url: str, *, busy_seconds: float = BUSY_SECONDS) -> Self:
        return cls(await Database.open(url, busy_seconds=busy_seconds))

    @property
    def database(self) -> Database:
        return self._database

    async def close(self) -> None:
        """Lets every transaction that was begun come to its end first."""
        await self._database.close()

    # Matches

    @whole
    async def add_match(self, match: Match) -> Match:
        """The match with its new id."""
        async with self._database.writing() as connection:
            return await insert_match(connection, match)

    @whole
    async def save_match(self, before: Match, after: Match) -> None:
        """Stores the change from `before` to `after`, and counts the match if it ends it; raises Conflict.

        One transaction: of two changes made from the same version exactly one is stored.
        """
        async with self._database.writing() as connection:
            changed = await connection.execute(
                sa.update(matches)
                .where(matches.c.id == before.id, matches.c.version == before.version)
                .values(rows.match_values(after))
            )
            if changed.rowcount != 1:
                raise Conflict
            kept = min(len(before.turns), len(after.turns))
            if len(before.turns) > kept:
                await connection.execute(
                    sa.delete(moves).where(moves.c.match_id == after.id, moves.c.ply >= kept)
                )
            if len(after.turns) > kept:
                await connection.execute(
                    sa.insert(moves),
                    [
                        rows.turn_values(after.id, ply, turn)
                        for ply, turn in enumerate(after.turns[kept:], start=kept)
                    ],
                )
            if before.result is None and after.result is not None:
                await count_ending(connection, after)

    @whole
    async def match(self, match_id: int) -> Match | None:
        async with self._database.reading() as connection:
            found = await find_matches(connection, matches.c.id == match_id)
        return found[0] if found else None

    @whole
    async def running_matches(self, user_id: int | None = None, channel_id: int | None = None) -> list[Match]:
        """The running matches of a user (None: of everybody), the one touched last first."""
        where: list[sa.ColumnElement[bool]] = [matches.c.end.is_(None)]
        if user_id is not None:
            where.append(_seats(user_id))
        if channel_id is not None:
            where.append(matches.c.channel_id == channel_id)
        async with self._database.reading() as connection:
            return await find_matches(
                connection, *where, order=(matches.c.touched_at.desc(), matches.c.id.desc())
            )

    @whole
    async def running_with_agents(self) -> list[Match]:
        """The running matches in which an agent has a seat."""
        has_agent = sa.or_(matches.c.first_level.is_not(None), matches.c.second_level.is_not(None))
        async with self._database.reading() as connection:
            return await find_matches(connection, matches.c.end.is_(None), has_agent)

    @whole
    async def running_versions(self) -> dict[int, tuple[int, datetime]]:
        """Of running matches in which an agent has a seat: id -> version and time of the last change."""
        has_agent = sa.or_(matches.c.first_level.is_not(None), matches.c.second_level.is_not(None))
        query = sa.select(matches.c.id, matches.c.version, matches.c.touched_at).where(
            # Only running matches are ever due, and there is an index for that.
            matches.c.due_at.is_not(None),
            has_agent,
        )
        async with self._database.reading() as connection:
            return {row.id: (row.version, row.touched_at) for row in await connection.execute(query)}

    @whole
    async def finished_matches(self, user_id: int, limit: int, channel_id: int | None = None) -> list[Match]:
        """The user's last matches that are over, the latest first."""
        where: list[sa.ColumnElement[bool]] = [matches.c.end.is_not(None), _seats(user_id)]
        if channel_id is not None:
            where.append(matches.c.channel_id == channel_id)
        async with self._database.reading() as connection:
            return await find_matches(
                connection, *where, order=(matches.c.touched_at.desc(), matches.c.id.desc()), limit=limit
            )

    @whole
    async def count_running(self, user_id: int) -> int:
        query = sa.select(sa.func.count()).where(matches.c.end.is_(None), _seats(user_id))
        async with self._database.reading() as connection:
            return int((await connection.execute(query)).scalar_one())

    @whole
    async def count_watched(self, channel_id: int) -> int:
        """How many matches between agents run in the channel, those of tournaments left out."""
        paired = tournament_pairings.c.match_id
        query = sa.select(sa.func.count()).where(
            matches.c.end.is_(None),
            matches.c.channel_id == channel_id,
            matches.c.id.not_in(sa.select(paired).where(paired.is_not(None))),
            matches.c.first_level.is_not(None),
            matches.c.second_level.is_not(None),
        )
        async with self._database.reading() as connection:
            return int((await connection.execute(query)).scalar_one())

    @whole
    async def last_touched_matches(self, window: timedelta) -> list[Match]:
        """The matches, over or not, that were changed within `window` before the very last change."""
        async with self._database.reading() as connection:
            last = (await connection.execute(sa.select(sa.func.max(matches.c.touched_at)))).scalar_one()
            if last is None:
                return []
            return await find_matches(connection, matches.c.touched_at >= last - window)

    @whole
    async def due_matches(self, now: datetime) -> list[Match]:
        """The running matches whose clock wants a look."""
        async with self._database.reading() as connection:
            return await find_matches(connection, matches.c.due_at <= now, order=(matches.c.due_at,))

    # Challenges

    @whole
    async def add_challenge(self, challenge: Challenge) -> Challenge:
        """The challenge with its new id."""
        async with self._database.writing() as connection:
            await name_players(connection, (challenge.challenger, challenge.opponent))
            done = await connection.execute(sa.insert(challenges).values(rows.challenge_values(challenge)))
            return replace(challenge, id=new_id(done))

    @whole
    async def save_challenge(self, before: Challenge, after: Challenge) -> None:
        """Stores the change; raises Conflict."""
        async with self._database.writing() as connection:
            await update_challenge(connection, before, after)

    @whole
    async def accept_challenge(
        self, before: Challenge, after: Challenge, match: Match
    ) -> tuple[Challenge, Match]:
        """Stores an accepted challenge and the match that comes of it, both or none; raises Conflict."""
        async with self._database.writing() as connection:
            stored = await insert_match(connection, match)
            after = replace(after, match_id=stored.id)
            await update_challenge(connection, before, after)
            return after, stored

    @whole
    async def challenge(self, challenge_id: int) -> Challenge | None:
        async with self._database.reading() as connection:
            found = await find_challenges(connection, challenges.c.id == challenge_id)
        return found[0] if found else None

    @whole
    async def open_challenges(
        self, *, due: datetime | None = None, challenger: int | None = None, rematch_of: int | None = None
    ) -> list[Challenge]:
        """The open challenges that expire by `due`, of that challenger, for that rematch."""
        where: list[sa.ColumnElement[bool]] = [challenges.c.status == ChallengeStatus.OPEN.value]
        if due is not None:
            where.append(challenges.c.expires_at <= due)
        if challenger is not None:
            where.append(challenges.c.challenger_user == challenger)
        if rematch_of is not None:
            where.append(challenges.c.rematch_of == rematch_of)
        async with self._database.reading() as connection:
            return await find_challenges(connection, *where)

    @whole
    async def rematch_match(self, match_id: int) -> Match | None:
        """The match that was begun as the rematch of that one."""
        async with self._database.reading() as connection:
            found = await find_matches(connection, matches.c.rematch_of == match_id)
        return found[0] if found else None

    # Notices, names and facts

    @whole
    async def add_notice(self, match_id: int, notice: Notice) -> None:
        async with self._database.writing() as connection:
            await connection.execute(
                sa.insert(notices).values(
                    match_id=match_id, channel_id=notice.channel_id, message_id=notice.message_id
                )
            )

    @whole
    async def take_notices(self, match_id: int) -> list[Notice]:
        """The notices of a match, which are forgotten by this."""
        async with self._database.writing() as connection:
            query = sa.delete(notices).where(notices.c.match_id == match_id).returning(*notices.c)
            found = (await connection.execute(query)).all()
        return [Notice(row.channel_id, row.message_id) for row in found]

    @whole
    async def take_hint(self, match_id: int, user_id: int, most: int) -> int | None:
        """Which hint of theirs in the match this is, from 1; None, and nothing stored, beyond `most`."""
        async with self._database.writing() as connection:
            where = (hints.c.match_id == match_id, hints.c.user_id == user_id)
            used = (await connection.execute(sa.select(hints.c.used).where(*where))).scalar_one_or_none() or 0
            if used >= most:
                return None
            values = {"used": used + 1}
            await connection.execute(
                upsert(hints)
                .values(match_id=match_id, user_id=user_id, **values)
                .on_conflict_do_update(index_elements=["match_id", "user_id"], set_=values)
            )
            return used + 1

    @whole
    async def name_of(self, user_id: int) -> str | None:
        """What the person was last called, if they were ever seen."""
        query = sa.select(players.c.name).where(
            players.c.is_agent.is_(False), players.c.player == str(user_id)
        )
        async with self._database.reading() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    @whole
    async def fact(self, key: str) -> str | None:
        async with self._database.reading() as connection:
            query = sa.select(facts.c.value).where(facts.c.key == key)
            return (await connection.execute(query)).scalar_one_or_none()

    @whole
    async def remember(self, key: str, value: str) -> None:
        async with self._database.writing() as connection:
            await connection.execute(
                upsert(facts)
                .values(key=key, value=value)
                .on_conflict_do_update(index_elements=["key"], set_={"value": value})
            )


def _seats(user_id: int) -> sa.ColumnElement[bool]:
    return sa.or_(matches.c.first_user == user_id, matches.c.second_user == user_id)
