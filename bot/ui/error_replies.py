"""Turns an error into a line for the person who caused it."""

from __future__ import annotations

import logging

import discord
from discord import app_commands

from bot.domain.errors import Refusal
from bot.presentation.refusals import refusal_line
from bot.ui.answers import has_expired, reply
from bot.ui.client import Interaction
from bot.ui.context import own_text
from bot.ui.discord_errors import ALREADY_ACKNOWLEDGED, DISCORD_ERRORS, UNKNOWN_INTERACTION, is_our_bug

log = logging.getLogger(__name__)

MAX_CONCURRENT_REFUSALS = 8


async def on_command_error(interaction: Interaction, error: app_commands.AppCommandError) -> None:
    """Report an error of a command; the command tree's error handler."""
    cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
    name = "a command" if interaction.command is None else f"/{interaction.command.qualified_name}"
    await report_error(interaction, cause, name)


async def report_error(interaction: Interaction, error: Exception, where: str) -> None:
    """Answer with the refusal, or with an apology whose reference is in the log.

    where: the press or command, for the log.
    """
    t = own_text(interaction)
    if isinstance(error, Refusal) and (line := refusal_line(t, error)) is not None:
        # Refusals wait for one another, so that a crowd on one board does not delay the player to move.
        async with interaction.client.ui.refusals:
            if has_expired(interaction):
                log.info("%s: refusal of %s dropped, too late", where, interaction.id)
            else:
                await _answer(interaction, line, error)
    elif isinstance(error, (app_commands.TransformerError, app_commands.CommandSignatureMismatch)):
        log.warning("command in an outdated form: %s", error)
        await _answer(interaction, t("error_old_command"))
    elif isinstance(error, discord.NotFound) and error.code == UNKNOWN_INTERACTION:
        log.warning("%s: answer to %s came too late", where, interaction.id)
    elif _is_closing(interaction, error):
        return
    elif not is_our_bug(error):
        if getattr(error, "code", None) == ALREADY_ACKNOWLEDGED:
            interaction.client.ui.duplicates.record()
        log.warning("%s: Discord failed while answering: %r", where, error)
        await _answer(interaction, t("error_discord"))
    else:
        reference = f"{interaction.id:x}"[-8:]
        line = "reference %s, %s: a press or command failed"
        log.error(line, reference, where, exc_info=error, extra={"is_asked_for": True})
        await _answer(interaction, t("error_ours", reference=reference))


def _is_closing(interaction: Interaction, error: Exception) -> bool:
    """Whether the answer was cut off by the end of the bot, which aiohttp reports as RuntimeError."""
    if not isinstance(error, RuntimeError) or not interaction.client.is_closed():
        return False
    log.info("the bot ended before %s was answered: %s", interaction.id, error)
    return True


async def _answer(interaction: Interaction, line: str, refusal: Refusal | None = None) -> None:
    """Say the line, where a match is in the way with a link to it: its person may not know where it is."""
    try:
        if refusal is not None and refusal.in_the_way is not None:
            await interaction.client.display.show_in_the_way(interaction, refusal, line)
        else:
            await reply(interaction, line)
    except DISCORD_ERRORS as error:
        log.warning("answer to %s not sent: %s", interaction.id, error)
    except RuntimeError as error:
        if not _is_closing(interaction, error):
            raise
