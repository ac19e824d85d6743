"""The picture of a tournament's standings: its contents and size."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageFont

from bot.domain.tournament.model import System
from bot.presentation.table import ResultCell, TableRow, draw_table
from bot.presentation.tournament_texts import table_of
from tests.bot.domain.tournament.playing import by_lot, played_out, signed_up, started
from tests.bot.made_once import all_texts

TEXTS = all_texts()
GREEN, ORANGE = (0, 158, 115), (213, 94, 0)


def row(rank: int, name: str, *halves: int | None, is_played: bool = True) -> TableRow:
    cells = [[ResultCell(part, 1, is_played)] for part in halves]
    return TableRow(rank, name, rank, cells, ["3.5", "6"])


def picture(rows: list[TableRow]) -> Image.Image:
    return Image.open(io.BytesIO(draw_table(rows, ["P", "BH"]))).convert("RGB")


def colours(image: Image.Image) -> set[tuple[int, int, int]]:
    found = image.getcolors(image.width * image.height)
    assert found is not None
    return {tuple(colour) for _, colour in found if isinstance(colour, tuple)}  # type: ignore[misc]


def is_near(image: Image.Image, wanted: tuple[int, int, int]) -> bool:
    return any(
        all(abs(one - other) <= 12 for one, other in zip(colour, wanted, strict=True))
        for colour in colours(image)
    )


def test_results_have_their_colours() -> None:
    assert is_near(picture([row(1, "Ada", 2)]), GREEN)
    assert not is_near(picture([row(1, "Ada", 2)]), ORANGE)
    assert is_near(picture([row(1, "Ada", 0)]), ORANGE)


def test_more_rounds_and_rows_make_it_larger() -> None:
    small, large = picture([row(1, "Ada", 2)]), picture([row(1, "Ada", 2, 1, 0), row(2, "Ben", 0, 1, 2)])
    assert large.width > small.width
    assert large.height > small.height


@pytest.mark.parametrize("rounds", [0, 10, 30])
def test_it_fits_into_discords_display_size(rounds: int) -> None:
    rows = [row(place, f"Somebody with a long name {place}", *[2] * rounds) for place in range(1, 33)]
    png = draw_table(rows, ["P", "BH", "SB", "W"])
    image = Image.open(io.BytesIO(png))
    assert image.width <= 1600
    assert len(png) < 400_000


def test_a_name_with_letters_missing_from_the_font_becomes_a_number() -> None:
    other = picture([row(1, "李明", 2)])
    assert other.tobytes() == picture([row(1, "محمد", 2)]).tobytes()
    assert other.tobytes() != picture([row(1, "Ada", 2)]).tobytes()


def test_accents_are_removed_and_missing_letters_are_not_drawn() -> None:
    assert picture([row(1, "Zoë", 2)]).tobytes() == picture([row(1, "Zoe", 2)]).tobytes()
    font = ImageFont.load_default(size=20)
    lacking = bytes(font.getmask("\u0378"))
    rows, heads = table_of(played_out(started(signed_up(System.SWISS, 5)), by_lot(1)), TEXTS.of("en"))
    letters = [TEXTS.of(language)("tournament_wins_letter") for language in TEXTS.languages]
    drawn = "".join([*heads, *letters, *(figure for line in rows for figure in line.figures), "0=1+-.#"])
    assert [letter for letter in drawn if bytes(font.getmask(letter)) == lacking] == []
    assert {len(line.cells) for line in rows} == {3}


@pytest.mark.parametrize("language", TEXTS.languages)
def test_the_letter_above_wins_is_the_one_that_the_text_below_explains(language: str) -> None:
    t = TEXTS.of(language)
    for system in System.SWISS, System.ROUND_ROBIN:
        _, heads = table_of(played_out(started(signed_up(system, 5)), by_lot(1)), t)
        assert f"({heads[-1]})" in t(f"tournament_decides_{system}")


def test_a_replayed_tie_has_two_halves_and_a_running_match_none() -> None:
    both = TableRow(
        1, "Ada", 1, [[ResultCell(1, 2, True), ResultCell(2, 2, True)], [ResultCell(None, 3, True)]], []
    )
    assert is_near(picture([both]), GREEN)
    assert not is_near(picture([row(1, "Ada", None)]), GREEN)
