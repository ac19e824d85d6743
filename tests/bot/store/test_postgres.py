"""What only PostgreSQL has: several processes on one database, refusals in its own words, moving over to it.

Everything else is tested there by running the other tests on it: `make test-postgres`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from bot.__main__ import main
from bot.domain.errors import MatchError, Refusal, Unavailable
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.terms import First
from bot.store import postgres
from bot.store.database import DOWN_ANSWER_SECONDS, Database
from bot.store.ratings import board_of
from bot.store.stores import Stores
from bot.store.versions import Unusable
from tests.bot.cluster import Cluster, Wire, cluster
from tests.bot.made_once import database_url
from tests.bot.sittings import ADA, BEN, HERE, Sitting, paired, sitting, terms_of
from tests.working import MAX_TEST_WAIT_SECONDS

pytestmark = pytest.mark.postgres


@pytest.fixture
def server() -> Cluster:
    return cluster()


@pytest.fixture
def url(server: Cluster, tmp_path: Path) -> str:
    return server.database(tmp_path / "discade.db")


@pytest.fixture
async def processes(url: str, tmp_path: Path) -> AsyncIterator[list[Sitting]]:
    """Two on one database."""
    async with sitting(tmp_path / "a", url=url) as one, sitting(tmp_path / "b", url=url) as other:
        yield [one, other]


async def between_two(table: Sitting) -> Match:
    return await paired(table, ADA.seat, BEN.seat, "tic-tac-toe")


async def test_of_presses_made_at_once_in_two_processes_exactly_one_counts(
    processes: list[Sitting],
) -> None:
    one, other = processes
    match = await between_two(one)
    for turn in range(4):
        person, moves = (ADA, BEN)[turn % 2], (await one.services.matches.match(match.id)).state.legal_moves()
        presses = [
            table.services.playing.play(match.id, person, move, turn=turn)
            for move in moves
            for table in (one, other)
        ]
        answers = await asyncio.gather(*presses, return_exceptions=True)
        assert sum(isinstance(answer, Match) for answer in answers) == 1
        assert all(isinstance(answer, Match | Refusal | MatchError) for answer in answers)
        stored = await other.stores.matches.find(match.id)
        assert stored is not None
        assert (stored.turn, len(stored.moves)) == (turn + 1, turn + 1)


@pytest.mark.slow
async def test_endings_in_two_processes_at_once_all_count_in_the_ratings(processes: list[Sitting]) -> None:
    pairs = [(await between_two(table), table) for table in processes for _ in range(6)]
    for match, table in pairs:
        for turn, move in enumerate((0, 3, 1, 4)):
            await table.services.playing.play(match.id, (ADA, BEN)[turn % 2], move, turn=turn)
    await asyncio.gather(*(table.services.playing.play(match.id, ADA, 2, turn=4) for match, table in pairs))
    page = await processes[0].stores.ratings.leaderboard(
        board_of(HERE.guild_id or 0, "tic-tac-toe"), offset=0, limit=9
    )
    assert sorted(row.record.wins for row in page.rows) == [0, 12]
    assert sorted(row.record.losses for row in page.rows) == [0, 12]


@pytest.mark.slow
async def test_of_many_matches_that_end_at_once_none_is_refused_for_contradicting_the_others(
    processes: list[Sitting], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, matches = processes[0], []
    for number in range(24):
        one, other = Person(100 + number, f"Ada {number}"), Person(200 + number, f"Ben {number}")
        challenge = await table.services.challenges.send(
            one, other, terms_of("tic-tac-toe", first=First.ME), HERE
        )
        match = (await table.services.challenges.accept(challenge.id, other))[1]
        for turn, move in enumerate((0, 3, 1, 4)):
            await table.services.playing.play(match.id, (one, other)[turn % 2], move, turn=turn)
        matches.append((match.id, one))
    monkeypatch.setattr(postgres, "MOST_TRIES", 6)
    ended = await asyncio.gather(*(table.services.playing.play(key, one, 2, turn=4) for key, one in matches))
    assert all(match.is_over for match in ended)


@pytest.mark.slow
async def test_moves_of_many_matches_at_once_contradict_no_other(
    processes: list[Sitting], monkeypatch: pytest.MonkeyPatch
) -> None:
    people = [(Person(100 + n, f"Ada {n}"), Person(200 + n, f"Ben {n}")) for n in range(8)]
    matches = []
    for one, other in people:
        challenge = await processes[0].services.challenges.send(
            one, other, terms_of("connect-four", first=First.ME), HERE
        )
        matches.append((await processes[0].services.challenges.accept(challenge.id, other))[1])
    monkeypatch.setattr(postgres, "MOST_TRIES", 1)
    for turn in range(6):
        services = processes[turn % 2].services
        moved = [
            services.playing.play(match.id, pair[turn % 2], turn % 7, turn=turn)
            for match, pair in zip(matches, people, strict=True)
        ]
        assert {match.turn for match in await asyncio.gather(*moved)} == {turn + 1}


@pytest.mark.slow
async def test_the_limit_of_matches_holds_across_two_processes(
    processes: list[Sitting],
) -> None:
    asked = [
        processes[number % 2].services.starting.start(
            ADA, terms_of("tic-tac-toe", first=First.ME, rated=False), "pip", HERE
        )
        for number in range(40)
    ]
    done = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(one, Match) for one in done) == 20
    assert len(await processes[0].services.matches.running(ADA.user_id)) == 20


@pytest.mark.slow
async def test_several_processes_that_start_at_once_make_the_tables_once(
    server: Cluster, tmp_path: Path
) -> None:
    empty = server.database(tmp_path / "new.db", is_empty=True)
    opened = await asyncio.gather(*(Stores.open(empty) for _ in range(4)))
    assert [await stores.facts.value("x") for stores in opened] == [None] * 4
    await asyncio.gather(*(stores.close() for stores in opened))


async def test_broken_connections_lose_nothing(url: str, server: Cluster, tmp_path: Path) -> None:
    async with sitting(tmp_path / "a", url=url) as table:
        match = await between_two(table)
        for turn, move in enumerate((0, 4, 8)):
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                f"WHERE datname = '{url.rsplit('/', 1)[1]}'"
            )
            for _ in range(3):
                try:
                    await table.services.playing.play(match.id, (ADA, BEN)[turn % 2], move, turn=turn)
                    break
                except Unavailable:  # what a person presses again
                    continue
        assert (await table.services.matches.match(match.id)).moves == (0, 4, 8)


async def test_each_press_is_refused_while_the_server_hangs_and_the_game_goes_on_afterwards(
    url: str, server: Cluster, tmp_path: Path
) -> None:
    wire = Wire(server.port)
    async with wire.opened() as port:
        through = url.replace(f":{server.port}/", f":{port}/")
        async with sitting(tmp_path / "a", url=through) as table:
            match = await between_two(table)
            table.stores.database.answer_seconds = 1.0
            wire.hang()
            with pytest.raises(Unavailable):
                await table.services.matches.match(match.id)
            assert table.stores.database.limit() == DOWN_ANSWER_SECONDS, "the next one is refused sooner"
            # More than the connections of one process, so that some wait for one.
            presses = [table.services.playing.play(match.id, ADA, 0, turn=0) for _ in range(3)]
            presses += [table.services.matches.match(match.id) for _ in range(7)]
            found = await asyncio.wait_for(
                asyncio.gather(*presses, return_exceptions=True), MAX_TEST_WAIT_SECONDS
            )
            assert all(isinstance(one, Unavailable) for one in found)
            wire.go_on()
            # A busy machine answers when it can; for a while after a silence callers wait for less.
            table.stores.database.answer_seconds = MAX_TEST_WAIT_SECONDS
            while table.stores.database.limit() < MAX_TEST_WAIT_SECONDS:
                await asyncio.sleep(0.05)
            moves = (await _stored(table, match.id)).moves
            assert moves in ((), (0,))
            after = await table.services.playing.play(match.id, (ADA, BEN)[len(moves)], 4, turn=len(moves))
            assert after.moves == (*moves, 4)


async def _stored(table: Sitting, match_id: int) -> Match:
    """The match, as soon as the database answers again and all that had begun has ended."""
    database_ = table.stores.database
    while database_.under_way:
        await asyncio.wait(tuple(database_.under_way))
    return await table.services.matches.match(match_id)


async def test_a_database_that_cannot_be_had_is_named_without_its_password(url: str, server: Cluster) -> None:
    nobody_there = "postgresql+asyncpg://tester:geheim@127.0.0.1:1/discade"
    no_such = f"postgresql+asyncpg://tester:geheim@127.0.0.1:{server.port}/nowhere"
    for wrong, words in ((nobody_there, "cannot be reached"), (no_such, "make it with `createdb`")):
        for opening in (Database.open, Database.open_to_read):
            with pytest.raises(Unusable, match=words) as raised:
                await opening(wrong)
            assert "geheim" not in str(raised.value)


@pytest.mark.slow
async def test_a_running_community_moves_to_postgresql_and_back_whole(
    server: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISCADE_TEST_DATABASE", raising=False)
    file, back = tmp_path / "discade.db", tmp_path / "back.db"
    old = database_url(file)
    async with sitting(file, url=old) as table:
        running = await between_two(table)
        over = await table.services.starting.start(ADA, terms_of("othello", first=First.ME), "pip", HERE)
        for _ in range(3):
            over = await table.services.matches.match(over.id)
            over = await table.services.playing.play(over.id, ADA, over.state.legal_moves()[0])
            table.services.pings.ping(over)
            await table.services.background.drain()
        await table.services.playing.resign(over.id, ADA)
    new = server.database(tmp_path / "target", is_empty=True)

    assert await asyncio.to_thread(main, ["copy-database", old, new]) == 0
    said = capsys.readouterr().out
    assert "are copied to" in said
    assert "All is well: 2 matches were replayed" in said

    async with sitting(tmp_path / "c", url=new) as table:
        played = await table.services.playing.play(running.id, ADA, 0, turn=0)
        assert played.moves == (0,)
        assert (await between_two(table)).id > over.id, "numbers go on after those that were copied"
    assert await asyncio.to_thread(main, ["copy-database", new, f"sqlite+aiosqlite:///{back}"]) == 0
    async with sitting(back, url=f"sqlite+aiosqlite:///{back}") as table:
        assert (await table.services.matches.match(running.id)).moves == (0,)

    capsys.readouterr()
    assert await asyncio.to_thread(main, ["copy-database", old, new]) == 2
    assert "has something in it" in capsys.readouterr().err


@pytest.mark.parametrize(("verb", "words"), [("backup", "pg_dump"), ("restore", "pg_restore")])
def test_backups_of_a_server_are_left_to_its_own_programs(
    url: str, verb: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.setenv("DATABASE_URL", url)
    assert main([verb, str(tmp_path / "file")]) == 2
    assert words in capsys.readouterr().err
