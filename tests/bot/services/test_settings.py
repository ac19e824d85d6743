"""Settings of people and servers: kept over restarts, independent, and combined on shared boards."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, timedelta
from pathlib import Path
from zoneinfo import available_timezones

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from bot.domain.panel_choices import Against, Mode, Start
from bot.domain.preferences import HIGHEST_LEVEL, Preferences, ServerSettings, shared
from bot.domain.terms import First
from bot.presentation import CLASSIC, Look, Size, Theme
from bot.services.settings import SettingsCache
from bot.store.stores import Stores
from bot.ui.settings.views import ZONES
from tests.bot.made_once import database_url

ADA, BEN, GUILD = 11, 12, 900


@pytest.fixture
async def stores(database: Path) -> AsyncIterator[Stores]:
    opened = await Stores.open(database_url(database))
    yield opened
    await opened.close()


async def test_a_person_without_settings_has_no_preferences(stores: Stores) -> None:
    settings_cache = await SettingsCache.load(stores.preferences)
    assert settings_cache.person(ADA) == Preferences()
    assert settings_cache.person(None).look == CLASSIC
    assert settings_cache.server(GUILD) == settings_cache.server(None) == ServerSettings()
    assert not settings_cache.servers()


async def test_every_wish_is_kept_over_a_restart(stores: Stores) -> None:
    began = Start("othello", "plugin:mine", First.OPPONENT, Mode.COACH, Against.ANYONE)
    wishes = Preferences(Theme.LETTERS, Size.LARGE, "fa", is_called=False, start=began)
    settings_cache = await SettingsCache.load(stores.preferences)
    await settings_cache.prefer(ADA, Preferences(Theme.DARK))
    await settings_cache.prefer(ADA, wishes)
    again = await SettingsCache.load(stores.preferences)
    assert settings_cache.person(ADA) == again.person(ADA) == wishes
    assert again.person(BEN) == Preferences()


@pytest.mark.slow
async def test_every_decision_of_a_server_is_kept_over_a_restart(stores: Stores) -> None:
    settings = ServerSettings(
        "de", frozenset({3, 1, 2}), 5, 0, 10, 7,
        is_sharing=False, panel_channel=5,
    )  # fmt: skip
    settings_cache = await SettingsCache.load(stores.preferences)
    await settings_cache.save(GUILD, settings)
    again = await SettingsCache.load(stores.preferences)
    assert settings_cache.server(GUILD) == again.server(GUILD) == settings
    assert dict(again.servers()) == {GUILD: settings}
    await again.save(GUILD, ServerSettings())
    assert (await SettingsCache.load(stores.preferences)).server(GUILD) == ServerSettings()


async def test_settings_that_could_not_be_stored_are_not_cached(stores: Stores) -> None:
    settings_cache = await SettingsCache.load(stores.preferences)
    async with stores.database.writing() as connection:
        await connection.execute(sa.text("DROP TABLE preferences"))
    with pytest.raises(DBAPIError):
        await settings_cache.prefer(ADA, Preferences(Theme.DARK))
    assert settings_cache.person(ADA) == Preferences()


@pytest.mark.parametrize(
    ("themes", "seen"),
    [
        ((None, None), Theme.CLASSIC),
        ((None, Theme.DARK), Theme.DARK),
        ((Theme.CLASSIC, Theme.CLASSIC), Theme.CLASSIC),
        ((Theme.DARK, Theme.COLOUR_BLIND), Theme.COLOUR_BLIND),
        ((Theme.SHAPES, Theme.COLOUR_BLIND), Theme.SHAPES),
        ((Theme.LETTERS, Theme.SHAPES), Theme.LETTERS),
    ],
)
def test_two_players_see_the_more_accessible_theme(
    themes: tuple[Theme | None, Theme | None], seen: Theme
) -> None:
    assert shared(Preferences(theme) for theme in themes) == Look(seen)
    assert shared(Preferences(theme) for theme in reversed(themes)) == Look(seen)


def test_the_larger_size_is_shared() -> None:
    assert shared([Preferences(size=Size.SMALL), Preferences()]).size is Size.SMALL
    assert shared([Preferences(size=Size.SMALL), Preferences(size=Size.LARGE)]).size is Size.LARGE


@pytest.mark.parametrize(
    "changes",
    [
        {"puzzle_hour": 24},
        {"puzzle_hour": -1},
        {"highest_level": 0},
        {"highest_level": HIGHEST_LEVEL + 1},
    ],
)
def test_a_setting_out_of_range_is_refused(changes: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="no "):
        ServerSettings().changed(**changes)


def test_a_server_that_names_channels_plays_there_and_in_their_threads_only() -> None:
    settings = ServerSettings(play_channels=frozenset({1, 2}))
    assert settings.allows(1)
    assert settings.allows(99, 2)
    assert not settings.allows(99, None)
    assert ServerSettings().allows(99)


async def test_settings_are_read_in_pages_and_equal_ones_share_memory(
    stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    wishes = {number: Preferences(Theme.DARK if number % 2 else None) for number in range(1, 8)}
    for number, chosen in wishes.items():
        await stores.preferences.save_preferences(number, chosen)
    monkeypatch.setattr("bot.store.preferences.ROWS_AT_ONCE", 3)
    read = await stores.preferences.all_preferences()
    assert read == wishes
    assert len({id(chosen) for chosen in read.values()}) == 2


@pytest.mark.parametrize(("zone", "hour", "posts"), [
    ("UTC", 9, {"2026-03-28": "28 09:00", "2026-03-29": "29 09:00"}),
    ("Europe/Berlin", 9, {"2026-03-28": "28 08:00", "2026-03-29": "29 07:00"}),  # summer time begins
    ("Europe/Berlin", 2, {"2026-03-28": "28 01:00", "2026-03-29": "29 01:00"}),  # it is three at once
    ("Europe/Berlin", 1, {"2026-03-29": "29 00:00", "2026-03-30": "30 23:00"}),
    ("Europe/Berlin", 1, {"2026-10-24": "24 23:00", "2026-10-25": "25 00:00", "2026-10-26": "26 00:00"}),
    ("America/New_York", 20, {"2026-07-01": "01 00:00", "2026-12-01": "01 01:00"}),
    ("Asia/Kolkata", 9, {"2026-07-01": "01 03:30"}),
    ("Pacific/Auckland", 9, {"2026-07-01": "01 21:00", "2026-12-01": "01 20:00"}),
    ("Mars/Olympus_Mons", 9, {"2026-07-01": "01 09:00"}),
])  # fmt: skip
def test_the_daily_puzzle_is_posted_at_the_hour_of_the_zone(
    zone: str, hour: int, posts: dict[str, str]
) -> None:
    chosen = ServerSettings(puzzle_hour=hour, puzzle_zone=zone)
    assert {day: chosen.posts_at(date.fromisoformat(day)).strftime("%d %H:%M") for day in posts} == posts


def test_every_offered_time_zone_is_known_and_has_a_post_on_each_day() -> None:
    assert len(ZONES) == 25
    for zone in ZONES:
        assert zone in available_timezones()
        days = [date(2026, 1, 1) + timedelta(days=count) for count in range(366)]
        posts = [ServerSettings(puzzle_hour=1, puzzle_zone=zone).posts_at(day) for day in days]
        assert [at.date() for at in posts] == days
