"""A match in several channels: each has its own language, players play in any, and pings follow them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord
import pytest
import sqlalchemy as sa
from simcord.backend.models.channel import Overwrite
from simcord.enums import OverwriteType

from bot.domain.match import Match
from bot.domain.outgoing import Fate, Outgoing, Place, Wanted
from bot.domain.preferences import ServerSettings
from bot.store.matches import MatchStore
from tests.bot.table import Table, buttons_of, line_of, parts_of, text_of
from tests.bot.ui.test_review import press_arrow

COPY = "shown in several channels"

DISCS = "🔴🟡🟥🟨❤💛"


@pytest.fixture
def arena(table: Table) -> Any:
    """A second channel of the server."""
    return table.guild.create_text_channel("arena")


def boards_in(channel: Any) -> list[Any]:
    return [message for message in channel.history() if "Connect Four" in text_of(message)]


async def watch(table: Table, person: Any, board: Any, channel: Any) -> str:
    """Choose a further channel for the match in *More…*; returns the answer."""
    opened = await person.click(board, label="More…")
    menu = opened.followups[-1] if opened.followups else opened.response
    answer = await person.select(menu, [channel], custom_id=f"d1:mi:{table.first_match}")
    assert answer.ephemeral
    await table.reconcile()
    return line_of(answer.response)


async def mirrored(table: Table, board: Any, channel: Any, person: Any = None) -> Any:
    """Open a mirror in the channel and return its message."""
    assert "in a moment" in await watch(table, person or table.eve, board, channel)
    (mirror,) = boards_in(channel)
    assert COPY in text_of(mirror)
    return mirror


async def notes_of(table: Table) -> list[Outgoing]:
    """What is stored of the mirrors of the table's first match."""
    notes = await table.bot.parts.stores.outgoing.of("mirror")
    return [note for note in notes if note.subject == table.first_match]


def mirror_in(channel: Any) -> Any:
    """The mirror as it is now."""
    (mirror,) = (message for message in channel.history() if buttons_of(message))
    return mirror


def discs(message: Any) -> int:
    """The discs on the board, not those in the texts around it."""
    rows = [line for line in text_of(message).splitlines() if not any(map(str.isalpha, line))]
    return sum(row.count(disc) for row in rows for disc in DISCS)


