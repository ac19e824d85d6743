"""“Play from here”: a casual match against an agent from a position of a finished one."""

from __future__ import annotations

import re
from typing import Any, Self

from discord import ui

from bot.domain.challenge import First
from bot.domain.errors import MatchError
from bot.domain.match import Match
from bot.i18n import Text
from bot.services.validation import open_levels, usual_level
from bot.ui.client import AnyInteraction, Interaction
from bot.ui.context import check_channel, check_sees, location_of, person_of
from bot.ui.errors import guarded
from bot.ui.ids import MATCH, PREFIX
from bot.ui.match import handlers as actions
from engine.agents.levels import Level
from engine.analysis.valuer import states_of
from engine.core import State
from engine.games import game as game_of
from engine.games.notation import format_moves


class PlayFromButton(ui.DynamicItem[ui.Button[Any]], template=rf"{PREFIX}:f:{MATCH}:(?P<ply>[0-9]{{1,4}})"):
    """Starts the new match after so many moves of the old one."""

    def __init__(self, match_id: int, ply: int, *, label: str = "·", disabled: bool = False) -> None:
        custom_id = f"{PREFIX}:f:{match_id}:{ply}"
        super().__init__(ui.Button(label=label, emoji="♟️", disabled=disabled, custom_id=custom_id))
        self.match_id, self.ply = match_id, ply

    @classmethod
    async def from_custom_id(cls, _press: AnyInteraction, _item: ui.Item[Any], match: re.Match[str]) -> Self:
        return cls(int(match["match"]), int(match["ply"]))

    async def callback(self, interaction: AnyInteraction) -> None:
        await guarded(interaction, self._press, self.match_id)

    async def _press(self, interaction: Interaction) -> None:
        await play_from(interaction, await interaction.client.service.match(self.match_id), self.ply)


def button_from(t: Text, match: Match, ply: int, state: State) -> PlayFromButton:
    """The button below a match that is shown in that state, after so many moves."""
    is_end = not state.legal_moves()
    return PlayFromButton(match.id, ply, label=t("button_play_from"), disabled=is_end)


async def play_from(interaction: Interaction, old: Match, ply: int) -> None:
    """Answers with the board of the new match; raises Refusal.

    Who played the old match keeps their side; anybody else makes the next move.
    """
    check_sees(interaction, old)
    check_channel(interaction)
    if not old.is_over:
        raise MatchError("not_over")
    rules = game_of(old.game)
    moves = old.moves[:ply]
    state = states_of(rules.start(old.board), moves)[-1]
    sides = old.players_of(interaction.user.id)
    is_mine = not sides or state.to_move in sides
    match = await interaction.client.service.start(
        person_of(interaction),
        old.game,
        _level(interaction, old).key,
        First.ME if is_mine else First.OPPONENT,
        location_of(interaction),
        board=old.board,
        rated=False,
        position=format_moves(rules, old.board, moves),
    )
    await actions.post(interaction, match)


def _level(interaction: Interaction, old: Match) -> Level:
    """The agent of the old match where it may still be played, else the usual one."""
    highest = interaction.client.settings_cache.server(interaction.guild_id).highest_level
    allowed = open_levels(interaction.client.roster, old.game, old.board, highest)
    keys = {seat.level for seat in old.seats}
    return next((level for level in allowed if level.key in keys), usual_level(old.game, allowed))
