"""The command line: `python -m bot [run|demo|sync|recount]`."""

from __future__ import annotations

import argparse
import asyncio
import logging
import sys
from collections.abc import Sequence

from dotenv import load_dotenv

from bot.config import Settings, SettingsError

EXIT_OK = 0
EXIT_UNREACHABLE = 1
EXIT_DIFFERENT = 1
EXIT_SETTINGS = 2

MOST_LINES = 20
"""Differences that a recount prints, of those it finds."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one verb; returns the exit code: 2 for a setting that must be changed."""
    options = _parser().parse_args(arguments)
    load_dotenv()
    try:
        settings = Settings.from_env()
    except SettingsError as error:
        return _fail(str(error), EXIT_SETTINGS)
    _log_to_stderr(settings)
    try:
        if options.verb == "recount":
            return asyncio.run(_recount(settings, is_check=options.check))
        return asyncio.run(_run_verb(options.verb, settings))
    except KeyboardInterrupt:
        return EXIT_OK


async def _run_verb(verb: str, settings: Settings) -> int:
    if verb == "demo" or (verb == "run" and settings.token is None):
        from bot.demo.run import run_demo

        if verb == "run":
            print("No DISCORD_TOKEN is set, so here is the demo.", flush=True)  # noqa: T201
        return await run_demo(settings)
    if settings.token is None:
        return _fail(
            "DISCORD_TOKEN is not set: put the bot's token into the environment or into .env "
            "(the README shows where to get one).",
            EXIT_SETTINGS,
        )
    return await _go_online(verb, settings, settings.token)


async def _go_online(verb: str, settings: Settings, token: str) -> int:
    import aiohttp
    import discord

    from bot.app import build
    from bot.warmup import stop_warming, warm_up

    bot = build(settings)
    async with bot:
        try:
            await bot.login(token)
        except discord.LoginFailure:
            return _fail(
                "DISCORD_TOKEN was refused by Discord: copy it again from the page “Bot” of your "
                "application, or reset it there.",
                EXIT_SETTINGS,
            )
        except (aiohttp.ClientConnectionError, OSError):
            return _fail("Discord cannot be reached from here. Is the network up?", EXIT_UNREACHABLE)
        if verb == "sync":
            await bot.sync_commands(force=True)
            print("The commands are registered with Discord.")  # noqa: T201
            return EXIT_OK
        warming = asyncio.create_task(warm_up(bot.search))
        try:
            await bot.connect()
        finally:
            await stop_warming(warming)
    return EXIT_OK


async def _recount(settings: Settings, *, is_check: bool) -> int:
    """Compares ratings, seasons and histories with the matches; without `is_check` makes them agree."""
    from bot.store import Recounter
    from bot.store.database import Database

    database = await Database.open(settings.database_url)
    try:
        recounter = Recounter(database)
        found = await (recounter.check() if is_check else recounter.repair())
    finally:
        await database.close()
    for line in found.differences[:MOST_LINES]:
        print(line)  # noqa: T201
    wrong, rated = len(found.differences), found.matches
    if not wrong:
        print(f"Ratings, seasons and histories are what the {rated} rated matches give.")  # noqa: T201
        return EXIT_OK
    print(f"{wrong} rows are not what the {rated} rated matches give.")  # noqa: T201
    if is_check:
        print("Stop the bot and run `python -m bot recount` to mend them.")  # noqa: T201
        return EXIT_DIFFERENT
    print("They are mended.")  # noqa: T201
    return EXIT_OK


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bot", description="Discade: Connect Four, Othello and Tic-tac-toe on Discord."
    )
    parser.set_defaults(verb="run")
    verbs = parser.add_subparsers(title="verbs", metavar="[run|demo|sync|recount]")
    for verb, text in (
        ("run", "go online with DISCORD_TOKEN; without one, start the demo (the default)"),
        ("demo", "play in the browser against a simulated Discord; needs no token"),
        ("sync", "register the slash commands with Discord again"),
    ):
        verbs.add_parser(verb, help=text, description=text).set_defaults(verb=verb)
    text = "compute ratings, seasons and histories from the matches again, and mend what differs"
    recount = verbs.add_parser("recount", help=text, description=text)
    recount.add_argument("--check", action="store_true", help="change nothing; exit code 1 where it differs")
    recount.set_defaults(verb="recount")
    return parser


class Redact(logging.Filter):
    """Takes the secret out of whatever is logged, tracebacks included."""

    def __init__(self, secret: str) -> None:
        super().__init__()
        self._secret = secret

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg, record.args = self._without(record.getMessage()), None
        if record.exc_info and not record.exc_text:
            # Formatters print this text instead of making it from the exception.
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._without(record.exc_text)
        return True

    def _without(self, text: str) -> str:
        return text.replace(self._secret, "[token]")


def _log_to_stderr(settings: Settings) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s: %(message)s", "%H:%M:%S"))
    if settings.token is not None:
        handler.addFilter(Redact(settings.token))
    logging.basicConfig(level=settings.log_level, handlers=[handler])
    logging.getLogger("alembic").setLevel(logging.WARNING)  # it tells each step of every start


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main())
