"""Tournaments in words: terms, entrants, points and winners, and the table for their picture."""

from __future__ import annotations

from collections.abc import Iterable

from bot.domain.clock import Clock
from bot.domain.match import Forfeits
from bot.domain.terms import Fair
from bot.domain.tournament.model import MIN_ENTRANTS, Stage, System, Tournament
from bot.domain.tournament.standings import TIE_BREAKS, champions, standings
from bot.i18n import Text, in_own_direction, plain, plain_line
from bot.presentation import names
from bot.presentation.table import ResultCell, TableRow

TIE_BREAK_LABELS = {"buchholz": "BH", "sonneborn-berger": "SB"}
"""The usual abbreviations in chess; other tie-breaks have a translated letter."""

FAILING_SHOWN, MOST_OF_REASON = 3, 100
"""Agents that failed at moves, and characters of a reason, so that standings fit into a message."""

QUARTERS = ("", "¼", "½", "¾")


def heading(tournament: Tournament, t: Text) -> tuple[str, str]:
    return title(tournament), f"-# {' · '.join(terms_of(tournament, t))}"


def title(tournament: Tournament) -> str:
    return f"### {in_own_direction(f'🏆 {plain(tournament.name, 80)}')}"


def terms_of(tournament: Tournament, t: Text) -> list[str]:
    """Game, board, system, fair start, rating and clock, each in a few words."""
    terms = [
        names.game_title(t, tournament.game),
        names.board_title(t, tournament.board),
        t(f"tournament_system_{tournament.system}"),
    ]
    if tournament.system is System.SWISS and tournament.rounds:
        terms.append(t("tournament_rounds", n=tournament.rounds))
    if tournament.is_twice and tournament.system is System.ROUND_ROBIN:
        terms.append(t("tournament_twice"))
    if tournament.fair is not Fair.USUAL:
        terms.append(t(f"fair_{tournament.fair}"))
    if not tournament.is_of_agents:
        terms.append(t("rated") if tournament.rated else t("casual"))
        terms.append(names.clock_name(t, tournament.clock_seconds))
    return terms


def rules_of(tournament: Tournament, t: Text) -> Iterable[str]:
    """Return the rules to know before signing up: no-shows and the fair start."""
    clock = Clock.of(tournament.clock_seconds)
    key = "tournament_no_show" if clock.increment is None else "tournament_no_show_whole"
    yield t(key, time=names.time_of(t, tournament.clock_seconds))
    if tournament.fair is not Fair.USUAL:
        yield t(f"tournament_fair_{tournament.fair}")


def entrant_name(tournament: Tournament, number: int) -> str:
    """The entrant's name; agents get a symbol, because people may use the same names."""
    seat = tournament.entrant(number).seat
    return f"🤖 {plain(seat.name)}" if seat.is_agent else plain(seat.name)


def entrant_names(tournament: Tournament) -> str:
    return ", ".join(entrant_name(tournament, entrant.number) for entrant in tournament.entrants)


def cancelled_line(tournament: Tournament, t: Text) -> str:
    if len(tournament.entrants) < MIN_ENTRANTS and not tournament.pairings:
        return t("tournament_cancelled_few", n=MIN_ENTRANTS)
    return t("tournament_cancelled")


def winner_line(tournament: Tournament, t: Text) -> str:
    winners = [plain(entrant.seat.name) for entrant in champions(tournament)]
    if not winners:
        return t("tournament_uncrowned")
    if len(winners) == 1:
        return t("tournament_won", name=winners[0])
    return t("tournament_shared", names=", ".join(winners))


def forfeit_lines(tournament: Tournament, t: Text) -> list[str]:
    """A line for each of the agents that failed at the most moves, with its first reason."""
    failed: dict[int, Forfeits] = {}
    for pairing in tournament.pairings:
        for number, own in zip(pairing.numbers, pairing.forfeits, strict=False):
            failed[number] = failed.get(number, Forfeits()) + own
    most = sorted(failed, key=lambda number: -failed[number].count)[:FAILING_SHOWN]
    return [
        forfeit_line(entrant_name(tournament, number), failed[number], t)
        for number in most
        if failed[number].count
    ]


def forfeit_line(name: str, own: Forfeits, t: Text) -> str:
    return t("agent_forfeits", n=own.count, name=name, reason=plain_line(own.reason, MOST_OF_REASON))


def summary_line(tournament: Tournament, t: Text, when: str) -> str:
    """One line for a list of tournaments. when: the end of sign-up, as Discord counts down to it."""
    words = {
        "number": tournament.id,
        "name": plain(tournament.name, 60),
        "game": names.game_title(t, tournament.game),
    }
    if tournament.stage is Stage.OPEN:
        return t("tournament_listed_open", n=len(tournament.entrants), when=when, **words)
    if tournament.stage is Stage.RUNNING:
        return t("tournament_listed_running", round=tournament.round, rounds=tournament.rounds, **words)
    if tournament.stage is Stage.CANCELLED:
        return t("tournament_listed_cancelled", **words)
    winners = ", ".join(plain(entrant.seat.name) for entrant in champions(tournament))
    if not winners:
        return t("tournament_listed_uncrowned", **words)
    return t("tournament_listed_over", winner=winners, **words)


def tie_break_label(rule: str, t: Text) -> str:
    """The abbreviation of a tie-break, for column heads and figures."""
    return TIE_BREAK_LABELS.get(rule) or t("tournament_wins_letter")


def points_text(points: float) -> str:
    """Points in quarters, such as 3½."""
    whole, quarters = divmod(round(points * 4), 4)
    return f"{whole}{QUARTERS[quarters]}" if whole or not quarters else QUARTERS[quarters]


def expected_matches(tournament: Tournament, so_far: int) -> int:
    """How many matches the tournament will have; a lower bound before the last round is paired."""
    entrants = len(tournament.entrants)
    if tournament.system is System.ROUND_ROBIN:
        return entrants * (entrants - 1) // 2 * (2 if tournament.is_twice else 1)
    if tournament.system is System.SWISS:
        return max(so_far, tournament.rounds * (entrants // 2))
    return max(so_far, entrants - 1)


def table_of(tournament: Tournament, t: Text) -> tuple[list[TableRow], list[str]]:
    """The rows and column heads of the standings for bot.presentation.table."""
    places = standings(tournament)
    rows_of = {place.entrant.number: row for row, place in enumerate(places, start=1)}
    is_knockout = tournament.system is System.KNOCKOUT
    rows = []
    for place in places:
        cells = [
            [
                ResultCell(
                    outcome.halves,
                    None if outcome.opponent is None else rows_of[outcome.opponent],
                    outcome.is_played,
                )
                for outcome in place.outcomes
                if outcome.round == number
            ]
            for number in range(1, tournament.round + 1)
        ]
        # The picture's font has no fractions, so points are decimals.
        figures = [] if is_knockout else [f"{part:g}" for part in (place.points, *place.tie_breaks)]
        name, number = place.entrant.seat.name, place.entrant.number
        rows.append(TableRow(place.rank, name, number, cells, figures, has_medal=place.wins > 0))
    heads = (
        [] if is_knockout else ["P", *(tie_break_label(rule, t) for rule in TIE_BREAKS[tournament.system])]
    )
    return rows, heads
