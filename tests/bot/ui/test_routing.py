"""Routing by custom_id, and harmless answers to forged ids."""

from __future__ import annotations

import itertools
import logging
import random
import re
import sqlite3
import string
from collections.abc import Iterator
from datetime import date
from functools import partial
from typing import Any

import discord
import pytest
import simcord.actors
from discord import ui
from simcord.enums import InteractionType

from bot.domain.panel_choices import Start
from bot.domain.season import Season
from bot.ui.dispatch import ROUTER
from bot.ui.layout import layout
from bot.ui.match.routes import Action
from bot.ui.move_choices import Picked
from bot.ui.puzzle.routes import CourseStep, PuzzleStep
from bot.ui.routing import VERSION, IdPart
from bot.ui.tournament.routes import TournamentAction
from tests.bot.table import Table, buttons_of, line_of, text_of

IN_CHANNELS = {
    "d1:m:12:3:4": ("match.handlers.play", 12, 3, 4),
    "d1:s:12:3": ("match.handlers.play", 12, 3),
    "d1:mc:12:3:133.1": ("match.handlers.pick", 12, 3, Picked(133, 1)),
    "d1:a:12:3:resign-now": ("match.handlers.act", 12, 3, Action.RESIGN_NOW),
    "d1:c:7:accept": ("match.handlers.answer_challenge", 7, True),
    "d1:c:7:decline": ("match.handlers.answer_challenge", 7, False),
    "d1:r:12": ("review.handlers.press_review", 12),
    "d1:v:12:key1:30": ("review.handlers.press_review_step", 12, "key1", 30),
    "d1:p:12": ("review.handlers.press_replay", 12),
    "d1:q:12:first:0": ("review.handlers.press_replay_step", 12, "first", 0),
    "d1:f:12:5": ("review.handlers.press_play_from", 12, 5),
    "d1:pm:9:0:3": ("puzzle.handlers.answer", 9, 0, 3),
    "d1:ps:9:0": ("puzzle.handlers.answer", 9, 0),
    "d1:pa:9:solution": ("puzzle.handlers.step", 9, PuzzleStep.SOLUTION),
    "d1:pd:2026-11-22": ("puzzle.handlers.open_daily", date(2026, 11, 22)),
    "d1:qm:9:0:3": ("puzzle.course_handlers.answer", 9, 0, 3),
    "d1:qs:9:0": ("puzzle.course_handlers.answer", 9, 0),
    "d1:qc:9:0:2.1": ("puzzle.course_handlers.pick", 9, 0, Picked(2, 1)),
    "d1:qa:9:stop": ("puzzle.course_handlers.step", 9, CourseStep.STOP),
    "d1:qb:5:0:today:2": ("puzzle.handlers.turn_storms", 5, None, True, 2, None),
    "d1:qb:5:77:ever:1:othello": ("puzzle.handlers.turn_storms", 5, 77, False, 1, "othello"),
    "d1:pl:5:0:2": ("puzzle.handlers.turn_leaderboard", 5, None, 2),
    "d1:t:3:join": ("tournament.handlers.act", 3, TournamentAction.JOIN),
    "d1:ts:3": ("tournament.handlers.choose_agents", 3),
    "d1:l:5:othello:0:people:2": ("people.handlers.press_page", 5, "othello", None, False, 2, None),
    "d1:l:5:othello:77:agents:1:2026-11": (
        "people.handlers.press_page", 5, "othello", 77, True, 1, Season(2026, 11),
    ),
    "d1:z:5:tic-tac-toe:77:people": ("people.handlers.choose_season", 5, "tic-tac-toe", 77, False),
    "d1:w:theme": ("settings.handlers.wish", "theme"),
    "d1:g:hour": ("settings.handlers.decide", "hour"),
    "d1:g:puzzle": ("settings.handlers.choose_channels", "puzzle"),
    "d1:g:role": ("settings.handlers.choose_role", "role"),
    "d1:x:5:yes": ("settings.handlers.answer_deletion", 5, True),
}  # fmt: skip
"""Known custom_ids, each with its handler and values."""


@pytest.mark.parametrize("custom_id", IN_CHANNELS)
def test_every_known_button_keeps_its_meaning(custom_id: str) -> None:
    press = ROUTER.find(custom_id)
    assert press is not None
    handler = press.destination.handler
    if isinstance(handler, partial):  # a select of moves: the handler of its moves
        handler = handler.args[0]
    name, *values = IN_CHANNELS[custom_id]
    assert f"{handler.__module__}.{handler.__qualname__}" == f"bot.ui.{name}"
    assert list(press.values) == values
    assert press.destination.route(*press.values) == custom_id, "reading inverts writing"


def made_up() -> Iterator[str]:
    """Yield forged custom_ids: wrong in every part, and valid ones from other messages."""
    rng = random.Random(5)
    for custom_id in IN_CHANNELS:
        parts = custom_id.split(":")
        yield custom_id
        for index in range(len(parts)):
            for wrong in (
                "",
                "0",
                "-1",
                "9" * 20,
                "9" * 40,
                "١",
                "x",
                "🙂",
                "a" * 90,
                "1\n",
                "../..",
                "%s",
                "{0}",
            ):
                yield ":".join((*parts[:index], wrong, *parts[index + 1 :]))[:100]
        yield custom_id + ":1"
        yield custom_id.upper()
    for _ in range(150):
        yield "".join(rng.choice(string.printable) for _ in range(rng.randrange(1, 100)))


