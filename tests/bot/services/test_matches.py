"""Matches on a real database with real agents: players' actions and background work."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.domain.challenge import ChallengeStatus
from bot.domain.clock import Clock as MatchClock
from bot.domain.errors import MatchError, NotFound, Refusal, SetupError
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.position import can_help_at
from bot.domain.preferences import Preferences
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.terms import Fair, First
from bot.services.challenges import Challenges
from bot.services.checked_terms import BOT_CLOCK, NO_CLOCK, RATED_CLOCK
from bot.services.match_limits import MAX_RUNNING_MATCHES
from bot.services.starting import MAX_WATCHED
from engine.core import Player, states_of
from engine.games import game
from engine.games.notation import parse_moves
from tests.bot.cluster import is_wanted
from tests.bot.sittings import (
    ADA,
    BEN,
    EVE,
    HERE,
    Clock,
    Sitting,
    both_move_twice,
    paired,
    settle,
    sitting,
    terms_of,
)
from tests.working import measured

BLITZ = MatchClock(180, 2)


async def people(table: Sitting, *, rated: bool = True, clock_seconds: int | None = None) -> Match:
    """A match that Ada begins against Ben."""
    challenge = await table.services.challenges.send(
        ADA, BEN, terms_of("connect-four", first=First.ME, rated=rated, clock_seconds=clock_seconds), HERE
    )
    return (await table.services.challenges.accept(challenge.id, BEN))[1]


async def against_pip(table: Sitting, first: First = First.ME, *, rated: bool = True) -> Match:
    return await table.services.starting.start(
        ADA, terms_of("connect-four", first=first, rated=rated), "pip", HERE
    )


async def resigned(table: Sitting, match: Match) -> Match:
    return await table.services.playing.resign(match.id, ADA)


async def play(table: Sitting, match: Match, columns: str) -> Match:
    """Both people move in turn; each move's background work is finished."""
    for column in columns:
        person = ADA if match.seat_to_move.user_id == ADA.user_id else BEN
        match = await table.services.playing.play(match.id, person, int(column) - 1, turn=match.turn)
        table.services.pings.ping(match)
        await table.services.background.drain()
    return match


# Starting


async def test_the_bot_begins_when_the_player_says_so(table: Sitting) -> None:
    match = await against_pip(table, First.OPPONENT, rated=False)
    table.services.pings.ping(match)
    await table.services.background.drain()

    after = await table.services.matches.match(match.id)

    assert after.seats[0].level == "pip"
    assert len(after.moves) == 1
    assert table.screen.shown[match.id] == [after]


async def test_matches_are_rated_on_the_usual_board_alone(table: Sitting) -> None:
    starting, playing = table.services.starting, table.services.playing
    usual = await starting.start(ADA, terms_of("connect-four", "6x7x4", first=First.ME), "ivo", HERE)
    await playing.resign(usual.id, ADA)
    odd = await starting.start(ADA, terms_of("connect-four", "6x7x3", first=First.ME), "ivo", HERE)
    asked = await table.services.challenges.send(ADA, BEN, terms_of("othello", "6x6"), HERE)
    swapping = await table.services.challenges.send(ADA, BEN, terms_of("gomoku", "15x15-swap2"), HERE)
    by_agent = await starting.start(ADA, terms_of("gomoku", "15x15-swap2", first=First.ME), "momo", HERE)
    assert (usual.rated, odd.rated, asked.terms.rated) == (True, False, False)
    assert (swapping.terms.rated, by_agent.rated) == (True, False), "no level was measured with swap2"
    with pytest.raises(MatchError) as caught:
        await playing.make_rated(odd.id, ADA)
    assert caught.value.key == "board_not_rated"
    assert caught.value.params == {"board": "6x7x4"}


async def left(table: Sitting, times: int) -> None:
    """Ada begins rated matches and leaves each after her first move."""
    for _ in range(times):
        match = await against_pip(table)
        table.clock.advance(minutes=1)
        await table.services.playing.resign(match.id, ADA)


async def test_matches_left_early_again_and_again_pause_rated_ones(table: Sitting) -> None:
    """60 of 60 could be left for nothing, to choose side and opponent."""
    await left(table, 4)
    running = await against_pip(table, rated=False)
    invitation = await table.services.challenges.send(BEN, ADA, terms_of("othello"), HERE)
    for begin in (
        lambda: against_pip(table),
        lambda: people(table),
        lambda: table.services.starting.rematch(1, ADA, HERE),
        lambda: table.services.playing.make_rated(running.id, ADA),
        lambda: table.services.challenges.accept(invitation.id, ADA),
    ):
        with pytest.raises(SetupError, match="left_too_often"):
            await begin()
    table.clock.advance(minutes=59)
    with pytest.raises(SetupError, match="left_too_often"):
        await against_pip(table)
    table.clock.advance(minutes=1)
    await left(table, 1)
    with pytest.raises(SetupError, match="left_too_often"):
        await against_pip(table)
    table.clock.advance(days=7)
    await left(table, 4)


