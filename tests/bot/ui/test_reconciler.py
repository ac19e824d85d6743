"""Messages that are behind, or of which nobody knows, as people see them after the bot has looked."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import aiohttp
import discord
import pytest
from simcord.backend.serializers import guild_create_payload, member_payload

from bot.domain.location import Channel
from bot.domain.terms import First
from bot.store.shown_versions import ShownBatch
from bot.ui.answers import Presses
from bot.ui.match.pings import OWN_PINGS
from tests.bot.sittings import terms_of
from tests.bot.table import Table, buttons_of, text_of

EDIT = ("PATCH", "/channels/*/messages/*")
SEND = ("POST", "/channels/*/messages")


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test: they change every match in the database, and look at all of them."""
    return own_table


def change(table: Table, statement: str) -> None:
    """What a process that ended at the wrong moment left in the database."""
    with closing(sqlite3.connect(table.database)) as connection:
        connection.execute(statement)
        connection.commit()


async def begun(table: Table) -> Any:
    """A board of Ada and Ben whose token no longer edits it."""
    board = await table.pair()
    presses = table.bot.ui.presses
    assert isinstance(presses, Presses)
    presses._by_message.clear()
    return board


async def move_unseen(table: Table) -> None:
    """A move that is stored, and that Discord does not let the bot show."""
    await table.bot.display.show(await table.bot.services.playing.play(1, table.person(table.ada), 3))


@pytest.mark.slow
@pytest.mark.parametrize(("status", "code"), [(403, 50013), (500, 0), (400, 50035), (429, 0)])
async def test_a_board_that_could_not_be_edited_is_edited_after_the_fault(
    table: Table, status: int, code: int
) -> None:
    board = await begun(table)
    table.env.inject_error(*EDIT, status=status, code=code, message="No", times=None)
    await move_unseen(table)
    await table.env.advance_time(2)
    assert "Ada played **4**" not in text_of(board)
    table.env.backend.faults.clear()
    await table.env.advance_time(40)
    assert "Ada played **4**" in text_of(board)
    assert [message.id for message in table.games.history() if buttons_of(message)] == [board.id]


@pytest.mark.slow
async def test_a_board_is_right_at_once_where_the_bot_is_given_the_role_that_it_lacked(table: Table) -> None:
    board = await begun(table)
    role = table.guild.create_role("Bots")
    table.env.inject_error(*EDIT, status=403, code=50013, message="No", times=None)
    await move_unseen(table)
    await table.env.advance_time(600)
    table.env.backend.faults.clear()
    me = table.env.backend.get_member(table.guild.id, table.bot.user.id)  # type: ignore[union-attr]
    me.role_ids.append(role.id)
    # Discord tells a bot of itself whatever its intents; this one does not.
    said = member_payload(table.env.backend, table.env.backend.get_guild(table.guild.id), me)
    tell = table.bot._connection.parsers["GUILD_MEMBER_UPDATE"]
    tell({**said, "guild_id": str(table.guild.id)})
    await table.soon(lambda: "Ada played **4**" in text_of(board))
    assert "Ada played **4**" in text_of(board)


@pytest.mark.slow
async def test_moves_made_while_the_bot_was_kicked_are_displayed_once_it_is_back(
    table: Table,
) -> None:
    board = await begun(table)
    tell, backend = table.bot._connection.parsers, table.env.backend
    tell["GUILD_DELETE"]({"id": str(table.guild.id)})
    await move_unseen(table)
    await table.env.advance_time(120)
    joined = dict(guild_create_payload(backend, backend.get_guild(table.guild.id)))
    joined.pop("unavailable", None)
    tell["GUILD_CREATE"](joined)
    await table.soon(table.calls)
    assert "Ada played **4**" in text_of(board)
    assert [call.partition(",")[0] for call in table.calls()] == [table.ben.mention]


@pytest.mark.slow
async def test_a_board_is_right_at_once_where_discord_had_a_fault(table: Table) -> None:
    """However long a server is unavailable, nothing is asked of Discord there."""
    board = await begun(table)
    tell, backend = table.bot._connection.parsers, table.env.backend
    tell["GUILD_DELETE"]({"id": str(table.guild.id), "unavailable": True})
    await move_unseen(table)
    await table.env.advance_time(600)
    assert table.writes(*EDIT) == []
    assert "Ada played **4**" not in text_of(board)
    tell["GUILD_CREATE"](dict(guild_create_payload(backend, backend.get_guild(table.guild.id))))
    await table.env.advance_time(12)
    assert "Ada played **4**" in text_of(board)
    assert [call.partition(",")[0] for call in table.calls()] == [table.ben.mention]


