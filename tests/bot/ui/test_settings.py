"""Preferences, server settings, privacy and deletion, across restarts."""

from __future__ import annotations

import io
import json
import re
import zipfile
from typing import Any

import discord
import pytest
from simcord.backend.errors import SetupError

from bot.domain.errors import SetupError as SetupRefused
from bot.domain.location import Channel
from bot.domain.preferences import Preferences, ServerSettings
from bot.domain.terms import First
from bot.presentation import Size, Theme
from bot.store.forgetting import ask_to_forget, was_forgotten
from bot.store.privacy import PSEUDONYM
from bot.ui.people.routes import PAGE
from engine.games import GAMES
from tests.bot.exports import exported
from tests.bot.sittings import terms_of
from tests.bot.table import Table, behind_more, buttons_of, line_of, parts_of, text_of, value_of


async def wish(table: Table, person: Any, **wishes: str) -> Any:
    """Open the preferences, choose, and return the changed message."""
    panel = (await person.slash(table.games, "preferences")).response
    for field, value in wishes.items():
        await person.select(panel, [value], custom_id=f"d1:w:{field}")
    return panel


def manager(table: Table) -> Any:
    """Return a person who may manage the server."""
    role = table.guild.create_role("Crew", permissions=discord.Permissions(manage_guild=True))
    user = table.env.create_user("gil", global_name="Gil")
    return table.guild.add_member(user, roles=[role])


# Preferences


async def test_preferences_are_private_and_show_the_choices(table: Table) -> None:
    answer = await table.ada.slash(table.games, "preferences")
    assert answer.ephemeral
    chosen = [
        option["value"]
        for part in parts_of(answer.response)
        for option in part.get("options", ())
        if option.get("default")
    ]
    assert chosen == ["classic", "normal", "discord", "yes", "no"]


@pytest.mark.slow
async def test_a_theme_applies_at_once_and_after_a_restart(own_table: Table) -> None:
    panel = await wish(own_table, own_table.ada, theme="letters")
    assert "```" in text_of(panel)
    await own_table.restart()
    board = await own_table.start()
    assert " 1  .  .  .  .  .  .  ." in text_of(board)
    assert "X **Ada**" in text_of(board)


@pytest.mark.parametrize(
    ("theme", "disc"), [("dark", "🌑"), ("colour-blind", "🔵"), ("shapes", "🔷"), ("classic", "🟦")]
)
async def test_every_theme_changes_the_board(table: Table, theme: str, disc: str) -> None:
    await wish(table, table.ada, theme=theme)
    board = await table.start()
    await table.ada.click(board, label="4")
    assert disc in text_of(board)


@pytest.mark.slow
async def test_a_large_board_is_a_picture_with_the_board_as_alternative_text(table: Table) -> None:
    await wish(table, table.ada, size="large")
    board = await table.start()
    await table.ada.click(board, label="4")
    (picture,) = [part for part in parts_of(board) if part["type"] == 12]
    assert "X" in picture["items"][0]["description"]
    assert [one.filename for one in board.attachments] == ["board.png"]
    assert "🟦" not in text_of(board)
    await wish(table, table.ada, size="normal")
    await table.ada.click(board, label="1")
    assert not board.attachments
    assert "🟦🟦🟦" in text_of(board)


async def test_a_large_board_is_text_where_the_bot_may_not_attach_files(table: Table) -> None:
    await wish(table, table.ada, size="large")
    closed = table.guild.create_text_channel(
        "plain", overwrites={table.guild.default_role: discord.PermissionOverwrite(attach_files=False)}
    )
    options = {"game": "connect-four", "level": "pip", "first": "me"}
    board = (await table.ada.slash(closed, "play", **options)).response
    assert "🟦🟦🟦🟦🟦🟦🟦" in text_of(board)


async def test_a_shared_board_uses_the_more_accessible_look(table: Table) -> None:
    await wish(table, table.ada, theme="dark")
    await wish(table, table.ben, theme="letters")
    assert "```" in text_of(await table.pair())


async def test_a_language_applies_to_private_answers_at_once(table: Table) -> None:
    panel = await wish(table, table.ada, language="de")
    assert "Sprache" in text_of(panel)
    refused = await table.refused(table.ada.slash(table.games, "match board"))
    assert "`/spielen`" in refused
    assert "You" not in refused
    assert table.bot.services.texts.of("de")("no_current_match") in refused
    panel = await wish(table, table.ada, language="discord")
    assert "Language" in text_of(panel)


