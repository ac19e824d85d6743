"""Tournaments as messages: sign-up, rounds with pairings, progress, standings and lists."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Any

import discord
from discord import ui

from bot.domain.tournament.model import MIN_ENTRANTS, Pairing, Stage, System, Tournament
from bot.domain.tournament.standings import TIE_BREAKS, Standing, standings
from bot.i18n import Text, plain
from bot.presentation.links import link
from bot.presentation.table import draw_table
from bot.presentation.tournament_texts import (
    cancelled_line,
    entrant_name,
    entrant_names,
    expected_matches,
    forfeit_lines,
    heading,
    points_text,
    rules_of,
    summary_line,
    table_of,
    tie_break_label,
    title,
    winner_line,
)
from bot.ui.layout import MOST_OPTIONS, Item, as_many, box, chunks, gallery, lines, numbered, options_of
from bot.ui.leaderboard_pages import place_of
from bot.ui.threads import is_above
from bot.ui.tournament.routes import ACTION, AGENTS, ENTRANTS, TournamentAction

POINTS = ("0", "½", "1")
"""One side's points in a pairing, by half points."""

LEADERS = 5
"""How many places the message of a championship shows."""

PROGRESS_BAR_LENGTH = 12
SIGN_UP_COLOUR, RUNNING_COLOUR, WON_COLOUR = 0x3B88C3, 0x1F8052, 0xF0C240


def tournament_view(tournament: Tournament, t: Text, called: Sequence[int] = ()) -> ui.LayoutView:
    """The tournament's own message. called: ids of the users pinged by the round's message."""
    if tournament.stage is Stage.CANCELLED:
        return box(lines(*heading(tournament, t), cancelled_line(tournament, t)))
    if tournament.stage is Stage.OPEN:
        return box(*_sign_up(tournament, t), _sign_up_buttons(tournament, t), colour=SIGN_UP_COLOUR)
    if tournament.is_of_agents:
        return box(*_progress(tournament, t), colour=RUNNING_COLOUR)
    if tournament.announced == 0:
        return started_view(tournament, t)
    return round_view(tournament, t, tournament.round, called)


def started_view(tournament: Tournament, t: Text) -> ui.LayoutView:
    """The sign-up message after sign-up has closed."""
    return box(
        lines(*heading(tournament, t), t("tournament_started", n=len(tournament.entrants))),
        lines(entrant_names(tournament)),
        *([_thread_line(tournament, t)] if is_above(tournament.location) else ()),
    )


def ended_view(tournament: Tournament, t: Text) -> ui.LayoutView:
    """The result that stays in the channel when the rounds were in a thread."""
    return box(
        lines(*heading(tournament, t), winner_line(tournament, t)),
        _thread_line(tournament, t),
        colour=WON_COLOUR,
    )


def round_view(tournament: Tournament, t: Text, number: int, called: Sequence[int] = ()) -> ui.LayoutView:
    """One round: its pairings with links to the boards, and the results so far."""
    pairings = tournament.of_round(number)
    waiting = sum(not pairing.is_settled for pairing in pairings)
    is_latest = number == tournament.round and tournament.stage is Stage.RUNNING
    state = t("tournament_waiting", n=waiting) if waiting else t("tournament_round_over")
    parts: list[Item] = [
        lines(title(tournament), f"**{_round_title(tournament, number, t)}**"),
        lines(
            *(_pairing_line(tournament, pairing, t) for pairing in pairings),
            *_resting_lines(tournament, number, t),
        ),
        lines(f"-# {state}"),
    ]
    if called and is_latest:
        mentions = " ".join(f"<@{user_id}>" for user_id in called)
        parts.append(lines(t("tournament_call", names=mentions)))
    if is_latest:
        custom_id = ACTION(tournament.id, TournamentAction.STANDINGS)
        button: ui.Button[Any] = ui.Button(label=t("button_standings"), custom_id=custom_id)
        parts.append(ui.ActionRow(button))
    return box(*parts, colour=RUNNING_COLOUR if is_latest else None)


