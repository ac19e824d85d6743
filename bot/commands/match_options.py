"""Options that name a match or a move, and which match a command means without them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from discord import app_commands

from bot.commands.options import MOST_CHOICES, Option, offered
from bot.domain.errors import Markup, MatchError, NotFound, Refusal
from bot.domain.match import Match
from bot.domain.playable import playable
from bot.presentation import names, status
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of
from bot.ui.layout import linked
from bot.ui.match.explanation import has_search
from bot.ui.match.handlers import as_shown
from engine.core import IllegalMove, Move, NotationError, Player
from engine.games import game as game_of
from engine.games.notation import read_move
from engine.games.typed import fold

MOST_NAMED, MOST_IMPORTED = 8, 10
"""Matches that a refusal names, and games from elsewhere that are suggested."""


async def complete_running(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the person's running matches in this channel, or those elsewhere to watch them here, too."""
    matches, channel_id = interaction.client.services.matches, interaction.channel_id
    running = await matches.running(interaction.user.id)
    if not getattr(interaction.namespace, "watch", False):
        shown = set(interaction.client.display.mirrors.matches_in(channel_id))
        here = await matches.running(interaction.user.id, channel_id=channel_id)
        shown.update(match.id for match in here)
        running = tuple(match for match in running if match.id in shown)
    return _offered(interaction, running, typed)