async def test_only_matches_that_one_left_oneself_pause_rated_ones(table: Sitting) -> None:
    for _ in range(4):
        await table.services.playing.resign((await against_pip(table, rated=False)).id, ADA)
        await table.services.playing.resign((await play(table, await people(table), "4433")).id, ADA)
    for _ in range(4):
        await table.services.playing.resign((await people(table)).id, BEN)
    assert (await against_pip(table)).rated
    with pytest.raises(SetupError, match="left_too_often"):
        await table.services.starting.start(BEN, terms_of("connect-four", first=First.ME), "pip", HERE)


async def test_a_match_left_to_its_clock_counts_as_left(table: Sitting) -> None:
    for first in (First.ME, First.OPPONENT) * 2:
        table.services.agents.wake(await against_pip(table, first))
        await table.services.background.drain()
        table.clock.advance(seconds=BOT_CLOCK + 3)
        await table.services.clocks.tick()
        await table.services.background.drain()
    assert await table.stores.matches.running(ADA.user_id) == []
    with pytest.raises(SetupError, match="left_too_often"):
        await against_pip(table)


async def test_a_match_abandoned_by_a_side_that_was_to_move_again_counts_as_left_by_it(
    table: Sitting,
) -> None:
    for _ in range(4):
        match = await paired(table, ADA.seat, BEN.seat, "gomoku", board="15x15-swap2", clock_seconds=None)
        await table.services.playing.play(match.id, ADA, 112)
    table.clock.advance(days=8)
    await table.services.clocks.tick()
    await table.services.background.drain()
    match = await table.services.matches.match(1)
    assert match.result is not None
    assert (match.result.end, match.rated) == (End.ABANDONED, True)
    with pytest.raises(SetupError, match="left_too_often"):
        await against_pip(table)
    await table.services.starting.start(BEN, terms_of("connect-four", first=First.ME), "pip", HERE)


async def test_a_whole_game_against_an_agent_ends_and_is_rated_once(table: Sitting) -> None:
    match = await against_pip(table)
    while not match.is_over:
        match = await table.services.playing.play(
            match.id, ADA, match.state.legal_moves()[0], turn=match.turn
        )
        table.services.pings.ping(match)
        await table.services.background.drain()
        match = await table.services.matches.match(match.id)

    mine = await table.services.standings.leaderboard(
        "connect-four", guild_id=20, agents=False, page=1, user_id=1
    )
    agents = await table.services.standings.leaderboard(
        "connect-four", guild_id=None, agents=True, page=1, user_id=1
    )

    assert [row.games for row in mine.rows] == [1]
    assert [row.player_key for row in agents.rows] == ["pip"]
    assert mine.own == mine.rows[0]


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"game": "chess"}, "unknown_game"),
        ({"level": "nobody"}, "unknown_level"),
        ({"board": "99x99x4"}, "unknown_board_size"),
        ({"clock_seconds": 7}, "bad_clock"),
    ],
)
async def test_an_impossible_match_is_refused_with_its_reason(
    table: Sitting, change: dict[str, Any], key: str
) -> None:
    level, position = change.pop("level", "pip"), change.pop("position", None)
    terms = replace(terms_of("connect-four", first=First.ME), **change)

    with pytest.raises(SetupError) as caught:
        await table.services.starting.start(ADA, terms, level, HERE, position=position)

    assert caught.value.key == key


async def test_a_level_is_refused_in_a_game_it_does_not_play(table: Sitting) -> None:
    with pytest.raises(SetupError, match="level_not_for_board"):
        await table.services.starting.start(
            ADA, terms_of("connect-four", "7x8x4", first=First.ME), "una", HERE
        )


async def test_a_person_cannot_run_more_matches_than_allowed(table: Sitting) -> None:
    for _ in range(MAX_RUNNING_MATCHES):
        await against_pip(table, rated=False)

    with pytest.raises(SetupError, match="too_many_matches"):
        await against_pip(table, rated=False)


async def test_agents_play_each_other_to_the_end(table: Sitting) -> None:
    match = await table.services.starting.watch(ADA, "tic-tac-toe", "pip", "pip", replace(HERE, message_id=5))
    table.services.pings.ping(match)
    await table.services.background.drain()

    over = await table.services.matches.match(match.id)

    assert over.is_over
    assert [shown.turn for shown in table.screen.shown[match.id]] == list(range(1, over.turn + 1))
    assert not over.rated


async def test_the_number_of_agent_matches_in_a_channel_is_limited(table: Sitting) -> None:
    tries = [
        table.services.starting.watch(ADA, "tic-tac-toe", "pip", "pip", HERE) for _ in range(MAX_WATCHED + 2)
    ]
    answers = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(answer, Match) for answer in answers) == MAX_WATCHED
    with pytest.raises(SetupError, match="too_many_watched"):
        await table.services.starting.watch(BEN, "tic-tac-toe", "pip", "pip", HERE)


