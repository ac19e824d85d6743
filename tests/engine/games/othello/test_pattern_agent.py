"""The pattern agent: respects its limits, is exact if it says so, and beats fixed depths."""

from __future__ import annotations

import itertools
import random

import pytest

from engine.agents import make_agent
from engine.agents.alphabeta import AlphaBetaAgent
from engine.agents.levels import LEVELS
from engine.core import Agent, EngineError, Limit, Player, State, Stop, replay
from engine.games import game
from engine.games.kept_memory import KeptMemory
from engine.games.othello import Othello, OthelloState
from engine.games.othello.agent import BUCKET_BYTES, PatternAgent
from engine.games.othello.book import FILE, SYMMETRIES, book_moves, canonical
from engine.games.othello.searcher import Searcher
from tests.engine.games.othello.positions import random_twin, solved, state_of
from tests.engine.kernels.kernel_twins import PASS
from tests.working import measured, told_to_stop

LATE_SECONDS = 0.5
"""Work beyond its limit that an agent is forgiven; one that ignores its clock does far more."""


def agent(**options: int) -> PatternAgent:
    return PatternAgent(1, **options)


@pytest.mark.parametrize("board", ["8x8", "6x6"])
def test_a_whole_game_and_its_expected_lines_are_legal(board: str) -> None:
    state = game("othello").start(board)
    while state.outcome() is None:
        choice = agent(depth=2).choose(state, Limit())
        assert choice.info.pv[0] == choice.move
        replay(state, choice.info.pv)
        state = state.play(choice.move)


