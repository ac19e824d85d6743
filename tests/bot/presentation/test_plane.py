"""Boards of hexagons, pits, edges and dark squares as pictures."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image, ImageChops

from bot.domain.look import Look, Size, Theme
from bot.presentation.colour import Colour, contrast
from bot.presentation.picture import draw_board
from bot.presentation.plane import draw_plane
from bot.presentation.position import Marks
from bot.presentation.tiles.grid import tiles_for
from bot.presentation.tiles.palette import palette_of
from bot.presentation.tiles.tile import Icon
from engine.core import Player, State
from engine.games import spec_of
from engine.games.drawing import extent_of, labels_of
from engine.games.reasons import Threat
from engine.games.spec import GameSpec
from tests.engine.games.shapes import EDGES, HEXAGONS, KINGS, PITS

ALL = (HEXAGONS, PITS, EDGES, KINGS)
NAMES = ("hexagons", "pits", "edges", "kings")


def state_of(spec: GameSpec) -> State:
    start = spec.rules.start()
    return start.play(4).play(0) if spec is HEXAGONS else start


def drawn(spec: GameSpec, marks: Marks | None = None, theme: Theme = Theme.CLASSIC) -> Image.Image:
    return draw_plane(spec, theme, state_of(spec), marks or Marks(), 64, has_frame=False)


def colour_at(spec: GameSpec, picture: Image.Image, cell: int, right: float = 0, down: float = 0) -> Colour:
    places = spec.places_under(state_of(spec))
    left, top, wide, _ = extent_of(places)
    unit = picture.width / (wide - left + 0.4)
    x, y = places[cell].x - left + 0.2 + right, places[cell].y - top + 0.2 + down
    red, green, blue = picture.getpixel((int(x * unit), int(y * unit)))  # type: ignore[misc]
    return red, green, blue


def empty_cell(spec: GameSpec) -> int:
    """Return a cell that a piece could come to; a pit if there are pits."""
    places, pieces = spec.places_under(state_of(spec)), spec.pieces_of(state_of(spec))
    free = (at for at, place in enumerate(places) if at not in pieces and place.shape in ("hexagon", "dark"))
    return 1 if spec is PITS else next(free, 3)


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize("spec", [HEXAGONS, EDGES, KINGS], ids=("hexagons", "edges", "kings"))
def test_pieces_stand_out_from_the_ground_in_every_look(spec: GameSpec, theme: Theme) -> None:
    picture, places = drawn(spec, theme=theme), spec.places_under(state_of(spec))
    ground = colour_at(spec, picture, empty_cell(spec), 0.3, 0.1)
    for at, piece in spec.pieces_of(state_of(spec)).items():
        assert piece.owner is not None
        found = colour_at(spec, picture, at, 0 if places[at].shape in ("edge", "box") else 0.3)
        assert found == palette_of(spec, theme).pieces[piece.owner].fill
        assert contrast(found, ground) >= 2


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize("spec", ALL, ids=NAMES)
def test_every_mark_is_seen(spec: GameSpec, theme: Theme) -> None:
    plain, taken, empty = drawn(spec, theme=theme), 0, empty_cell(spec)
    marks = [Marks(last=taken), Marks(best=empty)]
    if spec in (HEXAGONS, KINGS):
        threat = Threat(empty, Player.FIRST, comes_to_it=True)
        marks += [Marks(hints=(empty,)), Marks(left=(empty,)), Marks(line=(taken,)), Marks(threats=(threat,))]
    for one in marks:
        assert ImageChops.difference(plain, drawn(spec, one, theme)).getbbox() is not None, one


def test_a_hexagon_has_corners_above_and_below() -> None:
    picture = drawn(HEXAGONS)
    around, inside = colour_at(HEXAGONS, picture, 8, 0.45, 0.5), colour_at(HEXAGONS, picture, 8)
    assert colour_at(HEXAGONS, picture, 8, 0, 0.5) == inside != around


def test_pits_show_their_numbers() -> None:
    seeds = PITS.look.pieces
    assert seeds is not None
    found = dict(seeds(state_of(PITS)))
    found[2] = replace(found[2], count=5)
    other = replace(PITS, look=replace(PITS.look, pieces=lambda _state: found))
    left, _, right, _ = ImageChops.difference(drawn(PITS), drawn(other)).getbbox() or (0, 0, 0, 0)
    assert 3.2 < left / 64 * 5 / 8 < right / 64 * 5 / 8 < 4.2


def test_a_king_has_a_crown() -> None:
    picture = drawn(KINGS)
    assert colour_at(KINGS, picture, 6, 0, 0.1) != colour_at(KINGS, picture, 0, 0, 0.1)
    assert colour_at(KINGS, picture, 6, 0.3) == colour_at(KINGS, picture, 0, 0.3)


@pytest.mark.parametrize("spec", ALL, ids=NAMES)
def test_a_large_picture_is_larger_and_no_tiles_but_icons_are_uploaded(spec: GameSpec) -> None:
    pictures = (draw_board(spec, state_of(spec), None, Look(size=size)) for size in Size)
    small, normal, large = (Image.open(io.BytesIO(png)).width for png in pictures)
    assert small < normal < large
    assert all(isinstance(tile, Icon) for tile in tiles_for(spec, Theme.CLASSIC))


@pytest.mark.parametrize("board", ["5x5", "3x3"])
def test_the_lines_of_dots_and_boxes_join_the_dots(board: str) -> None:
    spec = spec_of("dots-and-boxes")
    places = spec.places_of(board)
    dots = {(round(place.x, 3), round(place.y, 3)) for place in places if place.shape == "dot"}
    for edge in (place for place in places if place.shape == "edge"):
        right, down = (0.5, 0.0) if edge.width > edge.height else (0.0, 0.5)
        ends = ((edge.x + sign * right, edge.y + sign * down) for sign in (-1, 1))
        assert {(round(x, 3), round(y, 3)) for x, y in ends} <= dots
    assert len(labels_of(places)[0]) == 2 * int(board[0]) + 1