# Challenges


async def test_the_first_person_to_accept_takes_the_open_seat(table: Sitting) -> None:
    challenge = await table.services.challenges.send(ADA, None, terms_of("othello", first=First.ME), HERE)

    answers = await asyncio.gather(
        table.services.challenges.accept(challenge.id, BEN),
        table.services.challenges.accept(challenge.id, EVE),
        return_exceptions=True,
    )

    refused = [answer for answer in answers if isinstance(answer, Refusal)]
    assert [refusal.key for refusal in refused] == ["challenge_not_open"]
    assert len(await table.stores.matches.running()) == 1


async def test_an_invitation_is_accepted_while_its_message_is_stored(table: Sitting) -> None:
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("othello"), HERE)
    stores = asyncio.gather(*(table.changes.attach_challenge(challenge.id, one) for one in range(1, 20)))

    accepted, match = await table.services.challenges.accept(challenge.id, BEN)

    await stores
    assert accepted.match_id == match.id
    assert (await table.services.challenges.find(challenge.id)).location.message_id == 19


@pytest.mark.sqlite
async def test_an_invitation_that_others_keep_changing_is_not_called_answered(
    table: Sitting, file: Path
) -> None:
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("othello"), HERE)

    def clock() -> datetime:
        """Another process stores a message of the invitation between each look at it and each change."""
        with closing(sqlite3.connect(file, isolation_level=None)) as other:
            other.execute("UPDATE challenges SET version = version + 1")
        return table.clock()

    challenges = Challenges(table.stores, table.changes, clock=clock, rng=Random(1))
    with pytest.raises(MatchError, match="busy"):
        await challenges.accept(challenge.id, BEN)


async def test_accepting_a_rematch_that_has_begun_says_so(table: Sitting) -> None:
    old = await people(table)
    await table.services.playing.resign(old.id, ADA)
    first = await table.services.challenges.send(ADA, BEN, terms_of(old.game), HERE, rematch_of=old.id)
    second = await table.services.challenges.send(BEN, ADA, terms_of(old.game), HERE)
    # Both invite the other to it, as was possible in 0.3.0.
    await table.stores.challenges.save(second, replace(second, rematch_of=old.id, version=1))
    await table.services.challenges.accept(first.id, BEN)
    with pytest.raises(MatchError, match="already_rematched"):
        await table.services.challenges.accept(second.id, ADA)


async def test_only_the_challenged_person_can_accept(table: Sitting) -> None:
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("othello"), HERE)

    for person, key in ((EVE, "challenge_not_yours"), (ADA, "challenge_own")):
        with pytest.raises(MatchError, match=key):
            await table.services.challenges.accept(challenge.id, person)
    assert (await table.services.challenges.decline(challenge.id, BEN)).status is ChallengeStatus.DECLINED
    with pytest.raises(MatchError, match="challenge_not_open"):
        await table.services.challenges.accept(challenge.id, BEN)


async def test_people_cannot_challenge_themselves(table: Sitting) -> None:
    with pytest.raises(SetupError, match="self_challenge"):
        await table.services.challenges.send(ADA, ADA, terms_of("othello"), HERE)


async def test_a_challenge_expires_and_is_shown_expired(table: Sitting) -> None:
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("othello"), HERE)
    table.clock.advance(minutes=31)

    with pytest.raises(MatchError, match="challenge_expired"):
        await table.services.challenges.accept(challenge.id, BEN)
    await table.services.clocks.tick()
    await table.services.background.drain()

    assert [shown.status for shown in table.screen.challenges] == [ChallengeStatus.EXPIRED]


# Playing


async def test_exactly_one_of_two_simultaneous_presses_counts(table: Sitting) -> None:
    match = await people(table)

    answers = await asyncio.gather(
        *(table.services.playing.play(match.id, ADA, column, turn=match.turn) for column in (2, 3)),
        return_exceptions=True,
    )

    after = await table.services.matches.match(match.id)
    assert len(after.moves) == 1
    assert [answer.key for answer in answers if isinstance(answer, Refusal)] == ["stale"]


async def test_the_player_to_move_is_pinged_until_they_have_moved(table: Sitting) -> None:
    match = await people(table)

    match = await play(table, match, "4")
    assert [called.seat_to_move.name for called in table.screen.pings.values()] == ["Ben"]
    match = await play(table, match, "4")
    assert [called.seat_to_move.name for called in table.screen.pings.values()] == ["Ada"]
    match = await table.services.playing.resign(match.id, ADA)
    table.services.pings.ping(match)
    await table.services.background.drain()

    assert table.screen.pings == {}


