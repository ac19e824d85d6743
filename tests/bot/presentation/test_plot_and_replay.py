"""The plot of a match and its animation: contents and file size."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Iterator

import pytest
from PIL import Image

from bot.domain.look import Theme
from bot.presentation.picture import disc_colours, paste
from bot.presentation.plane import draw_plane, is_plane
from bot.presentation.plot import HEIGHT, WIDTH, draw_plot
from bot.presentation.position import marks_of
from bot.presentation.replay import CELL, MAX_BYTES, MOST_FRAMES, draw_replay, frames_of, positions_of
from bot.presentation.tiles.grid import grid_of
from engine.core import replay
from engine.games import GAMES, SPECS
from tests.long_game import long_game
from tests.slow_cases import mark_slow


def test_the_first_player_is_drawn_above_the_middle_and_the_second_below() -> None:
    png = draw_plot("connect-four", [0.0, 1.0, -1.0], 0, (), 0)
    image = Image.open(io.BytesIO(png)).convert("RGB")
    assert image.size == (WIDTH, HEIGHT)
    upper, lower = HEIGHT // 4, 3 * (HEIGHT - 30) // 4
    red, yellow = image.getpixel((WIDTH // 4, upper)), image.getpixel((3 * WIDTH // 4, lower))
    assert isinstance(red, tuple)
    assert isinstance(yellow, tuple)
    assert red[0] > 180 > 100 > red[1]
    assert min(yellow[:2]) > 180 > 100 > yellow[2]
    assert image.getpixel((3 * WIDTH // 4, upper)) == image.getpixel((WIDTH // 4, lower))


def test_the_sides_have_the_colours_of_their_discs_in_every_theme() -> None:
    for theme in Theme:
        png = draw_plot("connect-four", [0.0, 1.0, -1.0], 0, (), 0, theme)
        image = Image.open(io.BytesIO(png)).convert("RGB")
        seen = image.getpixel((WIDTH // 4, HEIGHT // 4)), image.getpixel((3 * WIDTH // 4, HEIGHT // 2 + 20))
        assert seen == disc_colours("connect-four", theme)


def test_unknown_values_are_left_out_of_the_plot() -> None:
    assert draw_plot("othello", [None, None, 0.5, None], 2, [1], None)


@pytest.mark.parametrize("plies", [1, 14, 15, 1400, 1401, 20_000])
def test_a_match_of_any_length_has_a_plot(plies: int) -> None:
    assert draw_plot("pop-out", [0.0] * (plies + 1), 0, (), None)


@pytest.mark.parametrize(
    ("key", "theme"),
    mark_slow(
        itertools.product(GAMES, Theme),
        lambda case: (
            case[0] in ("gomoku", "hex", "othello") or Theme.CLASSIC is not case[1] is not Theme.SHAPES
        ),
    ),
)
def test_every_frame_is_the_picture_of_its_position(key: str, theme: Theme) -> None:
    rng, game = random.Random(key), GAMES[key]
    state, moves = game.start(), list[int]()
    while state.outcome() is None:
        moves.append(rng.choice(state.legal_moves()))
        state = state.play(moves[-1])
    frames = list(frames_of(game, positions_of(game, game.start(), moves), theme))
    for ply in (0, len(moves) // 2, len(moves)):
        marks = marks_of(game, game.start(), moves[:ply])
        shown = replay(game.start(), moves[:ply])
        if is_plane(SPECS[key]):
            assert frames[ply] == draw_plane(SPECS[key], theme, shown, marks, CELL)
        else:
            assert frames[ply] == paste(grid_of(SPECS[key], theme, shown, marks), CELL)


@pytest.mark.parametrize("key", mark_slow(GAMES, lambda key: key == "gomoku"))
def test_an_animation_has_a_frame_for_every_position_and_is_small(key: str) -> None:
    rng, game = random.Random(key), GAMES[key]
    state, moves = game.start(), list[int]()
    while state.outcome() is None and len(moves) < 12:
        moves.append(rng.choice(state.legal_moves()))
        state = state.play(moves[-1])
    gif = draw_replay(game, game.start(), moves)
    assert len(gif) <= MAX_BYTES // (4 if state.columns <= 10 else 2)
    animation = Image.open(io.BytesIO(gif))
    assert getattr(animation, "n_frames", 1) == len(moves) + 1
    assert "loop" not in animation.info  # it runs once


def test_a_long_match_is_animated_in_steps_of_several_moves() -> None:
    """4,000 moves of Pop Out took more than 4 GB."""
    game, moves = GAMES["pop-out"], long_game(MOST_FRAMES + 1)
    positions = positions_of(game, game.start(), moves)
    assert [state.ply for state, _ in positions] == [0, *range(1, MOST_FRAMES + 2, 2)]
    assert positions[-1] == (replay(game.start(), moves), marks_of(game, game.start(), moves))


def test_the_frames_of_an_animation_are_drawn_one_after_another() -> None:
    """All of them at once took 300 MB for a match of 300 moves."""
    game, moves = GAMES["pop-out"], long_game(MOST_FRAMES)
    frames = frames_of(game, positions_of(game, game.start(), moves), Theme.CLASSIC)
    assert isinstance(frames, Iterator)
