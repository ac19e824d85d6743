"""The container's recipe and the service unit agree with the code."""

from __future__ import annotations

import asyncio
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from aiohttp import web
from aiohttp.test_utils import TestServer
from dotenv import dotenv_values
from sqlalchemy.engine import make_url

from bot.__main__ import EXIT_SETTINGS
from bot.config import Settings
from bot.operation.live import DRAIN_SECONDS, PRESS_SECONDS
from tests.working import MAX_TEST_WAIT_SECONDS

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
COMPOSE = (ROOT / "compose.yaml").read_text("utf-8")
FLY = tomllib.loads((ROOT / "deploy" / "fly.toml").read_text("utf-8"))
UNIT_PATH = "/etc/systemd/system/"
UNIT = (ROOT / "deploy" / "discade.service").read_text("utf-8")


def test_the_image_copies_existing_files_that_dockerignore_admits() -> None:
    let_through = set(re.findall(r"^!(\S+)$", (ROOT / ".dockerignore").read_text("utf-8"), re.MULTILINE))
    copied = {
        name
        for line in re.findall(r"^COPY (?!--)(.*)$", DOCKERFILE, re.MULTILINE)
        for name in line.split()[:-1]
    }
    assert copied == let_through
    assert all((ROOT / name).exists() for name in copied)


def test_the_image_runs_unprivileged_with_a_health_check() -> None:
    user = re.search(r"^USER (\d+)$", DOCKERFILE, re.MULTILINE)
    assert user is not None
    assert f"useradd --uid {user[1]} " in DOCKERFILE
    assert "install -d -o discade -g discade -m 0700 /data" in DOCKERFILE, (
        "a new volume gets its owner from it"
    )
    assert "HEALTHCHECK" in DOCKERFILE
    assert "requirements-demo" not in DOCKERFILE
    assert re.search(r"-m (engine\S*)", DOCKERFILE), "kernels are compiled in the image"