async def test_resigning_while_the_agent_thinks_drops_its_answer(table: Sitting) -> None:
    table.search.hold({"random"})
    match = await against_pip(table)
    match = await table.services.playing.play(match.id, ADA, 3, turn=0)
    table.services.pings.ping(match)
    await asyncio.sleep(0)

    over = await table.services.playing.resign(match.id, ADA)
    table.services.pings.ping(over)
    table.search.release()
    await table.services.background.drain()

    assert (await table.services.matches.match(match.id)).moves == (3,)
    assert table.search.waiting == 0


async def test_an_undo_while_the_agent_thinks_gives_the_move_back(table: Sitting) -> None:
    table.search.hold({"random"})
    match = await against_pip(table, rated=False)
    match = await table.services.playing.play(match.id, ADA, 3, turn=0)
    table.services.pings.ping(match)
    await asyncio.sleep(0)

    undone = await table.services.playing.ask_undo(match.id, ADA)
    table.services.pings.ping(undone)
    table.search.release()
    await table.services.background.drain()

    assert (await table.services.matches.match(match.id)).moves == ()


async def test_current_prefers_the_match_where_it_is_my_turn(table: Sitting) -> None:
    mine = await people(table)
    waiting = await play(table, await paired(table, ADA.seat, BEN.seat), "4")

    assert (await table.services.matches.current(ADA.user_id, HERE.channel_id)).id == mine.id
    assert (await table.services.matches.current(BEN.user_id, HERE.channel_id)).id == waiting.id
    with pytest.raises(NotFound, match="no_current_match"):
        await table.services.matches.current(EVE.user_id, HERE.channel_id)


# Clocks


async def test_the_clock_warns_once_and_then_ends_the_match(table: Sitting) -> None:
    match = await people(table, clock_seconds=60)
    table.clock.advance(seconds=46)
    await table.services.clocks.tick()
    await table.services.clocks.tick()
    assert [warned.seat_to_move.name for warned in table.screen.warnings] == ["Ada"]

    table.clock.advance(seconds=17)
    await table.services.clocks.tick()
    await table.services.background.drain()

    assert (await table.services.matches.match(match.id)).result == Result(Player.SECOND, End.TIME)
    assert table.screen.shown[match.id][-1].is_over
    assert table.screen.pings == {}


async def test_a_press_after_the_deadline_loses_even_before_the_clock_looks(table: Sitting) -> None:
    match = await people(table, clock_seconds=60)
    table.clock.advance(seconds=63)

    with pytest.raises(MatchError, match="time_is_up"):
        await table.services.playing.play(match.id, ADA, 3, turn=0)

    assert (await table.services.matches.match(match.id)).result == Result(Player.SECOND, End.TIME)


async def test_a_press_made_in_time_counts_although_it_arrives_late(table: Sitting) -> None:
    match = await people(table, clock_seconds=10)
    table.clock.advance(seconds=9)
    pressed = replace(ADA, pressed_at=table.clock.now)
    table.clock.advance(seconds=1.5)

    moved = await table.services.playing.play(match.id, pressed, 3, turn=0)

    assert moved.timed_moves[0].seconds == 9
    assert moved.deadline == table.clock.now + timedelta(seconds=10)


async def test_the_clock_waits_briefly_for_a_press_in_flight(table: Sitting) -> None:
    match = await people(table, clock_seconds=10)
    table.clock.advance(seconds=12.9)
    await table.services.clocks.tick()
    assert not (await table.services.matches.match(match.id)).is_over
    assert table.screen.warnings == []
    table.clock.advance(seconds=0.1)
    await table.services.clocks.tick()
    assert (await table.services.matches.match(match.id)).result == Result(Player.SECOND, End.TIME)


