"""What every game on every board it offers must do."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.core import BoardError, IllegalMove, UnknownName, replay
from engine.games import GAMES, game, spec_of
from engine.games.conformance import CHECKS, Check, playout
from engine.games.perft import perft
from tests.slow_cases import mark_slow

BOARDS = [(key, board) for key, rules in GAMES.items() for board in rules.boards]
PERFT = json.loads((Path(__file__).parents[1] / "data" / "perft.json").read_text("utf-8"))
SLOW_PERFT = ("connect-four", "othello", "tic-tac-toe", "draughts")
LARGEST_PERFT = {"othello": 250_000_000, "draughts": 100_000_000}
"""Where a kernel counts; elsewhere a million lines take seconds enough."""

REASONS = {
    *("over", "no_such_column", "column_full"),
    *("no_such_square", "occupied", "no_flip", "must_pass", "no_pass"),
    *("not_yours", "no_seeds", "must_take", "no_such_move", "drawn", "not_now"),
}
"""Each has a text for players in the bot's catalogue; a new one needs one."""


MOVE_AGAIN = {"gomoku", "kalah", "dots-and-boxes"}
"""Games in which one side may move several times in a row."""


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_it_passes_every_conformance_check(key: str, board: str, check: Check) -> None:
    check(spec_of(key), board)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("key", "board"),
    [(key, spec_of(key).play.old_boards[-1]) for key in GAMES if spec_of(key).play.old_boards],
)
def test_an_old_board_passes_the_checks_too(key: str, board: str) -> None:
    for check in CHECKS.values():
        check(spec_of(key), board)


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_every_refusal_has_a_translated_reason(key: str, board: str) -> None:
    rng = Random(2)
    played = playout(spec_of(key), board, rng) + playout(spec_of(key), board, rng)
    for state, _ in played:
        for move in set(range(-2, state.rows * state.columns + 3)) - set(state.legal_moves()):
            with pytest.raises(IllegalMove) as caught:
                state.play(move)
            assert caught.value.reason in REASONS


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_a_finished_game_refuses_moves_as_over(key: str, board: str) -> None:
    last, move = playout(spec_of(key), board, Random(3))[-1]
    over = last.play(move)
    for further in range(-1, over.rows * over.columns + 2):
        with pytest.raises(IllegalMove) as caught:
            over.play(further)
        assert caught.value.reason in {"over", "no_such_column", "no_such_square"}
    for once_legal in range(over.columns):
        with pytest.raises(IllegalMove, match="The game is over"):
            over.play(once_legal)


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_a_move_without_a_cell_is_a_pass_or_in_a_group(key: str, board: str) -> None:
    spec = spec_of(key)
    for state, move in playout(spec, board, Random(4)):
        has_cell = spec.rules.cell_of(state, move) is not None
        is_apart = spec.group_of(state, move) is not None
        assert [spec.is_pass(state, move), has_cell, is_apart].count(True) == 1


@pytest.mark.parametrize("key", mark_slow(PERFT, lambda key: key in SLOW_PERFT))
def test_perft_counts_are_the_published_ones(key: str) -> None:
    data = PERFT[key]
    start = game(key).start(data["board"])
    for depth, count in enumerate(data["sequences"]):
        if count <= LARGEST_PERFT.get(key, 1_000_000):
            assert perft(start, depth) == count


@pytest.mark.slow
def test_the_number_of_connect_four_positions_is_the_published_one() -> None:
    data = PERFT["connect-four"]
    level = {game("connect-four").start(data["board"])}
    for count in data["positions"]:
        assert len(level) == count
        level = {state.play(move) for state in level for move in state.legal_moves()}


@pytest.mark.parametrize("key", GAMES)
def test_the_default_board_is_the_first_one_offered(key: str) -> None:
    assert game(key).start() == game(key).start(game(key).boards[0])
    with pytest.raises(BoardError):
        game(key).start("1x1")


def test_an_unknown_game_is_refused_with_the_list_of_games() -> None:
    with pytest.raises(UnknownName, match="connect-four, othello, tic-tac-toe"):
        game("chess")


class Rules(RuleBasedStateMachine):
    """Any moves in any game: a legal one is played, another one is refused and changes nothing."""

    @initialize(choice=st.sampled_from(BOARDS))
    def begin(self, choice: tuple[str, str]) -> None:
        self.game = game(choice[0])
        self.start = self.state = self.game.start(choice[1])
        self.moves: list[int] = []

    @precondition(lambda self: self.state.outcome() is None)
    @rule(data=st.data())
    def play(self, data: st.DataObject) -> None:
        move = data.draw(st.sampled_from(self.state.legal_moves()))
        mover, before = self.state.to_move, self.state
        self.state = self.state.play(move)
        self.moves.append(move)
        assert before.ply + 1 == self.state.ply
        moves_again = self.state.outcome() is None and self.state.to_move is mover
        assert not moves_again or self.game.key in MOVE_AGAIN

    @rule(move=st.integers(-5, 100))
    def try_anything(self, move: int) -> None:
        if move in self.state.legal_moves():
            self.state = self.state.play(move)
            self.moves.append(move)
            return
        before = hash(self.state)
        with pytest.raises(IllegalMove):
            self.state.play(move)
        assert hash(self.state) == before

    @invariant()
    def the_moves_are_the_record(self) -> None:
        if hasattr(self, "state"):
            assert replay(self.start, self.moves) == self.state
            assert (self.state.outcome() is None) == bool(self.state.legal_moves())


Rules.TestCase.settings = settings(max_examples=40, stateful_step_count=60, deadline=None)
TestRules = pytest.mark.slow(Rules.TestCase)
