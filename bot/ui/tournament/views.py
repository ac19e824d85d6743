"""Tournaments as messages: signing up, a round with its pairings, progress, standings. Pure functions."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import discord
from discord import ui

from bot.domain.clock import Clock
from bot.domain.match import Fair
from bot.domain.tournament.model import LEAST, Pairing, Stage, System, Tournament
from bot.domain.tournament.standings import TIE_BREAKS, Standing, champions, standings
from bot.i18n import Text, in_own_direction, plain
from bot.presentation import names
from bot.presentation.table import Cell, TableRow, draw_table
from bot.ui.layout import Item, as_many, box, gallery, lines, link, numbered
from bot.ui.leaderboard_pages import place_of
from bot.ui.threads import is_above
from bot.ui.tournament.routes import ACTION, TournamentAction

POINTS = ("0", "½", "1")
"""Of one side of a pairing, by halves of them."""

HEADS = {"buchholz": "BH", "sonneborn-berger": "SB"}
"""Tie-breaks as chess players everywhere abbreviate them, above columns and before figures."""

FRACTIONS = {0: "", 1: "¼", 2: "½", 3: "¾"}
LEADERS = 5
BAR = 12


SIGN_UP_COLOUR, RUNNING_COLOUR, WON_COLOUR = 0x3B88C3, 0x1F8052, 0xF0C240


def tournament_view(tournament: Tournament, t: Text, called: Sequence[int] = ()) -> ui.LayoutView:
    """What the tournament's message shows. called: whom the round's message has called."""
    if tournament.stage is Stage.CANCELLED:
        return box(lines(*_heading(tournament, t), *_cancelled(tournament, t)))
    if tournament.stage is Stage.OPEN:
        return box(*_sign_up(tournament, t), _sign_up_buttons(tournament, t), colour=SIGN_UP_COLOUR)
    if tournament.is_of_agents:
        return box(*_progress(tournament, t), colour=RUNNING_COLOUR)
    if tournament.announced == 0:
        return started_view(tournament, t)
    return round_view(tournament, t, tournament.round, called)


def started_view(tournament: Tournament, t: Text) -> ui.LayoutView:
    """The sign-up once it is closed."""
    return box(
        lines(*_heading(tournament, t), t("tournament_started", n=len(tournament.entrants))),
        lines(_names(tournament)),
        *([_thread_line(tournament, t)] if is_above(tournament.location) else ()),
    )


def ended_view(tournament: Tournament, t: Text) -> ui.LayoutView:
    """What stays in the channel of a tournament whose rounds were in a thread."""
    return box(
        lines(*_heading(tournament, t), _winner_line(tournament, t)),
        _thread_line(tournament, t),
        colour=WON_COLOUR,
    )


def round_view(tournament: Tournament, t: Text, number: int, called: Sequence[int] = ()) -> ui.LayoutView:
    """One round: who meets whom, with links to the boards, and the results so far."""
    pairings = tournament.of_round(number)
    open_ones = sum(not pairing.is_settled for pairing in pairings)
    is_latest = number == tournament.round and tournament.stage is Stage.RUNNING
    heading = t("tournament_round", number=number, rounds=tournament.rounds)
    parts: list[Item] = [
        lines(_title(tournament), f"**{heading}**"),
        lines(
            *(_pairing_line(tournament, pairing, t) for pairing in pairings), *_resting(tournament, number, t)
        ),
        lines(
            f"-# {t('tournament_waiting', n=open_ones)}" if open_ones else f"-# {t('tournament_round_over')}",
        ),
    ]
    if called and is_latest:
        names = " ".join(f"<@{user_id}>" for user_id in called)
        parts.append(lines(t("tournament_call", names=names)))
    if is_latest:
        custom_id = ACTION(tournament.id, TournamentAction.STANDINGS)
        button: ui.Button[Any] = ui.Button(label=t("button_standings"), custom_id=custom_id)
        parts.append(ui.ActionRow(button))
    return box(*parts, colour=RUNNING_COLOUR if is_latest else None)


def standings_view(
    tournament: Tournament, t: Text, picture: discord.File | None, *, is_final: bool = False
) -> ui.LayoutView:
    """The standings in words and, if there is one, as a picture. is_final: as an announcement."""
    places = standings(tournament)
    parts: list[Item] = [lines(*_heading(tournament, t))]
    if is_final:
        parts.append(lines(_winner_line(tournament, t)))
    elif tournament.stage is Stage.RUNNING:
        heading = t("tournament_round", number=tournament.round, rounds=tournament.rounds)
        parts.append(lines(f"**{t('tournament_standings')}** · {heading}"))
    parts.append(lines(*(_place_line(place, tournament, t) for place in places)))
    if picture is not None:
        described = t("tournament_described", name=tournament.name)
        parts.append(gallery(picture, described=described))
    parts.append(lines(f"-# {t(f'tournament_decides_{tournament.system}')}"))
    return box(*parts, colour=WON_COLOUR if is_final else None)


def private_view(tournament: Tournament, t: Text, picture: discord.File | None) -> ui.LayoutView:
    """How it stands, for one person: whoever has signed up, or the standings."""
    if tournament.stage is Stage.OPEN:
        return box(*_sign_up(tournament, t))
    if not tournament.pairings:
        return box(lines(*_heading(tournament, t), *_cancelled(tournament, t)))
    return standings_view(tournament, t, picture)


def list_view(found: Sequence[Tournament], t: Text) -> ui.LayoutView:
    """The server's tournaments, one on a line."""
    if not found:
        return box(lines(t("tournaments_none")))
    listed = (_listed(tournament, t) for tournament in found)
    return box(as_many([f"### {t('tournaments_title')}", *listed], lambda n: t("and_more", n=n)))


