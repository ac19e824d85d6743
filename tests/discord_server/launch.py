"""Run `python -m bot` with discord.py's addresses changed to those in the variable DISCORD_SERVER.

The bot is unmodified, and is the one in the working folder. This file is run as a program, by its path.
"""

from __future__ import annotations

import os
import runpy
import sys

import discord
import yarl


def main() -> None:
    address = os.environ["DISCORD_SERVER"]
    discord.http.Route.BASE = f"http://{address}/api/v10"
    discord.gateway.DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(f"ws://{address}/gateway/")
    discord.asset.Asset.BASE = f"http://{address}/cdn"
    sys.path[0] = os.getcwd()
    runpy.run_module("bot", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
