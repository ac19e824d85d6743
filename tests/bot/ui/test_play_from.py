"""Matches that start from a position: by /play and from a review; its moves cannot be undone."""

from __future__ import annotations

import pytest

from bot.domain.errors import SetupError
from bot.services.checked_terms import MOST_OPENING_MOVES, checked_opening
from engine.games import SPECS, game
from engine.games.notation import format_moves
from engine.games.spec import GameSpec
from tests.bot.table import Table, behind_more, buttons_of, line_of, parts_of, text_of
from tests.bot.ui.test_review import press_arrow
from tests.long_game import long_game


async def test_play_takes_a_position_and_the_match_is_casual(table: Table) -> None:
    board = await table.start(position="4453", first="me")
    text = text_of(board)
    assert "Starts after the opening **" in text
    assert "**Ada** to move" in text
    assert "Casual" in text
    (match,) = await table.bot.services.matches.running(table.ada.id)
    assert match.moves == (3, 3, 4, 2)
    assert not match.rated


@pytest.mark.parametrize("spec", SPECS.values(), ids=SPECS)
async def test_every_game_starts_from_a_position(table: Table, spec: GameSpec) -> None:
    started = await table.start(game=spec.key, level=spec.search.ladder[0], position=spec.play.text_example)
    assert "Starts after " in text_of(started) or "moves in" in text_of(started)
    (match,) = await table.bot.services.matches.running(table.ada.id)
    assert match.opening == len(match.moves) > 0


async def test_whose_turn_it_is_in_the_position_decides_the_sides(table: Table) -> None:
    await table.start(position="445", first="me")
    (match,) = await table.bot.services.matches.running(table.ada.id)
    assert match.seats[1].user_id == table.ada.id
    assert match.seat_to_move.user_id == table.ada.id


async def test_given_moves_are_never_taken_back(table: Table) -> None:
    board = await table.start(position="4453", first="me")
    await table.ada.click(board, label="1")
    await table.ada.click(board, label="Undo")
    (match,) = await table.bot.services.matches.running(table.ada.id)
    assert match.moves == (3, 3, 4, 2)
    assert "no move to take back" in await table.refused(table.ada.slash(table.games, "match undo"))


@pytest.mark.slow
async def test_a_position_survives_a_restart(own_table: Table) -> None:
    await own_table.start(position="4453", first="me")
    await own_table.restart()
    (match,) = await own_table.bot.services.matches.running(own_table.ada.id)
    assert match.opening == 4
    assert match.moves == (3, 3, 4, 2)


@pytest.mark.parametrize(
    ("position", "said"),
    [("44x3", "character 3"), ("4444444", "character 7"), ("9", "character 1"), ("41414141", "character 8")],
)
async def test_a_wrong_code_is_refused_with_the_wrong_character(
    table: Table, position: str, said: str
) -> None:
    line = await table.refused(
        table.ada.slash(table.games, "play", game="connect-four", level="pip", position=position)
    )
    assert said in line
    assert "4453" in line


async def test_a_finished_position_is_refused(table: Table) -> None:
    line = await table.refused(
        table.ada.slash(table.games, "play", game="connect-four", level="pip", position="4141414")
    )
    assert "already over in that position" in line


async def test_a_position_of_more_moves_than_any_game_of_people_has_is_refused(table: Table) -> None:
    """Pop Out need never end: 6,000 characters held four thousand moves."""
    for plies, is_refused in ((MOST_OPENING_MOVES, False), (MOST_OPENING_MOVES + 1, True)):
        code = format_moves(game("pop-out"), None, long_game(plies))
        pressed = table.ada.slash(table.games, "play", game="pop-out", level="pip", position=code)
        if is_refused:
            assert "after at most 500 moves" in await table.refused(pressed)
        else:
            await pressed
    (match,) = await table.bot.services.matches.running(table.ada.id)
    assert match.opening == MOST_OPENING_MOVES


def test_a_position_is_read_no_further_than_it_may_go() -> None:
    code = format_moves(game("pop-out"), None, long_game(MOST_OPENING_MOVES + 1))
    with pytest.raises(SetupError, match="position_too_long"):
        checked_opening(game("pop-out"), "6x7", f"{code} and nonsense")


@pytest.mark.slow
async def test_the_code_of_a_replay_is_a_position(table: Table) -> None:
    board = await table.pair(game="tic-tac-toe")
    await table.play(board, "b2 a1 b1 a2 b3")
    shown = text_of((await table.ada.slash(table.games, "review replay")).response)
    code = shown.partition("`")[2].partition("`")[0]
    assert code == "b2a1b1a2b3"
    started = await table.start(game="tic-tac-toe", position=f"`{code[:-2]}`")
    assert "a position 4 moves in" in text_of(started)


@pytest.mark.slow
async def test_a_review_starts_a_match_from_the_move_it_shows(own_table: Table) -> None:
    board = await own_table.pair(game="tic-tac-toe")
    await own_table.play(board, "b2 a1 b1 a2 b3")
    review = (await own_table.ben.slash(own_table.games, "review analysis")).response
    # On a busy machine the first values know no worst move, so the review opens at the end.
    await press_arrow(own_table.ben, review, "◀️")
    assert "Play from here" in buttons_of(review)
    button = next(part for part in parts_of(review) if part.get("label") == "Play from here")
    ply = int(button["custom_id"].rpartition(":")[2])
    started = await own_table.ben.click(review, label="Play from here")
    assert not started.ephemeral
    match = await own_table.bot.services.matches.match(2)
    assert match.opening == ply
    assert not match.rated
    assert match.seats[1].user_id == own_table.ben.id, "Ben keeps his side"
    assert match.seats[0].is_agent


async def test_a_rematch_of_it_begins_from_the_same_position(own_table: Table) -> None:
    board = await own_table.start(position="4453", first="me")
    await behind_more(own_table.ada, board, "Resign")
    await own_table.bot.services.playing.resign(1, own_table.person(own_table.ada))
    await own_table.bot.display.show(await own_table.bot.services.matches.match(1))
    await own_table.ada.click(board, label="Rematch")
    (match,) = await own_table.bot.services.matches.running(own_table.ada.id)
    assert match.moves[:4] == (3, 3, 4, 2)
    assert match.opening == 4


@pytest.mark.slow
async def test_people_who_may_not_see_a_match_cannot_play_from_it(table: Table) -> None:
    hall = table.guild.create_text_channel("hall")
    board = await table.pair(game="tic-tac-toe")
    await table.play(board, "b2 a1 b1 a2 b3")
    refused = await table.eve.slash(hall, "review analysis", match=str(table.first_match))
    assert "match is between" in line_of(refused.response)
