"""Every clock, name, number and button of a match's document belongs to the right side.

Each is compared with a diary that the test keeps itself.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bot.domain.clock import Clock as Times
from bot.domain.guest import GUEST_IDS, LOCAL_USER
from bot.domain.location import Channel, Web
from bot.domain.match import Match
from bot.domain.seat import Seat
from bot.domain.terms import Fair, First
from bot.presentation.web_match import Reader, match_document, replay_document
from engine.agents.roster import Roster
from engine.core import Player
from engine.games import GAMES
from tests.bot.made_once import all_texts
from tests.bot.sittings import ADA as ADA_PERSON
from tests.bot.sittings import BEN as BEN_PERSON
from tests.bot.sittings import HERE, Clock, terms_of
from tests.bot.web.documents import ADA, BEN, FIVE_MINUTES, NOW, RECORDS, Board
from tests.bot.web.visitors import WebSite, web_site

READERS = (Player.FIRST, Player.SECOND, None)


@dataclass
class Diary:
    """What happened in a match that began with five minutes for each side and three seconds more a move."""

    left: list[float] = field(default_factory=lambda: [300.0, 300.0])
    moves: list[tuple[int, float]] = field(default_factory=list)
    """The side that moved, and its seconds."""

    def write(self, side: int, seconds: float) -> None:
        self.moves.append((side, seconds))
        self.left[side] += 3 - seconds

    def has_moved(self, side: int) -> bool:
        return any(mover == side for mover, _ in self.moves)

    def actions(self, reader: int | None, to_move: int, *, rated: bool) -> set[str]:
        if reader is None:
            return set()
        found = {"resign", "draw"}
        if reader == to_move:
            found |= {"play"} if rated else {"play", "hint"}
        if not rated and self.has_moved(reader):
            found.add("undo")
        return found


def check_running(
    document: dict[str, Any], diary: Diary, board: Board, waited: float, reader: int | None
) -> None:
    match = board.match
    to_move = int(match.state.to_move)
    assert document["viewer"]["seat"] == reader
    assert [one["name"] for one in document["seats"]] == ["Ada", "Ben"]
    assert [one["seat"] for one in document["seats"]] == [0, 1]
    assert [one["rating"] for one in document["seats"]] == ["1700", "about 1500"]
    left = list(diary.left)
    left[to_move] -= waited
    assert document["clock"]["left"] == pytest.approx(left, abs=0.051)
    assert (document["clock"]["running"], document["clock"]["increment"]) == (to_move, 3)
    assert [(one["seat"], one["seconds"]) for one in document["moves"]] == diary.moves
    assert [one["n"] for one in document["moves"]] == list(range(1, len(diary.moves) + 1))
    kind = "yours" if reader == to_move else "theirs"
    assert (document["status"]["kind"], document["status"]["seat"]) == (kind, to_move)
    assert ("Ada", "Ben")[to_move] in document["status"]["text"]
    choices = match.state.legal_moves()
    assert set(document["viewer"]["may"]) == diary.actions(reader, to_move, rated=match.rated)
    listed = sorted(one["move"] for one in document["position"].get("moves", []))
    assert listed == (sorted(choices) if reader == to_move else [])
    assert document["position"]["toMove"] == to_move
    assert document["turn"] == len(diary.moves)
    if diary.moves:
        assert ("Ada", "Ben")[diary.moves[-1][0]] in document["last"]


@pytest.mark.parametrize("game", list(GAMES))
@pytest.mark.parametrize("rated", [False, True])
def test_documents_follow_the_diary_of_a_match_for_both_seats_and_a_spectator(game: str, rated: bool) -> None:
    rng, board, diary = Random(f"{game} {rated}"), Board.begin(game, clock=FIVE_MINUTES, rated=rated), Diary()
    for _ in range(12):
        waited = rng.choice((0.5, 4.0, 9.5))
        board.wait(waited)
        for reader in READERS:
            check_running(board.document(reader), diary, board, waited, reader)
        match, more = board.match, rng.choice((1.0, 2.5))
        board.wait(more)
        side = match.state.to_move
        user = (11, 12)[side]
        board.match = match.play(user, rng.choice(match.state.legal_moves()), board.now)
        diary.write(int(side), waited + more)
        if board.match.is_over:
            break
    for loser in (11, 12):
        over = Board(board.match if board.match.is_over else board.match.resign(loser, board.now), board.now)
        result = over.match.result
        assert result is not None
        winner = result.winner if board.match.is_over else Player(12 - loser)
        for reader in READERS:
            document = over.document(reader)
            assert (document["status"]["kind"], document["clock"]["running"]) == ("over", None)
            assert document["clock"]["left"] == pytest.approx(diary.left, abs=0.051)
            assert document["result"]["winner"] == document["status"]["seat"] == winner
            may = {"review"} if reader is None else {"review", "rematch"}
            assert set(document["viewer"]["may"]) == may
            assert "moves" not in document["position"]
        positions = replay_document(over.match)["positions"]
        assert len(positions) == len(diary.moves) + 1
        assert [one["toMove"] for one in positions[:-1]] == [side for side, _ in diary.moves]


def test_a_rematch_between_two_servers_is_left_to_the_servers() -> None:
    board = Board.begin("connect-four").play("41")
    board.match = board.match.resign(11, board.now)
    assert "rematch" in board.document(Player.FIRST)["viewer"]["may"]
    home, away = board.match.seats
    board.match = replace(board.match, seats=(replace(home, guild_id=1), replace(away, guild_id=2)))
    for reader in Player:
        assert board.document(reader)["viewer"]["may"] == ["review"]


@pytest.mark.parametrize("asker", list(Player))
def test_an_offer_names_its_side_and_cannot_be_made_again(asker: Player) -> None:
    board = Board.begin("connect-four").play("41")
    user, name = (11, 12)[asker], ("Ada", "Ben")[asker]
    board.match = board.match.offer_draw(user, board.now).ask_undo(user, board.now)
    for reader in READERS:
        document = board.document(reader)
        assert [(one["kind"], one["from"], name in one["text"]) for one in document["offers"]] == [
            ("draw", asker, True),
            ("undo", asker, True),
        ]
        may = set(document["viewer"]["may"])
        assert "draw" not in may
        assert ("undo" in may) == (reader is asker.other)


@pytest.mark.parametrize("seat", list(Player))
def test_a_bot_has_no_clock_and_its_opponent_has_one(seat: Player) -> None:
    bot = Seat("Pip", level="pip")
    seats = (ADA, bot) if seat is Player.FIRST else (bot, ADA)
    match = Match.begin(
        "connect-four", "6x7x4", seats, Web("en"), NOW, rated=False, clock_seconds=FIVE_MINUTES
    )
    for reader in (seat, None):
        document = Board(match, NOW).document(reader)
        assert [one["kind"] for one in document["seats"]] == [
            "person" if one is ADA else "agent" for one in seats
        ]
        assert document["clock"]["left"] == [300 if one is ADA else None for one in seats]
        assert document["clock"]["running"] == (0 if seat is Player.FIRST else None)
        kind = "thinking" if seat is Player.SECOND else "yours" if reader is seat else "theirs"
        assert document["status"]["kind"] == kind
        assert ["character" in one for one in document["seats"]] == [one is bot for one in seats]
        may = set(document["viewer"]["may"])
        assert may == (
            {"resign"} | ({"play", "hint"} if kind == "yours" else set()) if reader is seat else set()
        )


def test_names_and_buttons_change_sides_when_the_first_move_is_taken_over() -> None:
    match = Match.begin("gomoku", "15x15", (ADA, BEN), Web("en"), NOW, rated=False, fair=Fair.PIE)
    match = match.play(11, match.state.legal_moves()[0], NOW)
    before = Board(match, NOW)
    assert [("swap" in before.document(seat)["viewer"]["may"]) for seat in READERS] == [False, True, False]
    after = Board(match.swap(12, NOW), NOW)
    document = after.document(Player.SECOND)
    assert [one["name"] for one in document["seats"]] == ["Ben", "Ada"]
    assert (document["status"]["kind"], "Ada" in document["status"]["text"]) == ("yours", True)
    assert "swap" not in document["viewer"]["may"]


def test_points_stand_at_the_seat_that_has_them() -> None:
    board = Board.begin("othello").play("d3c5d6")
    document = board.document(None)
    discs = [one["side"] for one in document["position"]["pieces"]]
    assert [one["score"] for one in document["seats"]] == [discs.count(0), discs.count(1)]
    assert discs.count(0) != discs.count(1)


@pytest.mark.parametrize("guest", [LOCAL_USER, GUEST_IDS.start])
def test_who_has_no_name_is_called_a_guest_in_the_language_of_each_reader(guest: int) -> None:
    begun = Board.begin("connect-four").match
    match = replace(begun, seats=(Seat("Guest", user_id=guest), begun.seats[1]))
    named = {
        language: match_document(
            all_texts().of(language), match, "key", Reader(None), match.turn_started_at, Roster()
        )["seats"]
        for language in ("en", "de", "fr")
    }
    assert {language: [seat["name"] for seat in seats] for language, seats in named.items()} == {
        "en": ["Guest", "Ben"], "de": ["Gast", "Ben"], "fr": ["Invité", "Ben"],
    }  # fmt: skip


@pytest.mark.parametrize("hidden", list(Player))
def test_a_hidden_name_is_replaced_at_its_side_and_nowhere_else(hidden: Player) -> None:
    board = Board.begin("connect-four").play("414")
    texts = all_texts().of("en")
    document = match_document(
        texts, board.match, "key", Reader(None, (hidden,)), board.now, Roster(), RECORDS
    )
    names = ["Ada", "Ben"]
    real, names[hidden] = names[hidden], ("First player", "Second player")[hidden]
    assert [one["name"] for one in document["seats"]] == names
    assert real not in str(document)


async def sessions(site: WebSite, match: Match) -> tuple[str, str]:
    """The cookies of browsers in which Ada and Ben play."""
    services = site.process.services
    services.web.url = site.url
    cookies = list[str]()
    for person in (ADA_PERSON, BEN_PERSON):
        link = await services.web.play_link(match.id, person)
        _, secret = await services.web.open_link(link.partition("#")[2], None)
        cookies.append(f"discade={secret}")
    return cookies[0], cookies[1]


@pytest.mark.parametrize("beginner", [0, 1])
async def test_the_page_that_each_reader_gets_has_the_clocks_and_buttons_of_its_seat(
    tmp_path: Path, beginner: int
) -> None:
    clock = Clock()
    async with (
        web_site(tmp_path / "discade.db", is_local=False, clock=clock) as site,
        site.browser() as browser,
    ):
        services = site.process.services
        terms = terms_of(
            "connect-four",
            first=First.ME if beginner == 0 else First.OPPONENT,
            rated=False,
            clock_seconds=Times(300, 3).number,
        )
        assert isinstance(HERE, Channel)
        challenge = await services.challenges.send(ADA_PERSON, BEN_PERSON, terms, HERE)
        _, match = await services.challenges.accept(challenge.id, BEN_PERSON)
        people = (ADA_PERSON, BEN_PERSON)
        in_seat = (people[beginner], people[1 - beginner])
        clock.advance(seconds=20)
        match = await services.playing.play(match.id, in_seat[0], 3)
        clock.advance(seconds=45)
        match = await services.playing.play(match.id, in_seat[1], 2)
        clock.advance(seconds=7)
        key = (await site.process.parts.stores.web.page_of(match.id, ADA_PERSON.user_id)).key
        cookies = await sessions(site, match)
        wanted = [(cookies[0], beginner), (cookies[1], 1 - beginner), ("", None)]
        names = [str(one.name) for one in in_seat]
        for cookie, seat in wanted:
            _, _, html = await browser.get(f"/m/{key}", Cookie=cookie)
            found = re.search(r"<title>(.*?)</title>", html)
            assert found is not None
            document = json.loads((await browser.get(f"/api/matches/{key}", Cookie=cookie))[2])
            assert f'"viewer":{{"seat":{"null" if seat is None else seat},' in html
            assert document["viewer"]["seat"] == seat
            shown = list(names)
            if seat is None:  # Ben is listed nowhere, and Ada shared the page
                place = in_seat.index(BEN_PERSON)
                shown[place] = ("First player", "Second player")[place]
            assert [one["name"] for one in document["seats"]] == shown
            assert " – ".join(shown) in found[1]
            assert document["clock"]["left"] == pytest.approx([276.0, 258.0], abs=0.2)
            assert document["clock"]["running"] == 0
            assert ("play" in document["viewer"]["may"]) == (seat == 0)
            assert document["status"]["kind"] == ("yours" if seat == 0 else "theirs")
