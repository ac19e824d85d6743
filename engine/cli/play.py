"""`python -m engine play`: a game in the terminal between any two people, levels, plug-ins or agents."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial

from rich.console import Console
from rich.table import Table

from engine.agents.agent_cache import close_agent
from engine.agents.roster import Roster
from engine.cli.contenders import PLAYERS, add_folder, agents_of, contender_of, open_roster
from engine.cli.sitting import Chair, Sitting
from engine.cli.terminal import side_name
from engine.cli.verbs import EXIT_OK, Verbs, add_game, add_verb, completes, seconds, whole_number
from engine.core import Game, Player, UnknownName
from engine.games import GAMES, USUAL, game, open_board
from engine.games.typed import fold

PERSON = "person"

Seated = Callable[[str, int], Chair]
"""(name, seed) -> the chair of that player."""


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "play",
        "play a game in the terminal, or watch one",
        "  python -m engine play\n"
        "  python -m engine play otto\n"
        "  python -m engine play person plugin:mine --game othello --agents-folder ~/players\n"
        "  python -m engine play greta sage --game othello --step\n"
        "  python -m engine play alphabeta:depth=8 --first bot --seconds 5",
        "With two players the first one begins; with one you play against it; with none, the game\n"
        "and both are chosen from lists.",
    )
    players = parser.add_argument(
        "players",
        nargs="*",
        metavar="PLAYER",
        help=f"'{PERSON}', a level, a plug-in or an agent (the verb agents lists them)",
    )
    completes(players, (PERSON, *PLAYERS))
    add_game(parser, None, f"default: {USUAL}, or chosen from a list where no player is named")
    parser.add_argument(
        "--first", choices=("me", "bot", "random"), help="who begins, where one player is named (default: me)"
    )
    parser.add_argument(
        "--seconds", type=seconds, help="an agent's time a move (default: the level's own, or 1)"
    )
    parser.add_argument("--step", action="store_true", help="wait for Enter before every move of an agent")
    parser.add_argument(
        "--seed", type=whole_number(0, 10**9, 1), help="makes agents that draw lots repeat themselves"
    )
    parser.add_argument("--as-text", action="store_true", help="plain ASCII without colours")
    add_folder(parser)
    parser.set_defaults(run=_play)


def _play(options: argparse.Namespace) -> int:
    if len(options.players) > 2:
        raise UnknownName(f"a game has two players, not {len(options.players)}")
    if options.first is not None and len(options.players) != 1:
        raise UnknownName("--first is for one player, whom you play against: the first of two begins")
    console = Console(
        markup=False,
        highlight=False,
        color_system=None if options.as_text else "auto",
        soft_wrap=not sys.stdout.isatty(),
    )
    key = options.game
    if key is None and not options.players and options.board is None:
        titles = {key: rules.title for key, rules in GAMES.items()}
        try:
            key = _chosen(titles, "Which game?", USUAL, console, game)
        except EOFError:
            return EXIT_OK
    rules = game(key or USUAL)
    # A bad board is refused before any question about the players.
    rules.start(open_board(rules, options.board))
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    with closing(open_roster(options)) as roster:
        names = list(options.players)
        try:
            # The opponent of a single named player is a person, without a question.
            while len(names) < 2 and len(options.players) != 1:
                names.append(_choose_player(Player(len(names)), roster, rules, options.board, console))
        except EOFError:
            return EXIT_OK
        if len(names) == 1:
            names = _against(names[0], options.first or "me", seed)
        make = partial(_chair, roster, rules, options)
        chairs = _seated(names, make, seed)
        as_text = options.as_text or console.color_system is None
        try:
            Sitting(
                rules, options.board, chairs, console, input, as_text=as_text, is_stepping=options.step
            ).run()
        finally:
            for chair in chairs:
                if chair.agent is not None:
                    close_agent(chair.agent)
    return EXIT_OK


def _against(name: str, first: str, seed: int) -> list[str]:
    """Return both players of a game between a person and `name`."""
    is_mine = first == "me" or (first == "random" and random.Random(seed).random() < 0.5)
    return [PERSON, name] if is_mine else [name, PERSON]


def _seated(names: list[str], make: Seated, seed: int) -> tuple[Chair, Chair]:
    people = ("player 1", "player 2") if names == [PERSON, PERSON] else ("you", "you")
    first, second = (
        Chair(people[number]) if name == PERSON else make(name, seed + number)
        for number, name in enumerate(names)
    )
    return first, second


def _chair(roster: Roster, rules: Game, options: argparse.Namespace, name: str, seed: int) -> Chair:
    contender = contender_of(roster, name, rules, options.board, options.seconds)
    titles = {level.key: level.name for level in roster.levels_of(rules.key)}
    return Chair(titles.get(name, name), contender.make(seed), contender.limit)


def _choose_player(player: Player, roster: Roster, rules: Game, board: str | None, console: Console) -> str:
    """Let a person choose the player of that side; raises EOFError at the end of the input."""
    levels = roster.levels_of(rules.key, board or rules.boards[0])
    names = {PERSON: "whoever sits here"}
    names |= {level.key: f"{level.name}, {level.character}" for level in levels}
    names |= dict.fromkeys(agents_of(rules), "an agent")
    return _chosen(
        names,
        f"Who plays {side_name(rules, player)}?",
        PERSON if player is Player.FIRST else levels[0].key,
        console,
        lambda name: name == PERSON or contender_of(roster, name, rules, board),
        is_listed=player is Player.FIRST,
    )


def _chosen(
    names: Mapping[str, str],
    question: str,
    usual: str,
    console: Console,
    check: Callable[[str], object],
    *,
    is_listed: bool = True,
) -> str:
    """Let a person choose a name, by itself or by its number; raises EOFError at the end of the input.

    names: with what they stand for. check: raises UnknownName for a name that cannot be chosen.
    """
    if is_listed:
        table = Table.grid(padding=(0, 2, 0, 0))
        for number, (name, meaning) in enumerate(names.items(), 1):
            table.add_row(f"{number:>3}", name, meaning)
        console.print(table)
    while True:
        text = fold(input(f"{question} A number or a name (Enter: {usual})> "))
        if not text:
            return usual
        # Few digits only: Python refuses to convert thousands of them.
        if text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= len(names):
            return list(names)[int(text) - 1]
        try:
            check(text)
        except UnknownName as error:
            console.print(str(error))
        else:
            return text
