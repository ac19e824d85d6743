"""The settings of one process: read from the environment once, checked, and never changed.

This is the only module that reads the environment. Every error names its variable, the allowed values and
an example.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, distribution
from importlib.util import find_spec
from ipaddress import ip_address
from pathlib import Path

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

DEFAULT_DATABASE_URL = "sqlite+aiosqlite:///discade.db"
DEMO_DATABASE = "demo.db"
SECOND_DEMO = (
    "start this one with DATABASE_URL=sqlite+aiosqlite:///second/discade.db after `mkdir second`: "
    "its matches are in that folder then"
)
"""The way out where the demo's database is in use: only its folder follows DATABASE_URL, not its name."""
DEFAULT_BACKUPS = 7
DEFAULT_GUEST_MATCHES = 200
LOOPBACK = "127.0.0.1"
LOG_FORMATS = ("text", "json")
YES_OR_NO = ("yes", "no")
LOG_LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")

_SHARDS = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?", re.ASCII)
_SCHEDULER = re.compile(r"(tls|tcp)://[^\s/@]+:\d{1,5}", re.ASCII)
_WEB_URL = re.compile(r"(https://[a-z0-9.-]+|http://(localhost|127\.0\.0\.1))(:\d{1,5})?/?", re.ASCII)
_HOST = re.compile(r"[\w.-]*|\[[0-9a-fA-F:]+\]", re.ASCII)
_CONTACT = re.compile(r"https://[^\s/@]+\.[^\s@]+|[^\s@/:<>\"']+@[^\s@/:<>\"']+\.[^\s@/:<>\"']+")
_TOKEN = re.compile(r"[\w-]{18,}\.[\w-]{4,}\.[\w-]{20,}", re.ASCII)


def pip_install(extra: str) -> str:
    """Return the command that installs what this extra of Discade needs, from a wheel or in a checkout."""
    try:
        distribution("discade")
    except PackageNotFoundError:
        # By its name pip would look for it in an index, where another project may have that name.
        return f'pip install ".[{extra}]"'
    return f'pip install "discade[{extra}]"'


class SettingsError(ValueError):
    """A variable has a value that is not allowed. The value itself is never repeated: it may be secret."""

    def __init__(self, variable: str, problem: str, example: str) -> None:
        super().__init__(f"{variable} {problem} Example: {variable}={example}")
        self.variable = variable


