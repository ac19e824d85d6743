"""Run `python -m bot` with discord.py's addresses changed to those in the variable DISCORD_SERVER.

The bot is unmodified, and is the one in the working folder; only its times for an answer are those in the
variable DISCORD_PATIENCE_SECONDS, if there is one. This file is run as a program, by its path.
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
    if patience := os.environ.get("DISCORD_PATIENCE_SECONDS"):
        wait_for_answers(float(patience))
    runpy.run_module("bot", run_name="__main__", alter_sys=True)


def wait_for_answers(seconds: float) -> None:
    """Promise no answer sooner, and count none as too late: a busy machine answers as an idle one does."""
    from bot.ui import answers, command_queue, press_gate

    command_queue.PROMISE_AFTER_SECONDS = answers.ANSWER_DEADLINE_SECONDS = seconds
    vars(press_gate)["ANSWER_DEADLINE_SECONDS"] = seconds  # which it has from `answers`


if __name__ == "__main__":
    main()
