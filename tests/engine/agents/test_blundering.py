"""The inattentive agent: alpha-beta with open eyes, and else the blinder the further it looks."""

from __future__ import annotations

import time

import pytest

from engine.agents import make_agent
from engine.agents.blundering import BlunderingAgent
from engine.core import Limit, State, replay
from engine.games import GAMES, spec_of_state
from engine.kernels.blundering import CERTAIN, blunder_rates
from tests.working import measured, told_to_stop

COMPILED = [key for key, game in GAMES.items() if spec_of_state(game.start()).search.board is not None]
"""Games with a search that can overlook something."""

START = GAMES["connect-four"].start()
WIN_IN_ONE = replay(START, [0, 6, 0, 6, 0, 5])
TO_BE_BLOCKED = replay(START, [6, 0, 6, 1, 5, 2])
PILE = replay(START, [0, 6, 0, 6, 0, 5])
ROW = replay(START, [0, 6, 1, 6, 2, 5])
GAP = replay(START, [0, 6, 1, 6, 3, 5])
DIAGONAL = replay(START, [0, 1, 1, 2, 3, 2, 2, 3, 6, 3])
"""The side to move wins at once: in column a, at the end of a row, in its gap, on a diagonal."""
TRIES = 300


def share(state: State, move: int, blunder_rate: int, depth: int) -> float:
    """How often that move is chosen."""
    chosen = [BlunderingAgent(seed, depth, blunder_rate).choose(state, Limit()).move for seed in range(TRIES)]
    return chosen.count(move) / TRIES


@pytest.mark.parametrize("game", COMPILED)
def test_with_a_blunder_rate_of_zero_it_scores_like_alpha_beta(game: str) -> None:
    state = GAMES[game].start()
    for seed in range(4):
        sharp = BlunderingAgent(seed, 4, 0).choose(state, Limit())
        assert sharp.info.score == make_agent("alphabeta:depth=4", seed).choose(state, Limit()).info.score
        state = state.play(sharp.move)


def test_it_wins_and_blocks_without_blunders() -> None:
    assert share(WIN_IN_ONE, 0, 0, 2) == 1
    assert share(TO_BE_BLOCKED, 3, 0, 2) == 1


def test_it_misses_more_with_a_higher_blunder_rate() -> None:
    shares = [share(TO_BE_BLOCKED, 3, blunder_rate, 2) for blunder_rate in (5, 25, 80)]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > 0.8
    assert shares[2] < 0.6


def test_diagonals_are_missed_before_rows_and_rows_before_stacks() -> None:
    shares = [share(state, move, 40, 2) for state, move in ((PILE, 0), (ROW, 3), (DIAGONAL, 3))]
    assert shares == sorted(shares, reverse=True)
    assert shares[0] > shares[1] + 0.05 > shares[2] + 0.2


def test_the_far_end_of_a_line_is_missed_before_the_gap_in_it() -> None:
    assert share(GAP, 2, 40, 2) > share(ROW, 3, 40, 2) + 0.02


def test_in_othello_it_is_greedy_until_the_board_fills() -> None:
    """Of all discs that its legal moves turn, early on it turns more than an even share."""
    turned, usual = [], []
    for seed in range(30):
        state, agent = GAMES["othello"].start(), BlunderingAgent(seed, 3, 40)
        for _ in range(20):
            gains = {move: _turned(state, move) for move in state.legal_moves()}
            move = agent.choose(state, Limit()).move
            turned.append(gains[move])
            usual.append(sum(gains.values()) / len(gains))
            state = state.play(move)
    assert sum(turned) > 1.1 * sum(usual)


def _turned(state: State, move: int) -> int:
    before, after = state.cells(), state.play(move).cells()
    return sum(one is not None and one is not other for one, other in zip(before, after, strict=True))


def test_it_misses_a_threat_more_often_than_its_own_win() -> None:
    assert share(ROW, 3, 30, 2) > share(TO_BE_BLOCKED, 3, 30, 2) + 0.03


def test_moves_further_away_are_missed_more_often() -> None:
    rates = [rate / CERTAIN for rate in blunder_rates(4, 0.2)]
    assert rates == pytest.approx([0.2, 0.36, 0.488, 0.5904, 0.67232], abs=1e-4)


def test_it_never_claims_a_proof() -> None:
    choice = BlunderingAgent(1, 2, 20).choose(WIN_IN_ONE, Limit())
    assert not choice.info.proven


def test_a_choice_misses_the_same_moves_throughout_and_the_next_one_others() -> None:
    """The seed of a choice determines the missed moves; in the next choice the agent may see them."""
    agent = BlunderingAgent(1, 2, 50)
    assert len({agent.choose(TO_BE_BLOCKED, Limit()).move for _ in range(30)}) > 1


@pytest.mark.parametrize("game", COMPILED)
@pytest.mark.parametrize("nodes", [1, 2, 30, 1000])
def test_it_respects_its_node_limit(game: str, nodes: int) -> None:
    state = GAMES[game].start()
    choice = BlunderingAgent(1, 8, 10).choose(state, Limit(nodes=nodes))
    assert 0 < choice.info.nodes <= nodes
    assert choice.move in state.legal_moves()


@pytest.mark.parametrize("game", ["connect-four", "othello"])
def test_its_time_limit_and_a_callers_flag_end_it(game: str) -> None:
    state = GAMES[game].start()
    deep = BlunderingAgent(1, 40, 0)
    deep.choose(state, Limit(nodes=1))  # loads what it needs
    started = time.perf_counter()
    with measured() as work:
        assert deep.choose(state, Limit(seconds=0.1)).move in state.legal_moves()
    assert time.perf_counter() - started > 0.09
    assert work.seconds < 1
    with told_to_stop(0.1) as telling:
        assert deep.choose(state, Limit(stop=telling.stop)).move in state.legal_moves()
    assert telling.was_told
    assert telling.late_seconds < 1
