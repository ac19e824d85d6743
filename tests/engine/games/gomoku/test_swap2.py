"""Swap2 against a plain judge that knows stones and colours alone, and the rule that old matches keep."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from engine.analysis.review import Review
from engine.core import Limit, Player, State, states_of
from engine.games import game
from engine.games.gomoku import GomokuState
from engine.games.gomoku.evaluator import GomokuEvaluator

RULES = game("gomoku")
FIRST, SECOND = 0, 1


class Judge:
    """Black and white alternate; whoever says `swap` takes black, and `two` asks the first player to choose.

    Source: Gomocup, "Experimental Tournament 2020": the stones of SWAP2BOARD are black and white in turn, the
    fourth and the sixth stone are white, and the answer SWAP leaves that stone to the opponent.
    """

    def __init__(self) -> None:
        self.stones: dict[str, str] = {}
        self.white, self.until = SECOND, 3  # the number of stones up to which one player places both colours

    @property
    def colour(self) -> str:
        return "black" if len(self.stones) % 2 == 0 else "white"

    @property
    def player(self) -> int:
        """Who says the next word."""
        if len(self.stones) < self.until:
            return FIRST if self.until == 3 else SECOND
        return self.white if self.colour == "white" else 1 - self.white

    def hear(self, word: str) -> None:
        if word == "two":
            self.white, self.until = FIRST, 5
        elif word == "swap":
            self.white = 1 - self.player
        else:
            self.stones[word] = self.colour

    def has_five(self) -> bool:
        places = {(ord(word[0]), int(word[1:])): colour for word, colour in self.stones.items()}
        return any(
            all(places.get((x + step * right, y + step * down)) == colour for step in range(5))
            for (x, y), colour in places.items()
            for right, down in ((1, 0), (0, 1), (1, 1), (1, -1))
        )


def said(state: GomokuState, rng: Random, choice: str, answer: str) -> str:
    """The word at the choice or at the answer, if it is no square, else a random square."""
    legal = state.legal_moves()
    word = choice if state.two in legal else answer if state.swap in legal else ""
    free = [move for move in legal if move < state.swap]
    return word or RULES.move_name(state, rng.choice(free))


BRANCHES = [("", ""), ("swap", ""), ("two", ""), ("two", "swap")]


def playouts(board: str, games: int) -> Iterator[tuple[GomokuState, Judge, list[str]]]:
    """Every position of random games through every branch, with what the judge knows of it."""
    for seed in range(games):
        for choice, answer in BRANCHES:
            rng, judge, words = Random(seed), Judge(), list[str]()
            state: State = RULES.start(board)
            while True:
                assert isinstance(state, GomokuState)
                yield state, judge, words
                if state.outcome() is not None:
                    break
                words.append(said(state, rng, choice, answer))
                judge.hear(words[-1])
                state = state.play(RULES.parse_move(state, words[-1]))


@pytest.mark.parametrize("board", ["9x9-swap2", "15x15-swap2"])
def test_stones_alternate_and_the_owner_of_the_next_colour_moves(board: str) -> None:
    for state, judge, words in playouts(board, 3):
        by_owner: dict[Player, set[str]] = {Player.FIRST: set(), Player.SECOND: set()}
        for square, owner in enumerate(state.cells()):
            if owner is not None:
                by_owner[owner].add(RULES.move_name(state, square))
        white = {word for word, colour in judge.stones.items() if colour == "white"}
        outcome = state.outcome()
        assert by_owner[Player(judge.white)] == white, words
        assert judge.has_five() == (outcome is not None and outcome.winner is not None), words
        if outcome is None:
            assert state.to_move == judge.player, words
        elif outcome.winner is not None:
            assert outcome.winner == (judge.white if judge.colour == "black" else 1 - judge.white), words


def after(words: str, board: str = "15x15-swap2") -> GomokuState:
    state: State = RULES.start(board)
    for word in words.split():
        state = state.play(RULES.parse_move(state, word))
    assert isinstance(state, GomokuState)
    return state


@pytest.mark.parametrize(
    ("words", "mover"),
    [
        ("h8 h9 i9", SECOND),
        ("h8 h9 i9 swap", FIRST),
        ("h8 h9 i9 two a1 b1", FIRST),
        ("h8 h9 i9 two a1 b1 swap", SECOND),
    ],
)
def test_the_side_with_fewer_discs_moves_after_every_choice(words: str, mover: int) -> None:
    state = after(words)
    mine, theirs = (state.discs[side].bit_count() for side in (state.to_move, state.to_move.other))
    assert (state.to_move, mine) == (mover, theirs - 1)


def owners(state: GomokuState) -> str:
    """The discs of both sides by name, the first side's before the bar."""
    names = [
        " ".join(RULES.move_name(state, cell) for cell, owner in enumerate(state.cells()) if owner == side)
        for side in Player
    ]
    return " | ".join(names)


