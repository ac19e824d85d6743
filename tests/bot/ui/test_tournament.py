"""Tournaments in the interface: sign-up, rounds, agents, the end, refusals and restarts."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import discord
import pytest

from bot.domain.clock import Clock
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.tournament.model import ANNOUNCED_ALL, Stage, Tournament
from bot.services.tournaments import LISTED
from bot.ui.tournament.routes import ACTION, ENTRANTS, TournamentAction
from tests.bot.table import Table, behind_more, buttons_of, line_of, options_of, parts_of, text_of


@pytest.fixture
def table(own_table: Table) -> Table:
    """A bot of its own for each test: they name tournaments by number."""
    return own_table


async def created(table: Table, **options: Any) -> Any:
    """Create a tournament of Ada's and return its message."""
    chosen = {"game": "tic-tac-toe", **options}
    return (await table.ada.slash(table.games, "tournament create", **chosen)).response


async def running(table: Table, **options: Any) -> Any:
    """Start a tournament of Ada, Ben and Eve and return its first message."""
    message = await created(table, **options)
    for person in (table.ada, table.ben, table.eve):
        await person.click(message, label="Join")
    await table.ada.click(message, label="Start now")
    return message


async def stored(table: Table, number: int = 1) -> Tournament:
    return await table.bot.services.tournaments.tournament(number)


def message_of(table: Table, tournament: Tournament) -> Any:
    return next(one for one in table.games.history() if one.id == tournament.location.message_id)


def latest(table: Table, words: str) -> Any:
    """Return the last message with that text."""
    return [one for one in table.games.history() if words in text_of(one)][-1]


async def resign(table: Table, number: int = 1) -> None:
    """Resign every match of the round for the player to move."""
    for pairing in (await stored(table, number)).pairings:
        if pairing.is_settled or pairing.match_id is None:
            continue
        match = await table.bot.services.matches.match(pairing.match_id)
        actor = next(one for one in people(table) if one.id == match.seat_to_move.user_id)
        board = next(one for one in table.games.history() if one.id == match.location.message_id)
        asked = await behind_more(actor, board, "Resign")
        await actor.click(asked.response, label="Yes, resign")


def people(table: Table) -> tuple[Any, Any, Any]:
    return table.ada, table.ben, table.eve


# Signing up