async def test_the_health_check_passes_where_the_page_answers_and_where_the_port_is_empty() -> None:
    command = re.search(r"^HEALTHCHECK .*\n  CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert command is not None
    _, *arguments = json.loads(command[1])

    async def exit_code(port: str) -> int:
        # A proxy of the host's does not reach the page of the image itself.
        environment = {**os.environ, "DISCADE_HEALTH_PORT": port, "http_proxy": "http://127.0.0.1:9"}
        done = await asyncio.create_subprocess_exec(
            sys.executable, *arguments, env=environment, stderr=asyncio.subprocess.DEVNULL
        )
        return await asyncio.wait_for(done.wait(), MAX_TEST_WAIT_SECONDS)

    status = 200

    async def healthz(_request: web.Request) -> web.Response:
        return web.Response(status=status)

    application = web.Application()
    application.add_routes([web.get("/healthz", healthz)])
    async with TestServer(application) as page:
        assert await exit_code(str(page.port)) == 0
        status = 503
        assert await exit_code(str(page.port)) == 1
    assert await exit_code(str(page.port)) == 1
    assert await exit_code("") == 0


def test_stopping_leaves_time_for_an_orderly_end() -> None:
    needed = DRAIN_SECONDS + PRESS_SECONDS
    for text, pattern in ((UNIT, r"TimeoutStopSec=(\d+)"), (COMPOSE, r"stop_grace_period: (\d+)s")):
        found = re.search(pattern, text)
        assert found is not None
        assert int(found[1]) > needed


def test_fly_runs_the_image_with_its_volume_for_the_database_and_asks_the_health_page() -> None:
    settings = Settings.from_env(FLY["env"])
    folder = FLY["mounts"]["destination"]
    assert str(make_url(settings.database_url).database).startswith(f"{folder}/")
    assert FLY["env"]["NUMBA_CACHE_DIR"].startswith(f"{folder}/")
    check = FLY["checks"]["health"]
    assert (settings.health_host, settings.health_port, check["path"]) == (
        "0.0.0.0",
        check["port"],
        "/healthz",
    )
    assert not FLY.keys() & {"services", "http_service"}, "the page has no password"
    assert FLY["kill_signal"] == "SIGTERM"
    assert int(FLY["kill_timeout"].removesuffix("s")) > DRAIN_SECONDS + PRESS_SECONDS
    assert re.search(rf"^FROM bot AS {FLY['build']['build-target']}$", DOCKERFILE, re.MULTILINE)
    assert DOCKERFILE.rstrip().endswith("\nFROM bot"), "where no target is named nothing runs as root"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="needs root, and setpriv",
)
def test_a_volume_of_roots_is_given_to_the_user_who_then_runs_the_verb(tmp_path: Path) -> None:
    command = re.search(r'^ENTRYPOINT (\["/bin/sh".*\])$', DOCKERFILE, re.MULTILINE)
    assert command is not None
    (tmp_path / "backups").mkdir()
    shell = [
        part.replace("/data", str(tmp_path)).replace("--clear-groups discade", "--clear-groups /bin/sh -c")
        for part in json.loads(command[1])
    ]
    done = subprocess.run([*shell, 'id -u; echo "$0"', "run"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["10001", "run"]
    assert {path.stat().st_uid for path in (tmp_path, tmp_path / "backups")} == {10001}


def test_the_page_about_deploying_has_numbered_steps_that_name_the_files() -> None:
    page = (ROOT / "docs" / "deploying.md").read_text("utf-8")
    _, *ways = re.split(r"^## ", page, flags=re.MULTILINE)
    files = sorted(file.name for file in (ROOT / "deploy").iterdir())
    assert files == ["discade.service", "fly.toml"]
    assert len(ways) == len(files)
    for way in ways:
        steps = [int(number) for number in re.findall(r"^(\d+)\. ", way, re.MULTILINE)]
        assert steps == list(range(1, 7)), way[:20]
    assert re.findall(r"deploy/([\w.]+\w) ", page) == ["fly.toml", "discade.service"]
    app, region = FLY["app"], FLY["primary_region"]
    assert f"fly volumes create {FLY['mounts']['source']} --app {app} --region {region} --size 1" in page
    assert UNIT_PATH in page
    for path in re.findall(r"/(?:etc|opt|var/lib)/discade\b", page):
        assert path in UNIT or path == "/var/lib/discade", path


def test_the_service_is_not_restarted_when_the_host_must_act() -> None:
    assert f"RestartPreventExitStatus={EXIT_SETTINGS}" in UNIT
    assert "KillMode=mixed" in UNIT, "else agents' processes are ended before they have answered"


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / "discade.service"
    unit.write_text(UNIT.replace("/opt/discade/bin/discade run", "/bin/true"))
    done = subprocess.run(
        ("systemd-analyze", "verify", str(unit)), capture_output=True, text=True, check=False
    )
    assert "discade.service" not in done.stderr, done.stderr


def test_the_image_has_asyncpg_and_dask_only_on_request() -> None:
    usual, large = (
        set(re.findall(r"^(\S+)==(\S+)", (ROOT / name).read_text("utf-8"), re.MULTILINE))
        for name in ("requirements.lock", "requirements-large.lock")
    )
    assert usual < large, "of the same versions"
    assert {"asyncpg", "dask", "distributed"} <= {name for name, _ in large - usual}
    assert "ARG LOCK=requirements.lock" in DOCKERFILE


def composed(env_file: str) -> Settings:
    """The bot's settings in the container: as Compose reads the file, with these lines in .env."""
    values = {name: value or "" for name, value in dotenv_values(stream=io.StringIO(env_file)).items()}
    service = yaml.safe_load(COMPOSE)["services"]["discade"]
    assert service["env_file"] == ".env"

    def usual_or_own(reference: re.Match[str]) -> str:
        return values.get(reference["name"]) or reference["usual"]

    own = {
        name: re.sub(r"\$\{(?P<name>\w+):-(?P<usual>[^}]*)\}", usual_or_own, text)
        for name, text in service["environment"].items()
    }
    return Settings.from_env({**values, **own})


def test_compose_has_a_database_in_the_volume_and_a_health_page_for_other_containers() -> None:
    for env_file in ("", "DATABASE_URL=\nDISCADE_HEALTH_PORT=\n"):
        found = composed(env_file)
        assert found.database_url == "sqlite+aiosqlite:////data/discade.db"
        assert (found.health_host, found.health_port) == ("0.0.0.0", 8080)


def test_compose_publishes_the_web_pages_to_this_machine_alone() -> None:
    (published,) = yaml.safe_load(COMPOSE)["services"]["discade"]["ports"]  # not the health page: no password
    address, _, inside = published.rpartition(":")
    assert address == "127.0.0.1:8378"
    assert composed("DISCADE_WEB_LISTEN=127.0.0.1:9000\n").web_listen == ("0.0.0.0", int(inside))


def test_values_of_the_env_file_count_in_compose() -> None:
    server = "postgresql+asyncpg://discade:secret@db/discade"
    found = composed(f"DATABASE_URL={server}\nDISCADE_HEALTH_PORT=9100\nDISCADE_HEALTH_HOST=127.0.0.1\n")
    assert (found.database_url, found.health_port, found.health_host) == (server, 9100, "127.0.0.1")