async def picture_of(tournament: Tournament, t: Text) -> discord.File | None:
    """The standings as a picture, drawn in a thread; None before the first round."""
    if not tournament.pairings:
        return None
    png = await asyncio.to_thread(draw_table, *picture_rows(tournament, t))
    return discord.File(io.BytesIO(png), "standings.png")


def picture_rows(tournament: Tournament, t: Text) -> tuple[list[TableRow], list[str]]:
    """(rows, heads) for bot.presentation.table."""
    places = standings(tournament)
    rows_of = {place.entrant.number: row for row, place in enumerate(places, start=1)}
    is_knockout = tournament.system is System.KNOCKOUT
    rows = []
    for place in places:
        cells = [
            [
                Cell(
                    outcome.halves,
                    None if outcome.opponent is None else rows_of[outcome.opponent],
                    outcome.is_played,
                )
                for outcome in place.outcomes
                if outcome.round == number
            ]
            for number in range(1, tournament.round + 1)
        ]
        # The picture's font has no fractions.
        figures = [] if is_knockout else [f"{part:g}" for part in (place.points, *place.tie_breaks)]
        name, number = place.entrant.seat.name, place.entrant.number
        rows.append(TableRow(place.rank, name, number, cells, figures, has_medal=place.wins > 0))
    heads = [] if is_knockout else ["P", *(head_of(rule, t) for rule in TIE_BREAKS[tournament.system])]
    return rows, heads


def head_of(rule: str, t: Text) -> str:
    """What stands for that tie-break above its column and before its figure."""
    return HEADS.get(rule) or t("tournament_wins_letter")


def points_text(points: float) -> str:
    """Points in quarters, such as 3½."""
    whole, quarters = divmod(round(points * 4), 4)
    return f"{whole}{FRACTIONS[quarters]}" if whole or not quarters else FRACTIONS[quarters]


# Parts


def _thread_line(tournament: Tournament, t: Text) -> Item:
    """Where its rounds are, for who reads this in the channel around them."""
    return lines(t("tournament_in_thread", place=f"<#{tournament.location.channel_id}>"))


def _heading(tournament: Tournament, t: Text) -> tuple[str, str]:
    return _title(tournament), f"-# {' · '.join(terms_of(tournament, t))}"


