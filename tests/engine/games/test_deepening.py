"""The shared search has the values of plain minimax, and proves nothing that is not so when it leaves out."""

from __future__ import annotations

import gc
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest

from engine.agents import make_agent
from engine.core import Limit, Move, Player, State
from engine.games import deepening, spec_of
from engine.games.conformance import playout
from engine.games.deepening import PERFECT, Depth, Habits, MakeSearch, deepen
from engine.games.draughts.rules import BITS, DraughtsState, as_draughts, taken_on
from engine.games.draughts.searcher import DraughtsSearch
from engine.games.k_in_a_row import windows
from engine.games.kalah.rules import KalahState, as_kalah
from engine.games.kalah.search import KalahSearch
from engine.games.kept_memory import KeptMemory
from engine.games.pop_out.rules import COLUMNS, PopOutState, as_pop_out
from engine.games.pop_out.search import PopOutSearch
from engine.kernels.control import INFINITY
from engine.kernels.heuristic_values import DECIDED, WIN
from engine.kernels.jit import Words
from engine.kernels.running import running
from engine.kernels.transposition import new_memory
from tests.engine.games.kalah import plain_kalah

Plain = Callable[[State, int, int], int]


def kalah_value(state: State, depth: int, ply: int = 0) -> int:
    """Return the lead in seeds that the side to move has at the end, `depth` plies deep, by minimax."""
    position = as_kalah(state)
    mover, other = position.to_move, position.to_move.other
    lead = position.stores[mover] - position.stores[other]
    if position.outcome() is not None:
        return lead
    if depth <= 0:
        return lead + (sum(position.side(mover)) - sum(position.side(other))) // 4
    values = []
    for move in position.legal_moves():
        after = position.play(move)
        values.append((1 if after.to_move is mover else -1) * kalah_value(after, depth - 1, ply + 1))
    return max(values)


CENTRE, GUARDS = {9, 10, 13, 14, 17, 18, 21, 22}, ({0, 2}, {29, 31})
"""Squares, counted from 0."""


def draughts_value(state: State, depth: int, ply: int = 0) -> int:
    """Return the value for the side to move by minimax; jumps and single turns cost no depth at its end."""
    position = as_draughts(state)
    moves = list(position.paths.items())
    is_calm = not moves or not taken_on(moves[0][1])
    if depth <= 0 and is_calm and position.pieces[position.to_move]:
        return estimate(position)
    if not moves:
        return ply - WIN
    below = depth if len(moves) == 1 else depth - 1
    return max(-draughts_value(position.play(move), below, ply + 1) for move, _ in moves)


def estimate(state: DraughtsState) -> int:
    worth = []
    for player in (state.to_move, state.to_move.other):
        squares = {square for square, bit in enumerate(BITS) if state.pieces[player] >> bit & 1}
        kings = {square for square in squares if state.kings >> BITS[square] & 1}
        men = squares - kings
        beyond = {square for square in men if (square >= 16) == (player is Player.FIRST)}
        guarded = 12 if GUARDS[player] <= men else 0
        own = 100 * len(men) + 140 * len(kings) + 3 * len(men & CENTRE) + 5 * len(kings & CENTRE)
        worth.append(own + 3 * len(beyond) + guarded)
    lead = worth[0] - worth[1]
    return lead + lead // (pieces_of(state) + 2) + 3


def pop_out_value(state: State, depth: int, ply: int = 0) -> int:
    """Return the value for the side to move by minimax; a win at once is seen at any depth."""
    position = as_pop_out(state)
    outcome = position.outcome()
    if outcome is not None and outcome.winner is not None:
        return WIN - ply if outcome.winner is position.to_move else ply - WIN
    for move in position.legal_moves():
        after = position.play(move).outcome()
        if move < COLUMNS and after is not None and after.winner is position.to_move:
            return WIN - ply - 1
    if position.times > 1:
        return 0
    if depth <= 0:
        return open_lines(position, position.to_move) - open_lines(position, position.to_move.other)
    return max(-pop_out_value(position.play(move), depth - 1, ply + 1) for move in position.legal_moves())


def open_lines(state: PopOutState, player: Player) -> int:
    cells, value = state.cells(), 0
    for window in windows(6, 7, 4):
        held = [cells[cell] for cell in window]
        own, empty = held.count(player), held.count(None)
        value += 5 * (own == 3 and empty == 1) + 2 * (own == empty == 2) - 4 * (own == 0 and empty == 1)
    return value + 3 * cells[3::7].count(player)


def valued(plain: Plain, state: State, move: Move, depth: int) -> int:
    """Return the value of a move for the side to move; it costs a ply, even if it is forced."""
    after = state.play(move)
    return (1 if after.to_move is state.to_move else -1) * plain(after, depth - 1, 1)


def states(key: str, seed: int, least: Callable[[State], bool]) -> list[State]:
    """Return positions of random games, without a past."""
    rng = Random(seed)
    found = [
        state
        for _ in range(4)
        for state, _ in playout(spec_of(key), spec_of(key).rules.boards[0], rng)
        if least(state)
    ]
    return [without_past(state) for state in found]


def without_past(state: State) -> State:
    return replace(state, seen=()) if isinstance(state, DraughtsState) else state