@pytest.mark.slow
async def test_a_sign_up_is_extended_by_an_outage(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    message = await created(table)
    await table.ada.click(message, label="Join")
    before = await stored(table)
    await table.env.advance_time(12)
    with monkeypatch.context() as cut_off:
        cut_off.setattr(discord.ShardInfo, "is_closed", lambda _shard: True)
        for _ in range(60):
            table.clock.ahead += timedelta(minutes=9)
            await table.env.advance_time(6)
        assert (await stored(table)) == before
    await table.env.advance_time(6)
    after = await stored(table)
    assert after.stage is Stage.OPEN
    assert timedelta(hours=9) <= after.closes_at - before.closes_at < timedelta(hours=10)


@pytest.mark.slow
async def test_people_sign_up_and_leave_by_button(table: Table) -> None:
    message = await created(table, name="Spring Cup", system="knockout", clock=300)
    shown = text_of(message)
    assert "### 🏆 Spring Cup" in shown
    assert "Tic-tac-toe · 3×3 · Single elimination · Rated · 5 minutes per move" in shown
    assert "Nobody has signed up yet" in shown
    assert "closes <t:" in shown
    await table.ada.click(message, label="Join")
    await table.ben.click(message, label="Join")
    assert "**2 of 32** have signed up:\nAda, Ben\n1 more is needed." in text_of(message)
    await table.ada.click(message, label="Leave")
    assert "**1 of 32** has signed up:\nBen" in text_of(message)
    assert "Ada isn’t in this tournament" in await table.refused(table.ada.click(message, label="Leave"))
    assert "Ben has already signed up" in await table.refused(table.ben.click(message, label="Join"))


async def test_a_clock_for_the_whole_match_is_described_as_such(table: Table) -> None:
    shown = text_of(await created(table, clock=Clock(180, 2).number))
    assert "3+2" in shown
    assert "You have 3 min for the whole match" in shown
    assert "min for every move" not in shown


async def test_an_invisible_name_is_replaced_by_a_default(table: Table) -> None:
    ghost = table.guild.add_member(table.env.create_user("gus", global_name="\u3164\u3164"), nick="\u2800")
    for name in ("\u200b", "\u3164 \u2800"):
        made = (await ghost.slash(table.games, "tournament create", game="tic-tac-toe", name=name)).response
        assert "### 🏆 Tic-tac-toe tournament" in text_of(made)
        await ghost.click(made, label="Join")
        assert "gus" in text_of(made)
        await table.cancel_tournament(ghost)


@pytest.mark.slow
async def test_buttons_work_after_a_restart(table: Table) -> None:
    message = await created(table)
    await table.restart()
    await table.ben.click(message, label="Join")
    assert "Ben" in text_of(message)


async def test_the_organiser_adds_agents_from_a_menu_with_their_elo(table: Table) -> None:
    message = await created(table)
    asked = await table.ada.click(message, label="Add bots")
    assert asked.ephemeral
    labels = [option["label"] for part in parts_of(asked.response) for option in part.get("options", ())]
    assert any(label.startswith("Bo (Easy) · ") and " ± " in label for label in labels)
    assert "pip" in options_of(asked.response)
    answered = await table.ada.select(asked.response, ["pip", "bo"])
    assert "Bots in **Tic-tac-toe tournament**: Pip, Bo." in text_of(answered.response)
    assert "🤖 Pip, 🤖 Bo" in text_of(message)
    again = await table.ada.click(message, label="Add bots")
    emptied = await table.ada.select(again.response, [])
    assert "No bot is in" in text_of(emptied.response)
    assert "Nobody has signed up yet" in text_of(message)


async def test_an_organiser_who_plays_along_removes_entrants_from_a_menu(table: Table) -> None:
    message = await created(table)
    for person in (table.ben, table.eve):
        await person.click(message, label="Join")
    asked = await table.press_tournament(table.ada, "Remove…")
    assert asked.ephemeral
    assert options_of(asked.response) == ["1", "2"]
    removed = await table.ada.select(asked.response, ["1"])
    assert "Ben is no longer in" in text_of(removed.response)
    assert "Ben" not in text_of(message).partition("signed up")[2]
    again = await table.press_tournament(table.ada, "Remove…")
    await table.eve.click(message, label="Leave")
    gone = table.ada.select(again.response, ["2"])
    assert "isn’t in this tournament any more" in await table.refused(gone)


async def test_a_menu_has_25_entrants_and_the_next_one_the_others(table: Table) -> None:
    message = await created(table)
    for number in range(27):
        person = table.guild.add_member(table.env.create_user(f"guest{number}"))
        await person.click(message, label="Join")
    asked = await table.press_tournament(table.ada, "Remove…")
    menus = [part for part in parts_of(asked.response) if part.get("options")]
    assert [len(menu["options"]) for menu in menus] == [25, 2]
    await table.forge(table.ada, asked.response, menus[1]["custom_id"], ["27"])
    assert "26 of 32" in text_of(message)


async def test_everybody_is_offered_the_buttons_that_work_for_them(table: Table) -> None:
    message = await created(table)
    await table.ben.click(message, label="Join")
    joined, other = "Leave", "Join"
    assert list(buttons_of((await table.press_tournament(table.ben)).response)) == [joined]
    assert list(buttons_of((await table.press_tournament(table.eve)).response)) == [other]
    ada = await table.press_tournament(table.ada)
    assert list(buttons_of(ada.response)) == [other, "Add bots", "Start now", "Remove…", "Cancel…"]
    said = await table.press_tournament(table.ada, "Join")
    assert "You’re in" in line_of(said.response)
    assert "Ben, Ada" in text_of(message)
    await table.eve.click(message, label="Join")
    started = await table.press_tournament(table.ada, "Start now")
    assert "starts" in line_of(started.response)
    assert list(buttons_of((await table.press_tournament(table.ada)).response)) == [
        joined,
        "Remove…",
        "Cancel…",
    ]
    stranger = table.guild.add_member(table.env.create_user("stranger"))
    assert list(buttons_of((await table.press_tournament(stranger)).response)) == []


@pytest.mark.slow
async def test_a_tournament_starts_when_sign_up_closes(table: Table) -> None:
    message = await created(table, sign_up=600)
    for person in people(table):
        await person.click(message, label="Join")
    await table.skip(minutes=11)
    assert (await stored(table)).stage is Stage.RUNNING
    assert "It has started with 3 entrants." in text_of(message)
    assert not buttons_of(message)


async def test_a_tournament_with_too_few_entrants_is_cancelled(table: Table) -> None:
    message = await created(table, sign_up=600)
    await table.ben.click(message, label="Join")
    await table.skip(minutes=11)
    assert "it takes 3 to start" in text_of(message)
    assert not buttons_of(message)


# Rounds


@pytest.mark.slow
async def test_a_round_is_posted_with_its_boards_and_pings_its_players(table: Table) -> None:
    await running(table)
    tournament = await stored(table)
    shown = message_of(table, tournament)
    text = text_of(shown)
    assert "**Round 1 of 3**" in text
    assert "has a bye, worth a point" in text
    assert text.count("[board](https://discord.com/channels/") == 1
    (pairing,) = (pairing for pairing in tournament.pairings if pairing.second is not None)
    players = {tournament.entrant(number).seat.user_id for number in pairing.numbers}
    assert {user.id for user in shown.mentions} == players
    assert "your boards are ready" in text


async def test_a_round_pings_no_one_who_turned_pings_off(table: Table) -> None:
    settings_cache = table.bot.services.settings
    for person in people(table):
        await settings_cache.prefer(person.id, settings_cache.person(person.id).__class__(is_called=False))
    await running(table)
    shown = message_of(table, await stored(table))
    assert shown.mentions == []
    assert "your boards are ready" not in text_of(shown)


@pytest.mark.slow
async def test_a_tournament_is_played_to_its_end_through_restarts(table: Table) -> None:
    await running(table, name="Spring Cup")
    await resign(table)
    await table.restart()
    await table.env.advance_time(4)
    assert (await stored(table)).round == 2
    first = latest(table, "**Round 1 of 3**")
    assert "This round is over." in text_of(first)
    assert not buttons_of(first)
    await resign(table)
    await table.env.advance_time(4)
    await resign(table)
    await table.restart()
    await table.env.advance_time(8)
    over = await stored(table)
    assert (over.stage, over.round) == (Stage.OVER, 3)
    final = message_of(table, over)
    text = text_of(final)
    assert "wins!" in text or "First place is shared" in text
    assert "Buchholz (BH," in text
    assert re.search(r"\*\*[0-9½]+\*\* · BH [0-9½]+ · SB [0-9½¼¾]+ · W [0-9]", text), (
        "each number says what it is"
    )
    (gallery,) = (part for part in parts_of(final) if part["type"] == 12)
    assert "The standings of Spring Cup as a picture" in gallery["items"][0]["description"]
    assert (await final.attachments[0].read()).startswith(b"\x89PNG")
    boards = [message for message in table.games.history() if "Rematch" in buttons_of(message)]
    assert len(boards) == 3
    rounds = [message for message in table.games.history() if "**Round " in text_of(message)]
    assert len(rounds) == 3


@pytest.mark.slow
@pytest.mark.parametrize("is_known", [True, False], ids=["Discord has said so", "nobody knows"])
async def test_without_the_right_to_attach_files_the_standings_are_text(table: Table, is_known: bool) -> None:
    await running(table, name="Spring Cup")
    for _ in range(2):
        await resign(table)
        await table.env.advance_time(4)
    if is_known:
        boards = table.bot.tournament_display
        boards._may_attach = lambda _tournament: False  # type: ignore[attr-defined]
    else:
        post = discord.abc.Messageable.send

        async def refused(place: Any, *args: Any, **options: Any) -> Any:
            if options.get("files"):
                response: Any = SimpleNamespace(status=403, reason="Forbidden")
                raise discord.Forbidden(response, {"code": 50013, "message": "Missing Permissions"})
            return await post(place, *args, **options)

        discord.abc.Messageable.send = refused  # type: ignore[method-assign, assignment]
    try:
        await resign(table)
        await table.env.advance_time(8)
    finally:
        if not is_known:
            discord.abc.Messageable.send = post  # type: ignore[method-assign]
    over = await stored(table)
    final = message_of(table, over)
    assert (over.stage, over.announced, final.attachments) == (Stage.OVER, ANNOUNCED_ALL, [])
    assert "Buchholz" in text_of(final)
    await table.env.advance_time(30)
    told = [
        body["content"]
        for body in table.writes("POST", "/channels/*/messages")
        if "Attach Files" in str(body)
    ]
    assert told == [
        "The standings of **Spring Cup** are up, but without their picture. "
        f"I still need the permission **Attach Files** in <#{table.games.id}>; "
        "whoever manages the server can grant it."
    ], "once"


@pytest.mark.slow
async def test_an_absent_player_loses_and_is_named(table: Table) -> None:
    await running(table, clock=60)
    await table.skip(seconds=61)
    await table.env.advance_time(4)
    tournament = await stored(table)
    assert sum(entrant.is_out for entrant in tournament.entrants) == 1
    assert "didn’t show up" in text_of(latest(table, "**Round 1 of 3**"))


@pytest.mark.slow
async def test_agents_in_a_round_with_people_play_without_boards(table: Table) -> None:
    message = await created(table)
    await table.ben.click(message, label="Join")
    asked = await table.press_tournament(table.ada, "Add bots")
    await table.ada.select(asked.response, ["pip", "bo", "mia"])
    await table.ada.click(message, label="Start now")
    await table.env.advance_time(4)
    tournament = await stored(table)
    boards = [pairing for pairing in tournament.pairings if pairing.message_id is not None]
    assert len(boards) == 1
    assert sum(pairing.is_settled for pairing in tournament.pairings) == 1
    assert text_of(message_of(table, tournament)).count("🤖") == 3


@pytest.mark.slow
async def test_the_standings_button_answers_privately_with_a_picture(table: Table) -> None:
    await running(table)
    shown = await table.eve.click(message_of(table, await stored(table)), label="Standings")
    assert shown.ephemeral
    assert "**Standings** · Round 1 of 3" in text_of(shown.response)
    assert (await shown.response.attachments[0].read()).startswith(b"\x89PNG")


@pytest.mark.slow
async def test_leaving_a_running_tournament_asks_first_and_joining_returns(table: Table) -> None:
    await running(table)
    asked = await table.press_tournament(table.ben, "Leave")
    assert "you resign your match in it" in text_of(asked.response)
    left = await table.ben.click(asked.response, label="Yes, leave")
    assert "You are no longer in" in text_of(left.response)
    ben = (await stored(table)).entrant_of(table.ben.id)
    assert ben is not None
    assert ben.is_out
    round_message = message_of(table, await stored(table))
    old = table.forge(table.ben, round_message, ACTION(1, TournamentAction.LEAVE))
    assert "isn’t in this tournament" in await table.refused(old)
    back = await table.press_tournament(table.ben, "Join")
    assert "Welcome back" in line_of(back.response)


@pytest.mark.slow
async def test_a_deleted_message_comes_back_at_most_once_a_minute(table: Table) -> None:
    for is_first in (True, False):
        message = await created(table) if is_first else message_of(table, await stored(table))
        await table.env.advance_time(6)
        table.env.backend.delete_message(table.games.id, message.id)
        await table.env.advance_time(6)
        there = [one.id for one in table.games.history()]
        assert ((await stored(table)).location.message_id in there) is is_first
    await table.press_tournament(table.ben, "Join")
    assert "Ben" in text_of(message_of(table, await stored(table))), "whatever changes brings it back"


@pytest.mark.sqlite
async def test_a_message_whose_id_was_lost_is_found_again(table: Table) -> None:
    message = await created(table)
    await table.bot.close()
    with closing(sqlite3.connect(table.database)) as connection:
        connection.execute("UPDATE tournaments SET message_id = NULL, shown_version = -1, shown_mark = NULL")
        connection.commit()
    await table.restart()
    await table.skip(minutes=2)
    await table.env.advance_time(6)
    assert (await stored(table)).location.message_id == message.id
    assert [one.id for one in table.games.history() if buttons_of(one)] == [message.id]


async def test_a_deleted_message_is_sent_again(table: Table) -> None:
    message = await created(table)
    table.env.inject_error(
        "PATCH", "/channels/*/messages/*", status=404, code=10008, message="Unknown Message", times=1
    )
    await table.press_tournament(table.ben, "Join")
    shown = message_of(table, await stored(table))
    assert shown.id != message.id
    assert "Ben" in text_of(shown)


# Agents among themselves


@pytest.mark.slow
async def test_a_championship_is_played_in_the_background_and_announced(table: Table) -> None:
    answer = await table.ada.slash(
        table.games, "tournament create", players="bots", game="tic-tac-toe", system="swiss"
    )
    assert not answer.ephemeral
    assert "bots’ championship" in text_of(answer.response)
    await table.restart()
    for _ in range(6):
        await table.env.advance_time(4)
    over = await stored(table)
    assert over.stage is Stage.OVER
    assert "▰▰▰▰▰▰▰▰▰▰▰▰ 9 of 9 matches played" in text_of(answer.response)
    final = message_of(table, over)
    assert "🏆" in text_of(final)
    assert len(table.games.history()) == 2


async def test_a_championship_of_too_few_bots_is_refused_and_leaves_nothing_behind(table: Table) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(highest_level=2))
    answer = await table.ada.slash(table.games, "tournament create", players="bots", game="connect-four")
    assert answer.ephemeral
    assert "You need 3 players" in line_of(answer.response)
    await table.env.advance_time(30)
    assert await table.bot.services.tournaments.of_guild(table.guild.id) == ()
    assert table.games.history() == []


