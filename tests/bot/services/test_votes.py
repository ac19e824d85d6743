"""A channel plays by votes: what is stored, how a vote ends, and what it never loses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from bot.domain.errors import HelpBarred, MatchError, SetupError
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.result import End, Result
from bot.domain.seat import BY_VOTES
from bot.domain.terms import First
from bot.domain.vote import Poll, Voters
from bot.services.reviews import Reviews
from bot.services.vote_scores import VoteScores
from engine.core import Player
from engine.score import Evaluation
from tests.bot.patient_proofs import prove_patiently
from tests.bot.sittings import ADA, BEN, EVE, HERE, Clock, Sitting, sitting, terms_of
from tests.working import MAX_TEST_WAIT_SECONDS

CROWD = [Person(100 + number, f"Voter {number}") for number in range(300)]


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Sitting]:
    # As long as a busy machine needs to store three hundred votes.
    async with sitting(tmp_path / "votes.db", busy_seconds=MAX_TEST_WAIT_SECONDS) as found:
        yield found


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    prove_patiently(monkeypatch)


async def begun(
    table: Sitting, *, level: str | None = "pip", seconds: int = 60, game: str = "connect-four"
) -> Match:
    terms = terms_of(game, first=First.ME, clock_seconds=seconds)
    return await table.services.starting.vote(ADA, terms, level, HERE, ["#games", "The others"])


async def cast(table: Sitting, match: Match, person: Person, move: int) -> bool:
    return await table.services.votes.cast(match.id, person, move, turn=match.turn)


async def now(table: Sitting, match: Match) -> Match:
    return await table.services.matches.match(match.id)


async def ended(table: Sitting, seconds: float = 64) -> None:
    """The time of a vote passes, with the three seconds in which a press may still arrive."""
    table.clock.advance(seconds=seconds)
    table.services.clocks._ticked_at = table.clock.now
    await table.services.clocks.tick()


async def until(is_so: Callable[[], object]) -> None:
    """Wait until the background has done it; without an end, the test's own time ends it."""
    while not is_so():
        await asyncio.sleep(0.01)


async def test_the_move_with_the_most_votes_is_played_and_the_bot_answers(table: Sitting) -> None:
    match = await begun(table)
    assert [seat.level for seat in match.seats] == [BY_VOTES, "pip"]
    assert not match.rated
    for person, move in ((ADA, 3), (BEN, 3), (EVE, 2)):
        await cast(table, match, person, move)
    await ended(table, 59)
    assert (await now(table, match)).moves == ()
    await ended(table, 5)
    await table.services.background.drain()
    after = await now(table, match)
    assert after.moves[0] == 3
    assert len(after.moves) == 2
    assert after.awaits_votes
    assert table.services.agents.kept
    assert table.screen.shown[match.id][-1].moves == after.moves


async def test_a_vote_can_be_changed_and_counts_once(table: Sitting) -> None:
    match = await begun(table)
    assert await cast(table, match, BEN, 3)
    assert not await cast(table, match, BEN, 5)
    assert (await table.changes.polls(match)).now == Poll({5: 1})


async def test_a_tie_is_drawn_among_its_moves_alone(table: Sitting) -> None:
    match = await begun(table)
    for person, move in zip(CROWD, (1, 1, 4, 4, 6), strict=False):
        await cast(table, match, person, move)
    await ended(table)
    assert (await now(table, match)).moves[0] in (1, 4)
    polls = await table.changes.polls(await now(table, match))
    assert polls.last.leaders == (1, 4)
    assert polls.last.lead == 0


async def test_without_a_vote_it_is_extended_twice_and_then_ends_without_a_result(table: Sitting) -> None:
    match = await begun(table)
    for extensions in (1, 2):
        await ended(table, 60 if extensions > 1 else 64)
        assert (await now(table, match)).extensions == extensions
    await ended(table, 60)
    assert (await now(table, match)).result == Result(None, End.UNVOTED)


async def test_a_vote_after_an_extension_is_enough(table: Sitting) -> None:
    match = await begun(table)
    await ended(table)
    await cast(table, match, BEN, 0)
    await ended(table)
    assert (await now(table, match)).moves[0] == 0