async def test_people_who_turned_pings_off_are_not_pinged(table: Table) -> None:
    await wish(table, table.ben, calls="no")
    board = await table.pair()
    await table.play(board, "4")
    assert table.calls() == []
    await wish(table, table.ben, calls="yes")
    await table.ben.click(board, label="4")
    assert [call.partition(",")[0] for call in table.calls()] == [f"<@{table.ada.id}>"]


async def test_an_unknown_value_changes_nothing(table: Table) -> None:
    await table.bot.services.settings.prefer(table.ada.id, Preferences(Theme.DARK, Size.LARGE))
    panel = (await table.ada.slash(table.games, "preferences")).response
    with pytest.raises(Exception, match="does not exist"):
        await table.ada.select(panel, ["neon"], custom_id="d1:w:theme")
    assert table.bot.services.settings.person(table.ada.id) == Preferences(Theme.DARK, Size.LARGE)


# Settings


@pytest.mark.slow
async def test_settings_are_for_people_who_manage_the_server(table: Table) -> None:
    with pytest.raises(SetupError, match="not visible to this user"):
        await table.ada.slash(table.games, "settings")
    answer = await manager(table).slash(table.games, "settings")
    assert answer.ephemeral
    assert "settings" in text_of(answer.response)


async def test_a_named_role_may_change_settings_but_not_the_role(table: Table) -> None:
    boss, role = manager(table), table.guild.create_role("Referees")
    referee = table.guild.add_member(table.env.create_user("ref", global_name="Ref"), roles=[role])
    panel = await table.settings(boss, "order")
    await boss.select(panel, [role], custom_id="d1:g:role")
    (settings,) = [one for one in await table.bot.tree.fetch_commands() if one.name == "settings"]
    table.guild.set_command_permissions(settings, {role: True})
    panel = await table.settings(referee, "play")
    await referee.select(panel, ["13"], custom_id="d1:g:level")
    assert table.bot.services.settings.server(table.guild.id).highest_level == 13
    panel = await table.settings(referee, "order")
    refused = await referee.select(panel, [], custom_id="d1:g:role")
    assert "Manage Server" in line_of(refused.response)
    assert table.bot.services.settings.server(table.guild.id).role == role.id


async def test_without_the_permission_an_old_panel_is_refused(table: Table) -> None:
    boss = manager(table)
    panel = await table.settings(boss, "play")
    table.env.backend.guilds[table.guild.id].members[boss.id].role_ids.clear()
    answer = await boss.select(panel, ["12"], custom_id="d1:g:level")
    assert "Manage Server" in line_of(answer.response)
    assert table.bot.services.settings.server(table.guild.id) == ServerSettings()


@pytest.mark.slow
async def test_matches_start_only_in_the_servers_channels_for_them(own_table: Table) -> None:
    boss, hall = manager(own_table), own_table.guild.create_text_channel("hall")
    panel = await own_table.settings(boss, "play")
    await boss.select(panel, [hall], custom_id="d1:g:play")
    await own_table.restart()
    for command, options in (
        ("play", {"game": "othello"}),
        ("challenge", {"game": "othello"}),
        ("watch", {"game": "othello"}),
    ):
        line = await own_table.refused(own_table.ada.slash(own_table.games, command, **options))
        assert f"<#{hall.id}>" in line
    assert "Othello" in text_of((await own_table.ada.slash(hall, "play", game="othello")).response)


async def test_levels_above_the_servers_limit_are_neither_offered_nor_started(table: Table) -> None:
    boss = manager(table)
    panel = await table.settings(boss, "play")
    await boss.select(panel, ["11"], custom_id="d1:g:level")
    offered = await table.ada.autocomplete(table.games, "play", "level", "", game="connect-four")
    assert [choice["value"] for choice in offered] == ["echo", "pip", "bo"]
    line = await table.refused(table.ada.slash(table.games, "play", game="connect-four", level="una"))
    assert "Una" in line
    assert "Pip, Bo" in line
    await boss.select(panel, ["all"], custom_id="d1:g:level")
    offered = await table.ada.autocomplete(table.games, "play", "level", "", game="connect-four")
    assert "una" in [choice["value"] for choice in offered]