async def complete_finished(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the person's last finished matches in this channel, then the games they brought here."""
    t, pairs = own_text(interaction), []
    for game in await interaction.client.services.imports.of(person_of(interaction), MOST_IMPORTED):
        title, day = names.title(t, game.game, game.board), t.day(game.created_at.date())
        pairs.append((t("import_plain", game=title, day=day, n=len(game.moves)), str(game.id)))
    brought = offered(pairs, typed)
    return [*(await _finished(interaction, typed))[: MOST_CHOICES - len(brought)], *brought]


async def _finished(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    found = await interaction.client.services.matches.finished(
        interaction.user.id, MOST_CHOICES, channel_id=interaction.channel_id
    )
    return _offered(interaction, found, typed)


async def complete_played(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the person's running matches in this channel, then the finished ones."""
    running = await complete_running(interaction, typed)
    return [*running, *await _finished(interaction, typed)][:MOST_CHOICES]


def _offered(interaction: Interaction, found: Sequence[Match], typed: str) -> list[app_commands.Choice[str]]:
    t, pairs = own_text(interaction), []
    for match in found:
        other = match.seats[match.player_of(interaction.user.id).other].name
        summary = t("summary_plain", game=status.title(t, match), other=other)
        pairs.append((f"#{match.id} {summary}", str(match.id)))
    return offered(pairs, typed)


async def running_match(interaction: Interaction, text: str | None, *, is_to_move: bool = False) -> Match:
    """Return the named match, by default the one in this channel where it is their turn; raises Refusal.

    is_to_move: as in `Matches.current`.
    """
    services = interaction.client.services
    if text is None:
        mirrored = interaction.client.display.mirrors.matches_in(interaction.channel_id)
        here = interaction.user.id, interaction.channel_id or 0
        try:
            return await services.matches.current(*here, is_to_move=is_to_move, also=mirrored)
        except NotFound:
            # Their board of a match between servers may have been deleted.
            for match in await services.matches.running(interaction.user.id):
                if match.is_between and match.is_played_in(interaction.guild_id):
                    return match
            raise
    number = number_of(text, "unknown_match")
    try:
        return await services.matches.mine(number, interaction.user.id)
    except MatchError as refusal:
        raise await as_shown(interaction, number, refusal) from None


async def watched_match(interaction: Interaction, text: str | None) -> Match:
    """Return the named match, by default the person's running one that changed last; raises Refusal."""
    services = interaction.client.services
    if text is not None:
        return await services.matches.match(number_of(text, "unknown_match"))
    running = await services.matches.running(interaction.user.id)
    if not running:
        raise NotFound("nothing_to_watch")
    return running[0]


async def asked_match(
    interaction: Interaction, text: str | None, asker_of: Callable[[Match], Player | None]
) -> Match:
    """Return the named match, by default the one here or in a thread whose other side has asked the person.

    Where nobody has asked, that is the running match. asker_of: the side whose request stands. Raises
    Refusal, also where several requests wait.
    """
    if text is None:
        running = await interaction.client.services.matches.running(
            interaction.user.id, channel_id=interaction.channel_id
        )
        asked = [
            match
            for match in running
            if (asker := asker_of(match)) is not None
            and match.seats[asker.other].user_id == interaction.user.id
        ]
        if len(asked) > 1:
            t = own_text(interaction)
            # A message has no room for as many as may run.
            names = (
                linked(t, status.summary(t, match, interaction.user.id), match.location)
                for match in asked[:MOST_NAMED]
            )
            raise MatchError("several_wait", matches=Markup(", ".join(names)))
        if asked:
            return asked[0]
    return await running_match(interaction, text)


async def finished_match(interaction: Interaction, text: str | None) -> Match:
    """Return the named match; raises Refusal.

    By default it is the person's last finished one here, or a game from elsewhere that they brought since.
    """
    services = interaction.client.services
    if text is None:
        found = await services.matches.finished(interaction.user.id, 1, channel_id=interaction.channel_id)
        for brought in await services.imports.of(person_of(interaction), 1):
            if not found or found[0].touched_at < brought.created_at:
                return await services.matches.match(brought.id)
        return _first(found)
    match = await services.matches.match(number_of(text, "unknown_match"))
    match.check_visible(interaction.user.id, None)
    return (await services.matches.called_in(interaction.guild_id, match))[0]


async def played_match(interaction: Interaction, text: str | None) -> Match:
    """Return the named match, by default the last one here whose bot has searched; raises Refusal.

    Without one it is the person's last match against a bot, and without that their last finished one.
    """
    services, person_id, channel_id = interaction.client.services, interaction.user.id, interaction.channel_id
    if text is not None:
        return await finished_match(interaction, text)
    running = await services.matches.running(person_id, channel_id=channel_id)
    finished = await services.matches.finished(person_id, MOST_CHOICES, channel_id=channel_id)
    against_bots = [match for match in (*running, *finished) if match.has_agent]
    searched = (match for match in against_bots if has_search(services.roster, match))
    return next(searched, None) or _first(against_bots or finished)


def _first(found: Sequence[Match]) -> Match:
    """Raises NotFound."""
    if not found:
        raise NotFound("no_finished_match")
    return found[0]


def number_of(text: str, unknown: str) -> int:
    """Parse `#12`, or a longer suggestion that begins so; raises NotFound with the key `unknown`."""
    number = fold(text).removeprefix("#").partition(" ")[0]
    if not (number.isascii() and number.isdecimal() and len(number) <= 18 and int(number)):
        raise NotFound(unknown, number=text)
    return int(number)


async def complete_move(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the legal moves of the named match; none unless it is the person's turn."""
    try:
        match = await running_match(
            interaction, getattr(interaction.namespace, "match", None), is_to_move=True
        )
    except Refusal:
        return []
    if match.seat_to_move.user_id != interaction.user.id:
        return []
    rules = game_of(match.game)
    names = (rules.move_name(match.state, move) for move in match.state.legal_moves())
    return offered(((name, name) for name in names), typed)


def move_of(match: Match, user_id: int, text: str) -> Move:
    """Parse a legal move of the person whose turn it is; raises MatchError."""
    match.check_to_move(user_id)
    rules = game_of(match.game)
    try:
        return read_move(rules, match.state, text)
    except IllegalMove as error:
        allowed = playable(match.game, match.state)
        raise MatchError(f"illegal_{error.reason}", move=text, why=str(error), allowed=allowed) from error
    except NotationError as error:
        example = rules.move_name(match.state, match.state.legal_moves()[0])
        # Not escaped: people copy it, and an invisible character would be no part of a move.
        raise MatchError("unknown_move", move=text, example=Markup(example)) from error


MATCH = Option("match", "option_match", complete=complete_running)
FINISHED_MATCH = Option("match", "option_finished_match", complete=complete_finished)
PLAYED_MATCH = Option("match", "option_explained_match", complete=complete_played)
MOVE = Option("to", "option_to", complete=complete_move)