def test_no_custom_id_is_read_as_a_number_that_no_database_stores() -> None:
    for custom_id in IN_CHANNELS:
        parts = custom_id.split(":")
        for index in range(2, len(parts)):
            for wrong in ("9" * 19, "9" * 20, str(2**63)):
                meaning = ROUTER.find(":".join((*parts[:index], wrong, *parts[index + 1 :])))
                values = () if meaning is None else meaning.values
                assert not [one for one in values if isinstance(one, int) and one >= 2**63], custom_id


def rows_of(table: Table) -> dict[str, list[Any]]:
    """Return all stored rows about matches and people."""
    with sqlite3.connect(table.database) as connection:
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        found = {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}
    connection.close()
    return found


@pytest.mark.slow
async def test_forged_custom_ids_change_nothing_and_are_all_answered(
    table: Table, caplog: pytest.LogCaptureFixture
) -> None:
    board = await table.pair()
    await table.ada.click(board, label="4")
    shown, before = text_of(board), rows_of(table)
    rng = random.Random(3)
    strange = sorted(set(made_up()))
    for custom_id in rng.sample(strange, 250):
        values = rng.choice((None, [], ["99999"], ["x" * 100], ["more"], "more", [None], {"a": 1}))
        answer = await table.forge(table.eve, board, custom_id, values)
        assert answer.acknowledged, custom_id
        assert answer.ephemeral, custom_id
        assert line_of(answer.response)
    assert text_of(board) == shown
    assert rows_of(table) == before
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def values_of(part: IdPart[Any]) -> list[str]:
    """Return texts that the part reads: every one of a list of words, else one example."""
    words = part.pattern.split("|")
    if all(re.fullmatch("[a-z0-9-]+", word) for word in words):
        return words
    examples = ("1", "3.1", "2026-11-22", "2026-11", str(Start("connect-four")))
    return [next(text for text in examples if re.fullmatch(part.pattern, text))]


def every_press() -> Iterator[str]:
    """Yield custom_ids of every route, with every word that can stand in one."""
    for route in ROUTER.routes:
        required = (values_of(part) for part in route.parts if not part.is_optional)
        for values in itertools.product(*required):
            yield ":".join((VERSION, route.kind, *values))


@pytest.mark.slow
async def test_no_press_of_a_stranger_is_acknowledged_without_a_word(own_table: Table) -> None:
    """On messages that do have the control, so that its handler answers."""
    board = await own_table.pair(game="tic-tac-toe")
    await own_table.forge(own_table.ada, board, "d1:m:1:0:1")
    assert "Ada played" in text_of(board), "square 1 is taken in turn 1"
    channel = own_table.bot.get_channel(own_table.games.id)
    assert isinstance(channel, discord.TextChannel)
    silent = []
    for custom_id in every_press():
        sent = await channel.send(view=layout(ui.ActionRow(ui.Button(label="?", custom_id=custom_id))))
        answer = await own_table.forge(own_table.eve, sent, custom_id, ["1"])
        says = answer.followups or answer.modal or (answer.response and line_of(answer.response))
        if not says:
            silent.append(custom_id)
    assert silent == []


@pytest.mark.slow
async def test_a_button_of_another_version_says_so(table: Table) -> None:
    board = await table.pair()
    for custom_id in ("d0:m:1:0:3", "d2:m:1:0:3", "d17:anything"):
        line = line_of((await table.forge(table.ada, board, custom_id)).response)
        assert "another version" in line
    assert "doesn’t know" in line_of((await table.forge(table.ada, board, "d1:m:1:0")).response)


