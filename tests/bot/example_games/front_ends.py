"""The games of tests/example_package in every front end: emoji, letters, pictures, terminal and web."""

from __future__ import annotations

import io
from datetime import UTC, datetime

import pytest
from PIL import Image

from bot.domain.location import Web
from bot.domain.look import Look, Size, Theme
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.presentation import cell_of_move, draw_text, marks_of, names
from bot.presentation.picture import draw_picture
from bot.presentation.web_board import description_of, position_of
from engine.cli.terminal import draw
from engine.core import Player, State
from engine.games import game, spec_of
from tests.bot.made_once import all_texts

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SEATS = (Seat("Ada", user_id=1), Seat("Ben", user_id=2))
KALAH, BREAKTHROUGH = game("little-kalah"), game("little-breakthrough")


def png(state: State, key: str, theme: Theme) -> bytes:
    return draw_picture(key, state, marks_of(game(key), game(key).start(), ()), Look(theme, Size.LARGE))


def test_the_seeds_are_numbers_in_text_and_in_the_terminal() -> None:
    found = KALAH.start().play(1).play(0)
    counts = [str(seeds) for seeds in (0, 1, 5, 5)]
    for text in (
        draw_text("little-kalah", found, look=Look(Theme.LETTERS)),
        draw(KALAH, found, as_text=True).plain,
    ):
        lower = text.strip("`\n").splitlines()[-1]
        assert [part.rpartition(":")[2] for part in lower.split() if part[-1].isdigit()][:4] == counts, text
    assert "5️⃣5️⃣" in draw_text("little-kalah", found)


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize("key", ["little-kalah", "little-breakthrough"])
def test_a_picture_shows_where_the_pieces_are(key: str, theme: Theme) -> None:
    rules = game(key)
    start = rules.start()
    before, after = png(start, key, theme), png(start.play(start.legal_moves()[0]), key, theme)
    assert before != after
    width, height = Image.open(io.BytesIO(before)).size
    assert min(width, height) > 100


def test_the_web_page_gets_pits_counts_and_presses() -> None:
    cells = description_of("little-kalah", "4x3")["cells"]
    assert [cell["shape"] for cell in cells] == ["pit"] * 8 + ["store"] * 2
    match = Match.begin("little-kalah", "4x3", SEATS, Web("en"), NOW).play(1, 1, NOW)
    found = position_of(match, Player.FIRST)
    assert found["toMove"] == 0
    assert {piece["at"]: piece["count"] for piece in found["pieces"]} == {
        0: 3, 2: 4, 3: 4, 4: 3, 5: 3, 6: 3, 7: 3, 8: 1,
    }  # fmt: skip
    assert [one["press"] for one in found["moves"]] == [[0], [2], [3]]
    steps = position_of(Match.begin("little-breakthrough", "5x5", SEATS, Web("en"), NOW), Player.FIRST)
    assert [15, 10] in [one["press"] for one in steps["moves"]]


def test_a_man_that_captures_is_the_last_move_and_turns_nothing() -> None:
    moves = [BREAKTHROUGH.parse_move(BREAKTHROUGH.start(), "c4c3")]
    before = BREAKTHROUGH.start().play(moves[0])
    moves.append(BREAKTHROUGH.parse_move(before, "b2c3"))
    marks = marks_of(BREAKTHROUGH, BREAKTHROUGH.start(), moves)
    assert (marks.last, marks.turned, marks.left) == (12, (), (6,))


def test_the_pit_that_was_emptied_is_marked_and_so_is_one_that_is_proposed() -> None:
    start = KALAH.start()
    assert marks_of(KALAH, start, [1]).left == (1,)
    assert cell_of_move(spec_of("little-kalah"), start, 2) == 2
    step = BREAKTHROUGH.parse_move(BREAKTHROUGH.start(), "c4c3")
    assert cell_of_move(spec_of("little-breakthrough"), BREAKTHROUGH.start(), step) == 12


def test_cells_are_called_by_their_names() -> None:
    t = all_texts().of("en")
    assert names.square_words(t, "little-kalah", KALAH.start(), 5) == "f"
    assert names.square_words(t, "little-breakthrough", BREAKTHROUGH.start(), 6) == "b2"