@dataclass(frozen=True, slots=True)
class Settings:
    """The choices of the host.

    token: the bot's token; None runs the demo.
    database_url: where matches and ratings live, in SQLAlchemy's notation.
    agents_folder: the folder of plug-in agents.
    search_threads: how many searches run at the same time, besides quick ones.
    demo_port: the loopback port of the demo's page; None takes the usual one, or a free one.
    log_level: the least level that is logged.
    backups: how many of the daily backups are kept; 0 makes none.
    log_format: how a record of the log is written.
    health_port: the port of the health page and the figures; None serves none.
    greets: whether the bot greets a server that it is added to, once.
    shard_count: the number of shards in all; None for as many as Discord recommends.
    shard_ids: those of this process; None for all.
    emoji: whether boards are written in emoji that the bot uploads to its own application.
    client_secret: of the application, for the Activity; None offers none.
    web_url: the address at which browsers find the pages of matches; None serves none beside Discord.
    web_listen: host and port at which the pages of matches are served; None for loopback and the usual port,
    or a free one.
    web_guests: whether people without Discord may play on those pages.
    web_guest_matches: how many matches those of one address begin within a day.
    contact: an address of mail or the web where people reach the host, who then has pages for terms of use
    and privacy.
    scheduler: the address of a Dask scheduler whose workers search; None for the threads here alone.
    health_host: the address on which the health page is served.
    """

    token: str | None = field(default=None, repr=False)
    database_url: str = field(default=DEFAULT_DATABASE_URL, repr=False)
    agents_folder: Path | None = None
    search_threads: int = 2
    demo_port: int | None = None
    log_level: str = "INFO"
    backups: int = DEFAULT_BACKUPS
    log_format: str = "text"
    health_port: int | None = None
    greets: bool = True
    shard_count: int | None = None
    shard_ids: tuple[int, ...] | None = None
    emoji: bool = True
    scheduler: str | None = None
    client_secret: str | None = field(default=None, repr=False)
    web_url: str | None = None
    web_listen: tuple[str, int] | None = None
    web_guests: bool = False
    web_guest_matches: int = DEFAULT_GUEST_MATCHES
    health_host: str = LOOPBACK
    contact: str | None = None

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the settings from `environ`, by default the process's own; raises SettingsError."""
        values = os.environ if environ is None else environ

        def text(variable: str) -> str:
            return values.get(variable, "").strip()

        def choice(variable: str, *allowed: str) -> str | None:
            return _one_of(variable, text(variable).lower(), allowed)

        def whole(variable: str, least: int, most: int, example: str = "2") -> int | None:
            return _whole(variable, text(variable), least, most, example)

        address = database_url(text("DATABASE_URL"))
        shard_count, shard_ids = _shards(values, address)
        backups = whole("DISCADE_BACKUPS", 0, 365)
        return cls(
            token=_token(text("DISCORD_TOKEN")),
            database_url=address,
            shard_count=shard_count,
            shard_ids=shard_ids,
            agents_folder=_folder("DISCADE_AGENTS", text("DISCADE_AGENTS")),
            search_threads=whole("DISCADE_SEARCH_THREADS", 1, 64) or max(2, min(4, os.cpu_count() or 2)),
            demo_port=_demo_port(text("DISCADE_DEMO_PORT")),
            log_level=_one_of("DISCADE_LOG_LEVEL", text("DISCADE_LOG_LEVEL").upper(), LOG_LEVELS) or "INFO",
            # No `or` here, unlike elsewhere: 0 is a choice, of no backups.
            backups=DEFAULT_BACKUPS if backups is None else backups,
            log_format=choice("DISCADE_LOG_FORMAT", *LOG_FORMATS) or "text",
            health_port=whole("DISCADE_HEALTH_PORT", 1, 65535, "9100"),
            greets=choice("DISCADE_GREETING", *YES_OR_NO) != "no",
            emoji=choice("DISCADE_EMOJI", "on", "off") != "off",
            scheduler=_scheduler(text("DASK_SCHEDULER")),
            client_secret=text("DISCORD_CLIENT_SECRET") or None,
            web_url=_web_url(text("DISCADE_WEB_URL")),
            web_listen=_web_listen(text("DISCADE_WEB_LISTEN")),
            web_guests=choice("DISCADE_WEB_GUESTS", *YES_OR_NO) == "yes",
            web_guest_matches=whole("DISCADE_WEB_GUEST_MATCHES", 1, 100_000, "200") or DEFAULT_GUEST_MATCHES,
            contact=_contact(text("DISCADE_CONTACT")),
            health_host=_address("DISCADE_HEALTH_HOST", text("DISCADE_HEALTH_HOST") or LOOPBACK),
        )

    def for_demo(self) -> Settings:
        """Return the settings with the demo's own database, `demo.db` beside the usual one.

        Matches of the demo must never count on a server's leaderboards.
        """
        url = make_url(self.database_url)
        if url.get_backend_name() != "sqlite":
            url = make_url(DEFAULT_DATABASE_URL)
        if not url.database or url.database == ":memory:":
            return replace(self, shard_count=1, shard_ids=None, scheduler=None)
        name = DEMO_DATABASE if Path(url.database).name != DEMO_DATABASE else f"demo-{DEMO_DATABASE}"
        beside = Path(url.database).with_name(name)
        address = url.set(database=str(beside)).render_as_string(hide_password=False)
        return replace(self, database_url=address, backups=0, shard_count=1, shard_ids=None, scheduler=None)


def _address(variable: str, text: str) -> str:
    try:
        return str(ip_address(text))
    except ValueError:
        raise SettingsError(variable, "is no IP address.", "0.0.0.0") from None


def _token(text: str) -> str | None:
    if not text:
        return None
    if not _TOKEN.fullmatch(text):
        raise SettingsError(
            "DISCORD_TOKEN",
            "is no bot token: it has three parts with dots between them, copied from the page "
            "“Bot” of your application in Discord's developer portal. Leave it empty for the demo.",
            "xxxxxxxxxxxxxxxxxxxxxxxxxx.xxxxxx.xxxxxxxxxxxxxxxxxxxxxxxxxxx",
        )
    return text


def database_url(text: str) -> str:
    """Return the address in SQLAlchemy's notation, or the default for none; raises SettingsError."""
    if not text:
        return DEFAULT_DATABASE_URL
    try:
        url = make_url(text)
    except (ArgumentError, ValueError):  # the latter for a port that is no number
        raise SettingsError("DATABASE_URL", _DATABASES, DEFAULT_DATABASE_URL) from None
    if url.drivername == "postgresql+asyncpg":
        if not url.database:
            raise SettingsError("DATABASE_URL", "names no database: it stands at the end.", _SERVER)
        if find_spec("asyncpg") is None:
            raise SettingsError(
                "DATABASE_URL",
                f"names PostgreSQL, whose driver is missing: `{pip_install('postgres')}` brings it.",
                DEFAULT_DATABASE_URL,
            )
    elif url.drivername != "sqlite+aiosqlite":
        example = _SERVER if url.get_backend_name() in ("postgresql", "postgres") else DEFAULT_DATABASE_URL
        raise SettingsError("DATABASE_URL", _DATABASES, example)
    return text


_DATABASES = (
    "must name a SQLite file (sqlite+aiosqlite:/// followed by its path) or a database of PostgreSQL "
    "(postgresql+asyncpg:// followed by user:password@host/name)."
)

