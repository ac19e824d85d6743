"""Export and deletion reach every table: a person is in all of them, and every cell is searched."""

from __future__ import annotations

import asyncio
import io
import json
import zipfile
from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.errors import SetupError
from bot.domain.person import Person
from bot.domain.terms import First
from bot.domain.tournament.model import System
from bot.services.imports import Submission
from bot.services.privacy import Privacy
from bot.services.settings import SettingsCache
from bot.services.tournaments import Organiser, TournamentOptions
from bot.store.export import FILE_NAME, export_of
from bot.store.privacy import PSEUDONYM, TRACES, Trace
from bot.store.shared import metadata
from bot.store.stores import Stores
from tests.bot.exports import exported
from tests.bot.made_once import database_url
from tests.bot.services.tournaments.evenings import CHANNEL, evening
from tests.bot.sittings import ADA, BEN, EVE, HERE, Clock, sitting, terms_of

ZOE, NAME = 4_242_424_242, "Zoe"
OTHER = 77

NOT_PEOPLE = {
    "channel_id", "guild_id", "highest_level", "id", "key", "match_id", "message_id", "ping_id",
    "panel_channel", "ping_channel", "start", "subject", "part", "shows", "fate", "seats",
    "play_channels", "puzzle_channel", "rematch_of", "role", "scope", "board", "end", "first",
    "first_level", "game", "goal",
    "grade", "kind", "language", "level", "line", "locale", "move", "moves", "puzzle", "season", "size",
    "shown_mark", "stage", "status", "system", "theme", "tournament_id", "value", "second_level",
    "fair", "shards", "pace", "threads", "leader_role", "winner_role", "title", "role_id", "event_id", "seed",
    "day", "parent_id", "packed_moves", "waits_for", "forfeits", "wrong", "held", "starters", "voters",
    "lobby_channel", "lobby_name", "first_guild", "second_guild", "marks",
    "result", "puzzle_zone",
}  # fmt: skip
"""Columns of numbers large enough for a person's id, or of texts, that never hold a person's id or name."""


def columns_of(trace: Trace) -> set[str]:
    """Every column that the trace says names a person."""
    return {column for pair in (*trace.users, *trace.players) for column in pair if column is not None}


def plain_type(column: sa.Column[Any]) -> object:
    """Return the type that a type of our own is stored as."""
    kind = column.type
    return kind.impl if isinstance(kind, sa.types.TypeDecorator) else kind


def could_name(column: sa.Column[Any]) -> bool:
    return isinstance(plain_type(column), (sa.BigInteger, sa.String, sa.Text, sa.JSON, sa.LargeBinary))


def test_every_column_that_could_name_a_person_is_listed_or_known_not_to() -> None:
    listed = {(trace.table, name) for trace in TRACES for name in columns_of(trace)}
    undecided = [
        f"{table.name}.{column.name}"
        for table in metadata.tables.values()
        for column in table.columns
        if could_name(column)
        and (table.name, column.name) not in listed
        and column.name not in NOT_PEOPLE
        and (table.name, column.name)
        not in {
            ("tournaments", "name"),
            ("processes", "name"),
            ("web_sessions", "hash"),
            ("shut_out", "number"),
        }
    ]
    assert not undecided, "add them to TRACES in bot/store/privacy.py, or to NOT_PEOPLE here"


def test_every_column_with_a_persons_id_is_listed_by_its_name() -> None:
    listed = {(trace.table, name) for trace in TRACES for name in columns_of(trace)}
    people = {
        (table.name, column.name)
        for table in metadata.tables.values()
        for column in table.columns
        if column.name == "player" or column.name.endswith(("user", "user_id", "organiser_id", "person_id"))
    }
    assert people <= listed


def test_no_table_is_listed_twice() -> None:
    tables = [trace.table for trace in TRACES]
    assert len(tables) == len(set(tables))