@pytest.mark.slow
async def test_a_whole_matchs_clock_runs_out_over_many_moves(table: Sitting) -> None:
    match = await people(table, clock_seconds=BLITZ.number)
    for number in range(6):
        table.clock.advance(seconds=50 if number % 2 == 0 else 5)
        match = await table.services.playing.play(match.id, (ADA, BEN)[number % 2], number // 2, turn=number)
    assert (match.time_left(Player.FIRST), match.time_left(Player.SECOND)) == (36, 171)
    table.clock.advance(seconds=40)
    await table.services.clocks.tick()
    over = await table.services.matches.match(match.id)
    assert over.result == Result(Player.SECOND, End.TIME)


async def test_a_rated_match_has_three_days_a_move_by_default_and_one_against_a_bot(table: Sitting) -> None:
    clocks = [
        (await resigned(table, await people(table))).clock_seconds,
        (await resigned(table, await people(table, clock_seconds=60))).clock_seconds,
        (await resigned(table, await people(table, clock_seconds=NO_CLOCK))).clock_seconds,
        (await people(table, rated=False)).clock_seconds,
        (await against_pip(table, rated=False)).clock_seconds,
        (await against_pip(table)).clock_seconds,
    ]
    assert clocks == [RATED_CLOCK, 60, None, None, None, BOT_CLOCK]


@pytest.mark.parametrize(("chosen", "given"), [(NO_CLOCK, BOT_CLOCK), (RATED_CLOCK, BOT_CLOCK), (60, 60)])
async def test_a_rated_match_against_a_bot_has_at_most_a_day_a_move(
    table: Sitting, chosen: int, given: int
) -> None:
    async def begin(*, rated: bool) -> Match:
        terms = terms_of("connect-four", first=First.ME, rated=rated, clock_seconds=chosen)
        return await table.services.starting.start(ADA, terms, "pip", HERE)

    casual = await begin(rated=False)
    assert casual.clock_seconds == (chosen or None)
    made = await table.services.playing.make_rated(casual.id, ADA)
    await table.services.playing.resign(casual.id, ADA)
    begun = await begin(rated=True)
    assert (made.clock_seconds, begun.clock_seconds) == (given, given)


async def test_a_rematch_of_an_older_rated_match_without_a_clock_has_one(table: Sitting) -> None:
    old = Match.begin("connect-four", "6x7x4", (ADA.seat, Seat("Pip", level="pip")), HERE, table.clock())
    old = await table.services.playing.resign((await table.stores.matches.add(old)).id, ADA)
    again = await table.services.starting.rematch(old.id, ADA, HERE)
    assert isinstance(again, Match)
    assert (old.clock_seconds, again.clock_seconds) == (None, BOT_CLOCK)


@pytest.mark.parametrize("clock_seconds", [None, NO_CLOCK])
async def test_leaving_a_rated_match_is_a_loss_against_agents_too(
    table: Sitting, clock_seconds: int | None
) -> None:
    match = await table.services.starting.start(
        ADA, terms_of("connect-four", first=First.ME, clock_seconds=clock_seconds), "pip", HERE
    )
    match = await both_move_twice(table, match)
    table.clock.advance(days=7, seconds=3)
    await table.services.clocks.tick()

    assert (await table.services.matches.match(match.id)).result == Result(Player.SECOND, End.TIME)
    board = await table.services.standings.leaderboard(
        "connect-four", guild_id=20, agents=False, page=1, user_id=1
    )
    assert [row.losses for row in board.rows] == [1]


async def test_a_forgotten_match_ends_without_result_and_without_rating(table: Sitting) -> None:
    match = await people(table, clock_seconds=NO_CLOCK)
    table.clock.advance(days=7, seconds=3)
    await table.services.clocks.tick()

    assert (await table.services.matches.match(match.id)).result == Result(None, End.ABANDONED)
    board = await table.services.standings.leaderboard(
        "connect-four", guild_id=20, agents=False, page=1, user_id=1
    )
    assert board.rows == ()


# Afterwards


@pytest.mark.slow
async def test_a_rematch_against_an_agent_swaps_colours_and_happens_once(table: Sitting) -> None:
    match = await against_pip(table)
    match = await resigned(table, await both_move_twice(table, match))

    again = await table.services.starting.rematch(match.id, ADA, HERE)

    assert isinstance(again, Match)
    assert again.seats == (match.seats[1], match.seats[0])
    with pytest.raises(MatchError, match="already_rematched"):
        await table.services.starting.rematch(match.id, ADA, HERE)


async def test_of_two_rematches_at_once_one_begins_and_the_other_is_refused_in_words(table: Sitting) -> None:
    match = await table.services.playing.resign((await against_pip(table, rated=False)).id, ADA)
    made = await asyncio.gather(
        *(table.services.starting.rematch(match.id, ADA, HERE) for _ in range(2)), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in made) == ["Match", "MatchError"]
    assert "already_rematched" in {str(getattr(one, "key", "")) for one in made}


async def test_a_rematch_between_people_begins_when_both_have_asked(table: Sitting) -> None:
    match = await resigned(table, await play(table, await people(table), "4433"))

    asked = await table.services.starting.rematch(match.id, ADA, HERE)
    with pytest.raises(MatchError, match="rematch_already_asked"):
        await table.services.starting.rematch(match.id, ADA, HERE)
    again = await table.services.starting.rematch(match.id, BEN, HERE)

    assert not isinstance(asked, Match)
    assert isinstance(again, Match)
    assert again.seats == (match.seats[1], match.seats[0])


async def test_of_two_rematches_pressed_at_once_the_second_accepts_the_first(tmp_path: Path) -> None:
    file, clock = tmp_path / "discade.db", Clock()
    # On PostgreSQL the second press is in another process; SQLite has but one.
    async with (
        sitting(file, clock=clock) as table,
        sitting(file, clock=clock) if is_wanted() else nullcontext(table) as other,
    ):
        for _ in range(3):
            match = await table.services.playing.resign((await people(table, rated=False)).id, ADA)
            asked = await asyncio.gather(
                table.services.starting.rematch(match.id, ADA, HERE),
                other.services.starting.rematch(match.id, BEN, HERE),
            )
            assert sorted(type(one).__name__ for one in asked) == ["Challenge", "Match"]
            assert await table.stores.challenges.open_of(ADA.user_id) == []
            (again,) = await table.services.matches.running(ADA.user_id)
            assert again.rematch_of == match.id
            await table.services.playing.resign(again.id, ADA)


async def test_one_person_who_presses_rematch_twice_at_once_sends_one_invitation(table: Sitting) -> None:
    match = await table.services.playing.resign((await people(table)).id, ADA)
    asked = await asyncio.gather(
        *(table.services.starting.rematch(match.id, ADA, HERE) for _ in range(2)), return_exceptions=True
    )
    assert sorted(type(one).__name__ for one in asked) == ["Challenge", "MatchError"]
    assert "rematch_already_asked" in {str(getattr(one, "key", "")) for one in asked}


async def test_two_who_invite_each_other_to_the_same_match_have_it(table: Sitting) -> None:
    sent = await asyncio.gather(
        table.services.challenges.send(ADA, BEN, terms_of("othello", first=First.ME, rated=False), HERE),
        table.services.challenges.send(
            BEN, ADA, terms_of("othello", first=First.OPPONENT, rated=False), HERE
        ),
    )
    assert sorted(one.status for one in sent) == [ChallengeStatus.ACCEPTED, ChallengeStatus.OPEN]
    (match,) = await table.services.matches.running(BEN.user_id)
    assert match.seats[0].name == "Ada"
    assert await table.stores.challenges.open_of(ADA.user_id) == []


@pytest.mark.parametrize(
    "other",
    [
        {"clock_seconds": 60}, {"rated": True}, {"first": First.ME}, {"board": "6x6"}, {"fair": Fair.PIE},
        {"game": "connect-four"}, {"location": replace(HERE, channel_id=11)},
    ],
    ids=lambda terms: next(iter(terms)),
)  # fmt: skip
async def test_invitations_to_different_matches_stay_two(table: Sitting, other: dict[str, Any]) -> None:
    await table.services.challenges.send(ADA, BEN, terms_of("othello", first=First.ME, rated=False), HERE)
    here = other.pop("location", HERE)
    await table.services.challenges.send(
        BEN, ADA, terms_of(**{"game": "othello", "first": First.OPPONENT} | {"rated": False} | other), here
    )
    assert len(await table.stores.challenges.open_of(ADA.user_id)) == 2


async def test_an_expired_invitation_is_not_accepted_by_its_opposite(table: Sitting) -> None:
    await table.services.challenges.send(ADA, BEN, terms_of("othello"), HERE)
    table.clock.advance(minutes=30)
    assert (await table.services.challenges.send(BEN, ADA, terms_of("othello"), HERE)).is_open


async def test_a_person_who_deleted_their_data_is_not_asked_for_a_rematch(table: Sitting) -> None:
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("tic-tac-toe", first=First.ME), HERE)
    match = (await table.services.challenges.accept(challenge.id, BEN))[1]
    await table.services.playing.resign(match.id, BEN)
    await table.stores.privacy.erase(BEN.user_id)
    with pytest.raises(MatchError, match="no_rematch_gone"):
        await table.services.starting.rematch(match.id, ADA, HERE)


