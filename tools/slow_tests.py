"""Measure every test and write the slow ones to tests/slow.txt, for `make test-slow` instead of `make test`.

    python -m tools.slow_tests

A test is slow if it takes more than LIMIT seconds of processor time, including its child processes.
Wall-clock time would depend on other load on the machine.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LIST = ROOT / "tests" / "slow.txt"
LIMIT = 0.3

ALWAYS = ("tests/test_dependencies.py", "tests/test_docstrings.py", "tests/bot/test_i18n.py")
"""Tests that almost any change can break; they always run in `make test`."""

_FOLDER = "DISCADE_TEST_TIMES"


def _seconds() -> float:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Hook of `-p tools.slow_tests` in pytest: write the test's time to one file for each worker."""
    began = _seconds()
    try:
        return (yield)
    finally:
        with open(os.path.join(os.environ[_FOLDER], str(os.getpid())), "a", encoding="utf-8") as file:
            file.write(f"{_seconds() - began:.3f} {item.nodeid}\n")


def main() -> int:
    """Run the tests without their own slow mark, then write the list; return pytest's exit status."""
    with tempfile.TemporaryDirectory() as folder:
        status = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "tools.slow_tests", "-n", "auto", "-m", "not slow"],
            cwd=ROOT,
            env={**os.environ, _FOLDER: folder},
            check=False,
        ).returncode
        measured = (
            line.split(" ", 1) for file in Path(folder).iterdir() for line in file.open(encoding="utf-8")
        )
        slow = {
            name.strip() for took, name in measured if float(took) > LIMIT and not name.startswith(ALWAYS)
        }
    LIST.write_text("".join(f"{name}\n" for name in sorted(slow)), "utf-8")
    print(f"{len(slow)} tests take more than {LIMIT} s of processor time")
    return status


if __name__ == "__main__":
    sys.exit(main())
