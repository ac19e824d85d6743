"""The reasons for which a test may be skipped: any other fails the run, so that none stops unnoticed."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

ALLOWED = (
    # What the machine lacks
    "Windows ",
    "about SQLite's file",
    "bitbully-databases is missing",
    "could not import 'argcomplete'",
    "could not import 'dask'",
    "could not import 'mutmut'",
    "FriBiDi is not on this machine",
    "needs ",
    "no PostgreSQL here",
    "not a checkout",
    "only 127.0.0.1 is an address of a Mac",
    "only root gives files away",
    "pip install '.[cluster]'",
    "reads /proc",
    "speaks of glibc's heap",
    # What Windows has in another way
    "closing a pipe early",
    "no SIGINT for one process there",
    "no limits of files",
    "no pipes",
    # Files that take days to make
    "not all early scores are solved",
    "the columns of ply 9 have not been made",
    "the file of early scores has not been made",
    "the file of ply 9 has not been made",
    "the files of early scores have not been made",
)
"""How a reason begins."""

COUNTED_IN = "DISCADE_COUNT_SKIPS"
"""The variable that names a file to which every run adds its reasons; CI counts them at its end."""


def unlisted(reasons: Counter[str]) -> list[str]:
    return sorted(reason for reason in reasons if not reason.startswith(ALLOWED))


def reasons_of(reports: list[pytest.TestReport | pytest.CollectReport]) -> Counter[str]:
    """Return how often each reason was given."""
    given = (report.longrepr for report in reports)
    return Counter(str(one[2]).removeprefix("Skipped: ") for one in given if isinstance(one, tuple))


def note(reasons: Counter[str]) -> None:
    if name := os.environ.get(COUNTED_IN):
        with Path(name).open("a", encoding="utf-8") as file:
            file.writelines(f"{reason}\n" for reason in reasons.elements())
