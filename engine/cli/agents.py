"""`python -m engine agents`: list the available players."""

from __future__ import annotations

import argparse
from contextlib import closing

from engine.agents import AGENTS
from engine.cli.contenders import add_folder, open_roster
from engine.cli.tables import agent_table, level_table
from engine.cli.verbs import EXIT_OK, Verbs, add_verb, table_console


def add_verbs(verbs: Verbs[argparse.ArgumentParser]) -> None:
    parser = add_verb(
        verbs,
        "agents",
        "list levels, plug-ins and agents",
        "  python -m engine agents\n  python -m engine agents --agents-folder ~/players",
    )
    add_folder(parser)
    parser.set_defaults(run=_agents)


def _agents(options: argparse.Namespace) -> int:
    with closing(open_roster(options)) as roster:
        levels = roster.levels
    console = table_console()
    console.print(level_table(levels))
    console.print(agent_table(AGENTS.values()))
    return EXIT_OK
