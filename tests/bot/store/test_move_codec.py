"""Moves as bytes: those of every game are unpacked unchanged, and other bytes are refused."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.match import TimedMove
from bot.store.move_codec import pack, unpack
from engine.games import GAMES
from engine.games import game as game_of

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)

timed_moves = st.builds(
    TimedMove,
    st.integers(0, 32_767),
    # An agent's own time is known to the microsecond, a person's comes from two instants.
    st.integers(-(10**15), 10**15).map(lambda microseconds: microseconds / 1_000_000),
    st.datetimes(timezones=st.just(UTC)),
)


@pytest.mark.slow
@given(st.lists(timed_moves, max_size=300))
def test_packed_moves_are_unpacked_unchanged(made: list[TimedMove]) -> None:
    assert unpack(pack(made)) == tuple(made)


@pytest.mark.parametrize("name", GAMES)
def test_a_whole_game_on_every_board_is_unpacked_unchanged_and_is_small(name: str) -> None:
    for board in game_of(name).boards:
        state, at, rng, made = game_of(name).start(board), NOW, Random(7), []
        while state.outcome() is None:
            seconds, late = rng.randrange(300_000_000), rng.randrange(500_000)
            at += timedelta(microseconds=seconds + late)
            made.append(TimedMove(rng.choice(state.legal_moves()), seconds / 1_000_000, at))
            state = state.play(made[-1].move)

        packed = pack(made)

        assert unpack(packed) == tuple(made)
        assert len(packed) <= 12 + 10 * len(made)


def test_bytes_of_the_first_version_are_still_read() -> None:
    """These bytes stand in databases."""
    made = (TimedMove(3, 1.5, NOW), TimedMove(224, 0.25, NOW + timedelta(seconds=1)), TimedMove(0, 0.0, NOW))
    packed = bytes.fromhex("0103c0b2d09e8ab0a80603c08db70100e001a0c21ee0c65b0000ff887a")
    assert unpack(packed) == made
    assert pack(made) == packed


@given(st.binary(max_size=60) | st.binary(max_size=60).map(lambda rest: b"\x01" + rest))
def test_bytes_that_are_no_moves_raise_value_error(some: bytes) -> None:
    try:
        found = unpack(some)
    except ValueError:
        return
    assert unpack(pack(found)) == found


@pytest.mark.parametrize(
    "timed",
    [
        TimedMove(-1, 0.0, NOW),
        TimedMove(1, float("nan"), NOW),
        TimedMove("x", 0.0, NOW),  # type: ignore[arg-type]
        TimedMove(1, 0.0, "now"),  # type: ignore[arg-type]
    ],
)
def test_values_that_are_no_moves_are_not_packed(timed: TimedMove) -> None:
    with pytest.raises((ValueError, TypeError)):
        pack([timed])
