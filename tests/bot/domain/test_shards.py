"""Shards of each process: its own, and those of processes that are gone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.shards import Shards, share_of


def shards(*numbers: int, count: int = 6) -> Shards:
    return Shards(count, frozenset(numbers))


@pytest.mark.parametrize(("guild_id", "shard"), [(None, 0), (0, 0), (1 << 22, 1), (7 << 22, 1), (5 << 22, 5)])
def test_a_server_is_on_the_shard_that_discord_says_and_direct_messages_on_the_first(
    guild_id: int | None, shard: int
) -> None:
    assert [number for number in range(6) if shards(number).covers(guild_id)] == [shard]


def test_while_all_live_each_works_for_its_own() -> None:
    live = {"a": shards(0, 1), "b": shards(2, 3), "c": shards(4, 5)}
    assert {name: share_of(name, live, 6) for name in live} == live


def test_the_shards_of_a_process_that_is_gone_go_to_the_first_by_name() -> None:
    live = {"c": shards(4, 5), "b": shards(2, 3)}
    assert share_of("b", live, 6) == shards(0, 1, 2, 3)
    assert share_of("c", live, 6) == shards(4, 5)


@given(
    st.dictionaries(
        st.sampled_from("abcdef"), st.frozensets(st.integers(0, 7), max_size=8), min_size=1, max_size=6
    )
)
def test_every_shard_belongs_to_exactly_one_process(connected: dict[str, frozenset[int]]) -> None:
    live = {name: Shards(8, numbers) for name, numbers in connected.items()}
    given_out = sorted(number for name in live for number in share_of(name, live, 8).numbers)
    assert given_out == list(range(8))
