"""Settings of the whole suite: kernels are compiled once, and hypothesis tries the same in each run."""

from __future__ import annotations

import gc
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.skips import note, reasons_of, unlisted

ROOT = Path(__file__).parents[1]

settings.register_profile(
    "same", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
# For `make test-all`, in which a new failure is a find.
settings.register_profile("new", settings.get_profile("same"), derandomize=False, max_examples=200)
settings.load_profile("same")


def pytest_configure() -> None:
    """A shell that runs the tests in the background makes them and their children ignore these signals."""
    for name in ("SIGINT", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.default_int_handler if name == "SIGINT" else signal.SIG_DFL)


@pytest.fixture(autouse=True)
def _levels_as_before() -> Iterator[None]:
    """The command line sets the levels of loggers for the rest of its process, where other tests run."""
    loggers = [logging.getLogger(name) for name in ("", "bot", "engine", "alembic")]
    before = [logger.level for logger in loggers]
    yield
    for logger, level in zip(loggers, before, strict=True):
        if logger.level != level:
            logger.setLevel(level)


def pytest_collection_finish() -> None:
    """What collecting has made stays to the end: looking through it for garbage takes a second each time."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fails a run that skipped a test for a reason that is not listed."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(session.config, "workerinput"):  # the workers of xdist only report
        return
    reasons = reasons_of(reporter.stats.get("skipped", []))
    note(reasons)
    if strange := unlisted(reasons):
        reporter.write_line(f"\nSkipped for a reason that tests/skips.py does not list: {strange}")
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Half as many again as there are cores: a third of their time tests wait for a file or a timer."""
    cores = os.cpu_count() or 1
    return cores + cores // 2


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_setupnodes() -> None:
    """Compiles the kernels before the workers start, which would otherwise each compile them."""
    subprocess.run([sys.executable, "-m", "engine.agents"], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