@pytest.mark.slow
async def test_a_tournament_that_changed_while_the_bot_was_kicked_is_displayed_once_it_is_back(
    table: Table,
) -> None:
    chosen = {"game": "tic-tac-toe", "sign_up": 3600}
    message = (await table.ada.slash(table.games, "tournament create", **chosen)).response
    presses = table.bot.ui.presses
    assert isinstance(presses, Presses)
    presses._by_message.clear()
    await table.env.advance_time(6)
    tell, backend = table.bot._connection.parsers, table.env.backend
    tell["GUILD_DELETE"]({"id": str(table.guild.id)})
    await table.bot.services.tournaments.join(1, table.person(table.ben))
    await table.env.advance_time(60)
    assert "Ben" not in text_of(message)
    joined = dict(guild_create_payload(backend, backend.get_guild(table.guild.id)))
    joined.pop("unavailable", None)
    tell["GUILD_CREATE"](joined)
    await table.soon(lambda: "Ben" in text_of(message))
    assert "Ben" in text_of(message)


@pytest.mark.slow
@pytest.mark.parametrize("code", [10003, 10008])
async def test_the_end_of_a_match_is_shown_though_discord_does_not_find_the_board_at_first(
    table: Table, code: int
) -> None:
    """In troubles of its own it says so of what is there; nobody would move to mend a board that is over."""
    board = await begun(table)
    table.env.inject_error(*EDIT, status=500, code=0, message="No", times=5)
    table.env.inject_error(*EDIT, status=404, code=code, message="Unknown", times=1)
    match = await table.bot.services.playing.resign(1, table.person(table.ada))
    await table.bot.display.show(match)
    await table.env.advance_time(40)
    assert "Ada resigned" in text_of(board)
    assert (await table.bot.parts.stores.shown.stale_boards(5)) == []


@pytest.mark.slow
async def test_a_deleted_board_of_a_finished_match_is_given_up(table: Table) -> None:
    board = await begun(table)
    table.env.inject_error(*EDIT, status=404, code=10008, message="Unknown Message", times=None)
    await table.bot.services.playing.resign(1, table.person(table.ada))
    change(table, "UPDATE matches SET shown_version = -1")
    await table.env.advance_time(40)
    assert (await table.bot.parts.stores.shown.stale_boards(5)) == []
    assert board.id == (await table.bot.services.matches.match(1)).location.message_id


@pytest.mark.slow
async def test_a_board_that_another_process_edited_last_is_edited_again(table: Table) -> None:
    board = await begun(table)
    before = await table.bot.services.matches.match(1)
    await move_unseen(table)
    await table.bot.reconciler.drain()
    assert "Ada played **4**" in text_of(board)
    # An edit of before the move, which took its time on the way.
    older = await table.display.boards.views.board(before)
    await table.bot.get_partial_messageable(table.games.id).get_partial_message(board.id).edit(view=older)
    await table.bot.parts.stores.shown.mark(ShownBatch(boards={1: before.version}))
    assert "Ada played **4**" not in text_of(board)
    await table.env.advance_time(15)
    assert "Ada played **4**" in text_of(board)


async def test_a_board_in_an_archived_thread_is_replaced(table: Table) -> None:
    board = await begun(table)
    table.env.inject_error(*EDIT, status=400, code=50083, message="Thread is archived", times=1)
    await move_unseen(table)
    new = (await table.bot.services.matches.match(1)).location.message_id
    assert new != board.id
    assert "Ada played **4**" in text_of(next(one for one in table.games.history() if one.id == new))


@pytest.mark.slow
async def test_a_board_whose_id_was_lost_is_found_again(table: Table) -> None:
    board = await begun(table)
    await move_unseen(table)
    change(table, "UPDATE matches SET message_id = NULL, shown_version = -1, version = version + 1")
    before = len(table.games.history())
    await table.restart()
    assert (await table.bot.services.matches.match(1)).location.message_id == board.id
    assert len(table.games.history()) == before
    await table.ben.click(board, label="4")
    assert "Ben played **4**" in text_of(board)


@pytest.mark.slow
async def test_a_board_that_was_never_sent_is_sent_after_the_start(table: Table) -> None:
    await table.bot.services.challenges.send(
        table.person(table.ada), table.person(table.ben), terms_of("connect-four", first=First.ME),
        Channel(table.games.id, table.guild.id),
    )  # fmt: skip
    await table.bot.services.challenges.accept(1, table.person(table.ben))
    await table.restart()
    (new,) = (message for message in table.games.history() if buttons_of(message))
    assert (await table.bot.services.matches.match(1)).location.message_id == new.id
    await table.ada.click(new, label="4")
    assert "Ada played **4**" in text_of(table.board())


async def test_a_ping_whose_id_was_lost_is_found_after_a_restart_and_goes_after_the_move(
    table: Table,
) -> None:
    board = await table.pair()
    await table.ada.click(board, label="4")
    (old,) = (message for message in table.games.history() if message.content.startswith("<@"))
    await table.bot.close()
    change(table, "UPDATE matches SET ping_id = NULL, ping_ask = NULL")
    await table.restart()
    await table.env.advance_time(20)
    assert [one.id for one in table.games.history() if one.content.startswith("<@")] == [old.id]
    await table.ben.click(board, label="4")
    await table.env.advance_time(10)
    assert [call.split(",")[0] for call in table.calls()] == [table.ada.mention]


