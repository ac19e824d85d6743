"""Boards as emoji text: drawn exactly, one emoji a cell, on every board that is offered."""

from __future__ import annotations

import itertools
import random
import unicodedata

import pytest

from bot.domain.look import CLASSIC, Theme
from bot.presentation import Marks, discs, draw_text, marks_of
from bot.presentation.colour import BLACK, WHITE, contrast, rgb
from bot.presentation.discs import discs_of
from bot.presentation.picture import is_picture
from bot.presentation.text import CORNER, KEYCAPS, LETTERS, ZERO_WIDTH_SPACE
from engine.core import Move, Player, State
from engine.games import GAMES, SPECS
from engine.games import game as game_of
from engine.games.spec import Distinction, GameSpec
from tools.twemoji import BACKGROUNDS, COLOURS

KNOWN_AND_BARE = (*SPECS.values(), GameSpec(GAMES["othello"]))
BOARDS = [(key, board) for key, game in GAMES.items() for board in game.boards]


def played(key: str, names: str, board: str | None = None) -> tuple[State, tuple[Move, ...]]:
    game = game_of(key)
    state = game.start(board)
    moves: list[Move] = []
    for name in names.split():
        moves.append(game.parse_move(state, name))
        state = state.play(moves[-1])
    return state, tuple(moves)


def drawn(key: str, names: str, *, hints: bool = False) -> str:
    state, moves = played(key, names)
    game = game_of(key)
    return draw_text(key, state, marks_of(game, game.start(), moves, hints=hints))


def test_connect_four_has_numbers_above_and_the_last_disc_squared() -> None:
    assert drawn("connect-four", "4 4 5") == "\n".join(
        (
            "1️⃣2️⃣3️⃣4️⃣5️⃣6️⃣7️⃣",
            "🟦🟦🟦🟦🟦🟦🟦",
            "🟦🟦🟦🟦🟦🟦🟦",
            "🟦🟦🟦🟦🟦🟦🟦",
            "🟦🟦🟦🟦🟦🟦🟦",
            "🟦🟦🟦🟡🟦🟦🟦",
            "🟦🟦🟦🔴🟥🟦🟦",
        )
    )


def test_a_won_connect_four_game_shows_the_line_in_hearts() -> None:
    assert drawn("connect-four", "1 7 2 7 3 7 4").splitlines()[-3:] == [
        "🟦🟦🟦🟦🟦🟦🟡",
        "🟦🟦🟦🟦🟦🟦🟡",
        "❤️❤️❤️❤️🟦🟦🟡",
    ]


def test_othello_has_coordinates_and_marks_legal_moves() -> None:
    assert drawn("othello", "f5", hints=True).replace(ZERO_WIDTH_SPACE, "") == "\n".join(
        (
            "▪️🇦🇧🇨🇩🇪🇫🇬🇭",
            "1️⃣🟩🟩🟩🟩🟩🟩🟩🟩",
            "2️⃣🟩🟩🟩🟩🟩🟩🟩🟩",
            "3️⃣🟩🟩🟩🟩🟩🟩🟩🟩",
            "4️⃣🟩🟩🟩🟡🟤🔹🟩🟩",
            "5️⃣🟩🟩🟩🟤🟤🟫🟩🟩",
            "6️⃣🟩🟩🟩🔹🟩🔹🟩🟩",
            "7️⃣🟩🟩🟩🟩🟩🟩🟩🟩",
            "8️⃣🟩🟩🟩🟩🟩🟩🟩🟩",
        )
    )


def test_neighbouring_letters_never_form_a_flag() -> None:
    header = drawn("othello", "").splitlines()[0]
    letters = [index for index, character in enumerate(header) if character in LETTERS]
    assert len(letters) == 8
    assert all(after - before > 1 for before, after in itertools.pairwise(letters))


def test_tic_tac_toe_shows_crosses_and_noughts_which_keep_their_colour_when_played_last() -> None:
    assert drawn("tic-tac-toe", "b2 a1").replace(ZERO_WIDTH_SPACE, "") == "▪️🇦🇧🇨\n1️⃣⭕🟦🟦\n2️⃣🟦❌🟦\n3️⃣🟦🟦🟦"


