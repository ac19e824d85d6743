"""`shut-out ID`: the host keeps a person or a server out of open tables."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.domain.errors import SetupError
from bot.domain.match import Match
from bot.domain.outgoing import Fate, Handover, Outgoing, Place
from bot.domain.preferences import ServerSettings
from bot.domain.seat import Seat
from bot.store.lock import held
from tests.bot.made_once import database_url
from tests.bot.sittings import ADA, BEN, EVE, HERE, Sitting, sitting, terms_of

ELSEWHERE = Place(9, 77, "en-US")

pytestmark = pytest.mark.sqlite


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The database that the command line finds in its settings."""
    file = tmp_path / "discade.db"
    monkeypatch.setenv("DATABASE_URL", database_url(file))
    monkeypatch.setenv("DISCORD_TOKEN", "")
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    return file


async def open_tables(table: Sitting) -> int:
    """Ada's table stays as it was; returns how many others see."""
    settings = table.services.lobby._settings
    for guild_id, name in ((HERE.guild_id, "Club"), (ELSEWHERE.guild_id, "Nights")):
        assert guild_id is not None
        await settings.save(guild_id, ServerSettings(lobby_channel=1, lobby_name=name))
    return len(await table.services.lobby.tables())


def test_a_person_or_a_server_is_shut_out_and_let_in_again(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def begin() -> None:
        async with sitting(file) as table:
            await open_tables(table)
            challenge = await table.services.challenges.send(
                ADA, None, terms_of("othello"), HERE, is_table=True
            )
            await table.changes.attach_challenge(challenge.id, 5)
            assert await open_tables(table) == 1

    async def look(is_out: bool) -> None:
        async with sitting(file) as table:
            assert await open_tables(table) == (not is_out)
            opening = table.services.lobby.check_opening(ADA.user_id, HERE.guild_id, "Club")
            if is_out:
                with pytest.raises(SetupError, match="table_shut_out"):
                    await opening
            else:
                await opening

    async def sit_down() -> int:
        async with sitting(file) as table:
            await open_tables(table)
            (offered,) = await table.services.lobby.tables()

            def note(match: Match) -> Outgoing:
                return Outgoing("mirror", match.id, 9, ELSEWHERE, 6, "", Fate.SHOWN, table.clock())

            handover = Handover(ELSEWHERE, note, ("table", (offered.id, 77)))
            return (await table.services.lobby.sit_down(offered.id, BEN, handover)).id

    asyncio.run(begin())
    for number in (ADA.user_id, HERE.guild_id):
        assert main(["shut-out", str(number)]) == 0
        assert "is shut out" in capsys.readouterr().out
        asyncio.run(look(is_out=True))
        assert main(["shut-out", str(number), "--undo"]) == 0
        asyncio.run(look(is_out=False))
    with held(f"sqlite+aiosqlite:///{file}"):
        assert main(["shut-out", "1"]) == 2, "with SQLite the bot is stopped first"
    match_id = asyncio.run(sit_down())
    capsys.readouterr()
    assert main(["shut-out", str(match_id), "--match"]) == 0
    told = capsys.readouterr().out
    assert f"Club: person {ADA.user_id}, server {HERE.guild_id}" in told
    assert f"Nights: person {BEN.user_id}, server 77" in told


def test_reported_names_are_listed_until_the_host_has_decided(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def report() -> None:
        async with sitting(file) as table:
            await open_tables(table)
            table.clock.now = datetime.now(UTC)
            for person in (BEN, EVE):
                await table.services.lobby.report(
                    person.user_id, Seat("Club ≈1200", ADA.user_id, guild_id=HERE.guild_id)
                )

    def listed() -> str:
        assert main(["shut-out"]) == 0
        return capsys.readouterr().out

    asyncio.run(report())
    with held(f"sqlite+aiosqlite:///{file}"):  # also while the bot runs
        assert f", by 2: Club, person {ADA.user_id}; server {HERE.guild_id}, Club" in listed()
    for decision in ([str(HERE.guild_id), "--undo"], [str(ADA.user_id), "--undo"], [str(ADA.user_id)]):
        asyncio.run(report())
        assert main(["shut-out", *decision]) == 0
        capsys.readouterr()
        assert listed() == "No name is reported.\n"


def test_an_alias_whose_rating_has_moved_on_is_no_other_name(
    file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The host would read of the same name with every match that the reported person plays."""

    async def report(*names: str) -> None:
        async with sitting(file) as table:
            for name in names:
                await table.services.lobby.report(
                    BEN.user_id, Seat(name, ADA.user_id, guild_id=HERE.guild_id)
                )

    asyncio.run(report("Club ≈1200", "Club ≈1250", "Club"))
    assert [one.getMessage() for one in caplog.records if "was reported" in one.getMessage()] == [
        f"a name of a player of server {HERE.guild_id} was reported: `python -m bot shut-out` lists it"
    ]
    asyncio.run(report("Other ≈1250"))
    assert len([one for one in caplog.records if "was reported" in one.getMessage()]) == 2


@pytest.mark.parametrize("option", ["--undo", "--match"])
def test_an_option_that_needs_an_id_is_refused_without_one(
    option: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def begin() -> None:
        async with sitting(file):
            pass

    asyncio.run(begin())
    assert main(["shut-out", option]) == 2
    told = capsys.readouterr()
    assert (told.out, option in told.err) == ("", True)


def test_a_match_is_not_let_in_again(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["shut-out", "1", "--undo", "--match"]) == 2
    told = capsys.readouterr()
    assert (told.out, told.err.count("\n")) == ("", 1)
    assert "--undo needs one of those IDs" in told.err
