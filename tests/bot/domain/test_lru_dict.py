"""The promise that rate limits and caches rely on."""

from __future__ import annotations

from bot.domain.lru_dict import LruDict


def test_a_full_dict_evicts_the_entry_used_least_recently() -> None:
    entries: LruDict[str, int] = LruDict(3)
    entries["read"], entries["left"], entries["set"] = 1, 2, 3
    entries["set"] = 4
    assert entries.get("read") == 1
    entries["new"] = 5
    assert dict(entries) == {"read": 1, "set": 4, "new": 5}
