"""Settings: reading and validation, and that no secret is shown."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bot.config import DEFAULT_DATABASE_URL, Settings, SettingsError, pip_install

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
            "DISCADE_HEALTH_HOST": "0.0.0.0",
            "DISCADE_EMOJI": "Off",
            "DISCORD_CLIENT_SECRET": "a-secret",
            "DISCADE_WEB_LISTEN": "0.0.0.0:9000",
            "DISCADE_WEB_URL": "https://play.example.org/",
            "DISCADE_WEB_GUESTS": "Yes",
            "DISCADE_WEB_GUEST_MATCHES": "30",
            "DISCADE_CONTACT": "ada@example.org",
        }
    )

    url = "sqlite+aiosqlite:///other.db"
    assert settings == Settings(
        TOKEN,
        url,
        tmp_path,
        7,
        9000,
        "DEBUG",
        0,
        "json",
        9100,
        emoji=False,
        health_host="0.0.0.0",
        client_secret="a-secret",
        web_listen=("0.0.0.0", 9000),
        web_url="https://play.example.org",
        web_guests=True,
        web_guest_matches=30,
        contact="ada@example.org",
    )


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
        ("DATABASE_URL", "postgresql+asyncpg://discade:secret@db:port/discade"),
        ("DISCADE_AGENTS", "no/such/folder"),
        ("DISCADE_SEARCH_THREADS", "0"),
        ("DISCADE_SEARCH_THREADS", "many"),
        ("DISCADE_DEMO_PORT", "70000"),
        ("DISCADE_DEMO_PORT", "2"),
        ("DISCADE_DEMO_PORT", "soon"),
        ("DISCADE_LOG_LEVEL", "LOUD"),
        ("DISCADE_BACKUPS", "-1"),
        ("DISCADE_BACKUPS", "9" * 5_000),
        ("DISCADE_LOG_FORMAT", "xml"),
        ("DISCADE_HEALTH_PORT", "0"),
        ("DISCADE_HEALTH_HOST", "everywhere"),
        ("DISCADE_GREETING", "maybe"),
        ("DISCADE_EMOJI", "maybe"),
        ("DISCADE_WEB_LISTEN", "9000:http"),
        ("DISCADE_WEB_URL", "http://play.example.org"),
        ("DISCADE_WEB_URL", "https://play.example.org/path"),
        ("DISCADE_WEB_LISTEN", "a b:80"),
        ("DISCADE_WEB_GUEST_MATCHES", "0"),
        ("DISCADE_CONTACT", "Ada"),
        ("DISCADE_CONTACT", "http://example.org"),
        ("DISCADE_CONTACT", "javascript:alert(1)@example.org"),
    ],
)
def test_a_bad_value_names_its_variable_and_gives_an_example(variable: str, value: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({variable: value})

    assert caught.value.variable == variable
    assert str(caught.value).startswith(variable)
    assert f"Example: {variable}=" in str(caught.value)


@pytest.mark.parametrize("port", ["0", "65536", "http"])
def test_a_refused_port_of_the_web_pages_names_the_allowed_range(port: str) -> None:
    with pytest.raises(SettingsError, match="a port from 1 to 65535"):
        Settings.from_env({"DISCADE_WEB_LISTEN": f"127.0.0.1:{port}"})


@pytest.mark.parametrize("port", ["2", "1023", "70000", "soon"])
def test_a_refused_demo_port_names_the_allowed_range_and_a_working_port(port: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Settings.from_env({"DISCADE_DEMO_PORT": port})
    allowed = "must be a port from 1024 to 65535, or 0 for any that is free."
    assert str(caught.value) == f"DISCADE_DEMO_PORT {allowed} Example: DISCADE_DEMO_PORT=8377"


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


PG = "postgresql+asyncpg://discade:geheim@db/discade"


@pytest.mark.parametrize(
    ("count", "ids", "expected"),
    [
        ("", "", (None, None)),
        ("8", "", (8, None)),
        ("8", "0-3", (8, (0, 1, 2, 3))),
        ("8", "0-1, 5,7", (8, (0, 1, 5, 7))),
        ("1", "0", (1, (0,))),
    ],
)
def test_shards_are_numbers_and_ranges(count: str, ids: str, expected: object) -> None:
    read = Settings.from_env({"DATABASE_URL": PG, "SHARD_COUNT": count, "SHARD_IDS": ids})
    assert (read.shard_count, read.shard_ids) == expected


@pytest.mark.parametrize(
    ("values", "variable"),
    [
        ({"SHARD_IDS": "0-3", "DATABASE_URL": PG}, "SHARD_COUNT"),
        ({"SHARD_IDS": "0-8", "SHARD_COUNT": "8", "DATABASE_URL": PG}, "SHARD_IDS"),
        ({"SHARD_IDS": "3-1", "SHARD_COUNT": "8", "DATABASE_URL": PG}, "SHARD_IDS"),
        ({"SHARD_IDS": "all", "SHARD_COUNT": "8", "DATABASE_URL": PG}, "SHARD_IDS"),
        ({"SHARD_COUNT": "0"}, "SHARD_COUNT"),
        ({"SHARD_IDS": "0-3", "SHARD_COUNT": "8"}, "DATABASE_URL"),
        ({"DATABASE_URL": "postgresql://discade:geheim@db/discade"}, "DATABASE_URL"),
        ({"DATABASE_URL": "postgresql+asyncpg://discade:geheim@db"}, "DATABASE_URL"),
    ],
)
def test_impossible_shard_and_server_settings_are_named(values: dict[str, str], variable: str) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.from_env(values)
    assert raised.value.variable == variable
    assert "geheim" not in str(raised.value)


def test_the_demo_never_plays_on_a_server_of_postgresql() -> None:
    settings = Settings.from_env({"DATABASE_URL": PG, "SHARD_COUNT": "4", "SHARD_IDS": "1"}).for_demo()
    assert settings.database_url == "sqlite+aiosqlite:///demo.db"
    assert (settings.shard_count, settings.shard_ids) == (1, None)


def test_a_command_that_installs_an_extra_fits_a_wheel_and_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = [one for one in sys.path if not list(Path(one).glob("discade-*.dist-info"))]
    monkeypatch.setattr(sys, "path", installed)
    assert pip_install("demo") == 'pip install ".[demo]"'
    metadata = tmp_path / "discade-0.3.0.dist-info" / "METADATA"
    metadata.parent.mkdir()
    metadata.write_text("Metadata-Version: 2.4\nName: discade\nVersion: 0.3.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert pip_install("demo") == 'pip install "discade[demo]"'
