"""Our own tiles: completeness, visibility and reproducible drawing."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Hashable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image, ImageChops

from bot.domain.look import Look, OwnEmoji, Theme
from bot.presentation import Marks, draw_text, icon, marks_of
from bot.presentation.colour import Colour, contrast, middling, mixed, rgb
from bot.presentation.discs import discs
from bot.presentation.plane import is_plane
from bot.presentation.tiles.grid import MAX_TILES, all_tiles, grid_of, is_whole, tiles_for, written
from bot.presentation.tiles.palette import Kind, bar_of, palette_of
from bot.presentation.tiles.tile import SIDE, Cell, Ground, Icon, Label, Mark, Tile, digest, image, png, word
from engine.core import Player
from engine.games import GAMES, SPECS
from engine.games.spec import Distinction, GameSpec, LookSpec, Paint
from tests.slow_cases import mark_slow
from tools.twemoji import BACKGROUNDS

DRAWN = (Theme.CLASSIC, Theme.DARK, Theme.COLOUR_BLIND, Theme.SHAPES)
CONTAINERS = ("#FFFFFF", "#393A41", "#242429", "#131416")
"""The grounds of containers in Discord's four themes, read off its screens."""

GROUNDS = [rgb(ground) for ground in (*BACKGROUNDS.values(), *CONTAINERS)]
MOST_BYTES = 256 * 1024
SETS = [(key, theme) for key in SPECS for theme in DRAWN]
POINTS = Paint(board="#B8813F", edge="#5A3A14", hole=None, discs=("#1B1E24", "#F8F8F4"), on_points=True)
PAINTS = (Paint(), POINTS, Paint(board="#111111"), Paint(board="#FFFFFF", hole=None))

PAINTED = list(itertools.product(PAINTS, DRAWN, Distinction))
EACH_ONCE = list(zip(PAINTS, DRAWN, itertools.cycle(Distinction), strict=False))
"""Every paint and every theme."""


def has_no_discs(key: str) -> bool:
    """Whether the board holds numbers or drawn edges instead of discs, as in Kalah and Dots and Boxes."""
    spec = SPECS[key]
    pieces, places = spec.pieces_of(GAMES[key].start()), spec.places_of(GAMES[key].boards[0])
    return any(piece.count is not None for piece in pieces.values()) or any(
        place.shape == "edge" for place in places
    )


def named(tiles: Iterable[Tile]) -> dict[Hashable, str]:
    """An emoji for each, as it is written."""
    return {tile: f"<:t{number}:1>" for number, tile in enumerate(tiles)}


def lines_of(grid: list[list[Tile]], look: Look) -> list[str]:
    return ["".join(look.emoji[tile] for tile in row) for row in grid]


@pytest.mark.parametrize(("key", "theme"), [(key, theme) for key, theme in SETS if not is_plane(SPECS[key])])
def test_every_position_of_random_games_is_written_in_the_tiles_of_its_game(key: str, theme: Theme) -> None:
    spec, rng = SPECS[key], random.Random(key)
    known = set(tiles_for(spec, theme))
    # One look for all positions: cached results of one board must hold for the next.
    look = Look(theme).written_in(named(known))
    boards = [spec.rules.start(board) for board in spec.rules.boards]
    for start in boards:
        if max(start.rows, start.columns) > MAX_TILES:
            continue
        state, moves = start, []
        while state.outcome() is None:
            moves.append(rng.choice(state.legal_moves()))
            state = state.play(moves[-1])
            marks = marks_of(spec.rules, start, moves, hints=True)
            for shown in (marks, Marks(marks.last, best=next(iter(marks.hints), None))):
                grid = grid_of(spec, theme, state, shown)
                assert {tile for row in grid for tile in row} <= known
                assert written(spec, look, state, shown) == lines_of(grid, look)


def test_a_board_is_written_in_tiles_only_where_none_is_missing() -> None:
    spec, state = SPECS["othello"], GAMES["othello"].start()
    emoji = named(tiles_for(spec, Theme.CLASSIC))
    whole = Look(Theme.CLASSIC).written_in(emoji)
    text = draw_text("othello", state, look=whole)
    assert [line.count("<:") for line in text.splitlines()] == [9] * 9
    assert icon("othello", Player.FIRST, whole).startswith("<:")
    for missing in emoji:
        rest = {tile: name for tile, name in emoji.items() if tile != missing}
        look = whole.written_in(rest)
        assert draw_text("othello", state, look=look) == draw_text("othello", state)
        assert icon("othello", Player.FIRST, look) == discs("othello").plain[0]
    # Another theme has tiles of its own, and letters have none.
    assert not is_whole(spec, Look(Theme.DARK).written_in(emoji))
    assert "<:" not in draw_text("othello", state, look=Look(Theme.LETTERS).written_in(emoji))


def test_crossings_on_boards_of_different_sizes_are_not_confused() -> None:
    spec = replace(SPECS["othello"], look=replace(SPECS["othello"].look, paint=POINTS))
    look = Look().written_in(named(tiles_for(spec, Theme.CLASSIC)))
    for board in ("8x8", "6x6"):
        state = spec.rules.start(board)
        grid = grid_of(spec, Theme.CLASSIC, state, Marks())
        assert written(spec, look, state, Marks()) == lines_of(grid, look)


