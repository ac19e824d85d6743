"""The line in place of a damaged match's board, which tells its players."""

from __future__ import annotations

import logging

from bot.domain.boards import DamagedMatch
from bot.domain.outgoing import Place
from bot.i18n import Texts
from bot.services.ports import Delivered, NotDelivered
from bot.ui.layout import box, lines
from bot.ui.messages import Content, Messages

log = logging.getLogger(__name__)


async def tell_players(messages: Messages, texts: Texts, match: DamagedMatch) -> Delivered:
    """Edit the match's message; errors of Discord are logged and returned."""
    text = texts.of(match.locale)("match_damaged", number=match.match_id)
    try:
        await messages.edit(Place(match.channel_id), match.message_id, Content(box(lines(text))))
    except NotDelivered as refusal:
        log.info("match %d: its players could not be told that it is damaged: %s", match.match_id, refusal)
        return refusal.outcome
    return Delivered.DELIVERED
