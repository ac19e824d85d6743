"""The lock that lets one process at a time write to a SQLite database; it ends with the process.

It is on a file beside the database. The file stays: removing it would let two processes lock two files of one
name. Commands that only read need no lock.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from bot.store.ownership import give_to_folders_owner
from bot.store.versions import Unusable, file_of

SUFFIX = ".lock"


class InUse(Unusable):
    """Another process uses the database."""


_HELD = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK})
"""Errors for a lock that another process holds; others mean that the folder cannot be locked."""

_LOCKED_BYTE = 1 << 20
"""A byte far behind the process number: Windows locks a byte against reading, too."""


@contextlib.contextmanager
def held(url: str, way_out: str = "choose another DATABASE_URL") -> Iterator[None]:
    """Hold the database at `url` for this process; raises InUse where another one has it, or Unusable.

    way_out: what the person can do besides ending the other process.
    """
    database = file_of(url)
    if database is None:
        yield
        return
    # Links may give the same file other names.
    path = Path(os.path.realpath(database) + SUFFIX)
    try:
        lock = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except FileNotFoundError:
        raise Unusable(f"The folder of {database} does not exist: make it, or change DATABASE_URL.") from None
    except OSError as error:
        raise Unusable(f"{path} cannot be written ({error.strerror}): Discade needs that folder.") from None
    try:
        give_to_folders_owner(path)
        try:
            _lock(lock)
        except OSError as error:
            if error.errno not in _HELD:
                raise Unusable(
                    f"{path} cannot be locked ({error.strerror}): put the database on a disk of this machine."
                ) from None
            owner = os.read(lock, 20).decode("ascii", "replace").strip()
            raise InUse(
                f"{database} is in use by another Discade{f', process {owner}' if owner else ''}: "
                f"end that one first, or {way_out}."
            ) from None
        os.ftruncate(lock, 0)
        os.write(lock, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(lock)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        position = os.lseek(file, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(file, position - _LOCKED_BYTE, os.SEEK_SET)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
