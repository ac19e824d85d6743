"""How tests call what only kernels can."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


def called(part: Callable[..., Any]) -> Callable[..., Any]:
    """An inlined part of kernels, compiled so that Python can call it."""

    @numba.njit
    def call(*arguments: Any) -> Any:
        return part(*arguments)

    result: Callable[..., Any] = call
    return result
