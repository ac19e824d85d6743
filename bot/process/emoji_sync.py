"""Uploads our own emoji to Discord, once and slowly, in the background.

The picture of an emoji cannot be changed, so a new drawing is a new emoji with a new name. None is deleted,
since earlier messages show the old ones. Names are words, which screen readers and phones read aloud. The
digest of each name's picture is stored, so that a name is never mistaken for another picture's.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
from collections.abc import Awaitable, Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import discord

from bot.domain.look import OwnEmoji
from bot.store.facts import FactStore
from bot.ui.discord_errors import DISCORD_ERRORS, is_transient

log = logging.getLogger(__name__)

MOST_EMOJI = 2000
"""Limit for one application (Discord, "Emoji Resource")."""

NAME_LENGTH = 32
"""Limit for the name of an emoji (Discord, "Emoji Resource"): 2 to 32 of `A-Za-z0-9_`. A name's characters
count for every emoji on a board, toward the message's limit of 4,000."""

_MOST_UNDERSCORES = 6

PACE_SECONDS = 1.0
"""Pause between uploads: Discord does not publish their limit."""

_FACT = "emoji_uploaded"
_TOO_MANY = 30008
"""Discord's code for an application without room for more emoji."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """One emoji. key: identifies it in the bot. word: its name, if free. draw: makes its PNG."""

    key: Hashable
    word: str
    digest: str
    draw: Callable[[], bytes]


class EmojiSync:
    """The emoji of one client's application.

    wanted: the most important first. uploads: whether this process uploads them; the others of the bot read
    which there are. pause: waits between uploads.
    """

    def __init__(
        self,
        client: discord.Client,
        facts: FactStore,
        wanted: Sequence[Drawing],
        *,
        uploads: Callable[[], bool] = lambda: True,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._facts = facts
        self._wanted = wanted
        self._uploads = uploads
        self._pause = pause
        self.known = OwnEmoji()
        """The uploaded ones, as they are written in a message."""

    async def run_once(self) -> int:
        """Upload the emoji that Discord lacks, also those deleted there; return how many.

        Errors are logged, and the next run tries again.
        """
        try:
            return await self._look()
        except DISCORD_ERRORS as error:
            said = " ".join(f"{type(error).__name__}: {error}".split())
            if isinstance(error, discord.HTTPException) and error.code == _TOO_MANY:
                log.warning("the application has no room for more emoji; boards are written without them")
            elif is_transient(error):
                log.info("emoji could not be uploaded yet: %s", said)
                return 0
            else:
                log.warning("Discord refused our emoji, so boards are written without them: %s", said)
            self.known.is_coming = False
        return 0

    async def _look(self) -> int:
        digests: dict[str, str] = json.loads(await self._facts.value(_FACT) or "{}")
        there = await self._there()
        names = names_for(self._wanted, digests)
        if not there.keys() >= set(names):
            # A name that is not recorded may be of the host's own picture.
            names = names_for(self._wanted, {**dict.fromkeys(there, ""), **digests})
        missing = [(one, name) for one, name in zip(self._wanted, names, strict=True) if name not in there]
        self.known.is_coming = bool(missing)
        self.known.change(
            {one.key: there[name] for one, name in zip(self._wanted, names, strict=True) if name in there}
        )
        if not self._uploads():
            return 0
        named = dict(zip(names, (one.digest for one in self._wanted), strict=True))
        if not named.items() <= digests.items():
            await self._facts.remember(_FACT, json.dumps(digests | named))
        room = MOST_EMOJI - len(there)
        if len(missing) > room:
            log.warning("the application has room for %d emoji more, and %d are missing", room, len(missing))
        for count, (one, name) in enumerate(missing[:room]):
            if count:
                await self._pause(PACE_SECONDS)
                if not self._uploads():
                    return count
            await self._upload(one, name)
        if missing[:room]:
            log.info("%d emoji were uploaded", len(missing[:room]))
        self.known.is_coming = False
        return len(missing[:room])

    async def _upload(self, one: Drawing, name: str) -> None:
        picture = await asyncio.to_thread(one.draw)
        try:
            made = await self._client.create_application_emoji(name=name, image=picture)
        except discord.HTTPException as error:
            if error.status != 400 or error.code == _TOO_MANY:
                raise
            # Another process of the same bot may have uploaded it first.
            there = await self._there()
            if name not in there:
                raise
            self.known.add(one.key, there[name])
        else:
            self.known.add(one.key, str(made))

    async def _there(self) -> dict[str, str]:
        """Return the uploaded emoji by name, as they are written in a message."""
        return {emoji.name: str(emoji) for emoji in await self._client.fetch_application_emojis()}


def names_for(wanted: Sequence[Drawing], digests: Mapping[str, str]) -> list[str]:
    """Return a name for each, always the same. digests: of the pictures of names in use.

    Equal words get underscores, which are not read aloud, and then numbers.
    """
    given = dict(digests)
    found = []
    for one in wanted:
        name = next(name for name in _candidates(one.word) if given.get(name, one.digest) == one.digest)
        given[name] = one.digest
        found.append(name)
    return found


def _candidates(word: str) -> Iterator[str]:
    yield from (word + "_" * count for count in range(_MOST_UNDERSCORES + 1))
    yield from (f"{word}_{number}" for number in itertools.count(2))
