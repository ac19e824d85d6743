"""The command line: `python -m bot [VERB]`."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import io
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dotenv import find_dotenv, load_dotenv
from dotenv.parser import parse_stream

# Slow imports wait until signals are handled: Ctrl-C during one would print a traceback.
from bot.process.interrupts import Interrupts
from bot.process.memory import give_back_what_is_freed
from bot.process.open_files import raise_open_files

if TYPE_CHECKING:
    from bot.config import Settings

EXIT_OK = 0
EXIT_NO_OUTPUT = 1
EXIT_SETTINGS = 2

_NO_OUTPUT_ERRORS = (errno.EPIPE, errno.ENOSPC, errno.EIO)
"""Errors of a stdout that takes no output: no reader, a full disk, a closed terminal."""

_ENDLESS = ("run", "demo", "web")
"""Verbs that run until they are interrupted."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code, 2 for a setting that must be changed."""
    give_back_what_is_freed()
    raise_open_files()
    interrupts, verb = Interrupts(), "run"
    with interrupts.installed():
        try:
            options = _parser().parse_args(arguments)
            verb = options.verb
            code = _main(options, interrupts)
            print(end="", flush=True)  # noqa: T201 - reports an unusable stdout now, not at exit
        except KeyboardInterrupt:
            code = interrupts.exit_code
        except OSError as error:
            if error.errno not in _NO_OUTPUT_ERRORS:
                raise
            code = _report_no_output(error)
    # One signal ends these verbs in order, which is success.
    return EXIT_OK if interrupts.count == 1 and verb in _ENDLESS else code


def _main(options: argparse.Namespace, interrupts: Interrupts) -> int:
    from bot.config import Settings, SettingsError
    from bot.process.logs import log_to_stderr

    # From the working directory, not from where the code is installed.
    dotenv = find_dotenv(usecwd=True)
    try:
        bad_line = _load(dotenv) if dotenv else None
    except (ValueError, OSError) as error:
        return _fail(f"{dotenv} cannot be read as UTF-8 text: {error}.", EXIT_SETTINGS)
    if bad_line is not None:
        return _fail(
            f"{dotenv}, line {bad_line}: this is no NAME=value, or a quote is not closed.", EXIT_SETTINGS
        )
    try:
        settings = Settings.from_env()
    except SettingsError as error:
        return _fail(str(error), EXIT_SETTINGS)
    log_to_stderr(settings)
    from bot.store.versions import Unusable

    try:
        return asyncio.run(interrupts.run(_run_verb(options, settings, interrupts)))
    except Unusable as error:
        return _fail(str(error), EXIT_SETTINGS)


def _load(dotenv: str) -> int | None:
    """Load the file into the environment, or return its first invalid line.

    An ignored line could silently mean another database or another token.
    """
    text = Path(dotenv).read_text("utf-8-sig")
    for binding in parse_stream(io.StringIO(text)):
        if binding.error:
            return binding.original.line
    load_dotenv(stream=io.StringIO(text))
    return None


async def _run_verb(options: argparse.Namespace, settings: Settings, interrupts: Interrupts) -> int:
    from bot.operation import administration

    verb = options.verb
    # Each verb imports what it needs, so that the first ones and `web` do not load discord.py.
    if verb == "recount":
        return await administration.recount(settings.database_url, is_check=options.check)
    if verb == "check":
        return await administration.check(settings.database_url)
    if verb == "forget":
        return await administration.forget(settings.database_url, options.user)
    if verb == "shut-out":
        if options.number is None:
            if options.undo or options.match:
                return _fail("--undo and --match need the ID that they are about.", EXIT_SETTINGS)
            return await administration.tell_reports(settings.database_url)
        if options.match and options.undo:
            return _fail(
                "--match only prints whom a match is between: --undo needs one of those IDs.", EXIT_SETTINGS
            )
        if options.match:
            return await administration.tell_players(settings.database_url, options.number)
        return await administration.shut_out(settings.database_url, options.number, is_out=not options.undo)
    if verb == "backup":
        return await administration.back_up_to(settings.database_url, options.file)
    if verb == "restore":
        return await administration.restore_from(settings.database_url, options.file)
    if verb == "copy-database":
        from bot.config import SettingsError, database_url

        try:
            source, target = database_url(options.source), database_url(options.target)
        except SettingsError as error:
            return _fail(str(error), EXIT_SETTINGS)
        return await administration.copy_database(source, target)
    if verb == "web":
        from bot.operation.web import run_web

        return await run_web(settings, interrupts)
    if verb == "demo" or (verb == "run" and settings.token is None):
        from bot.demo.run import run_demo

        if verb == "run":
            print("No DISCORD_TOKEN is set, so here is the demo.", flush=True)  # noqa: T201
        return await run_demo(settings, interrupts, is_inspected=options.inspect)
    if settings.token is None:
        return _fail(
            "DISCORD_TOKEN is not set: put the bot's token into the environment or into .env "
            "(the README shows where to get one).",
            EXIT_SETTINGS,
        )
    from bot.operation.live import go_online

    return await go_online(settings, settings.token, interrupts, only_sync=verb == "sync")


