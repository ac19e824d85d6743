"""Ports for servers that are started later, in other processes."""

from __future__ import annotations

import itertools
import os
import socket

FIRST, LAST = 10_000, 32_000
"""Systems give ports above these to whatever asks for any, so one of these stays free until it is used."""

# Each process of the tests begins elsewhere.
_numbers = itertools.count(os.getpid() * 1009)


def unused_port() -> int:
    """Return a port of 127.0.0.1 that is free, and that this process has not had before."""
    for number in _numbers:
        port = FIRST + number % (LAST - FIRST)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise AssertionError("numbers have no end")
