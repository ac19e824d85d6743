"""The owner of files that are made beside the database."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def give_to_folders_owner(file: Path) -> None:
    """Give a file that root has made to the owner of its folder, such as a service's user.

    Otherwise a host who restores a backup as root would leave a database that the bot cannot open.
    """
    if os.name == "nt" or os.geteuid() != 0:
        return
    owner = file.parent.stat()
    # A folder on another machine may have no such owner.
    with contextlib.suppress(OSError):
        os.chown(file, owner.st_uid, owner.st_gid)
