"""A chat that the bot is no member of, once the token is over: no answer claims what cannot be seen."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import pytest
from discord import app_commands

from bot.commands.match import COMMANDS
from bot.domain.match import Pace
from bot.ui.dispatch import ROUTER
from bot.ui.match.routes import ACTION, BOARD, CHALLENGE, PACE, PLAY, Action
from tests.bot.table import Table, buttons_of, line_of, text_of


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test: it forgets its server."""
    return own_table


async def dead_board(table: Table, *, is_watched: bool = False) -> Any:
    """A board, casual between Ada and Ben, whose token is over and which the bot itself cannot edit."""
    guild = table.bot.get_guild(table.guild.id)
    assert guild is not None
    table.bot._connection._remove_guild(guild)
    if is_watched:
        chosen = {"game": "tic-tac-toe", "first_level": "pip", "second_level": "pip"}
        board = (await table.ada.slash(table.games, "watch", **chosen)).response
    else:
        board = await table.pair(game="connect-four", rated=False)
        board = (await table.ada.click(board, label="4")).response
        board = (await table.ben.click(board, label="4")).response
    await table.let_messages_age(16)
    return board


async def stored(table: Table) -> Any:
    return await table.bot.services.matches.match(1)


async def seen(table: Table) -> Any:
    """The message that the match calls its board, as people see it."""
    match = await stored(table)
    return next(message for message in table.games.history() if message.id == match.location.message_id)


async def press(table: Table, board: Any, custom_id: str, person: Any = None) -> Any:
    return await table.forge(person or table.ada, board, custom_id)


def action(which: Action) -> Callable[[Table, Any], Awaitable[Any]]:
    async def act(table: Table, board: Any) -> Any:
        return await press(table, board, ACTION(1, (await stored(table)).turn, which))

    return act


async def resign(table: Table, board: Any) -> Any:
    """Through the private menu and its question, as people do."""
    menu = (await table.ada.click(board, label="More…")).followups[0]
    asked = (await table.ada.click(menu, label="Resign")).response
    return await table.ada.click(asked, label="Yes, resign")


async def offered(table: Table, which: str) -> None:
    """Ben offers a draw, or asks for his move back, where nothing shows it."""
    services, ben = table.bot.services, table.person(table.ben)
    await (services.playing.offer_draw if which == "draw" else services.playing.ask_undo)(1, ben)


def answered(which: str, action_of_it: Action) -> Callable[[Table, Any], Awaitable[Any]]:
    async def act(table: Table, board: Any) -> Any:
        await offered(table, which)
        return await action(action_of_it)(table, board)

    return act


async def rematch(table: Table, board: Any) -> Any:
    await table.bot.services.playing.resign(1, table.person(table.ben))
    return await action(Action.REMATCH)(table, board)


async def move(table: Table, board: Any) -> Any:
    return await press(table, board, PLAY.move(1, (await stored(table)).turn, 3))


async def select(table: Table, board: Any) -> Any:
    return await table.forge(table.ada, board, PLAY.select(1, (await stored(table)).turn), ["3"])


ON_BOARDS: dict[str, Callable[[Table, Any], Awaitable[Any]]] = {
    "m": move,
    "s": select,
    **{f"a {one}": action(one) for one in Action},
    "a draw-yes": answered("draw", Action.DRAW_YES),
    "a draw-no": answered("draw", Action.DRAW_NO),
    "a undo-yes": answered("undo", Action.UNDO_YES),
    "a undo-no": answered("undo", Action.UNDO_NO),
    "a rematch": rematch,
    "a resign-now": resign,
}
"""Presses on boards, by route and action."""

OTHERWISE = {
    "mc": "the choices of a board with many squares, which only it shows",
    "mi": "a further channel, which only members of a server choose",
    "p": "the pace of a watched match: see below",
    **dict.fromkeys(("vm", "vs", "vc"), "a vote, which there is only where the bot is a member"),
    "a open-board": "an activity, which Discord shows",
}
"""Those that no board of this test has, and why."""


def test_every_press_on_a_board_has_its_row() -> None:
    kinds = {route.kind for route in ROUTER.routes if route.family == BOARD}
    assert {row.split()[0] for row in (*ON_BOARDS, *OTHERWISE)} == kinds
    assert {row.split()[1] for row in ON_BOARDS if row.startswith("a ")} == set(Action)