async def test_a_running_match_has_no_rematch(table: Sitting) -> None:
    with pytest.raises(MatchError, match="not_over"):
        await table.services.starting.rematch((await people(table)).id, ADA, HERE)


@pytest.mark.slow
async def test_leaderboards_are_per_server_and_global_and_paged(table: Sitting) -> None:
    for guild in (20, 21):
        for user in range(100, 112):
            challenge = await table.services.challenges.send(
                Person(user, f"P{user}"), BEN, terms_of("connect-four"), replace(HERE, guild_id=guild)
            )
            match = (await table.services.challenges.accept(challenge.id, BEN))[1]
            await both_move_twice(table, match)
            await table.services.playing.resign(match.id, BEN)

    await table.stores.preferences.save_preferences(100, Preferences(is_listed=True))
    await settle(table.stores)

    here = await table.services.standings.leaderboard(
        "connect-four", guild_id=20, agents=False, page=9, user_id=2
    )
    everywhere = await table.services.standings.leaderboard(
        "connect-four", guild_id=None, agents=False, page=1, user_id=2
    )

    assert (here.page, here.pages, len(here.rows)) == (2, 2, 3)
    assert here.own is not None
    assert (here.own.rank, here.own.losses) == (13, 12)
    assert everywhere.own is not None
    assert everywhere.own.losses == 24
    assert [row.wins for row in everywhere.rows] == [2]


