"""The coach's verdicts are those of independent solvers, and an answer that it holds stays held."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from bot.domain.errors import MatchError
from bot.domain.match import CoachChoice, Held, Match
from bot.domain.seat import Seat
from bot.domain.strengths import REACH, reach
from bot.domain.terms import First
from bot.presentation.advice import better_words
from bot.services import coaching
from bot.services.coaching import TurnJudge
from engine.agents.levels import levels_of
from engine.core import State
from engine.games import GAMES
from engine.games.connect_four import ConnectFourState
from engine.score import Score, final_score
from tests.bot.made_once import all_texts, database_url
from tests.bot.patient_proofs import prove_patiently
from tests.bot.sittings import ADA, BEN, HERE, Sitting, sitting, terms_of
from tests.contracts.oracles import connect_four, tic_tac_toe
from tests.engine.games.connect_four.plain_connect_four import PlainSolver
from tests.working import MAX_TEST_WAIT_SECONDS

pytestmark = pytest.mark.postgres


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    prove_patiently(monkeypatch)


LOST = "a1b1a2b2"
"""Then a3 wins at once, and c1 lets b3 win at once."""

PLAIN_FROM_PLY = 16
"""Before that the plain solver of Connect Four takes many seconds."""


def of_tic_tac_toe(_state: State, names: Sequence[str]) -> Score | None:
    return tic_tac_toe.truth("", names)


def of_connect_four() -> Truth:
    solver = PlainSolver()

    def truth(state: State, _names: Sequence[str]) -> Score | None:
        assert isinstance(state, ConnectFourState)
        if state.outcome() is not None:
            return final_score(state)
        if state.ply < PLAIN_FROM_PLY:
            return None
        return connect_four.score_of_stones(solver.score(state.own, state.mask), 42 - state.ply)

    return truth


Truth = Callable[[State, Sequence[str]], Score | None]
TRUTHS: dict[str, tuple[str, Callable[[], Truth]]] = {
    "tic-tac-toe": ("tia", lambda: of_tic_tac_toe),
    "connect-four": ("una", of_connect_four),
}
"""By game: its strongest level, against which the coach sees any win, and an independent solver."""


def played(game: str, level: str, moves: Sequence[int], table: Sitting) -> Match:
    """A coached match in which Ada made the last of these moves, before which the others were given."""
    state = GAMES[game].start(GAMES[game].boards[0])
    for move in moves[:-1]:
        state = state.play(move)
    seats = [Seat(ADA.name, ADA.user_id), Seat(level.title(), level=level)]
    match = Match.begin(
        game, GAMES[game].boards[0], (seats[state.to_move], seats[state.to_move.other]), HERE, table.clock(),
        rated=False, is_coached=True, opening=moves[:-1],
    )  # fmt: skip
    return match.play(ADA.user_id, moves[-1], table.clock())


def random_moves(game: str, rng: Random) -> list[int]:
    """Random moves until the game is over."""
    state, moves = GAMES[game].start(GAMES[game].boards[0]), list[int]()
    while state.outcome() is None:
        moves.append(rng.choice(state.legal_moves()))
        state = state.play(moves[-1])
    return moves


def names_of(game: str, moves: Sequence[int]) -> tuple[list[str], State]:
    state, names = GAMES[game].start(GAMES[game].boards[0]), list[str]()
    for move in moves:
        names.append(GAMES[game].move_name(state, move))
        state = state.play(move)
    return names, state


def check(match: Match, held: Held | None, before: Score, after: Score, kept: Score | None) -> bool:
    """Compare the verdict with the true scores for the person; return whether something was lost."""
    assert before.result is not None
    assert after.result is not None
    if after.result >= before.result:
        assert held is None, "nothing was lost"
        return False
    assert held is not None
    assert (held.was, held.now) == (before.result, after.result)
    assert (held.threat is None) == (after.result == 0)
    assert held.threat is None or held.threat in match.state.legal_moves()
    if before.plies is not None:
        assert held.won_in == before.moves
    if after.plies is not None:
        assert held.lost_in == after.moves
    assert kept is not None
    assert kept.result == before.result, "the better move keeps the result"
    assert held.is_stopped
    return True


@pytest.mark.parametrize(("game", "games"), [("tic-tac-toe", 12), ("connect-four", 12)])
async def test_verdicts_are_those_of_an_independent_solver(tmp_path: Path, game: str, games: int) -> None:
    (level, make), rng, lost, seen = TRUTHS[game], Random(5), 0, 0
    truth = make()
    async with sitting(tmp_path / "discade.db") as table:
        judge = TurnJudge(table.services.reviews, table.services.allowed_help)
        for _ in range(games):
            moves = random_moves(game, rng)
            for ply in range(len(moves) - 1):
                match = played(game, level, moves[: ply + 1], table)
                names, after = names_of(game, moves[: ply + 1])
                was, now = truth(match.states[ply], names[:-1]), truth(after, names)
                if was is None or now is None or match.coached_ply is None:
                    continue
                held, kept = await judge.judge(match), None
                if held is not None:
                    better, state = names_of(game, (*moves[:ply], held.better))
                    found = truth(state, better)
                    kept = None if found is None else -found
                seen += 1
                lost += check(match, held, was, -now, kept)
    assert lost >= 3, f"{lost} of {seen}"


async def test_the_coach_sees_as_far_as_the_opponent(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        judge = TurnJudge(table.services.reviews, table.services.allowed_help)
        rng, told = Random(2), 0
        for _ in range(4):
            moves = random_moves("connect-four", rng)
            for ply in range(14, len(moves) - 1):
                strong = await judge.judge(played("connect-four", "una", moves[: ply + 1], table))
                weak = await judge.judge(played("connect-four", "bo", moves[: ply + 1], table))
                if weak is not None:
                    told += 1
                    assert weak.threat is None or (weak.lost_in or 99) <= 2
                    assert weak.threat is not None or (weak.won_in or 99) <= 2
                elif strong is not None and strong.threat is not None:
                    assert (strong.lost_in or 99) > 2
        assert told


async def test_a_proof_beyond_the_opponents_reach_does_not_silence_the_coach(tmp_path: Path) -> None:
    # The first move loses with best play; Mia does not see that, but she sees the column of three.
    moves = [0, 3, 4, 3, 2, 3, 0]
    async with sitting(tmp_path / "discade.db") as table:
        judge = TurnJudge(table.services.reviews, table.services.allowed_help)
        held = await judge.judge(played("connect-four", "mia", moves, table))
        assert held is not None
        assert (held.threat, held.better, held.lost_in, held.is_stopped) == (3, 3, 1, True)
        assert await judge.judge(played("connect-four", "mia", [*moves[:-1], 3], table)) is None
        assert await judge.judge(played("connect-four", "una", moves, table)) is None


async def test_a_better_move_that_loses_beyond_the_opponents_reach_is_told_as_advice(tmp_path: Path) -> None:
    # All is lost with best play: the last move in 2 more moves, columns 2 and 5 in 7, and Mia sees 3.
    moves = [int(column) - 1 for column in "737377747"]
    async with sitting(tmp_path / "discade.db") as table:
        judge = TurnJudge(table.services.reviews, table.services.allowed_help)
        match = played("connect-four", "mia", moves, table)
        held = await judge.judge(match)
        assert held is not None
        assert held.better in (1, 4)
        assert (held.threat, held.lost_in, held.is_stopped) == (4, 2, False)
        # It only puts off the loss, so the coach does not say that it stops it.
        said = better_words(all_texts().of("en"), match, held)
        assert said == f"I would play **column {held.better + 1}**."
        for column in (1, 4):
            assert await judge.judge(played("connect-four", "mia", [*moves[:-1], column], table)) is None
        assert await judge.judge(played("connect-four", "una", moves, table)) is None


@pytest.mark.parametrize("game", GAMES)
def test_a_stronger_level_is_seen_through_no_less_far(game: str) -> None:
    board = GAMES[game].boards[0]
    found = [reach(game, board, level.key) for level in levels_of(game, board)]
    far = [99 if one is None else one for one in found]
    assert far == sorted(far)
    assert set(found) == set(REACH.values())
    assert reach(game, board, "echo:100") == 2
    assert reach(game, board, "no-such-level") is None


async def test_in_gomoku_a_four_that_is_left_open_is_held_and_the_end_of_it_stops_it(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        judge = TurnJudge(table.services.reviews, table.services.allowed_help)
        rules = GAMES["gomoku"]
        state, moves = rules.start(rules.boards[0]), list[int]()
        # White has four in a row, one end is closed by h7: Black must play m7.
        for name in ("h7", "i7", "h8", "j7", "h6", "k7", "g6", "l7", "o1"):
            moves.append(next(one for one in state.legal_moves() if rules.move_name(state, one) == name))
            state = state.play(moves[-1])
        held = await judge.judge(played("gomoku", "kaede", moves, table))
    assert held is not None
    assert held.lost_in == 1
    assert held.threat is not None
    assert rules.move_name(state, held.threat) == "m7"
    assert (held.better, held.is_stopped) == (held.threat, True)


# Held


async def held_match(table: Sitting) -> Match:
    """A match in which Ada's move lets Pip win at once."""
    match = await table.services.starting.start(
        ADA, terms_of("tic-tac-toe", first=First.ME), "pip", HERE, is_coached=True, position=LOST
    )
    c1 = next(m for m in match.state.legal_moves() if GAMES["tic-tac-toe"].move_name(match.state, m) == "c1")
    await table.services.playing.play(match.id, ADA, c1, turn=match.turn)
    await table.services.background.drain()
    held = await table.services.matches.match(match.id)
    assert held.is_held
    return held