# Rights and refusals


@pytest.mark.slow
async def test_only_the_organiser_and_server_managers_may_start_and_cancel(table: Table) -> None:
    message = await created(table)
    for person in people(table):
        await person.click(message, label="Join")
    for refused in (
        table.ben.click(message, label="Start now"),
        table.ben.click(message, label="Add bots"),
        table.forge(table.ben, message, ACTION(1, TournamentAction.CANCEL)),
        table.forge(table.ben, message, ACTION(1, TournamentAction.CANCEL_NOW)),
        table.forge(table.ben, message, ACTION(1, TournamentAction.REMOVE)),
    ):
        assert "Only its organiser" in await table.refused(refused)
    forged = table.forge(table.ben, message, ENTRANTS(1, 0), ["1"])
    assert "no longer on this message" in await table.refused(forged)
    manager = table.guild.create_role("Manager", permissions=discord.Permissions(manage_guild=True))
    boss = table.guild.add_member(table.env.create_user("boss"), roles=[manager])
    cancelled = await table.cancel_tournament(boss)
    assert "is cancelled" in text_of(cancelled.response)
    assert "was cancelled" in text_of(message)
    assert not buttons_of(message)


async def test_starting_with_two_entrants_is_refused(table: Table) -> None:
    message = await created(table)
    await table.ben.click(message, label="Join")
    assert "You need 3 players to start" in await table.refused(table.ada.click(message, label="Start now"))
    assert "You need 3 players to start" in await table.refused(
        table.press_tournament(table.ada, "Start now")
    )


