"""Achievements: each is counted once, told once, and looked for when the engine has nothing else to do."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.achievement import (
    ladder_of,
)
from bot.domain.asker import Asker
from bot.domain.match import Match
from bot.domain.outgoing import Fate, Outgoing, place_of
from bot.domain.puzzle import Attempt, PuzzleKind, Status, Task
from bot.domain.terms import First
from bot.presentation.award_texts import run_line
from bot.search.pool import SearchPool
from bot.services.achievements import Achievements
from bot.services.outgoing import Sender
from bot.services.ports import Delivered
from bot.services.reconciler import Reconciler
from bot.services.reviews import Reviews
from bot.store.achievements import achievements
from bot.store.match_rows import matches
from bot.ui.people.news import News
from engine.analysis.puzzles import select
from engine.analysis.review import Review
from engine.core import Choice, Limit, SearchInfo, State
from tests.bot.domain.test_achievement import MISSED_WIN, played
from tests.bot.made_once import all_texts
from tests.bot.services.noticeboard import Noticeboard
from tests.bot.sittings import ADA, BEN, HERE, Sitting, paired, sitting, terms_of

TOLD = "🏆 **Ben** has earned an achievement: 🏅 First win"

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


# Told


def test_the_tenth_puzzle_in_a_row_announces_its_achievement() -> None:
    t = all_texts().of("en-US")
    assert run_line(t, 10) == "🏆 **🧩 Puzzle run**: 10 puzzles solved in a row!"
    assert run_line(t, 9) is run_line(t, 11) is None


# Reviewed in the background


class Busy:
    """An agent that thinks until it is told to stop, as if a person waited for it."""

    def choose(self, state: State, limit: Limit) -> Choice:
        assert limit.stop is not None
        while not limit.stop.is_set():
            time.sleep(0.01)
        return Choice(state.legal_moves()[0], SearchInfo())


async def test_a_background_review_lets_other_searches_go_first() -> None:
    search = SearchPool(2)
    match = played("tic-tac-toe", MISSED_WIN)
    other = asyncio.create_task(search.choose("other", Asker(1, 1), Busy, match.state, Limit()))
    await asyncio.sleep(0)

    review = asyncio.create_task(Reviews(search).thorough(match, 0.0))
    await asyncio.sleep(0.7)
    assert (search.running, search.waiting, review.done()) == (1, 0, False)
    search.cancel("other")
    found = await review
    await asyncio.wait([other])
    await search.close()

    assert found.exact_from == 0
    assert other.cancelled()


@pytest.mark.slow
async def test_estimates_of_many_moves_take_one_search() -> None:
    search, ended = SearchPool(1), 0

    def count(_kind: str, _seconds: float) -> None:
        nonlocal ended
        ended += 1

    search.watch = count
    match = played("gomoku", tuple(range(0, 48, 2)))
    match = match.resign(match.seats[0].user_id or 0, match.touched_at)
    reviews = [review async for review in Reviews(search, later_seconds=0.0).steps(match)]
    await search.close()
    assert reviews[-1].share == 1
    assert ended <= 6


async def all_steps(reviews: Reviews, match: Match) -> list[Review]:
    return [review async for review in reviews.steps(match)]


async def test_who_opens_a_review_while_it_is_proved_waits_for_the_final_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.analysis.review.FIRST_SECONDS", 0.0)  # the first values are estimates
    search, match = SearchPool(1), played("tic-tac-toe", MISSED_WIN)
    reviews = Reviews(search, later_seconds=60.0)
    first, second = await asyncio.gather(all_steps(reviews, match), all_steps(reviews, match))
    await search.close()
    for shown in (first, second):
        assert [review.is_final for review in shown] == [False] * (len(shown) - 1) + [True]
    assert first[-1] == second[-1] == reviews.known(match.id)
    assert first[-1].exact_from == 0


async def test_a_review_that_was_left_is_made_final_for_the_next_reader(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.analysis.review.FIRST_SECONDS", 0.0)
    search, match = SearchPool(1), played("tic-tac-toe", MISSED_WIN)
    reviews = Reviews(search, later_seconds=60.0)
    assert not (await reviews.whole(match)).is_final
    found = await all_steps(reviews, match)
    await search.close()
    assert (found[0].is_final, found[-1].is_final, found[-1].exact_from) == (False, True, 0)


class Recording(SearchPool):
    """Records the limits of its searches."""

    async def search(self, *asked: Any, **how: Any) -> Any:
        self.limits = [*getattr(self, "limits", []), asked[3]]
        return await super().search(*asked, **how)


async def test_one_proof_of_a_background_review_may_take_half_of_its_time() -> None:
    search = Recording(1)
    match = played("othello", (19, 18, 17))
    match = match.resign(match.seats[0].user_id or 0, match.touched_at)
    await Reviews(search).thorough(match, 0.2)
    await search.close()
    assert search.limits[-1].seconds == 0.1


# Counted once


async def announce(table: Sitting, voice: Noticeboard) -> None:
    """Announce what is to be announced, in a process of its own."""
    news = News(achievements_of(table), all_texts())
    sender = Sender(news, table.stores.outgoing, voice, clock=table.clock)
    reconciler = Reconciler([sender], _nothing, time=lambda: table.clock().timestamp())
    await reconciler.run_once()
    await reconciler.drain()


async def _nothing() -> None:
    """Nothing has to be saved."""


def achievements_of(table: Sitting) -> Achievements:
    return Achievements(table.stores, Reviews(table.search), clock=table.clock, review_seconds=0.0)


async def keys_of(table: Sitting, user_id: int) -> list[str]:
    return sorted(award.key for award in await table.stores.achievements.awards(user_id))


async def pair_plays(table: Sitting, moves: Sequence[int], *, rated: bool = True) -> Match:
    match = await paired(table, ADA.seat, BEN.seat, "tic-tac-toe", rated=rated)
    for ply, move in enumerate(moves):
        match = await table.services.playing.play(match.id, (ADA, BEN)[ply % 2], move)
    return match


async def test_the_first_win_is_there_as_soon_as_the_match_is_over(table: Sitting) -> None:
    match = await pair_plays(table, MISSED_WIN)
    store = table.stores.achievements
    assert [(award.key, award.match_id) for award in await store.awards(BEN.user_id)] == [
        ("first-win", match.id)
    ]
    assert await store.awards(ADA.user_id) == ()
    await pair_plays(table, MISSED_WIN)
    assert [award.match_id for award in await store.awards(BEN.user_id)] == [match.id]


async def beat_pip(table: Sitting, *, rated: bool = True) -> None:
    """Ada plays the first legal square until she has won a match."""
    for _ in range(40):
        match = await table.services.starting.start(
            ADA, terms_of("tic-tac-toe", first=First.ME, rated=rated), "pip", HERE
        )
        while not match.is_over:
            if match.awaits_agent:
                table.services.pings.ping(match)
                await table.services.background.drain()
                match = await table.services.matches.match(match.id)
            else:
                match = await table.services.playing.play(match.id, ADA, match.state.legal_moves()[0])
        if match.result is not None and match.result.winner == match.player_of(ADA.user_id):
            return
    raise AssertionError("Pip does not lose")


async def test_beating_a_level_counts_for_it_and_for_the_ladder(table: Sitting) -> None:
    await beat_pip(table)
    assert await keys_of(table, ADA.user_id) == ["first-win", "level-pip"]
    progress = {found.achievement.key: found for found in await achievements_of(table).of(ADA.user_id)}
    assert progress["ladder-tic-tac-toe"].have == 1
    assert progress["ladder-tic-tac-toe"].achievement.goal == len(ladder_of("tic-tac-toe"))
    assert progress["level-pip"].share == 1.0
    assert progress["level-bo"].share == 0.0


async def test_puzzles_solved_in_a_row_are_progress(table: Sitting) -> None:
    store, tasks = table.stores.puzzles, [Task.of(puzzle) for puzzle in select(grade=1).values()]
    for task in tasks[:3]:
        before = await store.add_attempt(
            Attempt(0, ADA.user_id, None, PuzzleKind.FREE, task, counts=True, started_at=NOW), ADA.name
        )
        solved = replace(before, status=Status.SOLVED, ended_at=NOW, version=before.version + 1)
        await store.save_attempt(before, solved)
    progress = {found.achievement.key: found for found in await achievements_of(table).of(ADA.user_id)}
    assert (progress["puzzle-run"].have, progress["puzzle-run"].earned_at) == (3, None)


async def test_losing_to_a_level_does_not_beat_it(table: Sitting) -> None:
    match = await table.services.starting.start(ADA, terms_of("tic-tac-toe", first=First.ME), "pip", HERE)
    await table.services.playing.resign(match.id, ADA)
    assert await table.stores.achievements.beaten(ADA.user_id) == frozenset()
    await pair_plays(table, (0, 3, 1, 4, 2))
    assert await keys_of(table, ADA.user_id) == ["first-win"]


async def test_casual_matches_earn_the_first_win_alone(table: Sitting) -> None:
    await pair_plays(table, MISSED_WIN, rated=False)
    await beat_pip(table, rated=False)
    assert await keys_of(table, BEN.user_id) == await keys_of(table, ADA.user_id) == ["first-win"]
    assert await table.stores.achievements.beaten(ADA.user_id) == frozenset()
    assert not await achievements_of(table).run_once()


async def test_a_comeback_is_found_after_a_restart_and_only_once(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as before:
        match = await pair_plays(before, MISSED_WIN)
    async with sitting(tmp_path / "discade.db") as table:
        achievements, store = achievements_of(table), table.stores.achievements
        assert await achievements.run_once()
        assert await keys_of(table, BEN.user_id) == ["comeback", "first-win"]
        accuracy = await store.accuracy(ADA.user_id, HERE.guild_id)
        assert not await achievements.run_once()
        assert not await store.finish_review(match, ())
        assert accuracy is not None
        assert accuracy.matches == 1
        assert 0 < accuracy.mean < 1
        assert await store.accuracy(ADA.user_id, 21) is None


@pytest.mark.slow
async def test_a_forgotten_person_earns_no_achievements(table: Sitting) -> None:
    await pair_plays(table, MISSED_WIN)
    pseudonym = await table.stores.privacy.erase(BEN.user_id)
    assert await achievements_of(table).run_once()
    assert await keys_of(table, BEN.user_id) == await keys_of(table, pseudonym) == []


async def test_news_are_told_once_even_if_the_process_ends_between(tmp_path: Path) -> None:
    voice = Noticeboard()
    async with sitting(tmp_path / "discade.db") as before:
        await pair_plays(before, MISSED_WIN)
    async with sitting(tmp_path / "discade.db") as table:
        await announce(table, voice)
        await announce(table, voice)
        assert await table.stores.outgoing.of("news") == []
    ((channel_id, content),) = voice.messages.values()
    assert (channel_id, content.text) == (HERE.channel_id, TOLD)


async def test_news_sent_just_before_a_crash_are_found_and_not_repeated(table: Sitting) -> None:
    await pair_plays(table, MISSED_WIN)
    voice, crashed = Noticeboard(), Noticeboard()
    await announce(table, crashed)
    async with table.stores.database.writing() as connection:
        await connection.execute(sa.update(achievements).values(is_told=False))
    (match,) = [one for one, _ in await achievements_of(table).untold()]
    note = Outgoing("news", match.id, 0, place_of(match.channel), None, "", Fate.SENDING, table.clock())
    assert await table.stores.outgoing.claim(note)
    voice.messages[77] = HERE.channel_id, SimpleNamespace(content=TOLD)
    await announce(table, voice)
    assert voice.sent == 0
    assert not await table.stores.achievements.has_untold()


async def test_news_wait_while_discord_is_down(table: Sitting) -> None:
    await pair_plays(table, MISSED_WIN)
    voice = Noticeboard()
    voice.says = Delivered.DISCORD_DOWN
    await announce(table, voice)
    voice.says = None
    for _ in range(2):
        await announce(table, voice)
    assert voice.sent == 1


async def test_news_that_discord_refuses_are_not_told_again(table: Sitting) -> None:
    await pair_plays(table, MISSED_WIN)
    voice = Noticeboard()
    voice.says = Delivered.CHANNEL_REFUSED
    await announce(table, voice)
    voice.says = None
    await announce(table, voice)
    assert voice.sent == 0


async def test_news_of_yesterday_are_not_told(table: Sitting) -> None:
    voice = Noticeboard()
    await pair_plays(table, MISSED_WIN)
    table.clock.advance(hours=13)
    await announce(table, voice)
    assert voice.sent == 0
    assert not await table.stores.achievements.has_untold()


async def test_news_of_a_match_on_the_web_are_told_to_nobody(table: Sitting) -> None:
    await pair_plays(table, MISSED_WIN)
    assert await table.stores.achievements.has_untold()
    async with table.stores.database.writing() as connection:
        nowhere = dict.fromkeys(("channel_id", "guild_id", "message_id", "parent_id"))
        await connection.execute(sa.update(matches).values(nowhere))
    assert await achievements_of(table).untold() == []
    assert not await table.stores.achievements.has_untold()
