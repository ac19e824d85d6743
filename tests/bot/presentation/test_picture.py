"""Boards as pictures: their sizes, and the colours of discs and marks."""

from __future__ import annotations

import io
from collections.abc import Hashable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from bot.presentation import CLASSIC, Look, Marks, Size, Theme, draw_text
from bot.presentation.colour import contrast
from bot.presentation.examples import example
from bot.presentation.picture import CELL, draw_picture, is_picture
from bot.presentation.plane import is_plane
from bot.presentation.tiles.grid import all_tiles
from bot.presentation.tiles.tile import digest
from engine.core import Player, replay
from engine.games import GAMES, spec_of
from engine.games import game as game_of
from engine.games.connect_four import ConnectFourState
from engine.games.reasons import Threat
from engine.games.spec import Layout

PICTURES = Path(__file__).parents[3] / "docs" / "pictures"


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def frame_of(key: str) -> tuple[int, int]:
    """Return the numbers of columns and rows of coordinates before the cells."""
    return (0 if spec_of(key).look.layout is Layout.COLUMNS else 1), 1


def pixel(image: Image.Image, key: str, row: int, column: int, off: float = 0.0) -> tuple[int, int, int]:
    """The colour in a cell, `off` cells to the right of its centre."""
    left, top = frame_of(key)
    side = image.height / (game_of(key).start().rows + top)
    x, y = (left + column + 0.5 + off) * side, (top + row + 0.5) * side
    red, green, blue = image.getpixel((int(x), int(y)))  # type: ignore[misc]
    return red, green, blue


@pytest.mark.parametrize("key", [key for key in GAMES if not is_plane(spec_of(key))])
def test_a_picture_has_a_cell_for_every_cell_and_coordinates_beside(key: str) -> None:
    shown = example(key)
    picture = opened(draw_picture(key, shown.state, shown.marks))
    left, top = frame_of(key)
    cell = min(CELL, 360 // (shown.state.rows + top))
    assert picture.size == ((shown.state.columns + left) * cell, (shown.state.rows + top) * cell)


@pytest.mark.parametrize("size", Size)
@pytest.mark.parametrize("key", GAMES)
def test_a_picture_leaves_room_for_its_buttons_in_a_window_of_800_pixels(key: str, size: Size) -> None:
    """The demo scales pictures to 556."""
    for board in GAMES[key].boards:
        picture = opened(draw_picture(key, GAMES[key].start(board), look=Look(size=size)))
        assert picture.height * min(1, 556 / picture.width) <= 392, board


def test_discs_are_drawn_in_their_cells() -> None:
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


def test_large_boards_and_the_large_size_are_pictures_unless_in_letters() -> None:
    usual = game_of("connect-four").start()
    wide: Any = Wide()
    assert not is_picture("connect-four", usual, CLASSIC)
    assert is_picture("connect-four", usual, Look(size=Size.LARGE))
    assert is_picture("gomoku", wide, CLASSIC)
    assert not is_picture("gomoku", wide, Look(Theme.LETTERS, Size.LARGE))


@pytest.mark.parametrize("theme", Theme)
def test_a_picture_of_a_15_by_15_board_fits_into_discords_limit(theme: Theme) -> None:
    wide: Any = Wide()
    png = draw_picture("othello", wide, Marks(last=112, best=3), Look(theme, Size.LARGE))
    picture = opened(png)
    assert picture.size == (16 * 24, 16 * 24)
    assert len(png) < 200_000


class Wide:
    """Fifteen rows and columns, which no game of ours has."""

    rows = columns = 15
    to_move = Player.FIRST

    def cells(self) -> tuple[Player | None, ...]:
        return tuple((None, Player.FIRST, Player.SECOND)[index % 3] for index in range(225))


@pytest.mark.parametrize("theme", [Theme.CLASSIC, Theme.DARK, Theme.COLOUR_BLIND, Theme.SHAPES])
def test_threats_differ_in_shape_and_filling_in_every_theme(theme: Theme) -> None:
    key, ground = "connect-four", ConnectFourState()
    first, second = (Threat(cell, side, True) for cell, side in ((0, Player.FIRST), (1, Player.SECOND)))
    hollow = (Threat(7, Player.FIRST, False), Threat(8, Player.SECOND, False))
    shared = (Threat(14, Player.FIRST, True), Threat(14, Player.SECOND, False))
    picture = opened(draw_picture(key, ground, Marks(threats=(first, second, *hollow, *shared)), Look(theme)))
    hole = pixel(picture, key, 5, 6)
    for column in (0, 1):
        filled, ring = pixel(picture, key, 0, column), pixel(picture, key, 1, column)
        assert contrast(filled, hole) >= 3
        assert ring == hole
        assert contrast(pixel(picture, key, 1, column, 0.15), hole) > 2.5
    # A disc reaches further than a diamond halfway between its middle and its edge.
    assert picture_differs(picture, key)
    assert contrast(pixel(picture, key, 2, 0, -0.2), hole) >= 3
    assert pixel(picture, key, 2, 0, 0.2) == hole


def picture_differs(picture: Image.Image, key: str) -> bool:
    """Whether the two sides' filled signs have other outlines."""
    outlines = []
    for column in (0, 1):
        left, top = frame_of(key)
        side = picture.height // (game_of(key).start().rows + top)
        box = ((left + column) * side, top * side, (left + column + 1) * side, (top + 1) * side)
        cell = picture.crop(box)
        hole = cell.getpixel((side // 2, side // 5))
        outlines.append([cell.getpixel((x, y)) == hole for y in range(15, 40) for x in range(15, 40)])
    return outlines[0] != outlines[1]


def test_boards_in_text_show_no_threats() -> None:
    state = replay(game_of("connect-four").start(), (0, 6, 0, 6, 0))
    marked = Marks(threats=tuple(spec_of("connect-four").teach.threats(state)))
    assert marked.threats
    for look in (CLASSIC, Look(Theme.LETTERS)):
        assert draw_text("connect-four", state, marked, look) == draw_text(
            "connect-four", state, Marks(), look
        )
    own: dict[Hashable, str] = {tile: digest(tile) for tile in all_tiles()}
    lines = draw_text("connect-four", state, marked, CLASSIC.written_in(own))
    assert lines == draw_text("connect-four", state, Marks(), CLASSIC.written_in(own))
    assert "🟦" not in lines, "our own emoji are used all the same"
