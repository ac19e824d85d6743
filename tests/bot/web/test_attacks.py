"""Attacks on the pages: each is one that worked, or one whose failure matters most."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import make_mocked_request
from yarl import URL

from bot.domain.preferences import ServerSettings
from bot.web.door import SPARE_CONNECTIONS, Door
from bot.web.live import MAX_OF_ADDRESS
from bot.web.security import address_of
from tests.bot.sittings import ADA, HERE
from tests.bot.web.test_server import pair, wait_for
from tests.bot.web.visitors import WebSite, web_site


async def shared(site: WebSite) -> str:
    """The key of a page that Ada shares."""
    match = await pair(site)
    return (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key


async def test_sockets_that_say_nothing_count_for_their_address(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        key = await shared(site)
        silent = [await browser.connect() for _ in range(MAX_OF_ADDRESS)]
        with pytest.raises(aiohttp.WSServerHandshakeError, match="429"):
            await browser.connect()
        await silent.pop().close()
        await wait_for(lambda: site.server.live.sockets < MAX_OF_ADDRESS)
        page = await browser.watch(key)
        assert (await page.match())["match"] == key
        for ws in silent:
            await ws.close()
        await page.ws.close()
        await wait_for(lambda: site.server.live.sockets == 0)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("2001:db8::1", "2001:db8::ffff:2", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("192.0.2.1", "192.0.2.2", False),
        ("x" * 9000, "y" * 9000, True),
    ],
)
def test_a_network_of_ipv6_counts_as_one_address_and_rubbish_as_none(
    one: str, other: str, is_same: bool
) -> None:
    found = [
        address_of(make_mocked_request("GET", "/", headers={"X-Forwarded-For": said}))
        for said in (one, other)
    ]
    assert (found[0] == found[1]) == is_same
    assert all(len(address) < 50 for address in found)


async def test_no_address_and_no_key_makes_the_server_fail(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    paths = (
        "/m/%00", "/m/%ff", "/m/%ED%A0%80", "/m/' OR 1=1 --", f"/m/{'x' * 5000}", "/m/../../etc/passwd",
        "/api/matches/%00/replay", "/boards/chess/8x8.0.json", "/boards/%00/%00.json",
        "/boards/othello/.json",
        "/static/..%2f..%2fserver.py", "/static/%2e%2e/server.py", "/static/page.html", "/static//etc/passwd",
        "/play/%00", "/%00",
    )  # fmt: skip
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        for path in paths:
            async with browser.http.get(URL(site.url + path, encoded=" " not in path)) as answer:
                assert answer.status in (400, 404), path
                assert "root:" not in await answer.text()
        for key in ("\0", "\ud800", "x" * 1000, "' OR 1=1 --"):
            ws = await browser.connect()
            await ws.send_str(json.dumps({"type": "watch", "match": key}))
            reason = "web_bad_message" if key == "\ud800" else "page_gone"
            assert (await ws.receive_json())["reason"] == reason
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


async def test_a_message_in_endless_pieces_closes_the_socket(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        page = await browser.watch(await shared(site))
        await page.match()
        transport = page.ws.get_extra_info("socket") and page.ws._writer.transport
        piece = bytes((0x80 | 126,)) + (1024).to_bytes(2, "big") + bytes(4) + b"x" * 1024
        for number in range(1000):
            transport.write(bytes((0x01 if number == 0 else 0x00,)) + piece)
        await wait_for(lambda: site.server.live.sockets == 0)


async def test_pages_close_when_their_server_stops_sharing(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        page = await browser.watch(await shared(site))
        await page.match()
        assert HERE.guild_id is not None
        await site.process.services.settings.save(HERE.guild_id, ServerSettings(is_sharing=False))
        await site.server.live.run_once()
        while (message := await page.ws.receive()).type is aiohttp.WSMsgType.TEXT:
            pass
        assert message.data == 1008


async def test_strangers_who_may_not_read_a_match_leave_nothing_in_memory(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        _, key = await site.begin()
        page = await browser.watch(key)
        assert (await page.next("bye"))["reason"] == "page_gone"
        assert not site.server.live._watched


async def test_the_log_has_no_keys(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        key = await shared(site)
        page = await browser.watch(key)
        await page.match()
        await page.send(type="play", id=1, turn=0, move=3)
        await page.next("refused")
        for path in ("m/{}", "api/matches/{}", "api/matches/{}/replay", "m/{}/picture.png"):
            async with browser.http.get(f"{site.url}/{path.format(key)}"):
                pass
        await page.ws.send_str("rubbish")
        await page.next("bye")
    # `served` turns the access log off; the driver's debugging has every value.
    others = ("asyncio", "aiosqlite", "aiohttp.access")
    said = [record.getMessage() for record in caplog.records if not record.name.startswith(others)]
    assert not [line for line in said if key in line]


@pytest.mark.parametrize("said", [b"", b"GET /play HTTP/1.1\r\nHost: "])
async def test_a_connection_without_a_whole_request_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    monkeypatch.setattr("bot.web.server.SILENCE_SECONDS", 0.2)
    async with web_site(tmp_path / "discade.db", is_local=False) as site:
        reader, writer = await asyncio.open_connection(*site.url.removeprefix("http://").split(":"))
        writer.write(said)
        async with asyncio.timeout(30):
            assert await reader.read() == b""
        writer.close()


async def test_a_full_server_refuses_pages_in_words_and_takes_them_again(tmp_path: Path) -> None:
    async with (
        web_site(tmp_path / "discade.db", is_local=False, door=Door(5)) as site,
        site.browser() as browser,
    ):
        key = await shared(site)
        opened = [await browser.watch(key) for _ in range(4)]
        with pytest.raises(aiohttp.WSServerHandshakeError, match="503"):
            await browser.connect()
        host = site.url.removeprefix("http://").split(":")
        silent = [await asyncio.open_connection(*host) for _ in range(2)]
        async with site.browser() as other:
            status, _, text = await other.get(f"/m/{key}", **{"Accept-Language": "de"})
        assert (status, "zu viele Seiten" in text) == (503, True)
        for _, writer in silent:
            writer.close()
        await opened[0].ws.close()
        await wait_for(lambda: not site.server.door.is_full)
        assert (await browser.get(f"/m/{key}"))[0] == 200


async def test_connections_beyond_the_spare_ones_are_closed_unread(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False, door=Door(1)) as site:
        host = site.url.removeprefix("http://").split(":")
        opened = [await asyncio.open_connection(*host) for _ in range(1 + SPARE_CONNECTIONS + 1)]
        async with asyncio.timeout(30):
            with contextlib.suppress(ConnectionResetError):
                assert await opened[-1][0].read() == b""
        for _, writer in opened:
            writer.close()
