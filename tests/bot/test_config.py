"""Settings: what is read, what is refused, and that no secret shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.config import DEFAULT_DATABASE_URL, Settings, SettingsError

TOKEN = "MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs"


def test_an_empty_environment_gives_the_demo_on_the_default_database() -> None:
    settings = Settings.from_env({})

    assert settings.token is None
    assert settings.database_url == DEFAULT_DATABASE_URL
    assert settings.agents_folder is None
    assert settings.search_threads >= 2


def test_every_variable_is_read(tmp_path: Path) -> None:
    settings = Settings.from_env(
        {
            "DISCORD_TOKEN": f" {TOKEN} ",
            "DATABASE_URL": "sqlite+aiosqlite:///other.db",
            "DISCADE_AGENTS": str(tmp_path),
            "DISCADE_SEARCH_THREADS": "7",
            "DISCADE_DEMO_PORT": "9000",
            "DISCADE_LOG_LEVEL": "debug",
            "DISCADE_BACKUPS": "0",
            "DISCADE_LOG_FORMAT": "JSON",
            "DISCADE_HEALTH_PORT": "9100",
        }
    )

    url = "sqlite+aiosqlite:///other.db"
    assert settings == Settings(TOKEN, url, tmp_path, 7, 9000, "DEBUG", 0, "json", 9100)


@pytest.mark.parametrize(
    ("url", "demo"),
    [
        (DEFAULT_DATABASE_URL, "sqlite+aiosqlite:///demo.db"),
        ("sqlite+aiosqlite:////srv/bot/live.db", "sqlite+aiosqlite:////srv/bot/demo.db"),
        ("sqlite+aiosqlite:////srv/bot/demo.db", "sqlite+aiosqlite:////srv/bot/demo-demo.db"),
        ("sqlite+aiosqlite://", "sqlite+aiosqlite://"),
    ],
)
def test_the_demo_has_a_database_of_its_own_beside_the_one_people_play_on(url: str, demo: str) -> None:
    assert Settings.from_env({"DATABASE_URL": url}).for_demo().database_url == demo


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("DISCORD_TOKEN", "my-secret"),
        ("DATABASE_URL", "mysql://somewhere"),
        ("DATABASE_URL", "not a url"),
        ("DISCADE_AGENTS", "no/such/folder"),
        ("DISCADE_SEARCH_THREADS", "0"),
        ("DISCADE_SEARCH_THREADS", "many"),
        ("DISCADE_DEMO_PORT", "70000"),
        ("DISCADE_LOG_LEVEL", "LOUD"),
        ("DISCADE_BACKUPS", "-1"),
        ("DISCADE_LOG_FORMAT", "xml"),
        ("DISCADE_HEALTH_PORT", "0"),
        ("DISCADE_GREETING", "maybe"),
    ],
)
def test_a_bad_value_names_its_variable_and_gives_an_example(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({variable: value})

    assert caught.value.variable == variable
    assert str(caught.value).startswith(variable)
    assert f"Example: {variable}=" in str(caught.value)


def test_the_token_never_shows() -> None:
    assert TOKEN not in repr(Settings.from_env({"DISCORD_TOKEN": TOKEN}))
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"DISCORD_TOKEN": "my-secret"})
    assert "my-secret" not in str(caught.value)


def test_every_variable_stands_in_the_example_file() -> None:
    example = (Path(__file__).parents[2] / ".env.example").read_text("utf-8")
    source = (Path(__file__).parents[2] / "bot" / "config.py").read_text("utf-8")

    for variable in ("DISCORD_TOKEN", "DATABASE_URL", "DISCADE_AGENTS", "DISCADE_SEARCH_THREADS",
                     "DISCADE_DEMO_PORT", "DISCADE_LOG_LEVEL"):  # fmt: skip
        assert f"\n{variable}=" in example
        assert f'"{variable}"' in source
