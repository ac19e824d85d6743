"""What the commands' options offer while people type, and what they mean once they are sent.

Discord does not confine what arrives to what autocomplete offered, so every value is looked up again.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable
from itertools import islice
from typing import Any, TypeVar

from discord import app_commands

from bot.domain.challenge import First
from bot.domain.clock import Clock
from bot.domain.errors import MatchError, NotFound, Refusal, SetupError
from bot.domain.match import Fair, Match
from bot.domain.playable import playable
from bot.i18n import plain, shortened
from bot.presentation import names, status
from bot.services import setup_checks
from bot.services.setup_checks import CLOCKS
from bot.ui.client import Interaction
from bot.ui.context import check_open_to_everywhere, highest_level, own_text
from bot.ui.translator import say
from engine.agents.algorithms import algorithms_of, is_algorithm
from engine.agents.levels import Level
from engine.core import IllegalMove, Move, NotationError
from engine.games import GAMES, USUAL
from engine.games import game as game_of

Command = app_commands.Command[Any, ..., Any] | app_commands.ContextMenu | app_commands.Group
"""What a file of commands lists in its COMMANDS."""

MOST_CHOICES = 25
"""Discord's limit, for choices and for what autocomplete may offer."""

LABEL = 100

SCOPES = ("server", "everywhere")

E = TypeVar("E", bound=enum.StrEnum)
V = TypeVar("V", str, int)
C = TypeVar("C", bound=Callable[..., Any])

GAME_CHOICES = [
    app_commands.Choice(name=say(f"game_{key}", game.title), value=key)
    for key, game in islice(GAMES.items(), MOST_CHOICES)
]


def choices(text: str, values: Iterable[V]) -> list[app_commands.Choice[V]]:
    """These values by the texts that begin so: `first` for `first_me`."""
    keys = ((f"{text}_{value}", getattr(value, "value", value)) for value in values)
    return [app_commands.Choice(name=say(key), value=value) for key, value in keys]


FIRST_CHOICES, START_CHOICES = choices("first", First), choices("fair", Fair)


def clock_choice(number: int) -> app_commands.Choice[int]:
    """A clock as commands offer it: `5 minutes` for each move, or as players write it, `3+2`."""
    clock = Clock.of(number)
    if clock.increment is None:
        return app_commands.Choice(name=say(names.CLOCK_KEYS[clock.seconds]), value=number)
    return app_commands.Choice(name=f"{clock.seconds // 60}+{clock.increment}", value=number)


CLOCK_CHOICES = [
    app_commands.Choice(name=say("clock_off"), value=0),
    *(clock_choice(number) for number in CLOCKS),
]


def offered(choices: Iterable[tuple[str, str]], typed: str) -> list[app_commands.Choice[str]]:
    """The (label, value) pairs that contain what was typed, those that begin with it first; 25 at most."""
    wanted = typed.strip().casefold()
    found = [pair for pair in choices if wanted in pair[0].casefold() or wanted in pair[1].casefold()]
    found.sort(key=lambda pair: not pair[0].casefold().startswith(wanted))
    return [
        app_commands.Choice(name=shortened(label, LABEL), value=value)
        for label, value in found[:MOST_CHOICES]
    ]


# Levels and boards


