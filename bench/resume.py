"""A start with 50,000 running matches: delay of the first presses, and progress of the resumption.

`SCALE_FILE` is a database made by `python -m bench.community FILE --running 50000`; the bench changes it. By
default one of 1,000 people is made first.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from pathlib import Path

from bench.community import make
from bench.fake_discord import percentile
from bench.service import PLACE, service_on
from bot.domain.challenge import First
from bot.services.match_services import MatchServices
from bot.services.settings import SettingsCache
from bot.services.start_options import Person
from bot.store.stores import Stores

RUNNING = 50_000
WATCHED_SECONDS = 20.0
ADA = Person(1, "Ada")


async def run() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(os.environ.get("SCALE_FILE", Path(folder) / "community.db"))
        if not file.exists():
            await make(file, 1_000, 2_000, RUNNING)
        print("| what | seconds |\n|---|---|")
        began = time.perf_counter()
        stores = await Stores.open(f"sqlite+aiosqlite:///{file}")
        try:
            _tell("the file is open", began)
            began = time.perf_counter()
            await SettingsCache.load(stores.preferences)
            _tell("what people chose is read", began)
            async with service_on(stores, 1) as (services, _):
                await _measure(services)
        finally:
            await stores.close()


async def _measure(services: MatchServices) -> None:
    began = time.perf_counter()
    waiting = await services.clocks.resume()
    _tell(f"resumed; of the first matches {waiting:,} wait for an agent", began)
    began = time.perf_counter()
    challenge = await services.challenges.send(ADA, Person(2, "Ben"), "connect-four", PLACE, first=First.ME)
    match = (await services.challenges.accept(challenge.id, Person(2, "Ben")))[1]
    match = await services.playing.play(match.id, ADA, 3, turn=match.turn)
    _tell("a match is begun and its first move made", began)
    moves: list[float] = []
    answers: list[float] = []
    until = time.perf_counter() + WATCHED_SECONDS
    while time.perf_counter() < until:
        match = await services.starting.start(ADA, "tic-tac-toe", "otto", First.ME, PLACE)
        began = time.perf_counter()
        match = await services.playing.play(match.id, ADA, match.state.legal_moves()[0], turn=match.turn)
        moves.append(time.perf_counter() - began)
        services.pings.ping(match)
        while (match := await services.matches.match(match.id)).seat_to_move.is_agent:
            await asyncio.sleep(0.01)
        answers.append(time.perf_counter() - began)
        await services.playing.resign(match.id, ADA)
    for title, values in (("a move", moves), ("a move and the agent's answer", answers)):
        shown = " and ".join(f"{percentile(values, share):.3f}" for share in (0.5, 0.95))
        print(f"| {title}, in the {WATCHED_SECONDS:.0f} s after that, median and p95 | {shown} |")


def _tell(what: str, began: float) -> None:
    print(f"| {what} | {time.perf_counter() - began:.2f} |")
