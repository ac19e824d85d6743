"""Open files: every connection needs one, and systems allow few of them unless a process asks for more."""

from __future__ import annotations

import sys

WANTED = 8192

UNKNOWN = 1024
"""Assumed where the system does not tell, as on Windows."""


def raise_open_files() -> int:
    """Raise the soft limit as far as needed and allowed; return how many files this process may open."""
    if sys.platform == "win32":
        return UNKNOWN
    try:
        import resource
    except ImportError:  # a Python whose compiled modules this user may not read
        return UNKNOWN
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or soft >= WANTED:
        return WANTED
    raised = WANTED if hard == resource.RLIM_INFINITY else min(WANTED, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
    except (OSError, ValueError):  # macOS names no limit, yet has one
        return soft
    return raised
