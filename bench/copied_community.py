"""Makes a community many times as large: every person, match, rating and award stands there so often again.

    python -m bench.copied_community FILE --times 10

In SQL, so that a million people take minutes. Each copy has its own people and servers, but for the biggest
server and everywhere, where all of them are; what agents have there is summed up from the matches.
"""

from __future__ import annotations

import argparse
import sqlite3
import time
from contextlib import closing
from pathlib import Path

from bench.community import BIG_SERVER, FIRST_ID

USERS = ("first_user", "second_user", "user_id", "begun_by")
NAMES = {"first_name": "first_user", "second_name": "second_user"}
TABLES = (
    "matches", "moves", "rating_steps", "achievements", "records", "players", "preferences",
    "puzzle_solvers", "puzzle_places", "puzzle_attempts",
)  # fmt: skip


def copy(connection: sqlite3.Connection, times: int) -> None:
    """Adds so many copies less one."""
    people, matches, steps, attempts = (
        connection.execute(f"SELECT {what}").fetchone()[0]
        for what in (
            "count(*) FROM preferences",
            "max(id) FROM matches",
            "max(id) FROM rating_steps",
            "max(id) FROM puzzle_attempts",
        )
    )
    if people % 50:
        raise ValueError("a server of fifty people would be cut in two")
    for number in range(1, times):
        moved = {
            "matches": number * matches,
            "rating_steps": number * steps,
            "puzzle_attempts": number * attempts,
        }
        for table in TABLES:
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            values = [_copied(table, column, columns, number * people, moved) for column in columns]
            where = " AND ".join(f"({part})" for part in _of_the_first(table, people, matches))
            names = ", ".join(f'"{column}"' for column in columns)
            connection.execute(
                f"INSERT INTO {table} ({names}) SELECT {', '.join(values)} FROM {table} WHERE {where}"
            )
        connection.commit()
        print(f"{number + 1} of {times} at {time.perf_counter():.0f} s", flush=True)
    _sum_up_agents(connection)
    connection.commit()


def _copied(table: str, column: str, columns: list[str], people: int, moved: dict[str, int]) -> str:
    """What stands in a copy's column. people: by how many they are moved on."""
    servers = (people // 50) << 22
    if column == "id":
        return f"id + {moved[table]}"
    if column == "match_id":
        return f"match_id + {moved['matches']}"
    if column in USERS:
        return f"{column} + {people}"
    if column == "channel_id":
        return f"CASE WHEN guild_id > {BIG_SERVER} THEN channel_id + {servers} ELSE channel_id END"
    if column == "message_id":
        return f"message_id + {moved['matches']}"
    if column in NAMES:
        user = NAMES[column]
        return (
            f"CASE WHEN {user} IS NULL THEN {column} ELSE 'Person ' || ({user} + {people} - {FIRST_ID}) END"
        )
    if column == "player":
        own = f"CAST(CAST(player AS INTEGER) + {people} AS TEXT)"
        return f"CASE WHEN is_agent THEN player ELSE {own} END" if "is_agent" in columns else own
    if table == "players" and column == "name":
        return f"'Person ' || (CAST(player AS INTEGER) + {people} - {FIRST_ID})"
    if column in ("guild_id", "scope"):
        return f"CASE WHEN {column} > {BIG_SERVER} THEN {column} + {servers} ELSE {column} END"
    return f'"{column}"'


def _of_the_first(table: str, people: int, matches: int) -> list[str]:
    """Which rows are to be copied: those of the community as it was, without what all copies share."""
    if table == "matches":
        return [f"id <= {matches}"]
    if table in ("moves", "rating_steps"):
        return [f"match_id <= {matches}"]
    end = FIRST_ID + people
    if table == "players":
        return ["NOT is_agent", f"CAST(player AS INTEGER) < {end}"]
    if table == "puzzle_places":
        return [f"CAST(player AS INTEGER) < {end}"]
    if table == "records":
        servers = BIG_SERVER + ((1 + people // 50) << 22)
        own = f"CASE WHEN is_agent THEN scope < {servers} ELSE CAST(player AS INTEGER) < {end} END"
        return [f"NOT is_agent OR scope NOT IN (0, {BIG_SERVER})", own]
    return [f"user_id < {end}"]


def _sum_up_agents(connection: sqlite3.Connection) -> None:
    """Wins, draws, losses and streaks of agents where all copies play together."""
    query = (
        "SELECT strftime('%Y-%m', touched_at / 1000000, 'unixepoch'), guild_id, game, second_level,"
        " CASE WHEN winner IS NULL THEN 0 WHEN winner = 1 THEN 1 ELSE -1 END"
        " FROM rating_steps AS step JOIN matches ON matches.id = match_id"
        " WHERE second_level IS NOT NULL ORDER BY step.id"
    )
    found: dict[tuple[str, int, str, str], list[int]] = {}
    for month, guild_id, game, player, score in connection.execute(query):
        boards = [("", 0)]
        if guild_id == BIG_SERVER:
            boards += [("", guild_id), (month, guild_id)]
        for season, scope in boards:
            row = found.setdefault((season, scope, game, player), [0, 0, 0, 0, 0])
            row[1 - score] += 1
            row[3] = max(row[3], 0) + 1 if score == 1 else min(row[3], 0) - 1 if score == -1 else 0
            row[4] = max(row[4], row[3])
    connection.executemany(
        "UPDATE records SET wins = ?, draws = ?, losses = ?, streak = ?, best_streak = ?"
        " WHERE is_agent AND season = ? AND scope = ? AND game = ? AND player = ?",
        [(*row, *key) for key, row in found.items()],
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--times", type=int, default=10)
    asked = parser.parse_args()
    began = time.perf_counter()
    with closing(sqlite3.connect(asked.file)) as connection:
        for pragma in (
            "synchronous = OFF",
            "journal_mode = OFF",
            "foreign_keys = OFF",
            "cache_size = -1000000",
        ):
            connection.execute(f"PRAGMA {pragma}")
        copy(connection, asked.times)
        connection.execute("ANALYZE")
        connection.commit()
    megabytes = asked.file.stat().st_size / 1e6
    print(f"{asked.file}: {megabytes:,.0f} MB in {time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