def test_a_pass_marks_no_disc() -> None:
    game = game_of("othello")
    rng = random.Random(1)
    while True:
        state, moves = game.start("6x6"), []
        while state.outcome() is None:
            move = rng.choice(state.legal_moves())
            passes = game.cell_of(state, move) is None
            moves.append(move)
            state = state.play(move)
            if passes and state.outcome() is None:
                marked = marks_of(game, game.start("6x6"), moves)
                assert marked.last is None
                assert "🟫" not in draw_text("othello", state, marked)
                return


WRITTEN = [(key, board) for key, board in BOARDS if not is_picture(key, game_of(key).start(board), CLASSIC)]
"""Larger ones are shown as pictures."""


@pytest.mark.parametrize(("key", "board"), WRITTEN)
def test_every_line_of_every_offered_board_has_one_emoji_a_cell(key: str, board: str) -> None:
    game, rng = game_of(key), random.Random(7)
    state, moves = game.start(board), []
    while state.outcome() is None:
        moves.append(rng.choice(state.legal_moves()))
        state = state.play(moves[-1])
        text = draw_text(key, state, marks_of(game, game.start(board), moves, hints=True))
        lines = [_emoji_of(line) for line in text.splitlines()]
        wide = state.columns + (1 if discs(key).has_letters else 0)
        assert [len(line) for line in lines] == [wide] * (state.rows + 1)
        assert len(text) < 1000


def test_the_cells_drawn_are_the_cells_of_the_state() -> None:
    state, _ = played("connect-four", "1 1 2 3 3 7")
    emoji = discs("connect-four")
    symbols = {None: emoji.empty, Player.FIRST: emoji.plain[0], Player.SECOND: emoji.plain[1]}
    expected = "".join(symbols[cell] for cell in state.cells())
    assert "".join(draw_text("connect-four", state).splitlines()[1:]) == expected


@pytest.mark.parametrize("theme", Theme)
@pytest.mark.parametrize("spec", KNOWN_AND_BARE, ids=[*SPECS, "bare"])
def test_emoji_with_different_meanings_differ(spec: GameSpec, theme: Theme) -> None:
    if theme is Theme.LETTERS:
        return
    emoji = discs_of(spec, theme)
    last = () if spec.look.distinguished_by is Distinction.SHAPE else emoji.last
    used = [*emoji.plain, *last, emoji.empty, emoji.hint]
    assert len(set(used)) == len(used)
    assert not {*emoji.plain, emoji.empty, emoji.hint} & set(emoji.line)


@pytest.mark.parametrize("theme", [theme for theme in Theme if theme is not Theme.LETTERS])
@pytest.mark.parametrize("spec", KNOWN_AND_BARE, ids=[*SPECS, "bare"])
def test_every_cell_is_visible_on_all_discord_backgrounds(spec: GameSpec, theme: Theme) -> None:
    emoji = discs_of(spec, theme)
    for glyph in (*emoji.plain, *emoji.last, *emoji.line, emoji.empty, emoji.hint):
        contrasts = [contrast(rgb(COLOURS[glyph]), rgb(ground)) for ground in BACKGROUNDS.values()]
        assert min(contrasts) >= 1.4, glyph
        assert sum(found >= 3 for found in contrasts) >= 3, glyph


def test_contrast_follows_wcag() -> None:
    assert contrast(BLACK, WHITE) == pytest.approx(21)
    assert contrast(rgb("#777777"), WHITE) == pytest.approx(4.48, abs=0.005)
    assert contrast(rgb("#31373D"), rgb("#323339")) == pytest.approx(1.05, abs=0.005)


def test_no_marks_are_the_default() -> None:
    state, _ = played("connect-four", "4")
    assert draw_text("connect-four", state) == draw_text("connect-four", state, Marks())


def _emoji_of(line: str) -> list[str]:
    """Split the line into the characters that a font draws as one cell."""
    cells: list[str] = []
    for character in line.replace(ZERO_WIDTH_SPACE, ""):
        if unicodedata.category(character) in ("Mn", "Me"):
            cells[-1] += character
        else:
            cells.append(character)
    known = (*KEYCAPS, *LETTERS, CORNER)
    assert all(len(cell) <= 3 and (cell in known or ord(cell[0]) > 0x2000) for cell in cells)
    return cells
