"""What a stored change costs: each is displayed once, by the press that made it or in the background."""

from __future__ import annotations

import asyncio

import pytest

from tests.bot.table import Table, behind_more, buttons_of, text_of

ANSWER = "POST /interactions"
PRESS_EDIT = "PATCH /webhooks"
FOLLOW_UP = "POST /webhooks"
EDIT = "PATCH /channels"
SEND = "POST /channels"
DELETE = "DELETE /channels"


class Requests:
    """The bot's requests to Discord that change something, since the last look."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.new()

    def new(self) -> list[str]:
        """In the order of the alphabet."""
        entries = self._table.env.http_requests
        found = [f"{one.method} /{one.path.split('/')[1]}" for one in entries if one.method != "GET"]
        self._table.env.http_requests.clear()
        return sorted(found)


async def test_a_move_between_people_is_one_answer_and_one_ping(own_table: Table) -> None:
    board = await own_table.pair()
    requests = Requests(own_table)
    await own_table.ada.click(board, label="4")
    assert requests.new() == [DELETE, SEND, ANSWER], "the ping of the move before is deleted"
    await own_table.ben.click(board, label="4")
    assert requests.new() == [DELETE, SEND, ANSWER]
    await own_table.env.advance_time(10)
    assert requests.new() == [], "and nothing is left to the reconciler"


async def test_a_move_and_an_agents_reply_within_a_blink_are_one_answer(table: Table) -> None:
    board = await table.start()
    requests = Requests(table)
    for label in "45":
        await table.ada.click(board, label=label)
        assert requests.new() == [ANSWER]
    await table.env.advance_time(10)
    assert requests.new() == []


async def test_an_agent_that_takes_longer_costs_one_edit_more(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.ui.match.display.AGENT_WAIT_SECONDS", 0.0)
    board = await table.start()
    requests = Requests(table)
    await table.ada.click(board, label="4")
    assert requests.new() == [PRESS_EDIT, ANSWER]


async def test_a_command_answers_and_its_change_is_one_edit(table: Table) -> None:
    board = await table.pair()
    requests = Requests(table)
    await table.ada.slash(table.games, "move", to="4")
    assert requests.new() == [DELETE, PRESS_EDIT, SEND, ANSWER]
    assert "Ada played **4**" in text_of(board)


@pytest.mark.slow
async def test_a_move_by_command_on_an_old_board_sends_one_board(own_table: Table) -> None:
    await own_table.pair()
    await own_table.let_messages_age(56)
    requests = Requests(own_table)
    await own_table.ada.slash(own_table.games, "move", to="4")
    assert requests.new() == [DELETE, EDIT, SEND, SEND, ANSWER], "the old board, the new one, its ping"
    assert "Ada played **4**" in text_of(own_table.board())


async def test_a_resignation_in_private_is_one_answer_and_one_edit(table: Table) -> None:
    board = await table.pair()
    await table.ada.click(board, label="4")
    question = (await behind_more(table.ben, board, "Resign")).response
    requests = Requests(table)
    await table.ben.click(question, label="Yes, resign")
    assert requests.new() == [DELETE, PRESS_EDIT, ANSWER, FOLLOW_UP], "and a question, once in a life"
    assert "Rematch" in buttons_of(board)


@pytest.mark.parametrize("label", ["Accept", "Decline"])
async def test_an_answer_to_an_invitation_is_one_request(table: Table, label: str) -> None:
    asked = await table.ada.slash(
        table.games, "challenge", game="connect-four", opponent=table.ben, first="me"
    )
    requests = Requests(table)
    await table.ben.click(asked.response, label=label)
    assert requests.new() == ([SEND, ANSWER] if label == "Accept" else [ANSWER])
    await table.env.advance_time(10)
    assert requests.new() == []


async def test_an_invitation_to_a_rematch_that_the_other_accepts_by_rematch_shows_it(table: Table) -> None:
    board = await table.pair()
    await table.bot.services.playing.resign(table.first_match, table.person(table.ada))
    await table.bot.services.background.drain()
    asked = (await table.ada.click(board, label="Rematch")).response
    assert "Accept" in buttons_of(asked)
    requests = Requests(table)
    await table.ben.click(board, label="Rematch")
    # The invitation, the new board, its ping, and a question.
    assert requests.new() == [PRESS_EDIT, SEND, ANSWER, FOLLOW_UP]
    assert buttons_of(asked) == {}


async def test_a_change_without_any_press_is_shown_and_pings(table: Table) -> None:
    board = await table.pair()
    requests = Requests(table)
    await table.bot.services.playing.play(table.first_match, table.person(table.ada), 3)
    await table.bot.services.background.drain()
    assert requests.new() == [DELETE, PRESS_EDIT, SEND]
    assert "Ada played **4**" in text_of(board)


async def test_versions_that_are_stored_during_an_edit_are_shown_together(table: Table) -> None:
    board = await table.pair()
    services = table.bot.services
    requests = Requests(table)
    async with table.display.boards.states.of(table.first_match).lock:
        for person, move in ((table.ada, 3), (table.ben, 3), (table.ada, 2)):
            await services.playing.play(table.first_match, table.person(person), move)
            await asyncio.sleep(0)
    await services.background.drain()
    assert requests.new().count(PRESS_EDIT) == 2, "the first version, which waited already, and the last"
    assert "Ada played **3**" in text_of(board)


async def test_a_ping_is_stored_before_discord_calls_the_bot_ready(own_table: Table) -> None:
    """The jobs begin seconds after the first press; a kill until then must not lose the ping."""
    jobs = own_table.bot._jobs
    assert jobs is not None
    jobs.stop()
    board = await own_table.pair()
    await own_table.ada.click(board, label="4")
    await own_table.env.advance_time(2)
    stores = own_table.bot.parts.stores
    assert (await stores.pings.of(own_table.first_match)).message_id is not None
    assert await stores.shown.stale_boards(10) == []