def filler(column: sa.Column[Any]) -> object:
    """Return a value of the column's type that names no person."""
    if column.nullable and not column.primary_key:
        return None
    kind = plain_type(column)
    if isinstance(kind, sa.Boolean):
        return False
    if isinstance(kind, (sa.Integer, sa.Float)):
        return 1
    if isinstance(kind, sa.Date):
        return date(2026, 1, 1)
    return datetime(2026, 1, 1, tzinfo=UTC) if not isinstance(kind, (sa.String, sa.Text)) else "x"


def row_of(table: sa.Table, trace: Trace | None, user_id: int, name: str) -> dict[str, object]:
    """A row in which that person stands wherever the trace says that one can."""
    row = {column.name: 0 if column.name == "ply" else filler(column) for column in table.columns}
    for column, called in trace.users if trace else ():
        row[column] = user_id
        if called is not None:
            row[called] = name
    for column, called in trace.players if trace else ():
        row[column] = str(user_id)
        if called is not None:
            row[called] = name
    return row


@pytest.fixture
async def stores(database: Path) -> AsyncIterator[Stores]:
    opened = await Stores.open(database_url(database))
    by_table = {trace.table: trace for trace in TRACES}
    async with opened.database.writing() as connection:
        for table in metadata.sorted_tables:
            await connection.execute(
                sa.insert(table).values(row_of(table, by_table.get(table.name), ZOE, NAME))
            )
    yield opened
    await opened.close()


async def cells(stores: Stores) -> dict[str, list[object]]:
    """Every value that is stored, by table."""
    async with stores.database.reading() as connection:
        return {
            name: [value for row in (await connection.execute(sa.select(table))).all() for value in row]
            for name, table in metadata.tables.items()
        }


def naming_zoe(found: dict[str, list[object]]) -> set[str]:
    marks = (str(ZOE), NAME)
    return {
        table for table, values in found.items() if any(m in str(value) for value in values for m in marks)
    }


async def test_the_person_is_in_every_listed_table_before_the_deletion(stores: Stores) -> None:
    assert naming_zoe(await cells(stores)) == {trace.table for trace in TRACES}


@pytest.mark.slow
async def test_an_export_has_rows_of_every_table_that_names_the_person(stores: Stores) -> None:
    assert set(exported(stores, ZOE)) == {trace.table for trace in TRACES} | {"moves", "rating_steps"}


@pytest.mark.slow
async def test_an_export_of_another_person_has_none_of_these_rows(stores: Stores) -> None:
    assert exported(stores, OTHER) == {}


async def test_after_deletion_no_cell_of_any_table_names_the_person(stores: Stores) -> None:
    await stores.privacy.erase(ZOE)
    assert naming_zoe(await cells(stores)) == set()


async def test_rows_that_other_peoples_results_depend_on_stay_under_a_pseudonym(stores: Stores) -> None:
    pseudonym = await stores.privacy.erase(ZOE)
    found = await cells(stores)
    assert pseudonym < 0
    for trace in TRACES:
        assert bool(found[trace.table]) is trace.stays, trace.table
        if trace.stays:
            assert {pseudonym, str(pseudonym)} & set(found[trace.table]), trace.table
    assert PSEUDONYM in found["matches"]


async def test_deleting_one_person_leaves_all_others_as_they_are(stores: Stores) -> None:
    before = await cells(stores)
    await stores.privacy.erase(OTHER)
    after = await cells(stores)
    # The number of the pseudonym that was given last is a fact.
    assert {**after, "facts": ()} == {**before, "facts": ()}


async def test_a_row_loaded_before_the_deletion_cannot_be_stored_again(stores: Stores) -> None:
    async def versions() -> tuple[int, ...]:
        async with stores.database.reading() as connection:
            tables = (metadata.tables["matches"], metadata.tables["tournaments"])
            return tuple(
                [(await connection.execute(sa.select(table.c.version))).scalar_one() for table in tables]
            )

    before = await versions()
    await stores.privacy.erase(ZOE)
    assert all(now > then for now, then in zip(await versions(), before, strict=True))


async def test_two_deleted_people_have_two_pseudonyms(stores: Stores) -> None:
    privacy = stores.privacy
    first = await privacy.erase(ZOE)
    assert await privacy.erase(OTHER) != first


