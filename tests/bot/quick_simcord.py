"""simcord's own bookkeeping in less time; it took a quarter of that of an interface test."""

from __future__ import annotations

import copy
import marshal
from types import SimpleNamespace
from typing import Any

import simcord._runtime
import simcord.env
import simcord.gateway
import simcord.http.router


def copied(value: Any) -> Any:
    """A deep copy; a payload of plain values, which most are, takes a tenth of the time of `deepcopy`."""
    try:
        return marshal.loads(marshal.dumps(value))
    except ValueError:
        return copy.deepcopy(value)


def make_quick() -> None:
    """Replace what takes simcord long, by parts with the same results."""
    for module in (simcord.gateway, simcord.http.router):
        module.copy = SimpleNamespace(deepcopy=copied)  # type: ignore[attr-defined]

    # A callback is taken from the list of those under way by comparing all of its fields with each one's.
    record: Any = simcord._runtime._CallbackRecord
    record.__eq__ = object.__eq__
    record.__hash__ = object.__hash__

    env: Any = simcord.env
    virtualize = env._virtualize_recognized_waits

    def virtualize_if_any(state: Any, pending: Any) -> None:
        """The original looks at each timer for each task, to cancel those that run in real time, too."""
        for timer in state.work.callbacks:
            if timer.real_handle is not None and not timer.real_handle.cancelled():
                virtualize(state, pending)
                return

    env._virtualize_recognized_waits = virtualize_if_any


make_quick()
