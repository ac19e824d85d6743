"""Moves copied between two matches: no agent answers a position of a rated match of the same person."""

from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial

import pytest

from bot.domain.clock import MAX_PRESS_DELAY
from bot.domain.errors import MatchError
from bot.domain.match import ABANDONED_AFTER, Match
from bot.domain.position import can_help_at
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.terms import First
from bot.presentation import status
from bot.services.checked_terms import NO_CLOCK, RATED_CLOCK
from engine.core import Move, Player, State, replay
from engine.games import game as game_of
from engine.games.symmetry import canonical
from tests.bot.made_once import all_texts
from tests.bot.sittings import ADA, BEN, HERE, Sitting, count_as_old, paired, terms_of


async def against(
    table: Sitting, level: str, first: First, *, rated: bool = False, clock_seconds: int | None = None
) -> Match:
    if rated:
        seats = ADA.seat, Seat(level.capitalize(), level=level)
        begins, other = seats if first is First.ME else reversed(seats)
        clock = RATED_CLOCK if clock_seconds is None else clock_seconds or None
        match = await paired(table, begins, other, clock_seconds=clock)
    else:
        match = await table.services.starting.start(
            ADA, terms_of("connect-four", first=first, rated=False), level, HERE
        )
    table.services.agents.wake(match)
    return await settled(table, match)


def answered_by_agent(move: Move, match: Match, now: datetime) -> Match:
    return match.play_agent(move, now, turn=match.turn, seconds=0)


async def settled(table: Sitting, match: Match) -> Match:
    """The match after the agents' moves and one run of the clock job."""
    await table.services.background.drain()
    table.clock.advance(seconds=2)
    await table.services.clocks.tick()
    await table.services.background.drain()
    return await table.services.matches.match(match.id)


async def moved(table: Sitting, match: Match, move: Move) -> Match:
    return await settled(table, await table.services.playing.play(match.id, ADA, move, turn=match.turn))


def is_for_person(match: Match) -> bool:
    return not match.is_over and not match.seat_to_move.is_agent


async def relayed(table: Sitting) -> tuple[Match, Match]:
    """Ada begins a rated match against Una and copies Una's moves from an older one, as far as they come."""
    oracle = await against(table, "una", First.OPPONENT)
    rated = await against(table, "una", First.ME, rated=True)
    while not rated.is_over:
        if not is_for_person(rated):
            rated = await settled(table, rated)
            continue
        told = oracle.moves[len(rated.moves) :] if oracle.moves[: len(rated.moves)] == rated.moves else ()
        move = told[0] if told else rated.state.legal_moves()[-1]
        rated = await moved(table, rated, move)
        oracle = await settled(table, oracle)
        reply = rated.moves[-1]
        if oracle.moves == rated.moves[:-1] and is_for_person(oracle):
            oracle = await moved(table, oracle, reply)
    return rated, oracle


@pytest.mark.slow
async def test_moves_copied_from_a_casual_match_win_no_rated_one(table: Sitting) -> None:
    wins = 0
    for _ in range(15):
        rated, casual = await relayed(table)
        wins += rated.result is not None and rated.result.winner is Player.FIRST
        if not casual.is_over:
            await table.services.playing.resign(casual.id, ADA)
    assert wins == 0


async def people(table: Sitting, columns: str) -> Match:
    """Ada's rated match against Ben after these moves."""
    challenge = await table.services.challenges.send(ADA, BEN, terms_of("connect-four", first=First.ME), HERE)
    match = (await table.services.challenges.accept(challenge.id, BEN))[1]
    for column in columns:
        person = ADA if match.seat_to_move.user_id == ADA.user_id else BEN
        match = await table.services.playing.play(match.id, person, int(column) - 1)
    return match


async def casual_after(table: Sitting, columns: str) -> Match:
    """Ada's casual match against Pip, who is to move after these moves and may have an answer."""
    first = First.ME if len(columns) % 2 == 1 else First.OPPONENT
    table.search.hold({"random"})
    match = await table.services.starting.start(
        ADA, terms_of("connect-four", first=first, rated=False), "pip", HERE
    )
    for column in columns:
        move = int(column) - 1
        if match.seat_to_move.is_agent:
            match = await table.changes.of_match(match.id, partial(answered_by_agent, move))
        else:
            match = await table.services.playing.play(match.id, ADA, move)
    table.search.release()
    return await settled(table, match)


