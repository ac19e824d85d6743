"""The inattentive agent: alpha-beta with open eyes, and else the blinder the further it looks."""

from __future__ import annotations

import time

import pytest

from engine.agents import make_agent
from engine.agents.blundering import BlunderingAgent, blunder_rates
from engine.core import Limit, State, replay
from engine.games import GAMES
from engine.kernels.blundering import CERTAIN
from tests.working import measured, told_to_stop

START = GAMES["connect-four"].start()
WIN_IN_ONE = replay(START, [0, 6, 0, 6, 0, 5])
TO_BE_BLOCKED = replay(START, [3, 0, 2, 0, 6, 0])
TRIES = 300


def share(state: State, move: int, blunder_rate: int, depth: int) -> float:
    """How often that move is chosen."""
    chosen = [BlunderingAgent(seed, depth, blunder_rate).choose(state, Limit()).move for seed in range(TRIES)]
    return chosen.count(move) / TRIES


@pytest.mark.parametrize("game", GAMES)
def test_with_open_eyes_it_scores_as_alpha_beta_does(game: str) -> None:
    state = GAMES[game].start()
    for seed in range(4):
        sharp = BlunderingAgent(seed, 4, 0).choose(state, Limit())
        assert sharp.info.score == make_agent("alphabeta:depth=4", seed).choose(state, Limit()).info.score
        state = state.play(sharp.move)


def test_it_wins_and_blocks_when_it_sees() -> None:
    assert share(WIN_IN_ONE, 0, 0, 2) == 1
    assert share(TO_BE_BLOCKED, 0, 0, 2) == 1


def test_it_misses_the_more_the_blinder_it_is() -> None:
    shares = [share(TO_BE_BLOCKED, 0, blunder_rate, 2) for blunder_rate in (5, 25, 60)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.8
    assert shares[2] < 0.6


def test_it_misses_a_threat_more_often_than_its_own_win() -> None:
    assert share(WIN_IN_ONE, 0, 30, 2) > share(TO_BE_BLOCKED, 0, 30, 2) + 0.1


def test_what_is_further_away_is_overlooked_more_often() -> None:
    rates = [rate / CERTAIN for rate in blunder_rates(4, 0.2)]
    assert rates == pytest.approx([0.2, 0.36, 0.488, 0.5904, 0.67232], abs=1e-4)


def test_it_never_claims_a_proof() -> None:
    choice = BlunderingAgent(1, 2, 20).choose(WIN_IN_ONE, Limit())
    assert not choice.info.proven


def test_one_mind_a_choice_and_another_the_next_time() -> None:
    """The seed decides what is missed; asked again, the same agent may see it."""
    agent = BlunderingAgent(1, 2, 50)
    assert len({agent.choose(TO_BE_BLOCKED, Limit()).move for _ in range(30)}) > 1


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("nodes", [1, 2, 30, 1000])
def test_it_visits_no_more_nodes_than_allowed(game: str, nodes: int) -> None:
    state = GAMES[game].start()
    choice = BlunderingAgent(1, 8, 10).choose(state, Limit(nodes=nodes))
    assert 0 < choice.info.nodes <= nodes
    assert choice.move in state.legal_moves()


@pytest.mark.parametrize("game", ["connect-four", "othello"])
def test_its_clock_and_a_callers_flag_end_it(game: str) -> None:
    state = GAMES[game].start()
    deep = BlunderingAgent(1, 40, 0)
    started = time.perf_counter()
    with measured() as work:
        assert deep.choose(state, Limit(seconds=0.1)).move in state.legal_moves()
    assert time.perf_counter() - started > 0.09
    assert work.seconds < 1
    with told_to_stop(0.1) as telling:
        assert deep.choose(state, Limit(stop=telling.stop)).move in state.legal_moves()
    assert telling.was_told
    assert telling.late_seconds < 1
