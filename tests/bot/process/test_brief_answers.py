"""The real process asks a local Discord for what it needs, and for no more; skipped without that."""

from __future__ import annotations

import pytest

from bench import fake_discord

fakediscord = fake_discord.load()
pytestmark = pytest.mark.skipif(fakediscord is None, reason=fake_discord.MISSING)


async def test_discord_need_not_say_what_became_of_an_edited_board() -> None:
    assert fakediscord is not None
    async with fakediscord.FakeDiscord() as server, fake_discord.online(server):
        ada, ben = server.user("ada"), server.user("ben")
        asked = await ada.slash(None, "challenge", game="connect-four", opponent=ben, first="me")
        board = (await ben.click(await asked.result(), "Accept")).message
        await ada.click(board, "4")
        await ben.click(board, "5")
        assert "ben played **5**" in board.text

        answers = [record for record in server.recorder.http if record.path.endswith("/callback")]
        asked_for = {(record.body["type"], "with_response" in record.query) for record in answers}
        assert asked_for == {(4, True), (7, False)}
        await server.verify()
