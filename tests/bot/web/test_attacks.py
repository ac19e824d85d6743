"""Attacks on the pages: each is one that worked, or one whose failure matters most."""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import re
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest
from aiohttp.test_utils import make_mocked_request
from yarl import URL

from bot.domain.preferences import ServerSettings
from bot.web.activity import Application
from bot.web.door import SPARE_CONNECTIONS, Door
from bot.web.live import MAX_OF_ADDRESS
from bot.web.security import WORK_MOST, address_of
from tests.bot.sittings import ADA, HERE
from tests.bot.web.test_server import pair, wait_for
from tests.bot.web.visitors import ANSWER_SECONDS, LivePage, WebSite, session_of_ada, web_site
from tests.discord_server import FakeDiscord
from tests.discord_server.activity import SECRET

log = logging.getLogger(__name__)

REQUESTS = 5000


@asynccontextmanager
async def every_page(file: Path) -> AsyncIterator[WebSite]:
    """A public server with all that a host can switch on."""
    async with FakeDiscord() as discord:
        application = Application(discord.world.bot.id, SECRET, discord.token, f"{discord.url}/1/api/v10")
        options: dict[str, Any] = {"has_guests": True, "contact": "host@example.org"}
        async with web_site(file, is_local=False, application=application, **options) as site:
            yield site