async def test_its_starter_alone_ends_a_vote_early_and_only_with_a_vote(table: Sitting) -> None:
    match = await begun(table)
    with pytest.raises(MatchError, match="vote_without_votes"):
        await table.services.votes.end(match.id, ADA)
    await cast(table, match, BEN, 3)
    with pytest.raises(MatchError, match="vote_not_yours"):
        await table.services.votes.end(match.id, BEN)
    assert (await table.services.votes.end(match.id, ADA)).moves == (3,)


async def test_in_halves_the_first_vote_fixes_the_side(table: Sitting) -> None:
    match = await begun(table, level=None)
    await cast(table, match, ADA, 3)
    await ended(table)
    match = await now(table, match)
    assert match.moves == (3,)
    with pytest.raises(MatchError, match="vote_other_half"):
        await cast(table, match, ADA, 3)
    await cast(table, match, BEN, 4)
    assert (await table.changes.polls(match)).now == Poll({4: 1})
    assert {vote.user_id: vote.side for vote in await table.stores.votes.of_match(match.id)} == {
        ADA.user_id: Player.FIRST,
        BEN.user_id: Player.SECOND,
    }


@pytest.mark.parametrize(
    ("move", "turn", "key"), [(3, 1, "stale"), (9, 0, "illegal_no_such_column"), (3, 7, "stale")]
)
async def test_what_is_no_vote_is_refused(table: Sitting, move: int, turn: int, key: str) -> None:
    match = await begun(table)
    with pytest.raises(MatchError, match=key):
        await table.services.votes.cast(match.id, BEN, move, turn=turn)


async def test_a_vote_counts_by_the_moment_of_its_press(table: Sitting) -> None:
    match = await begun(table)
    table.clock.advance(seconds=61)
    late = replace(BEN, pressed_at=table.clock.now)
    with pytest.raises(MatchError, match="vote_over"):
        await cast(table, match, late, 3)
    await cast(table, match, replace(BEN, pressed_at=table.clock.now - timedelta(seconds=2)), 3)
    await ended(table, 3)
    assert (await now(table, match)).moves[0] == 3


async def test_only_who_had_joined_before_the_vote_began_counts_where_the_server_wants_that(
    table: Sitting,
) -> None:
    match, votes = await begun(table), table.services.votes
    for joined_at in (None, match.created_at + timedelta(seconds=1)):
        with pytest.raises(MatchError, match="vote_joined_late"):
            await votes.cast(match.id, BEN, 3, turn=0, voters=Voters.JOINED, joined_at=joined_at)
    before = match.created_at - timedelta(days=1)
    await votes.cast(match.id, BEN, 3, turn=0, voters=Voters.JOINED, joined_at=before)


async def test_an_extension_lets_no_one_vote_that_has_joined_meanwhile(table: Sitting) -> None:
    match = await begun(table)
    await ended(table)
    match = await now(table, match)
    assert match.extensions == 1
    with pytest.raises(MatchError, match="vote_joined_late"):
        await table.services.votes.cast(
            match.id, BEN, 3, turn=0, voters=Voters.JOINED, joined_at=match.created_at + timedelta(seconds=1)
        )


async def test_a_rated_match_against_a_bot_bars_votes_and_a_start_in_that_game_alone(table: Sitting) -> None:
    match, other = await begun(table), await begun(table, game="othello")
    await table.services.starting.start(BEN, terms_of("connect-four"), "pip", HERE)
    with pytest.raises(HelpBarred):
        await cast(table, match, BEN, 3)
    assert not (await table.stores.votes.polls(match)).now.total, "nothing is stored"
    await cast(table, other, BEN, other.state.legal_moves()[0])
    await table.services.playing.stop(other.id, ADA)
    with pytest.raises(HelpBarred):
        await table.services.starting.vote(BEN, terms_of("connect-four"), "pip", HERE, ["#games"])


async def test_a_channel_takes_two_of_them(table: Sitting) -> None:
    await begun(table)
    await begun(table)
    with pytest.raises(SetupError, match="too_many_voted"):
        await begun(table)


@pytest.mark.parametrize("seconds", [10, 7, 259_200])
async def test_a_vote_lasts_one_of_the_offered_times(table: Sitting, seconds: int) -> None:
    with pytest.raises(SetupError, match="bad_clock"):
        await begun(table, seconds=seconds)


