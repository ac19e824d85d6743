"""Uploading our own emoji: each once, slowly, and never the end of anything when Discord refuses."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from hashlib import sha256

import discord
import pytest

from bot.app import Discade, drawings
from bot.config import Settings
from bot.process import emoji_sync
from bot.process.emoji_sync import NAME_LENGTH, PACE_SECONDS, Drawing, EmojiSync, names_for
from bot.store.stores import Stores
from tests.discord_server import FakeDiscord

POST = ("POST", "/applications/*/emojis")
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
async def client(far_discord: FakeDiscord) -> AsyncIterator[discord.Client]:
    async with discord.Client(intents=discord.Intents.none()) as made:
        await made.login(far_discord.token)
        yield made


def drawn(*words: str, version: int = 1) -> list[Drawing]:
    """As many drawings; those of another version look otherwise."""
    digests = [sha256(f"{version} {word}".encode()).hexdigest() for word in words]
    return [Drawing(word, word, digest, lambda: PNG) for word, digest in zip(words, digests, strict=True)]


def written(far: FakeDiscord, name: str) -> str:
    """That emoji of the application's as it is written in a message."""
    (number,) = (one["id"] for one in far.world.emoji.values() if one["name"] == name)
    return f"<:{name}:{number}>"


class Paused(list[float]):
    """Record the requested pauses without waiting."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def sync_of(
    client: discord.Client, stores: Stores, wanted: list[Drawing], paused: Paused | None = None
) -> EmojiSync:
    return EmojiSync(client, stores.facts, wanted, pause=Paused() if paused is None else paused)


async def test_missing_emoji_are_uploaded_once_and_slowly(
    client: discord.Client, stores: Stores, far_discord: FakeDiscord
) -> None:
    paused, wanted = Paused(), drawn("red", "yel", "off")
    sync = sync_of(client, stores, wanted, paused)
    assert not sync.known
    assert await sync.run_once() == 3
    assert paused == [PACE_SECONDS] * 2
    assert set(sync.known) == {"red", "yel", "off"}
    assert sync.known["red"] == written(far_discord, names_for(wanted, {})[0])
    assert await sync.run_once() == 0
    again = sync_of(client, stores, wanted)
    assert await again.run_once() == 0
    assert dict(again.known) == dict(sync.known)
    assert len(far_discord.recorder.asked(*POST)) == 3


async def test_an_emoji_deleted_by_hand_is_uploaded_again(
    client: discord.Client, stores: Stores, far_discord: FakeDiscord
) -> None:
    sync = sync_of(client, stores, drawn("red", "yel"))
    await sync.run_once()
    gone = far_discord.world.emoji.pop(min(far_discord.world.emoji))
    far_discord.world.add_emoji("mine")
    assert await sync.run_once() == 1
    assert gone["name"] in {one["name"] for one in far_discord.world.emoji.values()}
    assert set(sync.known) == {"red", "yel"}


async def test_a_new_drawing_is_a_new_emoji_and_the_old_one_stays_for_old_messages(
    client: discord.Client, stores: Stores, far_discord: FakeDiscord
) -> None:
    await sync_of(client, stores, drawn("red")).run_once()
    new = sync_of(client, stores, drawn("red", version=2))
    assert await new.run_once() == 1
    first, second = (one["name"] for one in far_discord.world.emoji.values())
    assert first != second
    assert new.known["red"] == written(far_discord, second)
    assert not far_discord.recorder.asked("DELETE", "*")


def test_a_name_is_never_taken_for_another_picture_s() -> None:
    wanted = drawn("red")
    assert names_for(wanted, {"red": wanted[0].digest}) == ["red"]
    assert names_for(wanted, {"red": "another picture's"}) == ["red_"]


async def test_a_host_s_own_emoji_are_not_taken_for_ours(
    client: discord.Client, stores: Stores, far_discord: FakeDiscord
) -> None:
    far_discord.world.add_emoji("red")
    sync = sync_of(client, stores, drawn("red", "yel"))
    assert await sync.run_once() == 2
    assert dict(sync.known) == {"red": written(far_discord, "red_"), "yel": written(far_discord, "yel")}


async def test_more_are_coming_until_all_are_uploaded_or_refused(
    client: discord.Client, stores: Stores, far_discord: FakeDiscord
) -> None:
    seen = []

    class Watching(Paused):
        async def __call__(self, seconds: float) -> None:
            seen.append(sync.known.is_coming)

    sync = sync_of(client, stores, drawn("red", "yel"), Watching())
    await sync.run_once()
    assert (seen, sync.known.is_coming) == ([True], False)
    far_discord.faults.status(*POST, 403)
    refused = sync_of(client, stores, drawn("red", "off"))
    await refused.run_once()
    assert not refused.known.is_coming


async def test_a_process_without_the_lease_uploads_none_and_reads_which_there_are(
    client: discord.Client, stores: Stores, far_discord: FakeDiscord
) -> None:
    wanted = drawn("red", "yel")
    reader = EmojiSync(client, stores.facts, wanted, uploads=lambda: False)
    assert await reader.run_once() == 0
    assert not far_discord.recorder.asked(*POST)
    await sync_of(client, stores, wanted).run_once()
    assert await reader.run_once() == 0
    assert set(reader.known) == {"red", "yel"}


async def test_a_process_that_loses_the_lease_stops_uploading(
    client: discord.Client, stores: Stores, far_discord: FakeDiscord
) -> None:
    paused = Paused()
    wanted = drawn("red", "yel", "off")
    sync = EmojiSync(client, stores.facts, wanted, uploads=lambda: len(paused) < 2, pause=paused)
    assert await sync.run_once() == 2
    assert len(far_discord.recorder.asked(*POST)) == 2


async def test_another_process_may_upload_the_same_at_the_same_time(
    client: discord.Client, stores: Stores, far_discord: FakeDiscord
) -> None:
    wanted = drawn("red", "yel")
    names = names_for(wanted, {})

    class Meanwhile(Paused):
        async def __call__(self, seconds: float) -> None:
            far_discord.world.add_emoji(names[1])

    sync = sync_of(client, stores, wanted, Meanwhile())
    await sync.run_once()
    assert sync.known["yel"] == written(far_discord, names[1])
    assert len(far_discord.world.emoji) == 2


async def test_an_unrecorded_emoji_at_discord_is_not_uploaded_again(
    client: discord.Client, stores: Stores, far_discord: FakeDiscord
) -> None:
    """The host has lost the database, or two hosts share an application."""
    wanted = drawn("red")
    far_discord.world.add_emoji(name := names_for(wanted, {})[0])
    sync = sync_of(client, stores, wanted)
    assert await sync.run_once() == 0
    assert sync.known["red"] == written(far_discord, name)
    assert not far_discord.recorder.asked(*POST)


@pytest.mark.parametrize("status", [403, 429])
async def test_a_refusal_is_logged_and_the_next_run_continues_there(
    client: discord.Client,
    stores: Stores,
    far_discord: FakeDiscord,
    caplog: pytest.LogCaptureFixture,
    status: int,
) -> None:
    class RefusedSecond(Paused):
        async def __call__(self, seconds: float) -> None:
            far_discord.faults.status(*POST, status)

    wanted = drawn("red", "yel", "off")
    with caplog.at_level(logging.INFO, "bot.process.emoji_sync"):
        first = sync_of(client, stores, wanted, RefusedSecond())
        assert await first.run_once() == 0
    assert len(caplog.records) == 1
    assert set(first.known) == {"red"}
    assert await sync_of(client, stores, wanted).run_once() == 2
    assert len(far_discord.recorder.asked(*POST)) == 4


async def test_emoji_are_uploaded_while_a_window_of_an_hour_has_requests_left(
    stores: Stores, far_discord: FakeDiscord
) -> None:
    bot = Discade(Settings())
    await bot.http.static_login(far_discord.token)
    bot._connection.application_id = far_discord.world.bot.id
    try:
        assert await sync_of(bot, stores, drawn("red", "yel", "off")).run_once() == 3
    finally:
        await bot.http.close()


async def test_an_application_without_free_slots_is_left_unchanged(
    client: discord.Client,
    stores: Stores,
    far_discord: FakeDiscord,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(emoji_sync, "MOST_EMOJI", 3)
    for name in ("mine", "yours"):
        far_discord.world.add_emoji(name)
    sync = sync_of(client, stores, drawn("red", "yel"))
    assert await sync.run_once() == 1
    assert set(sync.known) == {"red"}
    assert "room for 1 emoji more" in caplog.text


def test_all_our_emoji_have_spoken_names_that_differ_and_are_the_same_every_time() -> None:
    wanted = drawings()
    names = names_for(wanted, {})
    assert names == names_for(drawings(), {})
    assert len({name.lower() for name in names}) == len(names)
    assert all(re.fullmatch(r"[a-z0-9_]{2,32}", name) for name in names)
    assert {"empty", "red", "red_last", "red_win", "yellow", "black", "black_turned", "free"} <= set(names)
    assert max(map(len, names)) <= NAME_LENGTH
    # Later generations keep clear of the names of this one.
    later = [Drawing(one.key, one.word, f"2{one.digest}", one.draw) for one in wanted]
    digests = {name: one.digest for name, one in zip(names, wanted, strict=True)}
    assert not set(names) & set(names_for(later, digests))
