"""Learning: /hint during a match, /analyze, /replay and /explain after it."""

from __future__ import annotations

from bot.commands.match_options import (
    FINISHED_MATCH,
    MATCH,
    PLAYED_MATCH,
    finished_match,
    played_match,
    running_match,
)
from bot.commands.options import Command, command
from bot.ui.client import Interaction
from bot.ui.match.explanation import explain as explain_match
from bot.ui.match.hint import give_hint
from bot.ui.review.handlers import open_replay, open_review


@command("analyze", FINISHED_MATCH)
async def analyze(interaction: Interaction, match: str | None = None) -> None:
    await open_review(interaction, await finished_match(interaction, match))


@command("hint", MATCH)
async def hint(interaction: Interaction, match: str | None = None) -> None:
    await give_hint(interaction, await running_match(interaction, match))


@command("replay", FINISHED_MATCH)
async def replay(interaction: Interaction, match: str | None = None) -> None:
    await open_replay(interaction, await finished_match(interaction, match))


@command("explain", PLAYED_MATCH)
async def explain(interaction: Interaction, match: str | None = None) -> None:
    await explain_match(interaction, await played_match(interaction, match))


COMMANDS: tuple[Command, ...] = (hint, analyze, replay, explain)
