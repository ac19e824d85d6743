"""Learning: /hint during a match, /analyze, /replay and /explain after it."""

from __future__ import annotations

from discord import app_commands

from bot.commands.options import (
    MOST_CHOICES,
    Command,
    complete_match,
    label_of,
    number_of,
    of_match,
    offered,
    resolve,
)
from bot.domain.errors import NotFound
from bot.domain.match import Match
from bot.ui.client import Interaction
from bot.ui.match.explain import explain as explain_match
from bot.ui.match.hint import give_hint
from bot.ui.review.replay import open_replay
from bot.ui.review.views import open_review
from bot.ui.translator import say


async def complete_finished(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """The person's last finished matches in this channel."""
    found = await interaction.client.services.matches.finished(
        interaction.user.id, MOST_CHOICES, channel_id=interaction.channel_id
    )
    return offered(((f"#{match.id} {label_of(interaction, match)}", str(match.id)) for match in found), typed)


async def finished_match(interaction: Interaction, text: str | None) -> Match:
    """The match that is meant, without a text the person's last finished one here; raises Refusal."""
    service = interaction.client.services.matches
    if text is None:
        found = await service.finished(interaction.user.id, 1, channel_id=interaction.channel_id)
        if not found:
            raise NotFound("no_finished_match")
        return found[0]
    match = await service.match(number_of(text))
    match.player_of(interaction.user.id)
    return (await service.called_in(interaction.guild_id, match))[0]


async def complete_played(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """The person's running matches in this channel, then the last finished ones."""
    running = await complete_match(interaction, typed)
    return [*running, *await complete_finished(interaction, typed)][:MOST_CHOICES]


async def played_match(interaction: Interaction, text: str | None) -> Match:
    """The match that is meant, without a text the one they play here, else their last; raises Refusal."""
    service, channel_id = interaction.client.services.matches, interaction.channel_id
    if text is None and await service.running(interaction.user.id, channel_id=channel_id):
        return await service.current(interaction.user.id, channel_id or 0)
    return await finished_match(interaction, text)


@app_commands.command(name="analyze", description=say("command_analyze"))
@app_commands.describe(match=say("option_finished_match"))
@app_commands.autocomplete(match=complete_finished)
async def analyze(interaction: Interaction, match: str | None = None) -> None:
    await open_review(interaction, await finished_match(interaction, match))


@app_commands.command(name="hint", description=say("command_hint"))
@of_match
async def hint(interaction: Interaction, match: str | None = None) -> None:
    await give_hint(interaction, await resolve(interaction, match))


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
