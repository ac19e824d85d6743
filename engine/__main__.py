"""The engine's command line: `python -m engine play | arena | solve | analyze | perft | agents`."""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from engine.agents import AGENTS, make_agent
from engine.agents.levels import LEVELS
from engine.agents.roster import Roster
from engine.arena.matches import Entrant, Tournament, play_tournament
from engine.cli.analyze import add_verbs as add_analyzing
from engine.cli.play import Chair, Sitting
from engine.cli.solve import add_verbs as add_solving
from engine.cli.tables import agent_table, cross_table, level_table, perft_table
from engine.cli.verbs import Verbs, add_game, add_verb, seconds, whole_number
from engine.core import EngineError, Game, Limit, UnknownName
from engine.games import game, titles
from engine.games.perft import counting_of, perft
from engine.plugins.discovery import discover

EXIT_OK, EXIT_PIPE, EXIT_USAGE, EXIT_INTERRUPTED = 0, 1, 2, 130

PERSON = "person"

_WIDTH_OF_FILES = 240  # where output is no terminal, tables are not squeezed into 80 columns


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb; returns the exit code: 2 for a name or a number that cannot be used."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.WARNING, format="%(message)s", stream=sys.stderr)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except EngineError as error:
        print(f"python -m engine {options.verb}: {error}", file=sys.stderr)
        return EXIT_USAGE
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; without this, Python complains once more while it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_PIPE
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="discade-engine" if Path(sys.argv[0]).stem == "discade-engine" else "python -m engine",
        description=f"{titles()} without Discord.",
        epilog="'python -m engine VERB --help' shows examples.",
    )
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    _add_play(verbs)
    _add_arena(verbs)
    _add_perft(verbs)
    _add_agents(verbs)
    add_solving(verbs)
    add_analyzing(verbs)
    return parser


def _add_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--agents-folder",
        type=Path,
        metavar="FOLDER",
        default=os.environ.get("DISCADE_AGENTS") or None,
        help="where *_player.py files lie (default: the environment variable DISCADE_AGENTS)",
    )


def _add_play(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "play",
        "play a game in the terminal",
        "  python -m engine play otto\n"
        "  python -m engine play person --game othello --board 6x6\n"
        "  python -m engine play alphabeta:depth=8 --first bot --seconds 5",
    )
    parser.add_argument(
        "opponent",
        nargs="?",
        help=f"a level or an agent (the verb agents lists them) or '{PERSON}'; default: the weakest level",
    )
    add_game(parser)
    parser.add_argument(
        "--first", choices=("me", "bot", "random"), default="me", help="who begins (default: me)"
    )
    parser.add_argument(
        "--seconds", type=seconds, help="the agent's time a move (default: the level's own, or 1)"
    )
    parser.add_argument("--seed", type=int, help="makes agents that draw lots repeat themselves")
    parser.add_argument("--as-text", action="store_true", help="plain ASCII without colours")
    _add_folder(parser)
    parser.set_defaults(run=_play)


def _add_arena(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "arena",
        "let agents play each other and rate them",
        "  python -m engine arena random one-step mcts --seconds 0.1\n"
        "  python -m engine arena --game othello --games 40 --jobs 2 --json result.json\n"
        "  python -m engine arena pip otto --json - | jq .entrants\n"
        "  python -m engine arena --game othello --ladder",
    )
    parser.add_argument("agents", nargs="*", metavar="AGENT", help="levels or agents; default: every agent")
    add_game(parser)
    parser.add_argument("--games", type=int, default=10, help="of each pairing, even (default: %(default)s)")
    parser.add_argument("--seconds", type=seconds, default=1.0, help="the most a move may take (default: 1)")
    parser.add_argument("--seed", type=int, default=0, help="of openings and agents (default: 0)")
    parser.add_argument(
        "--jobs",
        type=whole_number(1, 999, 2),
        default=1,
        help="games at once; beyond your cores, clocks suffer",
    )
    parser.add_argument(
        "--json", metavar="FILE", help="also write everything as JSON; '-': stdout, no table there"
    )
    parser.add_argument(
        "--ladder",
        action="store_true",
        help="measure each level against the one below, and write the file that menus show Elo from",
    )
    _add_folder(parser)
    parser.set_defaults(run=_arena)


def _add_perft(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "perft",
        "count the ways to play on, which checks and times the rules",
        "  python -m engine perft --depth 7\n  python -m engine perft --game othello --depth 11",
    )
    add_game(parser)
    parser.add_argument(
        "--depth", type=whole_number(1, 99, 6), default=6, help="moves, 1 to 99 (default: %(default)s)"
    )
    parser.set_defaults(run=_perft)


def _add_agents(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "agents",
        "list levels, plug-ins and agents",
        "  python -m engine agents\n  python -m engine agents --agents-folder ~/players",
    )
    _add_folder(parser)
    parser.set_defaults(run=_agents)


