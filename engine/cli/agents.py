"""`python -m engine agents`: list the available players."""

from __future__ import annotations

import argparse
from contextlib import closing

from engine.agents import AGENTS
from engine.cli.contenders import add_folder, open_roster
from engine.cli.tables import agent_table, level_table
from engine.cli.verbs import EXIT_OK, Verbs, add_verb, completes, table_console
from engine.games import GAMES, game


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "agents",
        "list levels, plug-ins and agents",
        "  python -m engine agents\n"
        "  python -m engine agents --game othello\n"
        "  python -m engine agents --agents-folder ~/players",
    )
    completes(parser.add_argument("--game", help=f"only those that play it: {', '.join(GAMES)}"), GAMES)
    add_folder(parser)
    parser.set_defaults(run=_agents)


def _agents(options: argparse.Namespace) -> int:
    games = set(GAMES) if options.game is None else {game(options.game).key}
    with closing(open_roster(options)) as roster:
        levels = [level for level in roster.levels if games.intersection(level.games)]
    console = table_console()
    console.print("Levels, weakest first, then plug-ins:", level_table(levels), sep="\n")
    agents = [agent for agent in AGENTS.values() if games.intersection(agent.games)]
    console.print(
        "\nAgents; options follow the name, as in alphabeta:depth=8:", agent_table(agents), sep="\n"
    )
    return EXIT_OK
