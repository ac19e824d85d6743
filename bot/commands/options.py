"""Declares commands and the options that several of them share, with choices, autocomplete and parsing.

Discord accepts values that autocomplete did not offer, so every value is checked again.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Callable, Collection, Coroutine, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from discord import app_commands

from bot.domain.clock import Clock
from bot.domain.errors import SetupError
from bot.domain.terms import Fair, First
from bot.i18n import shortened
from bot.presentation import names
from bot.services import checked_terms
from bot.services.checked_terms import CLOCKS
from bot.ui.client import Interaction
from bot.ui.context import check_open_to_everywhere, own_text
from bot.ui.translator import say
from engine.agents.algorithms import algorithms_of, is_algorithm
from engine.games import GAMES, USUAL
from engine.games.openings import named_openings
from engine.games.typed import compact, fold

Command = app_commands.Command[Any, ..., Any] | app_commands.ContextMenu | app_commands.Group
"""An entry of COMMANDS, which every file of commands has."""

MOST_CHOICES, LABEL_LENGTH = 25, 100
"""Discord's limits for choices and autocomplete."""

SCOPES = ("server", "everywhere")

E = TypeVar("E", bound=enum.StrEnum)
V = TypeVar("V", str, int)

Handler = Callable[..., Coroutine[Any, Any, None]]
Complete = Callable[[Interaction, str], Coroutine[Any, Any, list[app_commands.Choice[str]]]]


@dataclass(frozen=True, slots=True)
class Option:
    """An option of commands.

    name: also that of the handler's parameter. text: the key of its description. complete: suggests values
    while the person types.
    """

    name: str
    text: str
    choices: Sequence[app_commands.Choice[Any]] = ()
    complete: Complete | None = None


def command(
    name: str,
    *options: Option,
    group: app_commands.Group | None = None,
    extras: Mapping[Any, Any] | None = None,
) -> Callable[[Handler], app_commands.Command[Any, ..., Any]]:
    """Make a handler a slash command whose options are the handler's parameters.

    options: declare parameters; the others are in SHARED_OPTIONS. extras: says who sees the answer, by
    default the person alone (`bot.ui.command_queue`). The description is the text `command_<name>`, or
    `command_<group>_<name>`.
    """
    add = app_commands.command if group is None else group.command
    path = name if group is None else f"{group.name}_{name}"
    known = SHARED_OPTIONS | {one.name: one for one in options}

    def decorate(handler: Handler) -> app_commands.Command[Any, ..., Any]:
        _, *parameters = inspect.signature(handler).parameters
        taken = [known[parameter] for parameter in parameters]
        app_commands.describe(**{one.name: say(one.text) for one in taken})(handler)
        app_commands.choices(**{one.name: [*one.choices] for one in taken if one.choices})(handler)
        app_commands.autocomplete(**{one.name: one.complete for one in taken if one.complete})(handler)
        return add(name=name, description=say(f"command_{path}"), extras=dict(extras or {}))(handler)

    return decorate


GAME_CHOICES = [
    app_commands.Choice(name=say(f"game_{key}", game.title), value=key)
    for key, game in islice(GAMES.items(), MOST_CHOICES)
]


def choices(text: str, values: Iterable[V]) -> list[app_commands.Choice[V]]:
    """Choices of these values, named by texts with that prefix: `first` for `first_me`."""
    keys = ((f"{text}_{value}", getattr(value, "value", value)) for value in values)
    return [app_commands.Choice(name=say(key), value=value) for key, value in keys]


def clock_choice(number: int) -> app_commands.Choice[int]:
    """A clock as a choice: `5 minutes` a move, or `3+2` for a whole match."""
    clock = Clock.of(number)
    if clock.increment is None:
        return app_commands.Choice(name=say(names.CLOCK_KEYS[clock.seconds]), value=number)
    return app_commands.Choice(name=f"{clock.seconds // 60}+{clock.increment}", value=number)


CLOCK_CHOICES = [
    app_commands.Choice(name=say("clock_off"), value=0),
    *(clock_choice(number) for number in CLOCKS),
]


def offered(choices: Iterable[tuple[str, str]], typed: str) -> list[app_commands.Choice[str]]:
    """Filter (label, value) pairs by the typed text, prefix matches first; at most 25."""
    wanted = fold(typed)
    matching = [pair for pair in choices if wanted in fold(pair[0]) or wanted in fold(pair[1])]
    matching.sort(key=lambda pair: not fold(pair[0]).startswith(wanted))
    return [
        app_commands.Choice(name=shortened(label, LABEL_LENGTH), value=value)
        for label, value in matching[:MOST_CHOICES]
    ]