async def test_a_second_tournament_of_the_same_organiser_is_refused(table: Table) -> None:
    await created(table)
    second = table.ada.slash(table.games, "tournament create", game="othello")
    assert "You’re already organising a tournament" in await table.refused(second)


async def test_without_a_tournament_here_the_command_explains_how_to_name_one(table: Table) -> None:
    refused = table.ada.slash(table.games, "tournament show")
    assert "`/tournament list` shows all" in await table.refused(refused)
    listed = await table.ada.slash(table.games, "tournament list")
    assert "No tournaments yet" in line_of(listed.response)


async def test_another_servers_tournament_is_refused(table: Table) -> None:
    await created(table)
    other = table.env.create_guild("Another server")
    channel = other.create_text_channel("games")
    stranger = other.add_member(table.env.create_user("stranger"))
    for number in ("1", "#1", "x", "99"):
        refused = await stranger.slash(channel, "tournament show", tournament=number)
        assert refused.ephemeral
        assert "There’s no tournament" in line_of(refused.response)


@pytest.mark.slow
async def test_a_servers_last_tournaments_fit_into_a_message_in_every_language(table: Table) -> None:
    for _ in range(LISTED):
        made = await table.ada.slash(table.games, "tournament create", game="tic-tac-toe", name="*" * 60)
        assert "###" in line_of(made.response)
        await table.cancel_tournament(table.ada)
    for language in ("en", "fa"):
        await table.bot.services.settings.prefer(table.eve.id, Preferences(language=language))
        listed = line_of((await table.eve.slash(table.games, "tournament list")).response)
        assert len(listed) <= 4000
        assert listed.count("https://") >= 10