async def test_boards_use_the_servers_language(table: Table) -> None:
    boss = manager(table)
    panel = await table.settings(boss, "play")
    await boss.select(panel, ["es"], custom_id="d1:g:language")
    invitation = await table.ada.slash(table.games, "challenge")
    assert table.bot.services.texts.of("es")("button_take_seat") in buttons_of(invitation.response)
    assert "**Ada** to move" in text_of(await table.start())


async def test_a_match_against_a_bot_is_in_the_person_s_own_language(table: Table) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(language="es"))
    await table.bot.services.settings.prefer(table.ada.id, Preferences(language="de"))
    board = await table.start(game="tic-tac-toe")
    await table.ada.click(board, label="b2")
    german = table.bot.services.texts.of("de")
    assert german("button_more") in buttons_of(board)
    (match,) = await table.bot.services.matches.running(table.ada.id)
    assert match.location.locale == "de"


async def test_the_puzzles_channel_and_hour_are_stored(own_table: Table) -> None:
    boss = manager(own_table)
    panel = await own_table.settings(boss, "daily")
    await boss.select(panel, [own_table.games], custom_id="d1:g:puzzle")
    await boss.select(panel, ["18"], custom_id="d1:g:hour")
    await boss.select(panel, ["America/New_York"], custom_id="d1:g:zone")
    forged = own_table.forge(boss, panel, "d1:g:zone", ["Mars/Olympus_Mons"])
    assert "Mars" in await own_table.refused(forged)
    await own_table.restart()
    settings = own_table.bot.services.settings.server(own_table.guild.id)
    assert (settings.puzzle_channel, settings.puzzle_hour) == (own_table.games.id, 18)
    assert settings.puzzle_zone == "America/New_York"
    assert value_of(await own_table.settings(boss, "daily"), "At 18:00 America/New York") == "18"


@pytest.mark.slow
async def test_a_closed_server_shows_no_leaderboards_of_all_servers(own_table: Table) -> None:
    shown = (
        await own_table.ada.slash(own_table.games, "leaderboard", kind="puzzles", scope="everywhere")
    ).response
    assert "everywhere" in text_of(shown)
    boss = manager(own_table)
    panel = await own_table.settings(boss, "order")
    await boss.select(panel, ["yes"], custom_id="d1:g:closed")
    await own_table.restart()
    assert own_table.bot.services.settings.server(own_table.guild.id).is_closed
    for command, options in (
        ("leaderboard", {"game": "othello", "scope": "everywhere"}),
        ("leaderboard", {"kind": "puzzles", "scope": "everywhere"}),
        ("profile", {"scope": "everywhere"}),
    ):
        line = await own_table.refused(own_table.ada.slash(own_table.games, command, **options))
        assert "isn’t on global leaderboards" in line
    board = (await own_table.ada.slash(own_table.games, "leaderboard", game="othello")).response
    old = PAGE(own_table.ada.id, "othello", None, False, 1, None)
    assert "isn’t on global leaderboards" in line_of(
        (await own_table.forge(own_table.ada, board, old)).response
    )
    alone = (await own_table.ada.user.slash("leaderboard", game="othello")).response
    assert "everywhere" in text_of(alone)


# Privacy


async def my_data(table: Table, button: str) -> Any:
    """Press a button under Ada's /my-data."""
    shown = await table.ada.slash(table.games, "my-data")
    return await table.ada.click(shown.response, label=button)


async def test_my_data_lists_stored_data_with_buttons_that_get_and_delete_it(table: Table) -> None:
    answer = await table.ada.slash(table.games, "my-data")
    assert answer.ephemeral
    assert "file, or delete it" in text_of(answer.response)


def unzipped(archive: bytes) -> Any:
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return json.loads(opened.read("discade-my-data.json"))


@pytest.mark.slow
async def test_an_export_has_the_persons_rows_and_no_other_names(table: Table) -> None:
    board = await table.pair()
    await table.play(board, "4 3 4 3 4 3 4")
    await wish(table, table.ada, theme="dark")
    await table.eve.slash(table.games, "play", game="othello", level="pip")
    answer = await my_data(table, "Get it as a file")
    data = unzipped(await answer.response.attachments[0].read())
    assert answer.ephemeral
    assert data["user_id"] == table.ada.id
    assert len(data["tables"]["matches"]) == 1
    assert [len(line["moves"]) for line in data["tables"]["moves"]] == [7]
    assert data["tables"]["preferences"][0]["theme"] == "dark"
    assert data["tables"]["records"]
    assert "Eve" not in json.dumps(data)


async def test_deleting_asks_for_confirmation(table: Table) -> None:
    board = await table.start()
    asked = await my_data(table, "Delete it…")
    assert asked.ephemeral
    await table.ada.click(asked.response, label="Keep it")
    assert "**Ada** to move" in text_of(board)


@pytest.mark.slow
async def test_deleting_ends_matches_keeps_others_ratings_and_forgets_the_person(table: Table) -> None:
    over = await table.pair()
    await table.play(over, "4 3 4 3 4 3 4")
    running = await table.pair(game="othello")
    await wish(table, table.ada, theme="dark")
    bens = await table.bot.services.standings.profile(table.ben.id, guild_id=table.guild.id)
    asked = await my_data(table, "Delete it…")
    done = await table.ada.click(asked.response, label="Yes, delete everything")
    assert "Done" in text_of(done.response)
    assert "resigned" in text_of(running)
    after = await table.bot.services.standings.profile(table.ben.id, guild_id=table.guild.id)
    connect_four = [row.row for row in after.rows if row.game == "connect-four"]
    assert connect_four == [row.row for row in bens.rows if row.game == "connect-four"]
    assert {match.seats[0].name for match in after.recent} == {PSEUDONYM}
    export = await my_data(table, "Get it as a file")
    assert unzipped(await export.response.attachments[0].read())["tables"] == {}
    assert table.bot.services.settings.person(table.ada.id) == Preferences()


@pytest.mark.slow
async def test_the_running_bot_deletes_a_person_named_by_the_host(own_table: Table) -> None:
    running = await own_table.pair(game="othello")
    request = ask_to_forget(own_table.database, own_table.ada.id)
    await own_table.skip(seconds=6)
    assert "resigned" in text_of(running)
    assert exported(own_table.bot.parts.stores, own_table.ada.id) == {}
    assert not request.exists()
    is_forgotten = was_forgotten(own_table.database, None)
    assert is_forgotten(own_table.ada.id)
    assert not is_forgotten(own_table.ben.id)


async def test_deleting_closes_invitations_in_both_directions(table: Table) -> None:
    await table.env.advance_time(2)  # what was shown of a deleted invitation with the same number is stored
    to_ben = await table.ada.slash(table.games, "challenge", game="othello", opponent=table.ben)
    to_ada = await table.eve.slash(table.games, "challenge", game="othello", opponent=table.ada)
    asked = await my_data(table, "Delete it…")
    await table.ada.click(asked.response, label="Yes, delete everything")
    assert not buttons_of(to_ben.response)
    assert not buttons_of(to_ada.response)
    assert not await table.bot.parts.stores.challenges.open_of(table.ada.id)


@pytest.mark.slow
async def test_deleting_leaves_a_tournament_that_continues_for_the_others(table: Table) -> None:
    made = (await table.ada.slash(table.games, "tournament create", game="tic-tac-toe")).response
    for person in (table.ada, table.ben, table.eve):
        await person.click(made, label="Join")
    await table.ada.click(made, label="Start now")
    asked = await my_data(table, "Delete it…")
    await table.ada.click(asked.response, label="Yes, delete everything")
    tournament = await table.bot.services.tournaments.tournament(1)
    (gone,) = (entrant for entrant in tournament.entrants if entrant.seat.name == PSEUDONYM)
    assert gone.is_out
    assert tournament.organiser_id != table.ada.id
    assert not await table.bot.services.matches.running(table.ada.id)
    assert table.ada.id not in {entrant.seat.user_id for entrant in tournament.entrants}


async def test_the_daily_puzzle_needs_a_channel_that_the_bot_may_write_in(table: Table) -> None:
    boss = manager(table)
    closed = table.guild.create_text_channel(
        "closed", overwrites={table.guild.default_role: discord.PermissionOverwrite(send_messages=False)}
    )
    panel = await table.settings(boss, "daily")
    answer = await boss.select(panel, [closed], custom_id="d1:g:puzzle")
    assert f"<#{closed.id}>" in line_of(answer.response)
    assert table.bot.services.settings.server(table.guild.id).puzzle_channel is None


