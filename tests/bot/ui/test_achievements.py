"""Achievements in the interface: announcements, /achievements, and achievements found by reviews."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bot.table import Table, parts_of, text_of

LINE = "1 7 2 7 3 7 4"
MISSED_WIN = "a1 c3 c1 b3 a2 a3"
"""Ada misses her upper row, and Ben completes the lower one."""


def news(table: Table) -> list[str]:
    """Return the public announcements of achievements, oldest first."""
    return [message.content for message in table.games.history() if message.content.startswith("🏆")]


@pytest.mark.slow
async def test_a_new_achievement_is_announced_once_below_the_board(table: Table) -> None:
    board = await table.pair()
    await table.play(board, LINE)
    await table.skip()
    assert news(table) == ["🏆 **Ada** has earned an achievement: 🏅 First win"]
    (line,) = (message for message in table.games.history() if message.content.startswith("🏆"))
    assert line.reference is not None
    assert line.reference.message_id == board.id
    await table.skip()
    await table.restart()
    await table.skip()
    assert len(news(table)) == 1


@pytest.mark.slow
async def test_an_announcement_missed_by_a_crash_is_made_after_the_restart(table: Table) -> None:
    await table.play(await table.pair(), LINE)
    await table.restart()
    await table.skip()
    assert len(news(table)) == 1


@pytest.mark.slow
async def test_achievements_found_by_a_review_are_announced_later(own_table: Table) -> None:
    await own_table.play(await own_table.pair(game="tic-tac-toe"), MISSED_WIN)
    await own_table.env.advance_time(130)
    assert news(own_table) == [
        "🏆 **Ben** has earned an achievement: 🏅 First win",
        "🏆 **Ben** has earned an achievement: 🔥 Comeback",
    ]
    profile = (await own_table.ben.slash(own_table.games, "profile")).response
    (gallery,) = (part for part in parts_of(profile) if part["type"] == 12)
    pictured = gallery["items"][0]["description"]
    assert "🎯 Accuracy: " in pictured
    assert "in the one rated match reviewed so far" in pictured


@pytest.mark.slow
async def test_nothing_is_announced_where_the_bot_may_not_write(own_table: Table) -> None:
    await own_table.play(await own_table.pair(), LINE)
    own_table.env.inject_error(
        "POST", "/channels/*/messages", status=403, code=50013, message="Missing Permissions", times=1
    )
    await own_table.skip()
    await own_table.skip()
    assert news(own_table) == []
    assert "✅" not in text_of(
        (await own_table.ada.slash(own_table.games, "profile", page="achievements")).response
    )


@pytest.mark.slow
async def test_achievements_are_listed_with_progress_and_rarity(table: Table) -> None:
    await table.play(await table.pair(), LINE)
    mine = await table.ada.slash(table.games, "profile", page="achievements")
    assert mine.ephemeral
    text = text_of(mine.response)
    assert "### Ada: 1 of " in text
    assert "🏅 **First win** · Win a match.\n-# <t:" in text
    assert "50% of players have it." in text
    assert "▫️ **Comeback** · Win a match you were clearly losing." in text
    assert "▫️ **Puzzle run** · Solve 10 puzzles in a row.\n-# So far 0 of 10" in text
    assert "Pip · Cora" in text


@pytest.mark.slow
async def test_another_persons_achievements_can_be_shown(table: Table) -> None:
    await table.play(await table.pair(), LINE)
    theirs = await table.eve.slash(table.games, "profile", page="achievements", person=table.ben)
    assert theirs.ephemeral
    assert "### Ben: 0 of " in text_of(theirs.response)
    assert "**Earned**" not in text_of(theirs.response)


async def test_a_profile_has_a_button_for_the_persons_achievements(table: Table) -> None:
    await table.play(await table.pair(), LINE)
    shown = await table.ada.slash(table.games, "profile", person=table.ben)
    theirs = await table.eve.click(shown.response, label="Achievements")
    assert theirs.ephemeral
    assert "### Ben: 0 of " in text_of(theirs.response)


async def test_a_beaten_level_is_ticked(own_table: Table) -> None:
    await _beat_pip(own_table)
    text = text_of((await own_table.ada.slash(own_table.games, "profile", page="achievements")).response)
    assert "✅ **Pip** 100%" in text
    assert "So far 1 of " in text


async def _beat_pip(table: Table) -> Any:
    """Ada fills columns from the left, match after match, until she has won one."""
    services, ada = table.bot.services, table.person(table.ada)
    for _ in range(40):
        board = await table.start(game="tic-tac-toe")
        match = (await services.matches.running(table.ada.id))[0]
        while not match.is_over:
            await services.background.drain()
            match = await services.matches.match(match.id)
            if not match.is_over and not match.awaits_agent:
                match = await services.playing.play(match.id, ada, match.state.legal_moves()[0])
                services.pings.ping(match)
        if match.result is not None and match.result.winner == match.player_of(table.ada.id):
            return board
    raise AssertionError("Pip does not lose")


async def test_bots_have_no_achievements(table: Table) -> None:
    robot = table.guild.add_member(table.env.create_user("robot", bot=True))
    assert "Bots earn nothing" in await table.refused(
        table.eve.slash(table.games, "profile", page="achievements", person=robot)
    )
