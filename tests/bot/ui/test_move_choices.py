"""The choices on the way to a move: every move is reached once, and no list is too long for a message."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random
from string import ascii_lowercase

import pytest

from bot.ui.move_choices import Choice, MoveChoices, Picked
from engine.core import Move
from engine.games import GAMES, spec_of
from engine.games.conformance import playout
from engine.games.spec import BoardCell, GameSpec, LookSpec, Press
from tests.slow_cases import mark_slow


@dataclass(frozen=True)
class Named:
    """A state, or rules, of which only the names of moves matter."""

    names: tuple[str, ...]

    def move_name(self, _state: object, move: Move) -> str:
        return self.names[move]


def choices(
    places: Sequence[BoardCell], presses: Sequence[Press], names: Sequence[str] | None = None
) -> MoveChoices:
    """The choices among moves 0, 1, … with those presses; each is named by the names of its parts."""
    if names is None:
        names = [
            "".join(places[part].name if isinstance(part, int) else part for part in one) for one in presses
        ]
    look = LookSpec(places=lambda _board: places, press=lambda _state, move: presses[move])
    rules = Named(tuple(names))
    spec = GameSpec(rules, look=look)  # type: ignore[arg-type]  # a stand-in for rules
    return MoveChoices(spec, "", rules, range(len(presses)))  # type: ignore[arg-type]


def lattice(rows: int, columns: int, shape: str = "") -> list[BoardCell]:
    return [
        BoardCell(column, row, row, column, f"{ascii_lowercase[column]}{row + 1}", "", shape)
        for row in range(rows)
        for column in range(columns)
    ]


def labels(found: MoveChoices, picked: Picked | None = None) -> list[str]:
    return [one.label for one in found.after(picked)[0]]


def reached(found: MoveChoices, picked: Picked | None = None) -> list[Move]:
    """The moves that these choices lead to, each list of choices checked."""
    steps = 0 if picked is None else picked.steps
    offered, last = found.after(picked)
    assert (last is None) == (steps == 0)
    assert steps <= 4
    assert 1 <= len(offered) <= 24
    assert len({one.label for one in offered}) == len(offered)
    moves: list[Move] = []
    for one in offered:
        if one.is_move:
            moves += one.moves
        elif one.moves:
            moves += reached(found, Picked(one.moves[0], steps + 1))
    return moves


def test_a_taken_cell_of_a_column_keeps_its_place_and_cannot_be_chosen() -> None:
    places = lattice(15, 15)
    free = [cell for cell in range(225) if cell % 15 != 3 or cell // 15 not in (0, 7)]
    found = choices(places, [(cell,) for cell in free])
    offered, _ = found.after(Picked(free.index(18), 1))
    assert [one.label for one in offered] == [f"d{row}" for row in range(1, 16)]
    assert [one.label for one in offered if not one.moves] == ["d1", "d8"]


@pytest.mark.parametrize("key", mark_slow(GAMES, lambda key: key == "gomoku"))
def test_every_legal_move_of_every_game_is_reached_once(key: str) -> None:
    spec = spec_of(key)
    for board in spec.rules.boards:
        for state, _ in playout(spec, board, Random(6)):
            legal = [move for move in state.legal_moves() if spec.group_of(state, move) is None]
            assert sorted(reached(MoveChoices(spec, board, state, legal))) == legal


def test_the_piece_is_offered_before_its_target() -> None:
    places = lattice(3, 3)
    found = choices(places, [(0, 3), (0, 4), (1, 4), (2, 4), (2, 5)])
    assert labels(found) == ["a1", "b1b2", "c1"], "the man on b1 has one target"
    assert labels(found, Picked(0, 1)) == ["a1a2", "a1b2"]
    assert found.after(Picked(3, 1))[1] == Choice("c1", (3, 4))
    assert sorted(reached(found)) == [0, 1, 2, 3, 4]


def test_the_only_piece_that_can_move_need_not_be_picked() -> None:
    assert labels(choices(lattice(3, 3), [(0, 3), (0, 4)])) == ["a1a2", "a1b2"]


def test_squares_between_tell_apart_moves_with_the_same_ends() -> None:
    found = choices(lattice(3, 3), [(0, 4, 8), (0, 5, 8), (0, 1), (1, 2)])
    assert labels(found) == ["a1", "b1c1"]
    assert labels(found, Picked(0, 1)) == ["a1b2c3", "a1c2c3", "a1b1"]


def test_moves_with_the_same_presses_are_told_apart_by_their_names() -> None:
    found = choices(lattice(3, 3), [(3, 0), (3, 0), (4, 1)], ["a2a1=Q", "a2a1=N", "b2b1"])
    assert labels(found) == ["a2", "b2b1"]
    assert labels(found, Picked(1, 1)) == ["a2a1=Q", "a2a1=N"]


def test_a_move_without_presses_has_a_choice_of_its_own() -> None:
    assert labels(choices(lattice(1, 2), [(0, 1), ()], ["a1b1", "pass"])) == ["a1b1", "pass"]


def test_121_hexagons_are_found_by_their_column_which_stays_when_it_is_full() -> None:
    places = [replace(place, x=place.x + place.row / 2, shape="hexagon") for place in lattice(11, 11)]
    found = choices(places, [(cell,) for cell in range(121)])
    assert labels(found) == list("abcdefghijk")
    assert labels(found, Picked(13, 1)) == [f"c{row}" for row in range(1, 12)]
    assert sorted(reached(found)) == list(range(121))
    without_b = choices(places, [(cell,) for cell in range(121) if cell % 11 != 1])
    assert labels(without_b) == list("abcdefghijk")
    assert without_b.after(None)[0][1].moves == ()


def test_60_edges_between_25_boxes_are_found_by_their_column() -> None:
    edges = [
        BoardCell(column / 2, row / 2, row, column, f"{ascii_lowercase[column]}{row + 1}", "", "edge", 1, 0.2)
        for row in range(11)
        for column in range(11)
        if (row + column) % 2
    ]
    boxes = [
        BoardCell(column, row, 2 * row + 1, 2 * column + 1, "", "", "box")
        for row in range(5)
        for column in range(5)
    ]
    found = choices([*edges, *boxes], [(cell,) for cell in range(60)])
    assert labels(found) == list("abcdefghijk")
    assert sorted(reached(found)) == list(range(60))


def test_columns_whose_names_begin_alike_are_called_by_their_first_and_last_cell() -> None:
    places = [replace(place, name=str(at + 1)) for at, place in enumerate(lattice(5, 10))]
    assert labels(choices(places, [(cell,) for cell in range(50)]))[:2] == ["1–41", "2–42"]


def test_a_queen_with_many_targets_takes_three_presses() -> None:
    found = choices(lattice(8, 8), [*((27, target) for target in range(64) if target != 27), (0, 1)])
    assert labels(found) == ["d4", "a1b1"]
    assert labels(found, Picked(0, 1)) == list("abcdefgh")
    assert labels(found, Picked(0, 2)) == [f"d4a{row}" for row in range(1, 9)]
    assert sorted(reached(found)) == list(range(64))


def test_parts_that_lie_in_one_column_are_found_in_runs() -> None:
    found = choices(
        [BoardCell(0, row, row, 0, str(row + 1)) for row in range(50)], [(cell,) for cell in range(50)]
    )
    assert labels(found)[:2] == ["1–3", "4–6"]
    assert sorted(reached(found)) == list(range(50))


@pytest.mark.parametrize("picked", [Picked(99, 1), Picked(2, 1), Picked(0, 3), Picked(0, 0)])
def test_a_choice_that_leads_to_none_offers_the_first_ones_again(picked: Picked) -> None:
    found = choices(lattice(3, 3), [(0, 3), (0, 4), (1, 4), (2, 4), (2, 5)])
    assert found.after(picked) == found.after(None)


def test_a_column_with_one_free_square_is_opened_like_every_other() -> None:
    found = choices(lattice(9, 9), [(cell,) for cell in range(81) if cell % 9 or not cell])
    assert labels(found)[0] == "a"
    assert [one.label for one in found.after(Picked(0, 1))[0] if one.moves] == ["a1"]


def test_columns_without_a_target_of_the_piece_are_not_offered() -> None:
    found = choices(lattice(8, 8), [*((0, target) for target in range(64) if target % 8 > 3), (1, 2)])
    assert labels(found, Picked(0, 1)) == list("efgh")
