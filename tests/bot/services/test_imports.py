"""Games from elsewhere: kept as matches of nobody else, few and for a month, and no help in rated matches."""

from __future__ import annotations

import asyncio
import re
import threading
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa

import engine
from bot.domain.errors import HelpBarred, MatchError, NotFound, Refusal, SetupError
from bot.domain.imported import MOST_KEPT, is_imported
from bot.domain.result import End, Result
from bot.domain.terms import First
from bot.presentation.records import file_of
from bot.presentation.refusals import refusal_line
from bot.services.imports import Submission, WhichOne
from bot.services.match_services import MatchServices
from bot.services.reviews import Reviews
from bot.store.check import Checker
from bot.store.imported_games import imported_games
from engine.analysis.review import Mark
from engine.core import Player
from engine.records.record import Record
from tests.bot.made_once import all_texts
from tests.bot.services.test_training import training_of
from tests.bot.sittings import ADA, BEN, EVE, HERE, Sitting, both_move_twice, paired, sitting, terms_of

WORDS = "First player", "Second player"
KINGS = '[FEN "B:WK5:BK28"]'
OTHELLO = f"(;GM[Othello]BO[8 {'-' * 18}*--------**------O**-----O{'-' * 20} O]W[f3]B[d3];)"
USUAL = f"{'-' * 27}O*------*O{'-' * 27}"
"""The usual start of Othello on 8x8."""


async def read_on(services: MatchServices, text: str, **options: object) -> Record:
    """The only game of the text."""
    (record,) = await services.imports.read(Submission(text, **options))  # type: ignore[arg-type]
    return record


async def read(table: Sitting, text: str, **options: object) -> Record:
    return await read_on(table.services, text, **options)


async def test_it_is_a_finished_match_in_which_no_stranger_sits(tmp_path: Path) -> None:
    async with sitting(tmp_path / "d.db") as table:
        record = await read(table, '[Black "Otto"] 11-15 23-19 8-11 1-0')
        match = await table.services.imports.add(ADA, record, Player.SECOND, WORDS)
        loaded = await table.services.matches.match(match.id)
        assert is_imported(match.id)
        assert loaded == match
        assert [(seat.name, seat.user_id) for seat in match.seats] == [
            ("First player", 0),
            ("Ada", ADA.user_id),
        ]
        assert match.result == Result(Player.FIRST, End.RESIGNATION)
        assert not match.counts
        assert file_of(match).text.startswith('[Black "First player"]\n[White "Ada"]\n[Result "1-0"]')
        assert await table.stores.matches.finished(ADA.user_id, 9) == []
        for transition in (
            table.services.starting.rematch(match.id, ADA, HERE),
            table.services.playing.resign(match.id, ADA),
        ):
            with pytest.raises(Refusal):
                await transition


async def test_the_same_moves_are_kept_once_and_the_oldest_game_goes(tmp_path: Path) -> None:
    async with sitting(tmp_path / "d.db") as table:
        imports = table.services.imports
        for number in range(MOST_KEPT + 2):
            columns = f"{number // 49 + 1}{number // 7 % 7 + 1}{number % 7 + 1}"
            record = await read(table, columns, game="connect-four")
            table.clock.advance(seconds=1)
            await imports.add(ADA, record, None, WORDS)
        await imports.add(ADA, record, Player.FIRST, WORDS)
        first_ones = [game.moves for game in await imports.of(ADA, 99)][-2:]
        assert len(await imports.of(ADA, 99)) == MOST_KEPT
        assert first_ones == [(0, 0, 3), (0, 0, 2)]
        assert [game.side for game in await imports.of(ADA, 2)] == [Player.FIRST, None]


