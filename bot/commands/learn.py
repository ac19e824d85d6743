"""Learning: /hint during a match, /analyze, /replay and /explain after it."""

from __future__ import annotations

from discord import app_commands

from bot.commands.match_options import (
    complete_finished,
    complete_played,
    finished_match,
    of_match,
    played_match,
    running_match,
)
from bot.commands.options import Command
from bot.ui.client import Interaction
from bot.ui.match.explanation import explain as explain_match
from bot.ui.match.hint import give_hint
from bot.ui.review.handlers import open_replay, open_review
from bot.ui.translator import say


@app_commands.command(name="analyze", description=say("command_analyze"))
@app_commands.describe(match=say("option_finished_match"))
@app_commands.autocomplete(match=complete_finished)
async def analyze(interaction: Interaction, match: str | None = None) -> None:
    await open_review(interaction, await finished_match(interaction, match))


@app_commands.command(name="hint", description=say("command_hint"))
@of_match
async def hint(interaction: Interaction, match: str | None = None) -> None:
    await give_hint(interaction, await running_match(interaction, match))


@app_commands.command(name="replay", description=say("command_replay"))
@app_commands.describe(match=say("option_finished_match"))
@app_commands.autocomplete(match=complete_finished)
async def replay(interaction: Interaction, match: str | None = None) -> None:
    await open_replay(interaction, await finished_match(interaction, match))


@app_commands.command(name="explain", description=say("command_explain"))
@app_commands.describe(match=say("option_explained_match"))
@app_commands.autocomplete(match=complete_played)
async def explain(interaction: Interaction, match: str | None = None) -> None:
    await explain_match(interaction, await played_match(interaction, match))


COMMANDS: tuple[Command, ...] = (hint, analyze, replay, explain)
