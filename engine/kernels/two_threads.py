"""Run the same search in two threads: the first answer counts and ends the other thread's search."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from engine.kernels.running import Flag

T = TypeVar("T")

_HELPER_DELAY_SECONDS = 0.0005
"""An answer within this time needs no second thread."""


def first_of_two(
    own: Callable[[], T | None], stop_own: Flag, twin: Callable[[], T | None], stop_twin: Flag
) -> T | None:
    """Return the first answer of `own`, called in this thread, or `twin`, called in a thread of its own.

    None if neither finds one. Both must return None soon after their flag is raised; both have finished
    when this returns.
    """
    found: list[T] = []
    is_over = threading.Event()

    def help_on() -> None:
        if not is_over.wait(_HELPER_DELAY_SECONDS) and (answer := twin()) is not None:
            found.append(answer)
            stop_own[0] = 1

    helper = threading.Thread(target=help_on, name=f"{threading.current_thread().name} twin", daemon=True)
    helper.start()
    try:
        answer = own()
    finally:
        stop_twin[0] = 1
        is_over.set()
        helper.join()
    return found[0] if answer is None and found else answer
