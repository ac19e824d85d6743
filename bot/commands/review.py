"""Learning: /review with a hint during a match, and its analysis, replay and explanation after it."""

from __future__ import annotations

from discord import app_commands

from bot.commands.match_options import (
    FINISHED_MATCH,
    MATCH,
    PLAYED_MATCH,
    finished_match,
    played_match,
    running_match,
)
from bot.commands.options import Command, command
from bot.ui.answers import open_form
from bot.ui.client import Interaction
from bot.ui.command_queue import BY_FORM
from bot.ui.context import own_text
from bot.ui.match.explanation import explain
from bot.ui.match.hint import give_hint
from bot.ui.review.handlers import open_replay, open_review
from bot.ui.review.import_views import import_form
from bot.ui.translator import say

review = app_commands.Group(name="review", description=say("command_review"))


@command("analysis", FINISHED_MATCH, group=review)
async def analysis(interaction: Interaction, match: str | None = None) -> None:
    await open_review(interaction, await finished_match(interaction, match))


@command("game", group=review, extras=BY_FORM)
async def game(interaction: Interaction) -> None:
    await open_form(interaction, import_form(own_text(interaction)))


@command("replay", FINISHED_MATCH, group=review)
async def replay(interaction: Interaction, match: str | None = None) -> None:
    await open_replay(interaction, await finished_match(interaction, match))


@command("explanation", PLAYED_MATCH, group=review)
async def explanation(interaction: Interaction, match: str | None = None) -> None:
    await explain(interaction, await played_match(interaction, match))


@command("hint", MATCH, group=review)
async def hint(interaction: Interaction, match: str | None = None) -> None:
    await give_hint(interaction, await running_match(interaction, match, is_to_move=True))


COMMANDS: tuple[Command, ...] = (review,)
