"""Arenas of scripted agents, whose results are known before a game is played."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

import pytest

from engine.agents.levels import levels_of
from engine.arena.elo_table import Duel
from engine.arena.ladder import continued
from engine.arena.matches import Arena, Contender, GameResult, Tally, play_arena, play_game
from engine.core import Choice, EndReason, Limit, Player, SearchInfo, State
from engine.games import game

START = game("tic-tac-toe").start()


@dataclass
class Scripted:
    """An agent that plays the first legal square of its list."""

    squares: Sequence[int]

    def choose(self, state: State, limit: Limit) -> Choice:
        legal = state.legal_moves()
        return Choice(next(square for square in self.squares if square in legal), SearchInfo())


def scripted(name: str, squares: Sequence[int]) -> Contender:
    return Contender(name, lambda _seed: Scripted(squares), Limit())


ROW = scripted("row", (0, 1, 2, 3, 4, 5, 6, 7, 8))
"""Takes the squares in order: 0 1 2 is a row, if nobody is in the way."""

SLOW = scripted("slow", (3, 7, 5, 8, 6, 4, 2, 1, 0))
"""Never has three in a row before ROW has."""

BLOCK = scripted("block", (1, 3, 6, 2, 8, 0, 4, 5, 7))
"""Takes the middle of the first row."""


def played(first: Contender, second: Contender, sides: tuple[int, int] = (0, 1)) -> GameResult:
    """Return a game in which `sides` are the numbers of those two contenders."""
    contenders = [first, second] if sides == (0, 1) else [second, first]
    return play_game(START, (), sides, contenders, seed=0)


def test_the_side_with_three_in_a_row_has_the_point() -> None:
    first_wins = played(ROW, SLOW)
    assert first_wins.moves == (0, 3, 1, 7, 2)
    assert (first_wins.winner, first_wins.reason) == (Player.FIRST, EndReason.LINE)
    assert (first_wins.points(0), first_wins.points(1)) == (1.0, 0.0)

    second_wins = played(SLOW, ROW)
    assert second_wins.moves == (3, 0, 7, 1, 5, 2)
    assert second_wins.winner is Player.SECOND
    assert (second_wins.points(0), second_wins.points(1)) == (0.0, 1.0)
    assert second_wins.chosen == (3, 3)


def test_a_full_board_halves_the_point() -> None:
    # X: 0 2 4 5 7, O: 1 3 6 8: no line of either.
    drawn = played(scripted("x", (0, 2, 4, 5, 7)), scripted("o", (1, 3, 6, 8)))
    assert (drawn.winner, drawn.reason) == (None, EndReason.BOARD_FULL)
    assert (drawn.points(0), drawn.points(1)) == (0.5, 0.5)
    assert drawn.chosen == (5, 4)


@pytest.fixture
def arena() -> Arena:
    """ROW (0) wins with both colours against SLOW (1)."""
    results = (played(ROW, SLOW), played(SLOW, ROW, (1, 0)))
    return Arena("tic-tac-toe", "3x3", 0, ("row", "slow"), results)


def test_tables_ratings_and_the_file_agree_with_the_games(arena: Arena) -> None:
    assert [result.points(0) for result in arena.results] == [1.0, 1.0]
    assert arena.tally(0) == arena.tally(0, 1) == Tally(wins=2)
    assert arena.tally(1) == Tally(losses=2)
    row, slow = arena.ratings()
    assert row.elo > slow.elo

    data = json.loads(json.dumps(arena.as_json()))
    assert [entrant["wins"] for entrant in data["entrants"]] == [2, 0]
    assert [entrant["losses"] for entrant in data["entrants"]] == [0, 2]
    assert [one["winner"] for one in data["games"]] == ["row", "row"]
    assert [(one["first"], one["second"]) for one in data["games"]] == [("row", "slow"), ("slow", "row")]


def test_each_side_answers_for_its_own_forfeits_and_moves() -> None:
    class Forfeiting(Scripted):
        """Plays on, and says of each move that it is a forfeit."""

        def choose(self, state: State, limit: Limit) -> Choice:
            return Choice(super().choose(state, limit).move, SearchInfo(forfeit="asleep"))

    asleep = Contender("asleep", lambda _seed: Forfeiting(SLOW.make(0).squares), Limit())  # type: ignore[attr-defined]
    result = play_game(START, (), (1, 0), [asleep, ROW], seed=0)
    assert result.forfeits == ((), ("asleep", "asleep"))
    arena = Arena("tic-tac-toe", "3x3", 0, ("asleep", "row"), (result, result))
    assert arena.forfeits(0) == ("asleep",) * 4
    assert arena.forfeits(1) == ()
    assert (arena.chosen(0), arena.chosen(1)) == (4, 6)


@pytest.mark.parametrize("side", Player)
def test_the_side_that_resigns_has_lost(side: Player) -> None:
    class Resigning(Scripted):
        def choose(self, state: State, limit: Limit) -> Choice:
            return Choice(super().choose(state, limit).move, SearchInfo(resigns=state.ply > 1))

    resigning = Contender("resigning", lambda _seed: Resigning((3, 7, 5, 8, 6, 4, 2, 1, 0)), Limit())
    result = play_game(START, (), (0, 1) if side is Player.FIRST else (1, 0), [resigning, ROW], seed=0)
    assert (result.winner, result.reason) == (side.other, EndReason.OTHER)
    assert (result.points(0), result.points(1)) == (0.0, 1.0)
    assert len(result.moves) == 2 + side, "the move that comes with it is not made"


def test_a_duel_counts_the_levels_wins_not_those_of_the_level_below() -> None:
    weakest, *_, strongest = levels_of("tic-tac-toe")
    duel = continued("tic-tac-toe", weakest, strongest, None)
    assert duel.wins > duel.games / 2
    assert duel.losses == 0, "the strongest level is perfect"
    assert sum(duel.pairs) == duel.games // 2
    assert duel.pairs[4] > duel.pairs[0] == 0, "pairs of two wins are in the last column"
    mirrored = continued("tic-tac-toe", strongest, weakest, None)
    assert (mirrored.wins, mirrored.losses) == (0, mirrored.games - mirrored.draws)


class Counted(Scripted):
    """Notes its seed when it is made, and counts how often it is closed."""

    def __init__(self, seed: int, made: list[Counted]) -> None:
        super().__init__(range(9))
        self.seed = seed
        self.closed = 0
        made.append(self)

    def close(self) -> None:
        self.closed += 1


def test_every_agent_of_an_arena_has_a_seed_of_its_own_and_is_closed() -> None:
    made: list[Counted] = []
    contenders = [Contender(name, lambda seed: Counted(seed, made), Limit()) for name in ("one", "other")]
    play_arena(game("tic-tac-toe"), None, contenders, games=4)
    assert len(made) == 2 + 2 * 4, "one of each loads before the clocks run"
    assert len({agent.seed for agent in made[2:]}) == 2 * 4
    assert [agent.closed for agent in made] == [1] * len(made)


def test_the_time_of_a_move_is_that_of_the_side_that_thought() -> None:
    class Thinking(Scripted):
        def choose(self, state: State, limit: Limit) -> Choice:
            time.sleep(0.1)
            return super().choose(state, limit)

    thinking = Contender("thinking", lambda _seed: Thinking(range(9)), Limit())
    result = played(SLOW, thinking)
    assert result.seconds[Player.SECOND] >= 0.1 * result.chosen[Player.SECOND]
    assert result.seconds[Player.FIRST] < result.seconds[Player.SECOND]


def test_the_next_step_of_a_duel_goes_on_with_the_next_openings() -> None:
    begun: list[State] = []

    class Noting(Scripted):
        def choose(self, state: State, limit: Limit) -> Choice:
            if state.ply == 1:
                begun.append(state)
            return super().choose(state, limit)

    level = levels_of("tic-tac-toe")[0]
    noting = Contender("noting", lambda _seed: Noting(range(9)), Limit())
    duel = continued("tic-tac-toe", level, noting, None)
    first = begun.copy()
    begun.clear()
    longer = continued("tic-tac-toe", level, noting, duel)
    # Of each opening one game is the contender's to begin; the nine openings come round in the same order.
    assert len(first) == len(begun) == 10
    assert begun == [first[(number + 10) % 9] for number in range(10)]
    assert longer.games == 40


def test_the_mean_time_of_a_duel_counts_every_game_alike() -> None:
    weakest, level = levels_of("tic-tac-toe")[:2]
    before = Duel(60, 0, 0, (0, 0, 0, 0, 30), 1, (1000.0, 3000.0))
    longer = continued("tic-tac-toe", weakest, level, before)
    assert longer.games == 80
    assert longer.milliseconds == pytest.approx((750.0, 2250.0), rel=0.02), "20 games of 80 take no time"
