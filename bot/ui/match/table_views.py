"""Open tables as messages: in the lobbies of other servers, and privately for the challenger."""

from __future__ import annotations

from dataclasses import replace

import discord
from discord import ui

from bot.domain.challenge import Challenge
from bot.i18n import Text, plain
from bot.presentation.names import game_title
from bot.services.lobby import Host
from bot.ui.layout import box, lines
from bot.ui.match.invitation_views import closing_line, terms_line
from bot.ui.match.routes import CHALLENGE, TABLE
from bot.ui.play_here import OPEN


def table_view(table: Challenge, host: Host, t: Text) -> ui.LayoutView:
    """Return the table as other servers see it, without its challenger's name unless they agreed."""
    table = replace(table, challenger=replace(table.challenger, name=host.alias))
    server = plain(host.server)
    who = (
        t("table_of", server=server)
        if host.name is None
        else t("table_by", name=plain(host.name), server=server)
    )
    points = None if host.points is None else t("rating_about", points=host.points)
    return box(
        lines(
            f"### 🎲 {t('table_title', game=game_title(t, table.terms.game))}",
            " · ".join(filter(None, (who, points))),
            f"-# {terms_line(table, t)}",
            f"-# {t('table_names')}",
        ),
        lines(closing_line(table, t)),
        ui.ActionRow(
            ui.Button[ui.LayoutView](
                label=t("button_sit_down"),
                style=discord.ButtonStyle.success,
                custom_id=TABLE(table.id, True),
            ),
            ui.Button[ui.LayoutView](label=t("button_not_here"), custom_id=TABLE(table.id, False)),
        ),
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
