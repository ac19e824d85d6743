"""Rules for a match that begins or becomes rated, and its first row, in the transaction that stores it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from bot.domain.colours import in_turn, opponent_of
from bot.domain.errors import HelpBarred, SetupError
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.domain.terms import Fair, are_drawn
from bot.store.connection import Connection
from bot.store.damage import Damage
from bot.store.match_rows import IS_OWN, IS_RUNNING, MATCH, matches, read_matches
from bot.store.moves import change_moves
from bot.store.players import name_players
from bot.store.preferences import is_closed, most_boards
from bot.store.shared import Conflict, Instant
from engine.agents.echo import ECHO
from engine.core import Player

LIVELY_WITHIN = timedelta(days=1)
"""A running match that changed within that time takes room in its channel."""

_LIVELY_IN = sa.select(sa.func.count()).where(
    *(IS_RUNNING, matches.c.channel_id == sa.bindparam("channel_id")),
    matches.c.touched_at > sa.bindparam("after", type_=Instant()),
)
_RUNNING_OF = sa.select(sa.func.count()).where(IS_RUNNING, IS_OWN)
BARRING = sa.select(matches.c.id).where(
    IS_RUNNING, IS_OWN, matches.c.game == sa.bindparam("game"), matches.c.bars_help
)
"""The number of a person's running match that bars help in a game; parameters: own_user, game."""

REMATCH = sa.select(matches.c.id).where(matches.c.rematch_of == sa.bindparam("match_id"))
"""The number of the match that was begun as the rematch of `match_id`."""


def _latest_in_turn(player: Player, is_agent: bool) -> sa.Select[Any]:
    """Return the query of the latest match of `own_user` on that side against `opponent` in turn.

    The latest to begin, whichever was played on last.
    """
    users = matches.c.first_user, matches.c.second_user
    level = (matches.c.first_level, matches.c.second_level)[player.other]
    opponent: sa.BindParameter[Any] = sa.bindparam("opponent")
    key: sa.BindParameter[Any] = sa.bindparam("opponent", type_=sa.String())
    is_agent_meant = sa.or_(level == key, sa.and_(key == ECHO, level.like(f"{ECHO}:%")))
    return sa.select(
        # With + 0 PostgreSQL does not look for it along the primary key, through everybody's matches.
        sa.func.max(matches.c.id + 0).label("id")
    ).where(
        users[player] == sa.bindparam("own_user"),
        is_agent_meant if is_agent else users[player.other] == opponent,
        matches.c.game == sa.bindparam("game"),
        matches.c.rated,
        matches.c.fair == Fair.USUAL.value,
        matches.c.id != sa.bindparam("but"),
    )


_LATEST_IN_TURN: dict[bool, sa.Select[Any]] = {
    is_agent: sa.select(sa.func.max(sa.column("id"))).select_from(
        sa.union_all(*(_latest_in_turn(player, is_agent) for player in Player)).subquery()
    )
    for is_agent in (False, True)
}


async def check_running(connection: Connection, seats: Sequence[Seat], most: int) -> None:
    """Raise SetupError if a person already plays `most` matches, in the transaction that would begin another.

    seats: the acting person comes first; the error names the other one.
    """
    people = [(seat.user_id, seat.name) for seat in seats if seat.user_id is not None]
    for number, (user_id, name) in enumerate(people):
        if await count_running(connection, user_id) < most:
            continue
        if number == 0:
            raise SetupError("too_many_matches", limit=most)
        raise SetupError("too_many_matches_of", name=name, limit=most)


async def check_room(connection: Connection, match: Match) -> None:
    """Raise SetupError if its channel has as many running boards as the server wants there.

    In the transaction that would begin the match. Boards that were left alone for a day do not count.
    """
    most = await most_boards(connection, match.location.guild_id)
    if most is None:
        return
    values = {"channel_id": match.location.channel_id, "after": match.created_at - LIVELY_WITHIN}
    if int((await connection.execute(_LIVELY_IN, values)).scalar_one()) >= most:
        raise SetupError("channel_full", n=most)


async def count_running(connection: Connection, user_id: int) -> int:
    return int((await connection.execute(_RUNNING_OF, {"own_user": user_id})).scalar_one())


async def check_help(connection: Connection, match: Match) -> None:
    """Raise HelpBarred if a bot in this match would help its person, or spectator, in a rated one.

    In the transaction that stores the match, so that of two rated ones at once only one begins.
    """
    for user_id in (match.seats[0].user_id, match.seats[1].user_id, match.begun_by):
        number = None if user_id is None else await barring_help(connection, user_id, match.game)
        if number is not None:
            raise HelpBarred(number, match.game)


async def barring_help(connection: Connection, user_id: int, game: str) -> int | None:
    """Return the number of the person's running match that bars help in the game."""
    number: int | None = await connection.scalar(BARRING, {"own_user": user_id, "game": game})
    return number


async def seated_in_turn(connection: Connection, match: Match) -> Match:
    """Return the match that begins or becomes rated, with the seats in which it may; raises SetupError.

    In the transaction that stores it, so that of two at once the second one follows the first.
    """
    if not are_drawn(rated=match.rated, fair=match.fair):
        return match
    person, other = sorted(match.seats, key=lambda seat: seat.is_agent)
    values = {
        "own_user": person.user_id,
        "opponent": opponent_of(other),
        "game": match.game,
        "but": match.id,
    }
    latest = await connection.scalar(_LATEST_IN_TURN[other.is_agent], values)
    unlogged = Damage("match", is_logged=False)
    last = [] if latest is None else await read_matches(connection, unlogged, [latest])
    return in_turn(match, last[0] if last else None)


async def insert_match(connection: Connection, match: Match) -> Match:
    """Insert a match and return it with its id; raise Conflict.

    A match of a server that is closed off counts in that server alone.
    """
    await name_players(connection, match.seats)
    match = replace(match, is_local=await is_closed(connection, match.location.guild_id))
    try:
        number = await MATCH.add(connection, match)
    except sa.exc.IntegrityError as error:
        raise Conflict from error  # a match has one rematch at most
    match = replace(match, id=number)
    await change_moves(connection, match.id, (), match.timed_moves)
    return match
