"""The container's recipe and the service unit agree with the code."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from bot.__main__ import EXIT_SETTINGS
from bot.operation.live import DRAIN_SECONDS, PRESS_SECONDS

ROOT = Path(__file__).parents[1]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
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
    assert "USER discade" in DOCKERFILE
    assert "HEALTHCHECK" in DOCKERFILE
    assert "requirements-demo" not in DOCKERFILE
    assert re.search(r"-m (engine\S*)", DOCKERFILE), "kernels are compiled in the image"


def test_stopping_leaves_time_for_an_orderly_end() -> None:
    needed = DRAIN_SECONDS + PRESS_SECONDS
    compose = (ROOT / "compose.yaml").read_text("utf-8")
    for text, pattern in ((UNIT, r"TimeoutStopSec=(\d+)"), (compose, r"stop_grace_period: (\d+)s")):
        found = re.search(pattern, text)
        assert found is not None
        assert int(found[1]) > needed


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