async def test_a_match_is_played_in_two_channels(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    for ply, label in enumerate("1213", 1):
        person, pressed = ((table.ada, board), (table.ben, mirror))[(ply + 1) % 2]
        answer = await person.click(pressed, label=label)
        assert answer.response.id == pressed.id
        now = board if pressed is board else mirror_in(arena)
        assert discs(now) == ply, "the press is answered by the board that was pressed"
        await table.reconcile()
        assert discs(board) == discs(mirror_in(arena)) == ply
    await table.play(board, "1 2 1")
    await table.reconcile()
    assert "wins" in text_of(board)
    assert "wins" in text_of(mirror_in(arena))
    assert await notes_of(table) == [], "an ended match is left as it is"
    assert len(boards_in(arena)) == 1


async def test_a_mirror_outlives_the_process_and_its_press_counts_at_once(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    await table.restart()
    await table.ada.click(mirror, label="1")
    await table.reconcile()
    await table.reconcile()
    assert discs(board) == discs(mirror_in(arena)) == 1
    match = await table.bot.services.matches.match(table.first_match)
    assert match.location.message_id == board.id, "a pressed mirror does not become the board"


async def test_an_agent_answers_in_both_channels(table: Table, arena: Any) -> None:
    board = await table.start()
    mirror = await mirrored(table, board, arena)
    await table.ada.click(mirror, label="4")
    await table.env.advance_time(3)
    assert discs(board) == discs(mirror_in(arena)) == 2


async def test_a_choice_before_a_move_is_offered_on_the_mirror(table: Table, arena: Any) -> None:
    board = await table.pair(game="gomoku")
    assert "in a moment" in await watch(table, table.eve, board, arena)
    mirror = mirror_in(arena)
    before = text_of(board)
    await table.ada.click(mirror, label="h")
    offered = mirror_in(arena)
    assert buttons_of(offered) != buttons_of(mirror), "the squares of that row"
    assert text_of(board) == before


async def test_strangers_press_no_mirror(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    answer = await table.refused(table.eve.click(mirror, label="1"))
    assert "between Ada and Ben" in answer
    assert discs(mirror_in(arena)) == 0


async def test_a_mirror_has_the_language_of_its_server(table: Table, arena: Any) -> None:
    board = await table.pair()
    settings, guild_id = table.bot.services.settings, table.guild.id
    await settings.change(guild_id, lambda now: now.changed(language="de"))
    assert "in a moment" in await watch(table, table.eve, board, arena)
    mirror = mirror_in(arena)
    assert "Vier gewinnt" in text_of(mirror)
    await table.ada.click(mirror, label="1")
    assert "Vier gewinnt" in text_of(mirror_in(arena))
    assert "Connect Four" in text_of(board)


# Pings


def pings_in(channel: Any) -> list[str]:
    return [message.content for message in channel.history() if message.content.startswith("<@")]


async def test_pings_go_where_the_person_pressed_last(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    await table.ada.click(board, label="1")
    await table.reconcile()
    assert (len(pings_in(table.games)), pings_in(arena)) == (1, [])
    await table.ben.click(mirror, label="1")
    await table.ada.click(board, label="2")
    await table.reconcile()
    assert pings_in(table.games) == []
    (ping,) = pings_in(arena)
    assert table.ben.mention in ping
    assert str(mirror.id) in ping
    await table.restart()
    await table.ben.click(board, label="2")
    await table.reconcile()
    assert pings_in(arena) == [], "a ping is deleted in the channel where it stands"
    assert table.ada.mention in pings_in(table.games)[0]


async def test_after_a_crash_lost_pings_are_found_at_every_board(table: Table, arena: Any) -> None:
    board = await table.pair()
    await mirrored(table, board, arena)
    await table.ada.click(board, label="1")
    await table.reconcile()
    assert (len(pings_in(table.games)), pings_in(arena)) == (1, [])
    # As if killed after Ben's press on the mirror moved him there, and before the ping was noted.
    store = table.bot.parts.stores.outgoing
    (note,) = await notes_of(table)
    await store.save(replace(note, seats=2))
    async with table.bot.parts.stores.database.writing() as connection:
        await connection.execute(
            sa.text(f"UPDATE matches SET ping_id = NULL, ping_ask = NULL WHERE id = {table.first_match}")
        )
    await table.restart()
    await table.env.advance_time(6)
    await table.reconcile()
    assert pings_in(table.games) == [], "a ping at another board than the person's is deleted"
    assert table.ben.mention in pings_in(arena)[0]


async def test_a_command_in_the_mirrors_channel_plays_there(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    answer = await table.ada.slash(arena, "move", to="4")
    assert f"/{mirror.id}" in line_of(answer.response), "the answer links to the board of this channel"
    await table.reconcile()
    assert discs(board) == discs(mirror_in(arena)) == 1


async def test_resigning_at_a_mirror_ends_the_match_everywhere(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    menu = (await table.ada.click(mirror, label="More…")).response
    sure = await table.ada.click(menu, label="Resign")
    await table.ada.click(sure.response, label="Yes, resign")
    await table.reconcile()
    assert "resigned" in text_of(board)
    assert "resigned" in text_of(mirror_in(arena))


@pytest.mark.slow
async def test_board_sends_the_mirror_of_this_channel_again_below_other_messages(
    table: Table, arena: Any
) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    await table.ben.click(mirror, label="More…")
    chat = await table.eve.send(arena, "hello")
    answer = await table.ada.slash(arena, "match board")
    assert answer.ephemeral
    assert "in a moment" in line_of(answer.response)
    await table.reconcile()
    again = mirror_in(arena)
    assert again.id > chat.id > mirror.id
    assert [one.id for one in boards_in(arena)] == [again.id], "the old one is deleted"
    await table.ada.click(again, label="1")
    await table.reconcile()
    assert discs(board) == discs(mirror_in(arena)) == 1
    other = table.guild.create_text_channel("other")
    refusal = await table.refused(table.ada.slash(other, "match board", match=str(table.first_match)))
    assert f"<#{table.games.id}>" in refusal, "elsewhere it names the channel of the board"


@pytest.mark.slow
async def test_the_seats_of_a_mirror_that_is_sent_again_stay(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    await table.ada.click(board, label="1")
    await table.reconcile()
    await table.ben.click(mirror, label="1")
    await table.ben.slash(arena, "match board")
    await table.reconcile()
    assert mirror_in(arena).id > mirror.id
    await table.ada.click(board, label="2")
    await table.reconcile()
    assert table.ben.mention in pings_in(arena)[0]
    assert pings_in(table.games) == []


# Closing


async def test_a_mirror_that_cannot_be_deleted_now_is_no_error_of_ours(
    table: Table, arena: Any, caplog: pytest.LogCaptureFixture
) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    table.env.inject_error("DELETE", f"/channels/*/messages/{mirror.id}", status=503, times=None)
    for press in (table.ada.slash(arena, "match board"), table.ada.slash(arena, "match board", watch=True)):
        assert "Discord" in await table.refused(press)
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert [one.id for one in boards_in(arena)] == [mirror.id]


async def test_who_deletes_a_mirror_closes_it_and_the_match_goes_on(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    await table.ben.click(mirror, label="More…")
    table.env.backend.delete_message(arena.id, mirror.id)
    await table.env.advance_time(1)
    await table.ada.click(board, label="1")
    await table.reconcile()
    assert boards_in(arena) == []
    assert discs(board) == 1
    await mirrored(table, board, arena)


@pytest.mark.slow
async def test_a_mirror_deleted_while_the_bot_was_down_stays_away(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    await table.bot.close()
    table.env.backend.delete_message(arena.id, mirror.id)
    await table.restart()
    for _ in range(4):
        await table.env.advance_time(4)
        await table.reconcile()
    assert boards_in(arena) == []
    assert await notes_of(table) == []


async def test_where_the_board_itself_moves_its_mirror_goes(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    match = await table.bot.services.matches.match(table.first_match)
    await table.bot.parts.changes.attach(
        table.first_match, match.channel.__class__(arena.id, table.guild.id, None, "en-US")
    )
    await table.env.advance_time(20)
    await table.reconcile()
    (moved,) = boards_in(arena)
    assert moved.id != mirror.id
    assert COPY not in text_of(moved)


async def test_where_the_home_channel_is_deleted_a_mirror_becomes_the_board(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    await table.ada.click(mirror, label="1")
    table.env.backend.delete_channel(table.games.id)
    await table.env.advance_time(3)
    await table.reconcile()
    match = await table.bot.services.matches.match(table.first_match)
    assert (match.location.message_id, match.stands_since) == (mirror.id, None)
    assert COPY not in text_of(mirror_in(arena))
    assert await notes_of(table) == []
    await table.ben.click(mirror, label="1")
    await table.reconcile()
    assert discs(mirror_in(arena)) == 2
    assert table.ada.mention in pings_in(arena)[0]


async def test_only_the_matches_of_a_deleted_channel_are_read(
    table: Table, arena: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await table.pair()
    await mirrored(table, board, arena)
    read: list[int] = []
    find = MatchStore.find

    async def counted(store: MatchStore, match_id: int) -> Match | None:
        read.append(match_id)
        return await find(store, match_id)

    monkeypatch.setattr(MatchStore, "find", counted)
    await table.bot.lost_channels.lose_channel(table.guild.create_text_channel("other").id)
    assert read == []
    await table.bot.lost_channels.lose_channel(table.games.id)
    assert (await table.bot.services.matches.match(table.first_match)).location.channel_id == arena.id


@pytest.mark.parametrize("is_moved", [False, True])
async def test_a_mirror_that_was_forgotten_while_the_bot_was_away_does_not_become_the_board(
    table: Table, arena: Any, is_moved: bool
) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    # As after a kick: its note is gone, and Discord kept the message.
    await table.bot.senders[0].leave((table.first_match, arena.id))
    if is_moved:  # a press that is refused
        await table.play(board, "1")
        await table.refused(table.ada.click(mirror, label="1"))
    else:
        await table.ada.click(mirror, label="1")
    await table.reconcile()
    match = await table.bot.services.matches.match(table.first_match)
    assert (match.location.message_id, match.turn) == (board.id, 1)
    assert discs(board) == 1
    assert buttons_of(board)
    (left,) = boards_in(arena)
    assert "1" not in buttons_of(left), "nobody plays there any more"
    assert str(board.id) in str(parts_of(left)) or str(board.id) in text_of(left)


# Where one may be opened


async def test_board_with_watch_shows_the_match_here_too(table: Table, arena: Any) -> None:
    board = await table.pair()
    answer = await table.ada.slash(arena, "match board", watch=True)
    assert "in a moment" in line_of(answer.response)
    await table.reconcile()
    (mirror,) = boards_in(arena)
    await table.ada.click(mirror, label="1")
    other = table.guild.create_text_channel("other")
    watched = await table.eve.slash(other, "match board", watch=True, match=str(table.first_match))
    assert "in a moment" in line_of(watched.response)
    (suggested,) = await table.ada.autocomplete(other, "match board", "match", "")
    assert suggested["value"] == str(table.first_match), (
        "a match that is shown in the channel is suggested there"
    )
    again = await table.refused(
        table.eve.slash(arena, "match board", watch=True, match=str(table.first_match))
    )
    assert "already" in again
    assert "already" in await table.refused(
        table.eve.slash(table.games, "match board", watch=True, match=str(table.first_match))
    )
    assert board.id != mirror.id
    assert "press **More…**" in await table.refused(table.eve.slash(arena, "match board", watch=True))


async def test_the_players_end_a_mirror_by_choosing_it_again(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    assert "not shown in" in await watch(table, table.ben, board, arena)
    assert boards_in(arena) == []
    await mirrored(table, board, arena)
    assert mirror.id != boards_in(arena)[0].id


async def test_a_hidden_channels_match_is_shown_nowhere_else(table: Table, arena: Any) -> None:
    hidden = {table.guild.default_role: discord.PermissionOverwrite(view_channel=False)}
    seen = {table.ada: discord.PermissionOverwrite(view_channel=True, send_messages=True)}
    secret = table.guild.create_text_channel("secret", overwrites=hidden | seen)
    board = (await table.ada.slash(secret, "play", game="connect-four", level="pip", first="me")).response
    menu = (await table.ada.click(board, label="More…")).followups[-1]
    assert f"d1:mi:{table.first_match}" not in str(parts_of(menu)), (
        "it is not offered where it would be refused"
    )
    refusal = await table.refused(table.ada.slash(arena, "match board", watch=True))
    assert "everybody in its server can see" in refusal
    assert boards_in(arena) == []


async def test_a_match_in_direct_messages_is_shown_nowhere_else(table: Table, arena: Any) -> None:
    await table.ada.user.slash("play", game="connect-four", level="pip", first="me")
    refusal = await table.refused(table.ada.slash(arena, "match board", watch=True))
    assert "everybody in its server can see" in refusal


async def test_nobody_opens_a_mirror_where_they_may_not_write(table: Table) -> None:
    board = await table.pair()
    closed = {table.guild.default_role: discord.PermissionOverwrite(send_messages=False)}
    silent = table.guild.create_text_channel("silent", overwrites=closed)
    assert "may not write" in await watch(table, table.eve, board, silent)
    assert boards_in(silent) == []


async def test_channels_that_the_server_keeps_free_of_matches_get_no_mirror(table: Table, arena: Any) -> None:
    board = await table.pair()
    wish = ServerSettings(play_channels=frozenset({table.games.id}))
    await table.bot.services.settings.save(table.guild.id, wish)
    assert f"<#{table.games.id}>" in await watch(table, table.eve, board, arena)
    assert boards_in(arena) == []


# Between servers


async def test_in_another_server_both_players_have_to_agree(own_table: Table) -> None:
    table = own_table  # after a restart those of other tests would be looked through first
    board = await table.pair()
    abroad = table.env.create_guild("Abroad")
    square = abroad.create_text_channel("square")
    ada, ben, eve = (abroad.add_member(person.user) for person in (table.ada, table.ben, table.eve))
    refusal = await table.refused(eve.slash(square, "match board", watch=True, match=str(table.first_match)))
    assert "only the players" in refusal
    asked = await ada.slash(square, "match board", watch=True)
    assert "both players have to agree" in line_of(asked.response)
    await table.reconcile()
    assert boards_in(square) == []
    (note,) = await notes_of(table)
    assert (note.fate, note.seats) == (Fate.ASKED, 1)
    await table.restart()
    agreed = await ben.slash(square, "match board", watch=True)
    assert "in a moment" in line_of(agreed.response)
    await table.reconcile()
    (mirror,) = boards_in(square)
    await ada.click(mirror, label="1")
    await table.ben.click(board, label="1")
    await table.reconcile()
    assert discs(board) == discs(mirror_in(square)) == 2
    assert pings_in(table.games) == []
    assert ada.mention in pings_in(square)[0], "Ada is pinged in the server where she plays"


async def test_a_nickname_stays_in_its_server(table: Table) -> None:
    nick = table.guild.add_member(table.env.create_user("zoe", global_name="Zoe"), nick="Secret name")
    await nick.slash(table.games, "play", game="connect-four", level="pip", first="me")
    abroad = table.env.create_guild("Abroad")
    square = abroad.create_text_channel("square")
    zoe = abroad.add_member(nick.user)
    await zoe.slash(square, "match board", watch=True)
    await table.reconcile()
    (mirror,) = boards_in(square)
    assert "Secret name" not in text_of(mirror)
    assert "Zoe" in text_of(mirror)
    await zoe.click(mirror, label="1")
    assert "Secret name" not in text_of(mirror_in(square))


async def test_a_server_that_keeps_its_results_shows_no_match_abroad(table: Table) -> None:
    await table.start()
    abroad = table.env.create_guild("Abroad")
    square = abroad.create_text_channel("square")
    ada = abroad.add_member(table.ada.user)
    await table.bot.services.settings.save(table.guild.id, ServerSettings(is_closed=True))
    refusal = await table.refused(ada.slash(square, "match board", watch=True))
    assert "keeps its results" in refusal


# What goes on around a mirror


async def test_a_choice_on_a_mirror_abroad_shows_no_nickname(table: Table) -> None:
    nick = table.guild.add_member(table.env.create_user("zoe", global_name="Zoe"), nick="Secret name")
    await nick.slash(table.games, "play", game="gomoku", level="momo", first="me")
    abroad = table.env.create_guild("Abroad")
    square = abroad.create_text_channel("square")
    zoe = abroad.add_member(nick.user)
    await zoe.slash(square, "match board", watch=True)
    await table.reconcile()
    await zoe.click(mirror_in(square), label="h")
    offered = text_of(mirror_in(square))
    assert "Secret name" not in offered
    assert "Zoe" in offered
    assert COPY in offered


async def test_a_late_press_on_the_last_mirror_makes_it_no_board(table: Table, arena: Any) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    late = next(str(part["custom_id"]) for part in parts_of(mirror) if part.get("label") == "1")
    await table.play(board, "1 2 1 2 1 2 1")
    await table.reconcile()
    await table.refused(table.forge(table.ada, mirror, late))
    await table.reconcile()
    match = await table.bot.services.matches.match(table.first_match)
    assert match.location.message_id == board.id
    assert "wins" in text_of(board)


async def test_a_mirror_pressed_before_it_is_found_after_a_crash_makes_no_board(
    table: Table, arena: Any
) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    store = table.bot.parts.stores.outgoing
    (note,) = await notes_of(table)
    await store.save(replace(note, message_id=None, fate=Fate.SENDING))
    table.bot.senders[0].doubt()
    await table.bot.senders[0].load()
    await table.ada.click(mirror, label="1")
    assert discs(mirror_in(arena)) == 1
    await table.reconcile()
    match = await table.bot.services.matches.match(table.first_match)
    assert match.location.message_id == board.id
    assert discs(board) == discs(mirror_in(arena)) == 1
    assert len(boards_in(arena)) == 1


async def test_a_board_that_moves_where_a_mirror_was_being_sent_stays(table: Table, arena: Any) -> None:
    await table.pair()
    changes, there = table.bot.parts.changes, Place(arena.id, table.guild.id, "en-US")
    moved = await changes.attach(table.first_match, there.channel(None))
    # As if killed while the mirror was being sent, before its channel became that of the board.
    await table.bot.senders[0].want(Wanted(table.first_match, arena.id, there))
    board_id = (await table.display.open(moved)).location.message_id
    await table.reconcile()
    await table.reconcile()
    assert [one.id for one in boards_in(arena)] == [board_id]
    assert await notes_of(table) == []


async def test_a_spectator_reviews_and_replays_an_ended_match_at_its_mirror(table: Table, arena: Any) -> None:
    board = await table.pair()
    await mirrored(table, board, arena)
    await table.play(board, "1 2 1 2 1 2 1")
    await table.reconcile()
    ended = mirror_in(arena)
    review = await table.eve.click(ended, label="Review")
    assert "between Ada and Ben" not in line_of(review.response)
    arrow = next(
        str(part["custom_id"])
        for part in parts_of(review.response)
        if part.get("custom_id") and part["type"] == 2 and not part.get("disabled")
    )
    assert "between Ada and Ben" not in line_of(
        (await table.eve.click(review.response, custom_id=arrow)).response
    )
    replay = await table.eve.click(ended, label="Replay")
    assert "between Ada and Ben" not in line_of(replay.response)


async def test_a_match_in_a_hidden_channel_is_reviewed_by_nobody_elsewhere(table: Table, arena: Any) -> None:
    board = await table.pair()
    await mirrored(table, board, arena)
    await table.play(board, "1 2 1 2 1 2 1")
    await table.reconcile()
    hidden = discord.Permissions(view_channel=True).value
    everyone = Overwrite(table.guild.id, OverwriteType.ROLE, deny=hidden)
    table.env.backend.set_overwrite(table.games.id, everyone)
    for label in ("Review", "Replay"):
        refusal = await table.refused(table.eve.click(mirror_in(arena), label=label))
        assert "between Ada and Ben" in refusal


@pytest.mark.slow
@pytest.mark.parametrize("is_hidden", [False, True])
async def test_a_spectator_abroad_reviews_an_ended_match_at_its_mirror(table: Table, is_hidden: bool) -> None:
    board = await table.pair()
    abroad = table.env.create_guild("Abroad")
    square = abroad.create_text_channel("square")
    ada, ben, zoe = (
        abroad.add_member(person)
        for person in (table.ada.user, table.ben.user, table.env.create_user("zoe", global_name="Zoe"))
    )
    for player in (ada, ben):
        await player.slash(square, "match board", watch=True)
    await table.reconcile()
    await table.play(board, "1 2 1 2 1 2 1")
    await table.reconcile()
    if is_hidden:
        hidden = discord.Permissions(view_channel=True).value
        everyone = Overwrite(table.guild.id, OverwriteType.ROLE, deny=hidden)
        table.env.backend.set_overwrite(table.games.id, everyone)
    ended = mirror_in(square)
    for label in ("Review", "Replay"):
        answer = await zoe.click(ended, label=label)
        assert ("between Ada and Ben" in line_of(answer.response)) is is_hidden
        if not is_hidden:
            arrow = next(
                str(part["custom_id"])
                for part in parts_of(answer.response)
                if part.get("custom_id") and part["type"] == 2 and not part.get("disabled")
            )
            turned = await zoe.click(answer.response, custom_id=arrow)
            assert "between Ada and Ben" not in line_of(turned.response)
    assert "between Ada and Ben" in await table.refused(
        zoe.slash(square, "review analysis", match=str(table.first_match))
    )


async def test_a_spectator_plays_on_from_a_position_at_a_mirror(table: Table, arena: Any) -> None:
    board = await table.pair()
    await mirrored(table, board, arena)
    await table.play(board, "1 2 1 2 1 2 1")
    await table.reconcile()
    review = (await table.eve.click(mirror_in(arena), label="Review")).response
    await press_arrow(table.eve, review, "◀️")
    button = next(part for part in parts_of(review) if part.get("label") == "Play from here")
    await table.eve.click(review, label="Play from here")
    (match,) = await table.bot.services.matches.running(table.eve.id)
    assert button["custom_id"] == f"d1:f:{table.first_match}:{match.opening}"
    assert match.location.channel_id == arena.id


async def test_a_thread_of_a_channel_for_matches_may_show_one(table: Table, arena: Any) -> None:
    await table.pair()
    places = frozenset({table.games.id, arena.id})
    await table.bot.services.settings.save(table.guild.id, ServerSettings(play_channels=places))
    channel = table.bot.get_channel(arena.id)
    assert isinstance(channel, discord.TextChannel)
    await channel.create_thread(name="side table", type=discord.ChannelType.public_thread)
    (thread,) = arena.threads
    answer = await table.ada.slash(thread, "match board", watch=True)
    assert "in a moment" in line_of(answer.response)
    await table.reconcile()
    (mirror,) = boards_in(thread)
    assert COPY in text_of(mirror)


async def test_the_list_of_matches_leads_to_the_board_on_which_the_player_plays(
    table: Table, arena: Any
) -> None:
    board = await table.pair()
    mirror = await mirrored(table, board, arena)
    await table.ada.click(board, label="1")
    await table.reconcile()
    await table.ben.click(mirror, label="2")
    for person, message in ((table.ada, board), (table.ben, mirror)):
        listed = line_of((await person.slash(table.games, "match list")).response)
        assert f"/{message.id})" in listed
        assert ("Your turn" in listed) is (person is table.ada)