async def test_a_profile_shows_the_persons_matches(table: Sitting) -> None:
    await table.services.playing.resign((await both_move_twice(table, await people(table))).id, ADA)
    running = await people(table)

    profile = await table.services.standings.profile(BEN.user_id, guild_id=20)

    assert (profile.name, profile.running) == ("Ben", 1)
    assert [(row.game, row.row.wins, row.row.streak) for row in profile.rows] == [("connect-four", 1, 1)]
    assert running.id not in [match.id for match in profile.recent]


# Restarts


async def test_agents_to_move_do_so_after_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    async with sitting(tmp_path / "discade.db", clock=clock) as before:
        match = await against_pip(before)
        match = await before.services.playing.play(match.id, ADA, 3, turn=0)  # and the process dies here

    async with sitting(tmp_path / "discade.db", clock=clock) as after:
        assert await after.services.clocks.resume() == 1
        await after.services.background.drain()

        assert len((await after.services.matches.match(match.id)).moves) == 2
        assert after.screen.shown[match.id][-1].turn == 2


async def test_however_many_matches_wait_for_an_agent_at_a_start_each_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.agent_runner.MATCHES_PER_QUERY", 2)
    async with sitting(tmp_path / "discade.db") as before:
        before.search.hold({"random"})
        begun = [await against_pip(before, rated=False) for _ in range(5)]
        for match in begun:
            await before.services.playing.play(match.id, ADA, 3, turn=0)
        # The process dies before any agent has answered.

    async with sitting(tmp_path / "discade.db") as after:
        assert await after.services.clocks.resume() == 2, "the others follow in the background"
        await after.services.background.drain()

        assert [len((await after.services.matches.match(match.id)).moves) for match in begun] == [2] * 5


async def test_an_overdue_agent_is_found_among_many_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.services.agent_runner.MATCHES_PER_QUERY", 2)
    clock = Clock()
    async with sitting(tmp_path / "discade.db", clock=clock) as table:
        begun = [await against_pip(table, rated=False) for _ in range(5)]
        for match in begun:
            await table.services.playing.play(match.id, ADA, 3, turn=0)
        clock.advance(hours=1)
        for _ in range(3):
            await table.services.clocks.tick()
        await table.services.background.drain()

        assert [len((await table.services.matches.match(match.id)).moves) for match in begun] == [2] * 5


async def test_stored_positions_that_may_be_unshown_are_shown_after_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    async with sitting(tmp_path / "discade.db", clock=clock) as before:
        match = await people(before)
        clock.advance(days=1)
        match = await before.services.playing.play(match.id, ADA, 3, turn=0)
        forgotten = await paired(before, ADA.seat, BEN.seat)
        assert forgotten.id != match.id

    async with sitting(tmp_path / "discade.db", clock=clock) as after:
        await after.services.clocks.resume()
        await after.reconciler.run_once()
        await after.reconciler.drain()

        assert after.screen.shown[match.id] == [match]


async def test_a_failing_agent_is_replaced_by_a_random_move(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await against_pip(table)
        broken = replace(match, seats=(match.seats[0], replace(match.seats[1], level="gone")))
        await table.stores.matches.save(match, broken)

        table.services.pings.ping(await table.services.playing.play(match.id, ADA, 3, turn=0))
        await table.services.background.drain()

        assert len((await table.services.matches.match(match.id)).moves) == 2
        assert f"match {match.id}: agent gone failed" in caplog.text


# Limits


@pytest.mark.slow
async def test_accepting_many_invitations_at_once_does_not_exceed_the_limit(table: Sitting) -> None:
    for _ in range(MAX_RUNNING_MATCHES - 1):
        await against_pip(table, rated=False)
    asked = [
        await table.services.challenges.send(person, ADA, terms_of("tic-tac-toe"), HERE)
        for person in (BEN, BEN, EVE, EVE)
    ]
    sent = await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)

    answers = await asyncio.gather(
        *(table.services.challenges.accept(challenge.id, ADA) for challenge in asked), return_exceptions=True
    )

    refused = [answer.key for answer in answers if isinstance(answer, SetupError)]
    assert refused == ["too_many_matches"] * 3
    assert await table.stores.matches.count_running(ADA.user_id) == MAX_RUNNING_MATCHES
    with pytest.raises(SetupError, match=r"too_many_matches_of .*Ada"):
        await table.services.challenges.accept(sent.id, BEN)
    assert (await table.services.challenges.find(sent.id)).is_open


async def test_pressing_rematch_in_many_matches_at_once_does_not_exceed_the_limit(table: Sitting) -> None:
    over = [await against_pip(table, rated=False) for _ in range(3)]
    over = [await table.services.playing.resign(match.id, ADA) for match in over]
    for _ in range(MAX_RUNNING_MATCHES - 1):
        await against_pip(table, rated=False)

    answers = await asyncio.gather(
        *(table.services.starting.rematch(match.id, ADA, HERE) for match in over), return_exceptions=True
    )

    assert sum(isinstance(answer, SetupError) for answer in answers) == 2
    assert await table.stores.matches.count_running(ADA.user_id) == MAX_RUNNING_MATCHES


