"""A database with many people in it, for benchmarks: rows as the bot would have stored them, only faster."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from bot.domain.season import Season
from bot.store.ranking import SETTLED
from bot.store.rating_steps import LOCAL, PARTS, SIDES
from bot.store.shared import microseconds
from bot.store.stores import Stores

GAME = "connect-four"
STORED = "c"
"""What stands for it in SQLite (`bot.store.shared.Word`)."""
MATCHES_A_PERSON = 2
FIRST_ID = 10_000_000
POINTS = ", ".join(f"{scope}{side}_{part}" for scope in ("", LOCAL) for side in SIDES for part in PARTS)


async def make(file: Path, people: int, guild_id: int) -> None:
    """Everybody is rated in that game, in that server and everywhere, this month, and listed."""
    stores = await Stores.open(f"sqlite+aiosqlite:///{file}")
    await stores.close()
    rng, now = Random(11), datetime.now(UTC)
    with closing(sqlite3.connect(file)) as connection, connection:
        ids = range(FIRST_ID, FIRST_ID + people)
        connection.executemany(
            "INSERT INTO players (is_agent, player, name) VALUES (0, ?, ?)",
            ((str(user_id), f"Person {user_id}") for user_id in ids),
        )
        records = [(str(user_id), *_record(rng)) for user_id in ids]
        seasons = [Season.of(now).key, Season.of(now - timedelta(days=40)).key]
        for scope, season in ((0, ""), *((guild_id, season) for season in ("", *seasons))):
            connection.executemany(
                "INSERT INTO records (season, scope, game, is_agent, standing, player, rating, deviation,"
                f" points, wins, draws, losses, streak, best_streak) VALUES ('{season}', {scope},"
                f" '{STORED}', 0, {SETTLED}, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                records,
            )
        connection.executemany(
            "INSERT INTO preferences (user_id, is_listed, theme, size, is_called)"
            " VALUES (?, 1, 'classic', 'normal', 1)",
            ((user_id,) for user_id in ids),
        )
        _add_matches(connection, rng, people * MATCHES_A_PERSON // 2, people, guild_id, now)
        connection.execute("ANALYZE")


def _record(rng: Random) -> tuple[float, float, int, int, int, int, int, int]:
    rating, wins, losses = rng.gauss(1500, 250), rng.randrange(30), rng.randrange(30)
    return rating, 60.0, round(rating), wins, rng.randrange(5), losses, 1, 3


def _add_matches(
    connection: sqlite3.Connection, rng: Random, count: int, people: int, guild_id: int, now: datetime
) -> None:
    """Finished ones of seven moves, with what they made of the ratings, and an award for each."""
    for number in range(1, count + 1):
        first, second = (FIRST_ID + rng.randrange(people) for _ in range(2))
        moment = now - timedelta(minutes=rng.randrange(100_000))
        at = microseconds(moment)
        connection.execute(
            "INSERT INTO matches (id, game, board, first_user, first_name, second_user, second_name,"
            " guild_id, channel_id, message_id, locale, rated, winner, end, turn, version, created_at,"
            " turn_started_at, touched_at, shown_version)"
            " VALUES (?, ?, '6x7x4', ?, 'A', ?, 'B', ?, 1, ?, 'en', 1, 0, 'line', 7, 8, ?, ?, ?, 8)",
            (number, STORED, first, second, guild_id, number, at, at, at),
        )
        connection.executemany(
            "INSERT INTO moves (match_id, ply, move, seconds, at) VALUES (?, ?, ?, 1.0, ?)",
            ((number, ply, move, at) for ply, move in enumerate((3, 4, 3, 4, 3, 4, 3))),
        )
        connection.execute(
            f"INSERT INTO rating_steps (match_id, {POINTS}) VALUES (?{', 1000, 1000, 90' * 4})", (number,)
        )
        connection.execute(
            "INSERT OR IGNORE INTO achievements (user_id, key, match_id, at, is_told)"
            " VALUES (?, 'first-win', ?, ?, 1)",
            (first, number, at),
        )