def standings_view(
    tournament: Tournament, t: Text, picture: discord.File | None, *, is_final: bool = False
) -> ui.LayoutView:
    """The standings in words, with their picture if there is one. is_final: as an announcement."""
    parts: list[Item] = [lines(*heading(tournament, t))]
    if is_final:
        parts.append(lines(winner_line(tournament, t)))
    elif tournament.stage is Stage.RUNNING:
        round_title = _round_title(tournament, tournament.round, t)
        parts.append(lines(f"**{t('tournament_standings')}** · {round_title}"))
    parts.append(lines(*(_place_line(place, tournament, t) for place in standings(tournament))))
    if failed := forfeit_lines(tournament, t):
        parts.append(lines(*failed))
    if picture is not None:
        described = t("tournament_described", name=tournament.name)
        parts.append(gallery(picture, described=described))
    parts.append(lines(f"-# {t(f'tournament_decides_{tournament.system}')}"))
    return box(*parts, colour=WON_COLOUR if is_final else None)


def private_view(
    tournament: Tournament, t: Text, picture: discord.File | None, reader_id: int, *, is_organiser: bool
) -> ui.LayoutView:
    """The tournament for one reader: the sign-up list or the standings, and buttons for what they can do."""
    if tournament.stage is Stage.OPEN:
        view = box(*_sign_up(tournament, t))
    elif not tournament.pairings:
        view = box(lines(*heading(tournament, t), cancelled_line(tournament, t)))
    else:
        view = standings_view(tournament, t, picture)
    if buttons := [*_reader_buttons(tournament, t, reader_id, is_organiser=is_organiser)]:
        view.add_item(ui.ActionRow(*buttons))
    return view


def _reader_buttons(
    tournament: Tournament, t: Text, reader_id: int, *, is_organiser: bool
) -> Iterator[ui.Button[Any]]:
    if not tournament.is_active:
        return
    entrant, is_open = tournament.entrant_of(reader_id), tournament.stage is Stage.OPEN
    if entrant is not None and not entrant.is_out:
        yield _button(tournament, TournamentAction.LEAVE, t("button_leave_tournament"))
    elif entrant is not None or is_open:
        yield _button(tournament, TournamentAction.JOIN, t("button_join"), discord.ButtonStyle.success)
    if not is_organiser:
        return
    if is_open:
        yield _button(tournament, TournamentAction.AGENTS, t("button_add_agents"))
        yield _button(tournament, TournamentAction.START, t("button_start"), discord.ButtonStyle.primary)
    if not all(entrant.is_out for entrant in tournament.entrants):
        yield _button(tournament, TournamentAction.REMOVE, t("button_remove"))
    yield _button(tournament, TournamentAction.CANCEL, t("button_cancel"), discord.ButtonStyle.danger)


def _button(
    tournament: Tournament,
    action: TournamentAction,
    label: str,
    style: discord.ButtonStyle = discord.ButtonStyle.secondary,
) -> ui.Button[Any]:
    return ui.Button(label=label, style=style, custom_id=ACTION(tournament.id, action))


def list_view(found: Sequence[Tournament], t: Text, homeless: Collection[int] = ()) -> ui.LayoutView:
    """The server's tournaments, one per line. homeless: ids of those whose channel was deleted."""
    if not found:
        return box(lines(t("tournaments_none")))
    listed = (_list_line(tournament, t, is_homeless=tournament.id in homeless) for tournament in found)
    return box(as_many([f"### {t('tournaments_title')}", *listed], lambda n: t("and_more", n=n)))


def leave_view(tournament: Tournament, t: Text) -> ui.LayoutView:
    """The question before a player gives up a running tournament."""
    danger = discord.ButtonStyle.danger
    button = _button(tournament, TournamentAction.LEAVE_NOW, t("button_give_up"), danger)
    question = t("tournament_leave_sure", name=plain(tournament.name, 80))
    return box(lines(question), ui.ActionRow(button))


