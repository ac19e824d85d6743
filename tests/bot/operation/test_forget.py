"""`forget USER`: the host deletes a person's data, with the bot stopped or running."""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.domain.errors import MatchError
from bot.domain.result import End
from bot.store.forgetting import to_forget
from bot.store.lock import held
from tests.bot.exports import exported
from tests.bot.made_once import database_url
from tests.bot.services.tournaments.evenings import evening
from tests.bot.sittings import ADA, BEN, EVE, HERE, paired, sitting, terms_of
from tests.working import MAX_TEST_WAIT_SECONDS


@pytest.fixture(autouse=True)
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("DATABASE_URL", f"sqlite+aiosqlite:///{tmp_path / 'discade.db'}")
    monkeypatch.setenv("DISCORD_TOKEN", "")
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    return tmp_path / "discade.db"


@pytest.mark.slow
def test_the_persons_matches_end_and_no_record_names_them(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url(file))

    async def play() -> None:
        async with evening(file) as here:
            services = here.table.services
            challenge = await services.challenges.send(BEN, ADA, terms_of("othello"), HERE)
            await services.challenges.accept(challenge.id, ADA)
            await services.challenges.send(ADA, EVE, terms_of("othello"), HERE)
            await here.begin(await here.sign_up(4))

    async def look() -> None:
        async with sitting(file) as table:
            assert exported(table.stores, ADA.user_id) == {}
            assert await table.services.matches.running(ADA.user_id) == ()
            ended = await table.services.matches.finished(BEN.user_id, 10)
            assert [match.result.end for match in ended if match.result] == [End.RESIGNATION]
            (tournament,) = await table.stores.tournaments.active()
            assert sum(entrant.is_out for entrant in tournament.entrants) == 1

    asyncio.run(play())
    assert main(["forget", str(ADA.user_id)]) == 0
    assert "is deleted" in capsys.readouterr().out
    asyncio.run(look())
    assert main(["check"]) == 0


async def test_a_person_who_is_playing_is_forgotten_too(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", database_url(file))
    async with sitting(file) as table:
        services = table.services
        for _ in range(6):
            await paired(table, BEN.seat, ADA.seat, "gomoku")
        forgetting = asyncio.create_task(asyncio.to_thread(main, ["forget", str(ADA.user_id)]))
        while running := await services.matches.running(ADA.user_id):
            for match in running:
                mover = ADA if match.seat_to_move.user_id == ADA.user_id else BEN
                with suppress(MatchError):
                    await services.playing.play(
                        match.id, mover, match.state.legal_moves()[0], turn=match.turn
                    )
            # Faster than people play; without a pause every attempt to forget can meet a change.
            await asyncio.sleep(0.05)
        assert await asyncio.wait_for(forgetting, MAX_TEST_WAIT_SECONDS) == 0
        assert exported(table.stores, ADA.user_id) == {}


@pytest.mark.sqlite
def test_forgetting_without_a_database_deletes_no_person(file: Path) -> None:
    assert main(["forget", "5"]) == 2
    assert not file.exists()


@pytest.mark.sqlite
def test_a_running_bot_is_asked_and_waited_for(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async def bot() -> None:
        while not to_forget(file):
            await asyncio.sleep(0.05)
        assert list(to_forget(file)) == [7]
        to_forget(file)[7].unlink()

    async def both() -> int:
        code, _ = await asyncio.gather(asyncio.to_thread(main, ["forget", "7"]), bot())
        return code

    file.touch()
    with held(f"sqlite+aiosqlite:///{file}"):
        assert asyncio.run(asyncio.wait_for(both(), MAX_TEST_WAIT_SECONDS)) == 0
    assert "running bot has deleted" in capsys.readouterr().out
