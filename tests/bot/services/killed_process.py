"""A process of its own that plays against an agent as fast as it can, and tells each stored turn on stdout.

Run by test_sigkill.py, which kills it. Arguments: the database file, and the match to continue.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from bot.domain.match import Match
from bot.domain.terms import First
from tests.bot.sittings import ADA, HERE, Sitting, sitting, terms_of


async def play_until_over(table: Sitting, match: Match) -> None:
    while not match.is_over:
        if match.awaits_agent:
            table.services.pings.ping(match)
            await table.services.background.drain()
        else:
            await table.services.playing.play(match.id, ADA, match.state.legal_moves()[0], turn=match.turn)
        match = await table.services.matches.match(match.id)
        print(match.id, match.turn, flush=True)  # noqa: T201


async def main(file: Path) -> None:
    async with sitting(file) as table:
        await table.services.clocks.resume()
        await table.services.background.drain()
        while True:
            running = await table.services.matches.running(ADA.user_id)
            match = running[0] if running else None
            if match is None:
                match = await table.services.starting.start(
                    ADA, terms_of("othello", first=First.ME), "pip", HERE
                )
            await play_until_over(table, match)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
