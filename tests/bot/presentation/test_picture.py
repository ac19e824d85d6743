"""Boards as pictures: sizes, and the colours where discs and marks must be."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from bot.presentation import Marks
from bot.presentation.examples import example
from bot.presentation.picture import CELL, draw_picture
from engine.games import GAMES
from engine.games import game as game_of

MARGIN = 54
PICTURES = Path(__file__).parents[3] / "docs" / "pictures"


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def pixel(image: Image.Image, row: int, column: int, off: float = 0.0) -> tuple[int, int, int]:
    """The colour in a cell, `off` cells to the right of its centre."""
    x, y = MARGIN + (column + 0.5 + off) * CELL, MARGIN + (row + 0.5) * CELL
    red, green, blue = image.getpixel((int(x), int(y)))  # type: ignore[misc]
    return red, green, blue


@pytest.mark.parametrize("key", GAMES)
def test_a_picture_has_a_cell_for_every_cell_and_a_margin_around(key: str) -> None:
    shown = example(key)
    picture = opened(draw_picture(key, shown.state, shown.marks))
    assert picture.size == (
        shown.state.columns * CELL + 2 * MARGIN,
        shown.state.rows * CELL + 2 * MARGIN,
    )


def test_discs_are_drawn_where_they_lie() -> None:
    game = game_of("connect-four")
    state = game.start().play(3).play(3)
    picture = opened(draw_picture("connect-four", state))
    red, yellow, empty = (pixel(picture, row, 3) for row in (5, 4, 3))
    assert red[0] > 200
    assert red[1] < 100
    assert yellow[0] > 200
    assert yellow[1] > 180
    assert empty[2] > max(empty[:2])


def test_the_last_move_and_a_hint_change_their_own_cells_only() -> None:
    state = game_of("othello").start()
    plain = opened(draw_picture("othello", state))
    marked = opened(draw_picture("othello", state, Marks(last=27, hints=(19,))))
    changed = {
        (row, column)
        for row in range(8)
        for column in range(8)
        for off in (0.0, 0.14)
        if pixel(plain, row, column, off) != pixel(marked, row, column, off)
    }
    assert changed == {(3, 3), (2, 3)}


@pytest.mark.parametrize("key", GAMES)
def test_the_pictures_in_the_documents_are_what_the_renderer_draws(key: str) -> None:
    shown = example(key)
    now = opened(draw_picture(key, shown.state, shown.marks))
    stored = Image.open(PICTURES / f"{key}.png").convert("RGB")
    assert stored.size == now.size
    # Pillow's releases may smooth an edge differently, so the pictures are compared at the cells' centres.
    cells = [(row, column) for row in range(shown.state.rows) for column in range(shown.state.columns)]
    assert [pixel(stored, *cell) for cell in cells] == [pixel(now, *cell) for cell in cells]
