"""What players keep between two moves stays within a bound, and belongs to one of them at a time."""

from __future__ import annotations

import gc

from engine.games.kept_memory import KeptMemory


class Owner:
    """Somebody who keeps something."""


def test_an_owner_gets_its_own_back_if_it_is_of_that_kind() -> None:
    kept: KeptMemory[list[int]] = KeptMemory(100)
    one, other = Owner(), Owner()
    mine = kept.take(one, "a", list)
    kept.give_back(one, "a", 10, mine)
    assert kept.take(other, "a", list) is not mine
    assert kept.take(one, "a", list) is mine
    assert kept.take(one, "a", list) is not mine, "a second search of the same owner has one of its own"
    kept.give_back(one, "a", 10, mine)
    assert kept.take(one, "b", list) is not mine


def test_those_given_back_first_are_dropped_if_all_take_too_much() -> None:
    kept: KeptMemory[list[int]] = KeptMemory(20)
    owners = [Owner() for _ in range(3)]
    objects = [kept.take(owner, 0, list) for owner in owners]
    for owner, each in zip(owners, objects, strict=True):
        kept.give_back(owner, 0, 10, each)
    assert len(kept) == 2
    assert kept.take(owners[0], 0, list) is not objects[0]
    assert kept.take(owners[1], 0, list) is objects[1]
    kept.give_back(owners[0], 0, 21, objects[0])
    assert kept.take(owners[0], 0, list) is not objects[0], "too large to be kept at all"


def test_an_owner_that_no_longer_exists_keeps_nothing() -> None:
    kept: KeptMemory[list[int]] = KeptMemory(20)
    owner = Owner()
    kept.give_back(owner, 0, 10, [])
    assert len(kept) == 1
    del owner
    gc.collect()
    assert len(kept) == 0
