"""Predictions below boards: who wins, until move 6, by the odds of the start."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import discord
import pytest

from bot.domain.errors import NotFound
from bot.domain.match import Match
from bot.domain.person import Person
from bot.domain.prediction import CLOSING_TURN, HEAD_START, Pick
from bot.domain.preferences import ServerSettings
from bot.domain.season import Season
from bot.services.agent_search import AgentMove
from bot.ui.match.routes import PREDICT
from bot.ui.people.routes import GUESSERS
from tests.bot.table import Table, buttons_of, text_of
from tests.bot.ui.test_settings import manager
from tests.bot.ui.test_votes import begun

pytestmark = pytest.mark.simcord(settle_timeout=20)


@pytest.fixture
def dan(table: Table) -> Any:
    """Dan, who plays nothing."""
    return table.guild.add_member(table.env.create_user("dan", global_name="Dan"))


async def wants(table: Table, *, is_predicting: bool = True) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(is_predicting=is_predicting))


async def predicted(table: Table, **options: Any) -> tuple[Any, Any]:
    """A match of Ada and Ben that is guessed; returns its board and the message below it."""
    await wants(table)
    board = await table.pair(**options)
    await table.bot.services.predictions.open(await match_of(table))
    await table.reconcile()
    return board, below(table)


async def match_of(table: Table) -> Match:
    return await table.bot.services.matches.match(table.first_match)


async def guesses_of(table: Table) -> list[int]:
    """The number of guesses, while the match has odds."""
    found = await table.bot.parts.stores.predictions.all()
    return [one.guesses for one in found if one.match_id == table.first_match]


def below(table: Table) -> Any:
    """The message with the question, or with what came of it."""
    (message,) = (one for one in table.games.history() if is_about_guesses(text_of(one)))
    return message


async def refreshed(table: Table) -> Any:
    """The message once its count may be edited again."""
    await table.env.advance_time(3)
    await table.reconcile()
    return below(table)


def is_about_guesses(text: str) -> bool:
    return any(words in text for words in ("Who wins?", "saw it coming", "no guess counts"))


def labels(message: Any) -> list[str]:
    return list(buttons_of(message))


async def guess(person: Any, message: Any, name: str) -> str:
    (label,) = (one for one in labels(message) if one.startswith(name))
    answer = await person.click(message, label=label)
    assert answer.ephemeral
    return text_of(answer.response)


async def test_people_guess_until_move_six_and_are_told_what_came_of_it(table: Table, dan: Any) -> None:
    board, question = await predicted(table)
    assert "**Who wins?** Closes at move 6. 0 people have guessed." in text_of(question)
    first, draw, second = labels(question)
    assert (first, draw, second) == ("Ada · 46%", "Draw · 8%", "Ben · 46%")
    assert "You said **Ada**, when it stood at 46%. Press another" in await guess(dan, question, "Ada")
    assert "You said **Ben**" in await guess(dan, question, "Ben")
    await guess(table.eve, question, "Draw")
    assert "2 people have guessed." in text_of(await refreshed(table)), "a changed guess counts once"
    await table.play(board, "1 7 1 7 2 7")
    await table.reconcile()
    assert labels(below(table)) == []
    assert "Ada · 46% · Draw · 8% · Ben · 46%" in text_of(below(table))
    await table.play(board, "3 7")
    await table.reconcile()
    assert "1 of 2 saw it coming." in text_of(below(table))
    assert "**Best guesser: Dan**, 46% on Ben before move 1." in text_of(below(table))
    board_of_guessers = await table.eve.slash(table.games, "leaderboard", kind="guessers")
    shown = text_of(board_of_guessers.response)
    assert "### Best guessers, " in shown
    assert "**+22** Dan · 1 guess" in shown
    assert "**−29** Eve · 1 guess" in shown
    assert "A bold guess that comes true counts more" in shown


async def test_the_message_stays_after_the_match_and_is_needed_no_more(table: Table, dan: Any) -> None:
    board, question = await predicted(table)
    await guess(dan, question, "Ada")
    await table.play(board, "1 2 1 2 1 2 1")
    for _ in range(2):
        await table.reconcile()
    assert "1 of 1 saw it coming" in text_of(below(table))
    stores = table.bot.parts.stores
    assert await guesses_of(table) == []
    notes = await stores.outgoing.of("prediction")
    assert [note for note in notes if note.subject == table.first_match] == []


async def test_players_do_not_guess_their_own_match(table: Table, dan: Any) -> None:
    _, question = await predicted(table)
    refusal = await table.refused(table.ada.click(question, label=labels(question)[0]))
    assert "You play this match yourself" in refusal
    assert await guesses_of(table) == [0]


async def test_after_the_closing_move_a_press_on_the_old_message_is_refused(table: Table, dan: Any) -> None:
    board, question = await predicted(table)
    await table.play(board, "1 7 1 7 2")
    await guess(dan, question, "Ada")
    assert (await match_of(table)).turn == CLOSING_TURN - 1
    await table.ben.click(board, label="7")
    # The message may still show its buttons, and any client can send such a press.
    refusal = await table.refused(table.forge(table.eve, question, PREDICT(table.first_match, Pick.SECOND)))
    assert "until move 6" in refusal
    assert await guesses_of(table) == [1]


async def test_the_database_decides_whether_a_guess_is_in_time(table: Table, dan: Any) -> None:
    board, _ = await predicted(table)
    store, person = table.bot.parts.stores.predictions, Person(dan.id, "Dan")
    await table.play(board, "1 7 1 7 2")
    assert await store.guess(table.first_match, table.guild.id, person, Pick.FIRST, table.clock()) is not None
    await table.ben.click(board, label="7")
    assert await store.guess(table.first_match, table.guild.id, person, Pick.SECOND, table.clock()) is None


async def test_of_two_guesses_of_a_person_at_once_one_is_stored(table: Table, dan: Any) -> None:
    await predicted(table)
    service, person = table.bot.services.predictions, Person(dan.id, "Dan")
    picks = (Pick.FIRST, Pick.SECOND)
    await asyncio.gather(*(service.guess(table.first_match, person, pick, table.guild.id) for pick in picks))
    assert await guesses_of(table) == [1]


async def test_the_odds_stay_as_they_were_at_the_start(table: Table, dan: Any) -> None:
    _, question = await predicted(table)
    before = labels(question)
    match = await match_of(table)
    better = replace(match, seats=match.seats[::-1])
    await table.bot.services.predictions.open(better)
    await guess(dan, question, "Ben")
    await table.reconcile()
    assert labels(below(table)) == before


async def test_a_match_without_a_result_counts_for_no_guess(table: Table, dan: Any) -> None:
    board, question = await predicted(table)
    await guess(dan, question, "Ada")
    gil = table.guild.add_member(
        table.env.create_user("gil", global_name="Gil"),
        roles=[table.guild.create_role("Crew", permissions=discord.Permissions(manage_messages=True))],
    )
    asked = (await gil.context_menu(table.games, "End this match", board)).response
    await gil.click(asked, label="End it")
    await table.reconcile()
    assert "The match ended without a result, so no guess counts." in text_of(below(table))
    found = await table.bot.services.predictions.guessers(table.guild.id, dan.id)
    assert found.rows == ()


async def test_presses_of_other_servers_and_of_ends_that_are_not_offered_are_refused(
    table: Table, dan: Any
) -> None:
    _, question = await predicted(table, game="hex")
    assert [label.split(" ·")[0] for label in labels(question)] == ["Ada", "Ben"], "Hex has no draw"
    forged = PREDICT(table.first_match, Pick.DRAW)
    assert "Nothing is guessed here" in await table.refused(table.forge(dan, question, forged))
    abroad = table.env.create_guild("Abroad")
    square, stranger = abroad.create_text_channel("square"), abroad.add_member(dan.user)
    elsewhere = (await stranger.slash(square, "play", game="hex", level="pip", first="me")).response
    forged = PREDICT(table.first_match, Pick.FIRST)
    assert await table.refused(table.forge(stranger, elsewhere, forged))
    assert await guesses_of(table) == [0]


async def test_a_guess_comes_from_the_server_of_the_match(table: Table, dan: Any) -> None:
    await predicted(table)
    service, person = table.bot.services.predictions, Person(dan.id, "Dan")
    abroad = table.env.create_guild("Abroad")
    await table.bot.services.settings.save(abroad.id, ServerSettings(is_predicting=True))
    for guild_id in (abroad.id, None):
        with pytest.raises(NotFound, match="predict_gone"):
            await service.guess(table.first_match, person, Pick.FIRST, guild_id)
    await service.guess(table.first_match, person, Pick.FIRST, table.guild.id)
    await table.bot.services.settings.save(abroad.id, ServerSettings())


async def test_a_guess_belongs_to_the_month_in_which_it_was_made(table: Table, dan: Any) -> None:
    await predicted(table)
    store, now = table.bot.parts.stores.predictions, Season.of(table.clock())
    assert (
        await store.guess(table.first_match, table.guild.id, Person(dan.id, "Dan"), Pick.FIRST, now.begins_at)
        is not None
    )
    await store.settle(table.first_match, Pick.FIRST, table.clock(), but=None)
    rows = [await store.guessers(table.guild.id, season) for season in (now.preceding, now, now.following)]
    assert [len(found) for found in rows] == [0, 1, 0]


async def test_equal_points_share_a_rank(table: Table, dan: Any) -> None:
    await predicted(table)
    store = table.bot.parts.stores.predictions
    picks = {dan.id: Pick.FIRST, table.eve.id: Pick.FIRST, 7: Pick.SECOND}
    for user_id, pick in picks.items():
        await store.guess(
            table.first_match, table.guild.id, Person(user_id, f"P{user_id}"), pick, table.clock()
        )
    await store.settle(table.first_match, Pick.FIRST, table.clock(), but=None)
    rows = await store.guessers(table.guild.id, Season.of(table.clock()))
    assert [(row.rank, row.user_id) for row in rows] == [
        *((1, user_id) for user_id in sorted((dan.id, table.eve.id))), (3, 7),
    ]  # fmt: skip


async def test_deleted_data_has_no_guess(table: Table, dan: Any) -> None:
    _, question = await predicted(table)
    await guess(dan, question, "Ada")
    await guess(table.eve, question, "Ben")
    assert "2 people have guessed." in text_of(await refreshed(table))
    await table.bot.services.privacy.delete(Person(dan.id, "Dan"))
    assert "1 person has guessed." in text_of(await refreshed(table))


async def test_a_server_that_switches_it_off_takes_the_messages_away(table: Table, dan: Any) -> None:
    _, question = await predicted(table)
    await guess(dan, question, "Ada")
    await wants(table, is_predicting=False)
    refusal = await table.refused(table.eve.click(question, label=labels(question)[0]))
    assert "Nothing is guessed here" in refusal
    await table.reconcile()
    assert [one for one in table.games.history() if "Who wins?" in text_of(one)] == []


async def test_a_message_that_moderators_delete_stays_away(table: Table, dan: Any) -> None:
    board, question = await predicted(table)
    await guess(dan, question, "Ada")
    table.env.backend.delete_message(table.games.id, question.id)
    for _ in range(2):
        await table.reconcile()
    assert [one for one in table.games.history() if "Who wins?" in text_of(one)] == []
    await table.play(board, "1 2 1 2 1 2 1")
    await table.reconcile()
    assert (await table.bot.services.predictions.guessers(table.guild.id, dan.id)).rows == ()


async def test_without_the_setting_nothing_is_guessed(table: Table) -> None:
    await table.ada.slash(table.games, "watch", game="tic-tac-toe", first_level="pip", second_level="pip")
    await table.reconcile()
    assert [one for one in table.games.history() if "Who wins?" in text_of(one)] == []


async def test_the_month_before_is_a_press_away_as_soon_as_it_may_have_guesses(
    table: Table, dan: Any
) -> None:
    _, question = await predicted(table)
    now = Season.of(table.clock())
    shown = (await table.eve.slash(table.games, "leaderboard", kind="guessers")).response
    assert labels(shown) == []
    await guess(dan, question, "Ada")
    store, eve = table.bot.parts.stores.predictions, Person(table.eve.id, "Eve")
    long_ago = now.preceding.begins_at
    assert await store.guess(table.first_match, table.guild.id, eve, Pick.SECOND, long_ago) is not None
    await store.settle(table.first_match, Pick.SECOND, table.clock(), but=None)
    shown = (await table.eve.slash(table.games, "leaderboard", kind="guessers")).response
    assert "Dan" in text_of(shown)
    assert "Eve" not in text_of(shown)
    (before,) = labels(shown)
    await table.eve.click(shown, label=before)
    assert "Eve" in text_of(shown)
    assert "Dan" not in text_of(shown)
    assert len(labels(shown)) == 1, "the way back to this month"
    refused = GUESSERS(table.eve.id, table.guild.id + 1, 1, now)
    assert await table.refused(table.forge(table.eve, shown, refused))


async def test_the_setting_is_switched_in_settings(table: Table) -> None:
    boss = manager(table)
    panel = await table.settings(boss, "daily")
    await boss.click(panel, label="No guesses")
    assert table.bot.services.settings.server(table.guild.id).is_predicting
    assert "Guesses on" in labels(panel)


@pytest.mark.slow
async def test_the_first_move_of_two_bots_waits_half_a_minute_for_guesses(own_table: Table) -> None:
    table = own_table
    await wants(table)
    levels = {"first_level": "pip", "second_level": "pip", "speed": "quick"}
    await table.ada.slash(table.games, "watch", game="tic-tac-toe", **levels)
    await table.reconcile()
    await table.env.advance_time(35)
    match = await match_of(table)
    first, second = match.timed_moves[:2]
    assert HEAD_START <= first.at - match.created_at < HEAD_START + timedelta(seconds=5)
    assert second.at - first.at < timedelta(seconds=5)


async def test_a_match_of_two_bots_is_guessed_also_by_the_person_that_began_it(
    table: Table, dan: Any
) -> None:
    await wants(table)
    levels = {"first_level": "pip", "second_level": "otto"}
    await table.ada.slash(table.games, "watch", game="connect-four", **levels)
    await table.reconcile()
    question = below(table)
    assert "The first move comes <t:" in text_of(question)
    assert [label.split(" ·")[0] for label in labels(question)] == ["Pip", "Draw", "Otto"]
    for person, end in ((dan, "Pip"), (table.ada, "Otto")):
        assert "counts no points" in await guess(person, question, end)
    assert "2 people have guessed." in text_of(await refreshed(table))
    match, store = await match_of(table), table.bot.parts.stores.predictions
    outcome = await store.settle(match.id, Pick.SECOND, table.clock(), but=None, has_points=False)
    assert (outcome.right, outcome.guesses) == (1, 2)
    assert not (await table.bot.services.predictions.guessers(table.guild.id, dan.id)).rows


async def test_the_end_of_a_match_of_two_bots_brings_no_points(table: Table, dan: Any) -> None:
    await wants(table)
    await table.ada.slash(table.games, "watch", game="tic-tac-toe", first_level="pip", second_level="pip")
    await table.reconcile()
    predictions, match = table.bot.services.predictions, await match_of(table)
    await predictions.guess(match.id, Person(dan.id, "Dan"), Pick.FIRST, table.guild.id)
    for move in (0, 3, 1, 4, 2):
        match = await table.bot.parts.changes.of_match(match.id, AgentMove(match.turn, move, 0.0).apply)
    foresights = {one.match.id: one.foresight for one in await predictions.look(is_needed=True)}
    found = foresights[match.id]
    assert found is not None
    assert (found.right, found.guesses) == (1, 1)
    assert not (await predictions.guessers(table.guild.id, dan.id)).rows


async def test_whoever_began_a_match_by_votes_guesses_it_for_fun(table: Table, dan: Any) -> None:
    _, question = await predicted(table)
    match, store = await match_of(table), table.bot.parts.stores.predictions
    for person in (dan, table.eve):
        await guess(person, question, "Ada")
    await store.settle(match.id, Pick.FIRST, table.clock(), but=table.eve.id)
    (row,) = (await table.bot.services.predictions.guessers(table.guild.id, dan.id)).rows
    assert (row.user_id, row.guesses) == (dan.id, 1)


async def test_a_crowd_costs_an_edit_every_few_seconds(table: Table, dan: Any) -> None:
    _, question = await predicted(table)
    path = f"*/messages/{question.id}"
    for person in (dan, table.eve):
        await guess(person, question, "Ada")
        await table.reconcile()
    assert len(table.writes("PATCH", path)) <= 1
    assert "2 people have guessed." in text_of(await refreshed(table))
    assert len(table.writes("PATCH", path)) <= 2


async def test_the_channels_own_match_is_guessed(own_table: Table) -> None:
    table = own_table
    await wants(table)
    await begun(table)
    await table.reconcile()
    question = below(table)
    assert {label.split(" ·")[0] for label in labels(question)} == {"#games", "Draw", "Pip"}
    assert "#games**, when it stood at" in await guess(table.ben, question, "#games")


@pytest.mark.slow
async def test_matches_of_a_tournament_are_guessed_and_a_killed_process_asks_once(own_table: Table) -> None:
    table = own_table
    await wants(table)
    message = (await table.ada.slash(table.games, "tournament create", game="connect-four")).response
    for person in (table.ada, table.ben, table.eve):
        await person.click(message, label="Join")
    await table.ada.click(message, label="Start now")
    await table.reconcile()
    questions = [one for one in table.games.history() if "Who wins?" in text_of(one)]
    assert questions
    assert len(questions) == len(await table.bot.parts.stores.predictions.all())
    store = table.bot.parts.stores.outgoing
    for note in await store.of("prediction"):  # as if it had died before it knew that they are sent
        await store.save(replace(note, message_id=None, shows="", fate=note.fate.SENDING))
    await table.restart()
    for _ in range(2):
        await table.reconcile()
    again = [one.id for one in table.games.history() if "Who wins?" in text_of(one)]
    assert again == [one.id for one in questions]