async def test_two_organisers_who_never_played_get_pseudonyms_of_their_own(tmp_path: Path) -> None:
    async with evening(tmp_path / "discade.db") as here:
        terms = TournamentOptions("Spring", "othello", System.SWISS)
        for organiser in (ZOE, OTHER):
            await here.tournaments.create(Person(organiser, "Host"), terms, CHANNEL, Organiser(organiser))
        privacy = here.table.stores.privacy
        pseudonyms = [await privacy.erase(ZOE), await privacy.erase(OTHER)]
        found = await here.tournaments.of_guild(20)
        assert sorted(tournament.organiser_id for tournament in found) == sorted(pseudonyms)
        assert len(set(pseudonyms)) == 2


async def test_everybody_in_a_round_robin_can_be_deleted_one_after_the_other(tmp_path: Path) -> None:
    async with evening(tmp_path / "discade.db") as here:
        open_one = await here.sign_up(5, system=System.ROUND_ROBIN)
        running = await here.begin(open_one)
        # Whoever has the bye has no match, and so stands among the entrants alone.
        played = {number for pairing in running.pairings if pairing.match_id for number in pairing.numbers}
        by_bye_first = sorted(range(1, 6), key=lambda number: number in played)
        privacy = here.table.stores.privacy
        for user_id in by_bye_first:
            await privacy.erase(user_id)
        after = await here.tournaments.tournament(running.id)
        pseudonyms = {entrant.seat.user_id for entrant in after.entrants}
        assert len(pseudonyms) == 5
        assert all(number is not None and number < 0 for number in pseudonyms)