async def test_it_is_deleted_after_a_month_and_with_its_person(tmp_path: Path) -> None:
    async with sitting(tmp_path / "d.db") as table:
        imports = table.services.imports
        for person in (ADA, BEN):
            await imports.add(person, await read(table, "f5d6c3"), None, WORDS)
        await table.stores.privacy.erase(ADA.user_id)
        assert not await imports.of(ADA, 9)
        (kept,) = await imports.of(BEN, 9)
        table.clock.advance(days=30)
        await imports.forget_old()
        assert await imports.of(BEN, 9)
        table.clock.advance(seconds=1)
        await imports.forget_old()
        with pytest.raises(NotFound):
            await table.services.matches.match(kept.id)


async def test_a_rated_match_against_a_bot_bars_every_game_of_its_kind(tmp_path: Path) -> None:
    async with sitting(tmp_path / "d.db") as table:
        terms = terms_of("othello", first=First.ME, rated=True)
        match = await table.services.starting.start(ADA, terms, "pip", HERE)
        await both_move_twice(table, match)
        with pytest.raises(HelpBarred):
            await table.services.imports.add(ADA, await read(table, "f5d6c3d3c4"), None, WORDS)
        await table.services.imports.add(ADA, await read(table, "1234", game="connect-four"), None, WORDS)


async def test_a_record_that_goes_on_past_a_draw_is_reviewed_and_guarded_like_the_usual_board(
    tmp_path: Path,
) -> None:
    opening = "11-16 22-17 16-20 17-13 8-11 25-22 11-15 29-25 15-19 24x15 10x19 23x16 12x19 27-24 20x27 31x15"
    async with sitting(tmp_path / "d.db") as table:
        record = await read(table, opening, game="draughts")
        longer = replace(record, board="8x8-claimed")
        match = await table.services.imports.add(ADA, longer, Player.FIRST, WORDS)
        reviews = Reviews(table.search, later_seconds=0.0)
        review = await reviews.whole(match)
        assert all(judged is None or judged.mark in Mark for judged in review.reviewed)
        running = await paired(table, ADA.seat, BEN.seat, "draughts")
        for ply, move in enumerate(record.moves[:6]):
            await table.services.playing.play(running.id, (ADA, BEN)[ply % 2], move)
        with pytest.raises(MatchError) as refused:
            await table.services.imports.add(ADA, longer, Player.FIRST, WORDS)
        assert refused.value.key == "position_in_play"


async def test_a_game_from_a_position_is_kept_by_its_moves_and_its_start(tmp_path: Path) -> None:
    async with sitting(tmp_path / "d.db") as table:
        imports = table.services.imports
        kept = [
            await imports.add(ADA, await read(table, text), Player.FIRST, WORDS)
            for text in (KINGS + " 1. 28-24", '[FEN "B:WK6:BK28"] 1. 28-24', KINGS + " 1. 28-24", OTHELLO)
        ]
        assert kept[0].id == kept[2].id != kept[1].id
        assert len(await imports.of(ADA, 9)) == 3
        for match in kept[1:]:
            loaded = await table.services.matches.match(match.id)
            assert loaded.is_set_up
            assert (loaded, loaded.states) == (match, match.states)
            assert (await read(table, file_of(loaded).text)).states == match.states
        usual = await imports.add(ADA, await read(table, "f5d6c3"), None, WORDS)
        assert not usual.is_set_up


async def test_a_game_from_a_position_is_reviewed_but_neither_played_on_nor_trained(tmp_path: Path) -> None:
    async with sitting(tmp_path / "d.db") as table:
        record = await read(table, '[FEN "B:W31,K9:B1,K20"] 1. 1-6 9x2')
        match = await table.services.imports.add(ADA, record, Player.FIRST, WORDS)
        review = await Reviews(table.search, later_seconds=0.0).whole(match)
        assert [judged is not None and judged.mark for judged in review.reviewed][:1] == [Mark.BLUNDER]
        with pytest.raises(Refusal, match="set_up_reviewed"):
            await table.services.starting.play_from(match, 1, ADA, HERE)
        with pytest.raises(Refusal, match="set_up_reviewed"):
            await training_of(table).keep_match(match, ADA)


