"""A process of its own that plays a Swiss tournament of nine as fast as it can, telling its moves on stdout.

Run by test_sigkill.py, which kills it. Argument: the database file, on which it begins or goes on.
"""

from __future__ import annotations

import asyncio
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot.domain.tournament.model import Tournament
from tests.bot.services.tournaments.evenings import Evening, evening
from tests.bot.sittings import Clock

PEOPLE, LEVELS, NO_SHOW = 5, ("pip", "bo", "mia", "otto"), 3


async def play_on(here: Evening) -> None:
    """From wherever the last process was killed to the end of the tournament."""
    found = await here.tournaments.of_guild(20)
    tournament = found[0] if found else await here.sign_up(PEOPLE, LEVELS)
    if not tournament.pairings:
        tournament = await here.begin(tournament)
    while tournament.is_active:
        await play_round(here, tournament)
        tournament = await here.step(tournament)
    await here.step(tournament)


async def play_round(here: Evening, tournament: Tournament) -> None:
    for pairing in tournament.of_round(tournament.round):
        if pairing.match_id is None:
            continue
        match = await here.table.services.matches.match(pairing.match_id)
        while not match.is_over and not match.awaits_agent and match.seat_to_move.user_id != NO_SHOW:
            match = await here.move(match)
            print(match.id, match.turn, flush=True)  # noqa: T201
    here.table.clock.advance(seconds=3601)
    await here.table.services.clocks.tick()


async def main(file: Path) -> None:
    clock = Clock()
    clock.now = datetime.now(UTC) + timedelta(seconds=1)
    async with evening(file, clock=clock) as here:
        await here.table.services.background.drain()
        await play_on(here)
    print("over", flush=True)  # noqa: T201


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