async def shared(site: WebSite) -> str:
    """The key of a page that Ada shares."""
    match = await pair(site)
    return (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key


async def test_sockets_that_say_nothing_count_for_their_address(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        key = await shared(site)
        silent = [await browser.connect() for _ in range(MAX_OF_ADDRESS)]
        refused = LivePage(await browser.connect())
        assert (await refused.next("bye"))["reason"] == "web_too_many_pages"
        assert await refused.close_code() == 1008
        assert site.server.live.sockets == MAX_OF_ADDRESS
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
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
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


MASKED_EMPTY = bytes((0x80, 0, 0, 0, 0))


@pytest.mark.parametrize("frames", [(0x89,) * 50_000, (0x01, *(0x00,) * 20_000), (0x8A,) * 20_000])
async def test_a_socket_that_sends_frames_without_end_is_closed_with_a_word(
    tmp_path: Path, frames: tuple[int, ...]
) -> None:
    """Pings, empty pieces of one message, and pongs that nobody asked for."""
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        key = await shared(site)
        other, page = await browser.watch(key), await browser.watch(key)
        await page.match()
        transport = page.ws.get_extra_info("socket") and page.ws._writer.transport
        for begin in range(0, len(frames), 1000):
            transport.write(b"".join(bytes((one,)) + MASKED_EMPTY for one in frames[begin : begin + 1000]))
        assert (await page.next("bye"))["reason"] == "web_slow_down"
        assert await page.close_code() == 1008
        await wait_for(lambda: site.server.live.sockets == 1)
        assert (await other.match())["match"] == key
        await other.ws.close()


async def test_pings_that_come_with_the_request_for_a_socket_are_counted(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site:
        key = b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
        request = raw(site, b"GET /live HTTP/1.1", *HANDSHAKE, key).replace(b"Connection: close\r\n", b"")
        reader, writer = await asyncio.open_connection(*site.url.removeprefix("http://").split(":"))
        writer.write(request + (b"\x89" + MASKED_EMPTY) * 10_000)
        async with asyncio.timeout(ANSWER_SECONDS):
            answer = await reader.read()
        assert b"web_slow_down" in answer
        assert answer.count(b"\x8a\x00") < 2000
        writer.close()


async def test_a_socket_that_pings_as_libraries_do_stays_open(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        page = await browser.watch(await shared(site))
        for _ in range(100):
            await page.ws.ping()
        await page.send(type="resign", id=1)
        assert (await page.next("refused"))["reason"] == "web_only_watching"
        await page.ws.close()


async def test_pages_close_when_their_server_stops_sharing(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site, site.browser() as browser:
        page = await browser.watch(await shared(site))
        await page.match()
        assert HERE.guild_id is not None
        await site.process.services.settings.save(HERE.guild_id, ServerSettings(is_sharing=False))
        await site.server.live.run_once()
        assert await page.close_code() == 1008


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
        for path in (
            "m/{}",
            "api/matches/{}",
            "api/matches/{}/replay",
            "api/matches/{}/file",
            "m/{}/picture.png",
        ):
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
        async with asyncio.timeout(ANSWER_SECONDS):
            assert await reader.read() == b""
        writer.close()


@pytest.mark.parametrize("path", ["play", "m/nothing"])
async def test_a_body_that_nobody_reads_and_nobody_sends_holds_no_connection(
    tmp_path: Path, path: str
) -> None:
    """It did for ten seconds, at pages that cost nothing."""
    async with web_site(tmp_path / "discade.db", is_local=False) as site:
        reader, writer = await asyncio.open_connection(*site.url.removeprefix("http://").split(":"))
        request = raw(site, f"GET /{path} HTTP/1.1".encode(), b"Content-Length: 1000")
        writer.write(request.replace(b"Connection: close\r\n", b""))
        assert b"HTTP/1.1" in await reader.readline()
        began = asyncio.get_running_loop().time()
        await reader.read()
        assert asyncio.get_running_loop().time() - began < 8
        writer.close()


async def test_a_full_server_refuses_pages_in_words_and_takes_them_again(tmp_path: Path) -> None:
    async with (
        web_site(tmp_path / "discade.db", is_local=False, door=Door(5)) as site,
        site.browser() as browser,
    ):
        key = await shared(site)
        opened = [await browser.watch(key) for _ in range(4)]
        refused = LivePage(await browser.connect())
        assert (await refused.next("bye"))["reason"] == "web_full"
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
        async with asyncio.timeout(ANSWER_SECONDS):
            with contextlib.suppress(ConnectionResetError):
                assert await opened[-1][0].read() == b""
        for _, writer in opened:
            writer.close()


async def told(site: WebSite, request: bytes) -> bytes:
    """Send the bytes on a connection of their own; return the first line of the answer."""
    reader, writer = await asyncio.open_connection(*site.url.removeprefix("http://").split(":"))
    writer.write(request)
    try:
        async with asyncio.timeout(ANSWER_SECONDS):
            return await reader.readline()
    except ConnectionError:
        return b""
    finally:
        writer.close()


def raw(site: WebSite, line: bytes, *headers: bytes, body: bytes = b"") -> bytes:
    origin = site.url.encode()
    usual = (b"Host: " + origin.removeprefix(b"http://"), b"Origin: " + origin, b"Connection: close")
    return b"\r\n".join((line, *usual, *headers, b"", body))


def noisy(records: list[logging.LogRecord]) -> list[str]:
    """The warnings, and all that tells an address or a secret."""
    others = ("asyncio", "aiosqlite")
    return [
        one.getMessage()
        for one in records
        if not one.name.startswith(others)
        and (one.levelno >= logging.WARNING or "127.0.0.1" in one.getMessage() or "hush" in one.getMessage())
    ]


HANDSHAKE = (b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Version: 13")


async def test_a_page_that_is_asked_for_with_an_upgrade_costs_as_much_as_without(tmp_path: Path) -> None:
    async with web_site(tmp_path / "discade.db", is_local=False) as site:
        line = f"GET /m/{await shared(site)} HTTP/1.1".encode()
        site.server._limits.charge("127.0.0.1", 2 * WORK_MOST)
        for headers in ((), (b"Upgrade: websocket",), HANDSHAKE):
            assert b" 429 " in await told(site, raw(site, line, *headers))


FREE = {
    ("GET", "/play"), ("HEAD", "/play"), ("GET", "/static/{name}"), ("HEAD", "/static/{name}"),
    ("POST", "/api/activity"),
}  # fmt: skip
"""What is ready to be sent, and what the person pays for whom Discord names."""


async def test_every_address_is_paid_for_but_those_that_are_ready_or_find_out_who_asks(
    tmp_path: Path,
) -> None:
    """A new one is among them by itself."""
    async with every_page(tmp_path / "discade.db") as site:
        key, known = await shared(site), addresses(site)
        site.server._limits.charge("127.0.0.1", 2 * WORK_MOST)
        answers = {
            (method, address): await told(
                site, raw(site, f"{method} {random_path(Random(0), address, key)} HTTP/1.1".encode())
            )
            for method, address in known
            if address != "/live"  # which says so in the socket
        }
    assert {asked for asked, answer in answers.items() if b" 429 " not in answer} == FREE


@pytest.mark.parametrize("upgrade", [b"websocket", b"websocket\xc2\xa0", b"WebSocket\xe2\x80\x83"])
async def test_no_page_of_another_site_opens_a_socket(tmp_path: Path, upgrade: bytes) -> None:
    """aiohttp strips more kinds of spaces from the header than HTTP has."""
    headers = (b"Upgrade: " + upgrade, *HANDSHAKE[1:], b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
    async with web_site(tmp_path / "discade.db", is_local=False) as site:
        request = raw(site, b"GET /live HTTP/1.1", *headers)
        origin = b"Origin: " + site.url.encode()
        assert b" 403 " in await told(site, request.replace(origin, b"Origin: https://example.org"))
        assert b" 101 " in await told(site, request.replace(upgrade, b"websocket"))


@pytest.mark.parametrize(
    ("line", "headers", "body"),
    [
        (b"POST /api/session HTTP/1.1", (b"Content-Type: application/json", b"Content-Length: 1"), b"\xff"),
        (
            b"POST /api/session HTTP/1.1",
            (b"Content-Type: application/json; charset=nosuch", b"Content-Length: 2"),
            b"{}",
        ),
        (
            b"POST /api/session HTTP/1.1",
            (b"Content-Type: application/json", b"Content-Encoding: gzip", b"Content-Length: 2"),
            b"{}",
        ),
        (
            b"POST /api/session HTTP/1.1",
            (b"Content-Type: application/json", b"Transfer-Encoding: chunked"),
            b"zz\r\n",
        ),
        (b"GET /live HTTP/1.1", (*HANDSHAKE, b"Sec-WebSocket-Key: \xff"), b""),
        (b"GET /live HTTP/1.1", (*HANDSHAKE, b"Sec-WebSocket-Key: AAAA"), b""),
        (b"GET /live HTTP/1.1", (*HANDSHAKE, b"Sec-WebSocket-Protocol: hush"), b""),
        (b"GET /play HTTP/1.1", (b"Cookie: discade=hush\x00",), b""),
        (b"GET /play HTTP/1.1", (b"no header hush",), b""),
        (b"GET /play HTTP/9.9 hush", (), b""),
        (b"GET /play HTTP/1.1", (b"Expect: hush \xff",), b""),
    ],
)
async def test_rubbish_is_a_bad_request_and_not_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, line: bytes, headers: tuple[bytes, ...], body: bytes
) -> None:
    caplog.set_level(logging.INFO)
    async with web_site(tmp_path / "discade.db", is_local=False) as site:
        answer = await told(site, raw(site, line, *headers, body=body))
    assert answer.split(b" ")[1] in (b"400", b"417")
    assert not noisy(caplog.records)


FIELDS: dict[str, tuple[object, ...]] = {
    "board": ("6x7", "8x8", "nosuch", [], 7),
    "code": (1, "code", None),
    "day": ("2026-11-01", "2026-11-31", "day", 1),
    "first": ("me", "opponent", "nobody", []),
    "frame_id": ("1", 1),
    "game": ("connect-four", "othello", "nosuch", "othello 8x8", {}, 1),
    "grade": ("1", 1, True, "x"),
    "instance": ([], "no instance"),
    "level": ("pip", "nosuch", 1, None),
    "match": ("KEY", "nosuch", 1),
    "move": (0, 3, -1, 2**31, 2**70, 1.5, "d1", True, None),
    "name": ("game.sgf", "\0", "\ud800", "x" * 300, []),
    "number": ("1", "0", "9" * 6, "²", "x", 1),
    "position": ("4453", "Tiger", "x" * 300, []),
    "side": ("first", "none", "both", 1),
    "step": ("solution", "again", "dance", []),
    "theme": ("fork", "nosuch", {}, 1),
    "token": ("\ud800", "token", 1),
    "turn": (0, 1, -1, 2**63, "x", []),
}
"""What the pages send and ask for, right and wrong."""


def addresses(site: WebSite) -> list[tuple[str, str]]:
    """Every method and address that the server has, with braces where something is to be filled in."""
    router = site.server.application().router
    return sorted({(route.method, one.canonical) for one in router.resources() for route in one})


def random_path(rng: Random, address: str, key: str) -> str:
    """The address, filled in, and perhaps with fields."""
    names = {
        "key": (key, key, "nosuch"), "game": ("othello", "nosuch"), "number": ("1", "2", "9" * 18, "9" * 19),
        "board": (f"8x8.{rng.random()}", "0"), "name": ("x.js", "puzzle.png"),
    }  # fmt: skip
    path = re.sub(r"{(\w+)[^}]*}", lambda found: rng.choice(names[found[1]]), address)
    asked = {name: rng.choice(FIELDS[name]) for name in rng.sample(sorted(FIELDS), rng.randrange(4))}
    return path + ("?" + urlencode(asked, errors="surrogatepass").replace("KEY", key) if asked else "")


def random_request(
    site: WebSite, rng: Random, known: Sequence[tuple[str, str]], key: str, session: str
) -> bytes:
    """A request whose every part may be wrong.

    known: the server's addresses. session: the cookie of a person who is signed in.
    """
    # Seldom with control characters, which end a request before anything of ours sees it.
    least = 0 if rng.random() < 0.1 else 33
    noise = [
        bytes(max(least, one) for one in rng.randbytes(rng.randrange(1, 40)) if one != 10) for _ in range(3)
    ]
    method, address = rng.choice(known)
    if rng.random() < 0.2:
        method = rng.choice(("GET", "POST", "DELETE", "HEAD", "PUT", "OPTIONS", "TRACE"))
    path = random_path(rng, address, key) if rng.random() < 0.9 else rng.choice(("*", "//", "/%00?%ff"))
    line = f"{method} {path}".encode() + (noise[0] if rng.random() < 0.1 else b"")
    kinds = (
        *(b"application/json",) * 4,
        b"application/json; charset=nosuch",
        b"text/plain",
        noise[1],
    )
    asked = {name: rng.choice(FIELDS[name]) for name in rng.sample(sorted(FIELDS), rng.randrange(5))}
    bodies = (
        b"",
        b"{}",
        b"\xff",
        b"[" * 1500,
        b"f5d6c3d3c4",
        *(json.dumps(asked).encode(),) * 4,
        noise[2],
    )
    body = rng.choice(bodies)
    # Signing out would end what the others need.
    cookie = session if address != "/api/session" and rng.random() < 0.4 else f"discade={rng.random()}"
    headers = [
        b"Content-Type: " + rng.choice(kinds),
        b"Content-Length: " + rng.choice((str(len(body)).encode(),) * 30 + (b"9", b"-1", b"x", b"99999999")),
        *(HANDSHAKE if rng.random() < 0.3 else ()),
        b"Sec-WebSocket-Key: " + rng.choice((b"AAAAAAAAAAAAAAAAAAAAAA==", b"\xff", noise[0])),
        b"Cookie: " + (noise[0] if rng.random() < 0.1 else cookie.encode()),
        *rng.sample(
            (
                b"Authorization: Bearer " + noise[1],
                b"Accept-Language: " + noise[2],
                b"X-Forwarded-For: " + noise[0], b"X-Forwarded-Proto: " + noise[1], b"Content-Encoding: gzip",
                b"Transfer-Encoding: chunked", b"Expect: " + noise[2], b"Range: bytes=-5",
                noise[0] + b": " + noise[1],
            ), rng.randrange(3),
        ),
    ]  # fmt: skip
    rng.shuffle(headers)
    return raw(
        site,
        line + b" HTTP/1." + rng.choice(b"1" * 20 + b"07").to_bytes(1, "big"),
        *headers,
        body=body,
    )


@pytest.mark.slow
async def test_no_random_request_makes_the_server_fail(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr("bot.web.security.WORK_MOST", 1e9)
    monkeypatch.setattr("bot.web.answers.BODY_SECONDS", 0.05)
    monkeypatch.setattr("bot.web.activity.EXCHANGES_A_SECOND", 1e9)
    rng, statuses = Random(49), Counter[bytes]()
    async with every_page(tmp_path / "discade.db") as site:
        match = await pair(site)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA.user_id)).key
        session, known = await session_of_ada(site, match.id), addresses(site)
        for _ in range(REQUESTS):
            request = random_request(site, rng, known, key, session)
            answer = await told(site, request)
            statuses[answer[9:12]] += 1
            assert answer[9:10] != b"5", request
        async with site.browser() as browser:
            assert (await browser.get(f"/m/{key}"))[0] == 200
    log.info("%s", dict(statuses))
    assert not noisy(caplog.records)
