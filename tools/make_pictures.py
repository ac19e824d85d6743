"""Make docs/pictures/*.png with the bot's own renderer: a tournament, a profile, a game tree.

Run again after changing bot/presentation: python -m tools.make_pictures
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from random import Random

from bot.domain.location import Channel
from bot.domain.names import clean
from bot.domain.result import End, Result
from bot.domain.seat import Seat
from bot.domain.tournament.model import Stage, System, Tournament
from bot.domain.tournament.rounds import advance
from bot.i18n import Texts
from bot.presentation.names import exact_rating, game_title
from bot.presentation.profile import ProfileChart, RatingPoint, Results, Words, draw_profile
from bot.presentation.table import draw_table
from bot.presentation.thought_pictures import draw_tree
from bot.presentation.tournament_texts import table_of
from engine.analysis.game_tree import tree_top
from engine.core import Player, replay
from engine.games import GAMES
from engine.games.notation import parse_moves
from tools.picture_list import note

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    _write("tournament.png", draw_table(*table_of(tournament(), Texts.load().of("en-US"))))
    _write("thoughts.png", _thoughts())
    _write("profile.png", draw_profile(*_profile()))


def _write(name: str, png: bytes) -> None:
    path = FOLDER / name
    path.write_bytes(png)
    note(path)
    print(f"{path.relative_to(FOLDER.parents[1])}: {len(png)} bytes")


def _thoughts() -> bytes:
    """Draw alpha-beta's tree after 4435, with the pruned replies crossed out."""
    rules = GAMES["connect-four"]
    state = replay(rules.start(), parse_moves(rules, None, "4435"))
    top = []
    for branch in tree_top(state, 4, prunes=True):
        after = state.play(branch.move)
        names = [rules.move_name(after, reply.move) for reply in branch.replies]
        top.append((rules.move_name(state, branch.move), branch, names))
    return draw_tree(top, 0)


def _profile() -> tuple[ProfileChart, Words]:
    """Return Ada's profile, as Ben sees it: three games with random ratings."""
    t, rng, day = Texts.load().of("en-US"), Random(3), date(2026, 3, 1)
    keys, points, steps = list(GAMES)[:3], dict.fromkeys(GAMES, 1000), []
    for number in range(160):
        key = rng.choice(keys)
        points[key] += rng.choice((-18, -9, 12, 15, 22))
        steps.append(RatingPoint(key, points[key], day + timedelta(days=number)))
    results = [
        Results(key, game_title(t, key), exact_rating(points[key], 45 + 25 * place),
                t("chart_rank", rank=place + 2), 90 - 25 * place, 6 - place, 40 - 9 * place, place == 0)
        for place, key in enumerate(keys)
    ]  # fmt: skip
    words = Words(
        t("chart_ratings"), t("chart_won"), t("chart_drawn"), t("chart_lost"), t("chart_favourite"),
        t("chart_accuracy", n=20), t("chart_streak", game=game_title(t, steps[-1].game)), t("chart_now_won"),
        t("chart_best"), t("chart_medals"), t("chart_achievements"), "Ada – Ben",
    )  # fmt: skip
    return ProfileChart(steps, {}, results, 0.87, 3, 11, (2, 0, 1), 17, 27, (3, 1, 2)), words


def tournament() -> Tournament:
    """Return a Swiss tournament of nine, with random results that favour the better seed."""
    now, rng = datetime(2026, 1, 1, tzinfo=UTC), Random(4)
    found = Tournament(
        1,
        clean("Example"),
        1,
        "connect-four",
        "6x7x4",
        System.SWISS,
        Channel(1, 1),
        now,
        now + timedelta(hours=1),
        3600,
    )
    people = ("Ada", "Ben", "Chloe", "Dan", "Eve")
    seats = [Seat(name, number) for number, name in enumerate(people, start=1)]
    for seat in (*seats, *(Seat(name, level=name.lower()) for name in ("Vera", "Luca", "Otto", "Bo"))):
        found = found.join(seat, now)
    found = advance(found.start({entrant.number: entrant.number for entrant in found.entrants}))
    while found.stage is Stage.RUNNING:
        played = []
        for pairing in found.pairings:
            if not pairing.is_settled:
                better = Player.FIRST if pairing.first < (pairing.second or 0) else Player.SECOND
                winner = rng.choice((better, better, None, better.other))
                pairing = replace(pairing, match_id=1, result=Result(winner, End.LINE), turn=9)
            played.append(pairing)
        found = advance(replace(found, pairings=tuple(played)))
    return found


if __name__ == "__main__":
    main()