async def complete_level(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the levels of the chosen game and board with their Elo and character, then the algorithms.

    An algorithm with other parameters can be typed. Servers with a highest level have no algorithms.
    """
    t, game = own_text(interaction), _game_so_far(interaction)
    board = board_of(game, getattr(interaction.namespace, "board", None))
    levels = interaction.client.services.levels.of(interaction.guild_id, game, board)
    is_usual = board == GAMES[game].boards[0]
    ladder = [(names.level_offer(t, level, game, is_usual_board=is_usual), level.key) for level in levels]
    if interaction.client.services.levels.are_limited(interaction.guild_id):
        return offered(ladder, typed)
    others = [(names.algorithm_offer(t, level), level.key) for level in algorithms_of(game)]
    suggested = offered([*ladder, *others], typed)
    if not suggested and is_algorithm(typed):
        level = checked_terms.checked_algorithm(game, typed)
        suggested = offered([(names.algorithm_offer(t, level), level.key)], "")
    return suggested


async def complete_opponent(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest Echo, then the same levels."""
    t, game = own_text(interaction), _game_so_far(interaction)
    own = checked_terms.echo_of(interaction.client.services.roster, game)
    suggested = offered(((names.level_offer(t, level, game), level.key) for level in own), typed)
    return [*suggested, *await complete_level(interaction, typed)][:MOST_CHOICES]


async def complete_board(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the boards of the chosen game, the usual one first, or the board that was typed in full."""
    t, game = own_text(interaction), _game_so_far(interaction)
    suggested = offered(((names.board_title(t, board), board) for board in GAMES[game].boards), typed)
    named = checked_terms.board_named(game, board_of(game, typed))
    return suggested or ([] if named is None else offered([(names.board_title(t, named), named)], ""))


async def complete_position(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the openings to train of the chosen game; moves and a replay's code can be typed."""
    t, game = own_text(interaction), _game_so_far(interaction)
    board = board_of(game, getattr(interaction.namespace, "board", None))
    if board != GAMES[game].boards[0]:
        return []
    return offered(((names.opening_offer(t, one), one.text) for one in named_openings(game)), typed)


async def complete_scope(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """Suggest the scopes of leaderboards and profiles that work here."""
    t, server = own_text(interaction), interaction.client.services.settings.server(interaction.guild_id)
    works = {"server": interaction.guild_id is not None, "everywhere": not server.is_closed}
    return offered(((t(f"choice_{scope}"), scope) for scope in SCOPES if works[scope]), typed)


def _game_so_far(interaction: Interaction) -> str:
    game = str(getattr(interaction.namespace, "game", ""))
    return game if game in GAMES else _usual_game(interaction)


def game_meant(interaction: Interaction, game: str | None) -> str:
    """Check the named game, by default that of the person's last start; raises SetupError."""
    return check_game(_usual_game(interaction) if game is None else game)


def _usual_game(interaction: Interaction) -> str:
    start = interaction.client.services.settings.person(interaction.user.id).start
    return USUAL if start is None or start.game not in GAMES else start.game


def level_of(interaction: Interaction, game: str, text: str | None, *, above: int = 0) -> str:
    """Parse a level's name or key, by default the usual level; raises SetupError."""
    return interaction.client.services.levels.named(interaction.guild_id, game, text, above=above).key


def board_of(game: str, text: str | None) -> str:
    """Parse a board such as `6x7x4`, `6×7` or `6 x 7`, by default the usual one.

    Unknown names are returned unchanged: the service refuses them and lists the boards.
    """
    boards = GAMES[game].boards
    if text is None:
        return boards[0]
    wanted = compact(text)
    known = next((board for board in boards if board == wanted or board.startswith(wanted + "x")), None)
    return known or checked_terms.board_named(game, wanted) or text


def chosen(text: str | None, usual: E) -> E:
    """Parse a value of the enum of `usual`, which is also the default; raises SetupError."""
    try:
        return usual if text is None else type(usual)(text)
    except ValueError:
        raise SetupError("unknown_choice", choice=text or "") from None


def check_known(chosen: str | int | None, known: Collection[str | int]) -> None:
    """Refuse a value that was not offered; raises SetupError."""
    if chosen is not None and chosen not in known:
        raise SetupError("unknown_choice", choice=str(chosen))


def check_game(game: str) -> str:
    return checked_terms.checked_game(game).key


def guild_of(interaction: Interaction, scope: str | None) -> int | None:
    """The server of a leaderboard, None for everywhere; by default this server. Raises SetupError."""
    check_known(scope, SCOPES)
    if scope == "server" and interaction.guild_id is None:
        raise SetupError("no_server_here")
    if scope == "everywhere":
        check_open_to_everywhere(interaction)
        return None
    return interaction.guild_id


GAME = Option("game", "option_game", GAME_CHOICES)
LEVEL = Option("level", "option_level", complete=complete_level)

SHARED_OPTIONS = {
    one.name: one
    for one in (
        GAME,
        LEVEL,
        Option("board", "option_board", complete=complete_board),
        Option("first", "option_first", choices("first", First)),
        Option("start", "option_start", choices("fair", Fair)),
        Option("clock", "option_clock", CLOCK_CHOICES),
        Option("rated", "option_rated"),
        Option("scope", "option_scope", complete=complete_scope),
    )
}
"""The options that several commands declare alike, by their names."""
