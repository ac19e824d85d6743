"""`python -m engine arena`: matches between agents with ratings, as a table or as JSON."""

from __future__ import annotations

import argparse
import json
from contextlib import closing
from pathlib import Path

from engine.arena.matches import Arena, play_arena
from engine.cli.contenders import PLAYERS, add_folder, agents_of, contender_of, open_roster
from engine.cli.tables import cross_table, forfeit_lines, standings
from engine.cli.verbs import (
    EXIT_OK,
    Verbs,
    add_game,
    add_verb,
    completes,
    progress_bar,
    seconds,
    table_console,
    whole_number,
)
from engine.games import game, open_board


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "arena",
        "let agents play each other and rate them",
        "  python -m engine arena random one-step mcts --seconds 0.1\n"
        "  python -m engine arena --game othello --games 40 --jobs 2 --json result.json\n"
        "  python -m engine arena pip otto --json - | jq .entrants\n"
        "  python -m engine arena --game othello --ladder",
    )
    agents = parser.add_argument(
        "agents", nargs="*", metavar="AGENT", help="levels or agents; default: every agent"
    )
    completes(agents, PLAYERS)
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
    add_folder(parser)
    parser.set_defaults(run=_arena)


def _arena(options: argparse.Namespace) -> int:
    rules = game(options.game)
    if options.ladder:
        from engine.arena.ladder import measure

        measure(rules.key, options.jobs)
        return EXIT_OK
    open_board(rules, options.board)
    with closing(open_roster(options)) as roster:
        names = options.agents or agents_of(rules)
        contenders = [
            contender_of(roster, name, rules, options.board, None, options.seconds) for name in names
        ]
        with progress_bar() as progress:
            task = progress.add_task("games", total=None)
            arena = play_arena(
                rules,
                options.board,
                contenders,
                games=options.games,
                seed=options.seed,
                jobs=options.jobs,
                on_game=lambda done, total: progress.update(task, completed=done, total=total),
            )
    _report(arena, options.json)
    return EXIT_OK


def _report(arena: Arena, json_file: str | None) -> None:
    if json_file is not None:
        text = json.dumps(arena.as_json(), indent=1)
        if json_file == "-":
            print(text)
            return
        Path(json_file).write_text(f"{text}\n", "utf-8")
    console = table_console()
    console.print(
        f"{arena.game} {arena.board}, seed {arena.seed}: wins/draws/losses", standings(arena), sep="\n"
    )
    for line in forfeit_lines(arena):
        console.print(line)
    cross = cross_table(arena)
    if len(arena.names) > 2 and console.measure(cross).maximum <= console.width:
        console.print("\nAgainst each of them:", cross, sep="\n")