@pytest.mark.slow
@pytest.mark.parametrize("row", sorted(ON_BOARDS.keys() - OTHERWISE.keys()))
async def test_every_press_draws_the_board_again(table: Table, row: str) -> None:
    board = await dead_board(table)
    # A change that nothing can show before somebody presses, as an end by the clock is.
    await table.bot.services.playing.offer_draw(1, table.person(table.ada))
    await table.bot.services.playing.answer_draw(1, table.person(table.ben), False)
    await ON_BOARDS[row](table, board)
    match = await stored(table)
    assert table.display.boards.states.of(1).version == match.version, "the board shows the match as it is"
    if match.is_over:
        assert "Rematch" in buttons_of(await seen(table)) or row == "a rematch"
    assert table.writes("PATCH", "/channels/*/messages/*") == []


COMMAND_ROWS: dict[str, dict[str, str]] = {
    "move": {"to": "4"},
    "match board": {},
    "match draw": {},
    "match undo": {},
    "match resign": {},
    "match list": {},
}


def test_every_command_of_a_match_has_its_row() -> None:
    names = set()
    for command in COMMANDS:
        if isinstance(command, app_commands.ContextMenu):
            continue  # a moderator's, who reads a question and no board
        parts = command.commands if isinstance(command, app_commands.Group) else [command]
        names |= {part.qualified_name for part in parts}
    assert set(COMMAND_ROWS) == names


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMAND_ROWS)
async def test_every_command_shows_the_board_before_it_claims_anything(table: Table, name: str) -> None:
    old = await dead_board(table)
    answer = await table.ada.slash(table.games, name, **COMMAND_ROWS[name])
    if name == "match list":
        assert "Connect Four" in line_of(answer.response), "it claims nothing of the board"
        return
    if name == "match resign":
        answer = await table.ada.click(answer.response, label="Yes, resign")
    match, shown = await stored(table), await seen(table)
    assert table.display.boards.states.of(1).version == match.version
    assert shown.id != old.id
    if name == "match resign":
        assert "Rematch" in buttons_of(shown)
        assert "under the board" in line_of(answer.response)
        await table.let_messages_age(10)
        await table.ben.click(shown, label="Rematch")
        assert "Accept" in str([*map(buttons_of, table.games.history())])


@pytest.mark.slow
async def test_an_end_by_the_clock_is_shown_by_the_next_press_whoever_makes_it(table: Table) -> None:
    board = await dead_board(table)
    await table.bot.services.playing.resign(1, table.person(table.ben))
    assert "Rematch" not in buttons_of(board), "nobody has pressed yet"
    line = line_of((await press(table, board, PLAY.move(1, 2, 3), table.eve)).followups[0])
    assert "Rematch" in line or "between Ada and Ben" in line
    assert "Rematch" in buttons_of(board)


@pytest.mark.slow
async def test_an_invitation_that_ran_out_is_shown_so_by_the_next_press(table: Table) -> None:
    guild = table.bot.get_guild(table.guild.id)
    assert guild is not None
    table.bot._connection._remove_guild(guild)
    chosen = {"game": "othello", "opponent": table.ben}
    asked = (await table.ada.slash(table.games, "challenge", **chosen)).response
    await table.let_messages_age(16)
    table.clock.ahead += timedelta(minutes=20)
    await table.bot.services.challenges.expire()
    assert buttons_of(asked)
    await press(table, asked, CHALLENGE(1, True), table.ben)
    assert buttons_of(asked) == {}


@pytest.mark.slow
async def test_the_board_of_a_watched_match_is_drawn_by_a_press_on_its_pace(table: Table) -> None:
    board = await dead_board(table, is_watched=True)
    await press(table, board, PACE(1, Pace.SLOW))
    assert table.display.boards.states.of(1).version == (await stored(table)).version


@pytest.mark.slow
async def test_a_board_that_followed_a_first_answer_is_edited_by_its_token(table: Table) -> None:
    await dead_board(table)
    asked = (await table.ada.slash(table.games, "match resign")).response
    await table.ada.click(asked, label="Yes, resign")
    shown = await seen(table)
    await table.bot.display.recover(await stored(table))
    assert "Rematch" in buttons_of(shown)
    assert "Ben wins" in text_of(shown)