def _parser() -> argparse.ArgumentParser:
    from engine.games import titles

    parser = argparse.ArgumentParser(
        prog="discade" if Path(sys.argv[0]).stem == "discade" else "python -m bot",
        description=f"Discade: {titles()} on Discord.",
    )
    parser.set_defaults(verb="run", inspect=False)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB")
    for verb, text in (
        ("run", "go online with DISCORD_TOKEN; without one, start the demo (the default)"),
        ("demo", "play in the browser against a simulated Discord; needs no token"),
        ("web", "play in the browser without Discord; needs no token"),
        ("sync", "register the slash commands with Discord again"),
    ):
        made = verbs.add_parser(verb, help=text, description=text)
        made.set_defaults(verb=verb)
        if verb == "demo":
            made.add_argument("--inspect", action="store_true", help="show simcord's controls for tests")
    text = "compute ratings, seasons and histories from the matches again, and mend what differs"
    recount = verbs.add_parser("recount", help=text, description=text)
    recount.add_argument("--check", action="store_true", help="change nothing; exit code 1 where it differs")
    recount.set_defaults(verb="recount")
    text = "look through everything that is stored; exit code 1 where something is wrong"
    verbs.add_parser("check", help=text, description=text).set_defaults(verb="check")
    text = "delete what is stored about a person, by their Discord id"
    forgetting = verbs.add_parser("forget", help=text, description=text)
    forgetting.add_argument("user", type=_user_id, metavar="USER")
    forgetting.set_defaults(verb="forget")
    text = "shut a person or a server out of open tables; without ID, list the names that people reported"
    shutting = verbs.add_parser("shut-out", help=text, description=text)
    shutting.add_argument(
        "number", type=_user_id, metavar="ID", nargs="?", help="of a person or a server, at Discord"
    )
    shutting.add_argument("--undo", action="store_true", help="let them in again, and drop reports of them")
    shutting.add_argument("--match", action="store_true", help="ID is a match: print whom it is between")
    shutting.set_defaults(verb="shut-out")
    for verb, text in (
        ("backup", "copy the database to a new file, also while the bot runs"),
        ("restore", "put a backup in the place of the database, which is kept under another name"),
    ):
        copying = verbs.add_parser(verb, help=text, description=text)
        copying.add_argument("file", type=Path, metavar="FILE")
        copying.set_defaults(verb=verb)
    text = "copy everything into another database, which must be empty: from SQLite to PostgreSQL, or back"
    moving = verbs.add_parser("copy-database", help=text, description=text)
    moving.add_argument("source", metavar="FROM", help="an address as in DATABASE_URL")
    moving.add_argument("target", metavar="TO", help="another one")
    moving.set_defaults(verb="copy-database")
    return parser


def _user_id(text: str) -> int:
    """Parse a Discord id: above zero, and stored in 64 bits."""
    if not re.fullmatch(r"[1-9][0-9]{0,18}", text) or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"{text!r} is no Discord id: it has up to 19 digits")
    return int(text)


def _report_no_output(error: OSError) -> int:
    """Report on stderr that stdout takes no output, and return the exit code."""
    with contextlib.suppress(OSError):
        _fail(f"What there was to say could not be written: {error.strerror}.", EXIT_NO_OUTPUT)
    # Otherwise Python flushes stdout again at exit, and fails.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_NO_OUTPUT


def _fail(message: str, code: int) -> int:
    print(message, file=sys.stderr)  # noqa: T201
    return code


if __name__ == "__main__":
    sys.exit(main())