async def test_a_side_with_one_legal_move_has_no_vote(table: Sitting) -> None:
    match = await begun(table, level=None, game="tic-tac-toe", seconds=86_400)
    for move in (0, 2, 1, 4, 6, 3, 5, 7):  # one square is left, and no line
        await cast(table, match, (ADA, BEN)[match.to_move], move)
        match = await table.services.votes.end(match.id, ADA)
    await ended(table, 1)
    assert (await now(table, match)).moves[-1] == 8


async def test_an_outage_gives_the_vote_its_time_back(table: Sitting) -> None:
    match = await begun(table)
    await cast(table, match, BEN, 3)
    await table.services.clocks.beat()
    table.clock.advance(seconds=300)  # away
    await table.services.clocks.run_once()
    assert (await now(table, match)).moves == ()
    assert (await now(table, match)).deadline == match.deadline + timedelta(seconds=300)  # type: ignore[operator]
    await ended(table)
    assert (await now(table, match)).moves[0] == 3


async def test_a_moderator_or_its_starter_ends_the_match(table: Sitting) -> None:
    match = await begun(table)
    with pytest.raises(MatchError, match="not_yours_to_stop"):
        await table.services.playing.stop(match.id, BEN)
    assert (await table.services.playing.stop(match.id, ADA)).result == Result(None, End.STOPPED)
    match = await begun(table)
    after = await table.services.playing.moderate(match.id, EVE, HERE.channel_id)
    assert after.result == Result(None, End.MODERATED)
    with pytest.raises(MatchError, match="match_over"):
        await cast(table, after, BEN, 3)


async def test_three_hundred_votes_at_once_all_count_and_the_board_is_shown_once_a_second(
    table: Sitting,
) -> None:
    match, loop = await begun(table), asyncio.get_running_loop()
    await table.changes.latest(match.id)  # as its board does
    began = loop.time()
    await asyncio.gather(*(cast(table, match, person, index % 7) for index, person in enumerate(CROWD)))
    assert (await table.changes.polls(match)).now.total == 300
    assert not table.services.votes._storing, "nothing of them stays in memory"
    await until(lambda: table.screen.shown.get(match.id))
    assert len(table.screen.shown[match.id]) <= loop.time() - began + 1


async def test_votes_under_way_count_when_the_vote_ends_at_that_moment(table: Sitting) -> None:
    match = await begun(table)
    await cast(table, match, ADA, 3)
    *votes, after = await asyncio.gather(
        *(cast(table, match, person, 5) for person in CROWD[:20]), table.services.votes.end(match.id, ADA)
    )
    assert votes == [True] * 20
    assert isinstance(after, Match)
    assert after.moves == (5,)
    with pytest.raises(MatchError, match="stale"):
        await cast(table, match, BEN, 5)


async def test_a_kill_loses_no_vote_and_the_next_start_shows_and_counts_them(tmp_path: Path) -> None:
    clock = Clock()
    async with sitting(tmp_path / "votes.db", clock=clock) as table:
        match = await begun(table)
        await asyncio.gather(*(cast(table, match, person, 4) for person in CROWD[:9]))
    async with sitting(tmp_path / "votes.db", clock=clock) as table:
        await table.services.clocks.resume()
        await until(lambda: table.screen.shown.get(match.id))
        assert (await table.changes.polls(match)).now == Poll({4: 9})
        await ended(table)
        assert (await now(table, match)).moves[0] == 4


async def test_forgetting_a_person_removes_their_votes_and_no_move(table: Sitting) -> None:
    match = await begun(table, level=None)
    await cast(table, match, BEN, 3)
    await table.services.votes.end(match.id, ADA)
    await table.stores.privacy.erase(BEN.user_id)
    assert await table.stores.votes.of_match(match.id) == []
    assert (await now(table, match)).moves == (3,)


DRAWN = (4, 0, 8, 2, 1, 7, 3, 5)
"""Moves of tic-tac-toe in which neither side gives anything away, up to the last square."""