_CLUSTER = "tls://scheduler:8786"
_SERVER = "postgresql+asyncpg://discade:password@localhost/discade"


def _folder(variable: str, text: str) -> Path | None:
    if not text:
        return None
    folder = Path(text).expanduser()
    if not folder.is_dir():
        raise SettingsError(variable, f"must name a folder that exists; {text!r} is none.", "agents")
    return folder


def _whole(variable: str, text: str, least: int, most: int, example: str = "2") -> int | None:
    if not text:
        return None
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= most:
        raise SettingsError(variable, f"must be a whole number from {least} to {most}.", example)
    return int(text)


def _demo_port(text: str) -> int | None:
    """Parse the port; those below 1024 are reserved by the system."""
    if text == "0":
        return 0
    try:
        return _whole("DISCADE_DEMO_PORT", text, 1024, 65535)
    except SettingsError:
        allowed = "must be a port from 1024 to 65535, or 0 for any that is free."
        raise SettingsError("DISCADE_DEMO_PORT", allowed, "8377") from None


def _web_url(text: str) -> str | None:
    """Return the address without a slash at its end; browsers keep nothing secret without HTTPS."""
    if text and not _WEB_URL.fullmatch(text):
        raise SettingsError(
            "DISCADE_WEB_URL", "must be https:// and a host, without a path.", "https://play.example.org"
        )
    return text.rstrip("/") or None


def _contact(text: str) -> str | None:
    if text and not _CONTACT.fullmatch(text):
        raise SettingsError(
            "DISCADE_CONTACT",
            "must be an address of mail, or one that begins with https://.",
            "ada@example.org",
        )
    return text or None


def _web_listen(text: str) -> tuple[str, int] | None:
    """Parse HOST:PORT, or a port of loopback alone."""
    if not text:
        return None
    host, _, port = text.rpartition(":")
    if not _HOST.fullmatch(host) or not re.fullmatch(r"[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        raise SettingsError(
            "DISCADE_WEB_LISTEN", "must be a host and a port from 1 to 65535.", "127.0.0.1:8378"
        )
    return host.strip("[]") or "127.0.0.1", int(port)


def _shards(values: Mapping[str, str], address: str) -> tuple[int | None, tuple[int, ...] | None]:
    """Return the number of shards, and those of this process."""
    count = _whole("SHARD_COUNT", values.get("SHARD_COUNT", "").strip(), 1, 100_000)
    text = values.get("SHARD_IDS", "").replace(" ", "")
    if not text:
        return count, None
    if count is None:
        raise SettingsError("SHARD_COUNT", "must say how many shards there are, where SHARD_IDS is set.", "8")
    parts = [_SHARDS.fullmatch(part) for part in text.split(",")]
    ranges = [(int(part[1]), int(part[2] or part[1])) for part in parts if part is not None]
    if len(ranges) < len(parts) or any(not first <= last < count for first, last in ranges):
        raise SettingsError(
            "SHARD_IDS", f"must name shards from 0 to {count - 1}, as numbers and ranges with commas.", "0-3"
        )
    numbers = sorted({number for first, last in ranges for number in range(first, last + 1)})
    if len(numbers) < count and make_url(address).get_backend_name() == "sqlite":
        raise SettingsError(
            "DATABASE_URL", "must name PostgreSQL where SHARD_IDS leaves shards to other processes.", _SERVER
        )
    return count, tuple(numbers)


def _scheduler(text: str) -> str | None:
    """Return the address; raises SettingsError unless Dask is installed and has its certificates."""
    if not text:
        return None
    if not _SCHEDULER.fullmatch(text):
        raise SettingsError("DASK_SCHEDULER", "must be tls:// or tcp:// with a host and a port.", _CLUSTER)
    if find_spec("distributed") is None:
        raise SettingsError(
            "DASK_SCHEDULER", f"needs Dask, which is missing: `{pip_install('cluster')}`.", _CLUSTER
        )
    if text.startswith("tls://"):
        _check_certificates()
    return text


def _check_certificates() -> None:
    from distributed.security import Security

    try:
        context = Security().get_connection_args("client").get("ssl_context")
    except OSError as error:
        problem = f"is tls://, but its certificates cannot be read ({error.strerror or error})."
        raise SettingsError("DASK_SCHEDULER", problem, _CLUSTER) from None
    if context is None:
        prefix = "DASK_DISTRIBUTED__COMM__TLS__"
        raise SettingsError(
            "DASK_SCHEDULER",
            f"is tls://, but Dask was told no certificates: set {prefix}CA_FILE, {prefix}CLIENT__CERT and "
            f"{prefix}CLIENT__KEY.",
            _CLUSTER,
        )


def _one_of(variable: str, text: str, allowed: tuple[str, ...]) -> str | None:
    if not text:
        return None
    if text not in allowed:
        raise SettingsError(variable, f"must be one of {', '.join(allowed)}.", allowed[1])
    return text
