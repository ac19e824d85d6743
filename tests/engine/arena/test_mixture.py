"""Mixtures of two neighbouring levels: every strength on a ladder, drawn move by move."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from engine.agents.levels import levels_of
from engine.arena import ladder
from engine.arena import mixture as mixtures
from engine.arena.elo_table import Duel, rated_levels
from engine.arena.mixture import Mixture, level_of_move, measured_mixtures, mixture
from engine.games import GAMES


@pytest.mark.parametrize("game", GAMES)
def test_every_strength_on_a_ladder_is_a_mixture_of_two_neighbours(game: str) -> None:
    rows = rated_levels(game)
    steps = {(below.key, above.key) for below, above in pairwise(rows)}
    for elo in range(rows[0].elo, rows[-1].elo, 10):
        found = mixture(game, elo)
        assert found is not None
        assert (found.weaker, found.stronger) in steps
        assert found.elo == elo
        assert 0 <= found.share <= 1


@pytest.mark.parametrize("game", GAMES)
def test_a_levels_own_strength_is_that_level_alone(game: str) -> None:
    for row in rated_levels(game):
        found = mixture(game, row.elo)
        assert found is not None
        assert row.key == (found.stronger if found.share == 1 else found.weaker)
        assert found.share in (0, 1)
        assert found.margin == (row.high - row.low) / 2


def test_beyond_the_ladders_ends_the_last_level_plays() -> None:
    weakest, strongest = mixture("connect-four", 100), mixture("connect-four", 3000)
    assert weakest is not None
    assert strongest is not None
    assert (weakest.weaker, strongest.stronger) == ("pip", "una")
    assert strongest.elo == rated_levels("connect-four")[-1].elo
    assert mixture("go", 1500) is None


def test_a_measured_half_is_used_and_one_of_other_agents_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    half = measured_mixtures()["connect-four", "otto", "tess"]
    found = mixture("connect-four", half.elo)
    assert found is not None
    assert (found.weaker, found.stronger, found.share) == ("otto", "tess", 0.5)
    other = mixtures.RatedMixture("otto", "tess", ("a", "b"), 1400, 1390, 1410, (0, 0), (0, 0), (0, 0))
    monkeypatch.setattr(mixtures, "measured_mixtures", lambda: {("connect-four", "otto", "tess"): other})
    found = mixture("connect-four", (1197 + 1442) // 2)
    assert found is not None
    assert 0.49 <= found.share <= 0.51


def test_five_mixtures_at_least_are_measured_and_lie_between_their_levels() -> None:
    found = measured_mixtures()
    assert len([key for key in found if key[0] == "connect-four"]) >= 5
    for (game, weaker, stronger), row in found.items():
        elo = {level.key: level.elo for level in rated_levels(game)}
        assert elo[weaker] < row.low < row.elo < row.high < elo[stronger]
        assert [sum(games) for games in zip(row.won, row.drawn, row.lost, strict=True)] == [400, 400]


def test_a_match_draws_each_move_from_both_levels_and_always_the_same_ones() -> None:
    half = measured_mixtures()["connect-four", "otto", "tess"]
    key = f"echo:{half.elo}"
    drawn = [
        level_of_move("connect-four", "6x7x4", key, match, ply) for match in range(50) for ply in range(20)
    ]
    again = [
        level_of_move("connect-four", "6x7x4", key, match, ply) for match in range(50) for ply in range(20)
    ]
    assert drawn == again
    assert set(drawn) == {"otto", "tess"}
    assert 450 < Counter(drawn)["otto"] < 550
    assert level_of_move("connect-four", "6x7x4", "una", 1, 0) == "una"


def test_on_another_board_only_the_levels_of_that_board_play() -> None:
    found = mixture("connect-four", 2300, "4x5x4")
    usual = mixture("connect-four", 2300)
    assert found is not None
    assert usual is not None
    assert usual.stronger == "una"


def test_a_mixture_is_measured_against_both_levels_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ladder, "DATA", tmp_path)
    said: list[str] = []
    ladder.measure_mixtures("tic-tac-toe", ["pip"], games=20, say=said.append)
    (row,) = mixtures.parse((tmp_path / mixtures.FILE).read_text("utf-8")).values()
    assert (row.weaker, row.stronger) == ("pip", "bo")
    assert [sum(games) for games in zip(row.won, row.drawn, row.lost, strict=True)] == [20, 20]
    assert said[0].startswith("tic-tac-toe: Pip and Bo: ")


def test_a_mixture_that_draws_with_both_levels_lies_in_the_middle_between_them() -> None:
    """Even where the games say that the levels lie closer together than on their ladder."""
    below, level = levels_of("othello")[:2]
    weaker, stronger = rated_levels("othello")[:2]
    even = Duel(wins=100, draws=0, losses=100, pairs=(0, 0, 100, 0, 0), opening_plies=0, milliseconds=(1, 1))
    row = ladder._rated_mixture("othello", below, level, [even, even])
    assert abs(row.elo - (weaker.elo + stronger.elo) / 2) <= 1


def test_the_share_of_a_mixture_is_that_of_the_stronger_levels_moves() -> None:
    rng = Random(1)
    drawn = [Mixture("pip", "momo", 0.8, 1200, 10.0).draw(rng) for _ in range(1000)]
    assert 750 < drawn.count("momo") < 850
    assert set(drawn) == {"pip", "momo"}
