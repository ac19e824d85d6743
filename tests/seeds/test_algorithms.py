"""Seeds 000 to 003: their algorithms can be met in Discord, as deep as one chooses."""

from __future__ import annotations

from random import Random

import pytest

from bot.domain.match import Match
from bot.domain.preferences import ServerSettings
from engine.agents.algorithms import ALGORITHMS, MAX_SECONDS, algorithm, algorithms_of
from engine.agents.roster import Roster
from engine.agents.warm import load
from engine.core import Limit, State, UnknownName
from engine.games import GAMES, SPECS, game
from tests.bot.table import Table, text_of
from tests.working import measured


@pytest.fixture
def table(shared_table: Table) -> Table:
    return shared_table


@pytest.fixture(autouse=True, scope="module")
def _loaded() -> None:
    """Compile kernels here if necessary, and not while simcord waits for an answer."""
    load()


async def offered(table: Table, typed: str, **options: str) -> dict[str, str]:
    """The menu of `level:` as value -> label."""
    chosen = {"game": "connect-four", **options}
    choices = await table.ada.autocomplete(table.games, "play", "level", typed, **chosen)
    return {choice["value"]: choice["name"] for choice in choices}


async def only_match(table: Table) -> Match:
    (match,) = await table.bot.services.matches.running(table.ada.id)
    return match


@pytest.mark.slow
async def test_after_the_ladder_the_menu_offers_algorithms(table: Table) -> None:
    menu = list(await offered(table, ""))
    assert menu.index("una") < menu.index("minimax:depth=4") < menu.index("alphabeta:depth=6")
    assert {"mcts:simulations=1000", "one-step", "perfect"} <= set(menu)
    assert {"corner", "pattern"} <= set(await offered(table, "algor", game="othello"))
    assert "corner" not in menu


async def test_alpha_beta_at_depth_six_is_found_by_its_name(table: Table) -> None:
    found = await offered(table, "alpha-beta 6")
    assert list(found) == ["alphabeta:depth=6"]
    assert found["alphabeta:depth=6"].startswith("Algorithm: Alpha-beta 6, 6 moves deep")


async def test_any_depth_that_is_allowed_may_be_written(table: Table) -> None:
    assert list(await offered(table, "alphabeta:depth=7")) == ["alphabeta:depth=7"]
    assert list(await offered(table, "MCTS 250")) == ["mcts:simulations=250"]


@pytest.mark.parametrize(
    "text", ["alphabeta:depth=6", "Alpha-beta 6", "alphabeta, depth = 6", "Alpha–beta ۶"]
)
async def test_a_match_against_it_is_casual_and_keeps_the_specification(table: Table, text: str) -> None:
    board = await table.start(level=text)
    assert "**Alpha-beta 6**" in text_of(board)
    assert "Casual" in text_of(board)
    match = await only_match(table)
    assert (match.seats[1].level, match.rated) == ("alphabeta:depth=6", False)
    await table.ada.click(board, label="4")
    assert len((await only_match(table)).timed_moves) == 2


@pytest.mark.parametrize("text", ["alphabeta:depth=99", "minimax:width=3", "mcts:simulations=1", "corner"])
async def test_an_unknown_algorithm_is_refused_with_the_known_ones(table: Table, text: str) -> None:
    answer = await table.refused(table.ada.slash(table.games, "play", game="connect-four", level=text))
    assert "no algorithm" in answer
    assert "alphabeta:depth=1-12" in answer


async def test_two_of_them_can_be_watched(table: Table) -> None:
    watched = await table.ada.slash(
        table.games, "watch", game="connect-four", first_level="minimax:depth=2", second_level="one-step"
    )
    assert "**Minimax 2**" in text_of(watched.response)
    assert "**One-step**" in text_of(watched.response)


async def test_a_server_with_a_highest_level_has_no_algorithms(table: Table) -> None:
    await table.bot.services.settings.save(table.guild.id, ServerSettings(highest_level=3))
    assert not [key for key in await offered(table, "") if ":" in key]
    answer = await table.refused(
        table.ada.slash(table.games, "play", game="connect-four", level="minimax:depth=2")
    )
    assert "isn’t open on this server" in answer


@pytest.mark.parametrize(
    "level", ["minimax:depth=3", "alphabeta:depth=5", "mcts:simulations=200", "one-step", "perfect"]
)
async def test_explain_works_on_them(table: Table, level: str) -> None:
    await table.start(level=level, first="opponent", board="5x5x3")
    await table.bot.services.playing.resign(table.first_match, table.person(table.ada))
    answer = (await table.ada.slash(table.games, "review explanation", match=str(table.first_match))).response
    assert f"How {algorithm(level).name} found move 1" in text_of(answer)
    assert "█" in text_of(answer) or answer.attachments, "what it thought of each move"


async def test_a_rematch_is_against_the_same_algorithm(table: Table) -> None:
    await table.start(level="alphabeta:depth=3")
    await table.bot.services.playing.resign(table.first_match, table.person(table.ada))
    match = await table.bot.services.starting.rematch(
        table.first_match,
        table.person(table.ada),
        (await table.bot.services.matches.match(table.first_match)).location,
    )
    assert isinstance(match, Match)
    assert match.seats[0].level == "alphabeta:depth=3"
    assert not match.rated


@pytest.mark.parametrize("key", [key for key, kind in ALGORITHMS.items() if kind.most])
@pytest.mark.parametrize("place", [(key, board) for key in SPECS for board in GAMES[key].boards[:1]]
                         + [("connect-four", "10x10x5"), ("connect-four", "8x8x4")])  # fmt: skip
def test_no_answer_takes_longer_than_five_seconds(key: str, place: tuple[str, str]) -> None:
    """With the most that may be chosen, in the middle of a game; its own limit makes a clock unneeded."""
    rng, level = Random(1), algorithm(f"{key} {ALGORITHMS[key].most}")
    state: State = game(place[0]).start(place[1])
    for _ in range(4):
        after = state.play(rng.choice(state.legal_moves()))
        state = state if after.outcome() is not None else after
    assert level.limit.seconds == MAX_SECONDS
    with measured() as work:
        choice = Roster().make(level.key, 1).choose(state, Limit(seconds=0.05))
    assert work.seconds < 0.05 + 2.0
    assert choice.move in state.legal_moves()


def test_every_game_has_the_general_algorithms() -> None:
    for key in SPECS:
        kinds = {level.key.partition(":")[0] for level in algorithms_of(key)}
        assert {"random", "one-step", "minimax", "alphabeta", "mcts"} <= kinds


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("minimax 4", "minimax:depth=4"),
        ("MCTS", "mcts:simulations=1000"),
        ("monte carlo 300", "mcts:simulations=300"),
        ("one-step", "one-step"),
        ("Patterns", "pattern"),
    ],
)
def test_algorithms_are_parsed_as_people_write_them(text: str, key: str) -> None:
    assert algorithm(text).key == key
    assert algorithm(algorithm(text).name).key == key


@pytest.mark.parametrize(
    "text", ["", "alphabeta:depth=", "alphabeta:depth=0", "alphabeta:depth=6:7", "pattern 3"]
)
def test_invalid_algorithms_are_refused(text: str) -> None:
    with pytest.raises(UnknownName, match=r"there (is|are)"):
        algorithm(text)
