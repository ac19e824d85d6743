"""Themes and sizes: letters that a screen reader reads well, and discs that everybody tells apart."""

from __future__ import annotations

import io
import itertools

import pytest
from PIL import Image

from bot.presentation import Look, Marks, Size, Theme, discs, draw_text, marks_of
from bot.presentation.examples import example
from bot.presentation.picture import disc_colours, draw_picture
from engine.core import Move, State
from engine.games import GAMES, spec_of
from engine.games import game as game_of
from engine.games.spec import Distinction
from tests.slow_cases import mark_slow

LETTERS = Look(Theme.LETTERS)
COLOURED = [theme for theme in Theme if theme is not Theme.LETTERS]


def drawn(key: str, names: str, *, hints: bool = False) -> str:
    game = game_of(key)
    state: State = game.start()
    moves: list[Move] = []
    for name in names.split():
        moves.append(game.parse_move(state, name))
        state = state.play(moves[-1])
    return draw_text(key, state, marks_of(game, game.start(), moves, hints=hints), LETTERS)


def test_connect_four_in_letters_has_a_line_for_each_row_with_its_number() -> None:
    assert drawn("connect-four", "4 4 5").splitlines() == [
        "```",
        "    1  2  3  4  5  6  7",
        " 6  .  .  .  .  .  .  .",
        " 5  .  .  .  .  .  .  .",
        " 4  .  .  .  .  .  .  .",
        " 3  .  .  .  .  .  .  .",
        " 2  .  .  .  O  .  .  .",
        " 1  .  .  .  X [X] .  .",
        "```",
    ]


def test_othello_in_letters_names_its_squares_and_marks_legal_moves() -> None:
    assert drawn("othello", "f5", hints=True).splitlines()[1:8] == [
        "    a  b  c  d  e  f  g  h",
        " 1  .  .  .  .  .  .  .  .",
        " 2  .  .  .  .  .  .  .  .",
        " 3  .  .  .  .  .  .  .  .",
        " 4  .  .  .  O  X  *  .  .",
        " 5  .  .  .  X  X [X] .  .",
        " 6  .  .  .  *  .  *  .  .",
    ]


def test_the_winning_line_is_in_parentheses() -> None:
    assert drawn("tic-tac-toe", "a1 b1 a2 b2 a3").splitlines()[2:5] == [
        " 1 (X) O  .",
        " 2 (X) O  .",
        " 3 (X) .  .",
    ]


def test_brackets_close_on_boards_without_room_between_their_cells() -> None:
    moves = "h8 a1 g8 b1 f8 c1"
    assert drawn("gomoku", moves).splitlines()[2] == " 1  O O[O]. . . . . . . . . . . ."
    assert drawn("gomoku", f"{moves} i8 d1 j8").splitlines()[9] == " 8  . . . . .(X(X(X(X(X). . . . ."


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("board", ["usual", "largest"])
def test_letters_are_plain_characters_that_line_up(key: str, board: str) -> None:
    game = game_of(key)
    name = (
        game.boards[0]
        if board == "usual"
        else max(game.boards, key=lambda name: len(game.start(name).cells()))
    )
    text = draw_text(key, game.start(name), Marks(), LETTERS)
    rows = text.splitlines()[2:-1]
    assert text.isascii()
    if spec_of(key).look.places is None:
        assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("key", GAMES)
@pytest.mark.parametrize("theme", COLOURED)
def test_every_emoji_of_every_theme_differs_from_the_others(key: str, theme: Theme) -> None:
    emoji = discs(key, theme)
    # Pieces that differ in shape look the same when played last.
    last = () if spec_of(key).look.distinguished_by is Distinction.SHAPE else emoji.last
    assert len({*emoji.plain, *last, emoji.empty, emoji.hint}) == 4 + len(last)
    assert len({*emoji.plain, *emoji.line, emoji.empty, emoji.hint}) == 6


def test_the_small_size_is_small_print_and_no_size_is_a_heading() -> None:
    state = game_of("connect-four").start()
    usual = draw_text("connect-four", state).splitlines()
    for size, prefix in ((Size.SMALL, "-# "), (Size.NORMAL, ""), (Size.LARGE, "")):
        assert draw_text("connect-four", state, look=Look(size=size)).splitlines() == [
            prefix + line for line in usual
        ]


# Pictures


def opened(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


LARGE = ("gomoku", "hex", "othello")
"""Pictures that take long."""


@pytest.mark.parametrize("key", mark_slow(GAMES, lambda key: key in LARGE))
def test_every_theme_draws_a_different_picture(key: str) -> None:
    shown = example(key)
    drawn = {theme: draw_picture(key, shown.state, shown.marks, Look(theme)) for theme in Theme}
    # Crosses and noughts and the seeds of Kalah need no other shapes; letters are drawn like shapes.
    same = {frozenset({Theme.SHAPES, Theme.LETTERS})}
    if key in ("tic-tac-toe", "kalah"):
        plain = (Theme.CLASSIC, Theme.SHAPES, Theme.LETTERS)
        same |= {frozenset(pair) for pair in itertools.combinations(plain, 2)}
    for one, other in itertools.combinations(Theme, 2):
        assert (drawn[one] == drawn[other]) is (frozenset({one, other}) in same), (one, other)


@pytest.mark.parametrize("key", mark_slow(GAMES, lambda key: key in LARGE))
def test_sizes_change_the_width_and_nothing_else(key: str) -> None:
    shown = example(key)
    sizes = [opened(draw_picture(key, shown.state, shown.marks, Look(size=size))).size for size in Size]
    widths = [width for width, _ in sizes]
    # The largest boards are as wide as Discord shows them before they are large.
    assert widths == sorted(widths)
    assert widths[0] < widths[-1]
    assert all(
        width * sizes[1][1] == pytest.approx(height * sizes[1][0], rel=0.01) for width, height in sizes
    )


def test_the_discs_of_the_colour_blind_theme_differ_in_lightness() -> None:
    for key in ("connect-four", "othello"):
        first, second = (luminance(colour) for colour in disc_colours(key, Theme.COLOUR_BLIND))
        bright, dark = max(first, second), min(first, second)
        assert (bright + 0.05) / (dark + 0.05) > 2


def luminance(colour: tuple[int, int, int]) -> float:
    """Relative luminance, 0 to 1 (WCAG 2.2, "Relative luminance")."""
    parts = [part / 255 for part in colour]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
