"""Boards of hexagons, pits, edges and kings as text."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bot.domain.look import Look, Theme
from bot.presentation.position import Marks
from bot.presentation.text import ZERO_WIDTH_SPACE, draw_board
from engine.games.spec import GameSpec
from tests.engine.games.shapes import EDGES, HEXAGONS, KINGS, PITS

HALF = "\u2002\u2006"


def emoji(spec: GameSpec, marks: Marks | None = None) -> list[str]:
    state = spec.rules.start()
    return draw_board(spec, state, marks).replace(ZERO_WIDTH_SPACE, "").splitlines()


def letters(spec: GameSpec, marks: Marks | None = None) -> list[str]:
    return draw_board(spec, spec.rules.start(), marks, Look(Theme.LETTERS)).splitlines()[1:-1]


def test_rows_of_hexagons_are_shifted_by_half_an_emoji() -> None:
    assert emoji(HEXAGONS, Marks(hints=(4,))) == [
        "▪️🇦🇧🇨",
        "1️⃣🔘🔘🔘",
        f"2️⃣{HALF}🔘🔹🔘",
        f"3️⃣{2 * HALF}🔘🔘🔘",
    ]


def test_pits_show_their_numbers_and_gaps_keep_the_columns() -> None:
    assert emoji(PITS) == [f"7️⃣3️⃣🔟1️⃣{2 * HALF}", f"{2 * HALF}4️⃣0️⃣6️⃣`12`"]


def test_edges_stand_between_dots() -> None:
    assert emoji(EDGES)[1:4] == ["1️⃣▪️🔴▪️▫️▪️", "2️⃣🟡🟡🔴◻️▫️", "3️⃣▪️🟡▪️🔴▪️"]


def test_kings_and_squares_have_emoji_of_their_own() -> None:
    assert emoji(KINGS)[1:4] == ["1️⃣🟡🟫⬜🟫⬜🟡", "2️⃣🤴⬜🟫⬜🟫⬜", "3️⃣⬜🟫⬜🟫⬜🟫"]


@pytest.mark.parametrize(
    ("spec", "lines"),
    [
        (HEXAGONS, ["    a  b  c", " 1  .  .  .", " 2   .  *  .", " 3     .  .  ."]),
        (PITS, ["    7   f:3  e:10   d:1", "        a:4 [ b:0]  c:6    12"]),
        (EDGES, ["    a  b  c  d  e", " 1  o  -  o  .  o", " 2  |  O  |     ."]),
        (KINGS, ["     a   b   c   d   e   f", " 1   O   .       .       O", " 2  OO       .       ."]),
    ],
    ids=("hexagons", "pits", "edges", "kings"),
)
def test_letters_show_the_same_in_columns(spec: GameSpec, lines: list[str]) -> None:
    marks = Marks(hints=(4,)) if spec is HEXAGONS else Marks(last=1) if spec is PITS else None
    assert letters(spec, marks)[: len(lines)] == lines


def test_empty_dark_squares_show_their_numbers_if_there_are_no_coordinates() -> None:
    places = [replace(place, name=place.name and str(place.row + 1)) for place in KINGS.places_of("6x6")]
    numbered = replace(KINGS, look=replace(KINGS.look, places=lambda _board: places))
    assert letters(numbered)[0] == "  O   1       1       O"
