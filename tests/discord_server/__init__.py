"""A Discord on this machine, for tests and benches of the real `python -m bot` in a process of its own.

The bot asks it by real HTTP and WebSockets. A test plays the people, loses answers on the way, ends the bot
and starts it again:

    async with FakeDiscord() as server, online(server) as bot:
        ada = server.user("ada")
        server.faults.disconnect("POST", "*/callback", after_effect=True)
        board = await (await ada.slash(None, "play", game="othello")).result()
        await ada.click(board, "4")
        await server.verify()

It has the routes that the bot uses; any other is a violation, which `verify` reports.
"""

from tests.discord_server.errors import ClientRefused, NoResponse
from tests.discord_server.interactions import Interaction
from tests.discord_server.limits import Limit, RateLimits
from tests.discord_server.people import Person
from tests.discord_server.process import KERNELS_SECONDS, BotProcess, bot_command, online
from tests.discord_server.server import FakeDiscord
from tests.discord_server.world import Channel, Message

__all__ = [
    "KERNELS_SECONDS", "BotProcess", "Channel", "ClientRefused", "FakeDiscord", "Interaction", "Limit",
    "Message", "NoResponse", "Person", "RateLimits", "bot_command", "online",
]  # fmt: skip