def cancel_view(tournament: Tournament, t: Text) -> ui.LayoutView:
    """The question before a tournament is cancelled."""
    danger = discord.ButtonStyle.danger
    button = _button(tournament, TournamentAction.CANCEL_NOW, t("button_cancel_now"), danger)
    question = t("tournament_cancel_sure", name=plain(tournament.name, 80))
    return box(lines(question), ui.ActionRow(button))


def remove_view(tournament: Tournament, t: Text) -> ui.LayoutView:
    """The menus of entrants that the organiser may remove."""
    labels = ((str(one.number), one.seat.name) for one in tournament.entrants if not one.is_out)
    menus = (
        ui.ActionRow(
            ui.Select[Any](
                # Two menus of a message may not have the same custom_id.
                custom_id=ENTRANTS(tournament.id, page),
                options=[*options],
                placeholder=t("tournament_choose_entrant"),
            )
        )
        for page, options in enumerate(chunks(options_of(labels, None), MOST_OPTIONS))
    )
    return box(lines(t("tournament_remove", name=plain(tournament.name, 80))), *menus)


def agents_view(tournament: Tournament, t: Text, offers: Sequence[tuple[str, str]]) -> ui.LayoutView:
    """The menu of agents that take part. offers: (level key, label); the last ones if there are too many."""
    taken = {entrant.seat.level for entrant in tournament.entrants if entrant.seat.level is not None}
    options = options_of(offers[-MOST_OPTIONS:], taken)
    select: ui.Select[Any] = ui.Select(
        custom_id=AGENTS(tournament.id),
        options=options,
        placeholder=t("tournament_choose_agents"),
        min_values=0,
        max_values=len(options),
    )
    question = t("tournament_add_agents", name=plain(tournament.name, 80))
    return box(lines(question), ui.ActionRow(select))


async def picture_of(tournament: Tournament, t: Text) -> discord.File | None:
    """The standings as a picture, drawn in a thread; None before the first round."""
    if not tournament.pairings:
        return None
    png = await asyncio.to_thread(draw_table, *table_of(tournament, t))
    return discord.File(io.BytesIO(png), "standings.png")


def _thread_line(tournament: Tournament, t: Text) -> Item:
    """A link to the thread with the rounds."""
    return lines(t("tournament_in_thread", place=f"<#{tournament.location.channel_id}>"))


def _round_title(tournament: Tournament, number: int, t: Text) -> str:
    return t("tournament_round", number=number, rounds=tournament.rounds)


def _sign_up(tournament: Tournament, t: Text) -> list[Item]:
    count = len(tournament.entrants)
    missing = MIN_ENTRANTS - count
    listed = t("tournament_count", n=count, most=tournament.most) if count else t("tournament_nobody")
    return [
        lines(
            *heading(tournament, t),
            t("tournament_closes", when=_countdown(tournament.closes_at)),
            *(f"-# {rule}" for rule in rules_of(tournament, t)),
        ),
        lines(
            listed,
            entrant_names(tournament) if count else None,
            t("tournament_least", n=missing) if 0 < missing < MIN_ENTRANTS else None,
        ),
        lines(f"-# {t('tournament_organiser', mention=f'<@{tournament.organiser_id}>')}"),
    ]


def _sign_up_buttons(tournament: Tournament, t: Text) -> ui.ActionRow[Any]:
    is_full = len(tournament.entrants) >= tournament.most
    success, secondary = discord.ButtonStyle.success, discord.ButtonStyle.secondary
    buttons = (
        (TournamentAction.JOIN, "button_join", success, is_full),
        (TournamentAction.LEAVE, "button_leave_tournament", secondary, False),
        (TournamentAction.AGENTS, "button_add_agents", secondary, False),
        (TournamentAction.START, "button_start", discord.ButtonStyle.primary, False),
    )
    return ui.ActionRow(
        *(
            ui.Button(
                label=t(key), style=style, disabled=is_disabled, custom_id=ACTION(tournament.id, action)
            )
            for action, key, style, is_disabled in buttons
        )
    )


