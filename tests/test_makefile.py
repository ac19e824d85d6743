"""`make run` installs only the packages that a run needs, and `make audit` reads every lock file."""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


@pytest.mark.parametrize(
    ("in_environment", "in_file", "lock"),
    [
        (None, None, "requirements-demo.lock"),
        ("a.b.c", None, "requirements.lock"),
        ("", "DISCORD_TOKEN=a.b.c", "requirements-demo.lock"),
        (None, "# the token\nDISCORD_TOKEN=a.b.c", "requirements.lock"),
        (None, "export DISCORD_TOKEN = 'a.b.c' # the token", "requirements.lock"),
        (None, "DISCORD_TOKEN=\nDATABASE_URL=a.b.c", "requirements-demo.lock"),
        (None, "DISCORD_TOKEN= # none yet", "requirements-demo.lock"),
        (None, "#DISCORD_TOKEN=a.b.c", "requirements-demo.lock"),
    ],
)
def test_make_run_chooses_by_whether_there_is_a_token(
    tmp_path: Path, in_environment: str | None, in_file: str | None, lock: str
) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "requirements-demo.lock"):
        (tmp_path / name).touch()
    if in_file is not None:
        (tmp_path / ".env").write_text(in_file + "\n")
    environment = {name: value for name, value in os.environ.items() if name != "DISCORD_TOKEN"}
    if in_environment is not None:
        environment["DISCORD_TOKEN"] = in_environment

    planned = subprocess.run(
        ("make", "--dry-run", "run"),
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert f"-r {lock}\n" in planned
    assert "a.b.c" not in planned, "make would print the token"


@pytest.mark.parametrize("modules", ["", "bot/domain/season.py", "bot/domain/season.py bot/domain/clock.py"])
def test_make_mutants_installs_its_tool_and_tries_the_modules_that_are_named(modules: str) -> None:
    planned = subprocess.run(
        ("make", "--no-print-directory", "--dry-run", "mutants", f"MODULES={modules}"),
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    install, run = planned.splitlines()[-2:]
    assert " mutmut==" in install
    assert run.split()[1:] == ["-m", "tools.mutants", *modules.split()]


def test_make_audit_reads_every_lock_file_and_fails_for_a_package_that_it_cannot_look_up() -> None:
    planned = subprocess.run(
        ("make", "--dry-run", "audit"), cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    command = next(line for line in planned.splitlines() if "-m pip_audit" in line).split()
    assert "--strict" in command
    locks = {word for flag, word in pairwise(command) if flag == "-r"}
    assert locks == {file.name for file in ROOT.glob("requirements*.lock")}
