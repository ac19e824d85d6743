"""The picture of a profile: its size, and that what it tells is seen in it."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import date, timedelta

import pytest
from PIL import Image

from bot.presentation.profile import HEIGHT, WIDTH, ProfileChart, Results, Step, draw_profile

DAY = date(2026, 11, 21)
CHART = ProfileChart(
    steps=(Step("connect-four", 1040, DAY), Step("connect-four", 980, DAY), Step("othello", 1025, DAY)),
    newcomers={"connect-four": 1000},
    results=(Results("connect-four", 980, 1, 0, 1, True), Results("othello", 1025, 1, 0, 0)),
    accuracy=0.8,
    streak=-1,
    best_streak=1,
    medals=(0, 1, 0),
    earned=2,
    earnable=27,
    between=(1, 0, 2),
)


def picture(chart: ProfileChart) -> Image.Image:
    return Image.open(io.BytesIO(draw_profile(chart))).convert("RGB")


@pytest.mark.parametrize(
    "chart",
    [
        CHART,
        replace(CHART, between=None, accuracy=None, streak=0),
        replace(CHART, steps=(), results=()),
        replace(CHART, steps=CHART.steps[:1], newcomers={}),
        replace(
            CHART,
            steps=[Step("othello", 1000 + 7 * index, DAY + timedelta(days=index)) for index in range(400)],
            results=[Results("othello", 3793, 12345, 678, 9, True)] * 4,
            streak=12345,
            medals=(120, 35, 7),
        ),
    ],
)
def test_every_profile_has_a_picture_of_the_same_size(chart: ProfileChart) -> None:
    assert picture(chart).size == (WIDTH, HEIGHT)


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
def test_everything_that_is_told_is_seen(changed: dict[str, object]) -> None:
    assert picture(CHART).tobytes() != picture(replace(CHART, **changed)).tobytes()  # type: ignore[arg-type]


def test_a_line_rises_with_the_rating() -> None:
    """Othello's green line ends above the middle between its beginning and the top of the plot."""
    rising = [Step("othello", 1000 + 100 * index, DAY) for index in range(1, 5)]
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
