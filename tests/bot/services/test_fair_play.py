"""One rated match against a bot at a time in a game; while it runs, no bot helps its person in the game."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.domain.errors import HelpBarred
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.result import End, Result
from bot.domain.terms import First
from bot.domain.tournament.model import System
from bot.services.agent_search import AgentMove
from bot.services.checked_terms import BOT_CLOCK
from bot.services.tournaments import TournamentOptions
from engine.core import Limit, Player
from engine.games import game as game_of
from engine.games.notation import parse_moves
from tests.bot.cluster import is_wanted
from tests.bot.services.tournaments.evenings import CHANNEL, HOST, ORGANISER, evening
from tests.bot.sittings import (
    ADA,
    BEN,
    EVE,
    HERE,
    Clock,
    Sitting,
    both_move_twice,
    count_as_old,
    sitting,
    terms_of,
)

ELSEWHERE = replace(HERE, channel_id=11)


async def begun(
    table: Sitting,
    game: str = "connect-four",
    board: str | None = None,
    *,
    person: Person = ADA,
    level: str = "pip",
    rated: bool = False,
    position: str | None = None,
) -> Match:
    """A match that the person begins against a bot."""
    terms = terms_of(game, board, first=First.ME, rated=rated)
    return await table.services.starting.start(person, terms, level, HERE, position=position)


async def answered(table: Sitting, match: Match) -> Match:
    """The match after the agent's answer, if it may give one."""
    await table.services.background.drain()
    await table.services.clocks.tick()
    await table.services.background.drain()
    return await table.services.matches.match(match.id)


async def played(table: Sitting, match: Match, text: str) -> Match:
    """The match after the person's move there, and the agent's answer, if it may give one."""
    (move,) = parse_moves(game_of(match.game), match.board, text)
    await table.services.playing.play(match.id, ADA, move)
    return await answered(table, match)


async def own_matches(table: Sitting, *, but: int) -> list[Match]:
    """Ada's running matches without that one."""
    return [match for match in await table.stores.matches.running(ADA.user_id) if match.id != but]


# The attacks


@pytest.mark.parametrize(
    ("board", "rated_moves", "copied"),
    [
        ("15x15", ("h8", "h9", "g8"), ("g8", "g9", "f8")),
        ("13x13", ("h8", "h9", "g8"), ("g7", "g8", "f7")),
    ],
    ids=["shifted by one square", "on a smaller board"],
)
async def test_a_casual_bot_does_not_answer_for_the_rated_one_in_gomoku(
    table: Sitting, board: str, rated_moves: tuple[str, ...], copied: tuple[str, ...]
) -> None:
    """9 of 10 rated matches were won so."""
    casual = await begun(table, "gomoku", board, level="momo")
    rated = await begun(table, "gomoku", level="momo", rated=True)
    await table.services.playing.play(rated.id, ADA, parse_moves(game_of("gomoku"), None, rated_moves[0])[0])
    rated = await answered(table, rated)
    assert len(rated.moves) == 2, "the rated match itself goes on"

    casual = await played(table, casual, copied[0])
    assert (casual.waits_for, len(casual.moves)) == (rated.id, 1)
    rated = await table.services.playing.resign(rated.id, ADA)
    assert len((await answered(table, casual)).moves) == 2


@pytest.mark.parametrize("board", ["15x15", "13x13"])
async def test_no_casual_match_of_gomoku_begins_while_a_rated_one_runs(table: Sitting, board: str) -> None:
    rated = await begun(table, "gomoku", level="momo", rated=True)
    with pytest.raises(HelpBarred) as refused:
        await begun(table, "gomoku", board, level="momo")
    assert refused.value.params == {"number": rated.id, "game": "gomoku"}


async def test_no_match_begins_two_plies_ahead_of_a_rated_one_in_connect_four(table: Sitting) -> None:
    """The same discs in another order gave help ahead: a newcomer stood at 2505 after three matches."""
    table.search.hold({"random"})
    rated = await begun(table, rated=True)
    for move in (3, 3, 2, 2):
        if rated.seat_to_move.is_agent:
            rated = await table.changes.of_match(rated.id, AgentMove(rated.turn, move, 0.0).apply)
        else:
            rated = await table.services.playing.play(rated.id, ADA, move)
    with pytest.raises(HelpBarred):
        await begun(table, position="674433")


# Every way to a match against a bot

Way = Callable[[Sitting], Awaitable[Callable[[], Awaitable[object]]]]


async def start(table: Sitting) -> Callable[[], Awaitable[object]]:
    return lambda: begun(table)


async def start_rated(table: Sitting) -> Callable[[], Awaitable[object]]:
    return lambda: begun(table, rated=True)


async def start_from_position(table: Sitting) -> Callable[[], Awaitable[object]]:
    return lambda: begun(table, position="4453")


async def start_echo(table: Sitting) -> Callable[[], Awaitable[object]]:
    return lambda: begun(table, level="echo")


async def start_algorithm(table: Sitting) -> Callable[[], Awaitable[object]]:
    return lambda: begun(table, level="minimax:depth=1")


