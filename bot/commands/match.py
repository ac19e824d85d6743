"""During a match: /move, and /match with the board, undo, draw, resignation and the list of matches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from types import MappingProxyType

from discord import app_commands

from bot.commands.match_options import MATCH, MOVE, asked_match, move_of, running_match, watched_match
from bot.commands.options import Command, Option, check_known, choices, command
from bot.domain.errors import Markup, MatchError
from bot.domain.match import Match, Web
from bot.presentation import status
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.command_queue import IN_PUBLIC
from bot.ui.context import check_channel, own_look, own_text, person_of
from bot.ui.layout import as_many, box, lines, linked
from bot.ui.match import handlers as actions
from bot.ui.match.mirror_handlers import show_again, show_also
from bot.ui.match.routes import Action
from bot.ui.shown import Shown
from bot.ui.translator import say
from engine.core import Player
from engine.games import game as game_of

Answers = Mapping[str, tuple[Action, str]]

DRAW_ANSWERS: Answers = MappingProxyType(
    {
        "offer": (Action.DRAW, "you_draw_offer"),
        "accept": (Action.DRAW_YES, "you_draw_accept"),
        "decline": (Action.DRAW_NO, "you_draw_decline"),
    }
)
UNDO_ANSWERS: Answers = MappingProxyType(
    {
        "ask": (Action.UNDO, "you_undo_ask"),
        "accept": (Action.UNDO_YES, "you_undo_accept"),
        "decline": (Action.UNDO_NO, "you_undo_decline"),
    }
)

NOTHING_ASKED = frozenset({"no_draw_offer", "no_undo_request"})
"""Refusals of an answer that say that there is nothing to answer."""

matches = app_commands.Group(name="match", description=say("command_match"))


@command("move", MOVE, MATCH)
async def move(interaction: Interaction, to: str, match: str | None = None) -> None:
    meant = await running_match(interaction, match, is_to_move=True)
    wanted = move_of(meant, interaction.user.id, to)
    played = await interaction.client.services.playing.play(
        meant.id, person_of(interaction), wanted, turn=meant.turn
    )
    name = game_of(meant.game).move_name(meant.state, wanted)
    await interaction.client.display.answer_privately(
        interaction, played, lambda _shown: own_text(interaction)("you_played", move=name)
    )


@command("board", MATCH, Option("watch", "option_watch"), group=matches, extras=IN_PUBLIC)
async def board(interaction: Interaction, match: str | None = None, watch: bool = False) -> None:
    if watch:
        await show_also(interaction, await watched_match(interaction, match), interaction.channel)
        return
    meant = await running_match(interaction, match)
    if isinstance(meant.location, Web):
        check_channel(interaction)
    elif meant.stands_since is not None:
        check_channel(interaction)
        if meant.location.guild_id != interaction.guild_id:
            raise MatchError("channel_gone")
    elif meant.location.channel_id != interaction.channel_id:
        await show_again(interaction, meant)
        return
    await interaction.client.display.post(interaction, meant)


@command("resign", MATCH, group=matches)
async def resign(interaction: Interaction, match: str | None = None) -> None:
    await interaction.client.display.ask_to_resign(interaction, await running_match(interaction, match))


@command("draw", Option("answer", "option_draw", choices("choice_draw", DRAW_ANSWERS)), MATCH, group=matches)
async def draw(interaction: Interaction, answer: str = "offer", match: str | None = None) -> None:
    await _answer(interaction, DRAW_ANSWERS, answer, match, attrgetter("draw_offer"))


@command("undo", Option("answer", "option_undo", choices("choice_undo", UNDO_ANSWERS)), MATCH, group=matches)
async def undo(interaction: Interaction, answer: str = "ask", match: str | None = None) -> None:
    await _answer(interaction, UNDO_ANSWERS, answer, match, attrgetter("undo_request"))


async def _answer(
    interaction: Interaction,
    answers: Answers,
    answer: str,
    match: str | None,
    asker_of: Callable[[Match], Player | None],
) -> None:
    check_known(answer, answers)
    t, (action, key) = own_text(interaction), answers[answer]
    if answer in ("offer", "ask"):
        meant = await running_match(interaction, match)
    else:
        meant = await asked_match(interaction, match, asker_of)
    try:
        changed = await actions.change(interaction, meant.id, action)
    except MatchError as refusal:
        # The person may have meant another match than the one that was looked at.
        if refusal.key not in NOTHING_ASKED:
            raise
        name = status.summary(t, meant, interaction.user.id)
        raise MatchError(f"{refusal.key}_of_match", match=Markup(name)) from None

    def line(shown: Shown) -> str:
        if changed.is_over:
            return status.result(t, changed, own_look(interaction))
        if changed.turn != meant.turn:
            return status.taken_back(t, meant, changed)
        return shown.line(t, key) if answer in ("offer", "ask") else t(key)

    await interaction.client.display.answer_privately(interaction, changed, line)


@command("list", group=matches)
async def list_all(interaction: Interaction) -> None:
    t = own_text(interaction)
    services = interaction.client.services
    found = await services.matches.called_in(
        interaction.guild_id, *await services.matches.running(interaction.user.id)
    )
    if not found:
        await respond(interaction, box(lines(t("games_none"))))
        return
    user_id = interaction.user.id

    def summary_of(match: Match) -> str:
        line = linked(t, status.summary(t, match, user_id), match.location)
        return line if match.stands_since is None else f"{line} · {t('games_channel_gone')}"

    # Matches that wait for the person come first: a message may have no room for all.
    waiting = [match for match in found if match.seat_to_move.user_id == user_id]
    others = [match for match in found if match.seat_to_move.user_id != user_id]
    entries = [
        *(t("games_your_turn", summary=summary_of(match)) for match in waiting),
        *(t("games_their_turn", summary=summary_of(match)) for match in others),
    ]
    title = t("games_title", n=len(found))
    await respond(interaction, box(as_many([title, *entries], lambda n: t("and_more", n=n))))


COMMANDS: tuple[Command, ...] = (move, matches)