@pytest.mark.parametrize("seconds", [0.03, 0.2, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("board", ["8x8", "6x6"])
def test_a_choice_respects_its_time_limit(board: str, seconds: float) -> None:
    state = game("othello").start(board)
    agent(book=0).choose(state, Limit(depth=1))  # the weights are loaded
    for move in (0, 1):
        state = state.play(state.legal_moves()[move])
    with measured() as work:
        choice = agent(book=0).choose(state, Limit(seconds=seconds))
    assert work.seconds < seconds + LATE_SECONDS
    assert choice.move in state.legal_moves()


@pytest.mark.parametrize("nodes", [1, 2, 50, 5000])
def test_a_search_respects_its_node_limit(nodes: int) -> None:
    info = agent(book=0).choose(Othello().start(), Limit(nodes=nodes)).info
    assert 0 < info.nodes <= nodes


def test_a_search_respects_its_depth_limit() -> None:
    for depth in (1, 2, 5):
        info = agent(book=0).choose(Othello().start(), Limit(depth=depth)).info
        assert info.depth == depth
        assert len(info.pv) <= depth


def test_a_search_stops_when_told_from_another_thread() -> None:
    with told_to_stop(0.15) as telling:
        choice = agent(book=0).choose(Othello().start(), Limit(stop=telling.stop, nodes=10**12))
    assert telling.was_told
    assert telling.late_seconds < LATE_SECONDS
    assert choice.info.depth > 3


def test_a_search_stopped_before_it_starts_still_returns_a_legal_move() -> None:
    stop = Stop()
    stop.set()
    state = Othello().start()
    assert agent(book=0).choose(state, Limit(stop=stop)).move in state.legal_moves()


@pytest.mark.parametrize("size", [8, 6])
def test_near_the_end_the_score_is_proven_and_right(size: int) -> None:
    rng = random.Random(size)
    for empties in (2, 5, 8):
        twin = random_twin(size, rng, empties)
        state = state_of(twin)
        choice = agent().choose(state, Limit(seconds=5))
        assert choice.info.proven
        assert choice.info.score == solved(twin)
        after = twin.play(_square(state, choice.move))
        assert -solved(after) == solved(twin), "the move keeps the value"
        solved.cache_clear()


def _square(state: OthelloState, move: int) -> int:
    margin = (8 - state.size) // 2
    row, column = divmod(move, state.size)
    return PASS if move == state.pass_move else 8 * (row + margin) + column + margin


def test_equal_seeds_make_equal_choices_and_the_book_varies_the_others() -> None:
    start = Othello().start()
    first = [PatternAgent(seed).choose(start, Limit(seconds=1)).move for seed in range(20)]
    again = [PatternAgent(seed).choose(start, Limit(seconds=1)).move for seed in range(20)]
    assert first == again
    assert len(set(first)) == 4, "the four first moves are mirror images of each other"


def middle(seed: int, plies: int) -> OthelloState:
    """Return a state after that number of random moves, with more than one legal move."""
    rng, state = random.Random(seed), Othello().start()
    while state.ply < plies or len(state.legal_moves()) < 2:
        state = state.play(rng.choice(state.legal_moves())) if state.legal_moves() else Othello().start()
    return state


def test_the_table_of_one_move_helps_the_next_of_the_same_match() -> None:
    kept = fresh = 0
    for seed in range(6):
        state: State = middle(seed, 24)
        player = agent(depth=10)
        first = player.choose(state, Limit())
        state = replay(state, first.info.pv[:2])
        if state.legal_moves():
            kept += player.choose(state, Limit()).info.nodes
            fresh += agent(depth=10).choose(state, Limit()).info.nodes
    assert kept < 0.8 * fresh


def test_shallow_players_take_little_memory_and_play_as_with_a_large_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    states, chosen = [middle(seed, 12 + 2 * seed) for seed in range(12)], list[list[object]]()
    for bits in (14, 18):
        monkeypatch.setattr("engine.games.othello.agent._SHALLOW_TABLE", bits)
        kept: KeptMemory[Searcher] = KeptMemory(most=8 * BUCKET_BYTES << 14)
        monkeypatch.setattr("engine.games.othello.agent._SEARCHERS", kept)
        players = [PatternAgent(1, depth=depth, spread=3) for depth in (3, 4, 6, 9)]
        choices = [player.choose(state, Limit()) for state in states for player in players]
        chosen.append([(choice.move, choice.info.score, choice.info.nodes) for choice in choices])
        assert len(kept) == (4 if bits == 14 else 0)
    assert chosen[0] == chosen[1]


def test_on_a_busy_machine_no_search_ends_before_its_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of a machine that gives the search hardly any of its time runs ahead."""
    busy = itertools.chain((0.0, 0.0), itertools.repeat(3.0))
    monkeypatch.setattr("engine.games.othello.agent.time.perf_counter", lambda: next(busy))
    found = PatternAgent(1, pace=60).choose(middle(3, 24), Limit(seconds=4))
    assert found.info.depth > 4


def test_in_the_opening_moves_about_as_good_are_played_too() -> None:
    state = Othello().start()
    made = {PatternAgent(seed, depth=6, spread=3).choose(state, Limit()).move for seed in range(12)}
    assert len(made) > 1
    best = PatternAgent(1, depth=6).choose(state, Limit()).info.score
    assert best is not None
    for move in made:
        reply = PatternAgent(1, depth=5).choose(state.play(move), Limit()).info.score
        assert reply is not None
        assert -reply >= best - 3


def test_a_varied_player_searches_if_the_book_has_only_one_move() -> None:
    state = Othello().start()
    while len(known := book_moves(state)) > 1:
        state = state.play(known[0][0])
    assert len(known) == 1
    limit = Limit(nodes=2_000)
    assert agent().choose(state, limit).info.nodes == 0
    assert PatternAgent(spread=3).choose(state, limit).info.nodes > 0


def test_after_the_opening_only_the_best_move_is_played() -> None:
    state = middle(3, 30)
    assert len({PatternAgent(seed, depth=6, spread=9).choose(state, Limit()).move for seed in range(8)}) == 1


def test_with_early_a_later_opening_move_gives_nothing_away_but_part_of_a_safe_lead() -> None:
    given = set()
    for seed in range(12):
        state = middle(seed, 12)
        best = PatternAgent(1, depth=6).choose(state, Limit()).info.score
        assert best is not None
        players = [PatternAgent(seed, depth=6, spread=9, early=6) for seed in range(6)]
        made = {player.choose(state, Limit()).move for player in players}
        for move in made:
            reply = PatternAgent(1, depth=5).choose(state.play(move), Limit()).info.score
            assert reply is not None
            assert best + reply <= (best // 3 if best >= 6 else 0)
            given.add(best + reply)
    assert max(given) > 0


def test_before_early_moves_within_the_spread_are_played_as_without_it() -> None:
    state = Othello().start().play(19)
    made, usual = (
        [PatternAgent(seed, depth=6, spread=3, early=early).choose(state, Limit()).move for seed in range(8)]
        for early in (6, 0)
    )
    assert made == usual
    assert len(set(made)) > 1


@pytest.mark.slow
@pytest.mark.parametrize(("played", "most"), [(24, 2.4), (40, 4.0)])
def test_sage_takes_part_of_her_time_for_a_move_and_all_for_an_exact_end(played: int, most: float) -> None:
    sage = next(level for level in LEVELS if level.key == "sage")
    make_agent(sage.agent).choose(middle(1, 50), sage.limit)  # the weights are loaded
    for seed in range(3):
        with measured() as work:
            make_agent(sage.agent, seed).choose(middle(seed, played), sage.limit)
        assert work.seconds < most + LATE_SECONDS


@pytest.mark.slow
def test_the_end_is_played_exactly_from_22_empty_squares_on() -> None:
    choice = agent(pace=60).choose(middle(5, 38), Limit(seconds=60))
    assert choice.info.proven
    assert choice.info.depth == 22


def test_finished_and_other_games_are_refused_with_a_message() -> None:
    over = OthelloState(8, 1, 0)
    with pytest.raises(EngineError, match="the game is over"):
        agent().choose(over, Limit())
    with pytest.raises(EngineError, match="plays Othello only"):
        agent().choose(game("tic-tac-toe").start(), Limit())


def test_depth_four_beats_the_heuristic_at_depth_six() -> None:
    """Eight games, colours swapped; at equal odds, seven points or more would be a 4% chance."""
    rng = random.Random(3)
    won = 0.0
    for _ in range(4):
        opening = Othello().start()
        for _ in range(6):
            opening = opening.play(rng.choice(opening.legal_moves()))
        for colour in Player:
            won += _played(opening, colour)
    assert won >= 7


def _played(state: OthelloState, colour: Player) -> float:
    players: dict[Player, Agent] = {colour: agent(depth=4), colour.other: AlphaBetaAgent(1, 6)}
    while state.outcome() is None:
        state = state.play(players[state.to_move].choose(state, Limit()).move)
    black, white = state.score
    margin = black - white if colour is Player.FIRST else white - black
    return (margin > 0) + (margin == 0) / 2


# --- the book


def test_every_book_line_is_legal_and_found_in_all_symmetries() -> None:
    rules = Othello()
    lines = FILE.read_text("ascii").splitlines()
    assert len(lines) >= 100
    assert FILE.stat().st_size < 100_000
    from engine.games.notation import parse_moves

    for line in lines[:60]:
        moves, _, values = line.partition(":")
        state = replay(rules.start(), parse_moves(rules, "8x8", moves))
        assert isinstance(state, OthelloState)
        known = dict(book_moves(state))
        named = {rules.parse_move(state, entry.split("=")[0]) for entry in values.split()}
        assert named == set(known)
        assert min(known) >= 0


def test_mirror_images_are_one_position_of_the_book() -> None:
    state = Othello().start().play(19).play(18)

    def image(board: int, number: int) -> int:
        return sum(1 << SYMMETRIES[number](square) for square in range(64) if board >> square & 1)

    keys = {canonical(image(state.own, n), image(state.opponent, n))[0] for n in range(8)}
    assert len(keys) == 1
    for number in range(8):
        turned = OthelloState(8, image(state.own, number), image(state.opponent, number), ply=2)
        squares = {SYMMETRIES[number](move) for move, _ in book_moves(state)}
        assert {move for move, _ in book_moves(turned)} == squares


def test_the_book_answers_at_once_and_ends_with_the_opening() -> None:
    state = Othello().start()
    with measured() as work:
        assert agent().choose(state, Limit(seconds=10)).move in state.legal_moves()
    assert work.seconds < LATE_SECONDS
    rng = random.Random(1)
    for _ in range(30):
        state = state.play(rng.choice(state.legal_moves()))
    assert book_moves(state) == ()
    assert book_moves(Othello().start("6x6")) == ()
