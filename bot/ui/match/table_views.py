"""Open tables as messages: in the lobbies of other servers, and privately for the challenger."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import discord
from discord import ui

from bot.domain.challenge import Challenge
from bot.i18n import Text, plain
from bot.presentation.names import game_title
from bot.services.lobby import Host
from bot.ui.layout import box, lines
from bot.ui.match.invitation_views import closing_line, terms_line
from bot.ui.match.routes import CHALLENGE, TABLE, TablePress
from bot.ui.play_here import OPEN


def table_view(table: Challenge, host: Host, t: Text) -> ui.LayoutView:
    """Return the table as other servers see it, without its challenger's name unless they agreed.

    A rematch names the one person whom it invites.
    """
    table = replace(table, challenger=replace(table.challenger, name=host.alias))
    server, game = plain(host.server), game_title(t, table.terms.game)
    if table.opponent is None:
        title = t("table_title", game=game)
        who = (
            t("table_of", server=server)
            if host.name is None
            else t("table_by", name=plain(host.name), server=server)
        )
    else:
        mention, title = f"<@{table.opponent.user_id}>", game
        who = t("invitation_rematch", mention=mention, name=plain(host.name or host.alias))
    points = None if host.points is None else t("rating_about", points=host.points)
    labels = {
        TablePress.SIT: "button_sit_down" if table.opponent is None else "button_accept",
        TablePress.NOT_HERE: "button_not_here" if table.opponent is None else "button_decline",
        TablePress.REPORT: "button_report_name",
    }
    buttons = [
        ui.Button[Any](label=t(label), custom_id=TABLE(table.id, press)) for press, label in labels.items()
    ]
    buttons[0].style = discord.ButtonStyle.success
    return box(
        lines(
            f"### 🎲 {title}",
            " · ".join(filter(None, (who, points))),
            f"-# {terms_line(table, t)}",
            f"-# {t('table_names')}",
        ),
        lines(closing_line(table, t)),
        ui.ActionRow(*buttons),
    )


def open_table_view(table: Challenge, servers: int, t: Text) -> ui.LayoutView:
    """Return the challenger's private message. servers: the number of others that show the table."""
    game = game_title(t, table.terms.game)
    return box(
        lines(
            f"### {t('table_open_title')}",
            t("table_open", game=game, n=servers) if servers else t("table_open_nowhere", game=game),
            f"-# {terms_line(table, t)}",
            closing_line(table, t),
        ),
        ui.ActionRow(
            ui.Button[ui.LayoutView](
                label=t("button_meanwhile"), style=discord.ButtonStyle.primary, custom_id=OPEN()
            ),
            ui.Button[ui.LayoutView](label=t("button_close_table"), custom_id=CHALLENGE(table.id, False)),
        ),
    )