async def play_from(table: Sitting) -> Callable[[], Awaitable[object]]:
    over = await both_move_twice(table, await begun(table))
    over = await table.services.playing.resign(over.id, ADA)
    return lambda: table.services.starting.play_from(over, 2, ADA, HERE)


async def rematch(table: Sitting) -> Callable[[], Awaitable[object]]:
    over = await table.services.playing.resign((await begun(table)).id, ADA)
    return lambda: table.services.starting.rematch(over.id, ADA, HERE)


async def make_rated(table: Sitting) -> Callable[[], Awaitable[object]]:
    casual = await begun(table)
    return lambda: table.services.playing.make_rated(casual.id, ADA)


async def watch(table: Sitting) -> Callable[[], Awaitable[object]]:
    return lambda: table.services.starting.watch(ADA, "connect-four", "pip", "bo", HERE)


async def watch_again(table: Sitting) -> Callable[[], Awaitable[object]]:
    watched = await table.services.starting.watch(ADA, "connect-four", "pip", "bo", HERE)
    await table.services.playing.stop(watched.id, ADA)
    return lambda: table.services.starting.watch_again(watched.id, ADA, HERE)


WAYS = [
    start, start_rated, start_from_position, start_echo, start_algorithm, play_from, rematch, make_rated,
    watch, watch_again,
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
async def test_no_other_match_against_a_bot_begins_while_a_rated_one_runs(table: Sitting, way: Way) -> None:
    begin = await way(table)
    rated = await begun(table, rated=True)
    assert (rated.rated, rated.bars_help) == (True, True)
    with pytest.raises(HelpBarred):
        await begin()
    await table.services.playing.resign(rated.id, ADA)
    await begin()


async def test_a_match_that_is_made_rated_bars_help_too(table: Sitting) -> None:
    match = await table.services.playing.make_rated((await begun(table)).id, ADA)
    assert match.bars_help
    with pytest.raises(HelpBarred):
        await begun(table)


async def test_of_two_rated_matches_begun_at_once_exactly_one_begins(tmp_path: Path) -> None:
    file, clock = tmp_path / "discade.db", Clock()
    async with (
        sitting(file, clock=clock) as table,
        sitting(file, clock=clock) if is_wanted() else nullcontext(table) as other,
    ):
        casual = await begun(table)
        made = await asyncio.gather(
            begun(table, rated=True),
            begun(other, rated=True),
            table.services.playing.make_rated(casual.id, ADA),
            begun(other, rated=True),
            return_exceptions=True,
        )
        assert sorted(type(one).__name__ for one in made) == ["HelpBarred"] * 3 + ["Match"]


async def test_other_games_people_and_matches_between_people_are_free(table: Sitting) -> None:
    await begun(table, rated=True)
    await begun(table, "othello", rated=True)
    await begun(table, person=EVE, rated=True)
    await table.services.allowed_help.check_game(ADA, "gomoku")
    asked = await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
    assert (await table.services.challenges.accept(asked.id, BEN))[1].rated


# How it ends


async def test_a_rated_match_against_a_bot_that_lies_for_a_day_is_lost_and_bars_help_no_longer(
    table: Sitting,
) -> None:
    match = await both_move_twice(table, await begun(table, rated=True))
    table.clock.advance(seconds=BOT_CLOCK + 3)
    await table.services.clocks.tick()
    over = await table.services.matches.match(match.id)
    assert over.result == Result(Player.SECOND, End.TIME)
    await begun(table)


async def test_a_rated_match_against_a_bot_cannot_be_escaped_by_deleting_its_channel(table: Sitting) -> None:
    """In a server of one's own, only the matches that go well would count."""
    match = await both_move_twice(table, await begun(table, rated=True))
    await table.changes.lose_channel(HERE.channel_id)
    gone = await table.services.matches.match(match.id)
    assert gone.stands_since is not None
    assert (gone.rated, gone.bars_help, gone.deadline) == (True, True, match.deadline)
    with pytest.raises(HelpBarred):
        await begun(table)
    table.clock.advance(seconds=BOT_CLOCK + 3)
    await table.services.clocks.tick()
    over = await table.services.matches.match(match.id)
    assert over.result == Result(Player.SECOND, End.TIME)
    assert over.counts
    await begun(table)


async def test_a_rated_match_against_a_bot_goes_on_in_another_channel_or_on_the_web(table: Sitting) -> None:
    match = await both_move_twice(table, await begun(table, rated=True))
    await table.changes.lose_channel(HERE.channel_id)
    table.clock.advance(hours=2)
    played = await table.services.playing.play(match.id, ADA, match.state.legal_moves()[0])
    assert played.timed_moves[-1].seconds == 7200, "its clock ran"
    answered_there = await answered(table, played)
    table.clock.advance(hours=1)
    shown = await table.changes.attach(match.id, ELSEWHERE)
    assert (shown.rated, shown.bars_help, shown.stands_since) == (True, True, None)
    assert shown.turn_started_at == answered_there.turn_started_at


async def test_a_rated_match_between_people_stays_rated_without_its_channel(table: Sitting) -> None:
    asked = await table.services.challenges.send(ADA, BEN, terms_of("connect-four"), HERE)
    match = (await table.services.challenges.accept(asked.id, BEN))[1]
    await table.changes.lose_channel(HERE.channel_id)
    assert (await table.services.matches.match(match.id)).rated


async def test_a_match_that_ran_before_the_rule_bars_nothing_and_ends_as_before(table: Sitting) -> None:
    old = await begun(table, rated=True)
    await count_as_old(table)
    casual = await begun(table)
    assert len((await played(table, casual, "4")).moves) == 2
    rated = await begun(table, level="bo", rated=True)
    old = await table.services.playing.play(old.id, ADA, 3)
    assert len((await answered(table, old)).moves) == 2, "it waits for no newer one"
    await table.services.playing.resign(rated.id, ADA)
    await table.changes.lose_channel(HERE.channel_id)
    assert (await table.services.matches.match(old.id)).rated


async def test_a_waiting_bot_searches_nothing_while_the_rated_match_goes_on(table: Sitting) -> None:
    casual = await played(table, await begun(table), "4")
    rated = await begun(table, rated=True)
    casual = await played(table, casual, "4")
    assert casual.waits_for == rated.id
    asked: list[int] = []
    choose = table.services.agents._agent_search.choose

    async def counted(match: Match) -> object:
        asked.append(match.id)
        return await choose(match)

    table.services.agents._agent_search.choose = counted  # type: ignore[method-assign, assignment]
    for column in "123":
        table.clock.advance(seconds=2)
        rated = await played(table, rated, column)
    assert asked == [rated.id] * 3
    assert (await table.services.matches.match(casual.id)).waits_for == rated.id


@pytest.mark.parametrize("rated", [False, True])
async def test_other_matches_take_no_time_from_the_bot_in_a_rated_one(table: Sitting, rated: bool) -> None:
    """With 18 others that wait for long searches, its person would meet it with a tenth of its time."""
    may_hurry: list[bool] = []
    search = table.search.search

    async def noted(key: Any, asker: Any, work: Any, limit: Limit, **options: Any) -> Any:
        may_hurry.append(options["hurries"])
        return await search(key, asker, work, replace(limit, seconds=0.01), **options)

    table.search.search = noted  # type: ignore[method-assign]
    match = await begun(table, "othello", level="sage", rated=rated)
    if not match.awaits_agent:
        match = await table.services.playing.play(match.id, ADA, match.state.legal_moves()[0])
    await answered(table, match)
    assert may_hurry == [not rated]


# Tournaments keep what is there


async def test_a_bot_of_a_tournament_does_not_answer_for_a_rated_one_outside(tmp_path: Path) -> None:
    """Anybody may make a tournament of themselves and two bots, casual and on another board."""
    async with evening(tmp_path / "discade.db") as here:
        table = here.table
        options = TournamentOptions("Cup", "gomoku", System.ROUND_ROBIN, board="13x13", rated=False)
        made = await here.tournaments.create(HOST, options, CHANNEL, ORGANISER)
        await here.tournaments.join(made.id, ADA)
        await here.tournaments.set_agents(made.id, ["momo", "taro"], ORGANISER)
        rated = await begun(table, "gomoku", level="momo", rated=True)
        running = await here.begin(made)
        while not (own := await own_matches(table, but=rated.id)):
            running = await here.step(running)
        (helper,) = own

        while rated.awaits_agent:
            rated = await answered(table, rated)
        rated = await played(table, rated, "h8")
        assert (rated.waits_for, rated.awaits_agent) == (helper.id, True)
        helper = await answered(table, await both_move_twice(table, await answered(table, helper)))
        assert not helper.awaits_agent, "the tournament goes on"
        table.clock.advance(seconds=5)
        await table.services.playing.resign(helper.id, ADA)
        assert not (await answered(table, rated)).awaits_agent


async def test_a_tournament_against_bots_bars_nothing_and_its_bots_wait_for_nothing_else(
    tmp_path: Path,
) -> None:
    async with evening(tmp_path / "discade.db") as here:
        options = TournamentOptions("Cup", "connect-four", System.SWISS)
        made = await here.tournaments.create(HOST, options, CHANNEL, ORGANISER)
        await here.tournaments.join(made.id, ADA)
        await here.tournaments.join(made.id, BEN)
        await here.tournaments.set_agents(made.id, ["pip", "bo"], ORGANISER)
        rated = await begun(here.table, rated=True)
        running = await here.begin(made)
        matches = [await here.table.services.matches.match(one.match_id or 0) for one in running.of_round(1)]
        (match,) = (match for match in matches if match.players_of(ADA.user_id))
        assert not match.bars_help
        assert match.has_agent, "the seeding pairs people with bots"
        match = await both_move_twice(here.table, match)
        await here.table.services.playing.resign(rated.id, ADA)
        await begun(here.table)