def _title(tournament: Tournament) -> str:
    return f"### {in_own_direction(f'🏆 {plain(tournament.name, 80)}')}"


def terms_of(tournament: Tournament, t: Text) -> list[str]:
    """What it is like, in a few words each."""
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


def _sign_up(tournament: Tournament, t: Text) -> list[Item]:
    count = len(tournament.entrants)
    missing = LEAST - count
    listed = t("tournament_count", n=count, most=tournament.most) if count else t("tournament_nobody")
    return [
        lines(
            *_heading(tournament, t),
            t("tournament_closes", when=_when(tournament.closes_at)),
            *(f"-# {rule}" for rule in _rules(tournament, t)),
        ),
        lines(
            listed,
            _names(tournament) if count else None,
            t("tournament_least", n=missing) if 0 < missing < LEAST else None,
        ),
        lines(f"-# {t('tournament_organiser', mention=f'<@{tournament.organiser_id}>')}"),
    ]


def _rules(tournament: Tournament, t: Text) -> Iterable[str]:
    """What whoever signs up should know of its matches."""
    clock = Clock.of(tournament.clock_seconds)
    key = "tournament_no_show" if clock.increment is None else "tournament_no_show_whole"
    yield t(key, time=names.time_of(t, tournament.clock_seconds))
    if tournament.fair is not Fair.USUAL:
        yield t(f"tournament_fair_{tournament.fair}")


def _sign_up_buttons(tournament: Tournament, t: Text) -> ui.ActionRow[Any]:
    is_full = len(tournament.entrants) >= tournament.most
    success, secondary = discord.ButtonStyle.success, discord.ButtonStyle.secondary
    return ui.ActionRow(
        *(
            ui.Button(
                label=t(key), style=style, disabled=is_disabled, custom_id=ACTION(tournament.id, action)
            )
            for action, key, style, is_disabled in (
                (TournamentAction.JOIN, "button_join", success, is_full),
                (TournamentAction.LEAVE, "button_leave_tournament", secondary, False),
                (TournamentAction.AGENTS, "button_add_agents", secondary, False),
                (TournamentAction.START, "button_start", discord.ButtonStyle.primary, False),
            )
        )
    )


def _names(tournament: Tournament) -> str:
    return ", ".join(_name(tournament, entrant.number) for entrant in tournament.entrants)


def _name(tournament: Tournament, number: int) -> str:
    """What an entrant is called; agents have a sign, as people may have their names."""
    seat = tournament.entrant(number).seat
    return f"🤖 {plain(seat.name)}" if seat.is_agent else plain(seat.name)


def _cancelled(tournament: Tournament, t: Text) -> tuple[str]:
    if len(tournament.entrants) < LEAST and not tournament.pairings:
        return (t("tournament_cancelled_few", n=LEAST),)
    return (t("tournament_cancelled"),)


def _progress(tournament: Tournament, t: Text) -> list[Item]:
    """Of a tournament among agents, which nobody sees move by move."""
    games = [pairing for pairing in tournament.pairings if pairing.match_id is not None]
    done, whole = sum(pairing.is_settled for pairing in games), _games(tournament, len(games))
    filled = round(BAR * done / max(1, whole))
    bar = "▰" * filled + "▱" * (BAR - filled)
    heading = t("tournament_round", number=tournament.round, rounds=tournament.rounds)
    places = standings(tournament)[:LEADERS]
    parts: list[Item] = [
        lines(*_heading(tournament, t)),
        lines(f"**{heading}**", t("tournament_progress", bar=bar, done=done, n=whole)),
        lines(*(_place_line(place, tournament, t) for place in places)),
    ]
    if tournament.stage is Stage.OVER:
        parts.append(lines(t("tournament_over_line")))
    return parts