async def test_the_best_voters_are_those_of_the_review_and_a_blunder_that_was_outvoted_is_told(
    table: Sitting,
) -> None:
    match = await begun(table, level=None, game="tic-tac-toe")
    dan, zoe = CROWD[:2]
    for turn, move in enumerate(DRAWN):
        for person in ((ADA, zoe), (BEN, EVE, dan))[match.to_move]:
            # Beside the centre Ben's edge loses; a guest who votes once is not compared with the others.
            if person is not zoe or turn == 0:
                await cast(table, match, person, 1 if person is BEN and turn == 1 else move)
        match = await table.services.votes.end(match.id, ADA)
    await ended(table, 1)
    match = await now(table, match)
    assert match.result is not None
    assert match.result.winner is None
    people, best = await table.services.vote_scores.best(match)
    assert people == 5
    assert {score.user_id for score in best} == {ADA.user_id, EVE.user_id, dan.user_id}
    assert all(score.best == score.total for score in best)
    own = await table.services.vote_scores.own(match, BEN.user_id)
    assert own is not None
    assert (own.score.total, own.score.total - own.score.best) == (4, 1)
    assert own.outvoted is not None
    assert (own.outvoted.turn, own.outvoted.move, own.agreed, own.against) == (1, 1, 1, 2)
    assert await table.services.vote_scores.own(match, 999) is None


async def test_the_best_voters_voted_in_half_of_the_turns_and_a_better_share_counts_more(
    table: Sitting,
) -> None:
    match = await begun(table, level=None, game="tic-tac-toe")
    half, once = CROWD[:2]
    for turn, move in enumerate(DRAWN):
        voters = {ADA} if match.to_move is Player.FIRST else {BEN, *((half,) if turn < 5 else ())}
        for person in (*voters, *((once,) if turn == 1 else ())):
            await cast(table, match, person, 1 if person is BEN and turn == 1 else move)
        match = await table.services.votes.end(match.id, ADA)
    await ended(table, 1)
    _, best = await table.services.vote_scores.best(await now(table, match))
    assert [(score.user_id, score.best, score.total) for score in best] == [
        (ADA.user_id, 4, 4), (half.user_id, 2, 2), (BEN.user_id, 3, 4),
    ]  # fmt: skip


async def test_of_a_blunder_that_the_channel_played_no_voter_is_told(table: Sitting) -> None:
    match = await begun(table, level=None, game="tic-tac-toe")
    for move, people in ((4, [ADA]), (1, [BEN, EVE]), (0, [ADA])):
        for person in people:
            await cast(table, match, person, move)
        match = await table.services.votes.end(match.id, ADA)
    match = await table.services.playing.stop(match.id, ADA)
    own = await table.services.vote_scores.own(match, BEN.user_id)
    assert own is not None
    assert (own.score.best, own.score.total, own.outvoted) == (0, 1, None)


class Counted(Reviews):
    """Reviews that count the states for which a single search was asked."""

    asked = 0

    async def evaluate(self, *asked: Any, **options: Any) -> Evaluation:
        self.asked += 1
        return await super().evaluate(*asked, **options)


async def test_a_crowd_that_asks_at_once_how_it_voted_shares_the_searches(table: Sitting) -> None:
    match = await begun(table, level=None, game="tic-tac-toe")
    for move in DRAWN:
        for person in (CROWD[:2], CROWD[2:4])[match.to_move]:
            await cast(table, match, person, move if person.user_id % 2 else match.state.legal_moves()[-1])
        await cast(table, match, (ADA, BEN)[match.to_move], move)
        match = await table.services.votes.end(match.id, ADA)
    await ended(table, 1)
    match = await now(table, match)

    async def searches(readers: int) -> int:
        reviews = Counted(table.search, later_seconds=0.0)
        scores = VoteScores(table.stores, reviews)
        await asyncio.gather(*(scores.own(match, person.user_id) for person in CROWD[:readers]))
        return reviews.asked

    assert await searches(20) == await searches(1) > 0


async def test_nobody_plays_resigns_or_takes_back_in_it(table: Sitting) -> None:
    match = await begun(table)
    playing = table.services.playing
    for action in (playing.resign, playing.offer_draw, playing.ask_undo, playing.make_rated):
        with pytest.raises(MatchError, match="not_your_match"):
            await action(match.id, ADA)
    with pytest.raises(MatchError, match="not_your_match"):
        await playing.play(match.id, ADA, 3)
    assert await table.services.matches.running(ADA.user_id) == ()
