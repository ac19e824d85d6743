"""What databases of 0.3.0 hold can be read, shown and played on after every migration."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa

from bot.domain.course import CourseKind
from bot.domain.location import Web
from bot.domain.match import Match, Pace
from bot.domain.person import Person
from bot.domain.puzzle import Status
from bot.domain.result import End
from bot.domain.terms import Fair
from bot.domain.tournament.model import Stage, System
from bot.presentation.web_match import Reader, match_document, replay_document
from bot.services.achievements import Achievements
from bot.services.courses import Courses
from bot.services.puzzles import Puzzles
from bot.services.reviews import Reviews
from bot.store.challenges import find_challenges
from bot.store.courses import COURSE, courses
from bot.store.damage import Damage
from bot.store.match_rows import find_matches
from bot.store.puzzles import ATTEMPT, attempts
from bot.store.ratings import records
from bot.store.recount import Recounter
from bot.store.tournaments import find_tournaments
from bot.ui.match.views import board_view
from engine.agents.roster import Roster
from engine.core import states_of
from engine.games import GAMES, game, spec_of
from tests.bot.made_once import all_texts
from tests.bot.sittings import Sitting, sitting
from tests.bot.store.sample import FOLDER as DATA
from tests.bot.store.sample import load

pytestmark = pytest.mark.postgres

T = all_texts().of("en-US")


@pytest.fixture
async def frozen(tmp_path: Path) -> AsyncIterator[Sitting]:
    """A start of today's code on the data of 0.3.0."""
    load(tmp_path / "discade.db")
    async with sitting(tmp_path / "discade.db") as table:
        yield table


async def all_matches(table: Sitting) -> list[Match]:
    damage = Damage("match")
    async with table.stores.database.reading() as connection:
        found = await find_matches(connection, damage)
    assert damage.lines == []
    return found


def names_of(match: Match) -> list[str]:
    """The names of the moves."""
    states = states_of(game(match.game).start(match.board), match.moves)
    return [game(match.game).move_name(*made) for made in zip(states, match.moves, strict=False)]


async def test_the_data_hold_matches_of_every_kind(frozen: Sitting) -> None:
    found = await all_matches(frozen)
    running = [match for match in found if not match.is_over]
    over = [match for match in found if match.is_over]
    for some in (running, over):
        assert len({match.game for match in some}) == 9
        for is_so in ("is_watched", "has_agent", "rated", "is_coached"):
            assert {getattr(match, is_so) for match in some} == {True, False}, is_so
        assert {match.fair for match in some} == set(Fair)
        assert any(match.clock_seconds and match.clock_seconds < 0 for match in some)
        words = [name for match in some if match.game in ("gomoku", "hex") for name in names_of(match)]
        assert {"swap", "two"} <= set(words)
    # Moderators could not end a match yet, and no channel voted.
    assert {match.result.end for match in over if match.result} == set(End) - {End.MODERATED, End.UNVOTED}
    assert {match.is_swapped for match in running} == {match.can_swap for match in running} == {True, False}
    assert {match.pace for match in running} == set(Pace)
    assert any(names_of(match) == ["h8", "h9", "i9", "two", "a1", "b1"] for match in running)
    for is_so in ("draw_offer", "undo_request", "warned_turn", "waits_for", "stands_since"):
        assert any(getattr(match, is_so) is not None for match in running), is_so
    assert any(isinstance(match.location, Web) for match in running)
    assert any(forfeits.count for match in running for forfeits in match.forfeits)
    assert any(match.opening > 2 for match in running)
    assert any(match.turn > len(match.timed_moves) for match in running), "moves were taken back"


