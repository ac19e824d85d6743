"""Reads the contents of a person's export from its archive."""

from __future__ import annotations

import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import Any

from bot.store.export import FILE_NAME, export_of
from bot.store.stores import Stores


def exported(stores: Stores, user_id: int) -> dict[str, list[Any]]:
    """Its rows by table."""
    url = stores.database.url
    assert url is not None
    with ThreadPoolExecutor(1) as thread:  # as the service does
        made = thread.submit(export_of, url, user_id, datetime.now(UTC)).result()
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        tables: dict[str, list[Any]] = json.loads(archive.read(FILE_NAME))["tables"]
    return tables
