"""Seasons: calendar months in UTC, their keys and their ends."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.season import MARKED_PLACES, MIN_WINNERS, Season

INSTANTS = st.datetimes(datetime(2000, 1, 1), datetime(2099, 12, 1), timezones=st.just(UTC))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("instant", "key"),
    [
        (datetime(2026, 11, 1, tzinfo=UTC), "2026-11"),
        (datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC), "2026-11"),
        (datetime(2026, 12, 1, 0, 30, tzinfo=timezone(timedelta(hours=1))), "2026-11"),
    ],
)
def test_a_season_is_a_month_in_utc(instant: datetime, key: str) -> None:
    assert Season.of(instant).key == key


@pytest.mark.slow
@given(INSTANTS)
def test_every_instant_lies_between_its_seasons_beginning_and_end(instant: datetime) -> None:
    season = Season.of(instant)
    assert season.begins_at <= instant < season.ends_at
    assert Season.of(season.ends_at) == season.following
    assert Season.of(season.ends_at - timedelta(seconds=1)) == season


@given(INSTANTS, INSTANTS)
def test_keys_sort_as_seasons_do(one: datetime, other: datetime) -> None:
    first, second = Season.of(one), Season.of(other)
    assert (first < second) == (first.key < second.key)
    assert Season.parse(first.key) == first


@pytest.mark.parametrize("text", ["", "2026", "2026-13", "2026-00", "26-11", "2026-1", "9999-12", "٢٠٢٦-١١"])
def test_an_invalid_month_is_no_season(text: str) -> None:
    assert Season.parse(text) is None


@pytest.mark.skipif(not hasattr(time, "tzset"), reason="Windows has no time zone for one process")
def test_a_season_is_the_same_wherever_the_machine_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")  # 14 hours ahead
    time.tzset()
    try:
        assert Season.of(datetime(2026, 11, 30, 23, 0, tzinfo=UTC)) == Season(2026, 11)
    finally:
        monkeypatch.undo()
        time.tzset()


def test_three_places_of_a_season_are_medals_once_three_people_have_won() -> None:
    assert (MARKED_PLACES, MIN_WINNERS) == (3, 3)


def test_the_month_before_is_followed_by_this_one() -> None:
    for season in (Season(2026, 1), Season(2026, 2), Season(2026, 12)):
        assert season.preceding.following == season
