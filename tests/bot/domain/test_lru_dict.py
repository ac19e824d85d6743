"""Tests of `LruDict`."""

from __future__ import annotations

from bot.domain.lru_dict import LruDict


def test_a_full_dict_evicts_its_oldest_entry() -> None:
    entries: LruDict[str, int] = LruDict(2)
    entries["a"], entries["b"], entries["c"] = 1, 2, 3
    assert list(entries.items()) == [("b", 2), ("c", 3)]


def test_setting_an_entry_again_makes_it_the_newest() -> None:
    entries: LruDict[str, int] = LruDict(2)
    entries["a"], entries["b"] = 1, 2
    entries["a"] = 3
    entries["c"] = 4
    assert list(entries.items()) == [("a", 3), ("c", 4)]


def test_a_removed_entry_leaves_room() -> None:
    entries: LruDict[str, int] = LruDict(2)
    entries["a"], entries["b"] = 1, 2
    assert entries.pop("a", None) == 1
    entries["c"] = 3
    assert list(entries) == ["b", "c"]
