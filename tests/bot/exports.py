"""What a person's export holds, read from the archive that they would get."""

from __future__ import annotations

import io
import json
import zipfile
from datetime import UTC, datetime
from typing import Any

from bot.store import Stores
from bot.store.export import FILE_NAME, export_of


def exported(stores: Stores, user_id: int) -> dict[str, list[Any]]:
    """Its rows by table."""
    file = stores.database.file
    assert file is not None
    with zipfile.ZipFile(io.BytesIO(export_of(file, user_id, datetime.now(UTC)))) as archive:
        tables: dict[str, list[Any]] = json.loads(archive.read(FILE_NAME))["tables"]
    return tables
