"""Predictions: the message below a board with which people guess the end, and their presses."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any

import discord
from discord import ui

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.outgoing import Outgoing, Wanted, place_of
from bot.domain.prediction import CLOSING_TURN, HEAD_START, Foresight, Pick, is_for_fun
from bot.i18n import Text, Texts, plain, shortened
from bot.presentation import status
from bot.services.outgoing import MessageKind
from bot.services.ports import Delivered
from bot.services.predictions import GuessedMatch, Predictions
from bot.ui.answers import respond
from bot.ui.client import Interaction
from bot.ui.context import own_text, person_of
from bot.ui.layout import Item, box, custom_ids, lines
from bot.ui.match.routes import PREDICT
from bot.ui.messages import Content
from engine.core import Player

log = logging.getLogger(__name__)

REFRESHED_AFTER = timedelta(seconds=3)
"""The least time between two edits for the count of guesses: a crowd may press."""

MOST_OF_LABEL = 60
"""Of a name on a button, beside its chance: Discord's limit for both is 80."""


class PredictionMessages(MessageKind):
    """One message for each match that is guessed; it stays once it says how many were right."""

    name = "prediction"
    idle_seconds = 3.0
    is_standing = True
    gives_up_at = (Delivered.CHANNEL_REFUSED, Delivered.GONE)

    def __init__(self, predictions: Predictions, texts: Texts, *, clock: Callable[[], datetime]) -> None:
        self._predictions = predictions
        self._texts = texts
        self._clock = clock
        self._shown: dict[int, tuple[str, datetime]] = {}

    async def wanted(self, notes: Collection[Outgoing]) -> list[Wanted]:
        guessed = await self._predictions.look(is_needed=bool(notes))
        matches = {one.match.id for one in guessed}
        self._shown = {key: shown for key, shown in self._shown.items() if key in matches}
        return [
            Wanted(one.match.id, 0, place_of(one.match.location), self._shows(one), item=one)
            for one in guessed
            if isinstance(one.match.location, Channel)
        ]

    def _shows(self, guessed: GuessedMatch) -> str:
        """Return the message in short; a new count of guesses alone waits for REFRESHED_AFTER."""
        stage, last = _stage(guessed), self._shown.get(guessed.match.id)
        if last is not None and last[0].endswith(stage) and self._clock() < last[1] + REFRESHED_AFTER:
            return last[0]
        return f"{guessed.guesses} {stage}"

    async def draw(self, wanted: Wanted) -> Content:
        return Content(prediction_view(self._texts.of(wanted.place.locale), wanted.item))

    def recognises(self, wanted: Wanted, message: discord.Message) -> bool:
        return PREDICT(wanted.subject, Pick.FIRST) in custom_ids(message)

    async def done(self, wanted: Wanted) -> bool:
        self._shown[wanted.subject] = wanted.shows, self._clock()
        if wanted.item.foresight is None:
            return False
        await self._predictions.close(wanted.subject)
        return True

    async def give_up(self, wanted: Wanted, *, was_shown: bool) -> bool:
        log.info("match %d is guessed no more (%s)", wanted.subject, was_shown)
        await self._predictions.drop(wanted.subject)
        return True


def _stage(guessed: GuessedMatch) -> str:
    """Return the state of the guesses; a change of it means an edit, as one of their count does."""
    if guessed.foresight is not None:
        return "over"
    if guessed.match.turn >= CLOSING_TURN:
        return "closed"
    return "open" if guessed.match.turn else "waits"


def prediction_view(t: Text, guessed: GuessedMatch) -> ui.LayoutView:
    """Return the question with a button for each end, later the odds, and at last the outcome."""
    match, stage = guessed.match, _stage(guessed)
    if guessed.foresight is not None:
        return box(lines(*_outcome(t, guessed, guessed.foresight)))
    title, count = f"**{t('predict_title')}**", t("predict_guessed", n=guessed.guesses)
    if stage == "closed":
        odds = " · ".join(_label(t, match, pick, guessed.odds.of(pick)) for pick in _offered(guessed))
        return box(lines(f"{title} {count}", f"-# {odds}"))
    parts: list[Item] = [lines(f"{title} {t('predict_closes', turn=CLOSING_TURN)} {count}")]
    if stage == "waits" and match.is_watched:
        begins_at = int((match.created_at + HEAD_START).timestamp())
        parts.append(lines(f"-# {t('predict_begins', when=f'<t:{begins_at}:R>')}"))
    buttons = [
        ui.Button[Any](label=_label(t, match, pick, guessed.odds.of(pick)), custom_id=PREDICT(match.id, pick))
        for pick in _offered(guessed)
    ]
    return box(*parts, ui.ActionRow(*buttons))


def _offered(guessed: GuessedMatch) -> list[Pick]:
    return [pick for pick in (Pick.FIRST, Pick.DRAW, Pick.SECOND) if guessed.odds.of(pick)]


def _label(t: Text, match: Match, pick: Pick, chance: int) -> str:
    """Return the end and its chance; buttons show names as they are."""
    name = t("predict_draw") if pick is Pick.DRAW else shortened(str(match.seats[pick].name), MOST_OF_LABEL)
    return f"{name} · {t.percent(chance / 100)}"


def _outcome(t: Text, guessed: GuessedMatch, foresight: Foresight) -> list[str]:
    """Return how many have seen the end coming, and the first of them."""
    came = foresight.came
    if came is None or not foresight.guesses:
        # The guesses of a match without a result are deleted by now; the count is of before.
        return [t("predict_void" if came is None and guessed.guesses else "predict_none")]
    told = [t("predict_outcome", n=foresight.right, guesses=foresight.guesses)]
    if foresight.name is not None:
        values = {"name": plain(foresight.name), "turn": foresight.turn + 1}
        chance = t.percent(guessed.odds.of(came) / 100)
        told.append(t("predict_best", chance=chance, end=_end(t, guessed.match, came), **values))
    return told


def _end(t: Text, match: Match, pick: Pick) -> str:
    return t("predict_draw") if pick is Pick.DRAW else status.name_of(match, Player(pick))


async def guess(interaction: Interaction, match_id: int, pick: Pick) -> None:
    """Store the guess of the person that presses, and say it privately; raises Refusal."""
    t = own_text(interaction)
    match, chance = await interaction.client.services.predictions.guess(
        match_id, person_of(interaction), pick, interaction.guild_id
    )
    values = {"end": _end(t, match, pick), "chance": t.percent(chance / 100)}
    said = t("predict_said", turn=CLOSING_TURN, **values)
    told = f"-# {t('predict_for_fun')}" if is_for_fun(match, interaction.user.id) else None
    await respond(interaction, box(lines(said, told)))