@pytest.mark.parametrize(
    ("command", "custom_id"),
    [
        ("preferences", "d1:w:theme"),
        ("preferences", "d1:w:language"),
        ("play", "d1:g:language"),
        ("daily", "d1:g:hour"),
        ("play", "d1:g:level"),
        ("play", "d1:g:play"),
        ("daily", "d1:g:puzzle"),
        ("order", "d1:g:role"),
    ],
)
async def test_a_choice_that_was_not_offered_is_refused(
    table: Table, command: str, custom_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    role = table.guild.create_role("Crew", permissions=discord.Permissions(manage_guild=True))
    boss = table.guild.add_member(table.env.create_user("zoe", global_name="Zoe"), roles=[role])
    if command == "preferences":
        panel = (await boss.slash(table.games, command)).response
    else:
        panel = await table.settings(boss, command)
    before = rows_of(table)
    for values in (["nonsense"], ["1" * 30], ["-1"]):
        answer = await table.forge(boss, panel, custom_id, values)
        assert "isn’t one of the choices" in line_of(answer.response)
    for nothing in ([], None, "theme", {"0": "1"}, [None]):
        assert (await table.forge(boss, panel, custom_id, nothing)).acknowledged
    assert rows_of(table)["players"] == before["players"]
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


async def test_a_press_overwrites_no_message_of_another_match(own_table: Table) -> None:
    mine = await own_table.start()
    options = {"game": "connect-four", "level": "pip", "first": "me"}
    theirs = (await own_table.ben.slash(own_table.games, "play", **options)).response
    before = text_of(theirs)
    for custom_id in ("d1:m:1:0:3", "d1:a:1:0:undo", "d1:a:1:0:stay", "d1:w:theme", "d1:v:1:first:0"):
        answer = await own_table.forge(own_table.ada, theirs, custom_id)
        assert answer.ephemeral
        assert text_of(theirs) == before
    assert "Pip played" not in text_of(mine)
    await own_table.forge(own_table.ada, mine, "d1:a:1:0:stay")
    assert buttons_of(mine)["4"], "the answer to a question that only one person sees stays private"


@pytest.mark.parametrize("custom_id", ["d1:q:1:first:0", "d1:v:1:first:0", "d1:r:1", "d1:p:1", "d1:f:1:1"])
async def test_the_press_of_a_replay_or_review_changes_no_board(table: Table, custom_id: str) -> None:
    board = await table.pair()
    await table.ada.click(board, label="4")
    shown, before = text_of(board), rows_of(table)
    answer = await table.forge(table.ada, board, custom_id)
    assert "no longer on this message" in line_of(answer.response)
    assert text_of(board) == shown
    assert rows_of(table) == before


async def test_a_press_overwrites_no_message_of_another_invitation(table: Table) -> None:
    board = await table.start()
    before = text_of(board)
    for number, answer in ((1, "accept"), (2, "decline")):
        await table.ada.slash(table.games, "challenge", game="connect-four", opponent=table.ben)
        forged = await table.forge(table.ben, board, f"d1:c:{number}:{answer}")
        assert "no longer on this message" in line_of(forged.response)
    assert text_of(board) == before


async def test_a_press_during_an_edit_is_stale(own_table: Table) -> None:
    board = await own_table.pair()
    await own_table.ada.click(board, label="4")
    assert "out of date" in line_of((await own_table.forge(own_table.ada, board, "d1:m:1:0:3")).response)


async def filled_in(table: Table, person: Any, asked: Any) -> Any:
    """Fill in the form and send it."""
    fields = {"board": ["othello 6x6"], "first": ["me"], "clock": ["300"], "start": ["usual"]}
    return await person.submit_modal(asked, fields)


@pytest.mark.slow
async def test_two_people_fill_in_the_challenge_form_at_once_for_different_opponents(table: Table) -> None:
    first = await table.ada.context_menu(table.games, "Challenge", table.ben)
    second = await table.eve.context_menu(table.games, "Challenge", table.ada)
    third = await table.ada.context_menu(table.games, "Challenge", table.eve)
    assert table.ben.mention in text_of((await filled_in(table, table.ada, first)).response)
    assert table.ada.mention in text_of((await filled_in(table, table.eve, second)).response)
    assert table.eve.mention in text_of((await filled_in(table, table.ada, third)).response)


@pytest.mark.slow
async def test_the_challenge_form_is_sent_after_a_restart(own_table: Table) -> None:
    asked = await own_table.ada.context_menu(own_table.games, "Challenge", own_table.ben)
    await own_table.restart()
    sent = await filled_in(own_table, own_table.ada, asked)
    assert own_table.ben.mention in text_of(sent.response)
    assert "**Ben**" in text_of((await own_table.ben.click(sent.response, label="Accept")).response)


async def forge_form(table: Table, custom_id: str, answers: dict[str, Any]) -> str:
    """Send a form that was never opened and return the private answer."""
    fields = [
        {"type": 18, "component": {"type": 3, "custom_id": name, "values": values}}
        for name, values in answers.items()
    ]
    data = {"custom_id": custom_id, "components": fields}
    result = await simcord.actors._dispatch_actor_interaction(
        table.ada, InteractionType.MODAL_SUBMIT, table.games, data
    )
    assert result.ephemeral
    return line_of(result.response)


async def test_a_forged_form_is_refused(own_table: Table, caplog: pytest.LogCaptureFixture) -> None:
    good: dict[str, Any] = {"board": ["othello 6x6"], "first": ["me"], "clock": ["300"]}
    assert "yourself" in await forge_form(own_table, f"d1:cf:{own_table.ada.id}", good)
    assert "no longer in this server" in await forge_form(own_table, "d1:cf:99", good)
    for wrong in (
        {},
        {**good, "board": ["chess"]},
        {**good, "board": ["othello 99x99"]},
        {**good, "first": ["us"]},
        {**good, "clock": ["1"]},
        {**good, "clock": []},
        {**good, "clock": [None]},
    ):
        assert await forge_form(own_table, f"d1:cf:{own_table.ben.id}", wrong)
    assert "doesn’t know" in await forge_form(own_table, "d1:challenge", good)
    assert rows_of(own_table)["challenges"] == []
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []
