"""Sharing: a private result is posted once in the channel, if the server and permissions allow it."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from bot.domain.puzzle import Status
from engine.analysis.evaluators import Estimator
from engine.core import Limit
from engine.games import game
from tests.bot.table import Table, buttons_of, line_of, parts_of, text_of


async def finished(table: Table) -> Any:
    """Return the board of a match that Ada resigned against Ben."""
    board = await table.pair(game="tic-tac-toe")
    await table.play(board, "a1 b2 c3 a3")
    asked = await table.ada.slash(table.games, "match resign")
    await table.ada.click(asked.response, label="Yes, resign")
    return board


async def shared(table: Table, private: Any, person: Any = None) -> Any:
    """Return the public message that Share posts."""
    answer = await (person or table.ada).click(private, label="Share")
    (posted,) = answer.followups
    assert not posted.flags.ephemeral
    return posted


def pictures_of(message: Any) -> list[dict[str, Any]]:
    return [part for part in parts_of(message) if part["type"] in (12, 13)]


@pytest.mark.slow
async def test_a_review_is_shared_with_its_picture_and_others_open_their_own(table: Table) -> None:
    board = await finished(table)
    private = (await table.ada.click(board, label="Review")).response
    posted = await shared(table, private)
    assert "Ada – Ben" in text_of(posted)
    assert "**Ben wins**: Ada resigned" in text_of(posted)
    assert "Shared by Ada" in text_of(posted)
    assert set(buttons_of(posted)) == {"Review"}
    theirs = await table.eve.click(posted, label="Review")
    assert theirs.ephemeral


async def test_a_replay_is_shared_with_its_animation(table: Table) -> None:
    board = await finished(table)
    private = (await table.ada.click(board, label="Replay")).response
    posted = await shared(table, private)
    assert pictures_of(posted)
    assert set(buttons_of(posted)) == {"Replay"}
    assert "Ada – Ben" in text_of(posted)
    assert "**Ben wins**: Ada resigned" in text_of(posted)
    assert "Moves" not in text_of(posted)
    assert [one.filename for one in posted.attachments] == ["match.gif"]


async def test_a_shared_match_against_a_level_leads_others_to_that_level(table: Table) -> None:
    board = await table.start(position="414141")
    await table.ada.click(board, label="4")
    posted = await shared(table, (await table.ada.click(board, label="Replay")).response)
    panel = await table.eve.click(posted, label="Play this level")
    assert panel.ephemeral
    assert "against **Pip" in text_of(panel.response)


@pytest.mark.slow
async def test_a_profile_seen_privately_is_shared(table: Table) -> None:
    await finished(table)
    private = (await table.eve.context_menu(table.games, "Profile", table.ben)).response
    posted = await shared(table, private, table.eve)
    assert "### Ben" in text_of(posted)
    assert "Shared by Eve" in text_of(posted)


@pytest.mark.slow
async def test_only_own_achievements_can_be_shared(table: Table) -> None:
    private = (await table.ada.slash(table.games, "profile", page="achievements")).response
    posted = await shared(table, private)
    assert "### Ada: 0 of" in text_of(posted)
    assert set(buttons_of(posted)) == {"Play"}
    others = (await table.ada.slash(table.games, "profile", page="achievements", person=table.ben)).response
    assert "Share" not in buttons_of(others)
    forged = await table.forge(table.ada, private, f"d1:sx:awards:{table.ben.id}")
    (refused,) = forged.followups
    assert refused.flags.ephemeral
    assert "somebody else" in line_of(refused)


async def test_a_solved_puzzle_is_shared_without_its_solution(table: Table) -> None:
    panel = (await table.ada.slash(table.games, "puzzle play", game="tic-tac-toe")).response
    attempt = await table.bot.services.puzzles.attempt(1)
    rules = game("tic-tac-toe")
    while not attempt.is_over:
        assert "Share" not in buttons_of(panel)
        best = Estimator(rules).evaluate(attempt.state, Limit(seconds=1)).best
        assert best is not None
        await table.ada.click(panel, label=rules.move_name(attempt.state, best))
        attempt = await table.bot.services.puzzles.attempt(attempt.id)
    assert attempt.status is Status.SOLVED
    posted = await shared(table, panel)
    assert "Shared by Ada" in text_of(posted)
    assert "olved" not in text_of(posted)
    assert buttons_of(posted) == {}


async def test_a_repeated_press_posts_once(table: Table) -> None:
    private = (await table.ada.slash(table.games, "profile", page="achievements")).response
    await shared(table, private)
    assert "already" in await table.refused(table.ada.click(private, label="Share"))
    again = (await table.ada.slash(table.games, "profile", page="achievements")).response
    assert "already" in await table.refused(table.ada.click(again, label="Share"))
    assert len([one for one in table.games.history() if "Shared by" in text_of(one)]) == 1


async def test_a_server_may_turn_sharing_off(table: Table) -> None:
    private = (await table.ada.slash(table.games, "profile", page="achievements")).response
    role = table.guild.create_role("Crew", permissions=discord.Permissions(manage_guild=True))
    boss = table.guild.add_member(table.env.create_user("gil", global_name="Gil"), roles=[role])
    panel = await table.settings(boss, "order")
    await boss.click(panel, label="People may share reviews, replays and puzzles")
    assert "Nobody may share reviews, replays and puzzles" in buttons_of(panel)
    assert "Sharing doesn’t work here" in await table.refused(table.ada.click(private, label="Share"))
    later = (await table.ada.slash(table.games, "profile", page="achievements")).response
    assert "Share" not in buttons_of(later)


@pytest.mark.parametrize("missing", ["send_messages", "attach_files"])
async def test_without_the_permissions_there_is_no_button(table: Table, missing: str) -> None:
    closed = table.guild.create_text_channel(
        "closed", overwrites={table.guild.default_role: discord.PermissionOverwrite(**{missing: False})}
    )
    private = (await table.ada.slash(closed, "profile", page="achievements")).response
    assert "Share" not in buttons_of(private)


async def test_in_direct_messages_there_is_no_share_button(table: Table) -> None:
    assert "Share" not in buttons_of((await table.ada.user.slash("profile", page="achievements")).response)


@pytest.mark.slow
async def test_a_failed_share_may_be_repeated(table: Table) -> None:
    private = (await table.ada.slash(table.games, "profile", page="achievements")).response
    table.env.inject_error("POST", "/webhooks/*", status=500, times=10)
    await table.ada.click(private, label="Share")
    table.env.backend.faults.clear()
    await shared(table, private)


@pytest.mark.slow
async def test_after_an_error_of_discord_the_person_may_share_again(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    board = await finished(table)
    private = (await table.ada.click(board, label="Review")).response
    table.env.inject_error("POST", "/webhooks/*", status=500, times=1)
    answer = await table.ada.click(private, label="Share")
    (line,) = answer.followups
    assert "Discord had trouble just now" in line.content
    assert "Traceback" not in caplog.text
    assert "Shared by Ada" in text_of(await shared(table, private))
