"""Measure every test, and list the slow ones without the mark `slow` and the quick ones with it.

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
from collections.abc import Generator, Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
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
        mark = "slow" if item.get_closest_marker("slow") else "quick"
        with open(os.path.join(os.environ[_FOLDER], str(os.getpid())), "a", encoding="utf-8") as file:
            file.write(f"{_seconds() - began:.3f} {mark} {item.nodeid}\n")


def wrongly_marked(measured: Iterable[str]) -> Iterator[str]:
    """The lines of tests that are slow without the mark, or have it and take a third of LIMIT at most."""
    for line in sorted(measured, key=lambda line: line.split(" ", 2)[2]):
        took, mark, name = line.split(" ", 2)
        if mark == "quick" and float(took) > LIMIT and not name.startswith(ALWAYS):
            yield f"slow, not marked: {took} s {name}"
        elif mark == "slow" and float(took) < LIMIT / 3:
            yield f"marked, not slow: {took} s {name}"


def main() -> int:
    """Run all tests and print the wrongly marked ones; return pytest's exit status."""
    with tempfile.TemporaryDirectory() as folder:
        status = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "tools.slow_tests", "-n", "auto"],
            cwd=ROOT,
            env={**os.environ, _FOLDER: folder},
            check=False,
        ).returncode
        lines = [line for file in Path(folder).iterdir() for line in file.read_text("utf-8").splitlines()]
    print("\n".join(wrongly_marked(lines)))
    return status


if __name__ == "__main__":
    sys.exit(main())
