"""Matches against other people's programs: positions as they write them, disputes and crashes."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.checkerboard import answer
from bench.programs import CHECKERBOARD, CMANCALA, PROGRAMS, Played, Running, play, row
from engine.agents.levels import Level, levels_of
from engine.core import History, Player
from engine.games import spec_of
from engine.games.draughts import Draughts
from engine.games.kalah import Kalah, KalahState

PLAIN = Path(__file__).parents[1] / "data" / "engines" / "plain.py"
START = "b bbbbbbbbbbbb........wwwwwwwwwwww"
AFTER_11_15 = "w bbbbbbbbbb.b..b.....wwwwwwwwwwww"
CODES = ("008080808080800080808080809", "0080808080808020a0a0a000809", "008080a0a0a0a04000a0a000808")
"""CMancala's codes of the start with four seeds, and of the positions after its moves 3 and 6."""


@pytest.fixture
def pip() -> Level:
    return next(level for level in levels_of("kalah") if level.key == "pip")


def script(tmp_path: Path, last: str) -> str:
    """Return the command of a program that answers the first `encode` with the code `last`, "" to end."""
    path = tmp_path / "program.py"
    path.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    print('(G) <<', line, end='')\n"
        f"    if line == 'encode\\n' and not {last!r}:\n"
        "        sys.exit(3)\n"
        "    if line == 'encode\\n':\n"
        f"        print('(G) >> Code \"{last}\"', flush=True)\n",
        "utf-8",
    )
    return shlex.join([sys.executable, str(path)])


def played(tmp_path: Path, level: Level, last: str) -> Played:
    """Return the game whose program, FIRST, has pits a and f with a seed each, and ours only g."""
    start = KalahState((1, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0), (20, 23), ply=20)
    with Running(PROGRAMS["cmancala"], script(tmp_path, last), "0.1", "6x4") as running:
        return play(level, History("kalah", "6x4", start), Player.SECOND, running, 1)


def test_positions_of_kalah_have_the_codes_that_cmancala_gives_them() -> None:
    states = [Kalah().start()]
    for move in (2, 5):
        states.append(states[-1].play(move))
    assert tuple(CMANCALA.position(state) for state in states) == CODES


def test_positions_of_draughts_are_told_square_by_square() -> None:
    start = Draughts().start()
    after = start.play(Draughts().parse_move(start, "11-15"))
    assert [CHECKERBOARD.position(state) for state in (start, after)] == [START, AFTER_11_15]


def test_an_engine_for_checkerboard_sees_our_squares_at_its_coordinates() -> None:
    seen: list[Any] = []

    def getmove(board: Any, colour: int, seconds: float, *rest: Any) -> int:
        squares = board._obj
        seen.extend((squares[6][0], squares[0][2], squares[7][7], colour, seconds, rest[2]))
        squares[2][2], squares[3][3] = 0, 6  # 11 and 15 in the coordinates of its documentation
        return 3

    assert answer(getmove, f"0.1 {START}", is_first=True) == f"= {AFTER_11_15}"
    assert seen == [6, 6, 5, 2, 0.1, 1]


def test_a_programs_move_is_the_one_that_leads_to_its_position(tmp_path: Path, pip: Level) -> None:
    after = KalahState((0, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0), (1, 0), Player.SECOND)
    game = played(tmp_path, pip, CMANCALA.position(after))
    # a, then g, which is forced; the program's last seed is forced as well and ends the game.
    assert game.moves == (0, 6, 5)
    assert (game.points, game.why, game.chosen) == (1.0, "", (0, 1))


def test_a_position_that_no_move_leads_to_is_a_dispute_and_no_result(tmp_path: Path, pip: Level) -> None:
    """As CMancala is: its last seed in an own empty pit stays there if the pit opposite is empty."""
    kept = KalahState((0, 1, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0), (0, 0), Player.SECOND)
    game = played(tmp_path, pip, CMANCALA.position(kept))
    assert game.points is None
    assert game.why.startswith("Dispute: after ")
    assert row(pip, "cmancala", [(game,)]).endswith("| 0 | – | 0 | 1 |")


def test_a_program_that_ends_is_counted_apart(tmp_path: Path, pip: Level) -> None:
    game = played(tmp_path, pip, "")
    assert game.why.startswith("ProgramFailed: ProcessEnded exit code 3")
    won = Played(1.0, "", (0.0, 0.0), (1, 1), ())
    assert row(pip, "cmancala", [(won, game)]).endswith("| 1 | 1.000 ± inf | 1 | 0 |")


def with_plain(name: str, protocol: str, *fault: str) -> Played:
    """Return a game of the weakest level against a plain engine in the place of that program."""
    program = PROGRAMS[name]
    if protocol == "htp":
        program = replace(program, option="boardsize 11")  # the plain one has no settings
    rules = spec_of(program.spoken.game).rules
    before = History(rules.key, rules.boards[0], rules.start())
    command = shlex.join([sys.executable, str(PLAIN), protocol, *fault])
    with Running(program, command, "1", before.board) as running:
        return play(levels_of(rules.key)[0], before, Player.SECOND, running, 1)


@pytest.mark.parametrize(("name", "protocol"), [("mohex", "htp"), ("rapfi", "gomocup"), ("ntest", "nboard")])
def test_a_program_of_a_known_protocol_plays_to_the_end(name: str, protocol: str) -> None:
    game = with_plain(name, protocol)
    assert game.why == ""
    assert game.points is not None
    assert min(game.chosen) > 0


def test_a_program_that_resigns_has_lost() -> None:
    game = with_plain("mohex", "htp", "resigns")
    assert (game.why, game.points) == ("", 1.0)
