"""Boards as pictures: sizes, and the colours where discs and marks must be."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from bot.presentation import CLASSIC, Look, Marks, Size, Theme
from bot.presentation.examples import example
from bot.presentation.picture import CELL, draw_picture, is_picture
from engine.core import Player
from engine.games import GAMES, spec_of
from engine.games import game as game_of
from engine.games.spec import Layout

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def frame_of(key: str) -> tuple[int, int]:
    """How many columns and rows of coordinates stand before the cells."""
    return (0 if spec_of(key).layout is Layout.COLUMNS else 1), 1


def pixel(image: Image.Image, key: str, row: int, column: int, off: float = 0.0) -> tuple[int, int, int]:
    """The colour in a cell, `off` cells to the right of its centre."""
    left, top = frame_of(key)
    x, y = (left + column + 0.5 + off) * CELL, (top + row + 0.5) * CELL
    red, green, blue = image.getpixel((int(x), int(y)))  # type: ignore[misc]
    return red, green, blue


@pytest.mark.parametrize("key", GAMES)
def test_a_picture_has_a_cell_for_every_cell_and_coordinates_beside(key: str) -> None:
    shown = example(key)
    picture = opened(draw_picture(key, shown.state, shown.marks))
    left, top = frame_of(key)
    assert picture.size == ((shown.state.columns + left) * CELL, (shown.state.rows + top) * CELL)


def test_discs_are_drawn_where_they_lie() -> None:
    state = game_of("connect-four").start().play(3).play(3)
    picture = opened(draw_picture("connect-four", state))
    red, yellow, empty = (pixel(picture, "connect-four", row, 3) for row in (5, 4, 3))
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
        if pixel(plain, "othello", row, column, off) != pixel(marked, "othello", row, column, off)
    }
    assert changed == {(3, 3), (2, 3)}


def test_large_boards_and_the_large_size_are_pictures_and_letters_never_are() -> None:
    usual, wide = game_of("connect-four").start(), Wide()
    assert not is_picture(usual, CLASSIC)
    assert is_picture(usual, Look(size=Size.LARGE))
    assert is_picture(wide, CLASSIC)
    assert not is_picture(wide, Look(Theme.LETTERS, Size.LARGE))


@pytest.mark.parametrize("theme", Theme)
def test_a_board_of_fifteen_by_fifteen_is_a_picture_of_a_size_that_discord_takes(theme: Theme) -> None:
    png = draw_picture("othello", Wide(), Marks(last=112, best=3), Look(theme, Size.LARGE))
    picture = opened(png)
    assert picture.size == (16 * CELL, 16 * CELL)
    assert len(png) < 200_000


class Wide:
    """Fifteen rows and columns, which no game of ours has."""

    rows = columns = 15
    to_move = Player.FIRST

    def cells(self) -> tuple[Player | None, ...]:
        return tuple((None, Player.FIRST, Player.SECOND)[index % 3] for index in range(225))


@pytest.mark.parametrize("key", GAMES)
def test_the_pictures_in_the_documents_are_what_the_renderer_draws(key: str) -> None:
    shown = example(key)
    now = opened(draw_picture(key, shown.state, shown.marks))
    stored = Image.open(PICTURES / f"{key}.png").convert("RGB")
    assert stored.size == now.size
    # Pillow's releases may smooth an edge differently, so the pictures are compared at the cells' centres.
    cells = [(row, column) for row in range(shown.state.rows) for column in range(shown.state.columns)]
    assert [pixel(stored, key, *cell) for cell in cells] == [pixel(now, key, *cell) for cell in cells]
