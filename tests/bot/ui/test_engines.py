"""An engine of the host's file is an opponent like any other, in Discord, on the web and in tournaments."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

from bot.domain.location import Channel
from bot.domain.match import Match
from bot.domain.result import End
from bot.domain.tournament.model import Stage, System, Tournament
from bot.services.tournaments import Organiser, TournamentOptions
from bot.web.start_page import offered_games
from tests.bot.table import Table, text_of

PLAIN = Path(__file__).parents[2] / "data" / "engines" / "plain.py"
RHINO = Path("/usr/games/gtp-rhino")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="needs what Linux has"),
]


def _offer(folder: Path, protocol: str, *arguments: str, name: str = "plain") -> None:
    command = [sys.executable, "-I", str(PLAIN), protocol, *arguments]
    table = f"[{name}]\nprotocol = {protocol!r}\ncommand = {command}\n"
    (folder / "engines.toml").write_text(table, "utf-8")


async def _match(table: Table) -> Match:
    return await table.bot.services.matches.match(table.first_match)


async def _play(table: Table, move: int) -> Match:
    """Ada makes the move; returns the match after the engine's answer."""
    await table.bot.services.playing.play(table.first_match, table.person(table.ada), move)
    match = await _match(table)
    for _ in range(100):
        if not match.awaits_agent:
            break
        await table.env.advance_time(1)
        match = await _match(table)
    return match


async def test_an_engine_is_offered_and_plays_a_casual_match(own_table: Table, tmp_path: Path) -> None:
    _offer(tmp_path, "gomocup")
    await own_table.restart(tmp_path)
    services = own_table.bot.services

    offered = await own_table.ada.autocomplete(own_table.games, "play", "level", "plain", game="gomoku")
    board = await own_table.start(game="gomoku", board="9x9", level=offered[0]["value"], rated=True)
    match = await _play(own_table, 0)

    assert (offered[0]["value"], offered[0]["name"]) == ("engine:plain", "Plain (engine): speaks gomocup")
    assert (match.moves, match.rated) == ((0, 40), False)
    await own_table.env.advance_time(6)
    assert r"Plain \(engine\) played **e5**" in text_of(board)
    games = {one["key"]: one for one in offered_games(services, services.texts.of("en"))}
    assert games["gomoku"]["levels"][-1]["name"] == "Plain (engine)"


async def test_a_match_against_an_engine_cannot_be_made_rated(own_table: Table, tmp_path: Path) -> None:
    _offer(tmp_path, "htp")
    await own_table.restart(tmp_path)
    await own_table.start(game="hex", level="engine:plain", rated=False)
    with pytest.raises(Exception, match="engine_not_rated"):
        await own_table.bot.services.playing.make_rated(
            own_table.first_match, own_table.person(own_table.ada)
        )


async def test_an_engine_is_no_help_in_a_rated_match_against_a_bot(own_table: Table, tmp_path: Path) -> None:
    _offer(tmp_path, "gomocup")
    await own_table.restart(tmp_path)
    await own_table.start(game="gomoku", level="momo", rated=True)
    for options in ({"board": "9x9"}, {"position": "h8"}):
        refused = await own_table.ada.slash(
            own_table.games, "play", game="gomoku", level="engine:plain", rated=False, **options
        )
        assert refused.ephemeral
        assert f"Your rated match #{own_table.first_match} (Gomoku) is running" in text_of(refused.response)
    watched = await own_table.ada.slash(
        own_table.games, "watch", game="gomoku", first_level="engine:plain", second_level="momo"
    )
    assert "is running: until it’s over, I give no help" in text_of(watched.response)


async def test_a_match_goes_on_after_a_move_taken_back_and_a_restart(
    own_table: Table, tmp_path: Path
) -> None:
    _offer(tmp_path, "gtp")
    await own_table.restart(tmp_path)
    await own_table.start(game="othello", level="engine:plain", rated=False)
    await _play(own_table, 19)
    await own_table.restart(tmp_path)
    match = await _play(own_table, (await _match(own_table)).state.legal_moves()[0])
    assert len(match.moves) == 4
    await own_table.bot.services.playing.ask_undo(own_table.first_match, own_table.person(own_table.ada))
    match = await _match(own_table)
    assert len(match.moves) == 2
    match = await _play(own_table, match.state.legal_moves()[-1])
    assert len(match.moves) == 4
    assert [timed.forfeit for timed in match.timed_moves] == [""] * 4


async def test_an_engine_that_resigns_ends_its_match(own_table: Table, tmp_path: Path) -> None:
    _offer(tmp_path, "htp", "resigns")
    await own_table.restart(tmp_path)
    board = await own_table.start(game="hex", level="engine:plain", rated=False)
    person = own_table.person(own_table.ada)
    for move in (0, 1, 2):
        match = await _play(own_table, move)
    assert match.result is not None
    assert (match.result.winner, match.result.end) == (match.players_of(person.user_id)[0], End.RESIGNATION)
    assert len(match.moves) == 5
    await own_table.env.advance_time(6)
    assert "resigned" in text_of(board)


async def test_an_engine_plays_in_a_tournament_of_bots(own_table: Table, tmp_path: Path) -> None:
    _offer(tmp_path, "gomocup")
    await own_table.restart(tmp_path)
    tournaments, organiser = own_table.bot.services.tournaments, Organiser(own_table.ada.id)
    made = await tournaments.create(
        own_table.person(own_table.ada),
        TournamentOptions("Cup", "gomoku", System.ROUND_ROBIN, board="9x9"),
        Channel(own_table.games.id, own_table.guild.id),
        organiser,
        levels=("momo", "taro", "engine:plain"),
    )
    await tournaments.start(made.id, organiser)
    over: list[Tournament] = []
    for _ in range(300):
        await own_table.env.advance_time(6)
        latest = await tournaments.tournament(made.id)
        if latest.stage is Stage.OVER:
            over.append(latest)
            break
    assert over, "it ends"
    assert [pairing.forfeits[0].count + pairing.forfeits[1].count for pairing in over[0].pairings] == [0] * 3
    assert "Plain (engine)" in [entrant.seat.name for entrant in over[0].entrants]


@pytest.mark.skipif(not RHINO.exists(), reason="needs gtp-rhino: apt-get install grhino")
async def test_rhino_plays_a_whole_match_in_discord(own_table: Table, tmp_path: Path) -> None:
    (tmp_path / "engines.toml").write_text(
        f'[rhino]\nprotocol = "gtp"\ncommand = ["{RHINO}"]\nseconds = 5\n', "utf-8"
    )
    await own_table.restart(tmp_path)
    board = await own_table.start(game="othello", level="engine:rhino", rated=False)
    person, rng = own_table.person(own_table.ada), Random(3)
    match = await _match(own_table)
    while match.result is None:
        match = await _play(own_table, rng.choice(match.state.legal_moves()))
    assert match.result.end is End.DISC_COUNT
    assert match.result.winner is not match.players_of(person.user_id)[0], "random moves lose"
    assert not any(timed.forfeit for timed in match.timed_moves)
    await own_table.env.advance_time(6)
    assert r"Rhino \(engine\) wins" in text_of(board)