def test_a_board_follows_added_and_removed_emoji() -> None:
    state, names = GAMES["othello"].start(), named(tiles_for(SPECS["othello"], Theme.CLASSIC))
    emoji = OwnEmoji()
    look = Look().written_in(emoji)
    plain = draw_text("othello", state)
    for tile, name in names.items():
        assert draw_text("othello", state, look=look) == plain
        emoji.add(tile, name)
    whole = draw_text("othello", state, look=look)
    assert whole.count("<:t") == 81
    emoji.change({tile: name.replace("<:t", "<:u") for tile, name in names.items()})
    assert draw_text("othello", state, look=look) == whole.replace("<:t", "<:u")
    emoji.change(dict(list(names.items())[1:]))
    assert draw_text("othello", state, look=look) == plain


@pytest.mark.slow
def test_tiles_are_drawn_the_same_every_time() -> None:
    for tile in all_tiles()[::9]:
        first = png(tile)
        image.cache_clear()
        assert png(tile) == first


@pytest.mark.slow
def test_every_tile_is_a_distinct_picture_within_discords_limit() -> None:
    tiles = all_tiles()
    files = [png(tile) for tile in tiles]
    assert len(set(files)) == len({digest(tile) for tile in tiles}) == len(tiles)
    assert max(map(len, files)) < MOST_BYTES
    assert {Image.open(io.BytesIO(file)).size for file in files} == {(SIDE, SIDE)}
    # Discord takes 2,000: this generation and three more.
    assert len(tiles) <= 650


def test_a_digest_depends_only_on_the_tile_and_the_drawing() -> None:
    label = Label((1, 2, 3), (255, 255, 255), "a")
    assert digest(label) == digest(Label((1, 2, 3), (255, 255, 255), "a"))
    assert digest(label) != digest(Label((1, 2, 4), (255, 255, 255), "a"))
    assert digest(label) != digest(Label((1, 2, 3), (255, 255, 255), "a", lit=True))


@pytest.mark.slow
def test_tiles_are_opaque_to_their_edges_and_icons_are_not() -> None:
    for tile in all_tiles():
        alpha = image(tile).getchannel("A")
        edge = [alpha.getpixel((x, y)) for x in range(SIDE) for y in (0, SIDE - 1)]
        edge += [alpha.getpixel((x, y)) for y in range(SIDE) for x in (0, SIDE - 1)]
        assert set(edge) == ({0} if isinstance(tile, Icon) else {255}), tile


@pytest.mark.parametrize(("key", "theme"), SETS)
def test_every_board_is_visible_on_all_discord_backgrounds(key: str, theme: Theme) -> None:
    """Checks the board or, if that is dark, the lines on it or the edge of its holes."""
    palette = palette_of(SPECS[key], theme)
    for ground in GROUNDS:
        assert max(contrast(palette.board, ground), contrast(palette.line, ground)) >= 3, ground


@pytest.mark.parametrize(("key", "theme"), SETS)
def test_the_accent_colour_is_visible_on_all_discord_backgrounds(key: str, theme: Theme) -> None:
    for player in Player:
        for ground in GROUNDS:
            assert contrast(bar_of(SPECS[key], player, theme), ground) >= 3, (player, ground)


def test_the_accent_colour_is_the_movers_unless_both_would_be_grey() -> None:
    colours = {key: {bar_of(spec, player) for player in Player} for key, spec in SPECS.items()}
    assert len(colours["connect-four"]) == 2
    assert len(colours["othello"]) == 1
    assert len({bar_of(SPECS["othello"], player, Theme.DARK) for player in Player}) == 2


@pytest.mark.parametrize(("key", "theme"), [(key, theme) for key, theme in SETS if not has_no_discs(key)])
def test_every_piece_is_visible_on_its_board_and_differs_from_the_other(key: str, theme: Theme) -> None:
    palette = palette_of(SPECS[key], theme)
    first, second = palette.pieces
    for piece in palette.pieces:
        assert contrast(piece.fill, palette.ground) >= 3, piece
        assert contrast(piece.accent, piece.fill) >= 3, piece
    assert first.shape is not second.shape or contrast(first.fill, second.fill) >= 3
    assert contrast(palette.frame, palette.ink) >= 5.5


@pytest.mark.parametrize(("key", "theme"), SETS)
def test_every_icon_is_visible_on_all_discord_backgrounds(key: str, theme: Theme) -> None:
    for piece in palette_of(SPECS[key], theme).pieces:
        counted: list[tuple[int, Any]] = image(Icon.of(piece)).getcolors(SIDE * SIDE) or []
        seen = {(r, g, b) for count, (r, g, b, alpha) in counted if alpha == 255 and count > 60}
        for ground in GROUNDS:
            assert max(contrast(colour, ground) for colour in seen) >= 3, (piece, ground)


