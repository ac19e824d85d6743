"""The picture of a profile: its size, and the visibility of each number."""

from __future__ import annotations

import io
from dataclasses import fields, replace
from datetime import date, timedelta

import pytest
from PIL import Image, features

from bot.presentation.lettering import can_write
from bot.presentation.profile import WIDTH, ProfileChart, RatingPoint, Results, Words, draw_profile
from engine.games import GAMES
from tests.bot.made_once import all_texts

DAY = date(2026, 11, 21)
CHART = ProfileChart(
    steps=(
        RatingPoint("connect-four", 1040, DAY),
        RatingPoint("connect-four", 980, DAY),
        RatingPoint("othello", 1025, DAY),
    ),
    newcomers={"connect-four": 1000},
    results=(
        Results("connect-four", "Connect Four", "980 ± 45", "rank 3", 1, 0, 1, True),
        Results("othello", "Othello", "1025 ± 140?", "not ranked yet", 1, 0, 0),
    ),
    accuracy=0.8,
    streak=-1,
    best_streak=1,
    medals=(0, 1, 0),
    earned=2,
    earnable=27,
    between=(1, 0, 2),
)


WORDS = Words(*(f"word {number}" for number in range(len(fields(Words)))))


def picture(chart: ProfileChart, words: Words = WORDS) -> Image.Image:
    return Image.open(io.BytesIO(draw_profile(chart, words))).convert("RGB")


@pytest.mark.parametrize(
    "chart",
    [
        CHART,
        replace(CHART, between=None, accuracy=None, streak=0),
        replace(CHART, steps=(), results=()),
        replace(CHART, steps=CHART.steps[:1], newcomers={}),
        replace(
            CHART,
            steps=[
                RatingPoint("othello", 1000 + 7 * index, DAY + timedelta(days=index)) for index in range(400)
            ],
            results=[Results("othello", "A long title" * 5, "3793 ± 1234?", "rank 1234", 12345, 678, 9, True)]
            * 6,
            streak=12345,
            medals=(120, 35, 7),
        ),
    ],
)
def test_every_profile_has_a_picture_as_wide_and_a_row_for_each_game(chart: ProfileChart) -> None:
    width, height = picture(chart).size
    assert width == WIDTH
    assert height == 494 + 84 * max(0, len(chart.results) - 3) - 22 * (len(chart.results) > 3)


@pytest.mark.parametrize(
    "changed",
    [
        {"steps": CHART.steps[:2]},
        {"newcomers": {}},
        {"results": CHART.results[:1]},
        {"accuracy": 0.5},
        {"streak": 1},
        {"best_streak": 2},
        {"medals": (1, 0, 0)},
        {"earned": 3},
        {"between": (2, 0, 1)},
    ],
)
def test_every_number_changes_the_picture(changed: dict[str, object]) -> None:
    assert picture(CHART).tobytes() != picture(replace(CHART, **changed)).tobytes()  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [field.name for field in fields(Words)])
def test_every_label_changes_the_picture(name: str) -> None:
    changed = replace(WORDS, **{name: "something else"})
    assert picture(CHART).tobytes() != picture(CHART, changed).tobytes()


@pytest.mark.parametrize("language", all_texts().languages)
def test_the_pictures_font_has_every_letter_of_its_words_and_of_the_games_titles(language: str) -> None:
    if language == "fa" and not features.check("raqm"):
        pytest.skip("FriBiDi is not on this machine, so that Persian is not drawn")
    t = all_texts().of(language)
    keys = [f"chart_{field.name}" for field in fields(Words) if f"chart_{field.name}" in t]
    assert len(keys) > 8
    for key in (*keys, *(f"game_{game}" for game in GAMES)):
        assert can_write(t(key, n=2, game="", name="")), key


def test_letters_missing_from_the_font_are_detected() -> None:
    assert can_write("Ada – Ben, 1497 ± 45?")
    assert not can_write("あだ")


def test_a_line_rises_with_the_rating() -> None:
    """Othello's green line ends above the middle between its beginning and the top of the plot."""
    rising = [RatingPoint("othello", 1000 + 100 * index, DAY) for index in range(1, 5)]
    image = picture(replace(CHART, steps=rising, results=(), medals=(0, 0, 0), streak=0, between=None))
    green = [
        (x, y)
        for x in range(80, 530)
        for y in range(20, 300)
        if _is_near(image.getpixel((x, y)), (0, 158, 115))
    ]
    left, right = min(green), max(green)
    assert left[1] - right[1] > 150


def _is_near(pixel: object, colour: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(one - other) < 12 for one, other in zip(pixel, colour, strict=True))
