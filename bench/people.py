"""A database with many people in it, for benchmarks: rows as the bot would have stored them, only faster."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

from bot.domain.season import Season
from bot.store import Stores

GAME = "connect-four"
MATCHES_A_PERSON = 2
FIRST_ID = 10_000_000


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
        for scope in (0, guild_id):
            connection.executemany(
                "INSERT INTO records (scope, game, is_agent, player, rating, deviation, points, wins, draws,"
                f" losses, streak, best_streak) VALUES ({scope}, '{GAME}', 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                records,
            )
        for season in (Season.of(now), Season.of(now - timedelta(days=40))):
            connection.executemany(
                "INSERT INTO season_records (season, scope, game, is_agent, player, rating, deviation,"
                f" points, wins, draws, losses, streak, best_streak) VALUES ('{season.key}', {guild_id},"
                f" '{GAME}', 0, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
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
        at, short = moment.strftime("%Y-%m-%d %H:%M:%S.%f"), round(moment.timestamp() * 1_000_000)
        connection.execute(
            "INSERT INTO matches (id, game, board, first_user, first_name, second_user, second_name,"
            " guild_id, channel_id, message_id, locale, rated, winner, end, turn, version, created_at,"
            " turn_started_at, touched_at, shown_version)"
            " VALUES (?, ?, '6x7x4', ?, 'A', ?, 'B', ?, 1, ?, 'en', 1, 0, 'line', 7, 8, ?, ?, ?, 8)",
            (number, GAME, first, second, guild_id, number, at, at, at),
        )
        connection.executemany(
            "INSERT INTO moves (match_id, ply, move, seconds, at) VALUES (?, ?, ?, 1.0, ?)",
            ((number, ply, move, at) for ply, move in enumerate((3, 4, 3, 4, 3, 4, 3))),
        )
        for scope in (0, guild_id):
            for side, user_id in enumerate((first, second)):
                connection.execute(
                    "INSERT INTO rating_history (match_id, scope, side, game, is_agent, player, score,"
                    " points, opponent_points, at) VALUES (?, ?, ?, ?, 0, ?, ?, 1000, 1000, ?)",
                    (number, scope, side, GAME, str(user_id), 1 - 2 * side, short),
                )
        connection.execute(
            "INSERT OR IGNORE INTO achievements (user_id, key, match_id, at, is_told)"
            " VALUES (?, 'first-win', ?, ?, 1)",
            (first, number, at),
        )
