"""Scores in words name what the game counts, in every language."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.presentation import CLASSIC
from bot.presentation.verdicts import accuracy_line, certainty, hint_lines, score_words
from engine.core import Player
from engine.score import Evaluation, Score
from tests.bot.made_once import all_texts
from tests.engine.analysis.test_review_values import DRAWN, known, likely

WORDS = {
    "en": ("disc", "seeds", "boxes"),
    "de": ("Stein", "Samen", "Kästchen"),
    "es": ("ficha", "semillas", "cajas"),
    "fr": ("pion", "graines", "carrés"),
    "pt-BR": ("peça", "sementes", "caixas"),
    "fa": ("مهره", "دانه", "خانه"),
}


@pytest.mark.parametrize("language", WORDS)
def test_a_lead_is_counted_in_discs_seeds_or_boxes(language: str) -> None:
    t = all_texts().of(language)
    for game, word in zip(("othello", "kalah", "dots-and-boxes"), WORDS[language], strict=True):
        for discs in (3, -3):
            said = score_words(t, game, Score.by_discs(discs))
            assert word in said


def test_a_lead_in_a_game_without_a_unit_is_counted_in_points() -> None:
    t = all_texts().of("en")
    assert score_words(t, "connect-four", Score.by_discs(1)) == "winning by 1 point"
    assert score_words(t, "kalah", Score.by_discs(-1)) == "losing by 1 seed"


def test_a_review_whose_end_alone_is_proved_calls_its_values_estimates() -> None:
    t, guess = all_texts().of("en"), likely(0.1)
    assert certainty(t, known([guess, guess, DRAWN])) == "Values are estimates."
    assert certainty(t, known([guess, DRAWN, DRAWN])).startswith("Values are proven from move 2 on")
    assert certainty(t, known([DRAWN, DRAWN, DRAWN])) == "Checked by an exact solver."
    assert certainty(t, known([DRAWN])) == "Checked by an exact solver."


def test_no_accuracy_is_a_number_while_more_is_being_proved() -> None:
    seats = Seat("Ada", 1), Seat("Ben", 2)
    match = Match.begin("tic-tac-toe", "3x3", seats, Channel(1), datetime(2026, 1, 1, tzinfo=UTC))
    found = known([likely(0.1), DRAWN, DRAWN])
    for language in WORDS:
        t = all_texts().of(language)
        for player in Player:
            going_on = accuracy_line(t, match, replace(found, is_final=False), player, CLASSIC)
            assert not any(character.isdigit() for character in going_on)
            assert going_on != accuracy_line(t, match, found, player, CLASSIC)
    t = all_texts().of("en")
    assert "accuracy **100 %**" in accuracy_line(t, match, found, Player.SECOND, CLASSIC).replace(
        "100%", "100 %"
    )
    said = certainty(t, replace(found, is_final=False))
    assert said.startswith("Proved so far: 50")
    assert said.endswith("The other values are estimates that may change.")


@pytest.mark.parametrize(
    ("score", "said"),
    [
        (Score.lost(9), "You’re losing, but this holds out longest."),
        (Score.by_discs(-3), "You’re losing, but this loses by the least."),
        (Score.lost(), "You’re losing."),
        (Score.about(-3, 8, result=-1), "You’re losing."),
        (Score.between(Score.lost(4), Score.lost(8)), "You’re losing."),
        (Score.drawn(), "It holds the draw."),
        (Score.won(), "You can force a win."),
    ],
)
def test_a_hint_for_a_lost_position_promises_no_more_than_is_proved(score: Score, said: str) -> None:
    seats = Seat("Ada", 1), Seat("Pip", level="pip")
    match = Match.begin("connect-four", "6x7x4", seats, Channel(1), datetime(2026, 1, 1, tzinfo=UTC))
    lines = hint_lines(all_texts().of("en"), match, Evaluation(score, (3,)), 1)
    assert lines[-1] == f"-# {said}"
