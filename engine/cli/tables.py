"""Results and lists as tables for the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.table import Table

from engine.agents import AgentSpec
from engine.agents.levels import Level
from engine.arena.matches import Arena, Tally
from engine.plugins.folder import Remark

_LONGEST_AGENT = 48  # which fits beside the levels' keys in a terminal of 60 columns


def standings(arena: Arena) -> Table:
    """Return the results of each contender, best first; with a column of forfeits if there are any."""
    table = _table()
    table.add_column("", justify="right", no_wrap=True)
    table.add_column("agent", overflow="fold")
    has_forfeits = any(arena.forfeits(contender) for contender in range(len(arena.names)))
    for heading in ("Elo", "95 %", "all", *(["forfeits"] if has_forfeits else []), "s/move"):
        table.add_column(heading, justify="right", no_wrap=True)
    ratings = arena.ratings()
    for number, contender in enumerate(_best_first(arena), 1):
        rating, mean = ratings[contender], arena.mean_seconds(contender)
        table.add_row(
            str(number),
            arena.names[contender],
            f"{rating.elo:+.0f}",
            f"{rating.low:+.0f} … {rating.high:+.0f}",
            _wins(arena.tally(contender)),
            *([str(len(arena.forfeits(contender)))] if has_forfeits else []),
            "" if mean is None else f"{mean:.4f}",
        )
    return table


def cross_table(arena: Arena) -> Table:
    """Return the results against each opponent, by the numbers of the standings."""
    order = _best_first(arena)
    table = _table()
    for heading in ("", *map(str, range(1, len(order) + 1))):
        table.add_column(heading, justify="right", no_wrap=True)
    for number, contender in enumerate(order, 1):
        results = ("" if other == contender else _wins(arena.tally(contender, other)) for other in order)
        table.add_row(str(number), *results)
    return table


def _best_first(arena: Arena) -> list[int]:
    ratings = arena.ratings()
    return sorted(range(len(ratings)), key=lambda contender: -ratings[contender].elo)


def forfeit_lines(arena: Arena) -> list[str]:
    """Return a sentence for each agent that forfeited moves, with the first reason."""
    found = [(name, arena.forfeits(number), arena.chosen(number)) for number, name in enumerate(arena.names)]
    return [
        f"{name} forfeited {len(reasons)} of {chosen} moves to random ones; the first because {reasons[0]}"
        for name, reasons, chosen in found
        if reasons
    ]


def _wins(tally: Tally) -> str:
    return f"{tally.wins}/{tally.draws}/{tally.losses}"


def level_table(levels: Iterable[Level]) -> Table:
    """Return each level with its name and character, and below them its agent and games."""
    return _listed(
        (
            level.key,
            f"{level.name}, {level.character}",
            " · ".join(
                (
                    _in_lines(level.agent),
                    ", ".join(level.games),
                    *([", ".join(level.boards)] if level.boards else []),
                )
            ),
        )
        for level in levels
    )


def _in_lines(agent: str) -> str:
    """Return the agent's name with line ends behind commas, so that no terminal breaks it within a word."""
    lines = [""]
    for option in re.split("(?<=,)", agent):
        if len(lines[-1]) + len(option) > _LONGEST_AGENT:
            lines.append("")
        lines[-1] += option
    return "\n".join(lines)


def remark_table(remarks: Iterable[Remark]) -> Table:
    """Return each file or plug-in with what there is to say of it."""
    return _listed((remark.about, remark.text, "") for remark in remarks)


def agent_table(agents: Iterable[AgentSpec]) -> Table:
    """Return each agent with its summary, and below it its options and games."""
    return _listed(
        (
            spec.key,
            spec.summary,
            f"{', '.join(_ranges(spec)) or 'no options'} · {', '.join(spec.games)}",
        )
        for spec in agents
    )


def _ranges(spec: AgentSpec) -> list[str]:
    return [f"{option} {least} to {most}" for option, (least, most) in spec.options.items()]


def _listed(entries: Iterable[tuple[str, str, str]]) -> Table:
    """Return entries of (key, text, details); texts are wrapped at words, keys never."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for key, text, details in entries:
        table.add_row(key, text)
        if details:
            table.add_row("", details, style="dim")
    return table


def _table() -> Table:
    return Table(box=None, padding=(0, 2, 0, 0))
