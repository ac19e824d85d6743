"""Draughts: turns as by walking over the board, kings, the end of a game, and the names of turns."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from engine.core import EndReason, IllegalMove, NotationError, Outcome, Player
from engine.games import game, spec_of
from engine.games.conformance import playout
from engine.games.draughts.rules import BITS, QUIET_PLIES_FOR_DRAW, DraughtsState, square_of, taken_on
from engine.games.notation import format_moves, parse_moves
from engine.games.perft import perft
from tests.engine.games.draughts import plain_draughts as plain

RULES, SPEC = game("draughts"), spec_of("draughts")
PERFT = json.loads((Path(__file__).parents[3] / "data" / "perft.json").read_text("utf-8"))["draughts"]
CIRCLE = "B22 / 9 10 17 18"
"""A king that can take all four men and come back to where it stood, either way round."""


def position(text: str, mover: Player = Player.FIRST) -> DraughtsState:
    """Return the state of a text such as `1 B5 / 30 W2`: FIRST's pieces, then SECOND's, `B` and `W` kings."""
    pieces, kings = [0, 0], 0
    for side, half in enumerate(text.split("/")):
        for word in half.split():
            bit = 1 << BITS[int(word.strip("BW")) - 1]
            pieces[side] |= bit
            kings |= bit if word[0] in "BW" else 0
    return DraughtsState((pieces[0], pieces[1]), kings, mover)


def names(state: DraughtsState) -> list[str]:
    return [RULES.move_name(state, move) for move in state.legal_moves()]


def after(text: str) -> DraughtsState:
    state = RULES.start()
    for move in parse_moves(RULES, None, text):
        state = state.play(move)
    assert isinstance(state, DraughtsState)
    return state


def jumps(state: DraughtsState) -> bool:
    return any(map(taken_on, state.paths.values()))


def as_board(state: DraughtsState) -> plain.Board:
    found = {}
    for player, letter in zip(Player, "bw", strict=True):
        for square, bit in enumerate(BITS, 1):
            if state.pieces[player] >> bit & 1:
                is_king = state.kings >> bit & 1
                found[plain.place_of(square)] = letter.upper() if is_king else letter
    return found


@pytest.mark.slow
def test_turns_agree_with_the_plain_rules_in_random_games() -> None:
    rng, longest = Random(4), 0
    for _ in range(40):
        for state, move in playout(SPEC, "8x8", rng):
            assert isinstance(state, DraughtsState)
            expected = plain.turns(as_board(state), "bw"[state.to_move])
            boards = [sorted(board.items()) for board in expected.values()]
            ours = [state.play(turn) for turn in state.legal_moves()]
            assert {tuple(square_of(bit) + 1 for bit in path) for path in state.paths.values()} <= set(
                expected
            )
            assert all(sorted(as_board(one).items()) in boards for one in ours)
            assert all(board in [sorted(as_board(one).items()) for one in ours] for board in boards)
            longest = max(longest, *map(len, expected))
            state.play(move)
    assert longest >= 4, "no triple jump was compared"


@pytest.mark.parametrize("most", [1_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_perft_agrees_with_the_plain_rules(most: int) -> None:
    for depth, count in enumerate(PERFT["sequences"]):
        if count <= most:
            assert plain.count_lines(plain.START, "b", depth) == count
        if count <= most * 10_000:
            assert perft(RULES.start(), depth) == count


def test_a_jump_is_compulsory_and_goes_on_while_the_piece_can_jump() -> None:
    state = position("10 1 / 15 22 31")
    assert names(state) == ["10x19"]
    with pytest.raises(IllegalMove) as refused:
        RULES.parse_move(state, "1-5")
    assert refused.value.reason == "must_take"
    double = position("10 / 15 23 31")
    assert names(double) == ["10x26"]
    assert double.play(RULES.parse_move(double, "10x19x26")).pieces[1].bit_count() == 1


def test_a_man_that_becomes_a_king_ends_its_turn() -> None:
    state = position("22 / 26 27 1")
    assert names(state) == ["22x31"]
    crowned = state.play(state.legal_moves()[0])
    assert crowned.kings == crowned.pieces[Player.FIRST]
    king = position("B22 / 26 27 1")
    assert names(king) == ["22x24"]


def test_only_kings_move_backwards() -> None:
    assert names(position("14 / 32")) == ["14-17", "14-18"]
    assert names(position("B14 / 32")) == ["14-9", "14-10", "14-17", "14-18"]
    assert names(position("32 / 19", Player.SECOND)) == ["19-15", "19-16"]


def test_a_king_may_return_to_its_square_and_both_ways_round_are_one_move() -> None:
    state = position(CIRCLE)
    turns = [path for path in state.paths.values() if path[0] == path[-1]]
    assert len(turns) == 1
    assert len(plain.turns(as_board(state), "b")) == 2
    over = state.play(state.legal_moves()[0])
    assert over.outcome() == Outcome(Player.FIRST, EndReason.OTHER)
    assert over.pieces[1] == 0


def test_a_turn_may_be_written_by_any_way_that_takes_the_same_pieces() -> None:
    circle = position(CIRCLE)
    ways = {text.replace("-", "x") for text in ("22x13x6x15x22", "22x15x6x13x22")}
    assert {RULES.parse_move(circle, text) for text in ways} == set(circle.legal_moves())
    for text in ("22x13x22", "22x13x6x22", "22x15x6x22"):
        with pytest.raises(NotationError, match="another way"):
            RULES.parse_move(circle, text)


def test_every_way_of_the_plain_rules_is_understood() -> None:
    rng, further = Random(8), 0
    for _ in range(200):
        men = rng.sample((9, 10, 11, 17, 18, 19, 25, 26, 27), 6)
        state = position(f"B{rng.randint(5, 8)} 28 / {' '.join(map(str, men))}")
        turns = plain.turns(as_board(state), "b")
        for squares, board in turns.items():
            text = ("x" if jumps(state) else "-").join(map(str, squares))
            assert as_board(state.play(RULES.parse_move(state, text))) == board
        further += len(turns) > len(state.paths)
    assert further > 10


def test_turns_that_share_both_ends_are_named_by_the_squares_between() -> None:
    state = position("2 / 6 7 14 15 31")
    assert names(state) == ["2x9x18", "2x11x18"]
    low, high = state.legal_moves()
    assert high == low + 1024
    assert state.play(low) != state.play(high)
    with pytest.raises(NotationError, match="2x9x18, 2x11x18"):
        RULES.parse_move(state, "2x18")
    assert RULES.parse_move(state, "2x11x18") == high
    press = SPEC.press_of(state, high)
    places = dict(enumerate(SPEC.places_of("8x8")))
    assert [places[int(cell)].name for cell in press] == ["2", "11", "18"]


def test_a_side_that_cannot_move_has_lost() -> None:
    blocked = position("1 5 / 6 9 10 14")
    assert blocked.legal_moves() == ()
    assert blocked.outcome() == Outcome(Player.SECOND, EndReason.OTHER)
    with pytest.raises(IllegalMove, match="over"):
        blocked.play(0)
    worn = replace(blocked, seen=(((1, 2), 0),) * QUIET_PLIES_FOR_DRAW)
    assert worn.outcome() == Outcome(Player.SECOND, EndReason.OTHER), "also after the fortieth move"


def test_a_position_that_occurs_for_the_third_time_is_a_draw() -> None:
    state = position("B1 / W32")
    for text in ("1-6", "32-27", "6-1", "27-32") * 2:
        assert state.outcome() is None
        state = state.play(RULES.parse_move(state, text))
    assert state.outcome() == Outcome(None, EndReason.REPETITION)
    assert state.legal_moves() == ()
    with pytest.raises(IllegalMove, match="over"):
        state.play(next(iter(state.paths)))


def test_a_position_with_the_other_side_to_move_is_another_position() -> None:
    state = position("B1 / W32")
    here, elsewhere = (state.pieces, state.kings), ((1, 2), 0)
    assert replace(state, seen=(here,)).times == 1, "a turn ago the other side was to move"
    assert replace(state, seen=(here, elsewhere)).times == 2
    assert replace(state, seen=(here, here, here, elsewhere)).times == 3


def test_forty_moves_of_each_side_without_a_capture_or_a_mans_move_are_a_draw() -> None:
    state, rng = position("B1 B4 / W32 W29"), Random(1)
    seen = {(state.pieces, state.kings, state.to_move)}
    while state.outcome() is None:
        steps = [
            move
            for move in state.legal_moves()
            if not jumps(after := state.play(move))
            and after.seen
            and (after.pieces, after.kings, after.to_move) not in seen
        ]
        state = state.play(rng.choice(steps))
        seen.add((state.pieces, state.kings, state.to_move))
    assert (state.ply, state.outcome()) == (80, Outcome(None, EndReason.OTHER))


def test_a_mans_move_starts_the_count_anew() -> None:
    state = position("B1 5 / W32")
    for text in ("1-6", "32-27"):
        state = state.play(RULES.parse_move(state, text))
    assert len(state.seen) == 2
    assert state.play(RULES.parse_move(state, "5-9")).seen == ()


def test_texts_of_games_need_no_delimiter_and_may_have_one() -> None:
    moves = parse_moves(RULES, None, "11-15 23-19 8-11 22-17 4-8")
    text = format_moves(RULES, None, moves)
    assert text == "11-1523-1908-1122-1704-08"
    assert parse_moves(RULES, None, text) == moves
    for wrong in ("11", "11-", "0-5", "11-33", "11-15-15-40", "a-b"):
        with pytest.raises(NotationError):
            RULES.parse_move(RULES.start(), wrong)


@pytest.mark.parametrize(
    ("drawn", "turn", "quiet_turns"),
    [
        pytest.param("B14 / 18 32", "14x23", 0, id="a king's capture"),
        pytest.param("14 / 18 32", "14x23", 0, id="a man's capture"),
        pytest.param("14 / W32", "14-17", 0, id="a man's move"),
        pytest.param("B14 / W32", "14-17", 5, id="a king's move"),
    ],
)
def test_only_a_kings_move_without_a_capture_goes_on_with_the_forty(
    drawn: str, turn: str, quiet_turns: int
) -> None:
    state = replace(position(drawn), seen=(((1, 2), 0),) * 4)
    assert len(state.play(RULES.parse_move(state, turn)).seen) == quiet_turns
