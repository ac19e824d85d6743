"""Cells in words, in games whose moves are no cells and whose boards are no squares."""

from __future__ import annotations

import pytest

from bot.presentation import names
from bot.presentation.verdicts import move_words
from engine.games import SPECS, spec_of
from engine.games.spec import Layout
from tests.bot.made_once import all_texts
from tests.engine.games.shapes import HEXAGONS, PITS

T = all_texts().of("en")


@pytest.mark.parametrize("key", [key for key, spec in SPECS.items() if spec.look.press is None])
def test_where_a_move_is_its_cell_both_have_one_name(key: str) -> None:
    spec = spec_of(key)
    start = spec.rules.start()
    for cell in range(len(start.cells())):
        if cell not in start.legal_moves() and spec.look.places is not None:
            continue  # a dot or a box, which no move names
        if spec.look.layout is Layout.COLUMNS:
            row, column = divmod(cell, start.columns)
            word = f"row {start.rows - row} of column {column + 1}"
        else:
            word = spec.rules.move_name(start, cell)
        assert names.square_words(T, key, start, cell) == word


@pytest.mark.parametrize(("language", "word"), [("en", "Pass"), ("de", "Passen"), ("fa", "رد کردن نوبت")])
def test_a_pass_is_called_as_its_button_is(language: str, word: str) -> None:
    spec = spec_of("othello")
    state = spec.rules.start()
    for name in ("e6", "f6", "c4", "e7", "e8", "d8", "g7", "f8"):
        state = state.play(spec.rules.parse_move(state, name))
    (only,) = state.legal_moves()
    assert spec.rules.move_name(state, only) == "pass"
    assert word in move_words(all_texts().of(language), "othello", state, only)


def test_pits_and_hexagons_are_called_by_their_own_names(monkeypatch: pytest.MonkeyPatch) -> None:
    for spec in (PITS, HEXAGONS):
        monkeypatch.setattr(names, "spec_of", lambda _key, spec=spec: spec)
        start = spec.rules.start()
        places = spec.places_of(spec.rules.boards[0])
        assert [names.square_words(T, "", start, cell) for cell in range(2)] == [
            one.name for one in places[:2]
        ]