@pytest.mark.parametrize(
    ("words", "owned", "mover"),
    [
        ("h8 h9 i9", "h8 i9 | h9", SECOND),
        ("h8 h9 i9 j9", "h8 i9 | h9 j9", FIRST),
        ("h8 h9 i9 swap", "h9 | h8 i9", FIRST),
        ("h8 h9 i9 two", "h9 | h8 i9", SECOND),
        ("h8 h9 i9 two a1", "a1 h9 | h8 i9", SECOND),
        ("h8 h9 i9 two a1 b1", "a1 h9 | b1 h8 i9", FIRST),
        ("h8 h9 i9 two a1 b1 j9", "a1 h9 j9 | b1 h8 i9", SECOND),
        ("h8 h9 i9 two a1 b1 swap", "b1 h8 i9 | a1 h9", SECOND),
        ("h8 h9 i9 two a1 b1 swap j9", "b1 h8 i9 | a1 h9 j9", FIRST),
    ],
)
def test_each_choice_leaves_black_and_white_to_the_right_side(words: str, owned: str, mover: int) -> None:
    state = after(words)
    assert (owners(state), state.to_move) == (owned, mover)


@pytest.mark.parametrize(
    ("words", "owned", "mover"),
    [
        ("h8 h9 i9", "h8 i9 | h9", SECOND),
        ("h8 h9 i9 j9", "h8 i9 | h9 j9", FIRST),
        ("h8 h9 i9 swap", "h9 | h8 i9", FIRST),
        ("h8 h9 i9 two a1", "a1 h8 i9 | h9", SECOND),
        ("h8 h9 i9 two a1 b1", "a1 h8 i9 | b1 h9", FIRST),
        ("h8 h9 i9 two a1 b1 j9", "a1 h8 i9 j9 | b1 h9", SECOND),
        ("h8 h9 i9 two a1 b1 swap", "b1 h9 | a1 h8 i9", SECOND),
        ("h8 h9 i9 two a1 b1 swap j9", "b1 h9 | a1 h8 i9 j9", FIRST),
    ],
)
def test_an_old_board_keeps_every_position_that_0_3_0_had(words: str, owned: str, mover: int) -> None:
    state = after(words, "15x15-swap2-old")
    assert (owners(state), state.to_move) == (owned, mover)


def test_old_and_new_rule_agree_about_games_without_two() -> None:
    for seed in range(5):
        rng = Random(seed)
        old, new = RULES.start("9x9-swap2-old"), RULES.start("9x9-swap2")
        while new.outcome() is None:
            moves = [move for move in new.legal_moves() if move != 82]
            assert (old.legal_moves(), old.cells(), old.to_move) == (
                new.legal_moves(), new.cells(), new.to_move
            )  # fmt: skip
            move = rng.choice(moves)
            old, new = old.play(move), new.play(move)
        assert old == new


@pytest.mark.parametrize("words", ["", "e5", "e5 e6", "e5 e6 d6 two", "e5 e6 d6 two a1"])
def test_no_move_is_judged_while_an_opening_is_placed(words: str) -> None:
    found = GomokuEvaluator().evaluate(after(words, "9x9-swap2"), Limit(depth=1))
    assert (found.best, found.judges_moves, found.score.expectation) == (None, False, 0)


@pytest.mark.parametrize(
    ("words", "named"), [("e5 e6 d6", {"swap", "two"}), ("e5 e6 d6 two a1 b1", {"swap"})]
)
def test_each_choice_of_swap2_has_a_value(words: str, named: set[str]) -> None:
    state = after(words, "9x9-swap2")
    moves = GomokuEvaluator().evaluate_moves(state, Limit(depth=1)).moves
    assert {RULES.move_name(state, move) for move in moves if move >= state.swap} == named
    (played_on,) = (score for move, score in moves.items() if move < state.swap)
    assert moves[state.swap] == -played_on


def test_a_review_judges_no_disc_of_a_placed_opening() -> None:
    start = after("", "9x9-swap2")
    states = states_of(start, [40, 49])
    found = Review.of(states, [40, 49], [GomokuEvaluator().evaluate(one, Limit(depth=1)) for one in states])
    assert (found.reviewed, found.accuracy(Player.FIRST)) == ((None, None), None)
    assert (found.is_unjudged(0), found.share) == (True, 1)