async def test_no_position_that_one_sets_up_is_reviewed_while_a_rated_match_of_the_game_runs(
    tmp_path: Path,
) -> None:
    async with sitting(tmp_path / "d.db") as table:
        imports = table.services.imports
        before = await imports.add(ADA, await read(table, KINGS + " 1. 28-24"), None, WORDS)
        match = await both_move_twice(table, await paired(table, ADA.seat, BEN.seat, "draughts"))
        other = await read(table, '[FEN "B:WK6:BK28"] 1. 28-24')
        with pytest.raises(MatchError, match="set_up_in_play") as refused:
            await imports.add(ADA, other, None, WORDS)
        assert refused.value.params == {"number": match.id}
        with pytest.raises(MatchError, match="set_up_in_play"):
            await table.services.allowed_help.check_reviewed(before, ADA)
        await imports.add(EVE, await read(table, KINGS + " 1. 28-24"), None, WORDS)
        await imports.add(ADA, await read(table, OTHELLO), None, WORDS)
        await table.services.playing.resign(match.id, ADA)
        await table.services.allowed_help.check_reviewed(before, ADA)


@pytest.mark.parametrize(
    ("submitted", "key"),
    [
        (Submission(KINGS), "import_without_moves"),
        (Submission("(;GM[11]AB[a1][b2]AW[c3];B[d4])"), "import_from_position"),
        (Submission("1 2 3", game="connect-four", number=2), "import_no_number"),
        (Submission("1 2 3", game="connect-four", number=10**20), "import_no_number"),
        (Submission("\n*\n".join(["d3"] * 51), game="othello"), "import_number_missing"),
        (Submission("(" * 250_000), "import_bracket"),
        (Submission("(;GM[2];B[f5]"), "import_bracket"),
        (Submission("(;GM[2]AB[a1];B[f5])"), "import_from_position"),
        (Submission('[FEN "B:W3:B3"] 1. 1-5'), "import_from_position"),
        (Submission('[FEN "B:W1,K32:B12"] 1. 12-16'), "import_from_position"),
        (Submission(f"(;GM[Othello]BO[6 {USUAL} *]B[d6];)"), "import_from_position"),
        (Submission(f'[Game "othello"] [Board "6x6"] [fen "{USUAL} *"] d6'), "import_from_position"),
        (
            Submission('[Game "othello"] [fen "--------------O*----*O-------------- *"] c2'),
            "import_from_position",
        ),
        (Submission("(;GM[Othello]BO[8]KB[3]KW[4]B[f5];)"), "import_komi"),
        (Submission("(;GM[2];B[f5];B[d6])"), "import_wrong_side"),
        (Submission("Piskvorky\n8,8,0"), "import_psq_header"),
        (Submission('{"name": "connectx"}'), "import_no_episode"),
        (Submission(b"x", "a.wtb"), "import_damaged"),
        (Submission("(;GM[11]SZ[11];B[a2])", game="othello"), "import_other_than_chosen"),
        (Submission("1. f5 3. d6", game="othello"), "import_numbering"),
        (Submission("0447", game="connect-four"), "import_columns"),
        (Submission("c3-c4", game="draughts"), "import_light_square"),
        (Submission(b"\xef\xbb\xbf"), "import_nothing"),
        (Submission(b"\x00" * 300), "import_no_text"),
        (Submission(b" \n"), "import_nothing"),
        (Submission(b"x" * (1024 * 1024 + 1), "games.wtb"), "import_too_large"),
    ],
)
async def test_unfit_files_get_one_clear_refusal(tmp_path: Path, submitted: Submission, key: str) -> None:
    async with sitting(tmp_path / "d.db") as table:
        imports = table.services.imports
        with pytest.raises(SetupError) as refused:
            await imports.add(ADA, (await imports.read(submitted))[0], None, WORDS)
        assert refused.value.key == key
        assert refusal_line(all_texts().of("de"), refused.value)


