"""Pictures of thoughts: each is a PNG of a size that Discord shows, and scores fit into it."""

from __future__ import annotations

import io
from typing import Any

import pytest
from PIL import Image

from bot.presentation import Marks, Theme
from bot.presentation.thought_pictures import (
    BAD,
    GOOD,
    Leaf,
    draw_boards,
    draw_tree,
    draw_whole_tree,
    number,
)
from engine.analysis.game_tree import Branch, tree_top, whole_tree
from engine.core import replay
from engine.games import game
from engine.games.notation import parse_moves
from engine.score import Score


def opened(png: bytes) -> Image.Image:
    assert len(png) < 1 << 20
    return Image.open(io.BytesIO(png)).convert("RGB")


def has_colour(image: Image.Image, colour: tuple[int, int, int]) -> bool:
    colours: Any = image.getcolors(1 << 24)
    near = (sum(abs(a - b) for a, b in zip(pixel, colour, strict=True)) for _, pixel in colours)
    return bool(min(near) < 12)


@pytest.mark.parametrize(
    ("score", "shown"),
    [
        (Score.guess(0), "0"),
        (Score.guess(-7), "-7"),
        (Score.guess(1234), "1.2k"),
        (Score.guess(-56_000), "-56.0k"),
        (Score.guess(999_002), "999.0k"),
        (Score.won(1), "#1"),
        (Score.won(3), "#2"),
        (Score.lost(2), "-#1"),
    ],
)
def test_scores_are_short_and_count_moves_to_a_win(score: Score, shown: str) -> None:
    assert number(score) == shown


def test_boards_are_drawn_four_in_a_row() -> None:
    rules = game("connect-four")
    leaves = [
        Leaf(str(move + 1), rules.start().play(move), Marks(), "0", is_chosen=move == 3) for move in range(7)
    ]
    image = opened(draw_boards("connect-four", leaves, Theme.SHAPES))
    assert image.width < 800
    assert image.height > image.width / 2


def test_a_tree_crosses_out_cut_branches() -> None:
    state = game("connect-four").start()
    top = [(str(b.move), b, [str(r.move) for r in b.replies]) for b in tree_top(state, 4, prunes=True)]
    assert has_colour(opened(draw_tree(top, 0)), BAD)
    full = [(str(b.move), b, [str(r.move) for r in b.replies]) for b in tree_top(state, 4, prunes=False)]
    assert not has_colour(opened(draw_tree(full, 0)), BAD)


def test_a_tree_whose_moves_end_the_game_can_be_drawn() -> None:
    assert opened(draw_tree([("4", Branch(3, Score.won(1)), [])], 0)).width > 300


@pytest.mark.slow
def test_a_whole_tree_shows_wins_and_losses() -> None:
    rules = game("tic-tac-toe")
    levels = whole_tree(replay(rules.start(), parse_moves(rules, None, "b2a1c3c1")))
    image = opened(draw_whole_tree("tic-tac-toe", levels))
    assert has_colour(image, GOOD)
    assert has_colour(image, BAD)