def _play(options: argparse.Namespace) -> int:
    rules = game(options.game)
    rules.start(options.board)
    console = _plain_console() if options.as_text else Console(markup=False, highlight=False)
    seed = random.randrange(1 << 32) if options.seed is None else options.seed
    with closing(Roster(discover(_folder(options)))) as roster:
        if options.opponent == PERSON:
            me, other = Chair("player 1"), Chair("player 2")
        else:
            name = options.opponent or roster.levels_of(rules.key)[0].key
            entrant = _entrant(roster, name, rules, options.seconds)
            titles = {level.key: level.name for level in roster.levels_of(rules.key)}
            me, other = Chair("you"), Chair(titles.get(name, name), entrant.make(seed), entrant.limit)
        mine = {"me": True, "bot": False, "random": random.Random(seed).random() < 0.5}[options.first]
        chairs = (me, other) if mine else (other, me)
        as_text = options.as_text or console.color_system is None
        Sitting(rules, options.board, chairs, console, input, as_text=as_text).run()
    return EXIT_OK


def _plain_console() -> Console:
    return Console(markup=False, highlight=False, color_system=None)


def _arena(options: argparse.Namespace) -> int:
    rules = game(options.game)
    if options.ladder:
        from engine.arena.ladder import measure

        measure(rules.key, options.jobs)
        return 0
    with closing(Roster(discover(_folder(options)))) as roster:
        names = options.agents or [key for key, spec in AGENTS.items() if rules.key in spec.games]
        entrants = [_entrant(roster, name, rules, None, options.seconds) for name in names]
        with _progress() as progress:
            task = progress.add_task("games", total=None)
            tournament = play_tournament(
                rules,
                options.board,
                entrants,
                games=options.games,
                seed=options.seed,
                jobs=options.jobs,
                on_game=lambda done, total: progress.update(task, completed=done, total=total),
            )
    _report(tournament, options.json)
    return EXIT_OK


def _progress() -> Progress:
    """On stderr while something takes long, and nothing where that is no terminal."""
    errors = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=not errors.is_terminal,
    )


def _report(tournament: Tournament, json_file: str | None) -> None:
    if json_file is not None:
        text = json.dumps(tournament.as_json(), indent=1)
        if json_file == "-":
            print(text)
            return
        Path(json_file).write_text(f"{text}\n", "utf-8")
    _table_console().print(cross_table(tournament))


def _perft(options: argparse.Namespace) -> int:
    rules = game(options.game)
    start = rules.start(options.board)
    rows = []
    perft(start, 1)  # loads the kernel where there is one, which is not counting
    with _progress() as progress:
        task = progress.add_task("", total=None)
        for depth in range(1, options.depth + 1):
            started = time.perf_counter()

            def show(done: int, total: int, lines: int, depth: int = depth, started: float = started) -> None:
                rate = lines / (time.perf_counter() - started)
                label = f"depth {depth}: {lines:,} lines, {rate:,.0f}/s"
                progress.update(task, completed=done, total=total, description=label)

            count = perft(start, depth, show)
            rows.append((depth, count, time.perf_counter() - started))
    board = options.board or rules.boards[0]
    console = _table_console()
    console.print(perft_table(f"{rules.key} {board}", rows))
    console.print(f"How they are counted: {counting_of(start).rule}.")
    return EXIT_OK


def _agents(options: argparse.Namespace) -> int:
    plugins = discover(_folder(options))
    for plugin in plugins:
        plugin.close()
    console = _table_console()
    console.print(level_table([*LEVELS, *(plugin.level for plugin in plugins)]))
    console.print(agent_table(AGENTS.values()))
    return EXIT_OK


def _table_console() -> Console:
    return Console(markup=False, highlight=False, width=None if sys.stdout.isatty() else _WIDTH_OF_FILES)


def _folder(options: argparse.Namespace) -> Path | None:
    folder: Path | None = options.agents_folder
    if folder is not None and not folder.is_dir():
        raise UnknownName(f"there is no folder {folder} to take agents from")
    return folder


def _entrant(
    roster: Roster, name: str, rules: Game, seconds: float | None, most_seconds: float | None = None
) -> Entrant:
    """A level or an agent that plays the game; raises UnknownName, listing those that do.

    seconds: instead of the level's own; most_seconds: no more than these.
    """
    levels = {level.key: level for level in roster.levels_of(rules.key)}
    agents = [key for key, spec in AGENTS.items() if rules.key in spec.games]
    if name in levels:
        limit = levels[name].limit
        entrant = Entrant(name, lambda seed: roster.make(name, seed), limit)
    elif name.partition(":")[0] in agents:
        make_agent(name)  # its options are wrong now or never
        entrant = Entrant(name, lambda seed: make_agent(name, seed), Limit(seconds=1.0))
    else:
        known = f"levels {', '.join(levels)}; agents {', '.join(agents)}"
        raise UnknownName(f"nobody called {name!r} plays {rules.key}; there are {known}")
    own = entrant.limit.seconds
    if most_seconds is not None:
        seconds = most_seconds if own is None else min(own, most_seconds)
    return entrant if seconds is None else replace(entrant, limit=replace(entrant.limit, seconds=seconds))


if __name__ == "__main__":
    sys.exit(main())
