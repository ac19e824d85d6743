"""Pop Out: the effect of a pop on the board and on the result, and draws."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from engine.core import EndReason, IllegalMove, NotationError, Player
from engine.games import game, spec_of
from engine.games.conformance import playout
from engine.games.notation import parse_moves
from engine.games.perft import perft
from engine.games.pop_out import PopOutState
from tests.engine.games.pop_out import plain_pop_out as plain

RULES = game("pop-out")
PERFT = json.loads((Path(__file__).parents[3] / "data" / "perft.json").read_text("utf-8"))["pop-out"]


def after(text: str) -> PopOutState:
    state = RULES.start()
    for move in parse_moves(RULES, None, text):
        state = state.play(move)
    assert isinstance(state, PopOutState)
    return state


def bottom(state: PopOutState) -> str:
    return "\n" + "\n".join(str(state).splitlines()[-3:])


def test_a_pop_lets_the_column_fall_by_one() -> None:
    assert (
        bottom(after("454453"))
        == """
. . . O . . .
. . . X X . .
. . O X O . ."""
    )
    assert (
        bottom(after("454453p4"))
        == """
. . . . . . .
. . . O X . .
. . O X O . ."""
    )


def test_only_ones_own_bottom_disc_can_be_taken_out() -> None:
    state = after("4")
    assert [RULES.move_name(state, move) for move in state.legal_moves()] == list("1234567")
    with pytest.raises(IllegalMove) as refused:
        RULES.parse_move(state, "p4")
    assert refused.value.reason == "not_yours"
    again = state.play(0)
    assert RULES.parse_move(again, "pop4") == RULES.parse_move(again, "p4") == 10
    with pytest.raises(NotationError):
        RULES.parse_move(again, "p8")


def test_a_pop_wins_by_the_row_that_falls_into_place() -> None:
    state = after(spec_of("pop-out").look.picture_moves.replace(" ", ""))
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason, len(outcome.line)) == (Player.FIRST, EndReason.LINE, 4)
    assert state.legal_moves() == ()


def test_a_pop_that_makes_four_for_both_wins_for_its_player() -> None:
    state = after("154223345145p4")
    assert (
        bottom(state)
        == """
. . . . O . .
O X X X X . .
X O O O O . ."""
    )
    outcome = state.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.line) == (Player.FIRST, (29, 30, 31, 32))


@pytest.mark.slow
def test_four_in_a_row_win_for_their_owner_or_for_the_mover_if_both_have_them() -> None:
    """Compares the ends of some thousand random games with the plain rules."""
    rng, kinds = Random(3), set()
    for _ in range(1_500):
        last, move = playout(spec_of("pop-out"), "6x7", rng)[-1]
        assert isinstance(last, PopOutState)
        outcome = last.play(move).outcome()
        assert outcome is not None
        columns = as_columns(last.play(move))
        mover = "XO"[last.to_move]
        fours = {player for player in "XO" if plain.has_four(columns, player)}
        if outcome.reason is EndReason.LINE:
            assert "XO"[outcome.winner or 0] == (mover if mover in fours else min(fours))
            kinds.add((move >= 7, len(fours), outcome.winner is last.to_move))
        else:
            assert fours == set()
    assert {(False, 1, True), (True, 1, True), (True, 1, False), (True, 2, True)} <= kinds


def as_columns(state: PopOutState) -> plain.Columns:
    rows = [line.split() for line in reversed(str(state).splitlines())]
    return tuple("".join(row[column] for row in rows).replace(".", "") for column in range(7))


@pytest.mark.slow
def test_moves_agree_with_the_plain_rules_in_random_games() -> None:
    rng = Random(4)
    for _ in range(40):
        for state, move in playout(spec_of("pop-out"), "6x7", rng):
            assert isinstance(state, PopOutState)
            columns, mover = as_columns(state), "XO"[state.to_move]
            names = [f"{'drop' if one < 7 else 'pop'} {one % 7}" for one in state.legal_moves()]
            assert names == plain.moves(columns, mover)
            following = state.play(move)
            assert isinstance(following, PopOutState)
            name = f"{'drop' if move < 7 else 'pop'} {move % 7}"
            assert as_columns(following) == plain.made(columns, mover, name)


def test_a_position_that_occurs_for_the_third_time_is_a_draw() -> None:
    there_and_back = "p4p3" + "43"
    state = after("43" + there_and_back)
    assert (state.times, state.has_repeated, state.outcome()) == (2, True, None)
    third = after("43" + there_and_back + "p4p3")
    outcome = third.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.reason, third.legal_moves()) == (None, EndReason.REPETITION, ())
    with pytest.raises(IllegalMove, match="over"):
        third.play(0)


def test_a_full_board_goes_on_while_the_side_to_move_has_a_disc_at_the_bottom() -> None:
    full = (1 << 49) - 1 & ~sum(1 << 7 * column + 6 for column in range(7))
    rows = ["XXOOXXO", "OOXXOOX", "XXOOXXO", "OOXXOOX", "XXOOXXO", "OOXXOOX"]
    own = sum(
        1 << 7 * column + row for row, line in enumerate(rows) for column in range(7) if line[column] == "X"
    )
    state = PopOutState(own, full, ((0, 0),) * 42)
    assert state.outcome() is None
    assert [RULES.move_name(state, move) for move in state.legal_moves()] == ["p1", "p2", "p5", "p6"]


def test_perft_agrees_with_the_plain_rules() -> None:
    for depth, count in enumerate(PERFT["sequences"]):
        if count <= 20_000:
            assert plain.count_lines(plain.EMPTY, "X", depth) == count
            assert perft(RULES.start(), depth) == count