@pytest.mark.slow
def test_marks_are_visible() -> None:
    for tile in all_tiles():
        if isinstance(tile, Cell) and tile.mark in (Mark.LEGAL, Mark.LAST, Mark.WON, Mark.GHOST, Mark.TURNED):
            plain = Cell(tile.ground, tile.piece if tile.mark is not Mark.GHOST else None)
            assert differing(tile, plain) >= (0.015 if tile.mark in (Mark.LEGAL, Mark.TURNED) else 0.04), tile


def differing(one: Tile, other: Tile) -> float:
    """Return the share of pixels with a visible difference."""
    between = ImageChops.difference(image(one, 22).convert("RGB"), image(other, 22).convert("RGB"))
    counted: list[tuple[int, Any]] = between.getcolors(22**2) or []
    return sum(count for count, apart in counted if max(apart) > 40) / 22**2


def test_the_pieces_of_the_colour_blind_theme_differ_in_brightness() -> None:
    for spec in SPECS.values():
        first, second = palette_of(spec, Theme.COLOUR_BLIND).pieces
        assert first.shape is not second.shape or contrast(first.fill, second.fill) > 3


@pytest.mark.parametrize(
    ("paint", "theme", "distinguished_by"), mark_slow(PAINTED, lambda case: case not in EACH_ONCE)
)
def test_any_game_has_tiles_of_its_spec_s_colours(
    paint: Paint, theme: Theme, distinguished_by: Distinction
) -> None:
    spec = GameSpec(GAMES["othello"], look=LookSpec(paint=paint, distinguished_by=distinguished_by))
    tiles = tiles_for(spec, theme)
    assert len(set(tiles)) == len(tiles)
    palette = palette_of(spec, theme)
    for ground in GROUNDS:
        assert max(contrast(palette.board, ground), contrast(palette.line, ground)) >= 3
    for tile in tiles:
        assert len(png(tile)) < MOST_BYTES


def test_lines_of_a_board_of_points_end_at_its_edge_and_run_through_elsewhere() -> None:
    spec = GameSpec(GAMES["othello"], look=LookSpec(paint=POINTS))
    state = GAMES["othello"].start()
    rows = grid_of(spec, Theme.CLASSIC, state, Marks())
    grounds = [[tile.ground for tile in row[1:] if isinstance(tile, Cell)] for row in rows[1:]]
    assert grounds[0][0].arms == "dr"
    assert grounds[7][7].arms == "ul"
    assert grounds[2][3].arms == "udlr"
    for line in grounds:
        for left, right in itertools.pairwise(line):
            if left.arms and right.arms:
                assert ("r" in left.arms) is ("l" in right.arms)


def test_a_middling_colour_is_kept_and_any_other_is_adjusted() -> None:
    for number in range(0, 256, 15):
        for colour in ((number, 255 - number, 128), (number, number, number), (0, 0, number)):
            found = middling(colour)
            assert all(contrast(found, ground) >= 3 for ground in GROUNDS), colour
            assert middling(found) == found


def test_words_name_colour_shape_and_mark() -> None:
    palette = palette_of(SPECS["connect-four"], Theme.SHAPES)
    ground = Ground(palette.kind, palette.board, palette.line, palette.hole)
    red, yellow = palette.pieces
    assert word(Cell(ground)) == "empty"
    assert word(Cell(ground, red)) == word(Cell(ground, red, Mark.DIM)) == "red"
    assert word(Cell(ground, red, Mark.LAST)) == "red_last"
    assert word(Cell(ground, yellow, Mark.WON)) == "yellow_diamond_win"
    assert word(Label(palette.frame, palette.ink, "a", lit=True)) == "_a_last"
    corner = Ground(Kind.POINTS, palette.board, palette.line, None, "dr")
    assert word(Cell(corner)) == "top_left"


@pytest.mark.parametrize(("key", "theme"), SETS)
def test_a_hint_and_the_discs_beside_the_winning_line_are_visible(key: str, theme: Theme) -> None:
    for tile in tiles_for(SPECS[key], theme):
        if isinstance(tile, Cell) and tile.mark in (Mark.GHOST, Mark.DIM):
            ground, under = image(Cell(tile.ground)).convert("RGB"), tile.ground.under
            counted: list[tuple[int, Any]] = image(tile).convert("RGB").getcolors(SIDE * SIDE) or []
            _, colour = max(pair for pair in counted if pair[1] not in _colours(ground))
            assert contrast(colour, under) >= 3, tile


def _colours(picture: Image.Image) -> set[Any]:
    counted: list[tuple[int, Any]] = picture.getcolors(SIDE * SIDE) or []
    return {colour for _, colour in counted}


def test_neighbouring_tiles_share_half_lines_only() -> None:
    ground = Ground(Kind.SQUARES, (10, 160, 80), (0, 60, 20), None)
    found = image(Cell(ground)).convert("RGB")
    column: list[Colour] = [found.getpixel((x, SIDE // 2)) for x in (0, 1, SIDE - 2, SIDE - 1)]  # type: ignore[misc]
    assert len(set(column)) == 1
    assert contrast(column[0], mixed((10, 160, 80), (0, 60, 20), 0.5)) > 1.2