async def test_of_two_choices_at_once_exactly_one_counts(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        for first, second in ((CoachChoice.BACK, CoachChoice.ON), (CoachChoice.ON, CoachChoice.INSTEAD)):
            match, playing = await held_match(table), table.services.playing
            found = await asyncio.gather(
                *(playing.answer_coach(match.id, ADA, one, turn=match.turn) for one in (first, second)),
                return_exceptions=True,
            )
            assert sorted(isinstance(one, MatchError) for one in found) == [False, True]
            await playing.resign(match.id, ADA)


async def test_only_the_person_of_the_match_chooses(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await held_match(table)
        with pytest.raises(MatchError, match="not_your_match"):
            await table.services.playing.answer_coach(match.id, BEN, CoachChoice.ON)
        with pytest.raises(MatchError, match="not_your_match"):
            await table.services.playing.held(match.id, BEN)


async def test_the_better_move_is_not_told_while_a_rated_match_bars_help(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await held_match(table)
        await table.services.starting.start(ADA, terms_of("tic-tac-toe", first=First.ME), "pip", HERE)
        for asked in (
            table.services.playing.held(match.id, ADA),
            table.services.playing.answer_coach(match.id, ADA, CoachChoice.INSTEAD),
        ):
            with pytest.raises(MatchError):
                await asked
        assert (await table.services.matches.match(match.id)).is_held


async def test_the_clock_stands_while_an_answer_is_held(tmp_path: Path) -> None:
    async with sitting(tmp_path / "discade.db") as table:
        match = await table.services.starting.start(
            ADA, terms_of("tic-tac-toe", first=First.ME, rated=False, clock_seconds=3600),
            "pip", HERE, is_coached=True, position=LOST,
        )  # fmt: skip
        await table.services.playing.play(match.id, ADA, max(match.state.legal_moves()), turn=match.turn)
        await table.services.background.drain()
        held = await table.services.matches.match(match.id)
        assert held.is_held
        assert held.deadline is None
        table.clock.advance(hours=5)
        back = await table.services.playing.answer_coach(match.id, ADA, CoachChoice.BACK)
        assert back.deadline is not None
        assert (back.deadline - table.clock()).total_seconds() == 3600


async def hold_and_wait(file: Path) -> None:
    """Hold an answer in a process of its own, tell it, and wait to be killed."""
    coaching.SEARCH_SECONDS = MAX_TEST_WAIT_SECONDS
    async with sitting(file) as table:
        match = await held_match(table)
        print(match.id, flush=True)  # noqa: T201
        await asyncio.sleep(600)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
async def test_an_answer_stays_held_when_its_process_is_killed(tmp_path: Path) -> None:
    database_url(file := tmp_path / "discade.db")  # of this process: another would end its own with itself
    code = (
        "import asyncio, pathlib\nfrom tests.bot.services.test_coaching import hold_and_wait\n"
        f"asyncio.run(hold_and_wait(pathlib.Path({str(file)!r})))"
    )
    root = Path(__file__).parents[3]
    process = subprocess.Popen([sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process.stdout as stdout:
        number = int(stdout.readline())
        process.send_signal(signal.SIGKILL)
    process.wait()
    async with sitting(file) as table:
        before = await table.services.matches.match(number)
        assert await table.services.clocks.resume() == 0, "no agent is to answer"
        table.clock.advance(hours=1)
        await table.services.clocks.tick()
        await table.services.background.drain()
        after = await table.services.matches.match(number)
        assert (after.is_held, after.held, len(after.moves)) == (True, before.held, 5)
        await table.services.playing.answer_coach(number, ADA, CoachChoice.ON, turn=after.turn)
        await table.services.background.drain()
        assert len((await table.services.matches.match(number)).moves) == 6
