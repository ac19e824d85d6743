"""`/review game`: games from elsewhere, as a text or a file, reviewed like one's own and by nobody else."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.imported import KEPT_FOR, is_imported
from bot.services.imports import ANY_GAME
from bot.services.reviews import Reviews
from bot.ui.layout import MOST_OPTIONS
from bot.ui.review.import_views import FIELD_GAME, import_form
from engine.analysis.evaluators import ESTIMATE, Estimator
from engine.core import Limit
from engine.games import GAMES, game
from tests.bot.made_once import all_texts
from tests.bot.table import Table, buttons_of, line_of, parts_of, text_of

SGF = b"(;FF[4]GM[2]SZ[8]PB[Anna Stranger]PW[Otto Stranger]RE[W+2];B[f5];W[d6];B[c3];W[d3];B[c4])"
TWO_OF_DRAUGHTS = b"""[Black "Anna Stranger"]
[White "Otto Stranger"]
1. 11-15 23-19 2. 8-11 22-17 0-1

[Black "Cem"]
[White "Dana"]
1. 9-14 22-18 2. 11-16 18x9 3. 5x14 1/2-1/2
"""
SET_UP = '[FEN "B:W31,K9:B1,K20"] 1. 1-6 9x2'
CONNECT_FOUR = '[Game "connect-four"] 1 7 2 7 3 7 4'


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """Kernels compile here where they have to, not while simcord waits for an answer."""
    for key in ("connect-four", "othello", "draughts"):
        evaluator = Estimator(game(key))
        evaluator.evaluate(game(key).start(None), ESTIMATE)
        evaluator.evaluate(game(key).start(None), Limit(seconds=0.01))


async def brought(table: Table, person: Any, **filled: Any) -> Any:
    """The answer to the form, filled in so; nothing is proved any further once the review is whole."""
    services = table.bot.services
    table.bot.services = replace(services, reviews=Reviews(services.search, later_seconds=0.0))
    filled = {name: [filled.pop(name, usual)] for name, usual in (("side", "none"), ("game", "any"))} | filled
    form = await person.slash(table.games, "review game")
    return (await person.submit_modal(form, filled)).response


def labels_of(menu: Any) -> list[str]:
    return [option["label"] for part in parts_of(menu) for option in part.get("options", ())]


async def games_of(table: Table, person: Any) -> list[Any]:
    return await table.bot.services.imports.of(table.person(person), 99)


async def test_a_text_is_reviewed_privately_like_a_match_of_ones_own(table: Table) -> None:
    review = await brought(table, table.ada, text=CONNECT_FOUR, side="second")
    assert review.ephemeral
    text = text_of(review)
    assert "### Review: Connect Four" in text
    assert "The losing move: 🟡 Ada’s **move 6, column 7**" in text
    assert "🔴 First player: accuracy **" in text
    assert "Play from here" in buttons_of(review)
    assert "Train my mistakes" in buttons_of(review)
    assert "Share" not in buttons_of(review), "other people cannot open it"
    assert all("Rematch" not in label for label in buttons_of(review))
    stepped = await table.ada.click(review, custom_id=_arrow(review, "⏮️"))
    assert "The start: " in text_of(stepped.response)
    replay = (await table.ada.click(review, label="Replay")).response
    assert [file.filename.rpartition(".")[2] for file in replay.attachments] == ["gif", "txt"]
    assert "### Review" in text_of((await table.ada.click(replay, label="Review")).response)


async def test_a_game_from_a_position_says_what_is_not_done_with_it(table: Table) -> None:
    review = await brought(table, table.ben, text=SET_UP, side="first")
    assert "### Review: Draughts" in text_of(review)
    assert "This game begins from a position of its own" in text_of(review)
    assert "Train my mistakes" not in buttons_of(review)
    (kept, *_) = await games_of(table, table.ben)
    first = (await table.ben.click(review, custom_id=_arrow(review, "⏮️"))).response
    (play_on,) = (part for part in parts_of(first) if part.get("label") == "Play from here")
    assert play_on["disabled"]
    replay = (await table.ben.click(first, label="Replay")).response
    assert "`01-0609x02`" in text_of(replay)
    assert [file.filename.rpartition(".")[2] for file in replay.attachments] == ["gif", "pdn"]
    assert kept.start == "B:WK9,31:B1,K20"


async def test_the_mistakes_of_the_side_that_one_chose_are_trained(table: Table) -> None:
    review = await brought(table, table.ada, text=CONNECT_FOUR, side="second")
    posed = (await table.ada.click(review, label="Train my mistakes")).response
    assert "Connect Four, a game of yours, move 6" in text_of(posed)
    assert "You are 🟡. You played **column 7**, and it threw away a " in text_of(posed)
    right = (await table.ada.click(posed, label="4")).response
    assert "✅ **Column 4** is right" in text_of(right)
    watched = await brought(table, table.ben, text=CONNECT_FOUR)
    assert "Train my mistakes" not in buttons_of(watched)


async def test_a_match_against_a_bot_goes_on_from_one_of_its_positions(table: Table) -> None:
    review = await brought(table, table.ada, text=CONNECT_FOUR, side="second")
    await table.ada.click(review, custom_id=_arrow(review, "◀️"))
    board = (await table.ada.click(review, label="Play from here")).response
    match = await table.bot.services.matches.match(table.first_match)
    assert (len(match.timed_moves), match.seats[1].user_id) == (match.opening, table.ada.id)
    assert not board.ephemeral


async def test_a_game_through_a_position_of_a_running_rated_match_waits(own_table: Table) -> None:
    table = own_table
    await table.play(await table.pair(rated=True), "1 7 2 7")
    moves = '[Game "connect-four"] 1 7 2 7 3 6'
    for side in ("none", "first"):
        answer = await brought(table, table.ada, text=moves, side=side)
        assert "within a move of your rated match #1" in line_of(answer)
    assert not await games_of(table, table.ada)
    assert "### Review" in text_of(await brought(table, table.eve, text=moves))


async def test_a_file_is_reviewed_and_its_names_are_stored_nowhere(table: Table) -> None:
    review = await brought(table, table.ben, file=("game.sgf", SGF), text="ignored where there is a file")
    assert "### Review: Othello" in text_of(review)
    assert "Stranger" not in text_of(review)
    (kept,) = await games_of(table, table.ben)
    assert (kept.game, len(kept.moves), kept.side) == ("othello", 5, None)
    assert "Stranger" not in repr(kept)
    assert is_imported(kept.id)


async def test_of_several_games_one_is_chosen(table: Table) -> None:
    menu = await brought(table, table.eve, file=("two.pdn", TWO_OF_DRAUGHTS))
    assert "There are 2 games in it." in text_of(menu)
    assert [label.partition(",")[0] for label in labels_of(menu)] == [
        "1. Anna Stranger – Otto Stranger",
        "2. Cem – Dana",
    ]
    chosen = (await table.eve.select(menu, ["2"])).response
    assert "### Review: Draughts" in text_of(chosen)
    again = (await table.eve.select(menu, ["1"])).response
    assert "4" in text_of(again)
    assert {len(one.moves) for one in await games_of(table, table.eve)} == {4, 5}


def test_the_form_offers_two_boards_of_every_game_that_has_them() -> None:
    form = import_form(all_texts().of("en-US")).to_components()
    menus = [label["component"] for label in form if label["component"]["custom_id"] == FIELD_GAME]
    (offered,) = ([option["value"] for option in menu["options"]] for menu in menus)
    assert len(offered) == MOST_OPTIONS
    assert offered[0] == ANY_GAME
    assert {f"{key} {board}" for key, rules in GAMES.items() for board in rules.boards[:2]} <= set(offered)


async def test_moves_that_fit_several_games_ask_which(table: Table) -> None:
    menu = await brought(table, table.ada, text="b2a1")
    assert "These moves fit several games." in text_of(menu)
    review = (await table.ada.select(menu, ["hex"])).response
    assert "### Review: Hex" in text_of(review)


@pytest.mark.parametrize(
    ("filled", "said"),
    [
        (
            {"text": "f5 d6 c3 d9"},
            "as far as move 4, both sides counted: “d9” isn’t possible there. Expected: ",
        ),
        (
            {"text": "1 1 1 1 1 1 1", "game": "connect-four 6x7x4"},
            "move 7, both sides counted: “\u200b1” isn’t",
        ),
        ({"text": CONNECT_FOUR + " 4"}, "“\u200b4” comes after the end of the game"),
        ({"text": "Xyz"}, "No game that I know has such moves."),
        ({}, "Write the game’s moves, or attach its file."),
        ({"file": ("big.txt", b"a1 " * 100_000)}, "I read up to 256 KB"),
        ({"file": ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00")}, "That file is no text"),
        ({"file": ("go.sgf", b"(;GM[1]SZ[19];B[dd])")}, "That’s a game of Go, which isn’t played here."),
        ({"file": ("hex.sgf", b"(;GM[11]SZ[13];B[a1])")}, "is played on 11x11, 7x7 here"),
        ({"text": "1. d3 {"}, "The brackets don’t fit together at line 1, character 7."),
        ({"text": CONNECT_FOUR, "number": "two"}, "“two” is no number of a game"),
        ({"text": CONNECT_FOUR, "number": "2"}, "There is no game 2 in it."),
        ({"text": '[Game "othello"]'}, "There are no moves in it"),
    ],
)
async def test_a_refusal_names_the_place_and_the_moves_expected_there(
    table: Table, filled: dict[str, Any], said: str
) -> None:
    answer = await brought(table, table.ada, **filled)
    assert said in answer.content
    assert answer.ephemeral


async def test_only_its_owner_opens_it(table: Table) -> None:
    await brought(table, table.ada, text=CONNECT_FOUR)
    (kept, *_) = await games_of(table, table.ada)
    for command in ("review analysis", "review replay"):
        refused = await table.refused(table.ben.slash(table.games, command, match=str(kept.id)))
        assert "First player and Second player" in refused


async def test_it_is_among_the_matches_to_review_for_a_month(own_table: Table) -> None:
    table = own_table
    await brought(table, table.ada, text=CONNECT_FOUR, side="first")
    await brought(table, table.ada, text=CONNECT_FOUR.replace(" 7", ",7"), side="second")
    (kept,) = await games_of(table, table.ada)
    assert kept.side == 1, "the same moves are the same game, from the side chosen last"
    choices = await table.ada.autocomplete(table.games, "review analysis", "match", "")
    (choice,) = choices
    assert choice["name"].startswith("Connect Four from elsewhere, ")
    review = (await table.ada.slash(table.games, "review analysis", match=choice["value"])).response
    assert "The losing move: 🟡 Ada’s" in text_of(review)
    table.clock.ahead += KEPT_FOR
    table.clock.ahead *= 2
    await table.bot.services.imports.forget_old()
    assert not await games_of(table, table.ada)


async def test_without_a_match_the_game_that_was_brought_since_the_last_one_is_meant(
    own_table: Table,
) -> None:
    table = own_table

    async def shown(command: str) -> str:
        return text_of((await table.ada.slash(table.games, command)).response)

    async def play() -> None:
        table.clock.ahead += timedelta(seconds=1)
        await table.play(await table.pair(game="tic-tac-toe", rated=False), "a1 b1 a2 b2 a3")
        table.clock.ahead += timedelta(seconds=1)

    await play()
    await brought(table, table.ada, text=CONNECT_FOUR)
    assert "### Replay: Connect Four" in await shown("review replay")
    await play()
    assert "### Review: Tic-tac-toe" in await shown("review analysis")


def _arrow(review: Any, arrow: str) -> str:
    emoji: dict[str, str] = {
        part["custom_id"]: part["emoji"]["name"] for part in parts_of(review) if part.get("emoji")
    }
    return next(custom_id for custom_id, name in emoji.items() if name == arrow)