def _games(tournament: Tournament, so_far: int) -> int:
    """How many matches there will be, as far as that can be said."""
    entrants = len(tournament.entrants)
    if tournament.system is System.ROUND_ROBIN:
        return entrants * (entrants - 1) // 2 * (2 if tournament.is_twice else 1)
    if tournament.system is System.SWISS:
        return max(so_far, tournament.rounds * (entrants // 2))
    return max(so_far, entrants - 1)


def _pairing_line(tournament: Tournament, pairing: Pairing, t: Text) -> str:
    first = _name(tournament, pairing.first)
    if pairing.second is None:
        key = "tournament_through" if tournament.system is System.KNOCKOUT else "tournament_bye"
        return f"{numbered(pairing.table)} {t(key, name=first)}"
    names = {"first": first, "second": _name(tournament, pairing.second)}
    if pairing.halves is None:
        line = t("tournament_replay" if pairing.game > 1 else "tournament_playing", **names)
    else:
        names |= dict(zip(("points", "others"), (POINTS[halves] for halves in pairing.halves), strict=True))
        absent = pairing.absentee
        if pairing.given is not None:
            gone = pairing.second if pairing.halves[0] else pairing.first
            line = t("tournament_gone", name=_name(tournament, gone), **names)
        elif absent is not None:
            line = t("tournament_absent", name=_name(tournament, absent), **names)
        else:
            line = t("tournament_result", **names)
    if pairing.message_id is None:
        return f"{numbered(pairing.table)} {line}"
    place = tournament.location
    address = link(place.guild_id, place.channel_id, pairing.message_id)
    return f"{numbered(pairing.table)} {line} {t('tournament_board', address=address)}"


def _resting(tournament: Tournament, number: int, t: Text) -> list[str]:
    """Who has no match in a round of a round robin, where that is worth nothing."""
    if tournament.system is not System.ROUND_ROBIN or number != tournament.round:
        return []
    busy = {entrant for pairing in tournament.of_round(number) for entrant in pairing.numbers}
    return [
        t("tournament_rest", name=_name(tournament, entrant.number))
        for entrant in tournament.seeded
        if entrant.number not in busy and not entrant.is_out
    ]


def _place_line(place: Standing, tournament: Tournament, t: Text) -> str:
    mark = place_of(place.rank, place.rank if place.wins else None)
    name = _name(tournament, place.entrant.number)
    if tournament.system is System.KNOCKOUT:
        line = t("tournament_place_plain", place=mark, name=name)
    else:
        rules = zip(TIE_BREAKS[tournament.system], place.tie_breaks, strict=True)
        breaks = (f"{head_of(rule, t)} {points_text(value)}" for rule, value in rules)
        figures = " · ".join((f"**{points_text(place.points)}**", *breaks))
        line = t("tournament_place", place=mark, name=name, points=figures)
    is_out = place.entrant.is_out and tournament.system is not System.KNOCKOUT
    return t("tournament_left", line=line) if is_out else line


def _winner_line(tournament: Tournament, t: Text) -> str:
    first = [plain(entrant.seat.name) for entrant in champions(tournament)]
    if not first:
        return t("tournament_uncrowned")
    if len(first) == 1:
        return t("tournament_won", name=first[0])
    return t("tournament_shared", names=", ".join(first))


def _listed(tournament: Tournament, t: Text) -> str:
    terms = {
        "number": tournament.id,
        "name": plain(tournament.name, 60),
        "game": names.game_title(t, tournament.game),
    }
    if tournament.stage is Stage.OPEN:
        when = _when(tournament.closes_at)
        line = t("tournament_listed_open", n=len(tournament.entrants), when=when, **terms)
    elif tournament.stage is Stage.RUNNING:
        line = t("tournament_listed_running", round=tournament.round, rounds=tournament.rounds, **terms)
    elif tournament.stage is Stage.OVER:
        first = [plain(entrant.seat.name) for entrant in champions(tournament)]
        line = (
            t("tournament_listed_over", winner=", ".join(first), **terms)
            if first
            else t("tournament_listed_uncrowned", **terms)
        )
    else:
        line = t("tournament_listed_cancelled", **terms)
    place = tournament.location
    if place.message_id is None:
        return line
    return t("tournament_go", text=line, address=link(place.guild_id, place.channel_id, place.message_id))


def _when(instant: datetime) -> str:
    return f"<t:{int(instant.timestamp())}:R>"