async def test_invitations_are_limited_in_total_and_per_person_also_when_concurrent(table: Sitting) -> None:
    async def ask(opponent: Person | None) -> object:
        return await table.services.challenges.send(ADA, opponent, terms_of("tic-tac-toe"), HERE)

    to_ben = await asyncio.gather(*(ask(BEN) for _ in range(5)), return_exceptions=True)
    others = await asyncio.gather(*(ask(None) for _ in range(9)), return_exceptions=True)

    refused = [answer.key for answer in (*to_ben, *others) if isinstance(answer, SetupError)]
    assert refused == ["too_many_challenges_to"] * 2 + ["too_many_challenges"] * 2
    table.clock.advance(minutes=31)
    await ask(BEN)


# Help in rated matches


@pytest.mark.parametrize(
    "position",
    ["44325", "443257", "44563", "32445", "4432517"],
    ids=["itself", "a move later", "mirrored", "by other moves", "through it"],
)
async def test_a_player_cannot_begin_from_a_position_of_their_own_rated_match(
    table: Sitting, position: str
) -> None:
    async def begin(person: Person) -> Match:
        return await table.services.starting.start(
            person, terms_of("connect-four", first=First.ME), "pip", HERE, position=position
        )

    running = await play(table, await people(table), "44325")
    with pytest.raises(MatchError, match="position_in_play"):
        await begin(ADA)
    assert (await begin(EVE)).opening == len(position)
    await play(table, running, "11")
    assert (await begin(ADA)).opening == len(position)


async def test_a_rated_match_keeps_its_position_from_hints_explanations_and_reviews(table: Sitting) -> None:
    casual = await play(table, await people(table, rated=False), "44325")
    over = await play(table, await people(table, rated=False), "4432571")
    over = await table.services.playing.resign(over.id, BEN)
    await table.services.allowed_help.check_reviewed(over, ADA)
    running = await play(table, await people(table), "44325")

    with pytest.raises(MatchError, match="position_in_play"):
        await table.services.allowed_help.take_hint(casual, BEN)
    with pytest.raises(MatchError, match="position_in_play"):
        await table.services.allowed_help.check_reviewed(over, ADA)
    with pytest.raises(MatchError, match="position_in_play"):
        await table.services.allowed_help.check_explained(over, ADA, [running.state])
    await table.services.allowed_help.check_reviewed(over, EVE)

    await play(table, running, "22")
    await table.services.allowed_help.check_reviewed(over, ADA)
    assert await table.services.allowed_help.take_hint(casual, BEN) == 1


async def test_a_casual_match_that_went_through_a_position_of_a_rated_one_gives_no_hints(
    table: Sitting,
) -> None:
    """Otherwise two people could copy their rated moves there and ask for hints some moves ahead."""
    ahead = await play(table, await people(table, rated=False), "4432511")
    mirrored = await play(table, await people(table, rated=False), "4456317")
    running = await play(table, await people(table), "44325")
    for casual, mover in ((ahead, BEN), (mirrored, BEN)):
        with pytest.raises(MatchError, match="position_in_play"):
            await table.services.allowed_help.take_hint(casual, mover)
    await play(table, running, "22")
    assert await table.services.allowed_help.take_hint(ahead, BEN) == 1


async def test_nothing_waits_until_all_running_matches_are_compared(table: Sitting) -> None:
    """A comparison of large boards takes milliseconds, and a person may have twenty matches."""
    rules = game("gomoku")
    asked = states_of(rules.start(), parse_moves(rules, None, "h8h9i8i9j8j9"))
    begun = Match.begin(
        "gomoku", "15x15", (ADA.seat, BEN.seat), HERE, table.clock(),
        opening=parse_moves(rules, None, "a1b2c3d4e5"),
    )  # fmt: skip
    for _ in range(MAX_RUNNING_MATCHES):
        await table.stores.matches.add(replace(begun, opening=0))
    with measured() as in_all:
        for _ in range(MAX_RUNNING_MATCHES):
            can_help_at(begun.state, asked)

    check = asyncio.create_task(table.services.allowed_help.check_fair(ADA, "gomoku", "15x15", asked))
    longest = 0.0
    while not check.done():
        with measured() as turn:
            await asyncio.sleep(0)
        longest = max(longest, turn.seconds)
    await check
    assert longest < in_all.seconds / 2


async def test_three_moves_are_no_secret_yet(table: Sitting) -> None:
    await play(table, await people(table), "443")
    match = await table.services.starting.start(
        ADA, terms_of("connect-four", first=First.ME), "pip", HERE, position="443"
    )
    assert match.opening == 3
