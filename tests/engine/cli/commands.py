"""Runs the engine's command line inside the process of the tests."""

from __future__ import annotations

import io
import logging
import sys
from dataclasses import dataclass

import pytest

from engine.__main__ import main


@dataclass(frozen=True)
class Done:
    """The exit code and the output of a command."""

    returncode: int
    stdout: str
    stderr: str


def engine(*arguments: str, typed: str = "", **environment: str | None) -> Done:
    """What `python -m engine` would answer, without the second that starting a process takes."""
    streams = {name: io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n") for name in ("stdout", "stderr")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(typed.encode()), "utf-8"))
        for name, stream in streams.items():
            patch.setattr(sys, name, stream)
        patch.setattr(logging.getLogger(), "handlers", [])
        patch.setenv("DISCADE_AGENTS", "")
        for variable, value in environment.items():
            if value is None:
                patch.delenv(variable)
            else:
                patch.setenv(variable, value)
        try:
            code = main(arguments)
        except SystemExit as ended:  # argparse's
            code = int(ended.code or 0)
    said = {}
    for name, stream in streams.items():
        stream.flush()
        said[name] = stream.buffer.getvalue().decode()
    return Done(code, **said)
