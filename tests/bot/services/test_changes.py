"""The cache of running matches saves queries and never overrules the database."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.sql.cache_key import HasCacheKey

from bot.domain.errors import MatchError
from bot.domain.lru_dict import LruDict
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.terms import First
from bot.services.changes import MAX_MATCHES_IN_MEMORY, Changes, _remember
from tests.bot.sittings import ADA, BEN, EVE, HERE, Sitting, paired, terms_of

pytestmark = pytest.mark.postgres


async def between_people(table: Sitting) -> Match:
    """A match that Ada begins against Ben."""
    return await paired(table, ADA.seat, BEN.seat)


@contextmanager
def transactions(table: Sitting) -> Iterator[list[str]]:
    """Every transaction that is begun in the block."""
    begun: list[str] = []
    database = table.stores.matches._database
    writer: Any = database.writer
    assert database.reader is not None
    engines = {
        (writer._connection.engine if database.is_sqlite else writer._engine).sync_engine,
        database.reader.sync_engine,
    }

    def note(_connection: sa.Connection) -> None:
        begun.append("BEGIN")

    for engine in engines:
        sa.event.listen(engine, "begin", note)
    yield begun
    for engine in engines:
        sa.event.remove(engine, "begin", note)


@pytest.mark.slow
async def test_one_of_a_thousand_simultaneous_presses_counts_and_reaches_the_database(table: Sitting) -> None:
    match = await between_people(table)
    await table.services.matches.match(match.id)
    table.services.pings.ping(match)
    await table.services.background.drain()
    strangers = [Person(1000 + number, f"P{number}") for number in range(330)]
    people = [person for stranger in strangers for person in (stranger, BEN, ADA)]

    with transactions(table) as begun:
        answers = await asyncio.gather(
            *(
                table.services.playing.play(match.id, person, index % 7, turn=0)
                for index, person in enumerate((*people, *people[:10]))
            ),
            return_exceptions=True,
        )

    made = [answer for answer in answers if isinstance(answer, Match)]
    keys = {answer.key for answer in answers if isinstance(answer, MatchError)}
    assert len(made) == 1
    assert keys == {"not_your_match", "not_your_turn", "stale"}
    assert len(made) + sum(isinstance(answer, MatchError) for answer in answers) == 1000
    assert len(begun) == 1
    assert len((await table.services.matches.match(match.id)).moves) == 1


async def test_a_move_is_one_transaction(table: Sitting) -> None:
    match = await between_people(table)
    match = await table.services.playing.play(match.id, ADA, 3, turn=match.turn)
    await table.services.background.drain()
    with transactions(table) as begun:
        await table.services.playing.play(match.id, BEN, 3, turn=match.turn)
        await table.services.background.drain()
    assert len(begun) == 1


async def test_changes_by_another_process_win_over_cached_matches(table: Sitting) -> None:
    match = await between_people(table)
    await table.services.matches.match(match.id)
    other = Changes(table.stores, table.clock)
    await other.of_match(match.id, lambda match, now: match.play(1, 3, now))

    after = await table.services.playing.play(match.id, BEN, 3, turn=1)

    assert after.moves == (3, 3)
    await other.of_match(match.id, lambda match, now: match.offer_draw(1, now))
    assert (await table.services.playing.answer_draw(match.id, BEN, accept=True)).is_over


async def test_a_press_outdated_by_another_process_is_refused(table: Sitting) -> None:
    match = await between_people(table)
    await table.services.matches.match(match.id)
    other = Changes(table.stores, table.clock)
    await other.of_match(match.id, lambda match, now: match.play(1, 3, now))

    with pytest.raises(MatchError, match="stale"):
        await table.services.playing.play(match.id, ADA, 4, turn=0)

    assert (await table.services.matches.match(match.id)).moves == (3,)


async def test_an_offer_is_answered_from_every_board_that_shows_it(table: Sitting) -> None:
    playing = table.services.playing
    for turn, refused in ((0, True), (1, False), (2, False)):
        match = await playing.play((await between_people(table)).id, ADA, 3, turn=0)
        await playing.offer_draw(match.id, BEN, turn=1)
        await playing.play(match.id, BEN, 3, turn=1)
        if refused:
            with pytest.raises(MatchError, match="stale"):
                await playing.answer_draw(match.id, ADA, accept=True, turn=turn)
        else:
            assert (await playing.answer_draw(match.id, ADA, accept=True, turn=turn)).is_over


async def test_of_two_offers_at_once_in_two_processes_the_second_accepts(table: Sitting) -> None:
    other = Changes(table.stores, table.clock)
    match = await between_people(table)
    drawn = await asyncio.gather(
        table.services.playing.offer_draw(match.id, ADA),
        other.of_match(match.id, lambda match, now: match.offer_draw(BEN.user_id, now)),
    )
    assert sorted(one.is_over for one in drawn) == [False, True]

    asked = await table.services.challenges.send(
        ADA, BEN, terms_of("connect-four", first=First.ME, rated=False), HERE
    )
    match = (await table.services.challenges.accept(asked.id, BEN))[1]
    for person in (ADA, BEN):
        match = await table.services.playing.play(match.id, person, 3)
    await asyncio.gather(
        table.services.playing.ask_undo(match.id, ADA),
        other.of_match(match.id, lambda match, now: match.ask_undo(BEN.user_id, now)),
    )
    agreed = await table.services.matches.match(match.id)
    assert agreed.undo_request is None
    assert len(agreed.moves) < 2


async def test_finished_matches_leave_the_cache(table: Sitting) -> None:
    match = await between_people(table)
    await table.services.playing.play(match.id, ADA, 3, turn=0)
    over = await table.services.playing.resign(match.id, BEN)
    await table.services.background.drain()
    with transactions(table) as begun:
        with pytest.raises(MatchError, match="not_your_match"):
            await table.services.playing.play(match.id, EVE, 3, turn=over.turn)
        await table.services.matches.latest(match.id)
    assert len(begun) == 2


async def test_an_older_match_never_overwrites_a_newer_one_in_memory(table: Sitting) -> None:
    older = await between_people(table)
    newer = await table.services.playing.play(older.id, ADA, 3, turn=0)
    known: LruDict[int, Match] = LruDict(10)
    _remember(known, newer)
    _remember(known, older)  # read before, and answered late
    assert known.get(older.id) is newer


async def test_the_board_of_one_match_is_never_adopted_by_another(table: Sitting) -> None:
    mine, other = await between_people(table), await between_people(table)
    await table.changes.attach(mine.id, replace(HERE, message_id=70))
    assert await table.changes.adopt(other.id, replace(HERE, message_id=70)) is None
    assert (await table.changes.match(other.id)).location == HERE
    adopted = await table.changes.adopt(other.id, replace(HERE, message_id=71))
    assert adopted is not None
    assert adopted.location.message_id == 71


async def test_the_number_of_cached_matches_is_limited(table: Sitting) -> None:
    changes = Changes(table.stores, table.clock)
    match = await between_people(table)
    for number in range(MAX_MATCHES_IN_MEMORY + 20):
        _remember(changes._known, replace(match, id=number))
    assert len(changes._known) == MAX_MATCHES_IN_MEMORY


async def test_a_match_sends_no_statement_that_is_compiled_anew(
    table: Sitting, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play_a_match() -> None:
        challenge = await table.services.challenges.send(
            ADA, BEN, terms_of("tic-tac-toe", first=First.ME), HERE
        )
        _, match = await table.services.challenges.accept(challenge.id, BEN)
        for move in (0, 3, 1, 4, 2):
            person = ADA if match.seat_to_move.user_id == ADA.user_id else BEN
            match = await table.services.playing.play(match.id, person, move, turn=match.turn)
        assert match.counts

    # Some statements are needed from the second match on: those that read earlier ratings, for example.
    for _ in range(3):
        await play_a_match()
    built: list[object] = []
    key_of = HasCacheKey._generate_cache_key

    def note(statement: Any) -> Any:
        built.append(statement)
        return key_of(statement)

    # SQLAlchemy calls it once for each statement to look up its compiled form.
    monkeypatch.setattr(HasCacheKey, "_generate_cache_key", note)
    await play_a_match()
    # To build one takes longer than SQLite needs to run it.
    assert not built
    await table.stores.players.name_of(1)
    assert built, "and what is built is noticed"