async def complete_level(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """The levels of the game and board chosen so far, each with its measured Elo and its character.

    After them come the algorithms, where a server has not closed levels; any other by writing it.
    """
    t, game = own_text(interaction), _game_so_far(interaction)
    board = board_of(game, getattr(interaction.namespace, "board", None))
    usual = GAMES[game].boards[0] if game in GAMES else None
    levels = open_levels(interaction, game, board or usual)
    is_usual = board in (None, usual)
    ladder = [(names.level_offer(t, level, game, is_usual_board=is_usual), level.key) for level in levels]
    if highest_level(interaction) is not None:
        return offered(ladder, typed)
    others = [(names.algorithm_offer(t, level), level.key) for level in algorithms_of(game)]
    found = offered([*ladder, *others], typed)
    if not found and game in GAMES and is_algorithm(typed):
        meant = setup_checks.checked_algorithm(game, typed)
        found = offered([(names.algorithm_offer(t, meant), meant.key)], "")
    return found


def open_levels(interaction: Interaction, game: str, board: str | None = None) -> tuple[Level, ...]:
    """The levels of the game (on that board) that this server lets people play, weakest first."""
    return setup_checks.open_levels(
        interaction.client.services.roster, game, board, highest_level(interaction)
    )


async def complete_board(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """The boards of the game chosen so far, the usual one first; or the one that is written out in full."""
    t, game = own_text(interaction), _game_so_far(interaction)
    boards = GAMES[game].boards if game in GAMES else ()
    found = offered(((names.board_title(t, board), board) for board in boards), typed)
    named = setup_checks.board_named(game, board_of(game, typed))
    return found or ([] if named is None else offered([(names.board_title(t, named), named)], ""))


def _game_so_far(interaction: Interaction) -> str:
    return game_meant(interaction, getattr(interaction.namespace, "game", None))


def game_meant(interaction: Interaction, game: str | None) -> str:
    """The game's key; where none is named, that of the match which the person began last."""
    if game is not None:
        return str(game)
    start = interaction.client.services.settings.person(interaction.user.id).start
    return USUAL if start is None or start.game not in GAMES else start.game


def level_of(interaction: Interaction, game: str, text: str | None, *, above: int = 0) -> str:
    """The key of the level that `text` names, or of the usual one; raises SetupError."""
    highest = highest_level(interaction)
    return setup_checks.named_level(
        interaction.client.services.roster, game, text, highest=highest, above=above
    ).key


def board_of(game: str, text: str | None) -> str | None:
    """The board that `text` names, whether written `6x7x4`, `6×7` or with spaces; None for the usual one.

    A name that no board of the game has is handed on: the service refuses it and says which there are.
    """
    if text is None or game not in GAMES:
        return text
    wanted = text.casefold().replace("×", "x").replace(" ", "")
    boards = GAMES[game].boards
    found = next((board for board in boards if board == wanted or board.startswith(wanted + "x")), None)
    return found or setup_checks.board_named(game, wanted) or text


def chosen(text: str | None, usual: E) -> E:
    """Which of `usual` and its like that is; `usual` where nothing was said. Raises SetupError."""
    try:
        return usual if text is None else type(usual)(text)
    except ValueError:
        raise SetupError("unknown_choice", choice=text or "") from None


def check_known(chosen: str | int | None, known: Collection[str | int]) -> None:
    """Refuses what was never offered; raises SetupError."""
    if chosen is not None and chosen not in known:
        raise SetupError("unknown_choice", choice=str(chosen))


def check_game(game: str) -> str:
    return setup_checks.checked_game(game).key


def guild_of(interaction: Interaction, scope: str | None) -> int | None:
    """The server whose board is meant, or None for everywhere; servers come first where there is one.

    Raises SetupError.
    """
    check_known(scope, SCOPES)
    if scope == "server" and interaction.guild_id is None:
        raise SetupError("no_server_here")
    if scope == "everywhere":
        check_open_to_everywhere(interaction)
        return None
    return interaction.guild_id


# Matches and moves


async def complete_match(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """The person's running matches in this channel."""
    found = await interaction.client.services.matches.running(
        interaction.user.id, channel_id=interaction.channel_id
    )
    return offered(((f"#{match.id} {label_of(interaction, match)}", str(match.id)) for match in found), typed)


def of_match(command: C) -> C:
    """Gives a command's parameter `match` its option: which running match is meant."""
    command = app_commands.describe(match=say("option_match"))(command)
    return app_commands.autocomplete(match=complete_match)(command)


def label_of(interaction: Interaction, match: Match) -> str:
    """In a menu, which knows no Markdown."""
    t = own_text(interaction)
    other = match.seats[match.player_of(interaction.user.id).other].name
    return t("summary_plain", game=status.title(t, match), other=other)


async def resolve(interaction: Interaction, text: str | None) -> Match:
    """The person's running match in this channel that a command means; raises Refusal."""
    service, channel_id = interaction.client.services.matches, interaction.channel_id or 0
    if text is None:
        return await service.current(interaction.user.id, channel_id)
    return await service.mine(number_of(text), interaction.user.id)


def number_of(text: str) -> int:
    """The match's number in `#12` or in what autocomplete offered; raises Refusal."""
    number = text.strip().removeprefix("#").partition(" ")[0]
    if not (number.isascii() and number.isdecimal() and len(number) <= 18 and int(number)):
        raise NotFound("unknown_match", number=text)
    return int(number)


async def complete_move(interaction: Interaction, typed: str) -> list[app_commands.Choice[str]]:
    """The legal moves of the match that the command means, by name; none where it would be refused."""
    try:
        match = await resolve(interaction, getattr(interaction.namespace, "match", None))
    except Refusal:
        return []
    if match.seat_to_move.user_id != interaction.user.id:
        return []
    rules = game_of(match.game)
    names = (rules.move_name(match.state, move) for move in match.state.legal_moves())
    return offered(((name, name) for name in names), typed)


def move_of(match: Match, user_id: int, text: str) -> Move:
    """The legal move that `text` names, for the person whose turn it is; raises Refusal."""
    if match.seat_to_move.user_id != user_id:
        raise MatchError("not_your_turn", name=match.seat_to_move.name)
    rules = game_of(match.game)
    try:
        return rules.parse_move(match.state, text.strip().lower())
    except IllegalMove as error:
        allowed = playable(match.game, match.state)
        raise MatchError(
            f"illegal_{error.reason}", move=plain(text), why=str(error), allowed=allowed
        ) from error
    except NotationError as error:
        example = rules.move_name(match.state, match.state.legal_moves()[0])
        raise MatchError("unknown_move", move=plain(text), example=example) from error
