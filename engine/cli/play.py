"""`python -m engine play`: a game in the terminal between any two people, levels, plug-ins or agents."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from contextlib import closing
from functools import partial

from rich.console import Console

from engine.agents.agent_cache import close_agent
from engine.agents.roster import Roster
from engine.cli.contenders import add_folder, agents_of, contender_of, open_roster
from engine.cli.sitting import Ask, Chair, Sitting
from engine.cli.terminal import side_name
from engine.cli.verbs import EXIT_OK, Verbs, add_game, add_verb, seconds, whole_number
from engine.core import Game, Player, UnknownName
from engine.games import game

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
        "With two players the first one begins; with one you play against it; with none, both are chosen\n"
        "from a list.",
    )
    parser.add_argument(
        "players",
        nargs="*",
        metavar="PLAYER",
        help=f"'{PERSON}', a level, a plug-in or an agent (the verb agents lists them)",
    )
    add_game(parser)
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
    rules = game(options.game)
    rules.start(options.board)
    if len(options.players) > 2:
        raise UnknownName(f"a game has two players, not {len(options.players)}")
    if options.first is not None and len(options.players) != 1:
        raise UnknownName("--first is for one player, whom you play against: the first of two begins")
    console = Console(
        markup=False, highlight=False, color_system=None if options.as_text else "auto", soft_wrap=True
    )
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    with closing(open_roster(options)) as roster:
        asker = _Chooser(roster, rules, options.board, console, input)
        names = list(options.players)
        try:
            while len(names) < 2 and options.first is None and len(options.players) != 1:
                names.append(asker.choose(Player(len(names))))
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


class _Chooser:
    """Lets a person choose the players from a list, by number or by name."""

    def __init__(self, roster: Roster, rules: Game, board: str | None, console: Console, ask: Ask) -> None:
        self._roster = roster
        self._rules = rules
        self._board = board
        self._console = console
        self._ask = ask
        self._levels = roster.levels_of(rules.key, board or rules.boards[0])
        self._names = [PERSON, *(level.key for level in self._levels), *agents_of(rules)]
        self._has_listed = False

    def choose(self, player: Player) -> str:
        """Return the name of that side's player; raises EOFError at the end of the input."""
        if not self._has_listed:
            self._list()
        usual = PERSON if player is Player.FIRST else self._levels[0].key
        side = side_name(self._rules, player)
        while True:
            text = self._ask(f"Who plays {side}? A number or a name (Enter: {usual})> ").strip().lower()
            if not text:
                return usual
            if text.isascii() and text.isdigit() and len(text) < 4 and 1 <= int(text) <= len(self._names):
                return self._names[int(text) - 1]
            try:
                if text != PERSON:
                    contender_of(self._roster, text, self._rules, self._board)
            except UnknownName as error:
                self._console.print(str(error))
            else:
                return text

    def _list(self) -> None:
        characters = {level.key: f"{level.name}, {level.character}" for level in self._levels}
        widest = max(len(name) for name in self._names)
        for number, name in enumerate(self._names, 1):
            words = "whoever sits here" if name == PERSON else characters.get(name, "an agent")
            self._console.print(f"{number:>3}  {name:<{widest}}  {words}")
        self._has_listed = True
