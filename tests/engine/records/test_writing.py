"""Games that are written are read again."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from engine.core import UnknownName
from engine.games import SPECS, spec_of
from engine.games.spec import GameSpec
from engine.records.reading import read_games
from engine.records.record import FIRST_WON, SECOND_WON, About, Record, RecordError
from engine.records.writing import formats_of, write

ABOUT = About(('Ada "X" ]\\', "Ben"), "a cup", "2026.11.28", FIRST_WON)
ALL = [(spec, form.key) for spec in SPECS.values() for form in formats_of(spec)]


def played(spec: GameSpec, board: str | None, seed: int) -> Record:
    """Return a game of random moves, with all choices of colours."""
    rng, state, moves = Random(seed), spec.rules.start(board), []
    for _ in range(60):
        legal = state.legal_moves()
        if not legal:
            break
        rare = [move for move in legal if spec.group_of(state, move) is not None]
        moves.append(rng.choice(rare if rare and seed % 2 else list(legal)))
        state = state.play(moves[-1])
    return Record(spec, board or spec.rules.boards[0], tuple(moves), None, ABOUT)


def again(record: Record, key: str) -> Record:
    (found,) = read_games(write(record, key), None, record.spec)
    return found


@pytest.mark.parametrize(("spec", "key"), ALL, ids=lambda value: getattr(value, "key", value))
def test_every_format_is_read_as_it_was_written(spec: GameSpec, key: str) -> None:
    for seed in range(4):
        for board in spec.rules.boards[:1] if seed else spec.rules.boards:
            record = played(spec, board, seed)
            found = again(record, key)
            assert {cell is None for cell in found.states[-1].cells()} == {
                cell is None for cell in record.states[-1].cells()
            }
            has_choice = any(
                spec.group_of(*pair) is not None for pair in zip(record.states, record.moves, strict=False)
            )
            if not has_choice or key == "text":
                assert found.moves == record.moves
            if key in ("text", "pdn", "sgf"):
                assert set(found.about.players) == set(ABOUT.players)
                assert found.about.date.replace("-", ".") == ABOUT.date


@pytest.mark.parametrize("key", ["sgf", "hexworld"])
def test_a_swap_in_hex_is_written_as_the_stones_and_names_after_it(key: str) -> None:
    spec = spec_of("hex")
    moves: tuple[int, ...] = ()
    state = spec.rules.start()
    for name in ("a2", "swap", "j3", "k3", "b8"):
        move = spec.rules.parse_move(state, name)
        moves, state = (*moves, move), state.play(move)
    record = Record(spec, "11x11", moves, None, replace(ABOUT, players=("Ada", "Ben")))
    found = again(record, key)
    assert [spec.rules.move_name(*pair) for pair in zip(found.states, found.moves, strict=False)] == [
        "a2", "c10", "c11", "h2",
    ]  # fmt: skip
    if key == "sgf":
        assert (found.about.players, found.about.result) == (("Ben", "Ada"), SECOND_WON)


def test_a_swap2_opening_is_written_as_stones() -> None:
    spec = spec_of("gomoku")
    state, moves = spec.rules.start("15x15-swap2"), list[int]()
    for name in ("h8", "h9", "i8", "swap", "j8"):
        moves.append(spec.rules.parse_move(state, name))
        state = state.play(moves[-1])
    record = Record(spec, "15x15-swap2", tuple(moves), None, replace(ABOUT, players=("Ada", "Ben")))
    found = again(record, "psq")
    assert (found.board, len(found.moves), found.about.players) == ("15x15", 4, ("Ben", "Ada"))


def test_a_start_of_its_own_is_written_where_the_format_can() -> None:
    (record,) = read_games('[FEN "W:W31,K9:B1,K20"]\n[GameType "21"]\n31-27 1-6')
    (found,) = read_games(write(record))
    assert (found.start, found.moves) == (record.start, record.moves)
    squares = "-" * 27 + "OX" + "-" * 6 + "XXX" + "-" * 26 + " O"
    (position,) = read_games(squares, None, spec_of("othello"))
    assert read_games(write(position, "ggf"))[0].start == position.start
    with pytest.raises(RecordError, match="cannot be written as SGF"):
        write(position, "sgf")
    with pytest.raises(RecordError, match="cannot be written as a list of moves"):
        write(position, "text")


def test_a_format_of_another_game_is_refused_with_the_names_of_its_own() -> None:
    with pytest.raises(UnknownName, match="Hex is not written as 'pdn': choose one of sgf, hexworld, text"):
        write(played(spec_of("hex"), None, 1), "pdn")