def test_every_reason_for_which_a_file_is_refused_has_its_text() -> None:
    reasons = set()
    for file in (Path(engine.__file__).parent / room for room in ("games", "records")):
        for path in file.rglob("*.py"):
            reasons |= set(re.findall(r'\breason="(\w+)"', path.read_text("utf-8")))
    assert len(reasons) > 12
    assert not [reason for reason in reasons if f"import_{reason}" not in all_texts().of("en")]


async def test_another_board_is_refused_in_words_of_the_catalogue_alone(tmp_path: Path) -> None:
    async with sitting(tmp_path / "d.db") as table:
        with pytest.raises(SetupError) as refused:
            await table.services.imports.read(Submission("(;GM[11]SZ[13];B[a2])"))
        assert refused.value.params == {"game": "hex", "board": "13x13", "boards": "11x11, 7x7"}


class Watched(str):
    """A text that tells which threads have begun to read it, and is read once the test lets it."""

    begun: list[Watched]
    may_go_on: threading.Event

    def strip(self, chars: str | None = None, /) -> str:
        if threading.current_thread() is not threading.main_thread():
            self.begun.append(self)
            self.may_go_on.wait(10)
        return super().strip(chars)


async def test_of_a_crowds_files_one_is_read_at_a_time(tmp_path: Path) -> None:
    """Two threads that compute let a press wait a hundred times as long."""
    async with sitting(tmp_path / "d.db") as table:
        begun, may_go_on = list[Watched](), threading.Event()
        texts = [Watched("f5d6c3"), Watched("f5d6c4")]
        for text in texts:
            text.begun, text.may_go_on = begun, may_go_on
        reading = [asyncio.create_task(table.services.imports.read(Submission(text))) for text in texts]
        while not begun:
            await asyncio.to_thread(int)
        for _ in range(20):  # time for the other one
            await asyncio.to_thread(int)
        assert len(begun) == 1
        may_go_on.set()
        assert [len(records) for records in await asyncio.gather(*reading)] == [1, 1]


async def test_a_choice_is_asked_for_and_forgotten_with_the_process(tmp_path: Path) -> None:
    async with sitting(tmp_path / "d.db") as table:
        imports, submitted = table.services.imports, Submission("b2a1")
        with pytest.raises(WhichOne) as asked:
            await imports.read(submitted)
        assert "gomoku" in asked.value.games
        with pytest.raises(SetupError, match="import_forgotten"):
            imports.chosen(ADA, "hex")
        imports.wait_for_choice(ADA, submitted)
        (record,) = await imports.read(imports.chosen(ADA, "hex"))
        assert record.spec.key == "hex"


async def test_a_damaged_row_is_refused_by_its_number(tmp_path: Path) -> None:
    async with sitting(tmp_path / "d.db") as table:
        match = await table.services.imports.add(ADA, await read(table, "f5d6c3"), None, WORDS)
        async with table.stores.database.writing() as connection:
            await connection.execute(sa.update(imported_games).values(moves="7 7 7"))
        with pytest.raises(MatchError, match="match_damaged"):
            await table.services.matches.match(match.id)
        whole = await table.services.imports.add(ADA, await read(table, "f5d6c3d3"), None, WORDS)
        unread = await table.services.imports.add(ADA, await read(table, "f5d6c3d3c4"), None, WORDS)
        async with table.stores.database.writing() as connection:
            is_it = imported_games.c.id == unread.id
            await connection.execute(sa.update(imported_games).where(is_it).values(moves="x"))
        assert [one.id for one in await table.services.imports.of(ADA, 9)] == [whole.id]
        problems = (await Checker(table.stores.database).check()).problems
        assert {one.partition(":")[0] for one in problems} == {
            f"imported game {match.id}",
            f"imported game {unread.id}",
        }
