"""Matches by a rule that was mended since: read and ended by it on an old board, on which nothing begins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.ext.asyncio import create_async_engine

from bot.domain.challenge import Challenge
from bot.domain.errors import MatchError, Refusal, SetupError
from bot.domain.match import Match
from bot.domain.puzzle import Attempt, PuzzleKind, Status, Task
from bot.domain.seat import Seat
from bot.domain.terms import First
from bot.presentation import names
from bot.services.checked_terms import board_read, checked_board
from bot.services.puzzles import Puzzles
from bot.services.reviews import Reviews
from bot.services.settings import SettingsCache
from bot.services.training import Training
from bot.store.versions import MIGRATIONS
from engine.core import Player, replay
from engine.games import GAMES, spec_of
from engine.games import game as game_of
from engine.games.notation import parse_moves
from tests.bot.made_once import all_texts, database_url
from tests.bot.sittings import ADA, BEN, EVE, HERE, Sitting, sitting, terms_of

USUAL, OLD = "9x9-swap2", "9x9-swap2-old"
OLD_BOARDS = [(key, board) for key in GAMES for board in spec_of(key).play.old_boards]

CHOSEN = "e5d5e6two a1b1"
"""First has three discs of five and is to choose, by the old rule."""


def moves_of(text: str, board: str = OLD) -> tuple[int, ...]:
    return parse_moves(game_of("gomoku"), board, text)


async def stored(
    table: Sitting,
    text: str,
    *seats: Seat,
    board: str = OLD,
    opening: Sequence[int] = (),
    rated: bool = False,
) -> Match:
    """A running match after these moves, between these seats, or Ada and Ben."""
    first, second = seats or (ADA.seat, BEN.seat)
    match = Match.begin(
        "gomoku", board, (first, second), HERE, table.clock(),
        rated=rated, opening=opening, begun_by=ADA.user_id,
    )  # fmt: skip
    for move in moves_of(text, board):
        user_id = match.seat_to_move.user_id
        match = (
            match.play_agent(move, table.clock(), turn=match.turn, seconds=0)
            if user_id is None
            else match.play(user_id, move, table.clock())
        )
    return await table.stores.matches.add(match, most=99)


async def resigned(table: Sitting, match: Match) -> Match:
    return await table.services.playing.resign(match.id, ADA)


@pytest.mark.parametrize(("game", "board"), OLD_BOARDS)
def test_an_old_board_is_read_but_not_offered(game: str, board: str) -> None:
    now = spec_of(game).board_now(board)
    assert now in game_of(game).boards
    assert board not in game_of(game).boards
    assert len(board) <= 16, "as long as the column"
    assert game_of(game).start(board).cells() == game_of(game).start(now).cells()
    assert board_read(game, board) == board
    with pytest.raises(SetupError, match="unknown_board"):
        checked_board(game_of(game), board)


@pytest.mark.parametrize("language", all_texts().languages)
def test_the_title_of_an_old_board_is_in_words(language: str) -> None:
    t = all_texts().of(language)
    assert "-old" not in names.board_title(t, OLD)
    assert names.board_title(t, USUAL) in names.board_title(t, OLD)


async def test_a_running_match_goes_on_by_its_rule_and_its_rematch_by_the_mended_one(table: Sitting) -> None:
    running = await stored(table, CHOSEN)
    played = await table.services.playing.play(running.id, ADA, 50)
    assert played.state.cells().count(Player.FIRST) == 4, (
        "by the old rule three discs choose, and a fourth comes"
    )
    over = await resigned(table, played)
    asked = await table.services.starting.rematch(over.id, ADA, HERE)
    assert isinstance(asked, Challenge)
    _, again = await table.services.challenges.accept(asked.id, BEN)
    assert again.board == USUAL
    assert replay(again.state, moves_of(CHOSEN)).cells().count(Player.FIRST) == 2


async def test_against_an_agent_a_rematch_begins_on_the_usual_board(table: Sitting) -> None:
    over = await resigned(table, await stored(table, "e5d5e6", ADA.seat, Seat("Momo", level="momo")))
    again = await table.services.starting.rematch(over.id, ADA, HERE)
    assert isinstance(again, Match)
    assert again.board == USUAL


async def test_a_rematch_from_a_position_that_arises_no_more_says_why_not(table: Sitting) -> None:
    agent = Seat("Momo", level="momo")
    match = await stored(table, "", ADA.seat, agent, opening=moves_of(CHOSEN))
    over = await resigned(table, match)
    with pytest.raises(SetupError, match="old_rule"):
        await table.services.starting.rematch(over.id, ADA, HERE)


async def test_play_from_here_goes_on_where_both_rules_agree_and_says_why_not_elsewhere(
    table: Sitting,
) -> None:
    over = await resigned(table, await stored(table, CHOSEN))
    begun = await table.services.starting.play_from(over, 3, EVE, HERE)
    assert (begun.board, begun.moves) == (USUAL, over.moves[:3])
    with pytest.raises(SetupError, match="old_rule"):
        await table.services.starting.play_from(over, 4, EVE, HERE)


async def test_a_list_of_moves_is_read_by_the_mended_rule(table: Sitting) -> None:
    begun = await table.services.starting.start(
        EVE, terms_of("gomoku", USUAL, first=First.ME), "momo", HERE, position=CHOSEN
    )
    assert begun.state.cells().count(Player.FIRST) == 2


async def test_agents_are_not_watched_again_by_an_old_rule(table: Sitting) -> None:
    momo, taro = Seat("Momo", level="momo"), Seat("Taro", level="taro")
    match = await stored(table, "e5d5e6", momo, taro)
    await table.services.playing.stop(match.id, ADA)
    assert (await table.services.starting.watch_again(match.id, ADA, HERE)).board == USUAL


async def test_a_rated_match_by_the_old_rule_guards_its_position_on_the_usual_board(table: Sitting) -> None:
    await stored(table, "e5d5e6e4d4e3d3", rated=True)
    states = [replay(game_of("gomoku").start(USUAL), moves_of("e5d5e6e4d4e3d3", USUAL))]
    with pytest.raises(MatchError, match="position_in_play"):
        await table.services.allowed_help.check_fair(ADA, "gomoku", USUAL, states)


def puzzles_of(table: Sitting) -> Puzzles:
    return Puzzles(table.stores, Reviews(table.search), clock=table.clock, rng=Random(3))


async def test_no_new_try_begins_at_a_puzzle_from_an_old_match(table: Sitting) -> None:
    task = Task("match-1-4", "gomoku", OLD, moves_of(CHOSEN), 3, 0)
    asked = Attempt(0, ADA.user_id, None, PuzzleKind.FREE, task, False, table.clock(), status=Status.FAILED)
    kept = await table.stores.puzzles.add_attempt(asked, ADA.name)
    puzzles = puzzles_of(table)
    assert (await puzzles.attempt(kept.id)).state.cells().count(Player.FIRST) == 3
    with pytest.raises(Refusal, match="old_rule"):
        await puzzles.again(kept.id, ADA)


BLUNDERED = "e5e6f5f6g5h5a1g6d5d6a9"
"""Ada makes no five at c5, which alone would have won, and Ben wins at h6."""


async def test_no_blunder_in_an_old_match_is_trained(table: Sitting) -> None:
    match = await stored(table, BLUNDERED)
    won = await table.services.playing.play(match.id, BEN, game_of("gomoku").parse_move(match.state, "h6"))
    assert won.is_over
    settings, clock = SettingsCache(table.stores.preferences, {}, {}), table.clock
    services = table.services
    training = Training(table.stores, services.reviews, services.allowed_help, settings, clock=clock)
    with pytest.raises(Refusal, match="old_rule"):
        await training.keep_match(won, ADA)
    await training.look_through(ADA)
    assert await training.next(ADA) is None


async def taken_back(file: Path, revision: str) -> None:
    """Give the database the tables of that version of the schema."""
    engine, config = create_async_engine(database_url(file)), Config()
    config.set_main_option("script_location", str(MIGRATIONS))

    def downgrade(connection: sa.Connection) -> None:
        config.attributes["connection"] = connection
        command.downgrade(config, revision)

    async with engine.begin() as connection:
        await connection.run_sync(downgrade)
    await engine.dispose()


async def test_the_migration_moves_matches_to_the_old_boards_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "discade.db"
    async with sitting(file) as table:
        running = await stored(table, CHOSEN, board=USUAL)
        over = await resigned(table, await stored(table, "e5d5e6swap", board="15x15-swap2"))
        plain = await stored(table, "e5d5e6", board="9x9")
        asked = await table.services.challenges.send(EVE, None, terms_of("gomoku", USUAL), HERE)
        task = Task("match-1-4", "gomoku", USUAL, moves_of(CHOSEN, USUAL), 3, 0)
        attempt = Attempt(0, ADA.user_id, None, PuzzleKind.FREE, task, False, table.clock())
        kept = await table.stores.puzzles.add_attempt(attempt, ADA.name)
    await taken_back(file, "0301")
    async with sitting(file) as table:
        boards = [(await table.services.matches.match(one.id)).board for one in (running, over, plain)]
        assert boards == [OLD, "15x15-swap2-old", "9x9"]
        match = await table.services.matches.match(running.id)
        assert (match.to_move, match.state.cells().count(Player.FIRST)) == (Player.FIRST, 3)
        assert (await puzzles_of(table).attempt(kept.id)).task.board == OLD
        _, begun = await table.services.challenges.accept(asked.id, ADA)
        assert begun.board == USUAL
