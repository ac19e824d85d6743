"""What is remembered of late."""

from __future__ import annotations

from bot.domain.remembered import Remembered


def test_the_oldest_entry_gives_way_where_there_is_no_room_for_one_more() -> None:
    known: Remembered[str, int] = Remembered(2)
    known["a"], known["b"], known["c"] = 1, 2, 3
    assert list(known.items()) == [("b", 2), ("c", 3)]


def test_what_is_set_again_is_the_newest() -> None:
    known: Remembered[str, int] = Remembered(2)
    known["a"], known["b"] = 1, 2
    known["a"] = 3
    known["c"] = 4
    assert list(known.items()) == [("a", 3), ("c", 4)]


def test_what_is_taken_out_leaves_room() -> None:
    known: Remembered[str, int] = Remembered(2)
    known["a"], known["b"] = 1, 2
    assert known.pop("a", None) == 1
    known["c"] = 3
    assert list(known) == ["b", "c"]