@pytest.mark.parametrize(
    ("position", "waits"),
    [
        ("44325", True),
        ("443251", True),
        ("4432", True),
        ("44563", True),
        ("32445", True),
        ("443", False),
        ("4432517", False),
        ("44326", False),
    ],
    ids=["itself", "a move later", "a move earlier", "mirrored", "by other moves", "two earlier", "two later",
         "another one"],
)  # fmt: skip
async def test_an_agent_answers_no_position_within_a_move_of_a_rated_match(
    table: Sitting, position: str, waits: bool
) -> None:
    rated = await people(table, "44325")
    casual = await casual_after(table, position)
    assert casual.waits_for == (rated.id if waits else None)
    assert len(casual.moves) == len(position) + (not waits)


async def test_the_answer_comes_once_the_rated_match_has_moved_on(table: Sitting) -> None:
    rated = await people(table, "44325")
    casual = await casual_after(table, "44325")
    told = status.status(all_texts().of("en-US"), table.screen.shown[casual.id][-1])
    assert "**Pip** waits for rated match #1, in which an answer here could help." in told
    waiting = casual.version
    for _ in range(3):
        casual = await settled(table, casual)
    assert casual.version == waiting, "nothing is stored while it waits"
    await table.services.playing.play(rated.id, BEN, 0)
    casual = await settled(table, casual)
    assert casual.waits_for == rated.id, "the rated match is a move ahead"
    await table.services.playing.play(rated.id, ADA, 0)
    casual = await settled(table, casual)
    assert (casual.waits_for, len(casual.moves)) == (None, 6)
    assert table.screen.shown[casual.id][-1] == casual


async def test_the_end_of_the_rated_match_lets_the_agent_answer(table: Sitting) -> None:
    rated = await people(table, "44325")
    casual = await casual_after(table, "44325")
    await table.services.playing.resign(rated.id, BEN)
    assert len((await settled(table, casual)).moves) == 6


async def test_another_persons_casual_match_does_not_wait(table: Sitting) -> None:
    await people(table, "44325")
    match = await table.services.starting.start(
        BEN, terms_of("connect-four", first=First.OPPONENT, rated=False), "pip", HERE, position="44326"
    )
    table.services.agents.wake(match)
    assert len((await settled(table, match)).moves) == 6


async def test_explanations_are_refused_one_move_before_the_position_too(table: Sitting) -> None:
    await people(table, "44325")
    before = state_of("connect-four", "6x7x4", (3, 3, 2, 1))
    with pytest.raises(MatchError, match="position_in_play"):
        await table.services.allowed_help.check_fair(ADA, "connect-four", "6x7x4", [before])


async def test_two_older_rated_matches_at_one_position_never_wait_for_each_other(table: Sitting) -> None:
    async def begin() -> Match:
        table.search.hold({"random"})
        begun = await paired(table, ADA.seat, Seat("Pip", level="pip"))
        await count_as_old(table)
        return begun

    matches = [await begin(), await begin()]
    for ply, column in enumerate("44325"):
        for index, match in enumerate(matches):
            move = int(column) - 1
            if ply % 2:
                matches[index] = await table.changes.of_match(match.id, partial(answered_by_agent, move))
            else:
                matches[index] = await table.services.playing.play(match.id, ADA, move)
    table.search.release()
    after = [await settled(table, match) for match in matches]
    for _ in range(2):
        after = [await settled(table, match) for match in after]
    assert any(len(match.moves) == 6 for match in after)
    for match in after:
        assert match.waits_for is None or not next(o for o in after if o.id == match.waits_for).awaits_agent


async def test_a_rated_match_cannot_be_kept_waiting_into_no_result(table: Sitting) -> None:
    rated = await against(table, "pip", First.ME, rated=True, clock_seconds=NO_CLOCK)
    for _ in range(2):
        rated = await moved(table, rated, rated.state.legal_moves()[0])
    rated = await table.services.playing.play(rated.id, ADA, rated.state.legal_moves()[0])
    held = rated.wait_for(99, table.clock(), turn=rated.turn)
    week = held.turn_started_at + ABANDONED_AFTER + MAX_PRESS_DELAY
    over = held.expire(week)
    assert over is not None
    assert over.result == Result(Player.SECOND, End.TIME)
    assert held.expire(week - timedelta(seconds=1)) is None


def state_of(game: str, board: str, moves: tuple[Move, ...]) -> State:
    return replay(game_of(game).start(board), moves)


def test_positions_of_gomoku_are_near_in_all_eight_images() -> None:
    state = state_of("gomoku", "15x15", (112, 113, 97, 98))
    turned = state_of("gomoku", "15x15", (112, 127, 113, 128))
    assert canonical(state) == canonical(turned)
    assert can_help_at(state, [turned])
    assert can_help_at(state, [turned.play(0)])
    assert can_help_at(state.play(0), [turned])
    assert not can_help_at(state, [turned.play(0).play(1)])
    assert not can_help_at(state, [])
