"""`python -m engine agents`: list the available players."""

from __future__ import annotations

import argparse
import logging
from contextlib import closing

from engine.agents import AGENTS
from engine.agents.levels import is_engine
from engine.agents.roster import Roster
from engine.cli.contenders import add_folder, folder_of
from engine.cli.tables import agent_table, level_table, remark_table
from engine.cli.verbs import EXIT_OK, Verbs, add_verb, completes, table_console
from engine.games import GAMES, game
from engine.plugins.discovery import survey


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "agents",
        "list levels, plug-ins, engines and agents",
        "  python -m engine agents\n"
        "  python -m engine agents --game othello\n"
        "  python -m engine agents --agents-folder ~/players",
    )
    completes(parser.add_argument("--game", help=f"only those that play it: {', '.join(GAMES)}"), GAMES)
    add_folder(parser)
    parser.set_defaults(run=_agents)


def _agents(options: argparse.Namespace) -> int:
    games = set(GAMES) if options.game is None else {game(options.game).key}
    found = survey(folder_of(options))
    with closing(Roster(found.plugins)) as roster:
        levels = [level for level in roster.levels if games.intersection(level.games)]
    console = table_console()
    engines = [level for level in levels if is_engine(level.key)]
    own = [level for level in levels if level not in engines]
    console.print("Levels, weakest first, then plug-ins:", level_table(own), sep="\n")
    if engines:
        console.print("\nEngines:", level_table(engines), sep="\n")
    # All remarks, for any game: a plug-in that could not be loaded does not say which ones it plays.
    faults = [remark for remark in found.remarks if remark.severity >= logging.WARNING]
    others = [remark for remark in found.remarks if remark.severity < logging.WARNING]
    for heading, remarks in (("Plug-ins and engines with a fault:", faults), ("Also in the folder:", others)):
        if remarks:
            console.print(f"\n{heading}", remark_table(remarks), sep="\n")
    agents = [agent for agent in AGENTS.values() if games.intersection(agent.games)]
    console.print(
        "\nAgents; options follow the name, as in alphabeta:depth=8:", agent_table(agents), sep="\n"
    )
    return EXIT_OK
