"""The health page and the metrics of working and of failing bots."""

from __future__ import annotations

import logging
import socket
import sqlite3
import sys
from pathlib import Path

import aiohttp
import pytest

from bot.app import Discade
from bot.config import Settings
from bot.operation.health import figures_if_possible, look_at, served
from bot.process.metrics import Metrics
from bot.store.versions import Unusable
from tests.bot.table import Table
from tests.ports import unused_port


async def get(port: int, path: str, host: str = "127.0.0.1") -> tuple[int, str]:
    url = f"http://{host}:{port}{path}"
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.text()


def settings(folder: Path) -> Settings:
    return Settings(database_url=f"sqlite+aiosqlite:///{folder / 'discade.db'}")


async def test_a_bot_that_is_not_online_is_unhealthy_and_says_why(tmp_path: Path) -> None:
    port = unused_port()
    async with Discade(settings(tmp_path)) as bot, served(bot, port, None):
        status, text = await get(port, "/healthz")
        assert status == 503
        assert '"gateway": false' in text
        assert '"searches": true' in text
        status, text = await get(port, "/metrics")
        assert (status, '".[metrics]"' in text) == (501, True)


@pytest.mark.skipif(sys.platform == "darwin", reason="only 127.0.0.1 is an address of a Mac")
async def test_with_a_host_that_is_every_address_other_machines_are_served(tmp_path: Path) -> None:
    port = unused_port()
    async with Discade(settings(tmp_path)) as bot, served(bot, port, None, "0.0.0.0"):
        assert (await get(port, "/healthz", "127.0.0.2"))[0] == 503


@pytest.mark.slow
async def test_the_bot_opens_at_most_512_connections_to_discord(
    tmp_path: Path,
) -> None:
    async with Discade(settings(tmp_path)) as bot:
        assert 0 < bot.http.connector.limit <= 512, "many systems allow 1,024"


@pytest.mark.slow
async def test_only_this_machine_is_served_and_a_taken_port_is_one_line(tmp_path: Path) -> None:
    port = unused_port()
    async with Discade(settings(tmp_path)) as bot, served(bot, port, None):
        with pytest.raises(Unusable, match=f"DISCADE_HEALTH_PORT={port}"):
            async with served(bot, port, None):
                pass
        with socket.socket() as elsewhere:
            elsewhere.bind(
                ("127.0.0.2", port)
            )  # this succeeds because the page does not listen on every address


@pytest.mark.slow
@pytest.mark.sqlite
async def test_a_database_that_cannot_be_written_shows(table: Table) -> None:
    assert (await look_at(table.bot)).checks["database"]
    await table.bot.parts.stores.database.close()
    other = sqlite3.connect(table.database)
    other.execute("DROP TABLE facts")
    other.commit()
    other.close()
    health = await look_at(table.bot)
    assert not health.checks["database"]
    assert not health.is_well


async def test_moves_statements_searches_and_errors_are_counted(table: Table) -> None:
    metrics = Metrics()
    metrics.watch(table.bot.services.search)
    try:
        await table.play(await table.start(), "4")
        logging.getLogger("bot.test").error("broken")
    finally:
        metrics.close()
    page = metrics.page(table.bot.remembered()).decode()
    assert "discade_moves_total 2.0" in page, "the person's and the agent's"
    assert "discade_agent_seconds_count{" in page
    assert 'discade_errors_total{logger="bot.test"} 1.0' in page
    assert 'discade_database_seconds_count{kind="insert"}' in page
    assert "discade_search_queue 0.0" in page
    assert 'discade_remembered{kind="boards"} 1.0' in page
    assert 'discade_remembered{kind="agents"} 1.0' in page


@pytest.mark.slow
async def test_the_last_move_of_a_match_is_counted_and_a_resignation_is_not(table: Table) -> None:
    metrics = Metrics()
    metrics.watch(table.bot.services.search)
    try:
        board = await table.pair()
        await table.play(board, "4 3 4 3 4 3 4")
        first = metrics.page(table.bot.remembered()).decode()
        other = await table.pair(rated=False)
        await table.play(other, "4 3")
        match = (await table.bot.services.matches.running(table.ada.id))[0]
        await table.bot.services.playing.resign(match.id, table.person(table.ada))
    finally:
        metrics.close()
    assert "discade_moves_total 7.0" in first
    assert "discade_moves_total 9.0" in metrics.page(table.bot.remembered()).decode()


async def test_figures_are_there_before_the_bot_is_online(tmp_path: Path) -> None:
    port = unused_port()
    async with (
        Discade(settings(tmp_path)) as bot,
        served(bot, port, Metrics()),
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{port}/metrics") as answer,
    ):
        assert (answer.status, "discade_moves_total 0.0" in await answer.text()) == (200, True)


def test_the_figures_are_there_where_their_package_is() -> None:
    assert isinstance(figures_if_possible(), Metrics)