@pytest.mark.slow
async def test_a_match_by_the_old_swap2_has_the_position_of_then(frozen: Sitting) -> None:
    """The file has what 0.3.0 read in the data: number, board, side to move, and a hash of the owners."""
    found = []
    for match in await all_matches(frozen):
        if spec_of(match.game).is_old(match.board):
            owners = "".join("." if owner is None else "xo"[owner] for owner in match.state.cells())
            digest = hashlib.sha256(owners.encode()).hexdigest()[:12]
            board = spec_of(match.game).board_now(match.board)
            found.append((match.id, f"{match.id} {board} {int(match.to_move)} {digest}"))
    assert [line for _, line in sorted(found)] == (DATA / "swap2_0300.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.slow)])
async def test_every_stored_match_can_be_shown_and_goes_on(frozen: Sitting, step: int) -> None:
    for match in (await all_matches(frozen))[::step]:
        states = states_of(game(match.game).start(match.board), match.moves)
        assert states[-1] == match.state
        assert board_view(match, T, Roster()).children
        assert match_document(T, match, "key", Reader(None), match.touched_at, Roster())["moves"] is not None
        if match.is_over:
            assert len(replay_document(match)["positions"]) == len(states)
            continue
        (move, *_), now, seat = match.state.legal_moves(), match.turn_started_at, match.seat_to_move
        if seat.user_id is not None:
            after = match.play(seat.user_id, move, now)
        else:
            after = match.play_agent(move, now, turn=match.turn, seconds=0.1)
        assert (await frozen.stores.matches.save(match, after)).moves == (*match.moves, move)


@pytest.mark.slow
async def test_the_ratings_are_those_of_then(tmp_path: Path) -> None:
    columns = [column for column in records.c if column.name != "standing"]
    found = []
    load(tmp_path / "discade.db")
    for _ in range(2):
        async with sitting(tmp_path / "discade.db") as table:
            assert (await Recounter(table.stores.database).check()).differences == ()
            async with table.stores.database.reading() as connection:
                rows = await connection.execute(sa.select(*columns).order_by(*records.primary_key))
                found.append([tuple(row) for row in rows])
            await Recounter(table.stores.database).repair()
    assert found[0] == found[1] != []


async def test_tournaments_and_invitations_are_read(frozen: Sitting) -> None:
    damage = Damage("row")
    async with frozen.stores.database.reading() as connection:
        tournaments = await find_tournaments(connection, damage)
        invitations = await find_challenges(connection, damage)
    assert damage.lines == []
    assert {(one.system, one.stage) for one in tournaments} >= {
        (system, stage) for system in System for stage in Stage if stage is not Stage.OPEN
    }
    assert any(one.is_of_agents for one in tournaments)
    assert any(one.stage is Stage.OPEN for one in tournaments)
    assert len({one.status for one in invitations}) >= 3
    assert any(one.opponent is None for one in invitations)


@pytest.mark.slow
async def test_puzzles_and_courses_go_on(frozen: Sitting) -> None:
    async with frozen.stores.database.reading() as connection:
        tries = [ATTEMPT.read(row) for row in (await connection.execute(sa.select(attempts))).all()]
        runs = [COURSE.read(row) for row in (await connection.execute(sa.select(courses))).all()]
    taught = {key for key in GAMES if spec_of(key).teach.puzzle_depths}
    assert {one.status for one in tries} == set(Status)
    assert {one.task.game for one in tries} == taught
    for one in tries:
        assert one.state.legal_moves() or one.is_over
    frozen.clock.now = min(run.started_at for run in runs) + timedelta(seconds=30)
    service = Courses(frozen.stores, clock=frozen.clock, rng=Random(1))
    assert {(run.kind, run.is_over) for run in runs} == {
        (kind, end) for kind in CourseKind for end in (True, False)
    }
    for run in runs:
        assert await service.missed(run) is not None
        if not run.is_over:
            best = (await service.puzzle(run)).best
            answered = await service.answer(run.id, Person(run.user_id, "Ada"), run.number, best)
            assert answered is not None
            assert answered.is_right
    puzzles = Puzzles(frozen.stores, Reviews(frozen.search), clock=frozen.clock, rng=Random(1))
    waiting: Any = next(one for one in tries if not one.is_over)
    assert (await puzzles.attempt(waiting.id)).state == waiting.state


@pytest.mark.slow
async def test_reviews_that_are_due_are_made(frozen: Sitting) -> None:
    first = await frozen.stores.achievements.due_review()
    assert first is not None
    assert await Achievements(
        frozen.stores, Reviews(frozen.search), clock=frozen.clock, review_seconds=0.0
    ).run_once()
    assert await frozen.stores.achievements.due_review() not in (None, first)