@pytest.mark.slow
async def test_tournaments_are_listed_with_their_stage(table: Table) -> None:
    await running(table, name="Spring Cup")
    listed = line_of((await table.eve.slash(table.games, "tournament list")).response)
    assert "⚔️ **#1 Spring Cup** · Tic-tac-toe · round 1 of 3" in listed
    offered = await table.eve.autocomplete(table.games, "tournament show", "tournament", "spr")
    assert offered == [{"name": "#1 Spring Cup", "value": "1"}]
    await table.ben.slash(table.games, "tournament create", game="othello", name="Next")
    listed = line_of((await table.eve.slash(table.games, "tournament list")).response)
    assert "📝 **#2 Next** · Othello · 0 signed up" in listed
    await table.cancel_tournament(table.ben)
    listed = line_of((await table.eve.slash(table.games, "tournament list")).response)
    assert "✖️ **#2 Next**" in listed
    shown = await table.eve.slash(table.games, "tournament show", tournament="1")
    assert "Spring Cup" in text_of(shown.response)


@pytest.mark.slow
async def test_a_tournament_uses_its_servers_language(table: Table) -> None:
    settings_cache = table.bot.services.settings
    await settings_cache.save(table.guild.id, settings_cache.server(table.guild.id).changed(language="de"))
    message = await created(table)
    assert "Mitmachen" in buttons_of(message)
    mine = await table.ben.slash(table.games, "tournament show")
    assert "Nobody has signed up yet" in text_of(mine.response)