def pieces_of(state: State) -> int:
    position = as_draughts(state)
    return (position.pieces[0] | position.pieces[1]).bit_count()


CASES = [
    pytest.param("kalah", KalahSearch, kalah_value, lambda _: True, 4, id="kalah"),
    pytest.param(
        "draughts",
        DraughtsSearch,
        draughts_value,
        lambda state: pieces_of(state) > 9,
        3,
        id="draughts",
    ),
    pytest.param("pop-out", PopOutSearch, pop_out_value, lambda _: True, 3, id="pop-out"),
]


@pytest.mark.parametrize(("key", "make", "plain", "least", "deepest"), CASES)
def test_every_move_has_the_value_of_plain_minimax(
    key: str, make: MakeSearch, plain: Plain, least: Callable[[State], bool], deepest: int
) -> None:
    for state in states(key, 1, least)[::7]:
        with running(Limit()) as run:
            search = make(state, run, new_memory(10), PERFECT)
            for depth in range(1, deepest + 1):
                for move in state.legal_moves():
                    value = valued(plain, state, move, depth)
                    assert search.value(move, depth, -INFINITY, INFINITY) == value, (str(state), move, depth)


@pytest.mark.parametrize(("key", "make", "plain", "least", "deepest"), CASES)
@pytest.mark.parametrize("window", [0, 3])
def test_deepening_finds_the_best_value_whatever_its_windows(
    key: str, make: MakeSearch, plain: Plain, least: Callable[[State], bool], deepest: int, window: int
) -> None:
    for state in states(key, 2, least)[::11]:
        with running(Limit()) as run:
            found: list[Depth] = []
            for each in deepen(
                make(state, run, new_memory(10), PERFECT), state.legal_moves(), run, deepest, 0, window
            ):
                found.append(each)
                if abs(each.score) > DECIDED or each.is_proved:
                    break
        for each in found:
            values = [valued(plain, state, move, each.depth) for move in state.legal_moves()]
            assert each.score == max(values), str(state)
            assert each.scores[each.line[0]] == each.score


def best_moves(state: State) -> tuple[int, list[Move]]:
    """Return the lead of the side to move at the end by brute force, and the moves that keep it."""
    leads = {}
    for move in state.legal_moves():
        after = as_kalah(state.play(move))
        mover = state.to_move
        own, theirs = after.side(after.to_move), after.side(after.to_move.other)
        rest = plain_kalah.lead(own, theirs) * (1 if after.to_move is mover else -1)
        leads[move] = after.stores[mover] - after.stores[mover.other] + rest
    best = max(leads.values())
    return best, [move for move, lead in leads.items() if lead == best]


def test_a_selective_player_with_a_kept_table_proves_only_what_is_so() -> None:
    rng, proved = Random(3), 0
    for _ in range(6):
        state: State = KalahState.of(3, 3)
        agent = make_agent("sower:depth=30,selective=1", 3)
        while state.outcome() is None:
            choice = agent.choose(state, Limit(nodes=20_000))
            lead, moves = best_moves(state)
            if choice.info.proven:
                proved += 1
                assert choice.info.score == lead
                assert choice.move in moves
            state = state.play(rng.choice(state.legal_moves()))
    assert proved > 20


def test_a_selective_search_visits_fewer_states() -> None:
    state = spec_of("draughts").rules.start()
    nodes = []
    for is_selective in (False, True):
        with running(Limit()) as run:
            search = DraughtsSearch(state, run, new_memory(12), Habits(is_selective=is_selective))
            *_, _ = deepen(search, state.legal_moves(), run, 9)
            nodes.append(run.nodes)
    assert nodes[1] < nodes[0] / 2


def test_only_the_players_that_searched_last_keep_their_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: KeptMemory[Words] = KeptMemory(deepening.MAX_KEPT_BYTES)
    monkeypatch.setattr(deepening, "_MEMORIES", kept)
    state = spec_of("kalah").rules.start()
    players = [make_agent("sower:depth=2,selective=1", seed) for seed in range(9)]
    for player in players:
        player.choose(state, Limit())
    assert len(kept) == 8
    make_agent("sower:depth=2", 1).choose(state, Limit())
    assert len(kept) == 8
    del player, players[4:]
    gc.collect()
    assert len(kept) == 3


def test_a_selective_player_makes_its_only_move_at_once() -> None:
    state = KalahState.of(3, 3)
    while len(state.legal_moves()) > 1:
        state = state.play(state.legal_moves()[0])
    assert state.legal_moves()
    choice = make_agent("sower:depth=30,selective=1", 3).choose(state, Limit(nodes=20_000))
    assert choice.move == state.legal_moves()[0]
    assert choice.info.nodes < 50


def test_with_early_a_player_varies_its_first_moves_alone() -> None:
    state: State = spec_of("kalah").rules.start()
    for ply in range(4):
        chosen = [
            make_agent("sower:depth=6,spread=9,early=2", seed).choose(state, Limit()) for seed in range(20)
        ]
        scores = {dict(choice.info.move_scores)[choice.move] for choice in chosen}
        assert (len(scores) > 1) == (ply < 2)
        state = state.play(state.legal_moves()[0])