async def test_an_invitation_and_its_names_are_deleted_after_half_an_hour(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        privacy = table.stores.privacy
        challenges = table.services.challenges
        expired = await challenges.send(ADA, Person(ZOE, NAME), terms_of("othello"), HERE)
        accepted = await challenges.send(ADA, BEN, terms_of("othello"), HERE)
        await challenges.accept(accepted.id, BEN)
        table.clock.advance(minutes=20)
        young = await challenges.send(EVE, Person(OTHER, "Yann"), terms_of("othello"), HERE)
        assert await privacy.forget_invitations(table.clock()) == 0

        table.clock.advance(minutes=10, seconds=3)
        await challenges.expire()
        assert await privacy.forget_invitations(table.clock()) == 2

        assert [await table.stores.challenges.find(old.id) for old in (expired, accepted)] == [None, None]
        assert await table.stores.challenges.find(young.id) == young
        assert naming_zoe(await cells(table.stores)) == set()
        assert await table.stores.players.name_of(ZOE) is None
        assert await table.stores.players.name_of(OTHER) == "Yann"
        assert await table.stores.players.name_of(ADA.user_id) == ADA.name, "who has played keeps the name"


@pytest.mark.sqlite
async def test_deleted_data_is_neither_in_the_file_nor_in_its_log(tmp_path: Path) -> None:
    name, file = "Wolpertinger", tmp_path / "discade.db"
    async with sitting(file) as table:
        person = Person(ZOE, name)
        for _ in range(5):
            await table.services.starting.start(
                person, terms_of("othello", first=First.ME, rated=False), "pip", HERE
            )
        await table.services.challenges.send(person, BEN, terms_of("othello"), HERE)
        written = b"".join(path.read_bytes() for path in tmp_path.glob("discade.db*"))
        assert name.encode() in written
        await table.stores.privacy.erase(ZOE)
        left = {path.name: path.read_bytes() for path in tmp_path.glob("discade.db*")}
    assert [path for path, content in left.items() if name.encode() in content] == []


async def test_the_channel_of_direct_messages_is_deleted(stores: Stores) -> None:
    matches = metadata.tables["matches"]
    alone = {"second_user": None, "second_level": "pip", "guild_id": None, "channel_id": 5, "message_id": 6}
    async with stores.database.writing() as connection:
        await connection.execute(sa.update(matches).values(alone))
    await stores.privacy.erase(ZOE)
    async with stores.database.reading() as connection:
        row = (await connection.execute(sa.select(matches))).one()
    assert (row.channel_id, row.message_id) == (0, None)


@pytest.mark.slow
async def test_a_match_in_a_server_keeps_its_channel(stores: Stores) -> None:
    matches = metadata.tables["matches"]
    async with stores.database.writing() as connection:
        await connection.execute(sa.update(matches).values(guild_id=4, channel_id=5, message_id=6))
    await stores.privacy.erase(ZOE)
    async with stores.database.reading() as connection:
        row = (await connection.execute(sa.select(matches))).one()
    assert (row.channel_id, row.message_id) == (5, 6)


@pytest.mark.slow
async def test_an_export_with_fifty_thousand_matches_would_fit_into_a_message(tmp_path: Path) -> None:
    """The bytes of a match let fifty thousand fit into 10 MiB."""
    file, rng = tmp_path / "discade.db", Random(1)
    async with sitting(file) as table:
        challenge = await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
        await table.services.challenges.accept(challenge.id, BEN)
        copies, moves = 600, 30
        async with table.stores.database.writing() as connection:
            matches = metadata.tables["matches"]
            (row,) = (await connection.execute(sa.select(matches))).mappings()
            at = row["created_at"]
            rows = []
            for number in range(2, copies + 2):
                await connection.execute(
                    sa.insert(matches).values({**row, "id": number, "message_id": rng.randrange(1 << 60)})
                )
                for ply in range(moves):
                    seconds = rng.expovariate(1 / 6)
                    at += timedelta(seconds=seconds)
                    rows.append(
                        {
                            "match_id": number,
                            "ply": ply,
                            "move": rng.randrange(7),
                            "seconds": seconds,
                            "at": at,
                        }
                    )
            await connection.execute(sa.insert(metadata.tables["moves"]), rows)

        archive = await asyncio.to_thread(export_of, database_url(file), ADA.user_id, table.clock())

    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        found = json.loads(opened.read(FILE_NAME))
    assert (found["user_id"], len(found["tables"]["matches"])) == (ADA.user_id, copies + 1)
    assert [len(line["moves"]) for line in found["tables"]["moves"]] == [moves] * copies
    assert len(archive) / copies < 10 * 2**20 / 50_000


async def test_data_is_deleted_only_once_the_clock_has_ended_a_match_that_has_run_out(tmp_path: Path) -> None:
    """In between nobody can resign, and the loss would be stored for the person who is deleted."""
    clock = Clock()
    async with evening(tmp_path / "discade.db", clock=clock) as here:
        table, settings = here.table, SettingsCache(here.table.stores.preferences, {}, {})
        privacy = Privacy(table.stores, table.services, here.tournaments, settings, clock=clock)
        challenge = await table.services.challenges.send(
            ADA, BEN, terms_of("othello", clock_seconds=60), HERE
        )
        _, match = await table.services.challenges.accept(challenge.id, BEN)
        for _ in range(7):  # without gaps that count as an outage
            await table.services.clocks.beat()
            clock.advance(seconds=8.7)
        await table.services.clocks.beat()
        deleting = asyncio.ensure_future(privacy.delete(ADA))
        await asyncio.sleep(0.1)
        assert not deleting.done()
        clock.advance(seconds=3)
        await deleting
        assert (await table.services.matches.match(match.id)).is_over
        assert exported(table.stores, ADA.user_id) == {}


async def test_a_file_that_waits_for_a_choice_is_deleted_with_its_persons_data(tmp_path: Path) -> None:
    clock = Clock()
    async with evening(tmp_path / "discade.db", clock=clock) as here:
        table, settings = here.table, SettingsCache(here.table.stores.preferences, {}, {})
        privacy = Privacy(table.stores, table.services, here.tournaments, settings, clock=clock)
        imports = table.services.imports
        for person in (ADA, BEN):
            imports.wait_for_choice(person, Submission("b2a1"))
        await privacy.delete(ADA)
        with pytest.raises(SetupError, match="import_forgotten"):
            imports.chosen(ADA, "hex")
        assert imports.chosen(BEN, "hex").content == "b2a1"
