"""A test that is skipped for a reason nobody has listed fails the run, and CI counts the reasons."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.skips import COUNTED_IN

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(("reason", "code"), [("needs chromium", 0), ("takes too long", 1)])
def test_a_skip_for_a_reason_that_is_not_listed_fails_the_run(tmp_path: Path, reason: str, code: int) -> None:
    (tmp_path / "tests").mkdir()
    for name in ("__init__.py", "conftest.py", "skips.py"):
        shutil.copy(ROOT / "tests" / name, tmp_path / "tests")
    (tmp_path / "tests" / "test_it.py").write_text(
        f"import pytest\n\n@pytest.mark.skip(reason={reason!r})\ndef test_it(): ...\n"
    )
    counted = tmp_path / "reasons"
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests"],
        cwd=tmp_path, env=os.environ | {COUNTED_IN: str(counted)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    assert (reason in done.stdout.partition("does not list")[2]) == bool(code)
    assert counted.read_text("utf-8") == f"{reason}\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no bash")
def test_ci_tries_three_times_to_install_a_browser_and_counts_the_skips_at_its_end(tmp_path: Path) -> None:
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("bash", "mktemp", "touch", "chmod", "sort", "uniq", "dirname"):
        (programs / name).symlink_to(shutil.which(name) or name)
    for name, line in {
        "apt-get": f"echo once >> '{tmp_path}/tries'; exit 1",
        "id": "echo 0",
        "make": 'echo "needs chromium" >> "$DISCADE_COUNT_SKIPS"',
        "sleep": ":",
    }.items():
        (programs / name).write_text(f"#!{programs / 'bash'}\n{line}\n")
        (programs / name).chmod(0o755)
    done = subprocess.run(
        [str(programs / "bash"), str(ROOT / ".ci" / "run")],
        env={"PATH": str(programs), "TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tries").read_text().count("once") == 3
    assert "4 needs chromium\nNO BROWSER COULD BE INSTALLED: ITS TESTS WERE SKIPPED\n" in done.stdout
