"""The one place where something that went wrong becomes a line for the person who asked."""

from __future__ import annotations

import logging

import discord
from aiohttp import ClientError
from discord import app_commands

from bot.domain.errors import Refusal, Shown
from bot.i18n import Text, UnknownText, plain
from bot.presentation import names
from bot.ui.client import Interaction
from bot.ui.context import ALREADY_ACKNOWLEDGED, has_given_up, own_text, reply
from bot.ui.discord_errors import DISCORD_ERRORS
from engine.games import GAMES

log = logging.getLogger(__name__)

UNKNOWN_INTERACTION = 10062
"""Discord's code for an answer that came after three seconds, or to a token of another process."""


OURS = (0, 50006, 50035, 50109)
"""Discord's codes for what was wrongly asked: none, an empty message, a wrong form or wrong JSON. Others are
about how things stand there: a thread is archived, a limit reached, an answer given already."""

MOST_REFUSALS = 8
"""Refusals that are sent at once."""


async def on_command_error(interaction: Interaction, error: app_commands.AppCommandError) -> None:
    """The command tree's error handler."""
    cause = error.original if isinstance(error, app_commands.CommandInvokeError) else error
    name = "a command" if interaction.command is None else f"/{interaction.command.qualified_name}"
    await report_error(interaction, cause, name)


async def report_error(interaction: Interaction, error: Exception, where: str) -> None:
    """A refusal in the person's own words, or an apology with a reference that the log repeats.

    where: what the log calls the press or command.
    """
    t = own_text(interaction)
    if isinstance(error, Refusal) and (line := refusal_line(t, error)) is not None:
        # Who is refused waits for who is not: a crowd on one board must not hold up its player.
        async with interaction.client.ui.refusals:
            if has_given_up(interaction):
                log.info("%s: nobody waits for the answer to %s any more", where, interaction.id)
            else:
                await _answer(interaction, line)
    elif isinstance(error, (app_commands.TransformerError, app_commands.CommandSignatureMismatch)):
        log.warning("a command came in an older form: %s", error)
        await _answer(interaction, t("error_old_command"))
    elif isinstance(error, discord.NotFound) and error.code == UNKNOWN_INTERACTION:
        log.warning("%s: the answer to %s came too late", where, interaction.id)
    elif _has_ended(interaction, error):
        return
    elif is_passing(error):
        if getattr(error, "code", None) == ALREADY_ACKNOWLEDGED:
            interaction.client.ui.twins.note()
        log.warning("%s: Discord could not be asked for what the answer needs: %r", where, error)
        await _answer(interaction, t("error_discord"))
    else:
        reference = f"{interaction.id:x}"[-8:]
        line = "reference %s, %s: a press or command failed"
        log.error(line, reference, where, exc_info=error, extra={"is_asked_for": True})
        await _answer(interaction, t("error_ours", reference=reference))


def _has_ended(interaction: Interaction, error: Exception) -> bool:
    """Whether it is the end of the bot that cut the answer off, which aiohttp calls a RuntimeError."""
    if not isinstance(error, RuntimeError) or not interaction.client.is_closed():
        return False
    log.info("the bot ended before %s was answered: %s", interaction.id, error)
    return True


def is_passing(error: Exception) -> bool:
    """Whether it lies with Discord: troubles, a permission or a message that is gone, how things stand."""
    is_discords = isinstance(error, discord.HTTPException) and (
        error.status >= 500
        or error.status in (401, 403, 404, 429)
        or (error.status == 400 and error.code not in OURS)
    )
    return is_discords or isinstance(error, (discord.RateLimited, ClientError))


def refusal_line(t: Text, refusal: Refusal) -> str | None:
    """The refusal as a text, or None when the catalogue lacks it, which is a mistake of ours.

    Why a move is illegal, an added game says in its own English where the catalogue has no text for it.
    """
    params = {
        name: plain(value, 300) if isinstance(value, str) and not isinstance(value, Shown) else value
        for name, value in refusal.params.items()
    }
    if (game := str(refusal.params.get("game"))) in GAMES:
        params["game"] = names.game_title(t, game)
    if refusal.key.startswith("illegal_") and refusal.key not in t:
        return t("illegal_other", **params)
    try:
        return t(refusal.key, **params)
    except UnknownText:
        return None


async def _answer(interaction: Interaction, line: str) -> None:
    try:
        await reply(interaction, line)
    except DISCORD_ERRORS as error:
        log.warning("the answer to %s could not be sent: %s", interaction.id, error)
    except RuntimeError as error:
        if not _has_ended(interaction, error):
            raise
