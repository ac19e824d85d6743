"""Marks the slow cases of a parametrised test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def mark_slow(cases: Iterable[Any], is_slow: Callable[[Any], bool]) -> list[Any]:
    """The cases for `parametrize`; `make test` leaves out the slow ones."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        if is_slow(case)
        else case
        for case in cases
    ]