def _progress(tournament: Tournament, t: Text) -> list[Item]:
    """A tournament among agents, shown without boards: a progress bar and the leaders."""
    matches = [pairing for pairing in tournament.pairings if pairing.match_id is not None]
    done = sum(pairing.is_settled for pairing in matches)
    whole = expected_matches(tournament, len(matches))
    filled = round(PROGRESS_BAR_LENGTH * done / max(1, whole))
    bar = "▰" * filled + "▱" * (PROGRESS_BAR_LENGTH - filled)
    round_title = _round_title(tournament, tournament.round, t)
    parts: list[Item] = [
        lines(*heading(tournament, t)),
        lines(f"**{round_title}**", t("tournament_progress", bar=bar, done=done, n=whole)),
        lines(*(_place_line(place, tournament, t) for place in standings(tournament)[:LEADERS])),
    ]
    if failed := forfeit_lines(tournament, t):
        parts.append(lines(*failed))
    if tournament.stage is Stage.OVER:
        parts.append(lines(t("tournament_over_line")))
    return parts


def _pairing_line(tournament: Tournament, pairing: Pairing, t: Text) -> str:
    line = f"{numbered(pairing.table)} {_pairing_text(tournament, pairing, t)}"
    if pairing.second is None or pairing.message_id is None:
        return line
    place = tournament.location
    address = link(place.guild_id, place.channel_id, pairing.message_id)
    return f"{line} {t('tournament_board', address=address)}"


def _pairing_text(tournament: Tournament, pairing: Pairing, t: Text) -> str:
    first = entrant_name(tournament, pairing.first)
    if pairing.second is None:
        key = "tournament_through" if tournament.system is System.KNOCKOUT else "tournament_bye"
        return t(key, name=first)
    words = {"first": first, "second": entrant_name(tournament, pairing.second)}
    if pairing.halves is None:
        return t("tournament_replay" if pairing.game > 1 else "tournament_playing", **words)
    words |= dict(zip(("points", "others"), (POINTS[halves] for halves in pairing.halves), strict=True))
    if pairing.given is not None:
        gone = pairing.second if pairing.halves[0] else pairing.first
        return t("tournament_gone", name=entrant_name(tournament, gone), **words)
    if pairing.absentee is not None:
        return t("tournament_absent", name=entrant_name(tournament, pairing.absentee), **words)
    return t("tournament_result", **words)


def _resting_lines(tournament: Tournament, number: int, t: Text) -> list[str]:
    """The entrants without a match in the current round of a round robin."""
    if tournament.system is not System.ROUND_ROBIN or number != tournament.round:
        return []
    busy = {entrant for pairing in tournament.of_round(number) for entrant in pairing.numbers}
    return [
        t("tournament_rest", name=entrant_name(tournament, entrant.number))
        for entrant in tournament.seeded
        if entrant.number not in busy and not entrant.is_out
    ]


def _place_line(place: Standing, tournament: Tournament, t: Text) -> str:
    mark = place_of(place.rank, place.rank if place.wins else None)
    name = entrant_name(tournament, place.entrant.number)
    if tournament.system is System.KNOCKOUT:
        return t("tournament_place_plain", place=mark, name=name)
    rules = zip(TIE_BREAKS[tournament.system], place.tie_breaks, strict=True)
    breaks = (f"{tie_break_label(rule, t)} {points_text(value)}" for rule, value in rules)
    figures = " · ".join((f"**{points_text(place.points)}**", *breaks))
    line = t("tournament_place", place=mark, name=name, points=figures)
    return t("tournament_left", line=line) if place.entrant.is_out else line


def _list_line(tournament: Tournament, t: Text, *, is_homeless: bool) -> str:
    line, place = summary_line(tournament, t, _countdown(tournament.closes_at)), tournament.location
    if place.message_id is None or is_homeless:
        return line
    return t("tournament_go", text=line, address=link(place.guild_id, place.channel_id, place.message_id))


def _countdown(instant: datetime) -> str:
    return f"<t:{int(instant.timestamp())}:R>"