async def test_a_ping_of_a_board_whose_id_was_lost_is_found_with_it(table: Table) -> None:
    await table.ada.click(await table.pair(), label="4")
    before = [message.id for message in table.games.history()]
    await table.bot.close()
    lost = "message_id = NULL, ping_id = NULL, ping_ask = NULL"
    change(table, f"UPDATE matches SET {lost}, shown_version = -1, version = version + 1")
    await table.restart()
    await table.env.advance_time(20)
    assert [message.id for message in table.games.history()] == before


async def test_a_search_for_a_lost_ping_takes_none_of_another_match(table: Table) -> None:
    await table.ada.click(await table.pair(), label="4")
    standing = table.calls()
    await table.ada.click(await table.pair(rated=False), label="4")
    other = await table.bot.get_partial_messageable(table.games.id).send(
        f"<@{table.ben.id}>, it is your turn"
    )
    await table.bot.close()
    change(table, "UPDATE matches SET ping_id = NULL, ping_ask = NULL WHERE id = 2")
    await table.restart()
    await table.env.advance_time(20)
    assert standing[0] in table.calls()
    assert other.id in [message.id for message in table.games.history()]


@pytest.mark.slow
async def test_the_lost_pings_of_a_channel_are_found_by_one_request(table: Table) -> None:
    boards = [await table.pair(rated=False) for _ in range(3)]
    for board in boards:
        await table.ada.click(board, label="4")
    there = table.calls()
    assert len(there) == len(boards)
    await table.bot.close()
    change(table, "UPDATE matches SET ping_id = NULL, ping_ask = NULL")
    table.env.http_requests.clear()
    await table.restart()
    await table.env.advance_time(20)
    searches = [
        one for one in table.env.http_requests if one.method == "GET" and one.path.endswith("/messages")
    ]
    assert len(searches) == 1
    assert table.calls() == there
    for board in boards:
        await table.ben.click(board, label="5")
    await table.env.advance_time(15)
    assert len(table.calls()) == len(boards)
    assert not set(table.calls()) & set(there)


async def test_a_ping_through_a_press_whose_answer_is_lost_is_not_sent_twice(table: Table) -> None:
    """What comes by a press's token has no nonce: it is looked for before it is said again."""
    board = await table.pair()
    table.display.pings._is_crowded = lambda channel_id: True  # type: ignore[method-assign]
    send = discord.Webhook.send

    async def torn(*args: Any, **options: Any) -> Any:
        discord.Webhook.send = send  # type: ignore[method-assign]
        await send(*args, **options)
        raise aiohttp.ServerDisconnectedError

    discord.Webhook.send = torn  # type: ignore[method-assign]
    try:
        await table.ada.click(board, label="4")
    finally:
        discord.Webhook.send = send  # type: ignore[method-assign]
    await table.env.advance_time(3)
    assert len(table.calls()) == 1
    await table.ben.click(board, label="4")
    await table.env.advance_time(8)
    assert [call.split(",")[0] for call in table.calls()] == [f"<@{table.ada.id}>"]


async def test_a_ping_that_fails_through_a_press_is_sent_by_the_bot(table: Table) -> None:
    board = await table.pair()
    table.display.pings._is_crowded = lambda channel_id: True  # type: ignore[method-assign]
    table.env.inject_error("POST", "/webhooks/*", status=404, code=10015, message="Unknown Webhook")
    await table.ada.click(board, label="4")
    await table.env.advance_time(3)
    assert [call.split(",")[0] for call in table.calls()] == [f"<@{table.ben.id}>"]


async def test_pings_by_the_bots_token_are_limited_over_all_channels(
    table: Table,
) -> None:
    pings = table.display.pings
    assert sum(not pings._is_crowded(channel_id) for channel_id in range(1000, 1030)) == OWN_PINGS


@pytest.mark.slow
@pytest.mark.parametrize(("status", "code"), [(403, 50013), (404, 10008)])
async def test_a_ping_that_could_not_be_deleted_is_deleted_later(
    table: Table, status: int, code: int
) -> None:
    board = await table.pair()
    await table.ada.click(board, label="4")
    table.env.inject_error("DELETE", "/channels/*/messages/*", status=status, code=code, times=1)
    await table.ben.click(board, label="4")
    assert len(table.calls()) == 2
    await table.env.advance_time(10)
    assert len(table.calls()) == 1


@pytest.mark.slow
async def test_a_quiet_restart_asks_and_writes_nothing(table: Table) -> None:
    await table.pair()
    await table.start()
    await table.ada.slash(table.games, "tournament create", game="connect-four")
    await table.env.advance_time(3)
    before = len(table.writes("*", "/channels/*"))
    await table.restart()
    await table.env.advance_time(10)
    assert len(table.writes("*", "/channels/*")) == before
