"""What every game on every board it offers must do."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from engine.core import BoardError, Game, IllegalMove, NotationError, Reason, State, UnknownName, replay
from engine.games import GAMES, game
from engine.games.perft import perft

BOARDS = [(key, board) for key, rules in GAMES.items() for board in rules.boards]
PERFT = json.loads((Path(__file__).parents[1] / "data" / "perft.json").read_text("utf-8"))
PLAYOUTS = 60
LARGEST_PERFT = {"othello": 250_000_000}
"""Where a kernel counts; elsewhere a million lines take seconds enough."""

REASONS = {
    *("over", "no_such_column", "column_full"),
    *("no_such_square", "occupied", "no_flip", "must_pass", "no_pass"),
}
"""Each has a text for players in the bot's catalogue; a new one needs one."""


def playout(rules: Game, board: str, rng: Random) -> list[tuple[State, int]]:
    """Every state of a random game with the move made in it."""
    state, played = rules.start(board), []
    while state.outcome() is None:
        move = rng.choice(state.legal_moves())
        played.append((state, move))
        state = state.play(move)
    return played


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_random_games_end_and_replay_to_the_same_state(key: str, board: str) -> None:
    rules, rng = game(key), Random(1)
    for _ in range(PLAYOUTS):
        played = playout(rules, board, rng)
        last, move = played[-1]
        state = last.play(move)

        again = replay(rules.start(board), [move for _, move in played])

        assert again == state
        assert hash(again) == hash(state)
        assert again.ply == len(played)
        assert again.legal_moves() == ()


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_legal_moves_ascend_and_every_other_move_is_refused_with_a_reason(key: str, board: str) -> None:
    rules, rng = game(key), Random(2)
    for state, _ in playout(rules, board, rng) + playout(rules, board, rng):
        legal = state.legal_moves()
        assert list(legal) == sorted(set(legal))
        for move in range(-2, state.rows * state.columns + 3):
            if move in legal:
                continue
            with pytest.raises(IllegalMove) as caught:
                state.play(move)
            assert caught.value.reason in REASONS
            assert caught.value.move == move
            assert str(caught.value).endswith(".")


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_an_over_state_refuses_every_move(key: str, board: str) -> None:
    last, move = playout(game(key), board, Random(3))[-1]
    over = last.play(move)
    for further in range(-1, over.rows * over.columns + 2):
        with pytest.raises(IllegalMove) as caught:
            over.play(further)
        assert caught.value.reason in {"over", "no_such_column", "no_such_square"}
    for once_legal in range(over.columns):
        with pytest.raises(IllegalMove, match="The game is over"):
            over.play(once_legal)


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_a_move_changes_the_cell_that_it_names(key: str, board: str) -> None:
    rules = game(key)
    for state, move in playout(rules, board, Random(4)):
        cell = rules.cell_of(state, move)
        before, after = state.cells(), state.play(move).cells()
        assert len(before) == state.rows * state.columns
        if cell is None:
            assert before == after
        else:
            assert before[cell] is None
            assert after[cell] is state.to_move


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_move_names_are_read_back(key: str, board: str) -> None:
    rules = game(key)
    for state, _ in playout(rules, board, Random(5)):
        for move in state.legal_moves():
            name = rules.move_name(state, move)
            assert rules.parse_move(state, f" {name.upper()} ") == move
    for nonsense in ("", "z9", "0", "-1", "99", "é", "a0", "٣"):
        with pytest.raises((NotationError, IllegalMove)):
            rules.parse_move(rules.start(board), nonsense)


@pytest.mark.parametrize(("key", "board"), BOARDS)
def test_a_winning_line_belongs_to_the_winner(key: str, board: str) -> None:
    rules, rng = game(key), Random(6)
    for _ in range(PLAYOUTS):
        last, move = playout(rules, board, rng)[-1]
        state = last.play(move)
        outcome = state.outcome()
        assert outcome is not None
        assert list(outcome.line) == sorted(set(outcome.line))
        assert (outcome.reason is Reason.LINE) == bool(outcome.line)
        if outcome.line:
            assert {state.cells()[cell] for cell in outcome.line} == {outcome.winner}
            assert rules.cell_of(last, move) in outcome.line


@pytest.mark.parametrize("key", GAMES)
def test_perft_counts_are_the_published_ones(key: str) -> None:
    data = PERFT[key]
    start = game(key).start(data["board"])
    for depth, count in enumerate(data["sequences"]):
        if count <= LARGEST_PERFT.get(key, 1_000_000):
            assert perft(start, depth) == count


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


def test_an_unknown_game_is_refused_with_those_that_exist() -> None:
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
        assert self.state.outcome() is not None or self.state.to_move is mover.other

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
TestRules = Rules.TestCase
