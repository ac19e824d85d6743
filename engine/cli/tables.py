"""Results and lists as tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.table import Table

from engine.agents import AgentSpec
from engine.agents.levels import Level
from engine.arena.matches import Arena, Tally


def cross_table(arena: Arena) -> Table:
    """Return the results, best first, with wins/draws/losses against each opponent by number."""
    ratings = arena.ratings()
    order = sorted(range(len(ratings)), key=lambda contender: -ratings[contender].elo)
    table = _table(f"{arena.game} {arena.board}, seed {arena.seed}: wins/draws/losses")
    table.add_column("", justify="right")
    table.add_column("agent", no_wrap=True)
    for heading in ("Elo", "95 %", "all", "forfeits", "s/move"):
        table.add_column(heading, justify="right", no_wrap=True)
    for number in range(1, len(order) + 1):
        table.add_column(str(number), justify="center", no_wrap=True)
    for number, contender in enumerate(order, 1):
        rating, mean = ratings[contender], arena.mean_seconds(contender)
        table.add_row(
            str(number),
            arena.names[contender],
            f"{rating.elo:+.0f}",
            f"{rating.low:+.0f} … {rating.high:+.0f}",
            _wins(arena.tally(contender)),
            str(len(arena.forfeits(contender))),
            "" if mean is None else f"{mean:.4f}",
            *("" if other == contender else _wins(arena.tally(contender, other)) for other in order),
        )
    return table


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


def perft_table(title: str, rows: Iterable[tuple[int, int, float]]) -> Table:
    """rows: (depth, lines, seconds)."""
    table = _table(title)
    for heading in ("depth", "lines", "seconds", "lines/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for depth, count, seconds in rows:
        table.add_row(
            str(depth), f"{count:,}", f"{seconds:.3f}", f"{count / seconds:,.0f}" if seconds else ""
        )
    return table


def level_table(levels: Iterable[Level]) -> Table:
    table = _table("Levels, weakest first, then plug-ins")
    for heading in ("level", "name", "character", "plays", "games"):
        table.add_column(heading, overflow="fold")
    for level in levels:
        table.add_row(level.key, level.name, level.character, level.agent, ", ".join(level.games))
    return table


def agent_table(agents: Iterable[AgentSpec]) -> Table:
    table = _table("Agents; options follow the name, as in alphabeta:depth=8")
    for heading in ("agent", "what it does", "options", "games"):
        table.add_column(heading, overflow="fold")
    for spec in agents:
        ranges = (f"{option} {least} to {most}" for option, (least, most) in spec.options.items())
        table.add_row(spec.key, spec.summary, ", ".join(ranges), ", ".join(spec.games))
    return table


def _table(title: str) -> Table:
    return Table(title=title, title_justify="left")
