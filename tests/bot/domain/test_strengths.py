"""The five strengths of a game are levels of its ladder."""

from __future__ import annotations

import pytest

from bot.domain.strengths import TARGETS, PlainStrength, following, strength_word, strengths
from engine.agents.levels import levels_of
from engine.arena.elo_table import rated_levels
from engine.games import GAMES

NAMES = {
    "connect-four": "Bo, Mia, Tess, Luca, Una",
    "othello": "Cora, Finn, Theo, Greta, Sage",
    "tic-tac-toe": "Pip, Bo, Mia, Kit, Tia",
    "pop-out": "Pip, Bo, Finn, Ida, Gus",
    "gomoku": "Taro, Nini, Yuki, Sora, Kaede",
    "kalah": "Pip, Bela, Lila, Amara, Baraka",
    "draughts": "Alfie, Wilf, Edna, Mabel, Ethel",
    "dots-and-boxes": "Dora, Edda, Oskar, Bruno, Ragna",
    "hex": "Dirk, Piet, Jorn, Klaas, Sanne",
}
"""Measuring a ladder again may change a name here, and people's menus with it."""


@pytest.mark.parametrize("game", GAMES)
def test_each_game_has_five_strengths_from_its_weakest_levels_to_its_strongest(game: str) -> None:
    board = GAMES[game].boards[0]
    found = strengths(game, board, levels_of(game, board))
    assert tuple(found) == tuple(PlainStrength)
    assert ", ".join(level.name for level in found.values()) == NAMES[game]


@pytest.mark.parametrize("game", GAMES)
def test_on_every_board_no_level_has_two_words_and_each_word_is_stronger_than_the_last(game: str) -> None:
    for board in GAMES[game].boards:
        ladder = levels_of(game, board)
        places = [ladder.index(level) for level in strengths(game, board, ladder).values()]
        assert places == sorted(set(places))
        assert places[-1] == len(ladder) - 1


def test_a_word_means_the_level_that_is_nearest_to_its_elo() -> None:
    board = GAMES["othello"].boards[0]
    found = strengths("othello", board, levels_of("othello", board))
    elo = {row.key: row.elo for row in rated_levels("othello")}
    for word, target in TARGETS.items():
        assert found[word].key == min(elo, key=lambda key: abs(elo[key] - target))


def test_where_a_server_has_a_highest_level_best_is_that_and_weaker_words_keep_their_meaning() -> None:
    board = GAMES["othello"].boards[0]
    every = levels_of("othello", board)
    whole = strengths("othello", board, every)
    for highest in range(1, len(every) + 1):
        found = strengths("othello", board, every[:highest])
        assert found.pop(PlainStrength.BEST) == every[highest - 1]  # type: ignore[attr-defined]
        assert found == {word: whole[word] for word in found}
        assert all(every.index(level) < highest - 1 for level in found.values())


def test_without_an_allowed_level_there_is_no_strength() -> None:
    assert strengths("othello", "8x8", ()) == {}


def test_a_level_between_two_words_has_none() -> None:
    assert strength_word("connect-four", "6x7x4", "mia") is PlainStrength.EASY
    assert strength_word("connect-four", "6x7x4", "otto") is None


@pytest.mark.parametrize(
    ("level", "is_stronger", "name"),
    [
        ("mia", True, "Tess"),
        ("mia", False, "Bo"),
        ("otto", True, "Tess"),
        ("otto", False, "Mia"),
        ("una", True, None),
        ("pip", False, None),
        ("echo", True, None),
    ],
)
def test_the_way_on_leads_to_the_next_word_also_from_a_level_between_two(
    level: str, is_stronger: bool, name: str | None
) -> None:
    board = GAMES["connect-four"].boards[0]
    every = levels_of("connect-four", board)
    found = following("connect-four", board, level, every, is_stronger=is_stronger)
    assert (None if found is None else found[1].name) == name
