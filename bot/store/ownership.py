"""Whom files belong to that are made beside the database."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def give_to_folders_owner(file: Path) -> None:
    """Lets a file that root has made belong to whoever has its folder: a service has its own user.

    A host who restores a backup as root would else leave a database that the bot may not open.
    """
    if os.name == "nt" or os.geteuid() != 0:
        return
    owner = file.parent.stat()
    # A folder on another machine may have no such owner.
    with contextlib.suppress(OSError):
        os.chown(file, owner.st_uid, owner.st_gid)