@pytest.mark.slow
async def test_reviews_replays_and_rules_use_the_persons_own_look(own_table: Table) -> None:
    over = await own_table.pair()
    await own_table.play(over, "4 3 4 3 4 3 4")
    await wish(own_table, own_table.ben, theme="letters")
    review = await own_table.ben.slash(own_table.games, "review analysis")
    assert "```" in text_of(review.response)
    assert "X **Ada**" in text_of(review.response) or "X Ada" in text_of(review.response)
    replay = (await own_table.ben.slash(own_table.games, "review replay")).response
    step = await own_table.ben.click(replay, custom_id="d1:q:1:first:0")
    assert " 1  .  .  .  .  .  .  ." in text_of(step.response)
    classic = (await own_table.ada.slash(own_table.games, "help", game="othello")).response
    shapes = (await own_table.ben.slash(own_table.games, "help", game="othello")).response
    assert await classic.attachments[0].read() != await shapes.attachments[0].read()


@pytest.mark.slow
async def test_a_board_in_persian_keeps_its_cells_and_moves_in_order(table: Table) -> None:
    await table.bot.services.settings.prefer(table.ada.id, Preferences(language="fa"))
    board = await table.start(game="othello")
    await table.ada.click(board, label="d3")
    said = text_of(board)
    rows = [line for line in said.splitlines() if "🟩" in line]
    assert len(rows) == 8
    assert all(row.startswith("\u2066") and row.endswith("\u2069") for row in rows)
    assert re.search("\u2068[a-h][1-8]\u2069", said)
    assert "\u2068Ada\u2069" in said


async def test_a_rematch_against_a_level_closed_since_is_refused(table: Table) -> None:
    board = await table.start(level="bo", game="tic-tac-toe")
    await table.ada.slash(table.games, "match resign")
    asked = await behind_more(table.ada, board, "Resign")
    await table.ada.click(asked.response, label="Yes, resign")
    await table.bot.services.settings.save(table.guild.id, ServerSettings(highest_level=1))
    line = await table.refused(table.ada.click(board, label="Rematch"))
    assert "Bo" in line


async def test_a_level_that_a_server_has_closed_is_refused_however_its_match_is_asked_for(
    table: Table,
) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(highest_level=1))
    starting, ada = table.bot.services.starting, table.person(table.ada)
    here = Channel(table.games.id, table.guild.id)
    with pytest.raises(SetupRefused, match="level_closed"):
        await starting.start(ada, terms_of("tic-tac-toe", first=First.ME), "bo", here)
    with pytest.raises(SetupRefused, match="level_closed"):
        await starting.watch(ada, "tic-tac-toe", "pip", "bo", here)


async def test_settings_limit_every_game_by_the_same_five_words_as_menus(table: Table) -> None:
    boss = manager(table)
    panel = await table.settings(boss, "play")
    await boss.select(panel, [value_of(panel, "Up to Easy")], custom_id="d1:g:level")
    for game in GAMES:
        offered = await table.ada.autocomplete(table.games, "play", "level", "", game=game)
        assert " (Easy) · " in offered[-1]["name"], game
        words = {word for choice in offered for word in re.findall(r"[(](\w+)[)]", choice["name"])}
        assert words <= {"Beginner", "Easy"}


async def test_a_limit_that_a_server_has_stored_in_tenths_keeps_its_meaning_and_can_be_left(
    table: Table,
) -> None:
    boss, settings = manager(table), table.bot.services.settings
    await settings.save(table.guild.id, ServerSettings(highest_level=2))
    panel = await table.settings(boss, "play")
    (level,) = [one for one in parts_of(panel) if one.get("custom_id") == "d1:g:level"]
    shown = [option["label"] for option in level["options"]]
    assert shown[1:] == ["Up to Beginner", "Up to Easy", "Up to Medium", "Up to Hard", "Up to novice"]
    assert [one["label"] for one in level["options"] if one["default"]] == ["Up to novice"]
    assert [level.key for level in table.bot.services.levels.of(table.guild.id, "connect-four")] == [
        "pip",
        "bo",
    ]
    await boss.select(panel, [value_of(panel, "Up to Medium")], custom_id="d1:g:level")
    assert settings.server(table.guild.id).highest_level == 13


@pytest.mark.slow
async def test_other_people_cannot_answer_the_deletion_question(table: Table) -> None:
    asked = await my_data(table, "Delete it…")
    button = next(part for part in parts_of(asked.response) if part.get("label") == "Yes, delete everything")
    assert button["custom_id"] == f"d1:x:{table.ada.id}:yes"
    assert "Yes, delete everything" in buttons_of(asked.response)
    with pytest.raises(Exception, match=r"see|visible|ephemeral|message"):
        await table.ben.click(asked.response, custom_id=button["custom_id"])
