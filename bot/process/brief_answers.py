"""What Discord says back to a press that was answered: nothing, where nobody needs it.

discord.py asks for the message that became of every answer, and makes objects of all that is on it. Of one
that was edited or only acknowledged nothing is news, and a board is the largest message there is.
"""

from __future__ import annotations

from typing import Any

from discord.enums import InteractionResponseType
from discord.http import Route
from discord.webhook.async_ import AsyncWebhookAdapter, async_context

_WITHOUT_NEWS = tuple(
    kind.value
    for kind in (
        InteractionResponseType.deferred_channel_message,
        InteractionResponseType.deferred_message_update,
        InteractionResponseType.message_update,
    )
)


class BriefAnswers(AsyncWebhookAdapter):
    """Sends what discord.py sends through tokens, and asks for less in return."""

    async def create_interaction_response(self, interaction_id: int, token: str, **options: Any) -> Any:
        params = options["params"]
        if params.files or params.payload["type"] not in _WITHOUT_NEWS:
            return await super().create_interaction_response(interaction_id, token, **options)
        del options["params"]
        path = "/interactions/{webhook_id}/{webhook_token}/callback"
        route = Route("POST", path, webhook_id=interaction_id, webhook_token=token)
        await self.request(route, payload=params.payload, **options)
        return {"interaction": {"id": interaction_id}}


def ask_for_little() -> None:
    """From here on, for the task that calls this and all that it begins."""
    async_context.set(BriefAnswers())  # type: ignore[no-untyped-call]
